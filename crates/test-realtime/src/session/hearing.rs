//! What the client says aloud: turns, their items and their words.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::sleep;

use super::{Over, Ready, Session};
use crate::client_event::Refusal;
use crate::ears::{Detection, Heard};
use crate::options::Passing;
use crate::record::HeardTurn;

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Session<S> {
    pub(super) async fn hear(&mut self, sound: &[u8]) -> Result<Result<(), Refusal>, Over> {
        self.options.watch(self.number, Passing::Heard(sound));
        self.records.change(|record| record.sound[self.number].extend_from_slice(sound));
        let samples = self.configuration.input.decode(sound);
        let heard = self.ears.as_mut().map(|ears| ears.hear(&samples)).unwrap_or_default();
        for heard in heard {
            match heard {
                Heard::Started { at_ms } => {
                    self.turn = self.items.name(self.number);
                    let item = self.turn.clone();
                    self.send(json!({
                        "type": "input_audio_buffer.speech_started", "audio_start_ms": at_ms, "item_id": item,
                    }))
                    .await?;
                    if self.configuration.interrupts && self.active.is_some() {
                        let _ = self.cancel(None, "turn_detected").await?;
                    }
                }
                Heard::Stopped { at_ms, samples } => self.turn_over(at_ms, samples).await?,
            }
        }
        Ok(Ok(()))
    }

    async fn turn_over(&mut self, at_ms: usize, samples: Vec<i16>) -> Result<(), Over> {
        let item = self.turn.clone();
        let stopped =
            json!({"type": "input_audio_buffer.speech_stopped", "audio_end_ms": at_ms, "item_id": item});
        self.send(stopped).await?;
        let before = self.items.last().map(str::to_owned);
        let committed =
            json!({"type": "input_audio_buffer.committed", "item_id": item, "previous_item_id": before});
        self.send(committed).await?;
        let message = json!({
            "id": item, "object": "realtime.item", "type": "message", "status": "completed", "role": "user",
            "content": [{"type": "input_audio", "transcript": null}],
        });
        self.items.add(&item, &message);
        for kind in ["conversation.item.added", "conversation.item.done"] {
            self.send(json!({"type": kind, "previous_item_id": before, "item": message})).await?;
        }
        if self.configuration.transcribes {
            let (options, ready) = (Arc::clone(&self.options), self.ready.clone());
            let (item, samples) = (item.clone(), samples.clone());
            tokio::spawn(async move {
                let listening = Arc::clone(&options);
                let heard = tokio::task::spawn_blocking(move || listening.recogniser.listen(&samples));
                let heard = heard.await.unwrap_or_default();
                sleep(options.transcript_after).await;
                let _ = ready.send(Ready::Words(item, heard));
            });
        }
        let turn = HeardTurn { connection: self.number, item, samples };
        self.records.change(|record| record.turns.push(turn));
        if self.configuration.answers && self.active.is_none() {
            let _ = self.respond(&Value::Null, &Value::Null).await?;
        }
        Ok(())
    }
}

pub(super) fn settings(detection: &Value) -> Detection {
    let ms = |name: &str, default: u64| {
        usize::try_from(detection[name].as_u64().unwrap_or(default)).unwrap_or_default()
    };
    #[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "a number between 0 and 1")]
    let threshold = detection["threshold"].as_f64().unwrap_or(0.5) as f32;
    Detection {
        threshold,
        prefix_ms: ms("prefix_padding_ms", 300),
        silence_ms: ms("silence_duration_ms", 500),
    }
}
