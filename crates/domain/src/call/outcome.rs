//! What calls come to: the standard outcomes, and which of them facts decide.

use super::{EndedReason, Evidence};

/// What a call came to; assistants may know further outcomes of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// A new appointment was made.
    AppointmentBooked,
    /// The customer confirmed an appointment.
    AppointmentConfirmed,
    /// An appointment was moved.
    AppointmentRescheduled,
    /// An appointment was called off.
    AppointmentCancelled,
    /// The customer learned what was to be told, or got a question answered.
    InformationProvided,
    /// Something else that was asked for was done.
    RequestCompleted,
    /// The customer left a message for somebody.
    MessageTaken,
    /// The customer wants to be called back.
    CallbackRequested,
    /// The customer did not want what was offered.
    CustomerDeclined,
    /// The customer does not want to be called again.
    DoNotCallRequested,
    /// Somebody else than the one who was meant.
    WrongNumber,
    /// The conversation ended before its matter was settled.
    Incomplete,
    /// The call was handed to a person.
    TransferredToHuman,
    /// A machine answered, and a message was left.
    VoicemailLeft,
    /// A machine answered, and no message was left.
    VoicemailReached,
    /// It was answered, but nobody spoke.
    NoResponse,
    /// The assistant could not start, or broke.
    AssistantError,
}

impl Outcome {
    /// Every standard outcome.
    pub const ALL: [Self; 17] = [
        Self::AppointmentBooked,
        Self::AppointmentConfirmed,
        Self::AppointmentRescheduled,
        Self::AppointmentCancelled,
        Self::InformationProvided,
        Self::RequestCompleted,
        Self::MessageTaken,
        Self::CallbackRequested,
        Self::CustomerDeclined,
        Self::DoNotCallRequested,
        Self::WrongNumber,
        Self::Incomplete,
        Self::TransferredToHuman,
        Self::VoicemailLeft,
        Self::VoicemailReached,
        Self::NoResponse,
        Self::AssistantError,
    ];

    /// The outcome's written form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AppointmentBooked => "appointment_booked",
            Self::AppointmentConfirmed => "appointment_confirmed",
            Self::AppointmentRescheduled => "appointment_rescheduled",
            Self::AppointmentCancelled => "appointment_cancelled",
            Self::InformationProvided => "information_provided",
            Self::RequestCompleted => "request_completed",
            Self::MessageTaken => "message_taken",
            Self::CallbackRequested => "callback_requested",
            Self::CustomerDeclined => "customer_declined",
            Self::DoNotCallRequested => "do_not_call_requested",
            Self::WrongNumber => "wrong_number",
            Self::Incomplete => "incomplete",
            Self::TransferredToHuman => "transferred_to_human",
            Self::VoicemailLeft => "voicemail_left",
            Self::VoicemailReached => "voicemail_reached",
            Self::NoResponse => "no_response",
            Self::AssistantError => "assistant_error",
        }
    }

    /// What it means, in a few words.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::AppointmentBooked => "a new appointment was made",
            Self::AppointmentConfirmed => "the customer confirmed an appointment",
            Self::AppointmentRescheduled => "an appointment was moved",
            Self::AppointmentCancelled => "an appointment was called off",
            Self::InformationProvided => {
                "the customer learned what was to be told, or got a question answered"
            }
            Self::RequestCompleted => "something else that was asked for was done",
            Self::MessageTaken => "the customer left a message for somebody",
            Self::CallbackRequested => "the customer wants to be called back",
            Self::CustomerDeclined => "the customer did not want what was offered",
            Self::DoNotCallRequested => "the customer does not want to be called again",
            Self::WrongNumber => "somebody else than the one who was meant",
            Self::Incomplete => "the conversation ended before its matter was settled",
            Self::TransferredToHuman => "the call was handed to a person",
            Self::VoicemailLeft => "a machine answered, and a message was left",
            Self::VoicemailReached => "a machine answered, and no message was left",
            Self::NoResponse => "it was answered, but nobody spoke",
            Self::AssistantError => "the assistant could not start, or broke",
        }
    }

    /// Reads the written form.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == text)
    }

    /// Whether only facts can tell it: no model is believed that names it. A machine's greeting can
    /// be recognised from its words, too.
    pub const fn is_seen(self) -> bool {
        matches!(
            self,
            Self::TransferredToHuman | Self::VoicemailLeft | Self::NoResponse | Self::AssistantError
        )
    }
}

