//! What the agent says, on its way from the wire to the callee.

use std::collections::VecDeque;
use std::time::Duration;

use domain::audio::{AudioFormat, FRAME_BYTES, Frame};
use domain::ports::UtteranceId;
use domain::spoken::speakable;

use super::asks::Purpose;
use crate::moment::Millis;
use crate::turn::{Turn, heard_part};

/// Bytes of a millisecond in every format.
const BYTES_PER_MS: usize = FRAME_BYTES / 20;
/// So much audio waits at most: 120 s. What comes beyond, and the rest of its utterance, is dropped and
/// counts as unheard.
pub(crate) const CAPACITY: usize = 120_000 * BYTES_PER_MS;
/// So many utterances wait at most; others are dropped whole.
const MOST_UTTERANCES: usize = 32;
/// So many characters of an utterance are kept.
const MOST_TEXT: usize = 20_000;
/// After a gap in the agent's audio so much is collected before it goes on.
const PREBUFFER: usize = 60 * BYTES_PER_MS;
/// Small pieces of audio are joined up to this size.
const PIECE: usize = 4_000;
/// A fast voice takes so long for a character: for utterances whose length is not known yet.
const BYTES_PER_CHARACTER: usize = 60 * BYTES_PER_MS;

/// Utterances that are being said or wait.
#[derive(Debug, Default)]
pub(crate) struct SpeechQueue {
    utterances: VecDeque<Utterance>,
    /// Bytes that wait, of all utterances.
    waiting: usize,
    /// The first utterance number that was never seen.
    next: u64,
    /// The audio ran out in the middle of an utterance.
    starved: bool,
}

/// Something that the agent says.
#[derive(Debug)]
pub(crate) struct Utterance {
    pub(crate) id: UtteranceId,
    pub(crate) purpose: Purpose,
    text: String,
    pieces: VecDeque<Vec<u8>>,
    /// How much of the first piece was played.
    offset: usize,
    /// Bytes received, played and dropped.
    received: usize,
    played: usize,
    dropped: usize,
    /// When its first frame was played.
    began: Option<Millis>,
    /// Nothing more comes of it.
    ended: bool,
}

/// Where what came of an utterance belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// To one that is being said or waits.
    Known,
    /// It is new.
    New,
    /// It was interrupted or is over.
    Late,
}

impl SpeechQueue {
    pub(crate) fn place(&self, id: UtteranceId) -> Place {
        if self.utterances.iter().any(|utterance| utterance.id == id) {
            Place::Known
        } else if id.0 >= self.next {
            Place::New
        } else {
            Place::Late
        }
    }

    /// Takes a new utterance; what follows of it is late when it is not wanted or there are too many.
    pub(crate) fn begin(&mut self, id: UtteranceId, purpose: Option<Purpose>) -> bool {
        self.next = self.next.max(id.0.saturating_add(1));
        // Utterances come one after the other.
        self.end_all();
        let Some(purpose) = purpose.filter(|_| self.utterances.len() < MOST_UTTERANCES) else { return false };
        self.utterances.push_back(Utterance {
            id,
            purpose,
            text: String::new(),
            pieces: VecDeque::new(),
            offset: 0,
            received: 0,
            played: 0,
            dropped: 0,
            began: None,
            ended: false,
        });
        true
    }

    /// More audio of a known utterance.
    pub(crate) fn audio(&mut self, id: UtteranceId, audio: Vec<u8>) {
        let fits = self.waiting + audio.len() <= CAPACITY;
        let Some(utterance) = self.open(id) else { return };
        let length = audio.len();
        if !fits || utterance.dropped > 0 {
            utterance.dropped += length;
            return;
        }
        utterance.received += length;
        match utterance.pieces.back_mut() {
            Some(last) if last.len() + length <= PIECE => last.extend_from_slice(&audio),
            _ if audio.is_empty() => {}
            _ => utterance.pieces.push_back(audio),
        }
        self.waiting += length;
    }

