//! Records on a real disk: of calls that end, of processes that die, of disks that refuse.
#![allow(clippy::unwrap_used, reason = "tests say what they mean")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use domain::audio::{AudioFormat, FRAME_BYTES, Frame};
use domain::call::{Fact, Speaker, TranscriptEntry};
use domain::ids::CallId;
use domain::ports::{CompleteRecord, RecordShelf, Recorder, Recording};
use media::{DiskRecorder, g711};
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(20);
/// Bytes of a second of stereo sound.
const SECOND: u64 = 32_000;

fn id(number: u8) -> CallId {
    CallId::parse(&format!("0199a5c0-0000-7000-8000-0000000000{number:02x}")).unwrap()
}

fn turn(at_ms: u64, text: &str) -> TranscriptEntry {
    TranscriptEntry { at: Duration::from_millis(at_ms), who: Speaker::Customer, text: text.to_owned() }
}

fn frame(level: i16) -> Frame {
    [g711::encode(AudioFormat::Pcmu, level); FRAME_BYTES]
}

fn path(folder: &Path, call: CallId, name: &str) -> PathBuf {
    folder.join(format!("{call}.{name}"))
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

async fn next(recorder: &DiskRecorder) -> CompleteRecord {
    timeout(PATIENCE, recorder.next()).await.unwrap().unwrap()
}

/// Samples of both sides.
fn samples(record: &CompleteRecord) -> Vec<i16> {
    let path = record.sound.as_ref().unwrap();
    hound::WavReader::open(path).unwrap().samples().map(Result::unwrap).collect()
}

fn texts(record: &CompleteRecord) -> Vec<&str> {
    record.transcript.iter().map(|entry| entry.text.as_str()).collect()
}

/// One second of sound, and a turn.
fn say(recording: &mut dyn Recording) {
    for _ in 0..50 {
        recording.sound(Some(&frame(1_000)), Some(&frame(-1_000)));
    }
    recording.turn(turn(5, "hello"));
}

#[tokio::test]
async fn a_call_that_ends_leaves_both_sides_its_turns_and_its_facts() {
    let folder = tempfile::tempdir().unwrap();
    let records = folder.path().join("records");
    let recorder = DiskRecorder::open(&records).unwrap();
    let mut recording = recorder.begin(id(1), Some(AudioFormat::Pcmu));
    recording.turn(turn(900, "second"));
    say(recording.as_mut());
    recording.sound(None, Some(&frame(3_000)));
    recording.sound(Some(&frame(3_000)), None);
    for _ in 0..3 {
        recording.fact(Fact::CustomerActive);
    }
    recording.fact(Fact::Forwarded { target: "desk".to_owned() });
    drop(recording);

    let record = next(&recorder).await;
    assert_eq!((record.call, texts(&record)), (id(1), vec!["hello", "second"]));
    assert!(record.facts.customer_active);
    assert_eq!(record.facts.forwarded_to.as_deref(), Some("desk"));
    let level = |level| g711::decode(AudioFormat::Pcmu, frame(level)[0]);
    let expected = [
        [level(1_000), level(-1_000)].repeat(50 * FRAME_BYTES),
        [0, level(3_000)].repeat(FRAME_BYTES),
        [level(3_000), 0].repeat(FRAME_BYTES),
    ];
    assert_eq!(samples(&record), expected.concat());
    for file in fs::read_dir(&records).unwrap() {
        assert_eq!(file.unwrap().metadata().unwrap().permissions().mode() & 0o077, 0);
    }
    assert_eq!(fs::metadata(&records).unwrap().permissions().mode() & 0o077, 0);

    assert!(timeout(Duration::ZERO, recorder.cleared()).await.is_err());
    recorder.discard(id(1)).await.unwrap();
    timeout(PATIENCE, recorder.cleared()).await.unwrap();
    assert_eq!(names(&records), Vec::<String>::new());
}

#[tokio::test]
async fn without_sound_only_what_was_said_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = DiskRecorder::open(folder.path()).unwrap();
    say(recorder.begin(id(1), None).as_mut());
    let record = next(&recorder).await;
    assert_eq!((record.sound.as_ref(), texts(&record)), (None, vec!["hello"]));
    assert_eq!(names(folder.path()), [format!("{}.done", id(1))]);
}

