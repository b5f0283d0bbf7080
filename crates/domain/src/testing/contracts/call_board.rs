//! The board of calls, the story of each, and the prints by which they are watched.

use std::time::Duration;

use super::call_lists::{Past, lay};
use super::call_records::everything;
use crate::audit::{Actor, Deed};
use crate::call::{
    Analysis, ArtifactKind, BoardCall, BoardQuery, CallFacts, CallOrder, CallQuery, CallState, CallStatus,
    CallType, ChartBounds, EndedReason, FinalAnswer, Outcomes, Provenance, ReportState, Speaker,
    TranscriptEntry,
};
use crate::ids::{CallId, KeyId, OrganizationId};
use crate::page::PageRequest;
use crate::ports::{
    Acceptance, AnalysisSettled, ClaimedAgain, DeliveryTry, Dispatch, Settled, StoreUnavailable, TryOutcome,
    TryRecord, Watched,
};
use crate::scope::Scope;
use crate::testing::LaidCall;
use crate::testing::fixtures::{Ground, TestResult, add_organization, conclusion, dialog, fresh, moment};
use crate::testing::world::World;

fn all_of(organization: OrganizationId) -> BoardQuery {
    BoardQuery { calls: everything(organization), status: None, chart: None }
}

fn state_of(call: &LaidCall) -> CallState {
    let answered = call.answered_at().is_some();
    call.ended.map_or(CallState::without_leg(answered), |ended| CallState::ended(ended.reason, answered))
}

impl Past {
    /// The whole list, with how each call stands.
    fn board(&self, query: &BoardQuery) -> Vec<(CallId, CallState)> {
        let state =
            |id: &CallId| self.calls.iter().find(|(call, _)| call.id == *id).map(|(call, _)| state_of(call));
        let found = self.search(&query.calls).into_iter().filter_map(|id| Some((id, state(&id)?)));
        found.filter(|(_, state)| query.status.is_none_or(|status| status == state.status())).collect()
    }

    fn count(&self, query: &CallQuery, fits: impl Fn(&LaidCall) -> bool) -> Outcomes {
        let mut outcomes = Outcomes::default();
        let found = self.search(query);
        for (call, _) in self.calls.iter().filter(|(call, _)| found.contains(&call.id) && fits(call)) {
            outcomes.add(state_of(call).status(), 1);
        }
        outcomes
    }
}

/// With every other filter and in every order, on a first page and on a later one.
pub async fn every_status_is_listed_and_counted(world: &World) -> TestResult {
    let past = lay(world, 150).await?;
    let organization = past.ground.organization;
    let days = |days: u64| moment(0) + Duration::from_hours(24 * days);
    let spans = [
        (None, None),
        (Some(moment(1_799)), Some(moment(1_801))),
        (Some(moment(700)), Some(days(100))),
        (Some(days(3)), None),
        (None, Some(days(70) + Duration::from_millis(1))),
        (Some(moment(2)), Some(moment(1))),
    ];
    let narrowed = [
        (None, None, None),
        (Some(CallType::Web), None, None),
        (None, Some("recept"), None),
        (Some(CallType::Inbound), Some("É"), None),
        (None, None, Some("BOOK")),
        (Some(CallType::Outbound), Some("nobody"), Some("Annulé")),
    ];
    let statuses = [None].into_iter().chain(CallStatus::ALL.map(Some));
    let mut number = 0;
    for status in statuses {
        for order in [CallOrder::Newest, CallOrder::Oldest, CallOrder::Longest, CallOrder::Shortest] {
            for (from, to) in spans {
                for (call_type, agent_name, intent) in narrowed {
                    number = number % 2 + 1;
                    let calls = CallQuery {
                        page: PageRequest { number, size: 9 },
                        call_type,
                        agent_name: agent_name.map(str::to_owned),
                        user_primary_intent: intent.map(str::to_owned),
                        from,
                        to,
                        order,
                        ..everything(organization)
                    };
                    let query = BoardQuery { calls, status, chart: None };
                    check(world, &past, &query).await?;
                }
            }
        }
    }
    Ok(())
}

async fn check(world: &World, past: &Past, query: &BoardQuery) -> TestResult {
    let board = world.board.board(past.ground.scope(), query).await?.ok_or("no board")?;
    let expected = past.board(query);
    let page = query.calls.page;
    let (before, size) = (usize::try_from(page.offset())?, usize::try_from(page.size)?);
    let shown: Vec<_> = board.calls.items.iter().map(|call| (call.log.listing.id, call.state)).collect();
    let expected_page: Vec<_> = expected.iter().copied().skip(before).take(size).collect();
    assert_eq!((shown, board.calls.total), (expected_page, u64::try_from(expected.len())?), "{query:?}");
    let counted = CallQuery { agent_name: None, user_primary_intent: None, ..query.calls.clone() };
    assert_eq!(board.outcomes, past.count(&counted, |_| true), "{query:?}");
    assert_eq!(board.chart, []);
    Ok(())
}

