//! The decision about a message, from what it names and where it comes from.

use tokio::time::Instant;

use super::scan::{Named, Start};

/// How a name stands with us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing of ours has it.
    Unknown,
    /// A transaction or dialog of ours has it.
    Live,
    /// It is ours, but more messages name it than an honest peer sends.
    Overrun,
}

impl Standing {
    pub(super) const fn within(within: bool) -> Self {
        if within { Self::Live } else { Self::Overrun }
    }
}

/// Knows what lives. A look counts as a message that has come.
pub trait Lookup {
    /// Whether a transaction of ours has this branch.
    fn transaction(&self, branch: &[u8], now: Instant) -> Standing;

    /// Whether a dialog of ours has this Call-ID and this tag on our side.
    fn dialog(&self, call_id: &[u8], local_tag: &[u8], is_invite: bool, now: Instant) -> Standing;
}

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It belongs to a transaction or dialog of ours: it is taken first.
    Live,
    /// A peer's request outside of our dialogs.
    Peer,
    /// A peer's message that needs nothing, such as the ACK of a refusal.
    Absorbed,
    /// It is ours, but comes too often.
    Overrun,
    /// It names nothing of ours, and comes from an address that is no peer's.
    Stranger,
}

/// Decides by RFC 3261 §17.1.3 (responses by branch), §12.2.2 (requests by Call-ID and our tag) and
/// §13.2.2.4 (a 2xx that comes late, by Call-ID and our tag); what names nothing of ours is admitted
/// from peers alone. A request outside of our dialogs is answered without a transaction (§8.2.7), so
/// that its ACK and its CANCEL need none either. `is_peer` is asked only when it decides.
pub fn admit(
    named: &Named<'_>,
    live: &impl Lookup,
    is_peer: impl FnOnce() -> bool,
    now: Instant,
) -> Admission {
    let standing = match named.start {
        Start::Response(_) => {
            let by_branch = named.branch.map_or(Standing::Unknown, |branch| live.transaction(branch, now));
            match (by_branch, named.from_tag) {
                (Standing::Unknown, Some(tag)) => live.dialog(named.call_id, tag, false, now),
                _ => by_branch,
            }
        }
        Start::Request(_) => named
            .to_tag
            .map_or(Standing::Unknown, |tag| live.dialog(named.call_id, tag, named.is("INVITE"), now)),
    };
    match (standing, named.start) {
        (Standing::Live, _) => Admission::Live,
        (Standing::Overrun, _) => Admission::Overrun,
        (Standing::Unknown, start) => match start {
            _ if !is_peer() => Admission::Stranger,
            Start::Response(_) => Admission::Absorbed,
            Start::Request(_) if named.is("ACK") || named.is("CANCEL") => Admission::Absorbed,
            Start::Request(_) => Admission::Peer,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::scan;

    /// One transaction and one dialog.
    struct One(Standing);

    impl Lookup for One {
        fn transaction(&self, branch: &[u8], _: Instant) -> Standing {
            if branch == b"z9hG4bKours" { self.0 } else { Standing::Unknown }
        }

        fn dialog(&self, call_id: &[u8], local_tag: &[u8], _: bool, _: Instant) -> Standing {
            if call_id == b"id" && local_tag == b"ours" { self.0 } else { Standing::Unknown }
        }
    }

    fn message(start: &str, branch: &str, from: &str, to: &str) -> String {
        format!(
            "{start}\r\nVia: SIP/2.0/UDP h;branch={branch}\r\nFrom: <sip:a@b>{from}\r\nTo: <sip:c@d>{to}\r\n\
             Call-ID: id\r\nCSeq: 1 INVITE\r\n\r\n"
        )
    }

    fn admitted(message: &str, standing: Standing, is_peer: bool) -> Admission {
        let named = scan(message.as_bytes()).unwrap();
        admit(&named, &One(standing), || is_peer, Instant::now())
    }

    #[test]
    fn what_names_something_of_ours_passes_from_anywhere() {
        let ok = "SIP/2.0 200 OK";
        for is_peer in [true, false] {
            for message in [
                message("SIP/2.0 180 Ringing", "z9hG4bKours", ";tag=gone", ""),
                message(ok, "z9hG4bKgone", ";tag=ours", ";tag=theirs"),
                message("BYE sip:x@y SIP/2.0", "z9hG4bKtheirs", ";tag=theirs", ";tag=ours"),
                message("ACK sip:x@y SIP/2.0", "z9hG4bKtheirs", ";tag=theirs", ";tag=ours"),
            ] {
                assert_eq!(admitted(&message, Standing::Live, is_peer), Admission::Live, "{message}");
                assert_eq!(admitted(&message, Standing::Overrun, is_peer), Admission::Overrun, "{message}");
            }
        }
    }

    #[test]
    fn everything_else_passes_from_peers_alone() {
        for (message, of_a_peer) in [
            (message("INVITE sip:x@y SIP/2.0", "z9hG4bKours", ";tag=t", ""), Admission::Peer),
            (message("BYE sip:x@y SIP/2.0", "z9hG4bKours", ";tag=ours", ";tag=other"), Admission::Peer),
            (message("OPTIONS sip:x@y SIP/2.0", "b", ";tag=ours", ""), Admission::Peer),
            (message("ACK sip:x@y SIP/2.0", "b", ";tag=t", ";tag=other"), Admission::Absorbed),
            (message("CANCEL sip:x@y SIP/2.0", "b", ";tag=t", ""), Admission::Absorbed),
            (message("SIP/2.0 200 OK", "b", ";tag=other", ";tag=ours"), Admission::Absorbed),
        ] {
            assert_eq!(admitted(&message, Standing::Live, true), of_a_peer, "{message}");
            assert_eq!(admitted(&message, Standing::Live, false), Admission::Stranger, "{message}");
        }
    }
}
