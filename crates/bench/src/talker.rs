//! Callees that talk: RTP of any number of calls, one packet each way every 20 ms, from one thread.

use std::collections::HashMap;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// 20 ms of G.711.
pub(crate) type Frame = [u8; 160];

/// Silence in µ-law.
pub(crate) const SILENCE: Frame = [0xFF; 160];

/// An RTP packet without extras.
pub(crate) const PACKET: usize = 12 + 160;

/// Packets of different calls leave in so many steps of a millisecond.
const STEPS: u64 = 20;

/// How a socket that only reads finds out that its call is over.
const LOOK_UP: Duration = Duration::from_millis(200);

/// What callees say.
pub(crate) trait Manner: Send + Sync + 'static {
    /// The frame of a call's beat; it goes out at once.
    fn say(&self, call: u32, beat: u32) -> Frame;

    /// Whether somebody listens, packet by packet and at once; else what comes is thrown away.
    fn listens(&self) -> bool {
        false
    }

    /// A call's packet came in.
    fn hear(&self, _call: u32, _audio: &[u8]) {}
}

enum News {
    Came(u32, UdpSocket),
    Went(u32),
}

struct Line {
    call: u32,
    socket: UdpSocket,
    beat: u32,
    packet: [u8; PACKET],
}

/// The callees.
pub(crate) struct Talker {
    manner: Arc<dyn Manner>,
    news: Mutex<Sender<News>>,
    ports: Mutex<HashMap<u32, u16>>,
}

impl Talker {
    /// Starts the thread, which ends with the process.
    pub(crate) fn start(manner: Arc<dyn Manner>) -> Arc<Self> {
        let (sender, receiver) = channel();
        let listens = manner.listens();
        let says = Arc::clone(&manner);
        std::thread::spawn(move || talk(&receiver, &*says, listens));
        Arc::new(Self { manner, news: Mutex::new(sender), ports: Mutex::default() })
    }

    /// Takes a call whose caller has its media there; the port of ours.
    pub(crate) fn answer(self: &Arc<Self>, call: u32, caller: SocketAddr) -> u16 {
        if let Some(port) = self.ports.lock().get(&call) {
            return *port;
        }
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.connect(caller).unwrap();
        let port = socket.local_addr().unwrap().port();
        self.ports.lock().insert(call, port);
        if self.manner.listens() {
            let (talker, socket) = (Arc::clone(self), socket.try_clone().unwrap());
            std::thread::spawn(move || talker.listen(call, &socket));
        } else {
            socket.set_nonblocking(true).unwrap();
        }
        self.news.lock().send(News::Came(call, socket)).unwrap();
        port
    }

    /// A call is over.
    pub(crate) fn hang_up(&self, call: u32) {
        if self.ports.lock().remove(&call).is_some() {
            self.news.lock().send(News::Went(call)).unwrap();
        }
    }

    fn listen(&self, call: u32, socket: &UdpSocket) {
        socket.set_read_timeout(Some(LOOK_UP)).unwrap();
        let mut packet = [0; 2_048];
        while self.ports.lock().contains_key(&call) {
            if let Ok(length) = socket.recv(&mut packet)
                && length > 12
            {
                self.manner.hear(call, &packet[12..length]);
            }
        }
    }
}

fn talk(news: &Receiver<News>, manner: &dyn Manner, listens: bool) {
    let start = Instant::now();
    let mut lines: Vec<Line> = Vec::new();
    for step in 0_u64.. {
        for news in news.try_iter() {
            match news {
                News::Came(call, socket) => lines.push(Line { call, socket, beat: 0, packet: header(call) }),
                News::Went(call) => lines.retain(|line| line.call != call),
            }
        }
        let due = start + Duration::from_millis(step);
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        for line in lines.iter_mut().filter(|line| u64::from(line.call) * 7 % STEPS == step % STEPS) {
            while !listens && line.socket.recv(&mut [0; 16]).is_ok() {}
            line.speak(manner);
        }
    }
}

/// PCMU, with the call's number as source.
pub(crate) fn header(call: u32) -> [u8; PACKET] {
    let mut packet = [0xFF; PACKET];
    packet[..2].copy_from_slice(&[0x80, 0]);
    packet[8..12].copy_from_slice(&call.to_be_bytes());
    packet
}

impl Line {
    fn speak(&mut self, manner: &dyn Manner) {
        let beat = self.beat;
        self.beat += 1;
        self.packet[2..4].copy_from_slice(&(beat as u16).to_be_bytes());
        self.packet[4..8].copy_from_slice(&beat.wrapping_mul(160).to_be_bytes());
        self.packet[12..].copy_from_slice(&manner.say(self.call, beat));
        // Nobody may be there yet, or any more.
        let _ = self.socket.send(&self.packet);
    }
}

/// Says one line again and again, each call at another place of it.
pub(crate) struct Cycle {
    line: Vec<Frame>,
    pause: usize,
}

impl Cycle {
    /// A line in Pico's voice, with a pause of so many frames.
    pub(crate) fn new(line: &str, pause: usize) -> Self {
        Self { line: spoken(line), pause }
    }
}

impl Manner for Cycle {
    fn say(&self, call: u32, beat: u32) -> Frame {
        // All calls begin in their pause.
        let length = self.line.len() + self.pause;
        let place = (beat as usize + self.line.len() + call as usize * 37 % self.pause) % length;
        self.line.get(place).copied().unwrap_or(SILENCE)
    }
}

/// Nothing louder is what comes before and after words.
const HUSH: u16 = 400;

/// A line in µ-law, from its first sound to its last.
pub(crate) fn spoken(line: &str) -> Vec<Frame> {
    let samples = test_realtime::say(domain::assistant::Language::EnglishUnitedStates, line);
    let frame = |samples: &[i16]| {
        let mut frame = SILENCE;
        for (byte, sample) in frame.iter_mut().zip(samples) {
            *byte = audio_codec_algorithms::encode_ulaw(*sample);
        }
        frame
    };
    let silent = |frame: &[i16]| frame.iter().all(|sample| sample.unsigned_abs() < HUSH);
    let frames: Vec<&[i16]> = samples.chunks(160).skip_while(|samples| silent(samples)).collect();
    let spoken = frames.iter().rposition(|samples| !silent(samples)).map_or(0, |last| last + 1);
    frames[..spoken].iter().map(|samples| frame(samples)).collect()
}
