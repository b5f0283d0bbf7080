//! Lists of calls, against a plain search through all that were laid down.

use std::cmp::Reverse;
use std::time::Duration;

use super::call_records::everything;
use crate::assistant::Assistant;
use crate::call::{CallOrder, CallQuery, CallType, Ended, EndedReason};
use crate::ids::{CallId, OrganizationId};
use crate::page::PageRequest;
use crate::scope::Scope;
use crate::testing::LaidCall;
use crate::testing::fixtures::{Ground, TestResult, add_organization, assistant, fresh, moment};
use crate::testing::world::World;

const ORDERS: [CallOrder; 4] =
    [CallOrder::Newest, CallOrder::Oldest, CallOrder::Longest, CallOrder::Shortest];

/// A sequence without a pattern that a test could be blind to, the same at each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn one_of<T: Clone>(&mut self, choices: &[T]) -> TestResult<T> {
        let place = usize::try_from(self.below(u64::try_from(choices.len())?))?;
        Ok(choices.get(place).ok_or("no choice")?.clone())
    }
}

/// Organization, assistants by name, and calls of every kind over some months.
pub(super) struct Past {
    pub(super) ground: Ground,
    pub(super) calls: Vec<(LaidCall, Option<String>)>,
}

pub(super) async fn lay(world: &World, count: u64) -> TestResult<Past> {
    let ground = Ground::lay(world, None).await?;
    let mut assistants = vec![None, Some((ground.assistant.id, ground.assistant.name.clone()))];
    for name in ["Night reception", "Sales 100%_\\", "ÉTÉ", "Silent one"] {
        let one = Assistant { name: name.to_owned(), ..assistant(ground.tenant, ground.organization) };
        assistants.push(Some((one.id, one.name.clone())));
        world.add_assistant(one).await?;
    }
    let intents =
        [None, Some("book"), Some("Book"), Some("annulé"), Some("ANNULÉ")].map(|own| own.map(str::to_owned));
    let mut dice = Dice(count);
    let mut calls = Vec::new();
    for _ in 0..count {
        // Some at the same millisecond, some at the very edge of an hour, most somewhere in five months.
        let after = match dice.below(4) {
            0 => Duration::from_secs(dice.below(3) * 1_800),
            1 => Duration::from_hours(dice.below(3_600)) + Duration::from_mins(30),
            _ => Duration::from_millis(dice.below(5 * 30 * 86_400_000)),
        };
        let created_at = moment(0) + after;
        let ended = match dice.below(4) {
            0 => None,
            1 => Some(Ended { reason: EndedReason::NoAnswer, started_at: None, ended_at: created_at }),
            _ => Some(Ended {
                reason: EndedReason::CustomerEndedCall,
                started_at: Some(created_at),
                ended_at: created_at + Duration::from_secs(dice.below(9)),
            }),
        };
        let by = dice.one_of(&assistants)?;
        let call = LaidCall {
            call_type: dice.one_of(&CallType::ALL)?,
            assistant: by.as_ref().map(|(id, _)| *id),
            user_primary_intent: dice.one_of(&intents)?,
            ended,
            created_at,
            ..LaidCall::bare(ground.tenant, ground.organization, 0)
        };
        calls.push((call, by.map(|(_, name)| name)));
    }
    lay_in_halves(world, &calls).await?;
    Ok(Past { ground, calls })
}

/// Of which the first is folded, and the second is not.
async fn lay_in_halves(world: &World, calls: &[(LaidCall, Option<String>)]) -> TestResult {
    let calls: Vec<_> = calls.iter().map(|(call, _)| call.clone()).collect();
    let (first, second) = calls.split_at(calls.len() / 2);
    world.lay(first).await?;
    while world.housekeeping.fold_call_counts().await? {}
    world.lay(second).await
}

impl Past {
    /// The ids of the whole list.
    pub(super) fn search(&self, query: &CallQuery) -> Vec<CallId> {
        let same_text = |one: &str, other: &str| one.to_lowercase() == other.to_lowercase();
        let mut found: Vec<&LaidCall> = self
            .calls
            .iter()
            .filter(|(call, agent)| {
                let named = |part: &String| {
                    let name = agent.as_ref().map(|name| name.to_lowercase());
                    name.is_some_and(|name| name.contains(&part.to_lowercase()))
                };
                let meant = |intent: &String| {
                    call.user_primary_intent.as_ref().is_some_and(|own| same_text(own, intent))
                };
                query.call_type.is_none_or(|wanted| wanted == call.call_type)
                    && query.agent_name.as_ref().is_none_or(named)
                    && query.user_primary_intent.as_ref().is_none_or(meant)
                    && query.from.is_none_or(|from| from <= call.created_at)
                    && query.to.is_none_or(|to| call.created_at <= to)
            })
            .map(|(call, _)| call)
            .collect();
        let length = |call: &LaidCall| call.ended.as_ref().and_then(Ended::duration);
        match query.order {
            CallOrder::Newest => found.sort_by_key(|call| Reverse((call.created_at, call.id))),
            CallOrder::Oldest => found.sort_by_key(|call| (call.created_at, call.id)),
            CallOrder::Longest => found.sort_by_key(|call| Reverse((length(call), call.id))),
            CallOrder::Shortest => {
                found.sort_by_key(|call| (length(call).is_none(), length(call), call.id));
            }
        }
        found.into_iter().map(|call| call.id).collect()
    }

