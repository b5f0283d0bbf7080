//! Assistants, as the operator keeps them.

use url::Url;

use crate::assistant::{Assistant, Brain, Engine, ProviderKey, ProviderRole};
use crate::ids::{AssistantId, OrganizationId, TenantId};
use crate::ports::ProvisioningError;
use crate::secret::Secret;
use crate::testing::fixtures::{
    Ground, TestResult, add_organization, assistant, bare, cascade, fresh, moment, realtime,
};
use crate::testing::world::World;

fn stored(key: &str) -> ProviderKey {
    ProviderKey::Stored(Secret::new(key.to_owned()))
}

fn keys(assistant: &Assistant) -> Vec<ProviderKey> {
    assistant.providers().into_iter().map(|(_, provider)| provider.key.clone()).collect()
}

/// The same assistant, thinking at another address and without a key of its own.
fn moved(assistant: &Assistant, endpoint: &str) -> TestResult<Assistant> {
    let mut moved = assistant.clone();
    moved.set_provider_key(None, &ProviderKey::None);
    if let Engine::Agent(agent) = &mut moved.engine {
        let endpoint = Url::parse(endpoint)?;
        match &mut agent.brain {
            Brain::Realtime(realtime) => realtime.provider.endpoint = endpoint,
            Brain::Cascade(cascade) => cascade.chat.endpoint = endpoint,
        }
    }
    Ok(moved)
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
    ] {
        world.provisioning.add_assistant(made.clone()).await?;
        assert_eq!(world.provisioning.assistant(made.id).await?.as_ref(), Some(&made));
        let found = world.directory.placeable(ground.scope(), made.id, ground.number.id).await?;
        assert_eq!(found.ok_or("not found")?.assistant, made);
    }
    assert_eq!(world.provisioning.assistant(AssistantId::from(fresh())).await?, None);
    Ok(())
}

/// By name and then by age; a deleted organization's are still shown.
pub async fn the_assistants_of_an_organization_are_listed_by_name(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (tenant, organization) = (ground.tenant, ground.organization);
    let sister = add_organization(world, tenant).await?;
    world.provisioning.add_assistant(assistant(tenant, sister)).await?;
    let named = |name: &str, of: Assistant| Assistant { name: name.to_owned(), ..of };
    let last = named("écho", realtime(tenant, organization)?);
    let first = named("Ada", cascade(tenant, organization)?);
    let lower = named("ada", bare(tenant, organization)?);
    for one in [&last, &first, &lower] {
        world.provisioning.add_assistant(one.clone()).await?;
    }
    let all = vec![first, ground.assistant.clone(), lower, last];
    assert_eq!(world.provisioning.assistants_of(organization).await?, all);
    world.provisioning.delete_organization(organization, moment(5)).await?;
    assert_eq!(world.provisioning.assistants_of(organization).await?, all);
    let empty = add_organization(world, tenant).await?;
    assert_eq!(world.provisioning.assistants_of(empty).await?, Vec::new());
    let unknown = world.provisioning.assistants_of(OrganizationId::from(fresh())).await;
    assert!(matches!(unknown, Err(ProvisioningError::Unknown("organization"))));
    Ok(())
}

/// Another engine, name, team; but whose it is and when it was made stay as they were.
pub async fn a_revision_replaces_all_but_the_owner(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let own = ground.assistant.clone();
    let sister = add_organization(world, ground.tenant).await?;
    let neighbour = assistant(ground.tenant, ground.organization);
    world.provisioning.add_assistant(neighbour.clone()).await?;
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
        assert_eq!(&world.provisioning.revise_assistant(foreign).await?, revised);
        assert_eq!(world.provisioning.assistant(own.id).await?.as_ref(), Some(&*revised));
    }
    assert_eq!(world.provisioning.assistant(neighbour.id).await?, Some(neighbour));
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
        world.provisioning.add_assistant(made.clone()).await?;
        let key = keys(&made).into_iter().next();
        let kept = world.provisioning.revise_assistant(moved(&made, near)?).await?;
        assert_eq!(keys(&kept).into_iter().next(), key);
        assert_eq!(world.provisioning.assistant(made.id).await?.as_ref(), Some(&kept));
        // A variable is the file's own word, and is not kept when the file drops it.
        assert!(!keys(&kept).iter().any(|key| matches!(key, ProviderKey::Variable(_))));
        let gone = world.provisioning.revise_assistant(moved(&made, far)?).await?;
        assert_eq!(keys(&gone).into_iter().next(), Some(ProviderKey::None));
        let back = world.provisioning.revise_assistant(moved(&made, near)?).await?;
        assert_eq!(keys(&back).into_iter().next(), Some(ProviderKey::None));
        let mut anew = moved(&made, far)?;
        anew.set_provider_key(None, &stored("a second key"));
        assert_eq!(world.provisioning.revise_assistant(anew.clone()).await?, anew);
    }
    Ok(())
}

/// One provider, or all of them; nothing else changes, and a script has none.
pub async fn a_provider_is_given_a_key_and_loses_it(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let made = cascade(ground.tenant, ground.organization)?;
    world.provisioning.add_assistant(made.clone()).await?;
    let give = |role, key| world.provisioning.set_provider_key(made.id, role, key);
    let variable = || ProviderKey::Variable("TTS_KEY".to_owned());
    let heard = give(Some(ProviderRole::Transcription), stored("a")).await?;
    assert_eq!(keys(&heard), [stored("chat key"), stored("a"), variable()]);
    assert_eq!(keys(&give(None, stored("b")).await?), [stored("b"), stored("b"), stored("b")]);
    let lost = give(Some(ProviderRole::Chat), ProviderKey::None).await?;
    assert_eq!(keys(&lost), [ProviderKey::None, stored("b"), stored("b")]);
    assert_eq!(world.provisioning.assistant(made.id).await?, Some(lost));
    give(Some(ProviderRole::Transcription), ProviderKey::None).await?;
    give(Some(ProviderRole::Chat), stored("chat key")).await?;
    assert_eq!(give(Some(ProviderRole::Speech), variable()).await?, made);

    let other = give(Some(ProviderRole::Realtime), stored("c")).await;
    assert!(matches!(other, Err(ProvisioningError::Unknown("provider"))));
    let script = world.provisioning.set_provider_key(ground.assistant.id, None, stored("c")).await;
    assert!(matches!(script, Err(ProvisioningError::Unknown("provider"))));
    assert_eq!(world.provisioning.assistant(made.id).await?, Some(made));
    assert_eq!(world.provisioning.assistant(ground.assistant.id).await?, Some(ground.assistant));
    Ok(())
}

/// Neither an unknown one, nor one of a deleted organization.
pub async fn only_a_live_organizations_assistant_is_changed(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let own = realtime(ground.tenant, ground.organization)?;
    world.provisioning.add_assistant(own.clone()).await?;
    let unknown = realtime(ground.tenant, ground.organization)?;
    world.provisioning.delete_organization(ground.organization, moment(5)).await?;
    for one in [&own, &unknown] {
        let changed = Assistant { name: "Other".to_owned(), ..one.clone() };
        let revised = world.provisioning.revise_assistant(changed).await;
        assert!(matches!(revised, Err(ProvisioningError::Unknown("assistant"))));
        let given = world.provisioning.set_provider_key(one.id, None, stored("x")).await;
        assert!(matches!(given, Err(ProvisioningError::Unknown("assistant"))));
    }
    assert_eq!(world.provisioning.assistant(own.id).await?, Some(own));
    assert_eq!(world.provisioning.assistant(unknown.id).await?, None);
    Ok(())
}
