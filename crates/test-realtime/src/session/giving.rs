//! Responses, from their order to their end, with the faults that they were given.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;

use super::{Active, Over, Ready, Session};
use crate::client_event::Refusal;
use crate::options::{Fault, Part, Passing};
use crate::response::{self, Manner, Step};

/// How many pieces of sound a response has before it drops or is cut off.
const DROPS_AFTER: usize = 3;

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Session<S> {
    pub(super) async fn respond(&mut self, wish: &Value, about: &Value) -> Result<Result<(), Refusal>, Over> {
        if let Some(active) = &self.active {
            return Ok(Err(busy(&active.id)));
        }
        self.asked += 1;
        let id = format!("resp_{}_{}", self.number, self.asked);
        match self.fault {
            Fault::Stall => return Ok(Ok(())),
            Fault::Freeze => std::future::pending().await,
            Fault::Busy if self.asked == 1 => {
                let step = Step::at_once(response::done("resp_auto", "completed", &Value::Null, &[]));
                let step = Step { after: Duration::from_millis(50), ..step };
                self.refuse(&busy("resp_auto"), about).await?;
                self.begin("resp_auto".to_owned(), [step].into());
                return Ok(Ok(()));
            }
            _ => {}
        }
        self.send(json!({"type": "response.created", "response": {
            "object": "realtime.response", "id": id, "status": "in_progress", "output": [],
        }}))
        .await?;
        if let Fault::Fail(times) = self.fault
            && self.asked <= times
        {
            let details =
                json!({"type": "failed", "error": {"type": "server_error", "code": "server_error"}});
            let failed = response::done(&id, "failed", &details, &[]);
            self.begin(id, [Step::at_once(failed)].into());
            return Ok(Ok(()));
        }
        let parts = match exact_words(wish) {
            Some(words) => vec![Part::Say(words)],
            None => self.options.replies.next(),
        };
        let parts: Vec<_> = parts.into_iter().map(|part| (self.items.name(self.number), part)).collect();
        let manner = Manner {
            language: self.options.language,
            format: self.configuration.output,
            speed: self.options.speed,
        };
        self.begin(id.clone(), VecDeque::new());
        let (ready, thinks) = (self.ready.clone(), self.options.thinks);
        tokio::task::spawn_blocking(move || {
            std::thread::sleep(thinks());
            let steps = response::lay_out(&id, &parts, &manner);
            let _ = ready.send(Ready::Response(id, steps));
        });
        Ok(Ok(()))
    }

    pub(super) fn begin(&mut self, id: String, steps: VecDeque<Step>) {
        let next = Instant::now() + steps.front().map_or(Duration::ZERO, |step| step.after);
        self.active = Some(Active { id, steps, next, pieces: 0 });
    }

    pub(super) async fn cancel(&mut self, id: Option<&str>, why: &str) -> Result<Result<(), Refusal>, Over> {
        let Some(active) = self.active.take_if(|active| id.is_none_or(|id| id == active.id)) else {
            let message = "Cancellation failed: no active response found";
            return Ok(Err(Refusal::new("response_cancel_not_active", message)));
        };
        let details = json!({"type": "cancelled", "reason": why});
        self.finish(response::done(&active.id, "cancelled", &details, &[])).await?;
        Ok(Ok(()))
    }

    /// Sends the next event of the response that is given.
    pub(super) async fn step(&mut self) -> Result<(), Over> {
        let Some(active) = &mut self.active else { return Ok(()) };
        let Some(step) = active.steps.pop_front() else { return Ok(()) };
        active.next = Instant::now() + active.steps.front().map_or(Duration::ZERO, |step| step.after);
        let id = active.id.clone();
        if step.event["type"] == "response.done" {
            self.active = None;
            return self.finish(step.event).await;
        }
        if step.event["type"] == "conversation.item.added" {
            let item = step.event["item"].clone();
            self.items.add(item["id"].as_str().unwrap_or_default(), &item);
        }
        if let Some((_, sound)) = &step.sound {
            self.options.watch(self.number, Passing::Spoken(sound));
        }
        self.send(step.event).await?;
        let Some((item, sound)) = step.sound else { return Ok(()) };
        self.items.speak(&item, sound.len());
        self.records.change(|record| match record.spoken.last_mut() {
            Some((last, spoken)) if *last == item => spoken.extend(sound),
            _ => record.spoken.push((item, sound)),
        });
        let Some(active) = &mut self.active else { return Ok(()) };
        active.pieces += 1;
        match self.fault {
            Fault::DropInResponse(number) if self.asked == number && active.pieces == DROPS_AFTER => {
                Err(Over)
            }
            Fault::Incomplete if active.pieces == DROPS_AFTER => {
                self.active = None;
                let details = json!({"type": "incomplete", "reason": "max_output_tokens"});
                self.finish(response::done(&id, "incomplete", &details, &[])).await
            }
            _ => Ok(()),
        }
    }

    /// Sends the end of a response.
    pub(super) async fn finish(&mut self, done: Value) -> Result<(), Over> {
        let status = done["response"]["status"].as_str().unwrap_or_default().to_owned();
        self.records.change(|record| record.responses.push(status));
        self.send(done).await?;
        self.send(json!({"type": "rate_limits.updated", "rate_limits": []})).await
    }
}

fn busy(id: &str) -> Refusal {
    let message = format!(
        "Conversation already has an active response in progress: {id}. Wait until the response is finished before creating a new one."
    );
    Refusal::new("conversation_already_has_active_response", message)
}

/// The words that a model is told to say exactly, which it does.
fn exact_words(wish: &Value) -> Option<String> {
    let instructions = wish["instructions"].as_str()?;
    let (order, words) = instructions.split_once("\n\n")?;
    (wish["tool_choice"] == "none" && order.contains("exactly")).then(|| words.to_owned())
}
