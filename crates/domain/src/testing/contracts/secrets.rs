//! Signing secrets.

use std::time::Duration;

use crate::callback::SigningSecrets;
use crate::ids::OrganizationId;
use crate::ports::ProvisioningError;
use crate::secret::Secret;
use crate::testing::fixtures::{Ground, TestResult, fresh, moment};
use crate::testing::world::World;

fn secrets(current: &str, previous: Option<&str>) -> SigningSecrets {
    let secret = |text: &str| Secret::new(text.as_bytes().to_vec());
    SigningSecrets { current: secret(current), previous: previous.map(secret) }
}

/// Both sign until the overlap is over, then only the new one.
pub async fn a_rotated_secret_overlaps_the_one_before(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let at = |second| world.provisioning.signing_secrets(ground.organization, moment(second));
    assert_eq!(at(1).await?, secrets("first secret", None));
    let fresh = Secret::new(b"second".to_vec());
    world.provisioning.rotate_signing_secret(ground.organization, fresh, moment(100)).await?;
    assert_eq!(at(99).await?, secrets("second", Some("first secret")));
    assert_eq!(at(100).await?, secrets("second", None));
    Ok(())
}

/// Two sign at a time, never three.
pub async fn a_second_rotation_forgets_the_oldest(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    for (text, until) in [("second", 500), ("third", 100)] {
        let fresh = Secret::new(text.as_bytes().to_vec());
        world.provisioning.rotate_signing_secret(ground.organization, fresh, moment(until)).await?;
    }
    let at = |second| world.provisioning.signing_secrets(ground.organization, moment(second));
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
    world.provisioning.rotate_signing_secret(ground.organization, fresh, moment(100)).await?;
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
    let shown = world.provisioning.signing_secrets(nobody, moment(1)).await;
    assert!(matches!(shown, Err(ProvisioningError::Unknown("organization"))));
    let secret = Secret::new(vec![1]);
    let rotated = world.provisioning.rotate_signing_secret(nobody, secret, moment(9)).await;
    assert!(matches!(rotated, Err(ProvisioningError::Unknown("organization"))));
    world.provisioning.delete_organization(ground.organization, moment(1)).await?;
    let kept = world.provisioning.signing_secrets(ground.organization, moment(2)).await?;
    assert_eq!(kept, secrets("first secret", None));
    Ok(())
}
