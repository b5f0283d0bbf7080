//! What an analysis found out, as the interface shows it.

use std::sync::Arc;
use std::time::Duration;

use application::analyse_calls::AnalyseCalls;
use async_trait::async_trait;
use domain::call::{CallFacts, Ended, EndedReason, Speaker, TranscriptEntry};
use domain::ids::CallId;
use domain::ports::{Clock, Filing, LanguageModel, ModelError, Prompt};
use domain::testing::moment;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::support::App;
use crate::support::store::{BOOT, ORGANIZATION};

/// Takes the last words that were said for the intent.
struct Echo;

#[async_trait]
impl LanguageModel for Echo {
    fn name(&self) -> &'static str {
        "echo"
    }

    async fn complete(&self, prompt: &Prompt) -> Result<Value, ModelError> {
        let document: Value = serde_json::from_str(&prompt.user).unwrap();
        Ok(json!({
            "intent": document["transcript"][0]["said"], "sentiment": "neutral",
            "outcome": "request_completed", "summary_en": "It was done.", "summary_fr": "C’est fait.",
        }))
    }
}

/// Places a call, ends it, and files what the customer said.
async fn over(app: &App, said: &str) -> String {
    let id = app.placed().await;
    let ended =
        Ended { reason: EndedReason::CustomerEndedCall, started_at: Some(moment(1)), ended_at: moment(62) };
    app.store.end(&id, ended).await;
    let entry = TranscriptEntry { at: Duration::ZERO, who: Speaker::Customer, text: said.to_owned() };
    let facts = CallFacts { customer_active: true, ..CallFacts::default() };
    let call = CallId::parse(&id).unwrap();
    app.store.inner.file_transcript(call, &[entry], &facts, app.clock.now()).await.unwrap().unwrap();
    id
}

/// The record, once it tells of an analysis.
async fn analysed(app: &App, id: &str) -> Value {
    let request = app.get(&format!("/api/calls/{id}")).key(&app.key());
    timeout(Duration::from_secs(20), async {
        loop {
            let record = request.send().await.json();
            if !record["callSummary"].is_null() {
                return record;
            }
            sleep(Duration::from_millis(20)).await;
        }
    })
    .await
    .expect("the call was never analysed")
}

#[tokio::test(flavor = "multi_thread")]
async fn analysed_calls_show_what_was_found_out_and_are_listed_by_their_intent() {
    let app = App::start().await;
    let (booked, asked) = (over(&app, "Book appointment").await, over(&app, "ask_price").await);
    let pressed = over(&app, "[pressed 1]").await;
    let analyse = Arc::new(AnalyseCalls::new(
        Arc::new(app.store.inner.clone()),
        Some(Arc::new(Echo)),
        app.clock.clone(),
        BOOT,
    ));
    let running = tokio::spawn(async move { analyse.run().await });
    for (id, intent) in
        [(&booked, json!("book_appointment")), (&asked, json!("ask_price")), (&pressed, Value::Null)]
    {
        let record = analysed(&app, id).await;
        let sentiment = if intent.is_null() { Value::Null } else { json!("neutral") };
        assert_eq!((&record["userPrimaryIntent"], &record["userSentiment"]), (&intent, &sentiment));
        assert_eq!(record["callOutcome"], "request_completed");
        assert_eq!(record["callSummary"], "It was done.");
        assert_eq!(record["callSummaryFr"], "C’est fait.");
    }
    for (intent, expected) in [
        ("book_appointment", Some(&booked)),
        ("BOOK_Appointment", Some(&booked)),
        ("ask_price", Some(&asked)),
        ("ask", None),
        ("null", None),
    ] {
        let target = format!("/api/calls?organizationId={ORGANIZATION}&userPrimaryIntent={intent}");
        let page = app.get(&target).key(&app.key()).send().await.json();
        let listed: Vec<_> = page["calls"].as_array().unwrap().iter().map(|call| &call["id"]).collect();
        assert_eq!(listed, expected.into_iter().collect::<Vec<_>>(), "{intent}");
        assert_eq!(page["pagination"]["total"], listed.len());
    }
    running.abort();
}
