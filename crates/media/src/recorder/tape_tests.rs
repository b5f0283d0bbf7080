//! A tape on a disk that looks whenever it likes.

use std::time::Duration;

use domain::audio::Frame;
use domain::call::{Speaker, TranscriptEntry};
use domain::ids::CallId;
use proptest::prelude::*;

use super::super::intake::MOST_BEATS;
use super::*;
use crate::g711;

/// What happens next.
#[derive(Clone, Debug)]
enum Step {
    /// So many beats, of which the first bytes are these.
    Beats(usize, Option<u8>, Option<u8>),
    Turn(u64),
    /// The disk looks, in a hurry or not.
    Look(bool),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..130_usize, any::<Option<u8>>(), any::<Option<u8>>())
            .prop_map(|(count, heard, played)| Step::Beats(count, heard, played)),
        2 => (0..1_000_u64).prop_map(Step::Turn),
        3 => any::<bool>().prop_map(Step::Look),
    ]
}

fn frame(first: u8) -> Frame {
    let mut byte = first;
    [(); FRAME_BYTES].map(|()| {
        byte = byte.wrapping_mul(31).wrapping_add(7);
        byte
    })
}

fn samples(format: AudioFormat, first: Option<u8>) -> Vec<i16> {
    let frame = first.map(frame);
    frame.map_or(vec![0; FRAME_BYTES], |frame| frame.iter().map(|byte| g711::decode(format, *byte)).collect())
}

/// What should be on the disk.
#[derive(Default)]
struct Model {
    left: Vec<i16>,
    right: Vec<i16>,
    turns: Vec<TranscriptEntry>,
    /// Beats since the disk looked.
    waiting: usize,
    /// Whether the disk would look without a hurry.
    urgent: bool,
    lost: u64,
}

impl Model {
    fn beat(&mut self, format: AudioFormat, heard: Option<u8>, played: Option<u8>) {
        let lost = self.waiting >= MOST_BEATS;
        self.lost += u64::from(lost);
        self.waiting += 1;
        self.left.extend(samples(format, heard.filter(|_| !lost)));
        self.right.extend(samples(format, played.filter(|_| !lost)));
    }

    fn look(&mut self, hurry: bool) {
        if hurry || self.urgent {
            (self.waiting, self.urgent) = (0, false);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_sample_is_in_its_place_on_its_side_and_every_turn_in_order(
        steps in prop::collection::vec(step(), 0..40),
        format in prop_oneof![Just(AudioFormat::Pcmu), Just(AudioFormat::Pcma)],
    ) {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::open(folder.path()).unwrap();
        let call = CallId::parse("0199a5c0-0000-7000-8000-00000000000a").unwrap();
        let intake = Arc::new(Intake::new(Gathered::with_room()));
        let mut tape = Tape::new(files.clone(), call, Arc::clone(&intake), Some(format));
        let (mut spare, mut bytes) = (Gathered::with_room(), Vec::new());
        let mut model = Model::default();
        for step in steps {
            match step {
                Step::Beats(count, heard, played) => for _ in 0..count {
                    intake.beat(heard.map(frame).as_ref(), played.map(frame).as_ref());
                    model.beat(format, heard, played);
                },
                Step::Turn(at) => {
                    let entry = TranscriptEntry {
                        at: Duration::from_millis(at),
                        who: Speaker::Assistant,
                        text: model.turns.len().to_string(),
                    };
                    intake.line(entry.clone().into());
                    model.turns.push(entry);
                    model.urgent = true;
                }
                Step::Look(hurry) => {
                    prop_assert!(!tape.write(&mut spare, &mut bytes, hurry));
                    model.look(hurry);
                }
            }
        }
        intake.end();
        prop_assert!(tape.write(&mut spare, &mut bytes, false));
        prop_assert_eq!(tape.lost_beats, model.lost);
        prop_assert_eq!(tape.end(), (call, Vec::new()));
        files.complete(call).unwrap();
        let record = files.read(call).unwrap();

        model.turns.sort_by_key(|entry| entry.at);
        prop_assert_eq!(record.transcript, model.turns);
        let written: Vec<i16> = record.sound.map_or(Vec::new(), |path| {
            hound::WavReader::open(path).unwrap().samples().map(Result::unwrap).collect()
        });
        let (left, right): (Vec<i16>, Vec<i16>) =
            written.chunks_exact(2).map(|pair| (pair[0], pair[1])).unzip();
        prop_assert_eq!(written.len(), model.left.len() * 2);
        prop_assert!(left == model.left, "the callee's side");
        prop_assert!(right == model.right, "the assistant's side");
    }
}

#[test]
fn a_call_without_sound_does_not_take_the_room_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let files = Files::open(folder.path()).unwrap();
    let call = CallId::parse("0199a5c0-0000-7000-8000-00000000000a").unwrap();
    let intake = Arc::new(Intake::new(Gathered::default()));
    let mut tape = Tape::new(files, call, Arc::clone(&intake), None);
    let (mut spare, mut bytes) = (Gathered::with_room(), Vec::new());
    for _ in 0..3 {
        tape.write(&mut spare, &mut bytes, true);
        assert!(spare.beats.capacity() >= MOST_BEATS);
    }
}

#[test]
fn more_text_than_anybody_reads_is_left_out_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let files = Files::open(folder.path()).unwrap();
    let call = CallId::parse("0199a5c0-0000-7000-8000-00000000000a").unwrap();
    let intake = Arc::new(Intake::new(Gathered::default()));
    let mut tape = Tape::new(files.clone(), call, Arc::clone(&intake), None);
    let (mut spare, mut bytes) = (Gathered::with_room(), Vec::new());
    let long = "\u{1}".repeat(600_000);
    for _ in 0..20 {
        for _ in 0..2 {
            // The second finds no room until the disk has looked.
            intake.line(Line::OutcomeNamed(long.clone()));
        }
        tape.write(&mut spare, &mut bytes, true);
    }
    assert_eq!(tape.lost_lines, 20 + 14);
    tape.end();
    files.complete(call).unwrap();
    assert_eq!(files.read(call).unwrap().facts.outcome_named, Some(long));
}
