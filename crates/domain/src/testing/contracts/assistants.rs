//! Assistants, as the operator keeps them.

use url::Url;

use crate::assistant::{Assistant, Brain, CredentialName, Engine, ProviderKey, ProviderRole};
use crate::audit::Action;
use crate::ids::{AssistantId, OrganizationId, TenantId};
use crate::page::PageRequest;
use crate::ports::{ReviseError, SetupError};
use crate::scope::{Reach, Scope};
use crate::secret::Secret;
use crate::testing::fixtures::{
    Ground, TestResult, add_organization, assistant, bare, cascade, deed, fresh, moment, realtime, stored,
};
use crate::testing::world::World;

fn secret(key: &str) -> Secret<String> {
    Secret::new(key.to_owned())
}

async fn listed(world: &World, organization: OrganizationId) -> Result<Vec<Assistant>, SetupError> {
    let page = PageRequest { number: 1, size: 100 };
    world.assistants.assistants_of(Reach::Everything, organization, page).await
}

async fn revise(world: &World, revised: Assistant) -> Result<Assistant, ReviseError> {
    world.assistants.revise_assistant(Reach::Everything, revised, None, deed(moment(1))).await
}

async fn give_key(
    world: &World,
    id: AssistantId,
    role: Option<ProviderRole>,
    key: Option<Secret<String>>,
) -> Result<Assistant, SetupError> {
    world.assistants.set_provider_key(Reach::Everything, id, role, key, deed(moment(1))).await
}

fn keys(assistant: &Assistant) -> Vec<ProviderKey> {
    assistant.providers().into_iter().map(|(_, provider)| provider.key.clone()).collect()
}

/// The same assistant, thinking at another address and without a key of its own.
fn moved(assistant: &Assistant, endpoint: &str) -> TestResult<Assistant> {
    let mut moved = assistant.clone();
    moved.set_provider_key(None, None);
    if let Engine::Agent(agent) = &mut moved.engine {
        let endpoint = Url::parse(endpoint)?;
        match &mut agent.brain {
            Brain::Realtime(realtime) => realtime.provider.endpoint = endpoint,
            Brain::Cascade(cascade) => cascade.chat.endpoint = endpoint,
        }
    }
    Ok(moved)
}

/// An AI assistant whose key is a credential of the operator.
fn with_credential(tenant: TenantId, organization: OrganizationId) -> TestResult<Assistant> {
    let mut made = bare(tenant, organization)?;
    if let Engine::Agent(agent) = &mut made.engine
        && let Brain::Realtime(realtime) = &mut agent.brain
    {
        let name = CredentialName::parse("openai").ok_or("no name")?;
        realtime.provider.key = ProviderKey::Credential(name);
    }
    Ok(made)
}

/// Script, agent, keys, conduct and all; a call finds it just so.
pub async fn every_kind_of_assistant_comes_back_as_stored(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (tenant, organization) = (ground.tenant, ground.organization);
    for made in [
        assistant(tenant, organization),
        realtime(tenant, organization)?,
        cascade(tenant, organization)?,
        bare(tenant, organization)?,
        with_credential(tenant, organization)?,
    ] {
        world.add_assistant(made.clone()).await?;
        assert_eq!(world.assistants.assistant(Reach::Everything, made.id).await?.as_ref(), Some(&made));
        let found = world.directory.placeable(ground.scope(), made.id, ground.number.id).await?;
        assert_eq!(found.ok_or("not found")?.assistant, made);
    }
    assert_eq!(world.assistants.assistant(Reach::Everything, AssistantId::from(fresh())).await?, None);
    Ok(())
}

/// By name and then by age; a deleted organization's are still shown.
pub async fn the_assistants_of_an_organization_are_listed_by_name(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (tenant, organization) = (ground.tenant, ground.organization);
    let sister = add_organization(world, tenant).await?;
    world.add_assistant(assistant(tenant, sister)).await?;
    let named = |name: &str, of: Assistant| Assistant { name: name.to_owned(), ..of };
    let last = named("écho", realtime(tenant, organization)?);
    let first = named("Ada", cascade(tenant, organization)?);
    let lower = named("ada", bare(tenant, organization)?);
    for one in [&last, &first, &lower] {
        world.add_assistant(one.clone()).await?;
    }
    let all = vec![first, ground.assistant.clone(), lower, last];
    assert_eq!(listed(world, organization).await?, all);
    world.delete_organization(organization, moment(5)).await?;
    assert_eq!(listed(world, organization).await?, all);
    let empty = add_organization(world, tenant).await?;
    assert_eq!(listed(world, empty).await?, Vec::new());
    let unknown = listed(world, OrganizationId::from(fresh())).await;
    assert!(matches!(unknown, Err(SetupError::Unknown("organization"))));
    Ok(())
}

