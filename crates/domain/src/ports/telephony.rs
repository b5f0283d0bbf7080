//! Placing calls on the telephone network, one leg at a time.

use std::task::{Context, Poll};
use std::time::Duration;

use async_trait::async_trait;

use crate::audio::{AudioFormat, Digit, Frame};
use crate::call::FinalAnswer;
use crate::ids::{CallId, TrunkId};
use crate::number::E164;
use crate::trunk::Trunk;

/// Everything needed to dial one call.
#[derive(Clone, Debug)]
pub struct DialPlan {
    /// The call.
    pub call: CallId,
    /// The trunk that carries it, with its credentials.
    pub trunk: Trunk,
    /// The number shown to the callee.
    pub from: E164,
    /// The number dialled.
    pub to: E164,
    /// The formats offered, best first.
    pub formats: Vec<AudioFormat>,
    /// What is worked out of the sound that is heard.
    pub detects: Detects,
}

/// What is worked out of the sound that is heard; what is not costs nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detects {
    /// Whether [`HeardFrame::speech`] is worked out.
    pub speech: bool,
    /// Whether [`HeardFrame::tone`] is worked out.
    pub tones: bool,
}

impl Detects {
    /// Everything.
    pub const ALL: Self = Self { speech: true, tones: true };
}

/// Identifies a dialog before it exists, so that any node could cancel it (RFC 3261 §9.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialIntent {
    /// The trunk.
    pub trunk: TrunkId,
    /// Call-ID.
    pub call_id: String,
    /// From-tag.
    pub local_tag: String,
    /// Branch of the first INVITE's Via.
    pub branch: String,
    /// `CSeq` number of the first INVITE.
    pub cseq: u32,
    /// Request-URI.
    pub request_uri: String,
    /// From header value without its tag.
    pub from: String,
    /// To header value.
    pub to: String,
    /// `udp`, `tcp` or `tls`.
    pub transport: String,
    /// The gateway that the INVITE goes to, `ADDRESS:PORT`.
    pub gateway: String,
}

/// A confirmed dialog's state (RFC 3261 §12), enough for any node to say BYE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedLeg {
    /// How the call was dialled.
    pub intent: DialIntent,
    /// To-tag; none while the call was not answered.
    pub remote_tag: Option<String>,
    /// Where in-dialog requests go: the callee's Contact.
    pub remote_target: Option<String>,
    /// Route set in the order of use.
    pub route_set: Vec<String>,
    /// The last `CSeq` number that we used.
    pub local_cseq: u32,
}

/// Why a call cannot be sent; nothing has left the machine.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The trunk's pings fail, its address does not resolve, or no connection came about.
    #[error("the trunk is unreachable")]
    Unreachable(#[source] Option<Box<dyn std::error::Error + Send + Sync>>),
    /// More new calls a second than the trunk takes, or no media port is free.
    #[error("no capacity")]
    NoCapacity,
}

/// The INVITE could not be sent after the call was accepted.
#[derive(Debug, thiserror::Error)]
#[error("the INVITE could not be sent")]
pub struct SendFailed(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// What a trunk looks like from here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrunkState {
    /// Whether new calls are sent to it; a trunk that was never pinged counts as up.
    pub up: bool,
    /// The last answer to our OPTIONS, e.g. `200 OK`, or why there was none.
    pub last_ping: Option<String>,
    /// Whether our registration stands; none when none is wanted.
    pub registered: Option<bool>,
}

/// The telephone network.
#[async_trait]
pub trait Telephony: Send + Sync {
    /// Checks the trunk, resolves and connects within 500 ms, and builds an INVITE without
    /// sending it.
    async fn prepare(&self, plan: DialPlan) -> Result<Box<dyn PreparedLeg>, Refused>;

    /// Ends a leg that another boot left behind: BYE when answered, else CANCEL, best effort.
    async fn end_orphan(&self, trunk: Trunk, leg: SavedLeg);

    /// Keeps exactly these trunks pinged and, where asked, registered.
    async fn watch(&self, trunks: Vec<Trunk>);

    /// Asks a trunk with one OPTIONS and tells how it stands.
    async fn probe(&self, trunk: &Trunk) -> TrunkState;
}

