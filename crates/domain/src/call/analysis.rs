//! What an analysis says of a call, and what of it is believed.

use std::time::Duration;

use super::{CallFacts, EndedReason, Outcome, Speaker, TranscriptEntry, outcome, summary};

/// How long a claimed analysis is its claimant's.
pub const ANALYSIS_LEASE: Duration = Duration::from_mins(2);

/// How often a model is asked about a call before facts have to do.
pub const ANALYSIS_TRIES: u16 = 10;

/// The longest intent that is kept, in bytes: an index holds it twice.
pub const INTENT_BYTES: usize = 512;

/// The waits after tries that failed because the model was away: a little over two hours together.
const WAITS: [Duration; 9] = [
    Duration::from_secs(10),
    Duration::from_secs(30),
    Duration::from_mins(1),
    Duration::from_mins(2),
    Duration::from_mins(5),
    Duration::from_mins(10),
    Duration::from_mins(15),
    Duration::from_mins(30),
    Duration::from_hours(1),
];

/// How long to wait after `failed` tries of an analysis; none when no model is asked any more.
pub fn wait_after_analysis(failed: u16) -> Option<Duration> {
    WAITS.get(usize::from(failed).checked_sub(1)?).copied()
}

/// How the callee felt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sentiment {
    /// Content or friendly.
    Positive,
    /// Neither.
    Neutral,
    /// Annoyed, worried or sad.
    Negative,
}

impl Sentiment {
    /// Every sentiment.
    pub const ALL: [Self; 3] = [Self::Positive, Self::Neutral, Self::Negative];

    /// The written form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Positive => "positive",
            Self::Neutral => "neutral",
            Self::Negative => "negative",
        }
    }

    /// Reads the written form.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.as_str() == text)
    }
}

/// All that is known of a call that is over, before a model is asked.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// What was said.
    pub transcript: &'a [TranscriptEntry],
    /// What the call came to.
    pub facts: &'a CallFacts,
    /// Why it ended.
    pub reason: EndedReason,
    /// Whole seconds of conversation.
    pub duration: Option<u64>,
    /// Outcomes of the assistant's own.
    pub outcomes: &'a [String],
}

impl Evidence<'_> {
    /// Whether words of the callee are known; that he was heard, or pressed keys, are none.
    pub fn has_words_of_customer(&self) -> bool {
        self.transcript.iter().any(|entry| entry.who == Speaker::Customer && entry.is_words())
    }

    /// Whether there is more to be told than the facts: a model that has nothing to read can only
    /// invent.
    pub fn is_worth_reading(&self) -> bool {
        let customer = self.transcript.iter().any(|entry| entry.who == Speaker::Customer);
        customer || self.facts.message_left
    }
}

/// What an analysis says of a call; nothing is said that is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// What the callee wanted, at most 512 bytes.
    pub intent: Option<String>,
    /// How the callee felt.
    pub sentiment: Option<Sentiment>,
    /// What came of the call: a standard outcome, or one of the assistant's own.
    pub outcome: Option<String>,
    /// Summary in English.
    pub summary: Option<String>,
    /// Summary in Canadian French.
    pub summary_fr: Option<String>,
    /// The model that wrote it; none when it was made from facts alone.
    pub model: Option<String>,
}

impl Analysis {
    /// What can be said without a model.
    pub fn from_facts(evidence: &Evidence<'_>) -> Self {
        Self::default().held_against(evidence)
    }

    /// What is believed of what a model has read: not what the facts know better, and nothing of
    /// how a machine felt. A summary that is missing is made from facts.
    #[must_use]
    pub fn held_against(self, evidence: &Evidence<'_>) -> Self {
        let outcome = outcome::of(evidence, self.outcome.as_deref());
        let machine = evidence.facts.machine_answered
            || [Outcome::VoicemailLeft, Outcome::VoicemailReached]
                .iter()
                .any(|machine| outcome.as_deref() == Some(machine.as_str()));
        let somebody = evidence.has_words_of_customer() && !machine;
        Self {
            intent: self.intent.filter(|_| somebody),
            sentiment: self.sentiment.filter(|_| somebody),
            outcome,
            summary: self.summary.or_else(|| Some(summary::english(evidence))),
            summary_fr: self.summary_fr.or_else(|| Some(summary::french(evidence))),
            model: self.model,
        }
    }