/// Another engine, name, team; but whose it is and when it was made stay as they were.
pub async fn a_revision_replaces_all_but_the_owner(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let own = ground.assistant.clone();
    let sister = add_organization(world, ground.tenant).await?;
    let neighbour = assistant(ground.tenant, ground.organization);
    world.add_assistant(neighbour.clone()).await?;
    let mut all = [
        realtime(ground.tenant, ground.organization)?,
        cascade(ground.tenant, ground.organization)?,
        bare(ground.tenant, ground.organization)?,
        assistant(ground.tenant, ground.organization),
    ];
    for (number, revised) in all.iter_mut().enumerate() {
        revised.id = own.id;
        revised.name = format!("Ada {number}");
        revised.team = revised.team.take().map(|team| format!("{team} {number}"));
        let foreign = Assistant {
            tenant: TenantId::from(fresh()),
            organization: sister,
            created_at: moment(9),
            ..revised.clone()
        };
        assert_eq!(&revise(world, foreign).await?, revised);
        assert_eq!(world.assistants.assistant(Reach::Everything, own.id).await?.as_ref(), Some(&*revised));
    }
    assert_eq!(world.assistants.assistant(Reach::Everything, neighbour.id).await?, Some(neighbour));
    Ok(())
}

/// A key belongs to a host: it stays while the host stays, and is never told to another.
pub async fn a_stored_key_stays_until_the_endpoint_goes_elsewhere(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    for (made, near, far) in [
        (
            realtime(ground.tenant, ground.organization)?,
            "wss://voice.example.com/v2",
            "wss://voice.example.com:444/v2",
        ),
        (
            cascade(ground.tenant, ground.organization)?,
            "https://chat.example.com/v2",
            "http://chat.example.com/v2",
        ),
    ] {
        world.add_assistant(made.clone()).await?;
        let key = keys(&made).into_iter().next();
        let kept = revise(world, moved(&made, near)?).await?;
        assert_eq!(keys(&kept).into_iter().next(), key);
        assert_eq!(world.assistants.assistant(Reach::Everything, made.id).await?.as_ref(), Some(&kept));
        // A variable is the file's own word, and is not kept when the file drops it.
        assert!(!keys(&kept).iter().any(|key| matches!(key, ProviderKey::Variable(_))));
        let gone = revise(world, moved(&made, far)?).await?;
        assert_eq!(keys(&gone).into_iter().next(), Some(ProviderKey::None));
        assert_eq!(gone.keys_lost_since(&kept).len(), 1);
        assert!(kept.keys_lost_since(&made).is_empty());
        let back = revise(world, moved(&made, near)?).await?;
        assert_eq!(keys(&back).into_iter().next(), Some(ProviderKey::None));
        let mut anew = moved(&made, far)?;
        anew.set_provider_key(None, Some(&secret("a second key")));
        assert_eq!(revise(world, anew.clone()).await?, anew);
    }
    Ok(())
}

/// One provider, or all of them; nothing else changes, and a script has none.
pub async fn a_provider_is_given_a_key_and_loses_it(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let made = cascade(ground.tenant, ground.organization)?;
    world.add_assistant(made.clone()).await?;
    let give = |role, key| give_key(world, made.id, role, key);
    let (chat, hearing, voice) =
        ("https://chat.example.com", "http://127.0.0.1:8000", "https://tts.example.com");
    let variable = ProviderKey::Variable("TTS_KEY".to_owned());
    let heard = give(Some(ProviderRole::Transcription), Some(secret("a"))).await?;
    assert_eq!(keys(&heard), [stored("chat key", chat)?, stored("a", hearing)?, variable]);
    // Each is bound to the origin of its own endpoint.
    let (first, second, third) = (stored("b", chat)?, stored("b", hearing)?, stored("b", voice)?);
    assert_eq!(keys(&give(None, Some(secret("b"))).await?), [first, second.clone(), third.clone()]);
    let lost = give(Some(ProviderRole::Chat), None).await?;
    assert_eq!(keys(&lost), [ProviderKey::None, second, third]);
    assert_eq!(world.assistants.assistant(Reach::Everything, made.id).await?, Some(lost));
    give(Some(ProviderRole::Transcription), None).await?;
    give(Some(ProviderRole::Chat), Some(secret("chat key"))).await?;
    assert_eq!(revise(world, made.clone()).await?, made);

    let other = give(Some(ProviderRole::Realtime), Some(secret("c"))).await;
    assert!(matches!(other, Err(SetupError::Unknown("provider"))));
    let script = give_key(world, ground.assistant.id, None, Some(secret("c"))).await;
    assert!(matches!(script, Err(SetupError::Unknown("provider"))));
    assert_eq!(world.assistants.assistant(Reach::Everything, made.id).await?, Some(made));
    assert_eq!(
        world.assistants.assistant(Reach::Everything, ground.assistant.id).await?,
        Some(ground.assistant)
    );
    Ok(())
}