#[tokio::test]
async fn a_turn_is_on_the_disk_while_the_call_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = DiskRecorder::open(folder.path()).unwrap();
    let mut recording = recorder.begin(id(1), None);
    recording.turn(turn(1, "written at once"));
    let turns = path(folder.path(), id(1), "turns");
    let written = || fs::read_to_string(&turns).is_ok_and(|text| text.contains("written at once"));
    timeout(PATIENCE, async {
        while !written() {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
    drop(recording);
}

#[tokio::test]
async fn calls_side_by_side_do_not_mix() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = DiskRecorder::open(folder.path()).unwrap();
    let mut recordings: Vec<_> = (0..20)
        .map(|number| recorder.begin(id(number), (number % 3 > 0).then_some(AudioFormat::Pcma)))
        .collect();
    for _ in 0..60 {
        for (number, recording) in (0..).zip(&mut recordings) {
            let frame = [number; FRAME_BYTES];
            recording.sound(Some(&frame), None);
        }
    }
    for (number, recording) in (0_u8..).zip(&mut recordings) {
        recording.turn(turn(1, &number.to_string()));
    }
    drop(recordings);
    for _ in 0..20 {
        let record = next(&recorder).await;
        let number = record.call.uuid().as_bytes()[15];
        assert_eq!(texts(&record), [number.to_string()]);
        assert_eq!(record.sound.is_some(), number % 3 > 0);
        if record.sound.is_some() {
            let level = g711::decode(AudioFormat::Pcma, number);
            assert_eq!(samples(&record), [level, 0].repeat(60 * FRAME_BYTES));
        }
        recorder.discard(record.call).await.unwrap();
    }
    timeout(PATIENCE, recorder.cleared()).await.unwrap();
}

#[tokio::test]
async fn the_end_of_one_call_is_not_the_end_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = DiskRecorder::open(folder.path()).unwrap();
    let mut long = recorder.begin(id(0), Some(AudioFormat::Pcmu));
    say(long.as_mut());
    for number in 1..=6 {
        say(recorder.begin(id(number), (number % 2 == 0).then_some(AudioFormat::Pcmu)).as_mut());
        assert_eq!(next(&recorder).await.call, id(number));
        // Its turn lets the disk look at it, too.
        say(long.as_mut());
        let turns = path(folder.path(), id(0), "turns");
        let lines = usize::from(number) + 2;
        timeout(PATIENCE, async {
            while fs::read_to_string(&turns).map_or(0, |text| text.lines().count()) < lines {
                tokio::task::yield_now().await;
            }
        })
        .await
        .unwrap();
    }
    drop(long);
    let record = next(&recorder).await;
    assert_eq!((record.call, texts(&record).len(), samples(&record).len()), (id(0), 7, 7 * 16_000));
}

#[tokio::test]
async fn what_is_not_discarded_comes_again_after_a_start_oldest_first_and_once() {
    let folder = tempfile::tempdir().unwrap();
    let first = DiskRecorder::open(folder.path()).unwrap();
    for number in [3, 1, 2] {
        say(first.begin(id(number), Some(AudioFormat::Pcmu)).as_mut());
        assert_eq!(next(&first).await.call, id(number));
    }
    first.set_aside(id(2)).await.unwrap();
    let second = DiskRecorder::open(folder.path()).unwrap();
    say(second.begin(id(4), None).as_mut());
    for number in [1, 3, 4] {
        let record = next(&second).await;
        assert_eq!((record.call, texts(&record)), (id(number), vec!["hello"]));
        second.discard(id(number)).await.unwrap();
    }
    assert!(timeout(Duration::from_millis(50), second.next()).await.is_err());
    assert_eq!(names(folder.path()), [format!("{}.done.orphan", id(2)), format!("{}.wav.orphan", id(2))]);
}