    /// More words of a known utterance.
    pub(crate) fn words(&mut self, id: UtteranceId, text: &str) {
        if let Some(utterance) = self.open(id) {
            let room = MOST_TEXT.saturating_sub(utterance.text.chars().count());
            utterance.text.extend(text.chars().take(room));
        }
    }

    fn open(&mut self, id: UtteranceId) -> Option<&mut Utterance> {
        self.utterances.iter_mut().find(|utterance| utterance.id == id && !utterance.ended)
    }

    /// Nothing more comes of an utterance.
    pub(crate) fn end(&mut self, id: UtteranceId) {
        if let Some(utterance) = self.open(id) {
            utterance.ended = true;
        }
    }

    /// Nothing more comes of any utterance so far.
    pub(crate) fn end_all(&mut self) {
        self.utterances.iter_mut().for_each(|utterance| utterance.ended = true);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.utterances.is_empty()
    }

    /// Whether there is enough audio for the next frame, or for what is left of an utterance.
    pub(crate) fn is_playable(&self) -> bool {
        let needed = if self.starved { PREBUFFER } else { FRAME_BYTES };
        self.utterances.front().is_some_and(|front| {
            let left = front.received - front.played;
            left > 0 && (left >= needed || front.ended)
        })
    }

    /// Whether something for this purpose is being said or waits.
    pub(crate) fn has(&self, purpose: Purpose) -> bool {
        self.utterances.iter().any(|utterance| utterance.purpose == purpose)
    }

    /// The utterance that is being said, or is next.
    pub(crate) fn front(&self) -> Option<&Utterance> {
        self.utterances.front()
    }

    /// The frame of this beat; and whether it is an utterance's first.
    pub(crate) fn next_frame(&mut self, now: Millis, format: AudioFormat) -> Option<(Frame, bool)> {
        let is_playable = self.is_playable();
        let utterance = self.utterances.front_mut()?;
        if !is_playable {
            self.starved |= utterance.began.is_some() && !utterance.ended;
            return None;
        }
        self.starved = false;
        let mut frame = [format.silence(); FRAME_BYTES];
        let taken = utterance.take(&mut frame);
        self.waiting -= taken;
        let first = utterance.began.is_none();
        utterance.began.get_or_insert(now);
        Some((frame, first))
    }

    /// The utterance whose last frame was played in an earlier beat.
    pub(crate) fn take_finished(&mut self) -> Option<Utterance> {
        let finished = self
            .utterances
            .pop_front_if(|utterance| utterance.ended && utterance.played >= utterance.received)?;
        self.starved = false;
        Some(finished)
    }

    /// Drops everything.
    pub(crate) fn flush(&mut self) -> VecDeque<Utterance> {
        self.waiting = 0;
        self.starved = false;
        std::mem::take(&mut self.utterances)
    }
}

impl Utterance {
    /// Fills the frame as far as there is audio; tells how far.
    fn take(&mut self, frame: &mut Frame) -> usize {
        let mut taken = 0;
        while let Some(piece) = self.pieces.front() {
            let rest = piece.get(self.offset..).unwrap_or_default();
            let room = frame.get_mut(taken..).unwrap_or_default();
            let length = rest.len().min(room.len());
            room.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
            taken += length;
            if length < rest.len() {
                self.offset += length;
                break;
            }
            self.pieces.pop_front();
            self.offset = 0;
        }
        self.played += taken;
        taken
    }

    /// How much of its audio was heard.
    pub(crate) fn heard(&self) -> Duration {
        Duration::from_millis(u64::try_from(self.played / BYTES_PER_MS).unwrap_or(u64::MAX))
    }

    /// Whether all of it was heard.
    pub(crate) fn is_whole(&self) -> bool {
        self.ended && self.dropped == 0 && self.played >= self.received
    }

    /// Whether anything of it was heard.
    pub(crate) const fn is_heard(&self) -> bool {
        self.played > 0
    }

    /// Its words, as far as they are known.
    pub(crate) fn text(&self) -> String {
        speakable(&self.text)
    }