/// The outcomes that a model may name: those that need no fact, and the assistant's `own`.
pub fn nameable(own: &[String]) -> Vec<&str> {
    let standard = Outcome::ALL.into_iter().filter(|outcome| !outcome.is_seen()).map(Outcome::as_str);
    let mut names: Vec<&str> = standard.collect();
    for name in own {
        if Outcome::parse(name).is_none() && !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

/// What the facts say that the call came to, whatever anybody else says.
pub fn decided(evidence: &Evidence<'_>) -> Option<Outcome> {
    let Evidence { facts, reason, .. } = evidence;
    if facts.forwarded_to.is_some() || *reason == EndedReason::AssistantForwardedCall {
        Some(Outcome::TransferredToHuman)
    } else if facts.message_left {
        Some(Outcome::VoicemailLeft)
    } else if facts.assistant_broke || *reason == EndedReason::AssistantError {
        Some(Outcome::AssistantError)
    } else if facts.machine_answered || *reason == EndedReason::Voicemail {
        Some(Outcome::VoicemailReached)
    } else if !facts.customer_active && was_heard_out(*reason) {
        Some(Outcome::NoResponse)
    } else {
        None
    }
}

/// Whether a callee could have spoken on a call that ended so: not when it was never answered, and
/// who knows when it was cut short.
const fn was_heard_out(reason: EndedReason) -> bool {
    matches!(
        reason,
        EndedReason::CustomerEndedCall
            | EndedReason::AssistantEndedCall
            | EndedReason::SilenceTimedOut
            | EndedReason::ExceededMaxDuration
    )
}

/// What the call came to: what facts decide, else what the assistant named when it hung up, else
/// what the `read` of a model says; none when nobody names an outcome that there is.
pub fn of(evidence: &Evidence<'_>, read: Option<&str>) -> Option<String> {
    if let Some(decided) = decided(evidence) {
        return Some(decided.as_str().to_owned());
    }
    let nameable = nameable(evidence.outcomes);
    let known = |name: &str| nameable.iter().find(|known| known.eq_ignore_ascii_case(name.trim())).copied();
    let named = evidence.facts.outcome_named.as_deref().and_then(known);
    named.or_else(|| read.and_then(known)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::CallFacts;

    fn active() -> CallFacts {
        CallFacts { customer_active: true, ..CallFacts::default() }
    }

    #[test]
    fn every_outcome_reads_back_and_is_written_in_snake_case() {
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::parse(outcome.as_str()), Some(outcome));
            assert!(outcome.as_str().chars().all(|c| c.is_ascii_lowercase() || c == '_'));
        }
        assert_eq!(Outcome::parse("Incomplete"), None);
        for shown in ["appointment_confirmed", "voicemail_left", "transferred_to_human"] {
            assert!(Outcome::parse(shown).is_some(), "{shown} is an example of the interface");
        }
    }

    #[test]
    fn facts_stand_above_whatever_was_named_or_read() {
        use EndedReason as Why;
        let machine = CallFacts { machine_answered: true, ..active() };
        let left = CallFacts { message_left: true, ..machine.clone() };
        let broke = CallFacts { assistant_broke: true, ..active() };
        let forwarded = CallFacts { forwarded_to: Some("reception".into()), ..active() };
        let failed = CallFacts { forwarding_failed: Some("reception".into()), ..active() };
        for (facts, reason, expected) in [
            (forwarded.clone(), Why::AssistantForwardedCall, "transferred_to_human"),
            (forwarded.clone(), Why::CustomerEndedCall, "transferred_to_human"),
            (CallFacts { message_left: true, ..forwarded }, Why::Voicemail, "transferred_to_human"),
            (active(), Why::AssistantForwardedCall, "transferred_to_human"),
            (left.clone(), Why::Voicemail, "voicemail_left"),
            (left.clone(), Why::CustomerEndedCall, "voicemail_left"),
            (CallFacts { assistant_broke: true, ..left }, Why::AssistantError, "voicemail_left"),
            (machine.clone(), Why::Voicemail, "voicemail_reached"),
            (active(), Why::Voicemail, "voicemail_reached"),
            (CallFacts { assistant_broke: true, ..machine }, Why::AssistantError, "assistant_error"),
            (broke, Why::CustomerEndedCall, "assistant_error"),
            (CallFacts::default(), Why::AssistantError, "assistant_error"),
            (CallFacts::default(), Why::SilenceTimedOut, "no_response"),
            (CallFacts::default(), Why::CustomerEndedCall, "no_response"),
            // Cut short before anybody could speak: that is no refusal to.
            (CallFacts::default(), Why::MediaTimeout, "quote_sent"),
            (CallFacts::default(), Why::ServiceInterrupted, "quote_sent"),
            (CallFacts::default(), Why::ManuallyEnded, "quote_sent"),
            (failed, Why::AssistantEndedCall, "quote_sent"),
            (active(), Why::SilenceTimedOut, "quote_sent"),
        ] {
            let facts = CallFacts { outcome_named: Some("quote_sent".into()), ..facts };
            let own = ["quote_sent".to_owned()];
            let evidence =
                Evidence { transcript: &[], facts: &facts, reason, duration: None, outcomes: &own };
            let outcome = of(&evidence, Some("appointment_confirmed"));
            assert_eq!(outcome.as_deref(), Some(expected), "{facts:?} {reason:?}");
        }
    }

    #[test]
    fn the_assistants_word_stands_above_a_models_when_it_is_an_outcome() {
        let own = ["quote_sent".to_owned(), "no_response".to_owned()];
        for (named, read, expected) in [
            (None, None, None),
            (None, Some("incomplete"), Some("incomplete")),
            (Some("quote_sent"), Some("incomplete"), Some("quote_sent")),
            (Some(" Quote_Sent\n"), None, Some("quote_sent")),
            (Some("sold"), Some("incomplete"), Some("incomplete")),
            (Some("sold"), Some("won"), None),
            (Some(""), Some(""), None),
            // Of a call in which somebody spoke, and that nobody was handed.
            (Some("transferred_to_human"), Some("wrong_number"), Some("wrong_number")),
            (None, Some("transferred_to_human"), None),
            (Some("no_response"), Some("no_response"), None),
            (Some("assistant_error"), Some("voicemail_left"), None),
            (None, Some("voicemail_reached"), Some("voicemail_reached")),
        ] {
            let facts = CallFacts { outcome_named: named.map(str::to_owned), ..active() };
            let reason = EndedReason::AssistantEndedCall;
            let evidence =
                Evidence { transcript: &[], facts: &facts, reason, duration: None, outcomes: &own };
            assert_eq!(of(&evidence, read).as_deref(), expected, "{named:?} {read:?}");
        }
    }

    #[test]
    fn a_model_may_name_each_outcome_once_and_none_that_only_facts_tell() {
        let own: Vec<String> = ["b", "a", "b", "incomplete", "voicemail_left"].map(str::to_owned).into();
        let names = nameable(&own);
        assert_eq!(names.len(), Outcome::ALL.len() - 4 + 2);
        assert_eq!(names[names.len() - 2..], ["b", "a"]);
        assert_eq!(names.iter().filter(|name| **name == "incomplete").count(), 1);
        assert!(!names.contains(&"voicemail_left"));
    }
}