/// Neither an unknown one, nor one of a deleted organization.
pub async fn only_a_live_organizations_assistant_is_changed(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let own = realtime(ground.tenant, ground.organization)?;
    world.add_assistant(own.clone()).await?;
    let unknown = realtime(ground.tenant, ground.organization)?;
    world.delete_organization(ground.organization, moment(5)).await?;
    for one in [&own, &unknown] {
        let changed = Assistant { name: "Other".to_owned(), ..one.clone() };
        let revised = revise(world, changed).await;
        assert!(matches!(revised, Err(ReviseError::Unknown("assistant"))));
        let given = give_key(world, one.id, None, Some(secret("x"))).await;
        assert!(matches!(given, Err(SetupError::Unknown("assistant"))));
    }
    assert_eq!(world.assistants.assistant(Reach::Everything, own.id).await?, Some(own));
    assert_eq!(world.assistants.assistant(Reach::Everything, unknown.id).await?, None);
    Ok(())
}

/// Neither listed, changed nor called with; the calls that it has had keep naming it.
pub async fn a_retired_assistant_places_no_calls(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (call, _) = ground.calling(world).await?;
    let (own, reach) = (ground.assistant.clone(), Reach::Everything);
    assert!(world.assistants.retire_assistant(reach, own.id, deed(moment(2))).await?);
    assert!(!world.assistants.retire_assistant(reach, own.id, deed(moment(3))).await?);
    assert!(world.directory.placeable(ground.scope(), own.id, ground.number.id).await?.is_none());
    assert_eq!(world.assistants.assistant(reach, own.id).await?, None);
    assert_eq!(listed(world, ground.organization).await?, []);
    assert!(matches!(revise(world, own.clone()).await, Err(ReviseError::Unknown("assistant"))));
    let given = give_key(world, own.id, None, Some(secret("x"))).await;
    assert!(matches!(given, Err(SetupError::Unknown("assistant"))));
    let record = world.records.read(ground.scope(), call.id).await?.ok_or("no record")?;
    assert_eq!(record.listing.agent, Some((own.id, own.name)));
    Ok(())
}

/// Page by page they make up the list.
pub async fn many_assistants_are_listed_page_by_page(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    for _ in 0..4 {
        world.add_assistant(assistant(ground.tenant, ground.organization)).await?;
    }
    let mut paged = Vec::new();
    for number in 1..=4 {
        let page = PageRequest { number, size: 2 };
        paged.extend(world.assistants.assistants_of(Reach::Everything, ground.organization, page).await?);
    }
    assert_eq!((paged.len(), paged), (5, listed(world, ground.organization).await?));
    Ok(())
}

/// Another tenant's and another organization's; what is done within reach is noted.
pub async fn assistants_out_of_reach_are_as_missing(world: &World) -> TestResult {
    let (own, foreign) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    let sister = add_organization(world, own.tenant).await?;
    let made = cascade(own.tenant, own.organization)?;
    let (id, page) = (made.id, PageRequest { number: 1, size: 9 });
    world.add_assistant(made.clone()).await?;
    for scope in [
        Scope::Tenant(foreign.tenant),
        Scope::Organization(own.tenant, sister),
        Scope::Organization(foreign.tenant, own.organization),
    ] {
        let (reach, by) = (Reach::Within(scope), deed(moment(1)));
        assert_eq!(world.assistants.assistant(reach, id).await?, None, "{scope:?}");
        let listed = world.assistants.assistants_of(reach, own.organization, page).await;
        assert!(matches!(listed, Err(SetupError::Unknown("organization"))), "{scope:?}");
        let late = assistant(own.tenant, own.organization);
        let added = world.assistants.add_assistant(reach, late, by.clone()).await;
        assert!(matches!(added, Err(SetupError::Unknown("organization"))), "{scope:?}");
        let revised = world.assistants.revise_assistant(reach, made.clone(), None, by.clone()).await;
        assert!(matches!(revised, Err(ReviseError::Unknown("assistant"))), "{scope:?}");
        let given = world.assistants.set_provider_key(reach, id, None, Some(secret("x")), by.clone()).await;
        assert!(matches!(given, Err(SetupError::Unknown("assistant"))), "{scope:?}");
        assert!(!world.assistants.retire_assistant(reach, id, by).await?, "{scope:?}");
    }
    assert_eq!(world.assistants.assistant(Reach::Everything, id).await?.as_ref(), Some(&made));
    let reach = Reach::Within(own.scope());
    let late = Assistant { name: "late".to_owned(), ..bare(own.tenant, own.organization)? };
    world.assistants.add_assistant(reach, late.clone(), deed(moment(11))).await?;
    world.assistants.revise_assistant(reach, late.clone(), None, deed(moment(12))).await?;
    world.assistants.set_provider_key(reach, late.id, None, Some(secret("x")), deed(moment(13))).await?;
    assert!(world.assistants.retire_assistant(reach, late.id, deed(moment(14))).await?);
    let mut entries = world.audit.entries(own.scope(), None, None, 4).await?;
    entries.retain(|entry| entry.subject == late.id.to_string() && entry.name.as_deref() == Some("late"));
    let told: Vec<_> = entries.iter().map(|entry| (entry.action, entry.deed.at)).collect();
    assert_eq!(
        told,
        [
            (Action::AssistantDelete, moment(14)),
            (Action::ProviderKeySet, moment(13)),
            (Action::AssistantUpdate, moment(12)),
            (Action::AssistantCreate, moment(11)),
        ]
    );
    Ok(())
}
