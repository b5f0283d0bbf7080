//! Who reaches what: every page and action of the table × every role and reach × every owner.

use std::collections::BTreeMap;

use dashboard::{Entry, Level, entries};
use domain::ids::{OrganizationId, TenantId, UserId};
use domain::user::{Right, Role, User};

use super::asked::{asked, parameters, subject, uses_up};
use super::people::Standing;
use super::person::{Page, Person};
use super::town::{Owner, Town};

/// Somebody who asks, and who they are; nobody when they are not signed in.
struct Asker<'a> {
    name: String,
    person: Person,
    standing: Option<Standing<'a>>,
}

/// What the rules say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    SignIn,
    Forbidden,
    Missing,
    Granted,
}

/// Those of least reach come first: what is granted may leave nothing to ask for.
async fn askers(town: &Town) -> Vec<Asker<'_>> {
    let stranger = Person::stranger(town.installation.base());
    let mut askers = vec![Asker { name: "nobody".to_owned(), person: stranger, standing: None }];
    let [own, sister, foreign] = &town.owners[..] else { panic!("three owners") };
    let mut standings = Vec::new();
    for owner in [sister, foreign] {
        standings.push(("of another organization", "admin", owner, true));
    }
    standings.push(("of another tenant", "admin", foreign, false));
    for role in ["viewer", "member", "admin"] {
        standings.push(("of the organization", role, own, true));
        standings.push(("of the tenant", role, own, false));
    }
    for (name, role, owner, limited) in standings {
        let organization = limited.then_some(owner.organization.as_str());
        let standing = Standing { role, tenant: &owner.tenant, organization };
        let person = town.person(standing).await;
        askers.push(Asker {
            name: format!("{role} {name} {}", owner.name),
            person,
            standing: Some(standing),
        });
    }
    askers
}

/// The user as the domain judges them.
fn user(standing: Standing<'_>) -> User {
    User {
        id: UserId::parse("00000000-0000-7000-8000-000000000001").unwrap(),
        tenant: TenantId::parse(standing.tenant).unwrap(),
        organization: standing.organization.map(|id| OrganizationId::parse(id).unwrap()),
        email: "somebody@example.com".into(),
        role: Role::parse(standing.role).unwrap(),
        active: true,
        created_at: time::OffsetDateTime::UNIX_EPOCH,
        signed_in_at: None,
    }
}

fn reaches(standing: Standing<'_>, owner: &Owner) -> bool {
    standing.tenant == owner.tenant && standing.organization.is_none_or(|own| own == owner.organization)
}

fn verdict(entry: &Entry, asker: &Asker<'_>, owner: &Owner) -> Verdict {
    let Some(standing) = asker.standing else { return Verdict::SignIn };
    let may = |right: Right| user(standing).may(right);
    let reaches =
        standing.tenant == owner.tenant && standing.organization.is_none_or(|own| own == owner.organization);
    match entry.level {
        Level::Whole(_) if standing.organization.is_some() => Verdict::Missing,
        Level::User(right) | Level::Whole(right) | Level::Within(right) if !may(right) => Verdict::Forbidden,
        Level::Within(_) if !reaches => Verdict::Missing,
        Level::User(_) | Level::Whole(_) if subject(entry).is_some() && !reaches => Verdict::Missing,
        _ => Verdict::Granted,
    }
}

fn told(page: &Page) -> Option<Verdict> {
    match page.status {
        303 if page.wants_sign_in() => Some(Verdict::SignIn),
        200 | 303 => Some(Verdict::Granted),
        403 => Some(Verdict::Forbidden),
        404 => Some(Verdict::Missing),
        _ => None,
    }
}

/// The page without what the asker put into the address.
fn body_without(page: &Page, things: &BTreeMap<&'static str, String>) -> String {
    // Files have short names, and are the same for all.
    let ids = things.values().filter(|id| id.len() > 30);
    ids.fold(page.body.clone(), |body, id| body.replace(id.as_str(), "…"))
}

