//! Creating organizations and replacing their metadata, on the store in memory.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use application::create_organization::{CreateOrganization, CreatedOrganization};
use application::replace_metadata::{ReplaceMetadata, ReplaceMetadataError};
use async_trait::async_trait;
use domain::idempotency::{IdempotencyKey, Once};
use domain::ids::{NewId, SchemaId, TenantId};
use domain::metadata::{SchemaOwner, StoredSchema};
use domain::organization::{Organization, Profile, Tenant, Timezone};
use domain::ports::{
    CannotJudge, Entropy, Judgement, Organizations, SchemaJudge, Signing, StoredSchemas, Tenants,
};
use domain::schema::{Broken, Mismatch, Reason, UnsafeSchema};
use domain::scope::{Reach, Scope};
use domain::testing::{InMemory, deed, moment};
use serde_json::{Map, Value, json};

/// Other bytes with each draw.
#[derive(Default)]
struct Draws(AtomicU8);

impl Entropy for Draws {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(self.0.fetch_add(1, Ordering::SeqCst) + 1);
    }
}

/// Looks for the members that a schema requires. Meanwhile somebody puts another schema in force,
/// so many times, which requires `new`.
struct Meddled {
    store: InMemory,
    tenant: TenantId,
    changes: AtomicUsize,
    judged: AtomicUsize,
    broken: bool,
}

#[async_trait]
impl SchemaJudge for Meddled {
    async fn examine(&self, _document: Value) -> Result<(), UnsafeSchema> {
        Ok(())
    }

    async fn judge(
        &self,
        schema: StoredSchema,
        metadata: Map<String, Value>,
    ) -> Result<Judgement, CannotJudge> {
        if self.broken {
            return Err(CannotJudge("out of order".into()));
        }
        let judged = self.judged.fetch_add(1, Ordering::SeqCst);
        if judged < self.changes.load(Ordering::SeqCst) {
            let id = NewId::at(moment(0), [u8::try_from(judged).unwrap(); 10]).into();
            let owner = SchemaOwner::Tenant(self.tenant);
            let document = json!({"type": "object", "required": ["new"]});
            self.store.put(Reach::Everything, owner, id, document, None, deed(moment(0))).await.unwrap();
        }
        let required = schema.document["required"].as_array().cloned().unwrap_or_default();
        let missing = required.iter().find(|name| !metadata.contains_key(name.as_str().unwrap()));
        let breaks = |name: &Value| {
            let problems = vec![(String::new(), Broken::Required(name.to_string()))];
            let words = format!("{name} is missing");
            Judgement::Breaks(Mismatch { reason: Reason::At { problems, more: 0 }, words })
        };
        Ok(missing.map_or(Judgement::Fits, breaks))
    }
}

struct Desk {
    store: InMemory,
    tenant: TenantId,
    create: CreateOrganization,
}

impl Desk {
    async fn open() -> Self {
        let store = InMemory::new();
        let tenant = NewId::at(moment(0), [7; 10]).into();
        let name = "Acme".to_owned();
        store.add_tenant(Tenant { id: tenant, name, created_at: moment(0) }, deed(moment(0))).await.unwrap();
        let create = CreateOrganization {
            organizations: Arc::new(store.clone()),
            entropy: Arc::new(Draws::default()),
        };
        Self { store, tenant, create }
    }

    async fn organization(&self) -> Organization {
        match self.create.create(self.tenant, profile("North"), deed(moment(0)), None).await.unwrap() {
            CreatedOrganization::Fresh(organization) => organization,
            other => panic!("{other:?}"),
        }
    }

    fn judge(&self, changes: usize) -> Meddled {
        Meddled {
            store: self.store.clone(),
            tenant: self.tenant,
            changes: AtomicUsize::new(changes),
            judged: AtomicUsize::new(0),
            broken: false,
        }
    }

    fn replace(&self, judge: Arc<Meddled>) -> ReplaceMetadata {
        ReplaceMetadata { records: Arc::new(self.store.clone()), judge }
    }
}

fn profile(name: &str) -> Profile {
    let text = |text: &str| text.to_owned();
    Profile {
        name: text(name),
        email: text("desk@clinic.example"),
        image: None,
        address: text("1 Main St"),
        city: text("Halifax"),
        state_province: text("NS"),
        postal_code: text("B3H 1A1"),
        country: text("CA"),
        phone_number: text("902-555-0100"),
        timezone: Timezone::parse("America/Halifax").unwrap(),
        external_id: None,
    }
}

fn data(name: &str) -> Map<String, Value> {
    Map::from_iter([(name.to_owned(), json!(1))])
}

#[tokio::test]
async fn an_organization_belongs_to_its_maker_and_has_a_secret_of_its_own() {
    let desk = Desk::open().await;
    let (one, other) = (desk.organization().await, desk.organization().await);
    assert_ne!(one.id, other.id);
    for maker in [&one.owner_id, &one.created_by] {
        assert_eq!(maker, "operator");
    }
    assert_eq!((one.created_at, one.updated_at), (moment(0), moment(0)));
    assert_eq!((&one.last_modified_by, one.deleted_at), (&None, None));
    let found = desk.store.read(Scope::Tenant(desk.tenant), one.id).await.unwrap().unwrap();
    assert_eq!(found.current, one);
    let shown = async |id| desk.store.show_signing_secrets(Reach::Everything, id, deed(moment(0))).await;
    let secret_of = async |id| shown(id).await.unwrap().current.reveal().clone();
    assert_eq!(secret_of(one.id).await.len(), 32);
    assert_ne!(secret_of(one.id).await, secret_of(other.id).await);
}

