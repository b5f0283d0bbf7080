//! Who reaches what: every endpoint of the table × every kind of key × every owner.

use application::keys;
use domain::access::{KeyLevel, Permission};
use domain::ids::{OrganizationId, TenantId};
use domain::ports::{Access, Clock};
use domain::scope::{Reach, Scope};
use domain::testing::deed;
use http_api::{Entry, Needs};

use crate::support::store::{FOREIGN, ORGANIZATION, OTHER_TENANT, SISTER, TENANT};
use crate::support::valid::{Thing, keyed_entries, valid};
use crate::support::wire::{Answer, Request};
use crate::support::{App, Counter};

/// Each organization that owns something, with its tenant.
const OWNERS: [(TenantId, OrganizationId); 3] =
    [(TENANT, ORGANIZATION), (TENANT, SISTER), (OTHER_TENANT, FOREIGN)];

/// Whoever asks, and how far its key reaches.
struct Asker {
    name: &'static str,
    /// The `Authorization` line, if any.
    line: Option<String>,
    standing: Standing,
}

enum Standing {
    /// No live key.
    Stranger,
    /// A live key with these permissions.
    Holder(Scope, Vec<Permission>),
}

/// A service in which every owner has made a call.
async fn town() -> (App, Vec<Thing>) {
    let app = App::start().await;
    let mut things = Vec::new();
    let place = keyed_entries().find(|entry| entry.path == "/api/outbound").unwrap();
    for (tenant, organization) in OWNERS {
        let key = app.key_for(Scope::Organization(tenant, organization), &Permission::ALL);
        let unplaced = Thing { organization, call: String::new() };
        let answer = request(&app, &place, &unplaced).key(&key).send().await;
        let call = answer.json()["outboundCallId"].as_str().unwrap().to_owned();
        things.push(Thing { organization, call });
    }
    (app, things)
}

/// Those who are refused come first: a deletion that is allowed leaves nothing to ask for.
async fn askers(app: &App, needs: Needs) -> Vec<Asker> {
    let stranger = |name, line: Option<String>| Asker { name, line, standing: Standing::Stranger };
    let holder = |name, scope, permissions: &[Permission]| Asker {
        name,
        line: Some(format!("Bearer {}", app.key_for(scope, permissions))),
        standing: Standing::Holder(scope, permissions.to_vec()),
    };
    let (revoked, id) = app.issue(Scope::Tenant(TENANT), &Permission::ALL);
    assert!(app.store.inner.revoke(Reach::Everything, id, deed(app.clock.now())).await.unwrap());
    let never_issued = keys::mint(KeyLevel::Tenant, &Counter::default());
    let mut askers = vec![
        stranger("no key", None),
        stranger("garbage", Some("Bearer garbage".into())),
        stranger(
            "a key of the right form that was never issued",
            Some(format!("Bearer {}", never_issued.text.reveal())),
        ),
        stranger("revoked", Some(format!("Bearer {revoked}"))),
        holder("the sister organization", Scope::Organization(TENANT, SISTER), &Permission::ALL),
        holder("the foreign organization", Scope::Organization(OTHER_TENANT, FOREIGN), &Permission::ALL),
        holder("the organization", Scope::Organization(TENANT, ORGANIZATION), &Permission::ALL),
        holder("the foreign tenant", Scope::Tenant(OTHER_TENANT), &Permission::ALL),
        holder("the tenant", Scope::Tenant(TENANT), &Permission::ALL),
    ];
    if let Needs::Permission(needed) = needs {
        let others: Vec<_> = Permission::ALL.into_iter().filter(|own| *own != needed).collect();
        for (name, scope) in [
            ("the organization without the permission", Scope::Organization(TENANT, ORGANIZATION)),
            ("the tenant without the permission", Scope::Tenant(TENANT)),
        ] {
            askers.push(holder(name, scope, &others));
        }
    }
    askers
}

fn request(app: &App, entry: &Entry, thing: &Thing) -> Request {
    let valid = valid(entry, thing);
    let request = app.request(valid.method, &valid.target());
    match &valid.body {
        Some(body) => request.json(body),
        None => request,
    }
}

/// All of an answer that could tell one refusal from another.
fn visible(answer: &Answer) -> (u16, Vec<(String, String)>, String) {
    // What differs between any two answers; a connection closes when a body was not awaited.
    let passing = ["connection", "date", "x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset"];
    let lasting = answer.headers.iter().filter(|(name, _)| !passing.contains(&name.as_str()));
    let mut headers: Vec<_> = lasting.cloned().collect();
    headers.sort();
    (answer.status, headers, String::from_utf8(answer.body.clone()).unwrap())
}

/// What the rules say: 401, 403, 404 or success (interface, Authentication).
fn expected(
    entry: &Entry,
    asker: &Asker,
    (tenant, organization): (TenantId, OrganizationId),
    owned: bool,
) -> u16 {
    let Standing::Holder(scope, permissions) = &asker.standing else { return 401 };
    match entry.needs {
        Needs::TenantKey if scope.organization().is_some() => return 403,
        Needs::Permission(permission) if !permissions.contains(&permission) => return 403,
        _ => {}
    }
    match (owned && !scope.covers(tenant, organization), entry.method) {
        (true, _) => 404,
        (false, "POST") => 201,
        (false, _) => 200,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_sees_what_is_not_theirs_nor_learns_that_it_exists() {
    for entry in keyed_entries() {
        for (index, owner) in OWNERS.into_iter().enumerate() {
            let (app, things) = town().await;
            let thing = &things[index];
            for asker in askers(&app, entry.needs).await {
                let told = format!("{} {} of {:?} by {}", entry.method, entry.path, owner, asker.name);
                let ask = |thing| {
                    let request = request(&app, &entry, thing);
                    match &asker.line {
                        Some(line) => request.header("Authorization", line),
                        None => request,
                    }
                };
                let answer = ask(thing).send().await;
                let owned = valid(&entry, thing).owned;
                let status = expected(&entry, &asker, owner, owned);
                assert_eq!(answer.status, status, "{told}: {answer:?}");
                if status >= 400 {
                    let missing = ask(&Thing::missing()).send().await;
                    assert_eq!(visible(&answer), visible(&missing), "{told}: it can be told from nothing");
                }
                if let Standing::Holder(scope, _) = asker.standing {
                    let body = String::from_utf8_lossy(&answer.body);
                    for ((tenant, organization), other) in OWNERS.into_iter().zip(&things) {
                        if !scope.covers(tenant, organization) {
                            let ids = [organization.to_string(), other.call.clone()];
                            assert!(
                                ids.iter().all(|id| !body.contains(id)),
                                "{told} shows {other:?}: {body}"
                            );
                        }
                    }
                }
            }
        }
    }
}
