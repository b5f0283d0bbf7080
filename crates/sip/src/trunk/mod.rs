//! What a trunk needs between calls: pings, registration, and its pace.

mod pace;
mod ping;
mod registration;
mod watch;

pub(crate) use pace::Pace;
pub(crate) use ping::ping;
pub(crate) use watch::Watch;

use domain::trunk::Trunk;

use crate::core::Core;
use crate::dialog::Dialog;
use crate::prepared::from_domain;
use crate::stack::Flow;

/// A conversation with the trunk itself, outside of any call.
fn with_trunk(core: &Core, trunk: &Trunk, flow: &Flow, address: &str, target: String) -> Dialog {
    let sent_by = core.sent_by(flow.peer);
    Dialog {
        call_id: core.tokens.call_id(sent_by),
        local_tag: core.tokens.tag(),
        from: format!("<sip:{address}@{}>", from_domain(trunk)),
        to: format!("<{target}>"),
        remote_tag: None,
        target,
        route_set: Vec::new(),
        cseq: 0,
        transport: trunk.transport,
        sent_by,
    }
}
