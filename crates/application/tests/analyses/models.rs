//! Language models that do as a test wants.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use domain::call::{Analysis, Sentiment};
use domain::ports::{LanguageModel, ModelError, Prompt};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

/// A whole answer, of the form.
pub(crate) fn answer() -> Value {
    json!({
        "intent": "book_appointment", "sentiment": "positive", "outcome": "appointment_booked",
        "summary_en": "She booked.", "summary_fr": "Elle a pris rendez-vous.",
    })
}

pub(crate) fn read() -> Analysis {
    Analysis {
        intent: Some("book_appointment".to_owned()),
        sentiment: Some(Sentiment::Positive),
        outcome: Some("appointment_booked".to_owned()),
        summary: Some("She booked.".to_owned()),
        summary_fr: Some("Elle a pris rendez-vous.".to_owned()),
        model: Some("model-1".to_owned()),
    }
}

pub(crate) enum Reply {
    Says(Value),
    Unusable,
    Away,
    Hangs,
    Breaks,
}

/// A model that replies as it was told, and then with whole answers.
#[derive(Default)]
pub(crate) struct Told {
    replies: Mutex<VecDeque<Reply>>,
    pub(crate) asked: Mutex<Vec<Prompt>>,
}

impl Told {
    pub(crate) fn to(replies: impl IntoIterator<Item = Reply>) -> Arc<Self> {
        Arc::new(Self { replies: Mutex::new(replies.into_iter().collect()), asked: Mutex::default() })
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

#[async_trait]
impl LanguageModel for Told {
    fn name(&self) -> &'static str {
        "model-1"
    }

    async fn complete(&self, prompt: &Prompt) -> Result<Value, ModelError> {
        self.asked.lock().unwrap().push(prompt.clone());
        let reply = self.replies.lock().unwrap().pop_front();
        match reply.unwrap_or_else(|| Reply::Says(answer())) {
            Reply::Says(value) => Ok(value),
            Reply::Unusable => Err(ModelError::Unusable("a refusal".into())),
            Reply::Away => Err(ModelError::Unavailable("503".into())),
            Reply::Hangs => std::future::pending().await,
            Reply::Breaks => panic!("the model's adapter broke"),
        }
    }
}

/// A model that does whatever the transcript tells it: each `NAME = VALUE` in what was said is a
/// field of its answer.
pub(crate) struct Obedient;

#[async_trait]
impl LanguageModel for Obedient {
    fn name(&self) -> &'static str {
        "model-1"
    }

    async fn complete(&self, prompt: &Prompt) -> Result<Value, ModelError> {
        let document: Value = serde_json::from_str(&prompt.user).unwrap();
        let mut obeyed = answer();
        for turn in document["transcript"].as_array().unwrap() {
            for order in turn["said"].as_str().unwrap().split(';') {
                if let Some((name, value)) = order.split_once(" = ") {
                    obeyed[name.trim()] = json!(value.trim());
                }
            }
        }
        Ok(obeyed)
    }
}

/// A model that lets no answer go before it is told to, and counts those who wait.
pub(crate) struct Slow {
    pub(crate) go: Semaphore,
    pub(crate) waiting: AtomicUsize,
    pub(crate) most: AtomicUsize,
}

#[async_trait]
impl LanguageModel for Slow {
    fn name(&self) -> &'static str {
        "model-1"
    }

    async fn complete(&self, _: &Prompt) -> Result<Value, ModelError> {
        let waiting = self.waiting.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(waiting, Ordering::SeqCst);
        self.go.acquire().await.unwrap().forget();
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        Ok(answer())
    }
}
