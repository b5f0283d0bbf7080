//! Every time limit of the SIP side in one place; the defaults are the real ones.

use std::time::Duration;

/// The timers of RFC 3261 §17, from which the transaction layer derives all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransactionTimers {
    /// Round-trip estimate; a request without any answer is given up after 64 of it.
    pub t1: Duration,
    /// The longest pause between retransmissions.
    pub t2: Duration,
    /// How long a message may live in the network.
    pub t4: Duration,
}

impl Default for TransactionTimers {
    fn default() -> Self {
        Self { t1: Duration::from_millis(500), t2: Duration::from_secs(4), t4: Duration::from_secs(5) }
    }
}

/// Time limits of calls and trunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timers {
    /// Of the transaction layer.
    pub transaction: TransactionTimers,
    /// Resolving and connecting before a call.
    pub prepare: Duration,
    /// How long the ACK waits for the application.
    pub acknowledge: Duration,
    /// After a CANCEL, how long its INVITE may stay without a final answer.
    pub cancelled: Duration,
    /// How long an answer may still come late: after the first 2xx from another telephone of a fork
    /// (RFC 6026 §7.2: 64 × T1), and after hanging up on an unanswered INVITE.
    pub late: Duration,
    /// After our BYE, how long its answer is waited for before the leg counts as over.
    pub bye: Duration,
    /// From the order to transfer a call to its outcome, when nothing is heard.
    pub transfer: Duration,
    /// Ending a leg of another boot.
    pub orphan: Duration,
    /// The session interval that we ask for (RFC 4028 §4).
    pub session: Duration,
    /// The shortest interval that we accept (RFC 4028 §4: at least 90 s).
    pub session_minimum: Duration,
    /// Between pings of a trunk that is up.
    pub ping: Duration,
    /// After a ping that failed.
    pub ping_down: Duration,
    /// How long a ping may stay unanswered.
    pub ping_answer: Duration,
    /// Between two lookups of a trunk's name, for the addresses that it may send from.
    pub peers: Duration,
    /// The lifetime that a registration asks for.
    pub registration: Duration,
    /// The first pause after a failed registration; it doubles up to 32 of it.
    pub registration_retry: Duration,
}

impl Default for Timers {
    fn default() -> Self {
        Self {
            transaction: TransactionTimers::default(),
            prepare: Duration::from_millis(500),
            acknowledge: Duration::from_millis(200),
            cancelled: Duration::from_secs(5),
            late: Duration::from_secs(32),
            bye: Duration::from_secs(2),
            transfer: Duration::from_secs(40),
            orphan: Duration::from_secs(2),
            session: Duration::from_mins(30),
            session_minimum: Duration::from_secs(90),
            ping: Duration::from_secs(30),
            ping_down: Duration::from_secs(3),
            ping_answer: Duration::from_secs(4),
            peers: Duration::from_secs(30),
            registration: Duration::from_mins(10),
            registration_retry: Duration::from_secs(5),
        }
    }
}
