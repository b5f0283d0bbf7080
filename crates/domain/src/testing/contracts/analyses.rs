//! Claiming and settling analyses.

use std::collections::BTreeSet;
use std::time::Duration;

use super::call_records::everything;
use crate::call::{
    ANALYSIS_LEASE, Analysis, CallFacts, CallQuery, EndedReason, INTENT_BYTES, Sentiment, Speaker,
    TranscriptEntry,
};
use crate::ids::{BootId, CallId};
use crate::ports::{AnalysisSettled, DueAnalysis};
use crate::testing::LaidCall;
use crate::testing::fixtures::{Ground, TestResult, conclusion, dialog, fresh, moment};
use crate::testing::world::{World, together};

fn transcript() -> Vec<TranscriptEntry> {
    let entry =
        |at, who, text: &str| TranscriptEntry { at: Duration::from_millis(at), who, text: text.to_owned() };
    vec![entry(0, Speaker::Assistant, "Bonjour ü \"x\""), entry(1_234, Speaker::Customer, "[pressed 1]")]
}

fn found() -> Analysis {
    Analysis {
        intent: Some("book_appointment".to_owned()),
        sentiment: Some(Sentiment::Negative),
        outcome: Some("appointment_booked".to_owned()),
        summary: Some("She booked.".to_owned()),
        summary_fr: Some("Elle a réservé.".to_owned()),
        model: Some("model-1".to_owned()),
    }
}

fn done() -> AnalysisSettled {
    AnalysisSettled::Done(Box::new(found()))
}

/// A call that is over, and whose transcript was filed at that second.
async fn due(world: &World, ground: &Ground, second: u64) -> TestResult<CallId> {
    let (call, _) = ground.ended(world, moment(0)).await?;
    world.filing.file_transcript(call.id, &transcript(), &CallFacts::default(), moment(second)).await?;
    Ok(call.id)
}

async fn claim(world: &World, boot: BootId, second: u64) -> TestResult<Vec<(CallId, u16)>> {
    let claimed = world.analyses.claim_analyses(boot, moment(second), 9).await?;
    Ok(claimed.into_iter().map(|due| (due.call, due.tries)).collect())
}

/// Not while it goes on; then with all that an analysis needs.
pub async fn a_filed_call_is_due_once_it_is_over(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (call, fence) = ground.calling(world).await?;
    world.calls.answered(fence, dialog(ground.trunk.id, call.id), moment(3)).await?;
    let facts = CallFacts {
        forwarded_to: Some("reception".to_owned()),
        customer_active: true,
        ..CallFacts::default()
    };
    world.filing.file_transcript(call.id, &transcript(), &facts, moment(10)).await?;
    assert_eq!(claim(world, ground.boot, 10).await?, []);
    let reason = EndedReason::AssistantForwardedCall;
    world.calls.conclude(conclusion(&call, fence, reason, Some(moment(3)), moment(64))).await?;
    assert_eq!(claim(world, ground.boot, 9).await?, []);
    let claimed = world.analyses.claim_analyses(ground.boot, moment(10), 9).await?;
    let expected = DueAnalysis {
        call: call.id,
        boot: ground.boot,
        tries: 0,
        transcript: transcript(),
        facts,
        reason,
        duration: Some(61),
        language: ground.assistant.language,
        outcomes: ground.assistant.conduct.outcomes.clone(),
    };
    assert_eq!(claimed, [expected]);
    // One that no assistant of ours handled, and that was never answered.
    let laid = LaidCall {
        ended: Some(crate::call::Ended {
            reason: EndedReason::NoAnswer,
            started_at: None,
            ended_at: moment(5),
        }),
        ..LaidCall::bare(ground.tenant, ground.organization, 1)
    };
    world.lay(std::slice::from_ref(&laid)).await?;
    world.filing.file_transcript(laid.id, &[], &CallFacts::default(), moment(11)).await?;
    let claimed = world.analyses.claim_analyses(ground.boot, moment(11), 9).await?;
    let seen: Vec<_> = claimed.iter().map(|due| (due.call, due.reason, due.duration)).collect();
    assert_eq!(seen, [(laid.id, EndedReason::NoAnswer, None)]);
    Ok(())
}

