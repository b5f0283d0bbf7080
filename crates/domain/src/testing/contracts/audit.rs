//! The audit log.

use std::net::IpAddr;

use serde_json::json;
use time::OffsetDateTime;

use crate::audit::{Action, Actor, AuditEntry, Deed};
use crate::ids::{AuditId, KeyId, OrganizationId, SchemaId, TenantId, UserId};
use crate::metadata::SchemaOwner;
use crate::scope::{Reach, Scope};
use crate::testing::fixtures::{TestResult, add_organization, add_tenant, deed, fresh, moment};
use crate::testing::world::World;

/// Does something that is noted; any other change would do.
async fn change(world: &World, owner: SchemaOwner, deed: Deed) -> TestResult<SchemaId> {
    let id = SchemaId::from(fresh());
    world.schemas.put(Reach::Everything, owner, id, json!({}), None, deed).await?;
    Ok(id)
}

/// What schemas were put, the newest first.
async fn changes(
    world: &World,
    scope: Scope,
    organization: Option<OrganizationId>,
    before: Option<AuditId>,
) -> TestResult<Vec<AuditEntry>> {
    let mut entries = world.audit.entries(scope, organization, before, 100).await?;
    entries.retain(|entry| entry.action == Action::SchemaPut);
    Ok(entries)
}

/// A tenant and two organizations of it.
async fn family(world: &World) -> TestResult<(TenantId, OrganizationId, OrganizationId)> {
    let tenant = add_tenant(world).await?;
    Ok((tenant, add_organization(world, tenant).await?, add_organization(world, tenant).await?))
}

/// A user with the address of the time, a key, the operator; over IPv4 and IPv6, or from here.
pub async fn an_entry_tells_who_did_what_when_and_from_where(world: &World) -> TestResult {
    let (tenant, organization, _) = family(world).await?;
    let (v4, v6) = (IpAddr::from([192, 0, 2, 7]), "2001:db8::7".parse()?);
    let at = moment(9) + std::time::Duration::from_micros(1);
    for (actor, from, owner) in [
        (Actor::User(fresh().into(), "zoë@clinic.example".to_owned()), Some(v4), None),
        (Actor::Key(KeyId::from(fresh())), Some(v6), Some(organization)),
        (Actor::Operator, None, Some(organization)),
    ] {
        let deed = Deed { actor, from, at };
        let (owner, name) = match owner {
            Some(id) => (SchemaOwner::Organization(id), "North Clinic"),
            None => (SchemaOwner::Tenant(tenant), "Acme"),
        };
        let earlier = changes(world, Scope::Tenant(tenant), None, None).await?;
        let schema = change(world, owner, deed.clone()).await?;
        let mut entries = changes(world, Scope::Tenant(tenant), None, None).await?;
        entries.retain(|entry| !earlier.contains(entry));
        let expected: Vec<_> = entries
            .iter()
            .map(|entry| AuditEntry {
                id: entry.id,
                tenant,
                organization: match owner {
                    SchemaOwner::Organization(id) => Some(id),
                    SchemaOwner::Tenant(_) => None,
                },
                deed: deed.clone(),
                action: Action::SchemaPut,
                subject: schema.to_string(),
                name: Some(name.to_owned()),
            })
            .collect();
        assert_eq!((entries.len(), &entries), (1, &expected));
    }
    Ok(())
}

