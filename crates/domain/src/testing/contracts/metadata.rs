//! Metadata records.

use serde_json::{Map, Value, json};

use crate::audit::{Action, Actor, Deed};
use crate::ids::{KeyId, OrganizationId, SchemaId, TenantId};
use crate::metadata::{MetadataRecord, SchemaOwner};
use crate::ports::{Replaced, Replacement};
use crate::scope::{Reach, Scope};
use crate::testing::fixtures::{TestResult, add_organization, add_tenant, deed, fresh, moment};
use crate::testing::world::{World, together};

fn key(number: u128) -> KeyId {
    KeyId::from_uuid(uuid::Uuid::from_u128(number))
}

/// What a key does at a second.
fn by(number: u128, second: u64) -> Deed {
    Deed { actor: Actor::Key(key(number)), ..deed(moment(second)) }
}

fn data(value: Value) -> TestResult<Map<String, Value>> {
    match value {
        Value::Object(map) => Ok(map),
        _ => Err("not an object".into()),
    }
}

fn replacement(organization: OrganizationId, metadata: Value) -> TestResult<Replacement> {
    let metadata = data(metadata)?;
    Ok(Replacement { organization, metadata, judged_by: None, seen: None, deed: by(1, 5) })
}

async fn replace(world: &World, tenant: TenantId, one: Replacement) -> TestResult<MetadataRecord> {
    match world.metadata.replace(Scope::Tenant(tenant), one).await? {
        Replaced::Done(record) => Ok(record),
        other => Err(format!("not replaced: {other:?}").into()),
    }
}

/// Version 1 came with the organization, so the first replace makes 2; the record stays the same one.
pub async fn each_replace_adds_a_version(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let organization = add_organization(world, tenant).await?;
    let metadata = json!({ "plan": "gold", "seats": 3, "tags": ["a", null, { "ü": 1.5 }], "": {} });
    let first = replace(world, tenant, replacement(organization, metadata.clone())?).await?;
    let expected = MetadataRecord {
        id: first.id,
        organization,
        version: 2,
        metadata: data(metadata)?,
        created_at: moment(5),
        created_by: key(1).to_string(),
    };
    assert_eq!(first, expected);
    let second = Replacement { deed: by(2, 6), ..replacement(organization, json!({}))? };
    let second = replace(world, tenant, second).await?;
    let expected = MetadataRecord {
        version: 3,
        metadata: Map::new(),
        created_at: moment(6),
        created_by: key(2).to_string(),
        ..first.clone()
    };
    assert_eq!(second, expected);
    let own = Scope::Organization(tenant, organization);
    assert_eq!(world.metadata.read_metadata(own, organization).await?, Some(second));
    let entries = world.audit.entries(own, None, None, 9).await?;
    let mut told: Vec<_> =
        entries.iter().map(|entry| (entry.action, &entry.deed, entry.name.as_deref())).collect();
    told.retain(|(action, ..)| *action == Action::MetadataReplace);
    let name = Some("North Clinic");
    assert_eq!(
        told,
        [(Action::MetadataReplace, &by(2, 6), name), (Action::MetadataReplace, &by(1, 5), name)]
    );
    let sister = add_organization(world, tenant).await?;
    let unwritten = world.metadata.read_metadata(Scope::Tenant(tenant), sister).await?;
    assert_eq!(unwritten.map(|record| (record.version, record.metadata)), Some((1, Map::new())));
    let theirs = replace(world, tenant, replacement(sister, json!({}))?).await?;
    assert_eq!(theirs.version, 2);
    assert_ne!(theirs.id, first.id);
    Ok(())
}

/// Of two that saw the same version, one is told that the other was faster.
pub async fn what_somebody_else_wrote_is_not_overwritten_unseen(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let organization = add_organization(world, tenant).await?;
    let write = |metadata| -> TestResult<_> {
        Ok(Replacement { seen: Some(1), ..replacement(organization, metadata)? })
    };
    let rush = [write(json!({ "from": 1 }))?, write(json!({ "from": 2 }))?];
    let scope = Scope::Tenant(tenant);
    let (mut done, mut overtaken) = (Vec::new(), 0);
    for replaced in together(rush.into_iter().map(|one| world.metadata.replace(scope, one))).await {
        match replaced? {
            Replaced::Done(record) => done.push(record),
            Replaced::Overtaken => overtaken += 1,
            other => return Err(format!("{other:?}").into()),
        }
    }
    assert_eq!((done.len(), overtaken), (1, 1));
    assert_eq!(world.metadata.read_metadata(scope, organization).await?, done.pop());
    let third = Replacement { seen: Some(2), ..replacement(organization, json!({}))? };
    assert_eq!(replace(world, tenant, third).await?.version, 3);
    Ok(())
}