/// Eight claims at once hand out each of thirty analyses exactly once.
pub async fn two_claimants_never_hold_the_same(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let other = ground.another_boot(world).await?;
    for made in together((0..30).map(|_| due(world, &ground, 1))).await {
        made?;
    }
    let boots = [ground.boot, other].into_iter().cycle().take(8);
    let claims = boots.map(|boot| world.analyses.claim_analyses(boot, moment(1), 5));
    let mut held = Vec::new();
    for claimed in together(claims).await {
        held.extend(claimed?);
    }
    held.extend(world.analyses.claim_analyses(other, moment(1), 50).await?);
    let calls: BTreeSet<_> = held.iter().map(|due| due.call).collect();
    assert_eq!((held.len(), calls.len()), (30, 30));
    Ok(())
}

/// Nobody's before, anybody's then; and the try that was cut off counts.
pub async fn a_lapsed_lease_is_claimed_again(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let call = due(world, &ground, 0).await?;
    let other = ground.another_boot(world).await?;
    let lease = ANALYSIS_LEASE.as_secs();
    assert_eq!(claim(world, ground.boot, 0).await?, [(call, 0)]);
    assert_eq!(claim(world, other, lease - 1).await?, []);
    assert_eq!(claim(world, ground.boot, lease - 1).await?, []);
    assert_eq!(claim(world, other, lease).await?, [(call, 1)]);
    assert_eq!(claim(world, other, 2 * lease).await?, [(call, 2)]);
    Ok(())
}

/// Whoever was too slow writes nothing, be it the same boot; the new holder's word counts, and only
/// once.
pub async fn a_lost_claim_settles_nothing(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let call = due(world, &ground, 0).await?;
    let other = ground.another_boot(world).await?;
    let lease = ANALYSIS_LEASE.as_secs();
    let settle = |boot, tries, settled| world.analyses.settle_analysis(call, boot, tries, settled);
    assert!(!settle(ground.boot, 0, done()).await?, "nobody has claimed it");
    claim(world, ground.boot, 0).await?;
    claim(world, ground.boot, lease).await?;
    assert!(!settle(ground.boot, 0, done()).await?);
    assert!(!settle(ground.boot, 0, AnalysisSettled::Again(moment(1))).await?);
    claim(world, other, 2 * lease).await?;
    assert!(!settle(ground.boot, 1, done()).await?);
    assert!(!settle(ground.boot, 2, done()).await?);
    let log = world.records.read(ground.scope(), call).await?.ok_or("not there")?;
    assert_eq!((log.summary, log.outcome), (None, None));
    assert!(settle(other, 2, done()).await?);
    assert!(!settle(other, 2, done()).await?);
    assert!(!settle(other, 2, AnalysisSettled::Again(moment(1))).await?);
    assert_eq!(claim(world, other, 99_999).await?, []);
    assert!(!world.analyses.settle_analysis(CallId::from(fresh()), other, 0, done()).await?);
    Ok(())
}

/// At once, whatever their lease; others keep theirs, and the try that was cut off counts.
pub async fn claims_of_boots_that_are_gone_are_freed(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (first, second) = (due(world, &ground, 0).await?, due(world, &ground, 1).await?);
    let (other, third) = (ground.another_boot(world).await?, ground.another_boot(world).await?);
    assert_eq!(claim(world, ground.boot, 0).await?, [(first, 0)]);
    assert_eq!(claim(world, other, 1).await?, [(second, 0)]);
    assert_eq!(world.analyses.release_analyses(&[]).await?, 0);
    assert_eq!(world.analyses.release_analyses(&[third]).await?, 0);
    assert_eq!(world.analyses.release_analyses(&[third, ground.boot]).await?, 1);
    assert!(!world.analyses.settle_analysis(first, ground.boot, 0, done()).await?);
    assert_eq!(claim(world, third, 1).await?, [(first, 1)]);
    assert!(world.analyses.settle_analysis(first, third, 1, done()).await?);
    assert_eq!(world.analyses.release_analyses(&[third]).await?, 0);
    assert_eq!(claim(world, third, 1).await?, []);
    Ok(())
}