/// Each once, also those of one moment; an unknown entry has none before it.
pub async fn entries_are_read_newest_first_page_by_page(world: &World) -> TestResult {
    let (tenant, organization, _) = family(world).await?;
    let owner = SchemaOwner::Organization(organization);
    let mut made: Vec<(OffsetDateTime, String)> = Vec::new();
    for second in [5, 3, 3, 3, 9, 5] {
        let id = change(world, owner, deed(moment(second))).await?;
        made.push((moment(second), id.to_string()));
    }
    let scope = Scope::Organization(tenant, organization);
    let mut read = Vec::new();
    let mut before = None;
    loop {
        let page = world.audit.entries(scope, None, before, 2).await?;
        assert!(page.len() <= 2);
        let Some(last) = page.last() else { break };
        before = Some(last.id);
        read.extend(page);
    }
    read.retain(|entry| entry.action == Action::SchemaPut);
    let order: Vec<_> = read.iter().map(|entry| (entry.deed.at, entry.id)).collect();
    let mut sorted = order.clone();
    sorted.sort_by_key(|place| std::cmp::Reverse(*place));
    assert_eq!(order, sorted);
    let mut read: Vec<_> = read.into_iter().map(|entry| (entry.deed.at, entry.subject)).collect();
    read.sort();
    made.sort();
    assert_eq!(read, made);
    let unknown = Some(AuditId::from(fresh()));
    assert_eq!(world.audit.entries(scope, None, unknown, 9).await?, []);
    Ok(())
}

/// Of another tenant, of another organization, and of the whole tenant for whoever has one of it.
pub async fn entries_out_of_scope_do_not_exist(world: &World) -> TestResult {
    let (tenant, one, other) = family(world).await?;
    let (foreign, theirs, _) = family(world).await?;
    let mut made = Vec::new();
    for (second, owner) in [
        SchemaOwner::Tenant(tenant),
        SchemaOwner::Organization(one),
        SchemaOwner::Organization(other),
        SchemaOwner::Tenant(foreign),
        SchemaOwner::Organization(theirs),
    ]
    .into_iter()
    .enumerate()
    {
        made.push(change(world, owner, deed(moment(second.try_into()?))).await?.to_string());
    }
    let [whole, first, second, foreign_whole, foreign_first] = made.as_slice() else { unreachable!() };
    for (scope, organization, expected) in [
        (Scope::Tenant(tenant), None, vec![second, first, whole]),
        (Scope::Tenant(tenant), Some(one), vec![first]),
        (Scope::Tenant(tenant), Some(theirs), vec![]),
        (Scope::Organization(tenant, one), None, vec![first]),
        (Scope::Organization(tenant, one), Some(one), vec![first]),
        (Scope::Organization(tenant, one), Some(other), vec![]),
        (Scope::Organization(tenant, theirs), None, vec![]),
        (Scope::Tenant(foreign), None, vec![foreign_first, foreign_whole]),
    ] {
        let seen = changes(world, scope, organization, None).await?;
        let seen: Vec<_> = seen.iter().map(|entry| &entry.subject).collect();
        assert_eq!(seen, expected, "{scope:?} {organization:?}");
    }
    // Nor do they as the place from where to read on, although all of these have entries before them.
    let last = async |scope, organization| {
        let newest = changes(world, scope, organization, None).await?;
        TestResult::Ok(newest.first().map(|entry| entry.id))
    };
    let sister = last(Scope::Tenant(tenant), Some(other)).await?;
    let stranger = last(Scope::Tenant(foreign), None).await?;
    assert!(sister.is_some() && stranger.is_some());
    for (scope, organization, before) in [
        (Scope::Tenant(tenant), None, stranger),
        (Scope::Tenant(tenant), Some(one), sister),
        (Scope::Organization(tenant, one), None, sister),
        (Scope::Organization(tenant, one), None, stranger),
    ] {
        let seen = world.audit.entries(scope, organization, before, 9).await?;
        assert_eq!(seen, [], "{scope:?} {organization:?}");
    }
    Ok(())
}

/// A change that was refused leaves no entry.
pub async fn what_was_not_done_is_not_noted(world: &World) -> TestResult {
    let (tenant, one, other) = family(world).await?;
    let reach = Reach::Within(Scope::Organization(tenant, other));
    let owner = SchemaOwner::Organization(one);
    let by = Deed { actor: Actor::User(UserId::from(fresh()), "a@b.example".into()), ..deed(moment(1)) };
    assert!(world.schemas.put(reach, owner, fresh().into(), json!({}), None, by).await.is_err());
    assert_eq!(changes(world, Scope::Tenant(tenant), None, None).await?, []);
    Ok(())
}
