//! Changes to what somebody saw: of two who saw the same, the second is told.

use std::fmt::Debug;

use serde_json::json;

use crate::assistant::Assistant;
use crate::ids::SchemaId;
use crate::metadata::SchemaOwner;
use crate::organization::{Profile, Revision};
use crate::ports::{ReviseError, ReviseTrunkError, Seen};
use crate::scope::{Reach, Scope};
use crate::secret::Secret;
use crate::testing::contracts::trunks::same;
use crate::testing::fixtures::{
    Ground, TestResult, add_organization, add_tenant, deed, fresh, moment, new_organization, organization,
    realtime, revision, trunk,
};
use crate::testing::world::{World, together};
use crate::trunk::{Login, Trunk, TrunkAddress, TrunkRevision};

/// Who saw just this.
fn saw<T: Clone + PartialEq + Send + Sync + 'static>(thing: &T) -> Seen<T> {
    let thing = thing.clone();
    Seen::told_by(move |stored: &T| *stored == thing)
}

/// The one that was done; the other was told that it is overtaken.
fn one_of_two<T: Debug, E: Debug>(outcomes: Vec<Result<T, E>>, overtaken: fn(&E) -> bool) -> TestResult<T> {
    let (mut done, mut told) = (Vec::new(), 0);
    for outcome in outcomes {
        match outcome {
            Ok(value) => done.push(value),
            Err(error) if overtaken(&error) => told += 1,
            Err(other) => return Err(format!("{other:?}").into()),
        }
    }
    assert_eq!((done.len(), told), (1, 1), "{done:?}");
    Ok(done.pop().ok_or("none was done")?)
}

const fn is_overtaken(error: &ReviseError) -> bool {
    matches!(error, ReviseError::Overtaken)
}

/// What a revision of a trunk says that changes its name and its password.
fn renamed(trunk: &Trunk, name: &str) -> TrunkRevision {
    let login = Some(Login { username: "a".to_owned(), password: Some(Secret::new("b".to_owned())) });
    TrunkRevision { name: name.to_owned(), login, ..same(trunk) }
}

/// Sent twice, a change is one; without a word about what was seen it overwrites.
pub async fn a_trunk_that_somebody_else_changed_is_not_overwritten(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let first = trunk(tenant, None);
    world.add_trunk(first.clone()).await?;
    let revise = |name: &str, seen| {
        let to = renamed(&first, name);
        world.trunks.revise_trunk(Reach::Everything, first.id, to, seen, deed(moment(1)))
    };
    let rush = together(["x", "y"].map(|name| revise(name, Some(saw(&first))))).await;
    let done = one_of_two(rush, |error| matches!(error, ReviseTrunkError::Overtaken))?;
    assert_eq!(world.trunks.trunk(Reach::Everything, first.id).await?.as_ref(), Some(&done));
    assert_eq!(revise(&done.name, Some(saw(&first))).await?, done);
    let next = revise("z", Some(saw(&done))).await?;
    // That comes before the password that another address would need.
    let address = TrunkAddress { host: "192.0.2.9".to_owned(), port: None };
    let login = Some(Login { username: "a".to_owned(), password: None });
    let late = TrunkRevision { address, login, ..renamed(&next, "w") };
    let told =
        world.trunks.revise_trunk(Reach::Everything, first.id, late, Some(saw(&done)), deed(moment(2)));
    assert!(matches!(told.await, Err(ReviseTrunkError::Overtaken)));
    assert_eq!(revise("v", None).await?.name, "v");
    Ok(())
}

/// The same, for an assistant and its providers' keys.
pub async fn an_assistant_that_somebody_else_changed_is_not_overwritten(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let first = realtime(ground.tenant, ground.organization)?;
    world.add_assistant(first.clone()).await?;
    let revise = |name: &str, seen| {
        let to = Assistant { name: name.to_owned(), ..first.clone() };
        world.assistants.revise_assistant(Reach::Everything, to, seen, deed(moment(1)))
    };
    let rush = together(["x", "y"].map(|name| revise(name, Some(saw(&first))))).await;
    let done = one_of_two(rush, is_overtaken)?;
    assert_eq!(world.assistants.assistant(Reach::Everything, first.id).await?.as_ref(), Some(&done));
    assert_eq!(revise(&done.name, Some(saw(&first))).await?, done);
    assert_eq!(revise("z", Some(saw(&done))).await?.name, "z");
    assert!(matches!(revise("w", Some(saw(&done))).await, Err(ReviseError::Overtaken)));
    assert_eq!(revise("v", None).await?.name, "v");
    Ok(())
}

/// The same, for an organization's profile.
pub async fn a_profile_that_somebody_else_changed_is_not_overwritten(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let own = organization(tenant)?;
    world.organizations.create(new_organization(own.clone())).await?;
    let scope = Scope::Tenant(tenant);
    let revise = |name: &str, seen: Option<Seen<Profile>>| {
        let to = Revision { city: Some("Laval".to_owned()), ..revision(name, "a@b.example") };
        world.organizations.revise(scope, own.id, to, seen, deed(moment(1)))
    };
    let first = own.profile.clone();
    let rush = together(["x", "y"].map(|name| revise(name, Some(saw(&first))))).await;
    let done = one_of_two(rush, is_overtaken)?;
    assert_eq!(world.organizations.find(scope, own.id).await?.as_ref(), Some(&done));
    assert_eq!(revise(&done.profile.name, Some(saw(&first))).await?.profile, done.profile);
    assert_eq!(revise("z", Some(saw(&done.profile))).await?.profile.name, "z");
    assert!(matches!(revise("w", Some(saw(&done.profile))).await, Err(ReviseError::Overtaken)));
    assert_eq!(revise("v", None).await?.profile.name, "v");
    Ok(())
}

/// The same, for a schema, also while none was put yet.
pub async fn a_schema_that_somebody_else_put_is_not_overwritten(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let organization = add_organization(world, tenant).await?;
    for owner in [SchemaOwner::Tenant(tenant), SchemaOwner::Organization(organization)] {
        let first = world.schemas.get(Reach::Everything, owner).await?.document;
        let put = |name: &str, seen| {
            let (id, document) = (SchemaId::from(fresh()), json!({ "title": name }));
            world.schemas.put(Reach::Everything, owner, id, document, seen, deed(moment(1)))
        };
        let rush = together(["x", "y"].map(|name| put(name, Some(saw(&first))))).await;
        one_of_two(rush, is_overtaken)?;
        let done = world.schemas.get(Reach::Everything, owner).await?.document;
        let name = done.get("title").and_then(|title| title.as_str()).ok_or("no title")?;
        put(name, Some(saw(&first))).await?;
        put("z", Some(saw(&done))).await?;
        assert!(matches!(put("w", Some(saw(&done))).await, Err(ReviseError::Overtaken)));
        put("v", None).await?;
        assert_eq!(world.schemas.get(Reach::Everything, owner).await?.document, json!({ "title": "v" }));
    }
    Ok(())
}