    /// Asks for a page and compares it with the same part of the search.
    async fn check(&self, world: &World, query: &CallQuery) -> TestResult {
        let page = world.records.page(self.ground.scope(), query).await?.ok_or("no list")?;
        let expected = self.search(query);
        let (before, size) = (usize::try_from(query.page.offset())?, usize::try_from(query.page.size)?);
        let expected_page: Vec<_> = expected.iter().copied().skip(before).take(size).collect();
        let shown: Vec<_> = page.items.iter().map(|call| call.id).collect();
        assert_eq!((shown, page.total), (expected_page, u64::try_from(expected.len())?), "{query:?}");
        Ok(())
    }
}

/// Every combination of them, on a first page and on a later one.
pub async fn every_filter_and_order_agree_with_a_plain_search(world: &World) -> TestResult {
    let past = lay(world, 300).await?;
    let hour = Duration::from_hours(1);
    let spans = [
        (None, None),
        (Some(moment(0)), None),
        (None, Some(moment(1_800))),
        (Some(moment(1_799)), Some(moment(1_801))),
        (Some(moment(0) + 5 * hour), Some(moment(0) + 40 * 24 * hour)),
        (Some(moment(77)), Some(moment(0) + 120 * 24 * hour)),
        (Some(moment(2)), Some(moment(1))),
    ];
    let names = [None, Some("recept"), Some("É"), Some("Silent"), Some("nobody")];
    let intents = [None, Some("BOOK"), Some("Annulé"), Some("boo")];
    let types = [None, Some(CallType::Inbound), Some(CallType::Web)];
    let mut number = 0;
    for order in ORDERS {
        for (from, to) in spans {
            for call_type in types {
                for (agent_name, intent) in names.iter().flat_map(|name| intents.map(|intent| (name, intent)))
                {
                    number = number % 3 + 1;
                    let query = CallQuery {
                        page: PageRequest { number, size: 9 },
                        call_type,
                        agent_name: agent_name.map(str::to_owned),
                        user_primary_intent: intent.map(str::to_owned),
                        from,
                        to,
                        order,
                        ..everything(past.ground.organization)
                    };
                    past.check(world, &query).await?;
                }
            }
        }
    }
    Ok(())
}

/// Page by page, in every order: no call twice, and none left out.
pub async fn the_pages_of_a_list_make_up_the_whole(world: &World) -> TestResult {
    let past = lay(world, 60).await?;
    for order in ORDERS {
        for number in 1..=8 {
            let page = PageRequest { number, size: 8 };
            past.check(world, &CallQuery { page, order, ..everything(past.ground.organization) }).await?;
        }
    }
    Ok(())
}

/// Where thousands of calls come before the page.
pub async fn far_pages_continue_the_near_ones(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let mut dice = Dice(1);
    let calls = (0..2_400).map(|_| {
        // Months, days and hours without any, and one hour with most of them.
        let seconds = [dice.below(3_600), dice.below(9_000_000)];
        let seconds = seconds.get(usize::from(dice.below(3) == 0)).copied().unwrap_or_default();
        (LaidCall::bare(ground.tenant, ground.organization, seconds), None)
    });
    let past = Past { calls: calls.collect(), ground };
    lay_in_halves(world, &past.calls).await?;
    for order in ORDERS {
        for call_type in [None, Some(CallType::Web)] {
            for (number, size) in
                [(39, 50), (40, 50), (41, 50), (45, 50), (48, 50), (49, 50), (344, 7), (2_400, 1)]
            {
                let page = PageRequest { number, size };
                let query = CallQuery { page, call_type, order, ..everything(past.ground.organization) };
                past.check(world, &query).await?;
            }
        }
    }
    Ok(())
}

/// However far beyond, and of an organization without calls too.
pub async fn a_page_beyond_the_end_is_empty_with_the_true_total(world: &World) -> TestResult {
    let past = lay(world, 20).await?;
    for (number, size) in [(4, 10), (u32::MAX, 50), (u32::MAX, u32::MAX)] {
        for order in ORDERS {
            for agent_name in [None, Some("e".to_owned())] {
                let page = PageRequest { number, size };
                let query = CallQuery { page, agent_name, order, ..everything(past.ground.organization) };
                past.check(world, &query).await?;
            }
        }
    }
    let sister = add_organization(world, past.ground.tenant).await?;
    let page = world.records.page(Scope::Tenant(past.ground.tenant), &everything(sister)).await?;
    let page = page.ok_or("no list")?;
    assert_eq!((page.items.len(), page.total), (0, 0));
    Ok(())
}

