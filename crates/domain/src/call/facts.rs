//! What a call came to, as far as it was seen and not guessed.

/// Something that a call came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A machine answered.
    MachineAnswered,
    /// A message was left after the beep.
    MessageLeft,
    /// The call was handed to the assistant's target of this name.
    Forwarded {
        /// The target's name.
        target: String,
    },
    /// Handing it over failed.
    ForwardingFailed {
        /// The target's name.
        target: String,
    },
    /// The assistant named the outcome when it hung up.
    OutcomeNamed {
        /// The outcome, as the model wrote it.
        outcome: String,
    },
    /// The callee spoke or pressed a key.
    CustomerActive,
    /// The key of the assistant's provider may not be sent there, and was not.
    CredentialRefused,
    /// The assistant broke.
    AssistantBroke,
    /// Audio came from addresses that are not accepted, and was dropped.
    ForeignAudio {
        /// How many datagrams, over the whole call.
        packets: u64,
    },
}

/// All facts of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each was seen or not, apart from all others")]
pub struct CallFacts {
    /// A machine answered.
    pub machine_answered: bool,
    /// A message was left after the beep.
    pub message_left: bool,
    /// Whom it was handed to.
    pub forwarded_to: Option<String>,
    /// Whom it could not be handed to.
    pub forwarding_failed: Option<String>,
    /// The outcome that the assistant named.
    pub outcome_named: Option<String>,
    /// The callee spoke or pressed a key.
    pub customer_active: bool,
    /// The key of the assistant's provider may not be sent there, and was not.
    pub credential_refused: bool,
    /// The assistant broke.
    pub assistant_broke: bool,
    /// How many datagrams came from addresses that are not accepted.
    pub foreign_packets: u64,
}

impl CallFacts {
    /// Adds a fact.
    pub fn note(&mut self, fact: Fact) {
        match fact {
            Fact::MachineAnswered => self.machine_answered = true,
            Fact::MessageLeft => self.message_left = true,
            Fact::Forwarded { target } => self.forwarded_to = Some(target),
            Fact::ForwardingFailed { target } => self.forwarding_failed = Some(target),
            Fact::OutcomeNamed { outcome } => self.outcome_named = Some(outcome),
            Fact::CustomerActive => self.customer_active = true,
            Fact::CredentialRefused => self.credential_refused = true,
            Fact::AssistantBroke => self.assistant_broke = true,
            Fact::ForeignAudio { packets } => self.foreign_packets = packets,
        }
    }
}