/// Hours, the days of two zones, and months; whatever the span, and before and after folding.
pub async fn bars_hold_the_calls_of_their_time(world: &World) -> TestResult {
    let past = lay(world, 120).await?;
    let first = moment(0) - Duration::from_mins(30) * 19;
    let every =
        |step: Duration, bars: u32, start| (0..=bars).map(|bar| start + step * bar).collect::<Vec<_>>();
    let (hour, day) = (Duration::from_hours(1), Duration::from_hours(24));
    let charts = [
        every(hour, 48, first),
        // Of Newfoundland, and of Halifax.
        every(day, 100, first + Duration::from_mins(210)),
        every(day, 62, first + 4 * hour),
        every(31 * day, 5, first + 4 * hour),
        every(Duration::from_mins(30), 60, first),
    ];
    for folded in [false, true] {
        for bounds in &charts {
            for call_type in [None, Some(CallType::Web)] {
                let chart = Some(ChartBounds::new(bounds.clone()).ok_or("no bounds")?);
                let anytime = CallQuery { call_type, ..everything(past.ground.organization) };
                let calls = CallQuery { from: Some(moment(0)), to: Some(moment(5)), ..anytime.clone() };
                let query = BoardQuery { calls, status: Some(CallStatus::Busy), chart };
                let board = world.board.board(past.ground.scope(), &query).await?.ok_or("no board")?;
                let expected: Vec<_> = bounds
                    .iter()
                    .zip(bounds.iter().skip(1))
                    .map(|(first, next)| {
                        past.count(&anytime, |call| (first..next).contains(&&call.created_at))
                    })
                    .collect();
                assert_eq!(board.chart, expected, "{folded} {bounds:?}");
            }
        }
        while world.housekeeping.fold_call_counts().await? {}
    }
    Ok(())
}

async fn seen(world: &World, ground: &Ground, call: CallId) -> TestResult<BoardCall> {
    let board = world.board.board(ground.scope(), &all_of(ground.organization)).await?.ok_or("no board")?;
    let listed = board.calls.items.into_iter().find(|seen| seen.log.listing.id == call);
    let listed = listed.ok_or("not on the board")?;
    let story = world.board.story(ground.scope(), call).await?.ok_or("no story")?;
    assert_eq!(listed, story.call);
    assert_eq!(board.outcomes.of(listed.state.status()), 1);
    assert_eq!(board.outcomes.total(), 1);
    let log = world.records.read(ground.scope(), call).await?.ok_or("no log")?;
    assert_eq!(listed.log, log);
    Ok(listed)
}

/// From dialling to its end; on the board, in its story and in what is counted alike.
pub async fn a_call_is_seen_as_it_stands(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (call, fence) = ground.calling(world).await?;
    assert_eq!(seen(world, &ground, call.id).await?.state, CallState::Dialling);
    world.calls.ringing(fence, moment(1)).await?;
    assert_eq!(seen(world, &ground, call.id).await?.state, CallState::Ringing);
    world.calls.answered(fence, dialog(ground.trunk.id, call.id), moment(2)).await?;
    assert_eq!(seen(world, &ground, call.id).await?.state, CallState::Connected);
    let reason = EndedReason::ManuallyEnded;
    world.calls.conclude(conclusion(&call, fence, reason, Some(moment(2)), moment(9))).await?;
    for _ in 0..2 {
        let ended = seen(world, &ground, call.id).await?;
        assert_eq!((ended.state, ended.log.ended_reason), (CallState::Completed, Some(reason)));
        while world.housekeeping.fold_call_counts().await? {}
    }
    for (reason, state) in [
        (EndedReason::CustomerBusy, CallState::Busy),
        (EndedReason::NoAnswer, CallState::NoAnswer),
        (EndedReason::ManuallyEnded, CallState::Failed),
    ] {
        let ground = Ground::lay(world, None).await?;
        let (call, fence) = ground.calling(world).await?;
        world.calls.conclude(conclusion(&call, fence, reason, None, moment(9))).await?;
        assert_eq!(seen(world, &ground, call.id).await?.state, state);
    }
    Ok(())
}

