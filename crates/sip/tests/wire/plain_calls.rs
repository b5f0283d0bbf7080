//! Plain calls against a scripted peer: answer, audio, BYE from either side, CANCEL, failures.
use std::net::{Ipv4Addr, Ipv6Addr};

use domain::audio::AudioFormat;
use domain::ports::{HangUp, LegEnd};
use sip::Settings;

use crate::support::peer::Peer;
use crate::support::{Caller, settings, trunk};

#[tokio::test]
async fn a_call_is_answered_carries_audio_both_ways_and_the_callee_hangs_up() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.request("INVITE").await;
    assert_eq!(invite.header("Call-ID"), line.intent.call_id);
    assert_eq!(invite.caller_tag(), line.intent.local_tag);
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
    assert_eq!((ack.cseq(), ack.callee_tag()), (invite.cseq(), Some("callee")));

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
    assert_eq!(bye.callee_tag(), Some("callee"));
    assert_eq!(bye.caller_tag(), invite.caller_tag());
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

#[tokio::test]
async fn each_peer_sees_an_address_of_ours_that_it_can_reach() {
    let everywhere = Settings { listen: (Ipv4Addr::UNSPECIFIED, 0).into(), ..settings() };
    let public = Settings { public_address: Some("203.0.113.9".parse().unwrap()), ..everywhere.clone() };
    for (settings, seen) in [(everywhere, "127.0.0.1"), (public, "203.0.113.9")] {
        let (caller, mut peer) = (Caller::with(settings).await, Peer::bind().await);
        let _line = caller.dial(&trunk(peer.address())).await;
        let invite = peer.request("INVITE").await;
        let ours = format!("{seen}:{}", caller.telephony.local_addr().port());
        assert!(invite.header("Via").contains(&ours), "{}", invite.text);
        assert!(invite.header("Contact").contains(&ours), "{}", invite.text);
        assert!(invite.body().contains(&format!("c=IN IP4 {seen}\r\n")), "{}", invite.text);
        assert!(invite.header("Call-ID").ends_with(&format!("@{seen}")), "{}", invite.text);
    }
}

#[tokio::test]
async fn calls_over_ipv6_work_alike() {
    let listen = (Ipv6Addr::LOCALHOST, 0).into();
    let caller = Caller::with(Settings { listen, ..settings() }).await;
    let mut peer = Peer::bind_at(Ipv6Addr::LOCALHOST.into()).await;
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.request("INVITE").await;
    assert_eq!(invite.request_uri(), format!("sip:+14155550199@{}", peer.address()));
    assert!(invite.header("From").starts_with("<sip:+14155550100@[::1]>"));
    assert!(invite.body().contains("c=IN IP6 ::1\r\n"));
    peer.answer(&invite).await;
    line.answered().await;
    peer.request("ACK").await;
    let mut buffer = [0; 512];
    assert_eq!(peer.rtp.recv_from(&mut buffer).await.unwrap().0, 172);
    line.hang_up(HangUp::Normal);
    peer.take_bye().await;
    assert_eq!(line.ended().await, LegEnd::ByUs);
}

#[tokio::test]
async fn keys_go_both_ways() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.take_call().await;
    line.answered().await;
    let media: u16 =
        invite.body().split("m=audio ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    for (number, end) in [(1_u16, 0x00_u8), (2, 0x00), (3, 0x80)] {
        let mut packet = vec![0x80, 101, 0, 0, 0, 0, 9, 9, 1, 2, 3, 4, 5, end | 0x0a, 0, 160];
        packet[2..4].copy_from_slice(&number.to_be_bytes());
        packet[14..16].copy_from_slice(&(number * 160).to_be_bytes());
        peer.rtp.send_to(&packet, ("127.0.0.1", media)).await.unwrap();
    }
    line.hears_keys("5").await;
    line.press('7');
    let mut buffer = [0; 512];
    loop {
        peer.rtp.recv_from(&mut buffer).await.unwrap();
        if buffer[1] & 0x7f == 101 && buffer[13] & 0x80 != 0 {
            break;
        }
    }
    assert_eq!(buffer[12], 7);
}

#[tokio::test]
async fn a_final_code_that_does_not_exist_is_a_failure_of_the_server() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    for status in ["799 Beyond", "9999 Far Beyond", "65535 Beyond All"] {
        let mut line = caller.dial(&trunk(peer.address())).await;
        let invite = peer.request("INVITE").await;
        peer.reply(&invite, status, &[], "").await;
        peer.request("ACK").await;
        let end = line.ended().await;
        assert!(matches!(&end, LegEnd::Failed(answer) if answer.code == 500), "{end:?}");
    }
}