#[tokio::test]
async fn whoever_stops_waiting_loses_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = DiskRecorder::open(folder.path()).unwrap();
    drop(recorder.begin(id(1), None));
    let mut tries = 0;
    let record = loop {
        // Cut off at every point where it may wait.
        let mut waiting = recorder.next();
        if let Some(record) = poll_at_most(&mut waiting, tries).await {
            break record;
        }
        tries += 1;
    };
    assert_eq!(record.call, id(1));
}

/// Polls at most so many times.
async fn poll_at_most(
    waiting: &mut (impl Future<Output = Result<CompleteRecord, domain::ports::ShelfError>> + Unpin),
    times: u32,
) -> Option<CompleteRecord> {
    for _ in 0..times {
        let once = std::future::poll_fn(|cx| {
            std::task::Poll::Ready(match std::pin::Pin::new(&mut *waiting).poll(cx) {
                std::task::Poll::Ready(record) => Some(record.unwrap()),
                std::task::Poll::Pending => None,
            })
        });
        if let Some(record) = once.await {
            return Some(record);
        }
        tokio::task::yield_now().await;
    }
    None
}

/// A record with a second of sound, as a process left it that died just before the last step.
async fn left(folder: &Path, call: CallId) {
    let recorder = DiskRecorder::open(folder).unwrap();
    say(recorder.begin(call, Some(AudioFormat::Pcmu)).as_mut());
    while next(&recorder).await.call != call {}
}

#[tokio::test]
async fn dying_between_any_two_steps_of_completing_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..4 {
        left(folder.path(), id(number)).await;
    }
    let rename =
        |call, from, to| fs::rename(path(folder.path(), call, from), path(folder.path(), call, to)).unwrap();
    rename(id(0), "wav", "wav.part");
    rename(id(0), "done", "turns");
    rename(id(1), "done", "turns");
    // While it is removed, the sound goes first.
    fs::remove_file(path(folder.path(), id(2), "wav")).unwrap();
    // The text never came about.
    rename(id(3), "wav", "wav.part");
    fs::remove_file(path(folder.path(), id(3), "done")).unwrap();
    // The call was answered, and nothing more is known.
    fs::write(path(folder.path(), id(4), "turns"), "").unwrap();
    fs::write(path(folder.path(), id(4), "wav.part"), "").unwrap();

    let recorder = DiskRecorder::open(folder.path()).unwrap();
    for (number, seconds, turns) in [(0, 1, 1), (1, 1, 1), (2, 0, 1), (3, 1, 0), (4, 0, 0)] {
        let record = next(&recorder).await;
        assert_eq!((record.call, record.transcript.len()), (id(number), turns));
        let length = record.sound.as_ref().map_or(0, |_| samples(&record).len());
        assert_eq!(length, seconds * 16_000, "call {number}");
        recorder.discard(record.call).await.unwrap();
    }
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[tokio::test]
async fn what_cannot_be_read_is_put_aside_and_holds_up_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for number in 1..=4 {
        left(folder.path(), id(number)).await;
    }
    let zeros = [0; 5_000];
    // Sound and text of one, the text of another, which is no file of a third.
    fs::rename(path(folder.path(), id(1), "wav"), path(folder.path(), id(1), "wav.part")).unwrap();
    fs::write(path(folder.path(), id(1), "wav.part"), zeros).unwrap();
    fs::write(path(folder.path(), id(2), "done"), zeros).unwrap();
    fs::remove_file(path(folder.path(), id(3), "done")).unwrap();
    fs::create_dir(path(folder.path(), id(3), "done")).unwrap();
    fs::write(folder.path().join("notes.txt"), "of a person").unwrap();

    let recorder = DiskRecorder::open(folder.path()).unwrap();
    let silent = next(&recorder).await;
    assert_eq!((silent.call, silent.sound.as_ref(), texts(&silent)), (id(1), None, vec!["hello"]));
    let whole = next(&recorder).await;
    assert_eq!((whole.call, samples(&whole).len()), (id(4), 16_000));
    for number in [1, 4] {
        recorder.discard(id(number)).await.unwrap();
    }
    timeout(PATIENCE, recorder.cleared()).await.unwrap();
    let mut expected = vec![
        format!("{}.wav.part.broken", id(1)),
        format!("{}.done.broken", id(2)),
        format!("{}.wav.broken", id(2)),
        format!("{}.done.broken", id(3)),
        format!("{}.wav.broken", id(3)),
        "notes.txt".to_owned(),
    ];
    expected.sort();
    assert_eq!(names(folder.path()), expected);
    assert_eq!(fs::read(path(folder.path(), id(2), "done.broken")).unwrap(), zeros);
}