/// By every filter, both ways, in steps of any length.
pub async fn a_list_is_gone_through_once_and_in_order(world: &World) -> TestResult {
    let past = lay(world, 60).await?;
    let of_all = everything(past.ground.organization);
    let narrowed = [
        of_all.clone(),
        CallQuery { call_type: Some(CallType::Web), ..of_all.clone() },
        CallQuery { from: Some(moment(1_000)), to: Some(moment(5_000_000)), ..of_all.clone() },
        CallQuery { agent_name: Some("e".to_owned()), ..of_all.clone() },
        CallQuery { user_primary_intent: Some("book".to_owned()), ..of_all.clone() },
        CallQuery { agent_name: Some("nobody".to_owned()), ..of_all },
    ];
    for calls in narrowed {
        for status in [None, Some(CallStatus::Completed), Some(CallStatus::Calling)] {
            for order in [CallOrder::Newest, CallOrder::Oldest, CallOrder::Longest] {
                let query = BoardQuery { calls: CallQuery { order, ..calls.clone() }, status, chart: None };
                // There is no going through by length.
                let by = if order == CallOrder::Oldest { order } else { CallOrder::Newest };
                let plain = BoardQuery { calls: CallQuery { order: by, ..calls.clone() }, ..query.clone() };
                let expected = past.board(&plain);
                for limit in [7, 1_000] {
                    let gone = go_through(world, past.ground.scope(), &query, limit).await?;
                    assert_eq!(gone, expected, "{query:?}");
                }
            }
        }
    }
    Ok(())
}

async fn go_through(
    world: &World,
    scope: Scope,
    query: &BoardQuery,
    limit: u32,
) -> TestResult<Vec<(CallId, CallState)>> {
    let (mut gone, mut after) = (Vec::new(), None);
    loop {
        let step = world.board.through(scope, query, after, limit).await?.ok_or("no list")?;
        assert!(step.len() <= usize::try_from(limit)?);
        let Some(last) = step.last() else { return Ok(gone) };
        after = Some(last.cursor());
        gone.extend(step.iter().map(|call| (call.log.listing.id, call.state)));
    }
}

/// More of them than a step has.
pub async fn calls_of_one_moment_are_gone_through_too(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let calls: Vec<_> = (0..10).map(|_| LaidCall::bare(ground.tenant, ground.organization, 5)).collect();
    world.lay(&calls).await?;
    for order in [CallOrder::Newest, CallOrder::Oldest] {
        let query = BoardQuery {
            calls: CallQuery { order, ..everything(ground.organization) },
            ..all_of(ground.organization)
        };
        let mut gone = go_through(world, ground.scope(), &query, 3).await?;
        let mut ids: Vec<_> = calls.iter().map(|call| call.id).collect();
        ids.sort_unstable();
        if order == CallOrder::Newest {
            gone.reverse();
        }
        assert_eq!(gone.into_iter().map(|(id, _)| id).collect::<Vec<_>>(), ids);
    }
    Ok(())
}

/// Neither of another tenant nor of another organization; a deleted one's stays.
pub async fn a_foreign_board_does_not_exist(world: &World) -> TestResult {
    let (own, foreign) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    let sister = add_organization(world, own.tenant).await?;
    let (call, _) = own.ended(world, moment(1)).await?;
    let query = all_of(own.organization);
    for scope in [
        foreign.scope(),
        Scope::Tenant(foreign.tenant),
        Scope::Organization(own.tenant, sister),
        Scope::Organization(foreign.tenant, own.organization),
    ] {
        assert_eq!(world.board.board(scope, &query).await?, None, "{scope:?}");
        assert_eq!(world.board.through(scope, &query, None, 5).await?, None, "{scope:?}");
        assert_eq!(world.board.story(scope, call.id).await?, None, "{scope:?}");
    }
    assert_eq!(world.board.story(own.scope(), CallId::from(fresh())).await?, None);
    let unknown = all_of(OrganizationId::from(fresh()));
    assert_eq!(world.board.board(Scope::Tenant(own.tenant), &unknown).await?, None);
    let empty = world.board.board(Scope::Tenant(own.tenant), &all_of(sister)).await?.ok_or("no board")?;
    assert_eq!((empty.calls.total, empty.outcomes), (0, Outcomes::default()));
    assert_eq!(world.board.through(Scope::Tenant(own.tenant), &all_of(sister), None, 5).await?, Some(vec![]));
    world.delete_organization(own.organization, moment(2)).await?;
    for scope in [own.scope(), Scope::Tenant(own.tenant)] {
        let board = world.board.board(scope, &query).await?.ok_or("no board")?;
        assert_eq!((board.calls.total, board.outcomes.no_answer), (1, 1));
        assert!(world.board.story(scope, call.id).await?.is_some());
    }
    Ok(())
}