/// Each organization has its own calls only, and none for others.
pub async fn a_foreign_or_unknown_organization_has_no_list(world: &World) -> TestResult {
    let (own, foreign) = (lay(world, 5).await?.ground, lay(world, 7).await?.ground);
    let sister = add_organization(world, own.tenant).await?;
    for (scope, organization) in [
        (own.scope(), foreign.organization),
        (own.scope(), sister),
        (Scope::Tenant(own.tenant), foreign.organization),
        (Scope::Organization(own.tenant, foreign.organization), foreign.organization),
        (Scope::Tenant(own.tenant), OrganizationId::from(fresh())),
    ] {
        for agent_name in [None, Some("e".to_owned())] {
            let query = CallQuery { agent_name, ..everything(organization) };
            assert_eq!(world.records.page(scope, &query).await?, None, "{scope:?}");
        }
    }
    for (ground, count) in [(&own, 5), (&foreign, 7)] {
        for scope in [ground.scope(), Scope::Tenant(ground.tenant)] {
            let page = world.records.page(scope, &everything(ground.organization)).await?.ok_or("no list")?;
            assert_eq!((page.items.len(), page.total), (count, u64::try_from(count)?));
            assert!(page.items.iter().all(|call| call.organization == ground.organization));
        }
    }
    Ok(())
}

/// To the millisecond of the calls, and to the nanosecond of the question.
pub async fn both_ends_of_a_span_belong_to_it(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let at = moment(1_800);
    let call = LaidCall { created_at: at, ..LaidCall::bare(ground.tenant, ground.organization, 0) };
    world.lay(&[call]).await?;
    let nanosecond = Duration::from_nanos(1);
    for folded in [false, true] {
        for (from, to, found) in [
            (Some(at), Some(at), 1),
            (Some(at), None, 1),
            (None, Some(at), 1),
            (Some(at + nanosecond), None, 0),
            (None, Some(at - nanosecond), 0),
            (Some(at - nanosecond), Some(at + nanosecond), 1),
        ] {
            for call_type in [None, Some(CallType::Web)] {
                let query = CallQuery { call_type, from, to, ..everything(ground.organization) };
                let page = world.records.page(ground.scope(), &query).await?.ok_or("no list")?;
                assert_eq!(
                    (page.items.len(), page.total),
                    (found, u64::try_from(found)?),
                    "{folded} {query:?}"
                );
            }
        }
        while world.housekeeping.fold_call_counts().await? {}
    }
    Ok(())
}

async fn names_found(world: &World, ground: &Ground, part: &str) -> TestResult<u64> {
    let query = CallQuery { agent_name: Some(part.to_owned()), ..everything(ground.organization) };
    Ok(world.records.page(ground.scope(), &query).await?.ok_or("no list")?.total)
}

/// In names; intents are compared as a whole anyway.
pub async fn wildcards_stand_for_themselves(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let mut calls = Vec::new();
    for name in ["100%", "a_b", "c\\d", "plain"] {
        let one = Assistant { name: name.to_owned(), ..assistant(ground.tenant, ground.organization) };
        let bare = LaidCall::bare(ground.tenant, ground.organization, 0);
        calls.push(LaidCall { assistant: Some(one.id), ..bare });
        world.add_assistant(one).await?;
    }
    world.lay(&calls).await?;
    for (part, found) in
        [("%", 1), ("_", 1), ("\\", 1), ("a_b", 1), ("0%", 1), ("%0", 0), ("p%n", 0), ("", 4)]
    {
        assert_eq!(names_found(world, &ground, part).await?, found, "{part}");
    }
    Ok(())
}

/// Neither in names nor in intents, also beyond ASCII.
pub async fn the_case_of_no_letter_matters(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let one = Assistant { name: "Straße Été".to_owned(), ..assistant(ground.tenant, ground.organization) };
    let call = LaidCall {
        assistant: Some(one.id),
        user_primary_intent: Some("Réserver Ωmega".to_owned()),
        ..LaidCall::bare(ground.tenant, ground.organization, 0)
    };
    world.add_assistant(one).await?;
    world.lay(&[call]).await?;
    for (part, found) in [("STRASSE", 1), ("éTÉ", 1), ("ete", 0)] {
        assert_eq!(names_found(world, &ground, part).await?, found, "{part}");
    }
    for (intent, found) in [("RÉSERVER ωMEGA", 1), ("réserver", 0), ("reserver ωmega", 0)] {
        let user_primary_intent = Some(intent.to_owned());
        let query = CallQuery { user_primary_intent, ..everything(ground.organization) };
        let page = world.records.page(ground.scope(), &query).await?.ok_or("no list")?;
        assert_eq!(page.total, found, "{intent}");
    }
    Ok(())
}