#[tokio::test]
async fn a_repeated_creation_answers_with_the_first_and_another_one_is_told() {
    let desk = Desk::open().await;
    let once = |fingerprint| {
        let key = IdempotencyKey::parse("again").unwrap();
        Some(Once { scope: Scope::Tenant(desk.tenant), key, fingerprint: [fingerprint; 32] })
    };
    let create =
        async |once| desk.create.create(desk.tenant, profile("North"), deed(moment(0)), once).await.unwrap();
    let CreatedOrganization::Fresh(first) = create(once(1)).await else { panic!("not fresh") };
    assert_eq!(create(once(1)).await, CreatedOrganization::Replayed(first));
    assert_eq!(create(once(2)).await, CreatedOrganization::KeyTaken);
}

#[tokio::test]
async fn metadata_that_fits_becomes_the_next_version_and_any_other_is_refused_with_the_reason() {
    let desk = Desk::open().await;
    let id = desk.organization().await.id;
    let replace = desk.replace(Arc::new(desk.judge(0)));
    let record =
        replace.replace(Scope::Tenant(desk.tenant), id, data("a"), None, deed(moment(0))).await.unwrap();
    assert_eq!((record.version, record.organization, &record.metadata), (2, id, &data("a")));
    assert_eq!((record.created_by.as_str(), record.created_at), ("operator", moment(0)));
    let schema: SchemaId = NewId::at(moment(0), [1; 10]).into();
    let owner = SchemaOwner::Organization(id);
    desk.store
        .put(Reach::Everything, owner, schema, json!({"required": ["b"]}), None, deed(moment(0)))
        .await
        .unwrap();
    let refused =
        replace.replace(Scope::Tenant(desk.tenant), id, data("a"), None, deed(moment(0))).await.unwrap_err();
    assert!(
        matches!(&refused, ReplaceMetadataError::Breaks(reason) if reason.words == "\"b\" is missing"),
        "{refused:?}"
    );
    assert_eq!(
        replace
            .replace(Scope::Tenant(desk.tenant), id, data("b"), None, deed(moment(0)))
            .await
            .unwrap()
            .version,
        3
    );
}

#[tokio::test]
async fn metadata_is_judged_again_when_another_schema_came_into_force_meanwhile() {
    let desk = Desk::open().await;
    let id = desk.organization().await.id;
    let judge = Arc::new(desk.judge(2));
    let record = desk
        .replace(judge.clone())
        .replace(Scope::Tenant(desk.tenant), id, data("new"), None, deed(moment(0)))
        .await
        .unwrap();
    assert_eq!((record.version, judge.judged.load(Ordering::SeqCst)), (2, 3));
    let judge = Arc::new(desk.judge(0));
    let refused =
        desk.replace(judge).replace(Scope::Tenant(desk.tenant), id, data("old"), None, deed(moment(0))).await;
    assert!(matches!(refused, Err(ReplaceMetadataError::Breaks(_))), "{refused:?}");
}

#[tokio::test]
async fn a_schema_that_never_rests_is_given_up() {
    let desk = Desk::open().await;
    let id = desk.organization().await.id;
    let judge = Arc::new(desk.judge(usize::MAX));
    let refused = desk
        .replace(judge.clone())
        .replace(Scope::Tenant(desk.tenant), id, data("new"), None, deed(moment(0)))
        .await;
    assert!(matches!(refused, Err(ReplaceMetadataError::SchemaKeepsChanging)), "{refused:?}");
    assert_eq!(judge.judged.load(Ordering::SeqCst), 5);
}

#[tokio::test]
async fn unknown_foreign_and_deleted_organizations_have_no_metadata_and_a_broken_judge_is_told() {
    let desk = Desk::open().await;
    let id = desk.organization().await.id;
    let replace = desk.replace(Arc::new(desk.judge(0)));
    let unknown = NewId::at(moment(0), [99; 10]);
    let deleted = desk.organization().await.id;
    assert!(desk.store.remove(Reach::Everything, deleted, deed(moment(0))).await.unwrap());
    for (tenant, id) in [(desk.tenant, unknown.into()), (unknown.into(), id), (desk.tenant, deleted)] {
        let refused = replace.replace(Scope::Tenant(tenant), id, data("a"), None, deed(moment(0))).await;
        assert!(matches!(refused, Err(ReplaceMetadataError::NotFound)), "{refused:?}");
    }
    let broken = Arc::new(Meddled { broken: true, ..desk.judge(0) });
    let refused =
        desk.replace(broken).replace(Scope::Tenant(desk.tenant), id, data("a"), None, deed(moment(0))).await;
    assert!(matches!(refused, Err(ReplaceMetadataError::CannotJudge(_))), "{refused:?}");
}
