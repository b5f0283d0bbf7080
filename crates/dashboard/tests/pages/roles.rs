//! Pages show what their reader may do, and nothing else: no link and no form that would be refused.

use std::collections::BTreeSet;

use dashboard::{Entry, Level, entries};
use domain::call::{ArtifactKind, CallFacts};
use domain::ids::OrganizationId;
use domain::ports::Clock;
use domain::scope::Reach;
use domain::testing::{Ground, moment};
use domain::user::{Role, User};

use crate::calls::placed;
use crate::support::{Browser, Company, Site, fresh, operator};

/// What stands for each name in the patterns of paths; a name without any has no pages here.
#[derive(Default)]
struct Things(Vec<(&'static str, String)>);

impl Things {
    /// The addresses of a page; none when something of it is missing.
    fn addresses(&self, pattern: &str) -> Vec<String> {
        let Some((before, rest)) = pattern.split_once('{') else { return vec![pattern.to_owned()] };
        let (name, after) = rest.split_once('}').unwrap();
        // Keys of the company and of an organization are not found in each other's place.
        let name = match name {
            "key" if before.starts_with("/settings") => "own-key",
            // Only what is over has been reported, and has files.
            "call" if before.contains("/callbacks/") || ["/recording", "/transcript"].contains(&after) => {
                "over"
            }
            name => name,
        };
        let values = self.0.iter().filter(|(own, _)| *own == name);
        values.flat_map(|(_, value)| self.addresses(&format!("{before}{value}{after}"))).collect()
    }
}

/// A form as a page has it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Sent {
    method: &'static str,
    action: String,
}

/// What stands in an attribute of this name, wherever it does.
fn attributes<'a>(body: &'a str, name: &str) -> impl Iterator<Item = String> + use<'a> {
    let marked = format!(" {name}=\"");
    let parts: Vec<&str> = body.split(&*marked).skip(1).collect();
    parts.into_iter().map(|part| part.split_once('"').unwrap().0.replace("&#38;", "&"))
}

fn links(body: &str) -> BTreeSet<String> {
    let inside = attributes(body, "href").filter(|href| href.starts_with('/'));
    inside.map(|href| href.split('#').next().unwrap().to_owned()).collect()
}

fn forms(body: &str, page: &str) -> BTreeSet<Sent> {
    let form = |part: &str| {
        let tag = format!(" {}", part.split_once('>').unwrap().0);
        let value = |name| attributes(&tag, name).next();
        let action = value("action").unwrap_or_else(|| page.to_owned());
        let method = if value("method").as_deref() == Some("post") { "POST" } else { "GET" };
        Sent { method, action: action.split('?').next().unwrap().to_owned() }
    };
    body.split("<form ").skip(1).map(form).collect()
}

/// The entry of the table that takes a form.
fn entry_of(form: &Sent) -> Entry {
    let fits = |entry: &Entry| {
        let (pattern, action): (Vec<_>, Vec<_>) =
            (entry.path.split('/').collect(), form.action.split('/').collect());
        let same = |(part, own): (&&str, &&str)| part == own || part.starts_with('{');
        pattern.len() == action.len() && pattern.iter().zip(&action).all(same)
    };
    let mut found: Vec<_> = entries().filter(|entry| entry.method == form.method).filter(fits).collect();
    // What stands in the table as it is goes before a pattern.
    found.sort_by_key(|entry| entry.path.matches('{').count());
    found.into_iter().next().unwrap_or_else(|| panic!("{} {} leads nowhere", form.method, form.action))
}

fn grants(entry: &Entry, user: &User) -> bool {
    match entry.level {
        Level::Anybody | Level::AnyUser => true,
        Level::User(right) | Level::Within(right) => user.may(right),
        Level::Whole(right) => user.organization.is_none() && user.may(right),
    }
}

/// Opens whatever this user may open, and follows all links; the pages that were read.
async fn follow(browser: &mut Browser, user: &User, things: &Things) -> usize {
    let about = format!("{:?} of {}", user.role, if user.organization.is_some() { "one" } else { "all" });
    let (mut read, mut followed) = (0, BTreeSet::new());
    for entry in entries().filter(|entry| entry.method == "GET" && entry.level != Level::Anybody) {
        // Streams have no end.
        if !grants(&entry, user) || entry.path.ends_with("/live") {
            continue;
        }
        for address in things.addresses(entry.path) {
            let page = browser.get(&address).await;
            assert!([200, 303].contains(&page.status), "{about}: {address}: {} {}", page.status, page.body);
            if page.header("content-type").is_none_or(|kind| !kind.starts_with("text/html")) {
                continue;
            }
            read += 1;
            for link in links(&page.body) {
                if !followed.insert(link.clone()) {
                    continue;
                }
                let led = browser.get(&link).await;
                assert!(led.status < 400, "{about}: {address} leads to {link}: {}", led.status);
            }
            for form in forms(&page.body, &address) {
                assert!(
                    grants(&entry_of(&form), user),
                    "{about}: {address} has a form that is refused: {} {}",
                    form.method,
                    form.action
                );
            }
        }
    }
    read
}

