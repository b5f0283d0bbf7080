//! A telephone of another make calls the phone, encrypted, and echoes what it hears.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "tests say what they mean"
)]

mod support;

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;

use domain::audio::AudioFormat;
use phone::{Action, Behaviour, CallScript, Happening, Phone, PhoneSettings, Sound};
use support::{settings, whole_call};
use tempfile::TempDir;
use tokio::process::{Child, Command};

/// A baresip that calls the phone with these options of its account.
struct Baresip {
    _child: Child,
    _folder: TempDir,
}

impl Baresip {
    fn calling(phone: SocketAddr, options: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("accounts", &format!("<sip:tester@127.0.0.1>;regint=0{options}\n"));
        write("contacts", "");
        write("config", &CONFIG.replace("LISTEN", &test_ports::free_port().to_string()));
        let child = Command::new("baresip")
            .arg("-f")
            .arg(folder.path())
            .args(["-e", &format!("/dial sip:+15550100@{phone}")])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("baresip (Debian package baresip-core) must be installed");
        Self { _child: child, _folder: folder }
    }
}

const CONFIG: &str = "\
sip_listen LISTEN
net_interface 127.0.0.1
audio_player aubridge,x
audio_source aubridge,x
audio_alert aubridge,x
rtp_ports 46000-49000
module_path /usr/lib/baresip/modules
module g711.so
module g722.so
module srtp.so
module aubridge.so
module_tmp account.so
module_app menu.so
";

async fn is_heard_and_heard_back(options: &str, format: AudioFormat) {
    let folder = tempfile::tempdir().unwrap();
    let script = CallScript {
        // Its ringback tone would hold the sound device that its echo needs.
        behaviour: Behaviour::Answer { after: Duration::from_millis(100), ringing: false },
        record: Some(folder.path().to_owned()),
        ..CallScript::default()
    };
    let script = script.then([
        Action::Wait(Duration::from_millis(400)),
        Action::Say(Sound::Tone { hertz: 800, length: Duration::from_secs(1) }),
        Action::Wait(Duration::from_millis(800)),
        Action::HangUp,
    ]);
    let formats = vec![AudioFormat::G722, AudioFormat::Pcmu, AudioFormat::Pcma];
    let phone = Phone::start(PhoneSettings { formats, ..settings() }, script).await.unwrap();
    let mut events = phone.events();
    let _caller = Baresip::calling(phone.local_addr(), options);
    let seen = whole_call(&mut events).await;
    assert!(
        seen.iter().any(|event| event.what == Happening::Answered { format: Some(format) }),
        "{options}: {seen:#?}"
    );
    assert!(seen.iter().any(|event| event.what == Happening::HungUp { by_us: true }), "{seen:#?}");
    let recorded = seen.iter().find_map(|event| match &event.what {
        Happening::Recorded(recorded) => Some(recorded.clone()),
        _ => None,
    });
    let recorded = recorded.unwrap_or_else(|| panic!("{seen:#?}"));
    let samples: Vec<i16> =
        hound::WavReader::open(&recorded.path).unwrap().into_samples().map(Result::unwrap).collect();
    let voiced: Vec<i16> = samples
        .chunks(160)
        .filter(|frame| frame.iter().any(|sample| sample.abs() > 1_000))
        .flatten()
        .copied()
        .collect();
    let crossings = voiced.windows(2).filter(|pair| (pair[0] < 0) != (pair[1] < 0)).count();
    let seconds = f64::from(u32::try_from(voiced.len()).unwrap()) / 8_000.0;
    let hertz = f64::from(u32::try_from(crossings).unwrap()) / 2.0 / seconds;
    // A busy machine may cost some of the echo, but changes nothing of its pitch.
    assert!((0.6..1.2).contains(&seconds), "{options}: {seconds} s of {hertz} Hz");
    assert!((780.0..820.0).contains(&hertz), "{options}: {seconds} s of {hertz} Hz");
    phone.shutdown().await;
}

#[tokio::test]
async fn encrypted_sound_of_baresip_is_heard_and_answered() {
    is_heard_and_heard_back(";mediaenc=srtp-mand;audio_codecs=PCMA/8000/1", AudioFormat::Pcma).await;
}

#[tokio::test]
async fn encrypted_wideband_sound_of_baresip_is_heard_and_answered() {
    is_heard_and_heard_back(";mediaenc=srtp-mand;audio_codecs=G722/16000/1", AudioFormat::G722).await;
}
