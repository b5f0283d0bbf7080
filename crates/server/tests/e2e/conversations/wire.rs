//! The wire between the service and a telephone: it writes down every packet with its moment, and
//! may treat them as bad networks do.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use domain::audio::{AudioFormat, FRAME_BYTES};
use media::g711;
use parking_lot::Mutex;
use tokio::net::UdpSocket;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

/// Root mean square of a packet that is loud enough to be someone's: −46 dBFS.
const LOUD: f64 = 164.0;

/// A frame of G.711 µ as it came to the wire.
#[derive(Clone, Debug)]
pub struct Packet {
    pub at: Instant,
    pub sequence: u16,
    pub sound: Vec<u8>,
}

impl Packet {
    fn read(at: Instant, bytes: &[u8]) -> Option<Self> {
        let (head, sound) = bytes.split_at_checked(12)?;
        let is_audio = head[0] == 0x80 && matches!(head[1], 0 | 0x80) && sound.len() == FRAME_BYTES;
        let sequence = u16::from_be_bytes([head[2], head[3]]);
        is_audio.then(|| Self { at, sequence, sound: sound.to_vec() })
    }

    /// Whether it holds more than silence.
    pub fn is_loud(&self) -> bool {
        let square = |byte: &u8| f64::from(g711::decode(AudioFormat::Pcmu, *byte)).powi(2);
        let mean = self.sound.iter().map(square).sum::<f64>() / self.sound.len() as f64;
        mean.sqrt() > LOUD
    }
}

/// The samples of packets, one after the other.
pub fn samples(packets: &[Packet]) -> Vec<i16> {
    let bytes = packets.iter().flat_map(|packet| &packet.sound);
    bytes.map(|byte| g711::decode(AudioFormat::Pcmu, *byte)).collect()
}

/// What becomes of the packets of a call's sound.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weather {
    /// So many of a hundred are lost.
    pub lost: u64,
    /// So many of a hundred come twice.
    pub twice: u64,
    /// Each is late by something up to this, so that they overtake each other.
    pub late: Duration,
    /// Before so many of a hundred comes something that is no RTP, or not quite.
    pub malformed: u64,
}

#[derive(Default)]
struct Seen {
    by_service: Vec<Packet>,
    by_callee: Vec<Packet>,
}

/// A wire for one call.
pub struct Wire {
    address: SocketAddr,
    seen: Arc<Mutex<Seen>>,
    ends: Arc<Mutex<Ends>>,
    _tasks: JoinSet<()>,
}

/// Where the two ends of the sound are, once they have told.
#[derive(Default)]
struct Ends {
    service: Option<SocketAddr>,
    callee: Option<SocketAddr>,
}

impl Wire {
    /// Lies before the telephone at this address.
    pub async fn before(telephone: SocketAddr, weather: Weather) -> Self {
        let bind = async || Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
        let (signalling, near, far) = (bind().await, bind().await, bind().await);
        let (seen, ends) = (Arc::<Mutex<Seen>>::default(), Arc::<Mutex<Ends>>::default());
        let address = signalling.local_addr().unwrap();
        let mut tasks = JoinSet::new();
        let ports = (near.local_addr().unwrap().port(), far.local_addr().unwrap().port());
        tasks.spawn(carry_signalling(signalling, telephone, ports, ends.clone()));
        // What comes in at the far side goes out at the near one, and the other way round.
        let written = seen.clone();
        let write = move |packet| written.lock().by_service.push(packet);
        let known = ends.clone();
        tasks.spawn(carry(far.clone(), near.clone(), move || known.lock().callee, weather, 1, write));
        let written = seen.clone();
        let write = move |packet| written.lock().by_callee.push(packet);
        let known = ends.clone();
        tasks.spawn(carry(near, far, move || known.lock().service, weather, 2, write));
        Self { address, seen, ends, _tasks: tasks }
    }

    /// Where a trunk sends its requests.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// Where the service wants sound, once it has said so.
    pub fn service_media(&self) -> Option<SocketAddr> {
        self.ends.lock().service
    }

    /// What the service sent so far.
    pub fn sent_by_service(&self) -> Vec<Packet> {
        self.seen.lock().by_service.clone()
    }

    /// What the telephone sent so far.
    pub fn sent_by_callee(&self) -> Vec<Packet> {
        self.seen.lock().by_callee.clone()
    }
}

/// Carries SIP both ways, and leads the sound that it speaks of over this wire.
async fn carry_signalling(
    socket: Arc<UdpSocket>,
    telephone: SocketAddr,
    (near, far): (u16, u16),
    ends: Arc<Mutex<Ends>>,
) {
    let mut service = None;
    let mut buffer = vec![0; 65_536];
    loop {
        let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
        let text = String::from_utf8_lossy(&buffer[..length]).into_owned();
        let (to, told) = if from == telephone {
            let (text, port) = redirected(&text, far);
            let mut ends = ends.lock();
            ends.callee = port.map(|port| SocketAddr::from(([127, 0, 0, 1], port))).or(ends.callee);
            (service, text)
        } else {
            service = Some(from);
            let (text, port) = redirected(&text, near);
            let mut ends = ends.lock();
            ends.service = port.map(|port| SocketAddr::from(([127, 0, 0, 1], port))).or(ends.service);
            (Some(telephone), text)
        };
        if let Some(to) = to {
            let _ = socket.send_to(told.as_bytes(), to).await;
        }
    }
}

