//! Our own share of the delay from voice to voice: from the callee's last words to the provider, and
//! from the provider's first sound to the callee.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use test_realtime::{Options, Part, Passing, Replies, Watcher};

use crate::board::{Board, Moment};
use crate::database;
use crate::desk::Desk;
use crate::dialler::Backend;
use crate::figure::{Report, millis};
use crate::installation::Installation;
use crate::machine::Meter;
use crate::peer::{self, Behaviour};
use crate::provider;
use crate::talker::{Frame, Manner, SILENCE, Talker, spoken};

/// Calls at a time, how often, and how long each lasts. Their packets and ours are in another step
/// to each other in each call.
const AT_ONCE: u32 = 10;
const WAVES: u32 = 5;
const LENGTH: Duration = Duration::from_secs(36);
/// The most turns of a call.
const TURNS: u32 = 30;

/// Frames of silence before the callee speaks again: no answer of the provider's is so long.
const PAUSE: u32 = 90;
/// After so many frames an answer is taken for lost.
const PATIENCE: u32 = 400;

/// How the sound of an answer begins.
const ANSWER: [u8; 8] = [0x11, 0x62, 0x13, 0x64, 0x15, 0x66, 0x17, 0x68];
/// How the last frame of a turn begins; its row follows.
const LAST: [u8; 8] = [0x21, 0x52, 0x23, 0x54, 0x25, 0x56, 0x27, 0x58];

pub(crate) fn run(installation: &Installation, report: &mut Report) {
    let board = Arc::new(Board::new(AT_ONCE * WAVES * TURNS));
    let callees = Arc::new(Callees::new(board.clone()));
    let assistant = provider::start(Options {
        replies: Replies::new([vec![answer()]]),
        watcher: Some(watcher(board.clone())),
        thinks,
        ..Options::default()
    });
    let unwatched = Arc::new(Board::new(AT_ONCE * WAVES));
    let talker = Some(Talker::start(callees.clone()));
    let gateway = peer::start(Behaviour::Talk { length: LENGTH, board: unwatched, talker });
    let backend = Backend::new(installation, Desk::provision(installation, &assistant, gateway));
    let ours = Meter::start(installation.pid());
    for wave in 0..WAVES {
        // Not in step with the beat.
        backend.place(wave * AT_ONCE..(wave + 1) * AT_ONCE, 7);
        std::thread::sleep(LENGTH + Duration::from_secs(2));
    }
    let (_, processors) = ours.stop();
    database::settled(installation);

    let there = (Moment::Said, Moment::Reached);
    let back = (Moment::Answered, Moment::Heard);
    report.note(&format!("{AT_ONCE} calls at a time, {} in all; {processors}", AT_ONCE * WAVES));
    report.note(&format!("callee's last words → provider: {}", board.spread(0, there.0, there.1)));
    report.note(&format!("provider's first sound → callee: {}", board.spread(0, back.0, back.1)));
    let both = board.sum([there, back]);
    report.note(&format!("both together, turn by turn: {both}"));
    report.at_most("our share of the delay, p50", millis(both.percentile(50.0)), 25.0, "ms");
    report.at_most("our share of the delay, p95", millis(both.percentile(95.0)), 45.0, "ms");
    report.none("turns without an answer", callees.lost.load(Ordering::Relaxed) as usize);
    let few = 300_usize.saturating_sub(both.count());
    report.none("turns that lack to 300", few);
}

/// As any answer, it comes at any moment between two of our packets.
fn thinks() -> Duration {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    // The golden ratio fills a stretch evenly.
    let place = f64::from(ASKED.fetch_add(1, Ordering::Relaxed)) * 0.618_033_988_75;
    Duration::from_millis(40).mul_f64(place.fract())
}

/// "Yes", after a frame that is known again.
fn answer() -> Part {
    let mut first = SILENCE;
    first[..ANSWER.len()].copy_from_slice(&ANSWER);
    let frames: Vec<Frame> = std::iter::once(first).chain(spoken("Yes.")).collect();
    assert!(frames.len() < PAUSE as usize - 10, "an answer of {} frames", frames.len());
    let samples = frames.iter().flatten().map(|byte| audio_codec_algorithms::decode_ulaw(*byte));
    Part::Sound("Yes.".to_owned(), samples.collect())
}

/// Notes what passes the provider.
fn watcher(board: Arc<Board>) -> Watcher {
    let rows: Mutex<Vec<Option<u32>>> = Mutex::default();
    Watcher(Arc::new(move |connection, passing| {
        let mut rows = rows.lock();
        if rows.len() <= connection {
            rows.resize(connection + 1, None);
        }
        match passing {
            Passing::Heard(sound) => {
                let Some(at) = find(sound, LAST) else { return };
                let row = u32::from_be_bytes(sound[at + 8..at + 12].try_into().unwrap());
                board.note(row, Moment::Reached);
                rows[connection] = Some(row);
            }
            Passing::Spoken(sound) => {
                if let (Some(row), Some(_)) = (rows[connection], find(sound, ANSWER)) {
                    board.note(row, Moment::Answered);
                }
            }
        }
    }))
}

fn find(sound: &[u8], mark: [u8; 8]) -> Option<usize> {
    sound.windows(mark.len()).position(|window| window == mark)
}

/// Callees who say a line and wait for the answer, again and again.
struct Callees {
    board: Arc<Board>,
    line: Vec<Frame>,
    calls: Vec<Mutex<Turn>>,
    lost: AtomicU32,
}

#[derive(Clone, Copy)]
struct Turn {
    number: u32,
    beat: u32,
    begins: u32,
}

impl Callees {
    fn new(board: Arc<Board>) -> Self {
        let turn = || Mutex::new(Turn { number: 0, beat: 0, begins: PAUSE });
        let line = spoken("Are you still there?");
        Self { board, line, calls: (0..AT_ONCE * WAVES).map(|_| turn()).collect(), lost: AtomicU32::new(0) }
    }
}

impl Manner for Callees {
    fn say(&self, call: u32, beat: u32) -> Frame {
        let mut turn = self.calls[call as usize].lock();
        turn.beat = beat;
        let Some(place) = beat.checked_sub(turn.begins) else { return SILENCE };
        if place > PATIENCE {
            self.lost.fetch_add(1, Ordering::Relaxed);
            turn.next();
        }
        let Some(frame) = self.line.get(place as usize) else { return SILENCE };
        let mut frame = *frame;
        if place as usize == self.line.len() - 1 && turn.number < TURNS {
            let row = call * TURNS + turn.number;
            frame[..8].copy_from_slice(&LAST);
            frame[8..12].copy_from_slice(&row.to_be_bytes());
            self.board.note(row, Moment::Said);
        }
        frame
    }

    fn listens(&self) -> bool {
        true
    }

    fn hear(&self, call: u32, audio: &[u8]) {
        if find(audio, ANSWER).is_none() {
            return;
        }
        let mut turn = self.calls[call as usize].lock();
        if turn.number < TURNS && turn.beat > turn.begins {
            self.board.note(call * TURNS + turn.number, Moment::Heard);
        }
        turn.next();
    }
}

impl Turn {
    fn next(&mut self) {
        self.number += 1;
        self.begins = self.beat + PAUSE;
    }
}
