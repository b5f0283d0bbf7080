//! Records that are filed as they should.

use std::time::Duration;

use domain::call::ArtifactKind;
use domain::ids::CallId;
use tokio::time::Instant;

use crate::support::{Fate, Stage, record};

const LONG: Duration = Duration::from_hours(1);

fn done(_: &'static str, _: CallId) -> (Fate, Duration) {
    (Fate::Done, Duration::from_millis(100))
}

#[tokio::test(start_paused = true)]
async fn a_record_is_filed_as_a_whole_and_then_forgotten() {
    let stage = Stage::new(done).await;
    for sound in [true, false] {
        let record = stage.record(sound).await;
        stage.settled(LONG).await;
        assert!(stage.outside.is_filed(stage.owner, &record));
        assert_eq!(stage.outside.left(), 0);
    }
    let puts: Vec<u32> = stage.outside.stored.lock().unwrap().values().map(|(_, puts)| *puts).collect();
    assert_eq!(puts, [1, 1, 1], "a recording and two transcripts, once each");
}

#[tokio::test(start_paused = true)]
async fn few_are_filed_at_once_however_many_there_are() {
    let stage = Stage::new(done).await;
    let began = Instant::now();
    for _ in 0..40 {
        stage.record(true).await;
    }
    stage.settled(LONG).await;
    // Four are stored, and the transcripts of four others are filed.
    assert_eq!((stage.outside.left(), stage.outside.most_at_once()), (0, 8));
    // One step of 100 ms, and then five, ten times.
    assert_eq!(began.elapsed().as_millis() / 100, 51);
}

#[tokio::test(start_paused = true)]
async fn a_record_of_an_unknown_call_is_set_aside_and_nothing_of_it_is_stored() {
    let stage = Stage::new(done).await;
    let call = CallId::parse("0199a5c0-0000-7000-8000-00000000000a").unwrap();
    stage.outside.put_on_shelf(record(call, true));
    let known = stage.record(true).await;
    stage.settled(LONG).await;
    assert_eq!(*stage.outside.aside.lock().unwrap(), [call]);
    assert!(stage.outside.is_filed(stage.owner, &known));
    assert_eq!(stage.outside.stored.lock().unwrap().len(), ArtifactKind::ALL.len());
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_waits_for_what_can_be_filed_and_no_longer_than_its_limit() {
    let stage = Stage::new(done).await;
    stage.record(true).await;
    let began = Instant::now();
    stage.settled(LONG).await;
    assert_eq!(began.elapsed().as_millis() / 100, 6);

    let refusing = Stage::new(|_, _| (Fate::Refused, Duration::ZERO)).await;
    refusing.record(true).await;
    let began = Instant::now();
    refusing.settled(Duration::from_secs(12)).await;
    assert_eq!((began.elapsed().as_secs(), refusing.outside.left()), (12, 1));
}
