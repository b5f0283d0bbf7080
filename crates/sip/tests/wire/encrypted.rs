//! Sound that is encrypted (SDES, RFC 4568) or wideband (G.722), with a telephone of another make; and
//! what becomes of answers that would give the encryption up.

use std::f64::consts::TAU;
use std::future::poll_fn;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::audio::AudioFormat;
use domain::ports::{DialPlan, HangUp, LegEnd, LegEvent, Telephony};
use domain::trunk::{Srtp, Trunk};
use media::codec::{Decoder, Encoder};
use media::srtp::{Master, Stream, Suite};

use crate::support::peer::Peer;
use crate::support::servers::Baresip;
use crate::support::{Caller, PATIENCE, plan, trunk};

const CALLED: &str = "+14155550199";
const WIDE: [AudioFormat; 3] = [AudioFormat::G722, AudioFormat::Pcmu, AudioFormat::Pcma];
const HERTZ: f64 = 1_000.0;
/// Beats of the tone, and those in which its echo is on its way.
const TONE: usize = 75;
const AFTER: usize = 50;

/// So many samples of the tone, 8,000 a second.
fn tone(beat: usize) -> [i16; 160] {
    let mut samples = [0; 160];
    for (index, sample) in samples.iter_mut().enumerate() {
        let at = f64::from(u32::try_from(beat * 160 + index).unwrap()) / 8_000.0;
        *sample = format!("{:.0}", 8_000.0 * (TAU * HERTZ * at).sin()).parse().unwrap();
    }
    samples
}

/// How loud a frame is, and how much of that is our tone (Goertzel's sum over whole periods).
fn measure(samples: &[i16; 160]) -> (f64, f64) {
    let (mut energy, mut re, mut im) = (0.0, 0.0, 0.0);
    for (index, sample) in samples.iter().enumerate() {
        let (x, at) = (f64::from(*sample), f64::from(u32::try_from(index).unwrap()) / 8_000.0);
        energy += x * x;
        re += x * (TAU * HERTZ * at).cos();
        im += x * (TAU * HERTZ * at).sin();
    }
    let share = 2.0 * (re * re + im * im) / 160.0 / energy.max(1.0);
    ((energy / 160.0).sqrt(), share)
}

/// Calls the telephone, plays a tone, and wants to hear it come back; the format that was agreed on.
async fn echo_of(plan: DialPlan) -> AudioFormat {
    let caller = Caller::start().await;
    let mut leg = caller.telephony.prepare(plan).await.unwrap().send().await.unwrap();
    let call = async {
        let (mut beat, mut format, mut codec, mut echoed) = (0, None, None, 0);
        loop {
            match poll_fn(|cx| leg.poll_event(cx)).await {
                LegEvent::Answered(answered) => {
                    leg.acknowledge();
                    format = Some(answered.format);
                    codec = Some((Encoder::new(answered.format), Decoder::new(answered.format)));
                }
                LegEvent::Heard(heard) => {
                    let (encoder, decoder) = codec.as_mut().unwrap();
                    let (loud, share) =
                        heard.audio.map_or((0.0, 0.0), |audio| measure(&decoder.decode_narrow(&audio)));
                    // 8,000/√2 is what was played.
                    echoed += usize::from((4_500.0..6_800.0).contains(&loud) && share > 0.9);
                    leg.play(Some(&encoder.encode_narrow(&if beat < TONE { tone(beat) } else { [0; 160] })));
                    beat += 1;
                    if beat == TONE + AFTER {
                        leg.hang_up(HangUp::Normal);
                    }
                }
                LegEvent::Ended(end) => {
                    assert_eq!(end, LegEnd::ByUs);
                    break;
                }
                _ => {}
            }
        }
        assert!(echoed > TONE / 2, "only {echoed} of {TONE} frames came back");
        format.unwrap()
    };
    let format = tokio::time::timeout(2 * PATIENCE, call).await.expect("the call does not end");
    caller.forgets_all().await;
    format
}

fn encrypted(trunk: Trunk) -> Trunk {
    Trunk { srtp: Srtp::Required, ..trunk }
}

#[tokio::test]
async fn baresip_hears_encrypted_sound_and_is_heard() {
    let telephone = Baresip::standing(CALLED, ";mediaenc=srtp-mand").await;
    let format = echo_of(plan(&encrypted(trunk(telephone.address)))).await;
    assert_eq!(format, AudioFormat::Pcmu);
}

#[tokio::test]
async fn baresip_hears_wideband_sound_and_is_heard() {
    let telephone = Baresip::standing(CALLED, "").await;
    let format = echo_of(DialPlan { formats: WIDE.to_vec(), ..plan(&trunk(telephone.address)) }).await;
    assert_eq!(format, AudioFormat::G722);
}

