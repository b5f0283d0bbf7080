//! What the log may hold of a call whose sound is encrypted.

use std::collections::BTreeSet;

use domain::ports::{HangUp, LegEnd};
use domain::trunk::{Srtp, Trunk};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::{Layer, SubscriberExt};

use crate::support::lines::Lines;
use crate::support::peer::Peer;
use crate::support::{Caller, trunk};

/// The description of a peer that encrypts with `key`.
fn with_key(peer: &Peer, key: &str) -> String {
    let line = format!("a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:{key}");
    peer.sdp_with(&line).replace("RTP/AVP", "RTP/SAVP")
}

/// Every key that a text shows.
fn keys(text: &str) -> BTreeSet<&str> {
    text.split("inline:").skip(1).filter_map(|rest| rest.get(..40)).collect()
}

#[tokio::test]
async fn no_line_of_ours_shows_a_key_and_the_librarys_warnings_do_not_either() {
    let (ours, everything) = (Lines::default(), Lines::default());
    let capped = Targets::new().with_default(LevelFilter::TRACE).with_target("rsipstack", LevelFilter::WARN);
    let (to_ours, to_everything) = (ours.clone(), everything.clone());
    let subscriber = tracing_subscriber::registry()
        .with(layer().with_ansi(false).with_writer(move || to_ours.clone()).with_filter(capped))
        .with(layer().with_ansi(false).with_writer(move || to_everything.clone()));
    // The test's only thread does everything.
    let _logging = tracing::subscriber::set_default(subscriber);

    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let trunk = Trunk { srtp: Srtp::Required, ..trunk(peer.address()) };
    let mut line = caller.dial(&trunk).await;
    let invite = peer.request("INVITE").await;
    let first = with_key(&peer, "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd");
    peer.reply(&invite, "183 Session Progress", &[&peer.contact()], &first).await;
    peer.reply(&invite, "200 OK", &[&peer.contact()], &first).await;
    peer.request("ACK").await;
    line.answered().await;
    let second = with_key(&peer, "HRwbGhkYFxYVFBMSERAPDg0MCwoJCAcGBQQDAgEA");
    peer.ask(&invite, "INVITE", 1, &[&peer.contact()], &second).await;
    peer.response(200).await;
    peer.ask(&invite, "ACK", 1, &[], "").await;
    // An offer that is refused, and an answer that cannot be used.
    peer.ask(&invite, "UPDATE", 2, &[&peer.contact()], &first.replace("PCMU", "OPUS").replace(" 0 ", " 96 "))
        .await;
    peer.response(488).await;
    line.hang_up(HangUp::Normal);
    peer.take_bye().await;
    assert_eq!(line.ended().await, LegEnd::ByUs);
    let mut line = caller.dial(&trunk).await;
    let invite = peer.request("INVITE").await;
    peer.reply(&invite, "200 OK", &[&peer.contact()], &first.replace("_80", "_32")).await;
    peer.request("ACK").await;
    peer.take_bye().await;
    assert_eq!(line.ended().await, LegEnd::Unusable);
    caller.forgets_all().await;

    let (everything, ours) = (everything.text(), ours.text());
    let mut keys = keys(&everything);
    // Two of ours: what must be held back was told. Of what comes in, the library tells nothing.
    assert_eq!(keys.len(), 2, "{everything}");
    keys.extend(["AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd", "HRwbGhkYFxYVFBMSERAPDg0MCwoJCAcGBQQDAgEA"]);
    assert!(ours.contains("leg ended") && ours.contains("the answer cannot be used"), "{ours}");
    for key in keys {
        assert!(!ours.contains(key), "{key} in:\n{ours}");
    }
}