/// From acceptance to the last try of its callback and to its analysis.
pub async fn a_story_grows_with_its_call(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (call, fence) = ground.calling(world).await?;
    let story = async || -> TestResult<_> {
        Ok(world.board.story(ground.scope(), call.id).await?.ok_or("no story")?)
    };
    let dialling = story().await?;
    let dialled = dialling.dialled.clone().ok_or("not dialled")?;
    assert_eq!((dialled.trunk.as_str(), dialled.rang_at), ("main", None));
    assert_eq!(
        (dialling.answer, dialling.callback, dialling.account, dialling.analysis),
        (None, None, None, None)
    );
    world.calls.ringing(fence, moment(3)).await?;
    world.calls.ringing(fence, moment(4)).await?;
    assert_eq!(story().await?.dialled.ok_or("not dialled")?.rang_at, Some(moment(3)));
    world.calls.answered(fence, dialog(ground.trunk.id, call.id), moment(5)).await?;
    let answer = FinalAnswer { code: 487, phrase: "Request <Terminated>".to_owned() };
    let mut end = conclusion(&call, fence, EndedReason::CustomerEndedCall, Some(moment(5)), moment(9));
    end.answer = Some(answer.clone());
    world.calls.conclude(end).await?;
    let ended = story().await?;
    assert_eq!(ended.dialled.ok_or("not dialled")?.rang_at, Some(moment(3)));
    assert_eq!(ended.answer, Some(answer));
    let report = ended.callback.ok_or("no report")?;
    assert_eq!((report.state, report.tries), (ReportState::Due(moment(9)), vec![]));
    assert_eq!(report.url, "https://receiver.example.com/hook?a=b");

    let lease = Duration::from_secs(20);
    let outcomes = [
        TryOutcome::TimedOut,
        TryOutcome::Broken("no route".to_owned()),
        TryOutcome::Refused("loopback".to_owned()),
        TryOutcome::Answered(503),
    ];
    let mut tries = Vec::new();
    for (number, outcome) in (0..).zip(outcomes) {
        let at = moment(10 + u64::from(number));
        let claimed = world.callbacks.claim(ground.boot, moment(999), lease, &[], 1).await?;
        assert_eq!(claimed.len(), 1);
        let record = TryRecord { began_at: at, took: Duration::from_millis(70), outcome };
        tries.push(DeliveryTry { number: number + 1, record: record.clone(), by: None });
        let settled = if number == 3 { Settled::GivenUp } else { Settled::Again(at) };
        assert!(world.callbacks.settle(ground.boot, call.id, number, record, settled).await?);
        let state = if number == 3 { ReportState::GivenUp } else { ReportState::Due(at) };
        let report = story().await?.callback.ok_or("no report")?;
        assert_eq!((report.state, &report.tries), (state, &tries));
    }
    // Just like the one before it, but somebody made it.
    let by = Actor::Key(KeyId::from(fresh()));
    let asked = Deed { actor: by.clone(), from: None, at: moment(13) };
    let again = world.callbacks.claim_again(ground.scope(), call.id, ground.boot, lease, &asked).await?;
    assert!(matches!(again, ClaimedAgain::Claimed(_)), "{again:?}");
    let record = tries.last().ok_or("no tries")?.record.clone();
    assert!(world.callbacks.settle_again(ground.boot, call.id, 4, record.clone(), &by).await?);
    tries.push(DeliveryTry { number: 5, record, by: Some(by) });
    assert_eq!(story().await?.callback.ok_or("no report")?.tries, tries);
    filed(world, &ground, call.id).await?;
    let filed = story().await?;
    let account = filed.account.clone().ok_or("no account")?;
    assert_eq!((account.transcript.len(), account.facts.forwarded_to.as_deref()), (1, Some("desk")));
    assert_eq!(filed.analysis, Some(Provenance::Due));
    assert!(
        filed.artifact(ArtifactKind::Recording).is_some()
            && filed.artifact(ArtifactKind::Transcript).is_none()
    );
    let due = world.analyses.claim_analyses(ground.boot, moment(99), 1).await?;
    assert_eq!(due.len(), 1);
    let analysis = Analysis {
        model: Some("model-1".to_owned()),
        summary: Some("She booked.".to_owned()),
        ..Analysis::default()
    };
    let done = AnalysisSettled::Done(Box::new(analysis));
    assert!(world.analyses.settle_analysis(call.id, ground.boot, 0, done).await?);
    let analysed = story().await?;
    assert_eq!(analysed.analysis, Some(Provenance::Model("model-1".to_owned())));
    assert_eq!(analysed.call.log.summary.as_deref(), Some("She booked."));
    Ok(())
}

