//! What a trunk needs between calls: pings, registration, and its pace.

mod health;
mod pace;
mod ping;
mod registration;
mod watch;

pub(crate) use pace::Pace;
pub(crate) use ping::ping;
pub(crate) use watch::Watch;

use std::fmt::Write;

use domain::trunk::Trunk;

use crate::core::Core;
use crate::dialog::Dialog;
use crate::prepared::from_domain;
use crate::stack::Flow;

/// A conversation with the trunk itself, outside of any call, as this user.
fn with_trunk(core: &Core, trunk: &Trunk, flow: &Flow, user: &str, target: String) -> Dialog {
    let sent_by = core.sent_by(trunk, flow.peer);
    let address = escaped(user);
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

/// A user name as the user part of a SIP URI (RFC 3261 §25.1).
fn escaped(user: &str) -> String {
    user.bytes().fold(String::with_capacity(user.len()), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()&=+$,;?/".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_name_of_any_kind_fits_into_a_uri() {
        assert_eq!(escaped("alice-1+x"), "alice-1+x");
        assert_eq!(escaped("a@b <c>\r\n"), "a%40b%20%3Cc%3E%0D%0A");
    }
}
