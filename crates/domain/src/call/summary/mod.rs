//! Summaries made from facts alone, in English and in Canadian French: each is written in its own
//! language, none is translated.

mod english;
mod french;

use super::{EndedReason, Evidence, Outcome, Speaker, outcome};

pub(super) use english::english;
pub(super) use french::french;

/// Who was at the other end, and what came from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OtherEnd {
    /// A machine, with whom a message was left, or not.
    Machine { left: bool },
    /// Somebody who spoke, pressed so many keys, or both.
    Somebody { spoke: bool, keys: usize },
    /// Nobody who spoke.
    Silence,
    /// Nothing is known of it.
    Unknown,
}

impl OtherEnd {
    fn of(evidence: &Evidence<'_>) -> Self {
        let Evidence { transcript, facts, reason, .. } = evidence;
        if facts.message_left || facts.machine_answered || *reason == EndedReason::Voicemail {
            return Self::Machine { left: facts.message_left };
        }
        let own = || transcript.iter().filter(|entry| entry.who == Speaker::Customer);
        let keys = own().filter_map(|entry| keys_in(&entry.text)).sum();
        let spoke = own().any(|entry| keys_in(&entry.text).is_none() && !entry.text.trim().is_empty());
        if spoke || keys > 0 {
            Self::Somebody { spoke, keys }
        } else if outcome::decided(evidence) == Some(Outcome::NoResponse) {
            Self::Silence
        } else {
            Self::Unknown
        }
    }
}

/// How many keys an entry such as `[pressed 1]` tells of; none when it tells of something else.
fn keys_in(text: &str) -> Option<usize> {
    let keys = text.trim().strip_prefix("[pressed ")?.strip_suffix(']')?;
    Some(keys.chars().filter(|key| !key.is_whitespace()).count())
}

/// A length in the two units that say most: hours and minutes, or minutes and seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Length {
    hours: u64,
    minutes: u64,
    seconds: u64,
}

impl Length {
    const fn of(seconds: u64) -> Self {
        let hours = seconds / 3600;
        Self { hours, minutes: seconds / 60 % 60, seconds: if hours > 0 { 0 } else { seconds % 60 } }
    }

