//! A telephone that takes part in a conversation; its voice is British, the assistants' are American.

use std::sync::Arc;
use std::time::Duration;

use callwright::system::SystemEntropy;
use domain::assistant::Language;
use phone::{Action, CallScript, Events, Happening, Phone, PhoneSettings, Sound};
use speech::PicoSpeech;

use super::installation::{PATIENCE, PROGRAM};

/// A telephone at a port of its own that answers at once.
pub struct Telephone {
    phone: Phone,
    events: Events,
}

impl Telephone {
    /// Does this with every call.
    pub async fn that(actions: impl IntoIterator<Item = Action>) -> Self {
        Self::with(CallScript::answering().then(actions)).await
    }

    /// Follows a script with every call.
    pub async fn with(script: CallScript) -> Self {
        let voice = speech::Settings {
            program: PROGRAM.into(),
            args: vec!["speak".to_owned()],
            processes: 1,
            cache_bytes: 1 << 20,
        };
        let settings = PhoneSettings {
            speech: Some(PicoSpeech::start(&voice)),
            ..PhoneSettings::new("127.0.0.1:0".parse().unwrap(), Arc::new(SystemEntropy))
        };
        let phone = Phone::start(settings, script).await.unwrap();
        let events = phone.events();
        Self { phone, events }
    }

    /// What `trunk create` needs.
    pub fn address(&self) -> String {
        self.phone.local_addr().to_string()
    }

    /// Waits until it happens.
    pub async fn until(&mut self, wanted: impl Fn(&Happening) -> bool) -> Happening {
        let event = self.events.until(|event| wanted(&event.what));
        tokio::time::timeout(PATIENCE, event).await.expect("it did not happen").unwrap().what
    }

    /// Waits until the call is over, and gives all that happened until then.
    pub async fn story(&mut self) -> Vec<Happening> {
        let mut story = Vec::new();
        while !matches!(story.last(), Some(Happening::Over { .. })) {
            let event = tokio::time::timeout(2 * PATIENCE, self.events.next()).await;
            story.push(event.expect("the call goes on and on").unwrap().what);
        }
        story
    }

    /// Waits until a call is over, and tells how long it lasted from its answer on.
    pub async fn talked(&mut self) -> Duration {
        match self.until(|what| matches!(what, Happening::Over { .. })).await {
            Happening::Over { talked: Some(talked) } => talked,
            other => panic!("it was never answered: {other:?}"),
        }
    }
}

/// Says words.
pub fn says(words: &str) -> Action {
    Action::Say(Sound::Text { language: Language::EnglishGreatBritain, text: words.to_owned() })
}

/// Waits so many milliseconds.
pub const fn waits(milliseconds: u64) -> Action {
    Action::Wait(Duration::from_millis(milliseconds))
}
