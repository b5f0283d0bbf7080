//! A flood of INVITEs while calls run and start: from strangers' addresses, or from the peer's own.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::board::{Board, Moment};
use crate::database;
use crate::desk::{Desk, LISTENER};
use crate::dialler::{Dialler, Watch};
use crate::figure::{Report, millis};
use crate::installation::{Installation, PATIENCE};
use crate::machine::{Meter, resident};
use crate::peer::{self, Behaviour};
use crate::receiver;
use crate::talker::{Frame, Manner, SILENCE, Talker};

/// Calls that run all the time.
const STANDING: u32 = 20;
/// New calls a second, each of two seconds.
const PER_SECOND: u32 = 5;
const SHORT: Duration = Duration::from_secs(2);
/// Calls before the measurement: connections open, statements are prepared, the line is spoken.
const WARM_UP: u32 = PER_SECOND * 5;
/// Calls without the flood, and during it.
const QUIET: u32 = PER_SECOND * 60;
const FLOODED: u32 = PER_SECOND * 30;
/// The standing calls last beyond all of that.
const LONG: Duration = Duration::from_secs(110);

/// INVITEs a second that are sent, if the machine can.
const FLOOD: u64 = 20_000;
/// What is still remembered of SIP after a flood: 64 × T1, and a little.
const FORGOTTEN: Duration = Duration::from_secs(36);

/// Rows of the board, in the order of the calls.
const QUIET_FROM: u32 = STANDING + WARM_UP;
const FLOODED_FROM: u32 = QUIET_FROM + QUIET;
const ALL: u32 = FLOODED_FROM + FLOODED;

/// A callee that sends silence: without any packet a call would end.
struct Silent;

impl Manner for Silent {
    fn say(&self, _call: u32, _beat: u32) -> Frame {
        SILENCE
    }
}

/// Whose addresses the flood comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// 127.0.0.2–127.0.0.250, where no trunk is.
    Strangers,
    /// The address of the trunk, at other ports.
    Peer,
}

pub(crate) fn strangers(installation: &Installation, report: &mut Report) {
    run(installation, report, Source::Strangers);
}

pub(crate) fn peer(installation: &Installation, report: &mut Report) {
    run(installation, report, Source::Peer);
}

/// What one run saw beside the board.
struct Seen {
    flood: Sent,
    before: f64,
    after: f64,
    processors: String,
}

fn run(installation: &Installation, report: &mut Report, source: Source) {
    let board = Arc::new(Board::new(ALL));
    let talk = |length, talker| peer::start(Behaviour::Talk { length, board: board.clone(), talker });
    let standing = talk(LONG, Some(Talker::start(Arc::new(Silent))));
    let short = talk(SHORT, None);
    let standing = Dialler::new(installation, Desk::provision(installation, LISTENER, standing));
    let short = Dialler::new(installation, Desk::provision(installation, LISTENER, short));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let seen = runtime.block_on(load(installation, &board, [standing, short], source));
    database::settled(installation);
    std::thread::sleep(FORGOTTEN);
    tell(installation, report, source, &board, &seen);
}

async fn load(
    installation: &Installation,
    board: &Arc<Board>,
    [standing, short]: [Dialler; 2],
    source: Source,
) -> Seen {
    let watch = Watch { board: board.clone(), callbacks: receiver::start(board.clone()).await };
    standing.place(0..STANDING, STANDING, Some(watch.clone())).await;
    short.place(STANDING..QUIET_FROM, PER_SECOND, Some(watch.clone())).await;
    short.place(QUIET_FROM..FLOODED_FROM, PER_SECOND, Some(watch.clone())).await;
    let before = resident(installation.pid());
    let (sip, meter) = (board.caller(), Meter::start(installation.pid()));
    let flooding =
        std::thread::spawn(move || flood(sip, source, Duration::from_secs((FLOODED / PER_SECOND).into())));
    short.place(FLOODED_FROM..ALL, PER_SECOND, Some(watch)).await;
    let flood = flooding.join().unwrap();
    let (_, processors) = meter.stop();
    let after = resident(installation.pid());
    // The standing calls end, too.
    let deadline = tokio::time::Instant::now() + LONG + PATIENCE;
    while board.count(Moment::CalledBack) < ALL as usize && tokio::time::Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Seen { flood, before, after, processors }
}

