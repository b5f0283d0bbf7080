//! Filing what calls leave.

use std::time::Duration;

use crate::call::{ArtifactKey, ArtifactKind, CallFacts, Speaker, TranscriptEntry};
use crate::ids::CallId;
use crate::ports::Owner;
use crate::testing::LaidCall;
use crate::testing::fixtures::{Ground, TestResult, fresh, moment};
use crate::testing::world::{World, together};

fn said(text: &str) -> Vec<TranscriptEntry> {
    let entry = |at, who| TranscriptEntry { at: Duration::from_millis(at), who, text: text.to_owned() };
    vec![entry(0, Speaker::Assistant), entry(1_234, Speaker::Customer)]
}

/// Live, over, or never placed from here: and it is theirs who own the call.
pub async fn a_transcript_is_filed_for_the_owner_of_its_call(world: &World) -> TestResult {
    let (one, other) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    let laid = LaidCall::bare(other.tenant, other.organization, 1);
    world.lay(std::slice::from_ref(&laid)).await?;
    for (ground, call) in [
        (&one, one.calling(world).await?.0.id),
        (&other, other.ended(world, moment(1)).await?.0.id),
        (&other, laid.id),
    ] {
        let owner = Owner { tenant: ground.tenant, organization: ground.organization };
        let filed =
            world.filing.file_transcript(call, &said("ü \"x\""), &CallFacts::default(), moment(2)).await?;
        assert_eq!(filed, Some(owner));
    }
    Ok(())
}

/// Nothing is filed under a call that is not there.
pub async fn an_unknown_call_has_no_owner(world: &World) -> TestResult {
    Ground::lay(world, None).await?;
    let call = CallId::from(fresh());
    for _ in 0..2 {
        let filed = world.filing.file_transcript(call, &said("x"), &CallFacts::default(), moment(1)).await?;
        assert_eq!(filed, None);
        world.filing.file_artifact(call, ArtifactKind::Recording, 1, moment(1)).await?;
    }
    Ok(())
}

/// Once or often, one after the other or at once, after a crash too.
pub async fn filing_again_is_answered_alike(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (call, _) = ground.calling(world).await?;
    let owner = Owner { tenant: ground.tenant, organization: ground.organization };
    let file = async |turn: u64| -> TestResult {
        let facts = CallFacts { customer_active: turn == 0, ..CallFacts::default() };
        let transcript = said(&format!("turn {turn}"));
        let filed = world.filing.file_transcript(call.id, &transcript, &facts, moment(turn)).await?;
        assert_eq!(filed, Some(owner));
        for kind in ArtifactKind::ALL {
            world.filing.file_artifact(call.id, kind, turn, moment(turn)).await?;
        }
        Ok(())
    };
    file(0).await?;
    for done in together((1..9).map(file)).await {
        done?;
    }
    Ok(())
}

/// What a callee says or a model writes cannot make a call unfilable.
pub async fn whatever_was_said_can_be_filed(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let awkward = "\0 \u{FFFF} \u{202E} \\u0000 {\"a\": 1} '; DROP TABLE calls; -- \u{1F600}";
    let facts = CallFacts {
        forwarded_to: Some(awkward.to_owned()),
        forwarding_failed: Some(awkward.to_owned()),
        outcome_named: Some("\0".to_owned()),
        ..CallFacts::default()
    };
    for transcript in [said(awkward), said(&awkward.repeat(10_000)), Vec::new()] {
        let (call, _) = ground.calling(world).await?;
        assert!(world.filing.file_transcript(call.id, &transcript, &facts, moment(1)).await?.is_some());
        world.filing.file_artifact(call.id, ArtifactKind::Transcript, 0, moment(1)).await?;
    }
    Ok(())
}

/// None at first, then each from its filing on; of other calls nothing.
pub async fn a_call_shows_which_artifacts_are_stored(world: &World) -> TestResult {
    let (one, other) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    let laid = LaidCall::bare(other.tenant, other.organization, 1);
    world.lay(std::slice::from_ref(&laid)).await?;
    for (ground, call) in [(&one, one.calling(world).await?.0.id), (&other, laid.id)] {
        let (tenant, organization) = (ground.tenant, ground.organization);
        let key = |kind| ArtifactKey { tenant, organization, call, kind };
        let shown = async || -> TestResult<Vec<ArtifactKey>> {
            Ok(world.records.read(ground.scope(), call).await?.ok_or("not read")?.artifacts)
        };
        assert_eq!(shown().await?, []);
        world.filing.file_artifact(call, ArtifactKind::Transcript, 7, moment(2)).await?;
        assert_eq!(shown().await?, [key(ArtifactKind::Transcript)]);
        world.filing.file_artifact(call, ArtifactKind::Recording, 0, moment(3)).await?;
        assert_eq!(shown().await?, ArtifactKind::ALL.map(key));
    }
    Ok(())
}
