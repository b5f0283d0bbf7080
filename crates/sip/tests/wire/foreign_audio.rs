//! Audio from other addresses than the negotiated one. The callee is at 127.0.0.1, a stranger at
//! 127.0.0.2.

use std::net::SocketAddr;
use std::time::Duration;

use domain::network::Network;
use domain::ports::{HangUp, LegEnd};
use domain::trunk::Trunk;
use tokio::net::UdpSocket;

use crate::support::line::Line;
use crate::support::message::Message;
use crate::support::peer::Peer;
use crate::support::{Caller, PATIENCE, trunk};

const STRANGER: &str = "127.0.0.2:0";
const CALLEES: u8 = 0x55;
const STRANGERS: u8 = 0x22;

/// 20 ms of this byte.
fn packet(ssrc: u8, number: u16, value: u8) -> Vec<u8> {
    let [n0, n1] = number.to_be_bytes();
    let [t0, t1, t2, t3] = (u32::from(number) * 160).to_be_bytes();
    let mut packet = vec![0x80, 0, n0, n1, t0, t1, t2, t3, 1, 2, 3, ssrc];
    packet.extend([value; 160]);
    packet
}

/// Where the caller wants audio.
fn media_of(invite: &Message) -> SocketAddr {
    let port = invite.body().split("m=audio ").nth(1).unwrap().split(' ').next().unwrap();
    format!("127.0.0.1:{port}").parse().unwrap()
}

async fn receive(socket: &UdpSocket) -> Vec<u8> {
    let mut buffer = [0; 512];
    let (length, _) = tokio::time::timeout(PATIENCE, socket.recv_from(&mut buffer)).await.unwrap().unwrap();
    buffer[..length].to_vec()
}

fn received_nothing(socket: &UdpSocket) -> bool {
    socket.try_recv_from(&mut [0; 512]).is_err()
}

/// A call that was answered with this description, and where it wants audio.
async fn call(peer: &mut Peer, trunk: &Trunk, sdp: &str) -> (Caller, Line, SocketAddr) {
    let caller = Caller::start().await;
    let mut line = caller.dial(trunk).await;
    let invite = peer.request("INVITE").await;
    peer.reply(&invite, "200 OK", &[&peer.contact()], sdp).await;
    line.answered().await;
    peer.request("ACK").await;
    (caller, line, media_of(&invite))
}

async fn hang_up(peer: &mut Peer, line: &mut Line) {
    line.hang_up(HangUp::Normal);
    peer.take_bye().await;
    assert_eq!(line.ended().await, LegEnd::ByUs);
}

#[tokio::test]
async fn strangers_audio_is_neither_heard_nor_answered() {
    let mut peer = Peer::bind().await;
    let sdp = peer.sdp();
    let trunk = trunk(peer.address());
    let (_caller, mut line, ours) = call(&mut peer, &trunk, &sdp).await;
    let stranger = UdpSocket::bind(STRANGER).await.unwrap();
    // Before the callee says a word, and then as if it were its stream.
    for number in 0..20 {
        stranger.send_to(&packet(9, number, STRANGERS), ours).await.unwrap();
    }
    line.refuses(20).await;
    peer.rtp.send_to(&packet(7, 100, CALLEES), ours).await.unwrap();
    line.hears_byte(CALLEES, 160).await;
    for number in 101..121 {
        stranger.send_to(&packet(7, number, STRANGERS), ours).await.unwrap();
    }
    line.refuses(40).await;
    for number in 101..106 {
        peer.rtp.send_to(&packet(7, number, CALLEES), ours).await.unwrap();
    }
    line.hears_byte(CALLEES, 4 * 160).await;
    assert!(!line.sound.contains(&STRANGERS));
    receive(&peer.rtp).await;
    assert!(received_nothing(&stranger), "audio went to the stranger");
    hang_up(&mut peer, &mut line).await;
}