async fn filed(world: &World, ground: &Ground, call: CallId) -> TestResult {
    let entry = TranscriptEntry {
        at: Duration::from_millis(1_500),
        who: Speaker::Customer,
        text: "<b>Hello</b>".to_owned(),
    };
    let facts = CallFacts { forwarded_to: Some("desk".to_owned()), ..CallFacts::default() };
    let owner = world.filing.file_transcript(call, &[entry], &facts, moment(20)).await?.ok_or("no owner")?;
    assert_eq!(owner.organization, ground.organization);
    Ok(world.filing.file_artifact(call, ArtifactKind::Recording, 7, moment(21)).await?)
}

/// It ended as it was accepted.
pub async fn a_refused_call_was_never_dialled(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let call = ground.call()?;
    let dispatch = Dispatch::Refuse { reason: EndedReason::TrunkUnreachable };
    world.calls.accept(Acceptance { call: call.clone(), dispatch, once: None, by: None }).await?;
    assert_eq!(seen(world, &ground, call.id).await?.state, CallState::Failed);
    let story = world.board.story(ground.scope(), call.id).await?.ok_or("no story")?;
    assert_eq!((story.dialled, story.callback), (None, None));
    Ok(())
}

async fn print(world: &World, watched: Watched) -> Result<Option<i64>, StoreUnavailable> {
    Ok(world.board.pulse(&[watched]).await?.get(&watched).copied())
}

/// A board's: with every move of every call of the organization, and with nothing else.
pub async fn a_print_changes_with_what_is_seen_alone(world: &World) -> TestResult {
    let (ground, other) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    let watched = Watched::Board(ground.organization);
    let mut prints = vec![print(world, watched).await?.ok_or("no print")?];
    let mut changed = async || -> TestResult {
        other.calling(world).await?;
        let now = print(world, watched).await?.ok_or("no print")?;
        assert!(!prints.contains(&now), "{prints:?}");
        prints.push(now);
        while world.housekeeping.fold_call_counts().await? {}
        assert_eq!(print(world, watched).await?, Some(now), "folding is not seen");
        Ok(())
    };
    let (call, fence) = ground.calling(world).await?;
    changed().await?;
    world.calls.ringing(fence, moment(1)).await?;
    changed().await?;
    world.calls.answered(fence, dialog(ground.trunk.id, call.id), moment(2)).await?;
    changed().await?;
    world
        .calls
        .conclude(conclusion(&call, fence, EndedReason::Voicemail, Some(moment(2)), moment(9)))
        .await?;
    changed().await?;
    let dispatch = Dispatch::Refuse { reason: EndedReason::TrunkUnreachable };
    world.calls.accept(Acceptance { call: ground.call()?, dispatch, once: None, by: None }).await?;
    changed().await?;
    ground.ended(world, moment(10)).await?;
    changed().await?;
    let both = [watched, Watched::Board(other.organization), Watched::Board(OrganizationId::from(fresh()))];
    assert_eq!(world.board.pulse(&both).await?.len(), 2);
    assert_eq!(world.board.pulse(&[]).await?.len(), 0);
    Ok(())
}

/// It changes until the call's last word.
pub async fn a_story_has_a_print_of_its_own(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (call, fence) = ground.calling(world).await?;
    let watched = Watched::Story(call.id);
    let mut prints = vec![print(world, watched).await?.ok_or("no print")?];
    let mut changed = async || -> TestResult {
        ground.calling(world).await?;
        let now = print(world, watched).await?.ok_or("no print")?;
        assert!(!prints.contains(&now), "{prints:?}");
        prints.push(now);
        Ok(())
    };
    world.calls.ringing(fence, moment(1)).await?;
    changed().await?;
    world.calls.conclude(conclusion(&call, fence, EndedReason::NoAnswer, None, moment(9))).await?;
    changed().await?;
    world.callbacks.claim(ground.boot, moment(999), Duration::from_secs(1), &[], 1).await?;
    let outcome = TryOutcome::Answered(204);
    let record = TryRecord { began_at: moment(9), took: Duration::from_millis(7), outcome };
    assert!(world.callbacks.settle(ground.boot, call.id, 0, record, Settled::Delivered).await?);
    changed().await?;
    filed(world, &ground, call.id).await?;
    changed().await?;
    world.analyses.claim_analyses(ground.boot, moment(99), 1).await?;
    let done = AnalysisSettled::Done(Box::default());
    assert!(world.analyses.settle_analysis(call.id, ground.boot, 0, done).await?);
    changed().await?;
    assert_eq!(print(world, Watched::Story(CallId::from(fresh()))).await?, None);
    Ok(())
}
