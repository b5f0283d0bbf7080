//! Trying an assistant without a trunk: the line to the built-in phone, and an assistant to begin with.

use std::sync::Arc;

use domain::assistant::{
    Assistant, Awaited, CallLimits, Conduct, Engine, Language, OnVoicemail, Script, Step,
};
use domain::audit::Deed;
use domain::ids::{AssistantId, NewId, NumberId, OrganizationId, TenantId};
use domain::ports::{Entropy, FreshTestLine, SetupError, TestLines};
use domain::scope::Reach;
use domain::variables::Variables;

/// Sets up the line to the built-in phone.
pub struct SetUpTestLine {
    /// Records it.
    pub lines: Arc<dyn TestLines>,
    /// Makes ids unpredictable.
    pub entropy: Arc<dyn Entropy>,
}

impl SetUpTestLine {
    /// The number from which a live organization within reach calls the built-in phone; made when it
    /// has none.
    pub async fn set_up(
        &self,
        reach: Reach,
        organization: OrganizationId,
        deed: Deed,
    ) -> Result<NumberId, SetupError> {
        let at = deed.at;
        let id = || {
            let mut random = [0; 10];
            self.entropy.fill(&mut random);
            NewId::at(at, random)
        };
        let fresh = FreshTestLine { trunk: id().into(), number: id().into() };
        self.lines.set_up_test_line(reach, organization, fresh, deed).await
    }
}

/// An assistant that needs no provider and no key, and has something to say to every number of the
/// built-in phone.
pub fn example_assistant(
    id: AssistantId,
    tenant: TenantId,
    organization: OrganizationId,
    language: Language,
    deed: &Deed,
) -> Assistant {
    let french = matches!(language, Language::French | Language::FrenchCanada);
    let words = if french { &FRENCH } else { &ENGLISH };
    let step = |wait_for, replies: &[(&str, &str)], say: &str| Step {
        wait_for,
        replies: replies.iter().map(|(keys, line)| ((*keys).to_owned(), (*line).to_owned())).collect(),
        say: Some(say.to_owned()),
    };
    Assistant {
        id,
        tenant,
        organization,
        name: words.name.to_owned(),
        team: None,
        engine: Engine::Builtin(Script {
            first_message: words.greeting.to_owned(),
            steps: vec![
                step(Awaited::SpeechOrDigit, &[("1", words.confirmed)], words.question),
                step(Awaited::SpeechOrDigit, &[], words.thanks),
            ],
            closing_line: Some(words.goodbye.to_owned()),
            reprompt: Some(words.reprompt.to_owned()),
        }),
        language,
        limits: CallLimits::default(),
        conduct: Conduct {
            voicemail: Some(OnVoicemail::LeaveMessage(words.message.to_owned())),
            ..Conduct::default()
        },
        variables: Variables::from([("customerName".to_owned(), words.you.to_owned())]),
        created_at: deed.at,
    }
}

/// What the example says.
struct Words {
    name: &'static str,
    greeting: &'static str,
    question: &'static str,
    confirmed: &'static str,
    thanks: &'static str,
    goodbye: &'static str,
    reprompt: &'static str,
    message: &'static str,
    you: &'static str,
}

const ENGLISH: Words = Words {
    name: "Appointment reminder (example)",
    greeting: "Hello {{customerName}}, this is a reminder of your appointment tomorrow at ten. Will you come?",
    question: "Thank you. Do you need directions to our office?",
    confirmed: "Your appointment is confirmed. Do you need directions to our office?",
    thanks: "All right, we have made a note of it.",
    goodbye: "Have a good day. Goodbye.",
    reprompt: "Are you still there?",
    message: "This is a reminder of your appointment tomorrow at ten. Please call us back if you cannot come.",
    you: "there",
};

const FRENCH: Words = Words {
    name: "Rappel de rendez-vous (exemple)",
    greeting: "Bonjour {{customerName}}, nous vous rappelons votre rendez-vous de demain à dix heures. Viendrez-vous?",
    question: "Merci. Avez-vous besoin de l’itinéraire jusqu’à notre bureau?",
    confirmed: "Votre rendez-vous est confirmé. Avez-vous besoin de l’itinéraire jusqu’à notre bureau?",
    thanks: "C’est noté.",
    goodbye: "Bonne journée. Au revoir.",
    reprompt: "Êtes-vous toujours là?",
    message: "Nous vous rappelons votre rendez-vous de demain à dix heures. Rappelez-nous si vous ne pouvez pas venir.",
    you: "à vous",
};