/// Twenty at once make the versions 2 to 21.
pub async fn versions_have_no_gaps(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let organization = add_organization(world, tenant).await?;
    let rush = (0..20)
        .map(|count| replacement(organization, json!({ "count": count })))
        .collect::<TestResult<Vec<_>>>()?;
    let done = together(rush.into_iter().map(|one| replace(world, tenant, one))).await;
    let mut versions = done.into_iter().map(|one| Ok(one?.version)).collect::<TestResult<Vec<_>>>()?;
    versions.sort_unstable();
    assert_eq!(versions, (2..=21).collect::<Vec<_>>());
    Ok(())
}

/// What was judged by a schema that is no longer in force is not written.
pub async fn a_replace_holds_under_the_schema_that_judged_it(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let organization = add_organization(world, tenant).await?;
    let [general, own, newer] = [0; 3].map(|_| SchemaId::from(fresh()));
    let judged = |judged_by| -> TestResult<Replacement> {
        Ok(Replacement { judged_by, ..replacement(organization, json!({ "a": 1 }))? })
    };
    let mut version = 1;
    let mut before = None;
    for (owner, id) in [
        (None, None),
        (Some(SchemaOwner::Tenant(tenant)), Some(general)),
        (Some(SchemaOwner::Organization(organization)), Some(own)),
        (Some(SchemaOwner::Organization(organization)), Some(newer)),
    ] {
        if let (Some(owner), Some(id)) = (owner, id) {
            world
                .schemas
                .put(Reach::Everything, owner, id, json!({ "type": "object" }), None, deed(moment(1)))
                .await?;
            for outdated in [before, Some(SchemaId::from(fresh()))] {
                let refused = world.metadata.replace(Scope::Tenant(tenant), judged(outdated)?).await?;
                assert_eq!(refused, Replaced::SchemaChanged);
            }
        }
        version += 1;
        assert_eq!(replace(world, tenant, judged(id)?).await?.version, version);
        before = id;
    }
    // The tenant's schema does not count beside the organization's own.
    let (owner, id) = (SchemaOwner::Tenant(tenant), SchemaId::from(fresh()));
    world.schemas.put(Reach::Everything, owner, id, json!({}), None, deed(moment(2))).await?;
    assert_eq!(replace(world, tenant, judged(Some(newer))?).await?.version, version + 1);
    Ok(())
}

/// Nor another organization's, one that nobody made, or a deleted one.
pub async fn another_tenants_metadata_does_not_exist(world: &World) -> TestResult {
    let (tenant, foreign) = (add_tenant(world).await?, add_tenant(world).await?);
    let sister = add_organization(world, tenant).await?;
    let organization = add_organization(world, tenant).await?;
    let deleted = add_organization(world, tenant).await?;
    world.organizations.remove(Reach::Within(Scope::Tenant(tenant)), deleted, deed(moment(1))).await?;
    for (scope, id) in [
        (Scope::Tenant(foreign), organization),
        (Scope::Organization(foreign, organization), organization),
        (Scope::Organization(tenant, sister), organization),
        (Scope::Tenant(tenant), deleted),
        (Scope::Tenant(tenant), OrganizationId::from(fresh())),
    ] {
        assert_eq!(world.metadata.read_metadata(scope, id).await?, None);
        assert_eq!(world.metadata.schema(scope, id).await?, None);
        let refused = world.metadata.replace(scope, replacement(id, json!({}))?).await?;
        assert_eq!(refused, Replaced::Unknown);
    }
    assert_eq!(replace(world, tenant, replacement(organization, json!({}))?).await?.version, 2);
    Ok(())
}