/// Ids that were never given to anything.
fn missing(things: &BTreeMap<&'static str, String>) -> BTreeMap<&'static str, String> {
    let id = |n| format!("00000000-0000-7000-8000-{n:012}");
    things.keys().zip(0..).map(|(name, n)| (*name, id(n))).collect()
}

/// Whether an owner's things are what this asker would ask such a page for: what is about no single thing
/// is asked for by everybody as their own.
fn concerns(entry: &Entry, asker: &Asker<'_>, owner: &Owner) -> bool {
    matches!(entry.level, Level::Within(_))
        || subject(entry).is_some()
        || asker.standing.map_or(owner.name == "Own", |standing| reaches(standing, owner))
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_sees_or_does_what_is_not_theirs_nor_learns_that_it_exists() {
    let town = Town::of("Clinic").await;
    let askers = askers(&town).await;
    for entry in entries().filter(|entry| entry.level != Level::Anybody) {
        for owner in &town.owners {
            let mut things = owner.things.clone();
            for asker in askers.iter().filter(|asker| concerns(&entry, asker, owner)) {
                let expected = verdict(&entry, asker, owner);
                let about = format!("{} {} of {} by {}", entry.method, entry.path, owner.name, asker.name);
                if expected == Verdict::Granted && uses_up(&entry) {
                    let kind = subject(&entry).unwrap();
                    things.insert(kind, town.make(kind, owner, "One more").await);
                }
                // What is about oneself may end the session.
                let passing = match asker.standing {
                    Some(standing) if entry.level == Level::AnyUser && entry.method == "POST" => {
                        Some(town.person(standing).await)
                    }
                    _ => None,
                };
                let person = passing.as_ref().unwrap_or(&asker.person);
                let ask = asked(&entry, owner, &things);
                let may_change = entry.method == "POST" && expected != Verdict::Granted;
                let before = if may_change { Some(town.changes().await) } else { None };
                let page = person.ask(entry.method, &ask).await;
                assert_eq!(told(&page), Some(expected), "{about}: {page:?}");
                if let Some(before) = before {
                    assert_eq!(town.changes().await, before, "{about}: refused, and yet it was done");
                }
                if expected == Verdict::Missing {
                    let nothing = missing(&things);
                    let ask = asked(&entry, owner, &nothing);
                    let other = person.ask(entry.method, &ask).await;
                    assert_eq!(
                        (page.status, body_without(&page, &things)),
                        (other.status, body_without(&other, &nothing)),
                        "{about}: it can be told from nothing"
                    );
                }
                shows_only_what_is_theirs(&about, &entry, &page, asker, &town, &things);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_limited_to_an_organization_does_not_find_those_of_the_whole_tenant() {
    let town = Town::of("Clinic").await;
    let own = &town.owners[0];
    let limited = Standing { role: "admin", tenant: &own.tenant, organization: Some(&own.organization) };
    let person = town.person(limited).await;
    let boss = town.user(Standing { organization: None, ..limited }).await;
    let mut things = own.things.clone();
    things.insert("user", boss.clone());
    for entry in entries().filter(|entry| parameters(entry.path).any(|name| name == "user")) {
        let ask = asked(&entry, own, &things);
        let changes = town.changes().await;
        let page = person.ask(entry.method, &ask).await;
        assert_eq!(page.status, 404, "{} {}: {page:?}", entry.method, entry.path);
        assert_eq!(town.changes().await, changes, "{}", entry.path);
    }
    assert!(!person.get("/users").await.body.contains(&boss));
}

/// No id and no name of what is beyond somebody's reach is on the page, but what they asked with.
fn shows_only_what_is_theirs(
    about: &str,
    entry: &Entry,
    page: &Page,
    asker: &Asker<'_>,
    town: &Town,
    named: &BTreeMap<&'static str, String>,
) {
    for owner in &town.owners {
        if asker.standing.is_some_and(|standing| reaches(standing, owner)) {
            continue;
        }
        let shared = asker.standing.is_some_and(|standing| standing.tenant == owner.tenant);
        // A trunk belongs to the tenant and is called by the one who made it; whoever is limited to an
        // organization sees it where it is chosen for a number, and nowhere else.
        let chosen = shared && entry.path.starts_with("/o/{organization}/numbers");
        for (kind, id) in &owner.things {
            if (*kind == "trunk" && chosen) || named.get(kind) == Some(id) {
                continue;
            }
            assert!(!page.body.contains(id.as_str()), "{about} shows the {kind} of {}", owner.name);
        }
        let title = format!("{} Clinic", owner.name);
        assert!(chosen || !page.body.contains(&title), "{about} shows the name of {}", owner.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_belongs_to_another_organization_is_not_found_within_ones_own() {
    let town = Town::of("Clinic").await;
    let [own, sister, foreign] = &town.owners[..] else { panic!("three owners") };
    let person = town.person(Standing { role: "admin", tenant: &own.tenant, organization: None }).await;
    let nested = entries().filter(|entry| {
        matches!(entry.level, Level::Within(_)) && parameters(entry.path).any(|name| name != "organization")
    });
    for entry in nested {
        for other in [sister, foreign] {
            let mut things = other.things.clone();
            things.insert("organization", own.organization.clone());
            let ask = asked(&entry, other, &things);
            let changes = town.changes().await;
            let page = person.ask(entry.method, &ask).await;
            let about = format!("{} {} of {} within {}", entry.method, entry.path, other.name, own.name);
            // Or to a page that says so.
            let led = if page.status == 303 { person.get(page.location()).await } else { page };
            assert_eq!(led.status, 404, "{about}: {led:?}");
            assert_eq!(town.changes().await, changes, "{about}: refused, and yet it was done");
        }
    }
}