/// Not before, and then by anybody.
pub async fn a_try_that_failed_is_repeated_when_it_is_due(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let call = due(world, &ground, 0).await?;
    let other = ground.another_boot(world).await?;
    claim(world, ground.boot, 0).await?;
    let again = AnalysisSettled::Again(moment(30));
    assert!(world.analyses.settle_analysis(call, ground.boot, 0, again).await?);
    assert_eq!(claim(world, ground.boot, 29).await?, []);
    assert_eq!(claim(world, other, 30).await?, [(call, 1)]);
    assert!(world.analyses.settle_analysis(call, other, 1, done()).await?);
    Ok(())
}

/// And no more than asked for.
pub async fn the_longest_due_come_first(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (third, first, second) =
        (due(world, &ground, 3).await?, due(world, &ground, 1).await?, due(world, &ground, 2).await?);
    let claim = async |most| -> TestResult<Vec<CallId>> {
        let claimed = world.analyses.claim_analyses(ground.boot, moment(3), most).await?;
        Ok(claimed.into_iter().map(|due| due.call).collect())
    };
    assert_eq!(claim(0).await?, []);
    assert_eq!(claim(1).await?, [first]);
    assert_eq!(claim(9).await?, [second, third]);
    Ok(())
}

/// All of it at once, and by its intent in a list; from facts alone, what there is.
pub async fn what_was_found_out_is_shown_and_found(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (read, bare) = (due(world, &ground, 0).await?, due(world, &ground, 0).await?);
    claim(world, ground.boot, 0).await?;
    assert!(world.analyses.settle_analysis(read, ground.boot, 0, done()).await?);
    let facts_only = Analysis { summary: Some("Nobody.".to_owned()), ..Analysis::default() };
    let settled = AnalysisSettled::Done(Box::new(facts_only));
    assert!(world.analyses.settle_analysis(bare, ground.boot, 0, settled).await?);
    let log = world.records.read(ground.scope(), read).await?.ok_or("not there")?;
    let shown = (log.user_primary_intent, log.outcome, log.summary, log.summary_fr);
    assert_eq!(shown, (found().intent, found().outcome, found().summary, found().summary_fr));
    assert_eq!(log.user_sentiment.as_deref(), Some("negative"));
    let log = world.records.read(ground.scope(), bare).await?.ok_or("not there")?;
    assert_eq!(log.summary.as_deref(), Some("Nobody."));
    let rest = (log.user_primary_intent, log.user_sentiment, log.outcome, log.summary_fr);
    assert_eq!(rest, (None, None, None, None));
    for (intent, expected) in [("BOOK_appointment", Some(read)), ("book", None)] {
        let query =
            CallQuery { user_primary_intent: Some(intent.to_owned()), ..everything(ground.organization) };
        let page = world.records.page(ground.scope(), &query).await?.ok_or("not listed")?;
        let listed: Vec<_> = page.items.iter().map(|item| item.id).collect();
        assert_eq!(listed, expected.into_iter().collect::<Vec<_>>(), "{intent}");
    }
    Ok(())
}

/// Between characters, to what an index can hold.
pub async fn a_long_intent_is_cut(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let call = due(world, &ground, 0).await?;
    claim(world, ground.boot, 0).await?;
    let intent = Some(format!("a{}", "é".repeat(INTENT_BYTES)));
    let settled = AnalysisSettled::Done(Box::new(Analysis { intent, ..found() }));
    assert!(world.analyses.settle_analysis(call, ground.boot, 0, settled).await?);
    let log = world.records.read(ground.scope(), call).await?.ok_or("not there")?;
    let kept = format!("a{}", "é".repeat((INTENT_BYTES - 1) / 2));
    assert_eq!(log.user_primary_intent, Some(kept));
    Ok(())
}