    const fn is_nothing(self) -> bool {
        self.hours == 0 && self.minutes == 0 && self.seconds == 0
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::call::{CallFacts, TranscriptEntry};

    /// Both summaries, with plain blanks for hard ones.
    fn told(customer: &[&str], facts: &CallFacts, reason: EndedReason, duration: Option<u64>) -> [String; 2] {
        let entry = |text: &&str| TranscriptEntry {
            at: Duration::ZERO,
            who: Speaker::Customer,
            text: (*text).to_owned(),
        };
        let mut transcript: Vec<_> = customer.iter().map(entry).collect();
        transcript.push(TranscriptEntry {
            at: Duration::ZERO,
            who: Speaker::Assistant,
            text: "[pressed 123]".to_owned(),
        });
        let evidence = Evidence { transcript: &transcript, facts, reason, duration, outcomes: &[] };
        [english(&evidence), french(&evidence).replace('\u{a0}', " ")]
    }

    fn active() -> CallFacts {
        CallFacts { customer_active: true, ..CallFacts::default() }
    }

    #[test]
    fn a_conversation_is_told_by_what_came_from_the_customer_and_by_its_end() {
        use EndedReason as Why;
        for (customer, reason, seconds, english, french) in [
            (
                &["Yes."][..],
                Why::CustomerEndedCall,
                65,
                "The customer spoke. The customer hung up after 1 minute 5 seconds.",
                "Le client a parlé. Le client a raccroché après 1 minute et 5 secondes.",
            ),
            (
                &["[pressed 1]"],
                Why::AssistantEndedCall,
                1,
                "The customer pressed a key. The assistant ended the call after 1 second.",
                "Le client a appuyé sur une touche. L’assistant a mis fin à l’appel après 1 seconde.",
            ),
            (
                &["[pressed 1]", "[pressed 2 #]", "[caller spoke, 2.3 s]"],
                Why::ExceededMaxDuration,
                3_600,
                "The customer spoke and pressed 3 keys. The call ended after 1 hour because it had reached its time limit.",
                "Le client a parlé et a appuyé sur 3 touches. L’appel a pris fin après 1 heure parce que la durée maximale permise était atteinte.",
            ),
            (
                &[" "],
                Why::SilenceTimedOut,
                30,
                "The call was answered, but nobody spoke. The assistant ended the call after 30 seconds.",
                "On a décroché, mais personne n’a parlé. L’assistant a mis fin à l’appel après 30 secondes.",
            ),
            (
                &["Hello?"],
                Why::SilenceTimedOut,
                7_325,
                "The customer spoke. The call ended after 2 hours 2 minutes because nobody spoke any more.",
                "Le client a parlé. L’appel a pris fin après 2 heures et 2 minutes parce que plus personne ne parlait.",
            ),
            (
                &[],
                Why::MediaTimeout,
                60,
                "The call ended after 1 minute because no more sound came from the customer’s side.",
                "L’appel a pris fin après 1 minute parce qu’aucun son ne parvenait plus du côté du client.",
            ),
            (
                &["[pressed 1]", "[pressed 1]"],
                Why::ServiceInterrupted,
                0,
                "The customer pressed 2 keys. The call was cut off after less than a second by an interruption of the service.",
                "Le client a appuyé sur 2 touches. L’appel a été coupé après moins d’une seconde par une interruption du service.",
            ),
            (
                &["Hello?"],
                Why::ManuallyEnded,
                119,
                "The customer spoke. The call was ended by hand after 1 minute 59 seconds.",
                "Le client a parlé. L’appel a été interrompu manuellement après 1 minute et 59 secondes.",
            ),
        ] {
            let facts = CallFacts { customer_active: !customer.is_empty() && customer != [" "], ..active() };
            assert_eq!(told(customer, &facts, reason, Some(seconds)), [english, french], "{reason:?}");
        }
    }

    #[test]
    fn a_machine_is_told_with_the_message() {
        let machine = CallFacts { machine_answered: true, ..active() };
        let left = CallFacts { message_left: true, ..machine.clone() };
        let greeting = &["Please leave a message."];
        assert_eq!(
            told(greeting, &left, EndedReason::Voicemail, Some(24)),
            [
                "The call reached a voicemail, and the assistant left a message. The call lasted 24 seconds.",
                "L’appel a abouti à une boîte vocale, où l’assistant a laissé un message. L’appel a duré 24 secondes.",
            ]
        );
        assert_eq!(
            told(greeting, &machine, EndedReason::Voicemail, Some(0)),
            [
                "The call reached a voicemail. No message was left. The call lasted less than a second.",
                "L’appel a abouti à une boîte vocale. Aucun message n’a été laissé. L’appel a duré moins d’une seconde.",
            ]
        );
    }

    #[test]
    fn transfers_are_told_whether_they_came_about_or_not() {
        let forwarded = CallFacts { forwarded_to: Some("reception".into()), ..active() };
        let failed = CallFacts { forwarding_failed: Some("billing".into()), ..active() };
        let both = CallFacts { forwarding_failed: Some("billing".into()), ..forwarded.clone() };
        assert_eq!(
            told(&["A person, please."], &forwarded, EndedReason::AssistantForwardedCall, Some(60)),
            [
                "The customer spoke. The assistant transferred the call to “reception” after 1 minute.",
                "Le client a parlé. L’assistant a transféré l’appel à « reception » après 1 minute.",
            ]
        );
        assert_eq!(
            told(&["Hi."], &forwarded, EndedReason::CustomerEndedCall, Some(2)),
            [
                "The customer spoke. The assistant transferred the call to “reception”. The customer hung up after 2 seconds.",
                "Le client a parlé. L’assistant a transféré l’appel à « reception ». Le client a raccroché après 2 secondes.",
            ]
        );
        assert_eq!(
            told(&["Hi."], &failed, EndedReason::AssistantEndedCall, Some(2)),
            [
                "The customer spoke. A transfer to “billing” failed. The assistant ended the call after 2 seconds.",
                "Le client a parlé. Un transfert à « billing » a échoué. L’assistant a mis fin à l’appel après 2 secondes.",
            ]
        );
        let [english, _] = told(&["Hi."], &both, EndedReason::AssistantForwardedCall, None);
        assert_eq!(
            english,
            "The customer spoke. A transfer to “billing” failed. The assistant transferred the call to “reception”."
        );
    }

    #[test]
    fn a_fault_of_the_assistant_is_told_once() {
        let broke = CallFacts { assistant_broke: true, ..active() };
        assert_eq!(
            told(&["Hi."], &broke, EndedReason::AssistantError, Some(9)),
            [
                "The customer spoke. The call ended after 9 seconds because of a technical fault of the assistant.",
                "Le client a parlé. L’appel a pris fin après 9 secondes en raison d’une défaillance technique de l’assistant.",
            ]
        );
        assert_eq!(
            told(&["Hi."], &broke, EndedReason::CustomerEndedCall, Some(9)),
            [
                "The customer spoke. The assistant had a technical fault. The customer hung up after 9 seconds.",
                "Le client a parlé. L’assistant a eu une défaillance technique. Le client a raccroché après 9 secondes.",
            ]
        );
    }

    #[test]
    fn every_end_is_told_with_and_without_a_length_in_whole_sentences() {
        for reason in EndedReason::ALL {
            for duration in [None, Some(0), Some(1), Some(61), Some(3_601)] {
                for text in told(&[], &CallFacts::default(), reason, duration) {
                    assert!(text.ends_with('.'), "{reason:?} {text}");
                    assert!(!text.contains("  ") && !text.contains("..") && !text.contains('{'), "{text}");
                    assert!(!text.contains(" 0 "), "{text}");
                }
            }
        }
        assert_eq!(
            told(&[], &CallFacts::default(), EndedReason::NoAnswer, None),
            ["Nobody answered.", "Personne n’a répondu."]
        );
    }

    #[test]
    fn french_numbers_and_quotation_marks_are_not_torn_from_what_they_belong_to() {
        let facts = CallFacts { forwarded_to: Some("réception".into()), ..active() };
        let evidence = Evidence {
            transcript: &[],
            facts: &facts,
            reason: EndedReason::AssistantForwardedCall,
            duration: Some(61),
            outcomes: &[],
        };
        assert_eq!(
            french(&evidence),
            "L’assistant a transféré l’appel à «\u{a0}réception\u{a0}» après 1\u{a0}minute et 1\u{a0}seconde."
        );
    }
}