/// An INVITE that is ready but not sent.
#[async_trait]
pub trait PreparedLeg: Send {
    /// What identifies the dialog to come.
    fn intent(&self) -> &DialIntent;

    /// Sends the INVITE. Dropping a prepared leg instead frees everything it holds.
    async fn send(self: Box<Self>) -> Result<Box<dyn Leg>, SendFailed>;
}

/// Audio of 20 ms from the far end, out of the jitter buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeardFrame {
    /// The encoded audio; none when nothing arrived for this moment.
    pub audio: Option<Frame>,
    /// Whether someone speaks in it.
    pub speech: bool,
    /// Whether it is one steady tone of 400–2,500 Hz, such as the beep of a machine; told from its
    /// fourth frame on. Two tones at a time, as of keys or a dial tone, are none.
    pub tone: bool,
}

/// What the callee's side agreed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The dialog, to be saved before the ACK.
    pub saved: SavedLeg,
    /// The format of both directions.
    pub format: AudioFormat,
}

/// What happens on a leg.
#[derive(Debug)]
pub enum LegEvent {
    /// The other side is being alerted: a 180–183 came. Never an answer.
    Ringing {
        /// The provisional status code.
        code: u16,
    },
    /// A 200 came; media runs from here, and the ACK waits for [`Leg::acknowledge`] (at most
    /// 200 ms).
    Answered(Box<Answered>),
    /// The 20 ms beat of a connected leg: what was heard, and the moment to [`Leg::play`].
    Heard(HeardFrame),
    /// The callee pressed a key.
    Pressed(Digit),
    /// A [`Leg::refer`] was settled: whether the other side has been connected to its target.
    Referred {
        /// Whether the call is handed over; the leg still has to be hung up.
        connected: bool,
    },
    /// The leg is over, nothing follows.
    Ended(LegEnd),
}

/// How a leg ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LegEnd {
    /// The callee said BYE.
    ByPeer,
    /// We did, with [`Leg::hang_up`].
    ByUs,
    /// The INVITE got a final failure; `authenticated` after our credentials were refused.
    Failed(FinalAnswer),
    /// Not a single answer came, or the connection broke before one did.
    Unreachable,
    /// The answer could not be used (no common format, or bad SDP).
    Unusable,
    /// No RTP came for 30 s.
    MediaTimeout,
    /// The dialog broke: a session refresh failed or the peer no longer knows it (481).
    Lost,
    /// A fault of ours ended it.
    Broken,
}

/// Why we hang up; adapters may pass it on in a Reason header (RFC 3326).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HangUp {
    /// The conversation is over.
    Normal,
    /// Nobody answered within the ring limit.
    RingLimit,
    /// An operator, a shutdown or a fault.
    Forced,
}

/// One leg of a live call. It is polled by one task, and allocates nothing per frame. Dropping a leg
/// that has not ended, as a panic of its task does, ends it as [`Leg::hang_up`] would.
pub trait Leg: Send {
    /// The next thing that happens; after [`LegEvent::Ended`] it must not be polled again.
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<LegEvent>;

    /// How many datagrams came to the media port so far from addresses that are not accepted. Nothing
    /// of them is ever told.
    fn foreign_packets(&self) -> u64 {
        0
    }

    /// Lets the ACK go: the answer is saved.
    fn acknowledge(&mut self);

    /// Sends 20 ms of audio, once after each [`LegEvent::Heard`]; `None` sends silence.
    fn play(&mut self, frame: Option<&Frame>);

    /// Presses a key towards the callee for `length` (RFC 4733), instead of audio.
    fn press(&mut self, digit: Digit, length: Duration);

    /// Asks the trunk to connect the callee with `target` (RFC 3515, RFC 5589). [`LegEvent::Referred`]
    /// follows within 40 s; the leg goes on meanwhile.
    fn refer(&mut self, target: &E164);

    /// Ends the leg: CANCEL before the answer, BYE after it. [`LegEvent::Ended`] follows within a
    /// bounded time; a 200 that crosses the CANCEL is acknowledged and hung up inside.
    fn hang_up(&mut self, cause: HangUp);
}