#[tokio::test]
async fn audio_from_the_address_of_the_signalling_is_heard() {
    let mut peer = Peer::bind().await;
    let sdp = peer.sdp().replace("IN IP4 127.0.0.1", "IN IP4 127.0.0.5");
    let trunk = trunk(peer.address());
    let (_caller, mut line, ours) = call(&mut peer, &trunk, &sdp).await;
    peer.rtp.send_to(&packet(7, 1, CALLEES), ours).await.unwrap();
    line.hears_byte(CALLEES, 160).await;
    receive(&peer.rtp).await;
    line.refuses(0).await;
    hang_up(&mut peer, &mut line).await;
}

#[tokio::test]
async fn a_contact_leaves_audio_of_the_invites_gateway_trusted() {
    let (mut peer, mut elsewhere) = (Peer::bind().await, Peer::bind_at("127.0.0.3".parse().unwrap()).await);
    let sdp = peer.sdp().replace("IN IP4 127.0.0.1", "IN IP4 127.0.0.5");
    let (caller, trunk) = (Caller::start().await, trunk(peer.address()));
    let mut line = caller.dial(&trunk).await;
    let invite = peer.request("INVITE").await;
    peer.reply(&invite, "200 OK", &[&elsewhere.contact()], &sdp).await;
    line.answered().await;
    elsewhere.request("ACK").await;
    let ours = media_of(&invite);
    peer.rtp.send_to(&packet(7, 1, CALLEES), ours).await.unwrap();
    line.hears_byte(CALLEES, 160).await;
    // A new description, from where the Contact leads.
    let sdp = elsewhere.sdp().replace("IN IP4 127.0.0.3", "IN IP4 127.0.0.5");
    elsewhere.ask(&invite, "INVITE", 1, &[&elsewhere.contact()], &sdp).await;
    elsewhere.response(200).await;
    elsewhere.ask(&invite, "ACK", 1, &[], "").await;
    elsewhere.rtp.send_to(&packet(9, 1, STRANGERS), ours).await.unwrap();
    line.refuses(1).await;
    let talking = async {
        for number in 2.. {
            peer.rtp.send_to(&packet(7, number, CALLEES), ours).await.unwrap();
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::select! {
        () = line.hears_byte(CALLEES, 160) => {}
        () = talking => {}
    }
    assert!(!line.sound.contains(&STRANGERS));
    line.hang_up(HangUp::Normal);
    elsewhere.take_bye().await;
    assert_eq!(line.ended().await, LegEnd::ByUs);
}

#[tokio::test]
async fn with_nat_another_address_is_heard_from_its_fifth_packet_on() {
    let mut peer = Peer::bind().await;
    let sdp = peer.sdp();
    let trunk = Trunk { nat: true, ..trunk(peer.address()) };
    let (_caller, mut line, ours) = call(&mut peer, &trunk, &sdp).await;
    let translated = UdpSocket::bind("127.0.0.3:0").await.unwrap();
    for number in 1..=4 {
        translated.send_to(&packet(7, number, CALLEES), ours).await.unwrap();
    }
    line.refuses(4).await;
    assert!(line.sound.is_empty() && received_nothing(&translated));
    translated.send_to(&packet(7, 5, CALLEES), ours).await.unwrap();
    line.hears_byte(CALLEES, 160).await;
    assert_eq!(receive(&translated).await.len(), 172);
    line.refuses(0).await;
    hang_up(&mut peer, &mut line).await;
}

#[tokio::test]
async fn outside_the_media_networks_nothing_is_heard_or_sent() {
    let mut peer = Peer::bind().await;
    let sdp = peer.sdp();
    let media_networks = vec![Network::parse("127.0.0.4/30").unwrap()];
    let trunk = Trunk { nat: true, media_networks, ..trunk(peer.address()) };
    let (_caller, mut line, ours) = call(&mut peer, &trunk, &sdp).await;
    for number in 0..10 {
        peer.rtp.send_to(&packet(7, number, STRANGERS), ours).await.unwrap();
    }
    line.refuses(10).await;
    assert!(line.sound.is_empty() && received_nothing(&peer.rtp));
    let inside = UdpSocket::bind("127.0.0.6:0").await.unwrap();
    for number in 0..5 {
        inside.send_to(&packet(8, number, CALLEES), ours).await.unwrap();
    }
    line.hears_byte(CALLEES, 160).await;
    receive(&inside).await;
    assert!(received_nothing(&peer.rtp));
    hang_up(&mut peer, &mut line).await;
}