/// Everybody who could come: each role, of the whole company and of the organization alone.
async fn everybody(site: &Site, company: &Company) -> Vec<User> {
    let mut users = Vec::new();
    for role in Role::ALL {
        for organization in [None, Some(company.first())] {
            users.push(site.user(company, organization, role).await);
        }
    }
    users
}

/// A company with something on every page.
async fn full(site: &Site) -> (Company, Things) {
    let ground = Ground::lay(&site.world, None).await.unwrap();
    let company = Company { tenant: ground.tenant, organizations: vec![ground.organization] };
    let now = site.clock.now();
    let mut agent = ground.cascade().unwrap();
    agent.id = fresh(now, site.entropy.as_ref());
    site.world.assistants.add_assistant(Reach::Everything, agent.clone(), operator(now)).await.unwrap();
    let (over, _) = ground.ended(&site.world, moment(0)).await.unwrap();
    given_up(site, &ground, over.id).await;
    let facts = CallFacts::default();
    site.world.filing.file_transcript(over.id, &[], &facts, moment(99)).await.unwrap();
    for kind in [ArtifactKind::Recording, ArtifactKind::Transcript] {
        site.world.filing.file_artifact(over.id, kind, 9, moment(99)).await.unwrap();
    }
    let (live, _) = placed(site, &ground, "Ada", 60).await;
    let of: OrganizationId = ground.organization;
    let mut things = vec![
        ("organization", of.to_string()),
        ("assistant", ground.assistant.id.to_string()),
        ("assistant", agent.id.to_string()),
        ("number", ground.number.id.to_string()),
        ("trunk", ground.trunk.id.to_string()),
        ("call", over.id.to_string()),
        ("call", live.to_string()),
        ("over", over.id.to_string()),
        ("user", site.user(&company, Some(of), Role::Viewer).await.id.to_string()),
    ];
    for (name, organization) in [("key", Some(of)), ("own-key", None)] {
        things.push((name, key(site, &company, organization).await));
    }
    (company, Things(things))
}

async fn given_up(site: &Site, ground: &Ground, call: domain::ids::CallId) {
    use domain::ports::{Settled, TryOutcome, TryRecord};
    use std::time::Duration;
    let callbacks = &site.world.callbacks;
    callbacks.claim_fresh(ground.boot, call, moment(0), Duration::from_secs(20)).await.unwrap().unwrap();
    let took = Duration::from_millis(87);
    let record = TryRecord { began_at: moment(0), took, outcome: TryOutcome::Answered(503) };
    assert!(callbacks.settle(ground.boot, call, 0, record, Settled::GivenUp).await.unwrap());
}

async fn key(site: &Site, company: &Company, organization: Option<OrganizationId>) -> String {
    let now = site.clock.now();
    let key = domain::access::ApiKey {
        id: fresh(now, site.entropy.as_ref()),
        tenant: company.tenant,
        organization,
        name: "ci".to_owned(),
        permissions: domain::access::Permission::ALL.to_vec(),
        created_at: now,
        last_used_at: None,
        revoked_at: None,
    };
    let (id, digest) = (key.id, domain::access::KeyDigest([u8::from(organization.is_some()); 32]));
    site.world.access.issue(key, digest, operator(now)).await.unwrap();
    id.to_string()
}

#[tokio::test]
async fn no_page_offers_what_its_reader_may_not_do() {
    let site = Site::start().await;
    let (company, things) = full(&site).await;
    let mut read = Vec::new();
    for user in everybody(&site, &company).await {
        let mut browser = site.browser_of(&user).await;
        read.push(follow(&mut browser, &user, &things).await);
    }
    // Whoever may do more is shown more.
    assert!(read.is_sorted_by(|more, less| more >= less) && read[0] > read[5], "{read:?}");
}

#[tokio::test]
async fn nor_does_a_page_without_anything_on_it() {
    let site = Site::start().await;
    let company = site.company("Fresh", 1).await;
    let things = Things(vec![("organization", company.first().to_string())]);
    for user in everybody(&site, &company).await {
        let mut browser = site.browser_of(&user).await;
        assert!(follow(&mut browser, &user, &things).await > 0);
    }
}