#[tokio::test]
async fn baresip_hears_encrypted_wideband_sound_and_is_heard() {
    let telephone = Baresip::standing(CALLED, ";mediaenc=srtp-mand").await;
    let trunk = encrypted(trunk(telephone.address));
    let format = echo_of(DialPlan { formats: WIDE.to_vec(), ..plan(&trunk) }).await;
    assert_eq!(format, AudioFormat::G722);
}

#[tokio::test]
async fn a_telephone_that_knows_no_encryption_refuses_to_be_called_with_it() {
    let telephone = Baresip::standing(CALLED, "").await;
    let caller = Caller::start().await;
    let mut line = caller.dial(&encrypted(trunk(telephone.address))).await;
    let end = line.ended().await;
    assert!(matches!(&end, LegEnd::Failed(answer) if answer.code == 488), "{end:?}");
}

/// The answer of a peer whose audio line and attributes are these.
fn answer_of(peer: &Peer, protocol: &str, crypto: &str) -> String {
    let crypto = if crypto.is_empty() { String::new() } else { format!("a=crypto:{crypto}\r\n") };
    peer.sdp_with("a=sendrecv").replace("RTP/AVP", protocol) + &crypto
}

/// Nothing of ours may come to the peer's socket for sound.
async fn stays_silent(peer: &Peer) {
    let mut buffer = [0; 512];
    let received = tokio::time::timeout(Duration::from_millis(100), peer.rtp.recv_from(&mut buffer)).await;
    assert!(received.is_err(), "sound was sent");
}

#[tokio::test]
async fn an_answer_that_gives_the_encryption_up_ends_the_call_without_a_sound() {
    const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd";
    for (protocol, crypto) in [
        ("RTP/AVP", String::new()),
        ("RTP/AVP", format!("1 AES_CM_128_HMAC_SHA1_80 inline:{KEY}")),
        ("RTP/SAVP", String::new()),
        ("RTP/SAVP", "1 AES_CM_128_HMAC_SHA1_80 inline:AAAA".to_owned()),
        // Lines that were not offered: of another tag, of another suite.
        ("RTP/SAVP", format!("2 AES_CM_128_HMAC_SHA1_80 inline:{KEY}")),
        ("RTP/SAVP", format!("1 AES_CM_128_HMAC_SHA1_32 inline:{KEY}")),
        ("RTP/SAVP", format!("1 AES_256_CM_HMAC_SHA1_80 inline:{KEY}")),
        ("RTP/SAVP", format!("1 AES_CM_128_HMAC_SHA1_80 inline:{KEY} UNENCRYPTED_SRTP")),
    ] {
        let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
        let mut line = caller.dial(&encrypted(trunk(peer.address()))).await;
        let invite = peer.request("INVITE").await;
        let answer = answer_of(&peer, protocol, &crypto);
        peer.reply(&invite, "200 OK", &[&peer.contact()], &answer).await;
        assert_eq!(peer.request("ACK").await.cseq(), invite.cseq(), "{protocol} {crypto}");
        peer.take_bye().await;
        assert_eq!(line.ended().await, LegEnd::Unusable, "{protocol} {crypto}");
        stays_silent(&peer).await;
    }
}

#[tokio::test]
async fn a_change_in_the_call_cannot_give_the_encryption_up() {
    const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd";
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&encrypted(trunk(peer.address()))).await;
    let invite = peer.request("INVITE").await;
    let good = answer_of(&peer, "RTP/SAVP", &format!("1 AES_CM_128_HMAC_SHA1_80 inline:{KEY}"));
    peer.reply(&invite, "200 OK", &[&peer.contact()], &good).await;
    peer.request("ACK").await;
    line.answered().await;
    let elsewhere = Peer::bind().await;
    peer.ask(&invite, "INVITE", 1, &[&peer.contact()], &elsewhere.sdp()).await;
    peer.response(488).await;
    peer.ask(&invite, "ACK", 1, &[], "").await;
    // The call goes on as it was, with the key of its offer.
    let (_, key) = invite.body().split_once(" inline:").unwrap();
    let key = STANDARD.decode(key.lines().next().unwrap()).unwrap().try_into().unwrap();
    let mut stream = Stream::new(Suite::Tag80, &Master::new(&key));
    let mut buffer = [0; 512];
    for _ in 0..5 {
        let received = tokio::time::timeout(PATIENCE, peer.rtp.recv_from(&mut buffer)).await;
        let (length, _) = received.expect("no sound comes").unwrap();
        let sealed = buffer[12..172].to_owned();
        let plain = stream.open(&mut buffer[..length]).expect("it is not encrypted");
        assert_eq!(plain[12..], [0x55; 160]);
        assert_ne!(sealed, plain[12..]);
    }
    stays_silent(&elsewhere).await;
    line.hang_up(HangUp::Normal);
    peer.take_bye().await;
    assert_eq!(line.ended().await, LegEnd::ByUs);
}
