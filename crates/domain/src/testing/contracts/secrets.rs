//! Signing secrets.

use std::time::Duration;

use crate::audit::Action;
use crate::callback::SigningSecrets;
use crate::ids::OrganizationId;
use crate::ports::SetupError;
use crate::scope::{Reach, Scope};
use crate::secret::Secret;
use crate::testing::fixtures::{Ground, TestResult, add_organization, deed, fresh, moment};
use crate::testing::world::World;

fn secrets(current: &str, previous: Option<&str>) -> SigningSecrets {
    let secret = |text: &str| Secret::new(text.as_bytes().to_vec());
    SigningSecrets { current: secret(current), previous: previous.map(secret) }
}

/// The new one is in force at once, the old one until this second.
async fn rotate(
    world: &World,
    organization: OrganizationId,
    fresh: Secret<Vec<u8>>,
    until: u64,
) -> Result<bool, SetupError> {
    let (reach, deed) = (Reach::Everything, deed(moment(1)));
    world.signing.rotate_signing_secret(reach, organization, None, fresh, moment(until), deed).await
}

/// Both sign until the overlap is over, then only the new one.
pub async fn a_rotated_secret_overlaps_the_one_before(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let at = |second| {
        world.signing.show_signing_secrets(Reach::Everything, ground.organization, deed(moment(second)))
    };
    assert_eq!(at(1).await?, secrets("first secret", None));
    let fresh = Secret::new(b"second".to_vec());
    assert!(rotate(world, ground.organization, fresh, 100).await?);
    assert_eq!(at(99).await?, secrets("second", Some("first secret")));
    assert_eq!(at(100).await?, secrets("second", None));
    Ok(())
}

/// Two sign at a time, never three.
pub async fn a_second_rotation_forgets_the_oldest(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    for (text, until) in [("second", 500), ("third", 100)] {
        let fresh = Secret::new(text.as_bytes().to_vec());
        rotate(world, ground.organization, fresh, until).await?;
    }
    let at = |second| {
        world.signing.show_signing_secrets(Reach::Everything, ground.organization, deed(moment(second)))
    };
    assert_eq!(at(99).await?, secrets("third", Some("second")));
    assert_eq!(at(100).await?, secrets("third", None));
    Ok(())
}

/// Claimed now, signed with what is in force now.
pub async fn a_claim_brings_the_secrets_in_force(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let lease = Duration::from_secs(20);
    let (call, _) = ground.ended(world, moment(1)).await?;
    let fresh = Secret::new(b"second".to_vec());
    rotate(world, ground.organization, fresh, 100).await?;
    let claimed = world.callbacks.claim_fresh(ground.boot, call.id, moment(1), lease).await?;
    assert_eq!(claimed.ok_or("not ours")?.secrets, secrets("second", Some("first secret")));
    let later = world.callbacks.claim(ground.boot, moment(100), lease, &[], 9).await?;
    let seen: Vec<_> = later.into_iter().map(|one| one.secrets).collect();
    assert_eq!(seen, [secrets("second", None)]);
    Ok(())
}

/// Nothing to show, nothing to rotate; a deleted organization keeps its own, for callbacks that
/// are still due.
pub async fn an_unknown_organization_has_no_secrets(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let nobody = OrganizationId::from(fresh());
    let shown = world.signing.show_signing_secrets(Reach::Everything, nobody, deed(moment(1))).await;
    assert!(matches!(shown, Err(SetupError::Unknown("organization"))));
    let secret = Secret::new(vec![1]);
    let rotated = rotate(world, nobody, secret, 9).await;
    assert!(matches!(rotated, Err(SetupError::Unknown("organization"))));
    world.delete_organization(ground.organization, moment(1)).await?;
    let kept =
        world.signing.show_signing_secrets(Reach::Everything, ground.organization, deed(moment(2))).await?;
    assert_eq!(kept, secrets("first secret", None));
    Ok(())
}

/// Neither shown nor rotated from another tenant or organization; what was done within reach is noted.
pub async fn secrets_out_of_reach_are_as_missing(world: &World) -> TestResult {
    let (own, foreign) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    let sister = add_organization(world, own.tenant).await?;
    let secret = || Secret::new(vec![1]);
    for scope in [
        Scope::Tenant(foreign.tenant),
        Scope::Organization(own.tenant, sister),
        Scope::Organization(foreign.tenant, own.organization),
    ] {
        let reach = Reach::Within(scope);
        let shown = world.signing.show_signing_secrets(reach, own.organization, deed(moment(1))).await;
        assert!(matches!(shown, Err(SetupError::Unknown("organization"))));
        let rotated = world.signing.rotate_signing_secret(
            reach,
            own.organization,
            None,
            secret(),
            moment(9),
            deed(moment(1)),
        );
        assert!(matches!(rotated.await, Err(SetupError::Unknown("organization"))));
    }
    let reach = Reach::Within(own.scope());
    let deeds = [deed(moment(2)), deed(moment(3))];
    let [showing, rotating] = deeds.clone();
    let shown = world.signing.show_signing_secrets(reach, own.organization, showing).await?;
    assert_eq!(shown, secrets("first secret", None));
    let (id, until) = (own.organization, moment(9));
    assert!(world.signing.rotate_signing_secret(reach, id, None, secret(), until, rotating).await?);
    let mut told = world.audit.entries(own.scope(), None, None, 9).await?;
    told.retain(|entry| matches!(entry.action, Action::SecretShow | Action::SecretRotate));
    let told: Vec<_> = told.into_iter().map(|entry| (entry.action, entry.deed, entry.subject)).collect();
    let id = own.organization.to_string();
    let [showing, rotating] = deeds;
    assert_eq!(told, [(Action::SecretRotate, rotating, id.clone()), (Action::SecretShow, showing, id)]);
    Ok(())
}

/// Of many that replace the same secret one does; whoever names an older one does nothing.
pub async fn a_secret_is_replaced_once(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let reach = Reach::Within(ground.scope());
    let overview =
        async |second| world.signing.signing_overview(reach, ground.organization, moment(second)).await;
    let first = overview(1).await?;
    assert_eq!(first.previous_until, None);
    let replace = |text: &'static str| {
        let (fresh, until) = (Secret::new(text.as_bytes().to_vec()), moment(100));
        let (id, by) = (ground.organization, deed(moment(1)));
        world.signing.rotate_signing_secret(reach, id, Some(first.current), fresh, until, by)
    };
    let mut done = 0;
    for replaced in crate::testing::world::together(["a", "b", "c"].map(replace)).await {
        done += u32::from(replaced?);
    }
    assert_eq!(done, 1);
    assert!(!replace("d").await?);
    let second = overview(99).await?;
    assert!(second.current != first.current && second.previous_until == Some(moment(100)));
    assert_eq!(overview(100).await?.previous_until, None);
    let shown = world.signing.show_signing_secrets(reach, ground.organization, deed(moment(2))).await?;
    assert_eq!(shown.previous, secrets("first secret", None).current.into());
    let foreign = Reach::Within(Ground::lay(world, None).await?.scope());
    let hidden = world.signing.signing_overview(foreign, ground.organization, moment(1)).await;
    assert!(matches!(hidden, Err(SetupError::Unknown("organization"))));
    let fresh = Secret::new(vec![1]);
    let replaced = world.signing.rotate_signing_secret(
        foreign,
        ground.organization,
        Some(second.current),
        fresh,
        moment(9),
        deed(moment(1)),
    );
    assert!(matches!(replaced.await, Err(SetupError::Unknown("organization"))));
    Ok(())
}
