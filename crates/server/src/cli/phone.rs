//! `callwright phone`: a telephone on this machine.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::{ArgMatches, Args};
use domain::assistant::Language;
use domain::audio::AudioFormat;
use domain::ports::Speech;
use phone::{Happening, Options, Phone, PhoneSettings, Receive, Step, Transfers};
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use super::output::Output;
use super::{logging, output};
use crate::adapters;
use crate::config::LogFormat;
use crate::system::SystemEntropy;

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Arguments {
    /// Where it takes calls, over UDP and TCP.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:5070")]
    listen: SocketAddr,
    /// Answer after so many seconds (1 when nothing else is said).
    #[arg(long, value_name = "SECONDS", group = "receive")]
    answer_after: Option<f64>,
    /// Ring until the caller gives up.
    #[arg(long, group = "receive")]
    never_answer: bool,
    /// Be busy (486).
    #[arg(long, group = "receive")]
    busy: bool,
    /// Decline (603).
    #[arg(long, group = "receive")]
    decline: bool,
    /// Reject with another status, 300 to 699.
    #[arg(long, value_name = "CODE", group = "receive")]
    reject: Option<u16>,
    /// Let a ringback tone be heard before the answer (183).
    #[arg(long)]
    early_media: bool,
    /// Say words, once the other side pauses; `--say`, `--play`, `--press` and `--wait` are done in the
    /// order written, and what follows a `--wait` awaits no pause.
    #[arg(long, value_name = "WORDS")]
    say: Vec<String>,
    /// Play a WAV file.
    #[arg(long, value_name = "FILE")]
    play: Vec<PathBuf>,
    /// Press keys.
    #[arg(long, value_name = "KEYS")]
    press: Vec<String>,
    /// Wait so many seconds.
    #[arg(long, value_name = "SECONDS")]
    wait: Vec<f64>,
    /// What becomes of transfers (REFER): accepted with a target that answers, accepted with one that
    /// is busy, or refused. Nobody else is called.
    #[arg(long, value_name = "accept|fail|refuse", default_value = "accept", value_parser = transfers)]
    transfers: Transfers,
    /// Hang up so many seconds after the answer.
    #[arg(long, value_name = "SECONDS")]
    hang_up_after: Option<f64>,
    /// Folder or .wav file for what is heard.
    #[arg(long, value_name = "PATH")]
    record: Option<PathBuf>,
    /// What it understands, best first: pcmu, pcma and g722, separated by commas.
    #[arg(long, value_name = "CODECS", default_value = "pcmu,pcma", value_delimiter = ',', value_parser = codec)]
    codecs: Vec<AudioFormat>,
    /// Exit after so many calls; without it, take calls until interrupted.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    calls: Option<u32>,
    /// The language of the words.
    #[arg(long, default_value = "en-US", value_parser = language)]
    language: Language,
}

fn language(tag: &str) -> Result<Language, String> {
    let all = Language::ALL.map(Language::as_str).join(", ");
    Language::parse(tag).ok_or_else(|| format!("expected one of {all}"))
}

fn codec(name: &str) -> Result<AudioFormat, String> {
    match name.to_ascii_lowercase().as_str() {
        "pcmu" => Ok(AudioFormat::Pcmu),
        "pcma" => Ok(AudioFormat::Pcma),
        "g722" => Ok(AudioFormat::G722),
        _ => Err("expected pcmu, pcma or g722".to_owned()),
    }
}

fn transfers(text: &str) -> Result<Transfers, String> {
    let found = Transfers::ALL.into_iter().find(|choice| choice.as_str() == text);
    found.ok_or_else(|| format!("expected one of {}", Transfers::ALL.map(Transfers::as_str).join(", ")))
}

/// What is to be done after the answer, in the order in which it was written.
pub(super) fn steps(matches: &ArgMatches) -> Vec<Step> {
    fn of<T: Clone + Send + Sync + 'static>(
        matches: &ArgMatches,
        name: &str,
        step: fn(T) -> Step,
    ) -> Vec<(usize, Step)> {
        let places = matches.indices_of(name).into_iter().flatten();
        let values = matches.get_many::<T>(name).into_iter().flatten().cloned();
        places.zip(values.map(step)).collect()
    }
    let mut steps = of(matches, "say", Step::Say);
    steps.extend(of(matches, "play", Step::Play));
    steps.extend(of(matches, "press", Step::Press));
    steps.extend(of(matches, "wait", Step::Wait));
    steps.sort_by_key(|(place, _)| *place);
    steps.into_iter().map(|(_, step)| step).collect()
}

impl Arguments {
    fn options(&self, steps: Vec<Step>) -> Options {
        let receive = match (self.never_answer, self.busy, self.decline, self.reject) {
            (true, ..) => Receive::NeverAnswer,
            (_, true, ..) => Receive::Busy,
            (_, _, true, _) => Receive::Decline,
            (.., Some(code)) => Receive::Reject(code),
            _ => Receive::AnswerAfter(self.answer_after.unwrap_or(1.0)),
        };
        Options {
            receive,
            early_media: self.early_media,
            steps,
            language: self.language,
            transfers: self.transfers,
            hang_up_after: self.hang_up_after,
            record: self.record.clone(),
        }
    }
}

/// Takes calls until it is interrupted, or has had enough; each event is a line.
pub(super) fn run(arguments: &Arguments, steps: Vec<Step>, output: Output) -> anyhow::Result<()> {
    let _log = logging::start("warn", LogFormat::Pretty);
    let script = arguments.options(steps).script()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut settings = PhoneSettings::new(arguments.listen, Arc::new(SystemEntropy));
        let voice: Arc<dyn Speech> = adapters::speech()?;
        settings.speech = Some(voice);
        settings.formats.clone_from(&arguments.codecs);
        let phone = Phone::start(settings, script).await.context("the telephone cannot be started")?;
        let mut events = phone.events();
        let address = phone.local_addr();
        if output.is_json() {
            output.object(&vec![
                ("id", json!("phone")),
                ("event", json!("listening")),
                ("address", json!(address.to_string())),
            ])?;
        } else {
            output::say(&format!("listening on {address}"))?;
        }
        let mut over = 0;
        while arguments.calls.is_none_or(|calls| over < calls) {
            tokio::select! {
                event = events.next() => {
                    let Some(event) = event else { break };
                    output::say(&if output.is_json() { event.to_json() } else { event.to_string() })?;
                    over += u32::from(matches!(event.what, Happening::Over { .. }));
                }
                _ = interrupt.recv() => break,
                _ = terminate.recv() => break,
            }
        }
        phone.shutdown().await;
        Ok(())
    })
}
