//! The schemas that metadata records have to match.

use serde_json::{Value, json};

use crate::ids::{OrganizationId, SchemaId, TenantId};
use crate::metadata::{SchemaOwner, StoredSchema};
use crate::ports::{ReviseError, SetupError};
use crate::scope::{Reach, Scope};
use crate::testing::fixtures::{TestResult, add_organization, add_tenant, deed, fresh, moment};
use crate::testing::world::{World, together};

async fn put(world: &World, owner: SchemaOwner, document: Value) -> TestResult<StoredSchema> {
    let id = SchemaId::from(fresh());
    world.schemas.put(Reach::Everything, owner, id, document.clone(), None, deed(moment(1))).await?;
    Ok(StoredSchema { id: Some(id), document })
}

/// What both sides say.
async fn in_force(world: &World, tenant: TenantId, organization: OrganizationId) -> TestResult<StoredSchema> {
    let schema =
        world.metadata.schema(Scope::Tenant(tenant), organization).await?.ok_or("no such organization")?;
    assert_eq!(world.schemas.get(Reach::Everything, SchemaOwner::Organization(organization)).await?, schema);
    Ok(schema)
}

/// Any object fits at first; then what the tenant's schema says, then what the organization's own.
pub async fn a_tenants_schema_counts_until_the_organization_has_its_own(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let (one, other) = (add_organization(world, tenant).await?, add_organization(world, tenant).await?);
    let (whole, owner) = (SchemaOwner::Tenant(tenant), SchemaOwner::Organization(one));
    assert_eq!(in_force(world, tenant, one).await?, StoredSchema::any_object());
    assert_eq!(world.schemas.get(Reach::Everything, whole).await?, StoredSchema::any_object());
    let general = put(world, whole, json!({ "type": "object", "title": "ü", "maxProperties": 2 })).await?;
    assert_eq!(world.schemas.get(Reach::Everything, whole).await?, general);
    for organization in [one, other] {
        assert_eq!(in_force(world, tenant, organization).await?, general);
    }
    let own = put(world, owner, json!(true)).await?;
    assert_eq!(in_force(world, tenant, one).await?, own);
    assert_eq!(in_force(world, tenant, other).await?, general);
    let general = put(world, whole, json!({ "maxProperties": 9 })).await?;
    assert_eq!(in_force(world, tenant, one).await?, own);
    assert_eq!(in_force(world, tenant, other).await?, general);
    let own = put(world, owner, json!({})).await?;
    assert_eq!(in_force(world, tenant, one).await?, own);
    assert_eq!(world.schemas.get(Reach::Everything, whole).await?, general);
    Ok(())
}

/// One of many that are put at once is in force.
pub async fn an_owner_has_one_schema(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let organization = add_organization(world, tenant).await?;
    for owner in [SchemaOwner::Tenant(tenant), SchemaOwner::Organization(organization)] {
        let rush = together((0..8).map(|count| put(world, owner, json!({ "minProperties": count })))).await;
        let put = rush.into_iter().collect::<TestResult<Vec<_>>>()?;
        assert!(put.contains(&world.schemas.get(Reach::Everything, owner).await?));
    }
    Ok(())
}

/// Of another tenant, of a deleted organization, or of nobody.
pub async fn a_schema_needs_a_live_owner_and_stays_with_it(world: &World) -> TestResult {
    let (tenant, foreign) = (add_tenant(world).await?, add_tenant(world).await?);
    let (theirs, deleted) = (add_organization(world, foreign).await?, add_organization(world, tenant).await?);
    put(world, SchemaOwner::Tenant(tenant), json!({ "maxProperties": 1 })).await?;
    assert_eq!(in_force(world, foreign, theirs).await?, StoredSchema::any_object());
    assert_eq!(
        world.schemas.get(Reach::Everything, SchemaOwner::Tenant(foreign)).await?,
        StoredSchema::any_object()
    );
    world.organizations.remove(Reach::Within(Scope::Tenant(tenant)), deleted, deed(moment(1))).await?;
    for (owner, what) in [
        (SchemaOwner::Tenant(TenantId::from(fresh())), "tenant"),
        (SchemaOwner::Organization(OrganizationId::from(fresh())), "organization"),
        (SchemaOwner::Organization(deleted), "organization"),
    ] {
        let id = SchemaId::from(fresh());
        let put = world.schemas.put(Reach::Everything, owner, id, json!({}), None, deed(moment(2))).await;
        assert!(matches!(put, Err(ReviseError::Unknown(named)) if named == what), "{owner:?}");
        let got = world.schemas.get(Reach::Everything, owner).await;
        assert!(matches!(got, Err(SetupError::Unknown(named)) if named == what), "{owner:?}");
    }
    Ok(())
}

/// Neither another tenant's, nor another organization's, nor the whole tenant's to whoever has but
/// one organization of it.
pub async fn a_schema_out_of_reach_is_as_missing(world: &World) -> TestResult {
    let (tenant, foreign) = (add_tenant(world).await?, add_tenant(world).await?);
    let (one, other) = (add_organization(world, tenant).await?, add_organization(world, tenant).await?);
    let (whole, own) = (SchemaOwner::Tenant(tenant), SchemaOwner::Organization(one));
    for (scope, owner, reached) in [
        (Scope::Tenant(tenant), whole, true),
        (Scope::Tenant(tenant), own, true),
        (Scope::Organization(tenant, one), own, true),
        (Scope::Organization(tenant, one), whole, false),
        (Scope::Organization(tenant, other), own, false),
        (Scope::Organization(foreign, one), own, false),
        (Scope::Tenant(foreign), own, false),
        (Scope::Tenant(foreign), whole, false),
    ] {
        let (reach, id) = (Reach::Within(scope), SchemaId::from(fresh()));
        let before = world.schemas.get(Reach::Everything, owner).await?;
        let put = world.schemas.put(reach, owner, id, json!({}), None, deed(moment(3))).await;
        let got = world.schemas.get(reach, owner).await;
        if reached {
            put?;
            assert_eq!(got?.id, Some(id), "{scope:?} {owner:?}");
        } else {
            assert!(matches!(put, Err(ReviseError::Unknown(_))), "{scope:?} {owner:?}");
            assert!(matches!(got, Err(SetupError::Unknown(_))), "{scope:?} {owner:?}");
            assert_eq!(world.schemas.get(Reach::Everything, owner).await?, before);
        }
    }
    Ok(())
}
