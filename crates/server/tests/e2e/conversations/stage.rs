//! A call between an assistant with an engine and a telephone, over a wire that writes everything down.

use phone::{CallScript, Happening};
use serde_json::{Value, json};
use test_ears::{hear, words_match};

use super::wire::{Weather, Wire};
use crate::support::installation::client;
use crate::support::{Desk, Installation, PATIENCE, Receiver, Telephone};

/// The key that the provider wants.
pub const KEY: &str = "sk-of-the-tests";

/// Everything that a call needs.
pub struct Stage {
    pub installation: Installation,
    pub telephone: Telephone,
    pub wire: Wire,
    desk: Desk,
    receiver: Receiver,
    call: String,
    _folder: tempfile::TempDir,
}

/// What a call came to.
pub struct Ended {
    /// What the telephone told.
    pub story: Vec<Happening>,
    /// What it recorded.
    pub heard: Vec<i16>,
    /// The call's record.
    pub record: Value,
    /// Its transcript, line by line, without the times.
    pub transcript: Vec<String>,
}

impl Stage {
    /// Places a call by this assistant to a telephone that follows a script.
    pub async fn calls(assistant: &str, script: CallScript) -> Self {
        Self::calls_in(Weather::default(), assistant, script).await
    }

    /// The same over a wire in bad weather.
    pub async fn calls_in(weather: Weather, assistant: &str, mut script: CallScript) -> Self {
        let origins = origins(assistant);
        let settings = [
            ("ENGINES__ALLOWED_NETWORKS", "127.0.0.0/8"),
            ("ENGINES__CREDENTIALS__PROVIDER__VARIABLE", "PROVIDER_KEY"),
            ("ENGINES__CREDENTIALS__PROVIDER__ORIGINS", &origins),
            ("ENGINES__CREDENTIALS__PROVIDER__TENANTS", "*"),
        ];
        let mut installation = Installation::new(&settings).await;
        installation.start(&[("PROVIDER_KEY", KEY)]);
        installation.ready().await;
        let folder = tempfile::tempdir().unwrap();
        script.record = Some(folder.path().join("heard.wav"));
        let telephone = Telephone::with(script).await;
        let wire = Wire::before(telephone.address().parse().unwrap(), weather).await;
        let desk = Desk::provision(&installation, assistant, &["--address", &wire.address()]);
        let receiver = Receiver::answering(&[204]).await;
        let mut request = desk.request();
        request["callbackUrl"] = json!(receiver.url());
        let (status, placed) = desk.place(&request).await;
        assert_eq!(status, 201, "{placed}");
        let call = placed["outboundCallId"].as_str().unwrap().to_owned();
        Self { installation, telephone, wire, desk, receiver, call, _folder: folder }
    }

    /// Waits for the end of the call, which has to be this one in status, callback and record alike.
    pub async fn ended(&mut self, status: &str, reason: &str) -> Ended {
        let story = self.telephone.story().await;
        let told = self.desk.outcome(&self.call).await;
        let found = (&told["status"], &told["callDetails"]["endedReason"]);
        assert_eq!(found, (&json!(status), &json!(reason)), "{story:#?}\n{}", self.installation.log());
        let arrival = self.receiver.next(PATIENCE).await;
        let callback = arrival.json();
        assert_eq!((&callback["outboundCallId"], &callback["status"]), (&json!(self.call), &json!(status)));
        assert_eq!(callback["callDetails"]["endedReason"], reason);
        let record = self.desk.complete_record(&self.call, true).await;
        assert_eq!(record["callEndedReason"], reason);
        let transcript = self.transcript(&record).await;
        let recorded = story.iter().find_map(|what| match what {
            Happening::Recorded(recorded) => Some(recorded.path.clone()),
            _ => None,
        });
        let heard = media::wav::read_samples(&recorded.expect("what the telephone heard")).unwrap();
        Ended { story, heard, record, transcript }
    }

    async fn transcript(&self, record: &Value) -> Vec<String> {
        let answer = client().get(record["transcriptUrl"].as_str().unwrap()).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["content-type"], "text/plain; charset=utf-8");
        let text = answer.text().await.unwrap();
        let line = |line: &str| line.split_once("] ").expect("a moment and a turn").1.to_owned();
        text.lines().map(line).collect()
    }
}

/// An assistant whose engine is the double at this address; `top` are keys of its own, `tables` follow.
pub fn realtime(double: &test_realtime::Double, top: &str, tables: &str) -> String {
    realtime_at(double.url().as_str(), top, tables)
}

/// The same somewhere else.
pub fn realtime_at(endpoint: &str, top: &str, tables: &str) -> String {
    format!(
        "name = \"Receptionist\"\nengine = \"realtime\"\ninstructions = \"Be kind.\"\n{top}\n\
         [realtime]\nmodel = \"gpt-realtime\"\nendpoint = \"{endpoint}\"\ncredential = \"provider\"\n\
         transcription_model = \"gpt-4o-mini-transcribe\"\n{tables}\n"
    )
}

/// Where the providers of an assistant are, as a setting.
fn origins(assistant: &str) -> String {
    let endpoints = assistant.lines().filter_map(|line| line.strip_prefix("endpoint = "));
    let origin = |endpoint: &str| {
        let endpoint = url::Url::parse(endpoint.trim_matches('"')).unwrap();
        endpoint[..url::Position::BeforePath].to_owned()
    };
    endpoints.map(origin).collect::<Vec<_>>().join(",")
}

/// How a double is in these tests unless they say otherwise: it wants the key.
pub fn double() -> test_realtime::Options {
    test_realtime::Options { key: Some(KEY.to_owned()), ..test_realtime::Options::default() }
}

/// Holds lines against what is recognised in the sound.
pub fn understood(lines: &[&str], samples: &[i16]) {
    let heard = hear(samples);
    for line in lines {
        let share = words_match(line, &heard);
        assert!(share >= 0.75, "{line:?} was understood as {heard:?}: {share}");
    }
}