#[tokio::test]
async fn what_cannot_be_read_just_now_comes_again_behind_the_others() {
    let folder = tempfile::tempdir().unwrap();
    for number in 1..=2 {
        left(folder.path(), id(number)).await;
    }
    let (done, kept) = (path(folder.path(), id(1), "done"), folder.path().join("kept"));
    fs::rename(&done, &kept).unwrap();
    // A name that leads nowhere but to itself: neither missing nor of another form.
    symlink(&done, &done).unwrap();

    let recorder = DiskRecorder::open(folder.path()).unwrap();
    let mut refused = 0;
    let other = loop {
        match timeout(PATIENCE, recorder.next()).await.unwrap() {
            Ok(record) => break record,
            Err(_) => refused += 1,
        }
    };
    assert!(other.call == id(2) && refused > 0);
    fs::rename(&kept, &done).unwrap();
    let record = next(&recorder).await;
    assert_eq!((record.call, texts(&record), samples(&record).len()), (id(1), vec!["hello"], 16_000));
}

#[tokio::test]
async fn on_a_full_disk_the_sound_ends_and_the_words_stay() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = DiskRecorder::open(folder.path()).unwrap();
    symlink("/dev/full", path(folder.path(), id(2), "wav.part")).unwrap();
    let mut recording = recorder.begin(id(2), Some(AudioFormat::Pcmu));
    for _ in 0..5 {
        say(recording.as_mut());
    }
    drop(recording);
    let record = next(&recorder).await;
    assert_eq!((record.call, record.sound.as_ref(), texts(&record)), (id(2), None, vec!["hello"; 5]));
}

#[tokio::test]
async fn words_that_no_disk_takes_are_handed_over_from_memory() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = DiskRecorder::open(folder.path()).unwrap();
    symlink("/dev/full", path(folder.path(), id(1), "turns")).unwrap();
    say(recorder.begin(id(1), Some(AudioFormat::Pcmu)).as_mut());
    let record = next(&recorder).await;
    assert_eq!((samples(&record).len(), texts(&record)), (16_000, vec!["hello"]));
    recorder.discard(id(1)).await.unwrap();
    assert_eq!(names(folder.path()), Vec::<String>::new());

    fs::remove_dir(folder.path()).unwrap();
    say(recorder.begin(id(2), Some(AudioFormat::Pcmu)).as_mut());
    let record = next(&recorder).await;
    assert_eq!((record.call, record.sound.as_ref(), texts(&record)), (id(2), None, vec!["hello"]));
    recorder.discard(id(2)).await.unwrap();
    timeout(PATIENCE, recorder.cleared()).await.unwrap();
    assert!(DiskRecorder::open(Path::new("/dev/null/records")).is_err());
}

/// Another process of this test, told where to record; it is killed with this value.
struct Process(Child);

impl Process {
    /// `limit` in blocks of 512 bytes is the longest file that it may write.
    fn start(test: &str, folder: &Path, limit: &str) -> Self {
        // A signal that is ignored stays so in the program that follows.
        let script = "trap '' XFSZ; ulimit -f \"$LIMIT\"; exec \"$@\"";
        let child = Command::new("sh")
            .args(["-c", script, "sh"])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", test, "--ignored", "--nocapture"])
            .env("RECORD_IN", folder)
            .env("LIMIT", limit)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self(child)
    }

