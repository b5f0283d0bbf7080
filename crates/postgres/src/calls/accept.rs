//! Recording a call with everything that belongs to it, in one statement.

use domain::audit::{Action, Deed};
use domain::call::{EndedReason, OutboundCall};
use domain::idempotency::Once;
use domain::ids::BootId;
use domain::ports::{Acceptance, Accepted, DialIntent, Dispatch, Fence};
use domain::scope::Scope;
use serde_json::json;

use super::earlier::earlier;
use super::recording::{DIAL, DIAL_ONCE, REFUSE, REFUSE_ONCE};
use super::uncertain;
use crate::audit::entry;
use crate::failure::Failure;
use crate::idempotency::key_binds;
use crate::rows::intent_binds;
use crate::statement::{Statement, row, statement};
use crate::store::Store;

/// A key that was taken may be given back before one can look whose it is; more often than this
/// it is not tried again.
const TURNS: usize = 3;

row! {
    Decision { placed: bool }
}

pub(super) async fn accept(store: &Store, acceptance: Acceptance) -> Result<Accepted, Failure> {
    let Acceptance { call, dispatch, once, by } = acceptance;
    match dispatch {
        Dispatch::Dial { owner, intent, max_calls } => {
            let request = Request { call, once, by };
            dial(store, request, owner, *intent, max_calls).await
        }
        Dispatch::Refuse { reason } => refuse(store, &Request { call, once, by }, reason).await,
    }
}

/// A call as it was asked for.
struct Request {
    call: OutboundCall,
    once: Option<Once>,
    by: Option<Deed>,
}

async fn dial(
    store: &Store,
    request: Request,
    owner: BootId,
    intent: DialIntent,
    max_calls: Option<u32>,
) -> Result<Accepted, Failure> {
    let Request { call, once, .. } = &request;
    let fence = Fence { call: call.id, owner, epoch: 1 };
    if intent.trunk != call.trunk {
        return Err(Failure::Refused("the call is prepared for another trunk than its own"));
    }
    let make = || {
        let text = if once.is_some() { DIAL_ONCE } else { DIAL };
        let query = call_binds(statement(text), call).bind(owner.uuid()).bind(max_calls.map(i64::from));
        once_binds(intent_binds(query, intent.clone()), call, once.as_ref())
    };
    let placed = |Decision { placed }| {
        if placed { Accepted::Calling(fence) } else { Accepted::Failed(EndedReason::CapacityExceeded) }
    };
    match decide(store, &request, make, placed).await {
        Err(failure) if failure.is_uncertain() => {
            let again = decide(store, &request, make, placed);
            let settled = uncertain::settle(store, fence, failure, again).await;
            if settled.is_err() {
                uncertain::retract(store.clone(), fence, call, once.clone());
            }
            settled
        }
        accepted => accepted,
    }
}

async fn refuse(store: &Store, request: &Request, reason: EndedReason) -> Result<Accepted, Failure> {
    let Request { call, once, .. } = request;
    let make = || {
        let query = call_binds(statement(if once.is_some() { REFUSE_ONCE } else { REFUSE }), call)
            .bind(call.trunk.uuid())
            .bind(reason.as_str())
            .bind(reason.status(false).as_str());
        once_binds(query, call, once.as_ref())
    };
    decide(store, request, make, |_| Accepted::Failed(reason)).await
}

/// Writes; when nothing was written, the key may have been another request's.
async fn decide(
    store: &Store,
    request: &Request,
    make: impl Fn() -> Statement,
    placed: impl Fn(Decision) -> Accepted,
) -> Result<Accepted, Failure> {
    let Request { call, once, by } = request;
    for _ in 0..TURNS {
        let decision = match by {
            Some(deed) => {
                let within = Scope::Organization(call.tenant, call.organization);
                let name = Some(call.destination.as_str());
                let note = |_: &Decision| entry(deed, within, Action::CallPlace, call.id, name);
                store.audited(make(), note).await?
            }
            None => store.write::<Decision>(make()).await?.pop(),
        };
        if let Some(decision) = decision {
            return Ok(placed(decision));
        }
        let Some(once) = once else { break };
        if let Some(earlier) = earlier(store, once, call.created_at).await? {
            return Ok(Accepted::Earlier(earlier));
        }
    }
    Err(Failure::Refused("the boot has not joined, or was struck off"))
}

/// Binds `$1` to `$11`.
fn call_binds(statement: Statement, call: &OutboundCall) -> Statement {
    statement
        .bind(call.id.uuid())
        .bind(call.tenant.uuid())
        .bind(call.organization.uuid())
        .bind(call.contact.uuid())
        .bind(call.assistant.uuid())
        .bind(call.number.uuid())
        .bind(call.destination.as_str().to_owned())
        .bind(call.customer_name.clone())
        .bind(json!(call.variables))
        .bind(call.callback_url.as_ref().map(|url| url.url().to_string()))
        .bind(call.created_at)
}

/// Binds the key, if there is one, behind all else.
fn once_binds(statement: Statement, call: &OutboundCall, once: Option<&Once>) -> Statement {
    match once {
        Some(once) => key_binds(statement, once, call.created_at).bind(once.fingerprint.to_vec()),
        None => statement,
    }
}