fn tell(installation: &Installation, report: &mut Report, source: Source, board: &Board, seen: &Seen) {
    let from = match source {
        Source::Strangers => "strangers' addresses",
        Source::Peer => "the trunk's address",
    };
    let Seen { flood, before, after, processors } = seen;
    report.note(&format!(
        "{} INVITEs from {from} in {:.1} s: {:.0} a second, of {FLOOD} wanted; {} answers to them",
        flood.invites,
        flood.took.as_secs_f64(),
        flood.invites as f64 / flood.took.as_secs_f64(),
        flood.answers,
    ));
    report.note(&format!("{STANDING} calls run all the time, {PER_SECOND} a second start"));
    report.note(processors);
    for (moment, what) in [(Moment::Invited, "INVITEs"), (Moment::CalledBack, "callbacks")] {
        report.none(&format!("{what} that never came"), ALL as usize - board.count(moment));
    }
    // Each is hung up by the callee: any other end is a lost call.
    let lost = "SELECT count(*) FROM calls WHERE ended_reason IS DISTINCT FROM 'customer-ended-call'";
    report.none("calls lost", database::query(installation, lost).parse().unwrap());
    if source == Source::Strangers {
        report.none("answers to strangers", flood.answers);
    }
    let dial = |calls| board.within(calls, Moment::Requested, Moment::Invited);
    let (quiet, flooded) = (dial(QUIET_FROM..FLOODED_FROM), dial(FLOODED_FROM..ALL));
    report.note(&format!("request sent → INVITE received, without the flood: {quiet}"));
    report.note(&format!("request sent → INVITE received, during the flood: {flooded}"));
    let ratio = millis(flooded.percentile(99.0)) / millis(quiet.percentile(99.0));
    report.at_most("dial p99 during the flood against p99 without it", ratio, 2.0, "times");
    let rest = resident(installation.pid());
    report.note(&format!(
        "memory: {before:.1} MiB before the flood, {after:.1} MiB at its end, {rest:.1} MiB at rest"
    ));
    report.at_most("memory at the end of the flood, as a share of before", after / before, 1.1, "times");
    report.at_most("memory at rest after the flood, as a share of before", rest / before, 1.1, "times");
}

/// What a flood came to.
struct Sent {
    invites: u64,
    took: Duration,
    answers: usize,
}

/// Sends INVITEs of ever new transactions at an even pace; when the machine is behind, it catches up.
fn flood(to: SocketAddr, source: Source, length: Duration) -> Sent {
    let sockets: Vec<UdpSocket> = (2..=250_u8)
        .map(|last| {
            let address =
                if source == Source::Peer { Ipv4Addr::LOCALHOST } else { Ipv4Addr::new(127, 0, 0, last) };
            let socket = UdpSocket::bind((address, 0)).unwrap();
            socket.set_nonblocking(true).unwrap();
            socket
        })
        .collect();
    let addresses: Vec<SocketAddr> = sockets.iter().map(|socket| socket.local_addr().unwrap()).collect();
    let began = Instant::now();
    let (mut sent, mut refused, mut answers) = (0, 0_u64, 0);
    let mut answer = [0; 2_048];
    while began.elapsed() < length {
        let due = u64::try_from(began.elapsed().as_millis()).unwrap() * FLOOD / 1_000;
        while sent < due {
            let at = usize::try_from(sent).unwrap() % sockets.len();
            // A full buffer of our own is tried again: it is no datagram of the flood yet.
            if sockets[at].send_to(invite(sent, addresses[at], to).as_bytes(), to).is_ok() {
                sent += 1;
            } else {
                refused += 1;
                assert!(refused <= 1_000_000, "the flood cannot be sent");
            }
            while sockets[at].recv_from(&mut answer).is_ok() {
                answers += 1;
            }
            if began.elapsed() >= length {
                break;
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Sent { invites: sent, took: began.elapsed(), answers }
}

/// An INVITE of a transaction and a dialog that nobody knows.
fn invite(number: u64, from: SocketAddr, to: SocketAddr) -> String {
    format!(
        "INVITE sip:+14155550100@{to} SIP/2.0\r\nVia: SIP/2.0/UDP {from};branch=z9hG4bKflood{number};rport\r\n\
         Max-Forwards: 70\r\nFrom: <sip:flood@{from}>;tag=f{number}\r\nTo: <sip:+14155550100@{to}>\r\n\
         Call-ID: flood-{number}@{from}\r\nCSeq: 1 INVITE\r\nContact: <sip:flood@{from}>\r\n\
         Content-Length: 0\r\n\r\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flood_reaches_its_target_from_many_addresses() {
        let target = UdpSocket::bind("127.0.0.1:0").unwrap();
        let to = target.local_addr().unwrap();
        let reading = std::thread::spawn(move || {
            target.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
            let mut buffer = [0; 2_048];
            let mut sources = std::collections::HashSet::new();
            while sources.len() < 249 {
                let (length, from) = target.recv_from(&mut buffer).expect("a datagram of the flood");
                assert!(buffer[..length].starts_with(b"INVITE sip:+14155550100@127.0.0.1"));
                sources.insert(from.ip());
            }
        });
        let sent = flood(to, Source::Strangers, Duration::from_millis(500));
        reading.join().unwrap();
        assert!(sent.invites > 249 && sent.answers == 0, "{}", sent.invites);
    }
}
