//! A call through a proxy that wants a digest, to a telephone of another make.

use serde_json::json;

use crate::support::kamailio::{Baresip, Kamailio};
use crate::support::{Desk, Installation};

const ASSISTANT: &str = r#"
name = "Reader"
engine = "builtin"
first_message = "Good morning, this is the clinic. Your appointment is on Tuesday at nine o'clock."
closing_line = "Thank you, and goodbye."
"#;

async fn call_baresip_with(algorithm: &str) {
    let installation = Installation::serving(&[]).await;
    let kamailio = Kamailio::start(installation.data(), algorithm);
    let address = kamailio.address();
    let baresip = Baresip::start(installation.data(), "+14155550123", &address);
    let trunk = ["--address", &address, "--username", "callwright", "--password-env", "TRUNK_PASSWORD"];
    let desk = Desk::provision(&installation, ASSISTANT, &trunk);
    let end = desk.call_through().await;
    assert_eq!(
        (&end["status"], &end["callDetails"]["endedReason"]),
        (&json!("completed"), &json!("assistant-ended-call"))
    );

    let heard = baresip.heard().await;
    let seconds = heard.len() as f64 / 8000.0;
    assert!((4.0..30.0).contains(&seconds), "heard {seconds} s");
    let loud = heard.chunks(800).filter(|chunk| rms(chunk) > 300.0).count() as f64 / 10.0;
    assert!(loud > 3.0, "of {seconds} s only {loud} s were speech");
}

fn rms(samples: &[i16]) -> f64 {
    (samples.iter().map(|sample| f64::from(*sample).powi(2)).sum::<f64>() / samples.len().max(1) as f64)
        .sqrt()
}

#[tokio::test]
async fn a_call_with_an_md5_digest_is_heard_by_baresip() {
    call_baresip_with("MD5").await;
}

#[tokio::test]
async fn a_call_with_a_sha_256_digest_is_heard_by_baresip() {
    call_baresip_with("SHA-256").await;
}
