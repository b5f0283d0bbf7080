//! Ending a leg that another boot left behind, from what was saved of it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use domain::ports::{DialIntent, SavedLeg};
use domain::trunk::{Transport, Trunk};
use rsipstack::sip::Method;

use crate::core::Core;
use crate::dialog::{Dialog, cancel_of};
use crate::exchange::{hang_up, send_once};
use crate::login::Login;
use crate::tokens::{MOST_INVITES, branch_port, retry_branch};

/// The dead boot may have sent requests after its dialog was saved; numbers may skip ahead, but
/// never go back (RFC 3261 §12.2.1.1).
const CSEQ_LEAP: u32 = 10_000;

/// Looking up the trunk's name must not hold up the BYE for long.
const LOOKUP: Duration = Duration::from_millis(500);

/// Says BYE when the leg was answered, else cancels whichever INVITE is pending.
pub(crate) async fn end(core: &Arc<Core>, trunk: &Trunk, leg: SavedLeg) {
    let Some(gateway) = leg.intent.gateway.parse::<SocketAddr>().ok() else {
        tracing::warn!(call_id = %leg.intent.call_id, "a saved leg names no gateway");
        return;
    };
    let bounds = core.bounds(trunk);
    if !bounds.admit(gateway) {
        tracing::warn!(call_id = %leg.intent.call_id, "a left leg is behind an address that is refused now");
        return;
    }
    let transport = Transport::parse(&leg.intent.transport).unwrap_or(trunk.transport);
    let flow = match core.stack.flow(transport, gateway, &trunk.address.host).await {
        Ok(flow) => flow,
        Err(error) => {
            tracing::info!(call_id = %leg.intent.call_id, %error, "a left leg cannot be ended");
            return;
        }
    };
    let mut dialog = dialog_of(&leg.intent, transport, core.sent_by(trunk, gateway));
    if let (Some(tag), Some(target)) = (leg.remote_tag, leg.remote_target) {
        dialog.remote_tag = Some(tag);
        dialog.target = target;
        dialog.route_set = leg.route_set;
        dialog.cseq = leg.local_cseq.saturating_add(CSEQ_LEAP);
        let gateway = flow;
        let flow = core.flow_of(&dialog, &gateway, &bounds).await;
        // The trunk may lead elsewhere by now, with another password: its name is looked up anew.
        let found = tokio::time::timeout(LOOKUP, core.gateways(trunk)).await;
        let login = Login::of(trunk, found.into_iter().flatten().flatten());
        let outcome = hang_up(core, [&flow, &gateway], &mut dialog, login.as_ref(), &[]).await;
        tracing::info!(call_id = %dialog.call_id, code = outcome.code(), "a left leg was hung up");
        return;
    }
    // The same `sent-by` as the INVITE's, or it matches no transaction (RFC 3261 §17.2.3).
    dialog.sent_by = sent_by_of(&leg.intent).unwrap_or(dialog.sent_by);
    for retry in 0..MOST_INVITES {
        let branch = retry_branch(&leg.intent.branch, retry);
        let cseq = leg.intent.cseq.saturating_add(retry);
        let invite = dialog.request(Method::Invite, cseq, &branch, Vec::new(), Vec::new());
        let Ok(invite) = invite else { return };
        let outcome = send_once(core, &flow, cancel_of(&invite)).await;
        tracing::info!(call_id = %dialog.call_id, retry, code = outcome.code(), "a left leg was cancelled");
        if matches!(outcome.code(), Some(200) | None) {
            return;
        }
    }
}

fn dialog_of(intent: &DialIntent, transport: Transport, sent_by: SocketAddr) -> Dialog {
    Dialog {
        call_id: intent.call_id.clone(),
        local_tag: intent.local_tag.clone(),
        from: intent.from.clone(),
        to: intent.to.clone(),
        remote_tag: None,
        target: intent.request_uri.clone(),
        route_set: Vec::new(),
        cseq: intent.cseq,
        transport,
        sent_by,
    }
}

/// The `sent-by` of the dead boot: its host is in the Call-ID, its port in the branch.
fn sent_by_of(intent: &DialIntent) -> Option<SocketAddr> {
    let (_, host) = intent.call_id.rsplit_once('@')?;
    Some(SocketAddr::new(host.parse().ok()?, branch_port(&intent.branch)?))
}