    /// Waits until it says that it is where it should be.
    fn ready(&mut self) {
        let lines = BufReader::new(self.0.stdout.take().unwrap()).lines();
        assert!(lines.map_while(Result::ok).any(|line| line.ends_with("ready")), "it ended");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn folder_from_outside() -> PathBuf {
    #[expect(clippy::disallowed_methods, reason = "a test tells its process where")]
    std::env::var_os("RECORD_IN").map(PathBuf::from).unwrap()
}

/// Speaks in the beat of a call until at least so much is on the disk.
fn speak_until(recording: &mut dyn Recording, sound: &Path, bytes: u64) {
    recording.turn(turn(0, "one"));
    recording.fact(Fact::CustomerActive);
    while fs::metadata(sound).map_or(0, |file| file.len()) < bytes {
        recording.sound(Some(&frame(1_000)), Some(&frame(-1_000)));
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
#[ignore = "not a test: another test runs it as the process that is killed"]
fn records_until_it_is_killed() {
    let folder = folder_from_outside();
    let recorder = DiskRecorder::open(&folder).unwrap();
    let mut recording = recorder.begin(id(1), Some(AudioFormat::Pcmu));
    speak_until(recording.as_mut(), &path(&folder, id(1), "wav.part"), 2 * SECOND + 44);
    println!("\nready");
    loop {
        recording.sound(Some(&frame(1_000)), Some(&frame(-1_000)));
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[tokio::test]
async fn a_killed_process_leaves_a_file_that_plays_and_a_record_for_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let mut process = Process::start("records_until_it_is_killed", folder.path(), "unlimited");
    process.ready();
    drop(process);

    // As it lies there it plays, but for its last second.
    let left = hound::WavReader::open(path(folder.path(), id(1), "wav.part")).unwrap().len();
    assert!(left >= 16_000, "{left} samples");
    let recorder = DiskRecorder::open(folder.path()).unwrap();
    let record = next(&recorder).await;
    assert_eq!((record.call, texts(&record), record.facts.customer_active), (id(1), vec!["one"], true));
    let sound = samples(&record);
    assert!(sound.len() >= 32_000, "{} samples", sound.len());
    let level = |level| g711::decode(AudioFormat::Pcmu, frame(level)[0]);
    assert!(sound.chunks(2).all(|pair| pair == [level(1_000), level(-1_000)] || pair == [0, 0]));
    assert!(timeout(Duration::from_millis(50), recorder.next()).await.is_err(), "once");
}

#[test]
#[ignore = "not a test: another test runs it as the process whose files may not grow"]
fn records_more_than_it_may() {
    let folder = folder_from_outside();
    let recorder = DiskRecorder::open(&folder).unwrap();
    let mut recording = recorder.begin(id(1), Some(AudioFormat::Pcmu));
    let sound = path(&folder, id(1), "wav.part");
    speak_until(recording.as_mut(), &sound, SECOND / 2);
    for _ in 0..400 {
        recording.sound(Some(&frame(1_000)), Some(&frame(-1_000)));
        std::thread::sleep(Duration::from_millis(5));
    }
    recording.turn(turn(9, "two"));
    drop(recording);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let record = runtime.block_on(next(&recorder));
    assert_eq!(texts(&record), ["one", "two"]);
    assert!(record.sound.is_some());
    println!("\nready");
}

#[tokio::test]
async fn a_recording_that_hits_a_limit_keeps_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    // A little more than a second.
    let mut process = Process::start("records_more_than_it_may", folder.path(), "72");
    process.ready();
    drop(process);
    let recorder: Arc<DiskRecorder> = DiskRecorder::open(folder.path()).unwrap();
    let record = next(&recorder).await;
    assert_eq!(texts(&record), ["one", "two"]);
    let sound = samples(&record);
    assert!((8_000..=18_432).contains(&sound.len()), "{} samples", sound.len());
}