    /// Its words, as far as they were heard.
    pub(crate) fn heard_text(&self) -> String {
        if !self.is_heard() {
            return String::new();
        }
        let text = self.text();
        let known = self.received + self.dropped;
        let length = if self.ended { known } else { known.max(text.chars().count() * BYTES_PER_CHARACTER) };
        heard_part(&text, self.played, length)
    }

    /// The turn that it made until now, if any of it was heard.
    pub(crate) fn turn(&self, now: Millis) -> Option<Turn> {
        let from = self.began?;
        Some(Turn::AssistantSpoke {
            from,
            to: now,
            text: Some(self.heard_text())
                .filter(|text| !text.is_empty())
                .unwrap_or_else(|| format!("[assistant spoke, {:.1} s]", self.heard().as_secs_f64())),
            interrupted: !self.is_whole(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: UtteranceId = UtteranceId(0);

    fn queue() -> SpeechQueue {
        let mut queue = SpeechQueue::default();
        assert!(queue.begin(ID, Some(Purpose::Answer)));
        queue
    }

    fn play(queue: &mut SpeechQueue) -> Option<Frame> {
        queue.next_frame(Millis(20), AudioFormat::Pcmu).map(|(frame, _)| frame)
    }

    #[test]
    fn pieces_of_any_length_are_cut_into_frames_and_the_last_is_filled_with_silence() {
        let mut queue = queue();
        let all: Vec<u8> = (0..=255).cycle().take(1000).collect();
        for piece in all.chunks(7) {
            queue.audio(ID, piece.to_vec());
        }
        queue.end(ID);
        let mut played = Vec::new();
        while let Some(frame) = play(&mut queue) {
            played.extend(frame);
        }
        assert_eq!(played.len(), 7 * FRAME_BYTES);
        assert_eq!(played[..1000], all);
        assert!(played[1000..].iter().all(|byte| *byte == 0xFF));
        let finished = queue.take_finished().unwrap();
        assert!(finished.is_whole());
        assert_eq!(finished.heard(), Duration::from_millis(125));
    }

    #[test]
    fn a_slow_agent_is_awaited_until_60_ms_are_there() {
        let mut queue = queue();
        queue.audio(ID, vec![1; 170]);
        assert!(play(&mut queue).is_some());
        assert!(play(&mut queue).is_none());
        queue.audio(ID, vec![2; 400]);
        assert!(play(&mut queue).is_none(), "410 bytes are less than 60 ms");
        queue.audio(ID, vec![3; 70]);
        let frame = play(&mut queue).unwrap();
        assert_eq!((frame[9], frame[10]), (1, 2), "nothing is lost");
    }

    #[test]
    fn at_most_120_s_wait_and_the_rest_of_the_utterance_is_dropped_and_unheard() {
        let mut queue = queue();
        queue.words(ID, &"word ".repeat(100));
        for _ in 0..200 {
            queue.audio(ID, vec![1; 8000]);
            assert!(queue.waiting <= CAPACITY);
        }
        queue.end(ID);
        let mut frames = 0;
        while play(&mut queue).is_some() {
            frames += 1;
        }
        assert_eq!(frames * FRAME_BYTES, CAPACITY);
        let finished = queue.take_finished().unwrap();
        assert!(!finished.is_whole());
        assert_eq!(finished.heard_text(), format!("{}…", "word ".repeat(60).trim_end()));
        assert_eq!(queue.waiting, 0);
    }

    #[test]
    fn what_an_utterance_that_goes_on_would_have_said_is_not_taken_for_heard() {
        let mut queue = queue();
        queue.words(ID, "One two three four five six seven eight nine ten.");
        queue.audio(ID, vec![1; 4800]);
        for _ in 0..30 {
            assert!(play(&mut queue).is_some());
        }
        let flushed = queue.flush();
        assert_eq!(flushed[0].heard_text(), "One two…");
        assert_eq!(queue.place(ID), Place::Late);
    }

    #[test]
    fn utterances_without_end_do_not_pile_up() {
        let mut queue = SpeechQueue::default();
        let taken = (0..1000).filter(|id| queue.begin(UtteranceId(*id), Some(Purpose::Answer))).count();
        assert_eq!(taken, MOST_UTTERANCES);
    }
}