/// A message whose sound goes to this port, and the port that it named.
fn redirected(message: &str, port: u16) -> (String, Option<u16>) {
    const MEDIA: &str = "\r\nm=audio ";
    let Some((before, after)) = message.split_once(MEDIA) else { return (message.to_owned(), None) };
    let (own, rest) = after.split_once(' ').unwrap();
    // Both have five digits, so that the body's length stays.
    assert_eq!(own.len(), port.to_string().len(), "{own} {port}");
    (format!("{before}{MEDIA}{port} {rest}"), own.parse().ok())
}

/// Carries sound one way.
async fn carry(
    from: Arc<UdpSocket>,
    by: Arc<UdpSocket>,
    to: impl Fn() -> Option<SocketAddr> + Send,
    weather: Weather,
    seed: u64,
    write: impl Fn(Packet) + Send,
) {
    let mut chance = Chance(seed);
    let mut under_way = JoinSet::new();
    let mut buffer = vec![0; 2_048];
    loop {
        let (length, _) = from.recv_from(&mut buffer).await.unwrap();
        let bytes = buffer[..length].to_vec();
        if let Some(packet) = Packet::read(Instant::now(), &bytes) {
            write(packet);
        }
        let Some(to) = to() else { continue };
        let mut sent = Vec::new();
        if chance.of(weather.malformed) {
            sent.push(chance.malformed(&bytes));
        }
        if !chance.of(weather.lost) {
            sent.push(bytes.clone());
        }
        if chance.of(weather.twice) {
            sent.push(bytes);
        }
        while under_way.try_join_next().is_some() {}
        for bytes in sent {
            if weather.late.is_zero() {
                let _ = by.send_to(&bytes, to).await;
                continue;
            }
            let late = Duration::from_micros(chance.below(weather.late.as_micros().try_into().unwrap()));
            let by = by.clone();
            under_way.spawn(async move {
                sleep(late).await;
                let _ = by.send_to(&bytes, to).await;
            });
        }
    }
}

/// Marsaglia's xorshift, the same in every run.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 16) % limit.max(1)
    }

    fn of(&mut self, hundredths: u64) -> bool {
        self.below(100) < hundredths
    }

    /// Something that came out of this packet, or out of nowhere.
    fn malformed(&mut self, packet: &[u8]) -> Vec<u8> {
        let mut bytes = packet.to_vec();
        match self.below(6) {
            0 => bytes.truncate(usize::try_from(self.below(12)).unwrap()),
            // Version 1.
            1 => bytes[0] = 0x40,
            // Fifteen contributing sources that are not there.
            2 => {
                bytes[0] |= 0x0f;
                bytes.truncate(14);
            }
            // An extension that ends behind the packet.
            3 => {
                bytes[0] |= 0x10;
                bytes.splice(12..12, [0xbe, 0xde, 0xff, 0xff]);
            }
            // More padding than there is packet.
            4 => {
                bytes[0] |= 0x20;
                *bytes.last_mut().unwrap() = 0xff;
            }
            _ => bytes = (0..self.below(400)).map(|_| self.next().to_be_bytes()[0]).collect(),
        }
        bytes
    }
}

/// The first packet of speech of a side.
pub fn first_word(packets: &[Packet]) -> Instant {
    packets.iter().find(|packet| packet.is_loud()).expect("somebody spoke").at
}

/// The last packet of speech of a side.
pub fn last_word(packets: &[Packet]) -> Instant {
    packets.iter().rfind(|packet| packet.is_loud()).expect("somebody spoke").at
}

/// Packets leave every 20 ms, whatever is said.
pub fn never_pauses(packets: &[Packet]) {
    let gaps = packets.windows(2).map(|pair| pair[1].at - pair[0].at);
    let longest = gaps.max().unwrap_or_default();
    // A busy machine holds beats up; an assistant that holds its breath for a cough does so for longer.
    assert!(longest < Duration::from_millis(500), "nothing was sent for {longest:?}");
    let steady = packets.windows(2).all(|pair| pair[1].sequence == pair[0].sequence.wrapping_add(1));
    assert!(steady, "the packets' numbers have gaps");
    let (first, last) = (packets.first().unwrap().at, packets.last().unwrap().at);
    let beats = (last - first).as_millis() / 20;
    assert!(beats.abs_diff(packets.len() as u128) < 25, "{} packets in {:?}", packets.len(), last - first);
}

/// The frames of a message as a provider spoke it: where the formats agree they go on unchanged.
pub fn frames(spoken: &[u8]) -> Vec<&[u8]> {
    spoken.chunks_exact(FRAME_BYTES).collect()
}

/// Which of these frames can be told from silence, and so from each other.
pub fn audible(frames: &[&[u8]]) -> Vec<usize> {
    (0..frames.len()).filter(|place| !is_quiet(frames[*place])).collect()
}

fn is_quiet(frame: &[u8]) -> bool {
    frame.iter().all(|byte| *byte >= 0xfc || (0x7c..=0x7f).contains(byte))
}

/// Which of these frames were sent, in the order in which they were.
pub fn sent(packets: &[Packet], frames: &[&[u8]]) -> Vec<usize> {
    let mut next = 0;
    let mut places = Vec::new();
    for packet in packets.iter().filter(|packet| !is_quiet(&packet.sound)) {
        let is_it = |place: &usize| frames[*place] == packet.sound;
        if let Some(place) = (next..frames.len()).chain(0..next).find(is_it) {
            next = place + 1;
            places.push(place);
        }
    }
    places
}