    /// The intent as it is kept: at most [`INTENT_BYTES`], cut between characters.
    pub fn kept_intent(&self) -> Option<&str> {
        let intent = self.intent.as_deref()?;
        intent.get(..intent.floor_char_boundary(INTENT_BYTES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(who: Speaker, text: &str) -> TranscriptEntry {
        TranscriptEntry { at: Duration::ZERO, who, text: text.to_owned() }
    }

    fn read() -> Analysis {
        Analysis {
            intent: Some("book_appointment".into()),
            sentiment: Some(Sentiment::Positive),
            outcome: Some("appointment_booked".into()),
            summary: Some("A summary.".into()),
            summary_fr: Some("Un résumé.".into()),
            model: Some("model".into()),
        }
    }

    fn believed(customer: &[&str], facts: &CallFacts) -> Analysis {
        let mut transcript = vec![entry(Speaker::Assistant, "Hello, [sic] I am an assistant.")];
        transcript.extend(customer.iter().map(|text| entry(Speaker::Customer, text)));
        let reason = EndedReason::AssistantEndedCall;
        let outcomes = &[];
        let evidence = Evidence { transcript: &transcript, facts, reason, duration: Some(5), outcomes };
        read().held_against(&evidence)
    }

    #[test]
    fn what_was_read_of_somebody_who_spoke_is_believed() {
        let facts = CallFacts { customer_active: true, ..CallFacts::default() };
        assert_eq!(believed(&["I want to book."], &facts), read());
        assert_eq!(believed(&["[pressed 1]", "[laughs] Yes."], &facts), read());
    }

    #[test]
    fn without_words_nobody_wanted_or_felt_anything() {
        let facts = CallFacts { customer_active: true, ..CallFacts::default() };
        let bare = Analysis { intent: None, sentiment: None, ..read() };
        for customer in [&["[caller spoke, 2.3 s]"][..], &["[pressed 1]", " [pressed #] "], &["", " "], &[]] {
            assert_eq!(believed(customer, &facts), bare, "{customer:?}");
        }
    }

    #[test]
    fn a_machine_wants_and_feels_nothing() {
        let facts = CallFacts { machine_answered: true, customer_active: true, ..CallFacts::default() };
        let reached = believed(&["Please leave a message."], &facts);
        let expected =
            Analysis { intent: None, sentiment: None, outcome: Some("voicemail_reached".into()), ..read() };
        assert_eq!(reached, expected);
        let named = Some("voicemail_reached".to_owned());
        let facts = CallFacts { customer_active: true, outcome_named: named, ..CallFacts::default() };
        assert_eq!(believed(&["Please leave a message."], &facts), expected);
    }

    #[test]
    fn what_a_model_leaves_out_is_told_from_facts_or_not_at_all() {
        let facts = CallFacts { customer_active: true, ..CallFacts::default() };
        let transcript = [entry(Speaker::Customer, "Yes.")];
        let reason = EndedReason::CustomerEndedCall;
        let evidence =
            Evidence { transcript: &transcript, facts: &facts, reason, duration: Some(1), outcomes: &[] };
        let told = Analysis { model: Some("model".into()), ..Analysis::default() }.held_against(&evidence);
        assert_eq!(told.summary.as_deref(), Some("The customer spoke. The customer hung up after 1 second."));
        assert!(told.summary_fr.is_some_and(|text| text.starts_with("Le client a parlé.")));
        assert_eq!((told.intent, told.sentiment, told.outcome), (None, None, None));
        assert_eq!(Analysis::from_facts(&evidence).model, None);
    }

    #[test]
    fn an_intent_is_cut_between_characters() {
        let kept = |intent: String| {
            let analysis = Analysis { intent: Some(intent), ..Analysis::default() };
            analysis.kept_intent().map(str::len)
        };
        assert_eq!(kept("a".repeat(512)), Some(512));
        assert_eq!(kept("a".repeat(513)), Some(512));
        assert_eq!(kept("é".repeat(300)), Some(512));
        assert_eq!(kept(format!("a{}", "é".repeat(300))), Some(511));
        assert_eq!(Analysis::default().kept_intent(), None);
    }

    #[test]
    fn a_model_that_is_away_is_asked_ten_times_in_two_hours() {
        let waits: Vec<_> = (1..).map_while(wait_after_analysis).collect();
        assert_eq!(waits.len() + 1, usize::from(ANALYSIS_TRIES));
        assert!(waits.is_sorted());
        let total: Duration = waits.iter().sum();
        assert!((Duration::from_hours(2)..Duration::from_mins(130)).contains(&total), "{total:?}");
        assert_eq!(wait_after_analysis(0), None);
    }
}
