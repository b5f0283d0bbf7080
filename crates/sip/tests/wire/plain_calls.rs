//! Plain calls against a scripted peer: answer, audio, BYE from either side, CANCEL, failures.
use domain::audio::AudioFormat;
use domain::ports::{HangUp, LegEnd};

use crate::support::peer::Peer;
use crate::support::{Caller, trunk};

#[tokio::test]
async fn a_call_is_answered_carries_audio_both_ways_and_the_callee_hangs_up() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.request("INVITE").await;
    assert_eq!(invite.header("Call-ID"), line.intent.call_id);
    assert_eq!(invite.from_tag(), line.intent.local_tag);
    assert_eq!(invite.branch(), line.intent.branch);
    assert_eq!(invite.request_uri(), line.intent.request_uri);
    assert!(invite.header("User-Agent").starts_with("Callwright/"));
    assert!(invite.header("Allow").contains("UPDATE"));
    assert!(invite.header("From").starts_with("<sip:+14155550100@127.0.0.1>"));
    peer.reply(&invite, "180 Ringing", &[], "").await;
    assert_eq!(line.ringing().await, 180);
    peer.answer(&invite).await;
    let answered = line.answered().await;
    assert_eq!(answered.format, AudioFormat::Pcmu);
    assert_eq!(answered.saved.remote_tag.as_deref(), Some("callee"));
    let ack = peer.request("ACK").await;
    assert_eq!((ack.cseq(), ack.to_tag()), (invite.cseq(), Some("callee")));

    let media: u16 =
        invite.body().split("m=audio ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let mut buffer = [0; 512];
    for number in 0..25_u16 {
        let mut packet = vec![0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4];
        packet[2..4].copy_from_slice(&number.to_be_bytes());
        packet[4..8].copy_from_slice(&(u32::from(number) * 160).to_be_bytes());
        packet.extend([0x33; 160]);
        peer.rtp.send_to(&packet, ("127.0.0.1", media)).await.unwrap();
        let (length, _) = peer.rtp.recv_from(&mut buffer).await.unwrap();
        assert_eq!((length, buffer[0], buffer[1] & 0x7f), (172, 0x80, 0));
    }
    line.hears(5).await;
    while buffer[12] != 0x55 {
        peer.rtp.recv_from(&mut buffer).await.unwrap();
    }

    peer.ask(&invite, "BYE", 1, &[], "").await;
    peer.response(200).await;
    assert_eq!(line.ended().await, LegEnd::ByPeer);
    caller.forgets_all().await;
}

#[tokio::test]
async fn we_hang_up_with_a_bye_in_the_dialog() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.request("INVITE").await;
    peer.answer(&invite).await;
    line.answered().await;
    peer.request("ACK").await;
    line.hang_up(HangUp::Normal);
    let bye = peer.take_bye().await;
    assert!(bye.cseq() > invite.cseq());
    assert_eq!(bye.to_tag(), Some("callee"));
    assert_eq!(bye.from_tag(), invite.from_tag());
    assert_eq!(bye.request_uri(), format!("sip:callee@{}", peer.address()));
    assert!(bye.header("Reason").contains("cause=16"));
    assert_eq!(line.ended().await, LegEnd::ByUs);
    caller.forgets_all().await;
}

#[tokio::test]
async fn hanging_up_while_it_rings_cancels_the_invite() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.request("INVITE").await;
    peer.reply(&invite, "180 Ringing", &[], "").await;
    line.ringing().await;
    line.hang_up(HangUp::RingLimit);
    let cancel = peer.request("CANCEL").await;
    assert_eq!((cancel.branch(), cancel.cseq()), (invite.branch(), invite.cseq()));
    assert_eq!(cancel.request_uri(), invite.request_uri());
    assert!(cancel.header("Reason").contains("cause=19"));
    peer.reply(&cancel, "200 OK", &[], "").await;
    peer.reply(&invite, "487 Request Terminated", &[], "").await;
    assert_eq!(peer.request("ACK").await.branch(), invite.branch());
    assert_eq!(line.ended().await, LegEnd::ByUs);
    caller.forgets_all().await;
}

#[tokio::test]
async fn a_dropped_leg_hangs_up() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut ringing = caller.dial(&trunk(peer.address())).await;
    let invite = peer.request("INVITE").await;
    peer.reply(&invite, "180 Ringing", &[], "").await;
    ringing.ringing().await;
    drop(ringing);
    let cancel = peer.request("CANCEL").await;
    peer.reply(&cancel, "200 OK", &[], "").await;
    peer.reply(&invite, "487 Request Terminated", &[], "").await;
    peer.request("ACK").await;

    let mut talking = caller.dial(&trunk(peer.address())).await;
    peer.take_call().await;
    talking.answered().await;
    drop(talking);
    peer.take_bye().await;
    caller.forgets_all().await;
}
