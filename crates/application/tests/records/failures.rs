//! Whatever fails and whenever the process dies, nothing is lost and nothing is there twice.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::ids::CallId;
use tokio::time::{Instant, sleep};

use crate::support::{Fate, Stage};

/// Numbers that look random and are the same in each run (xorshift64).
#[derive(Clone)]
struct Dice(Arc<Mutex<u64>>);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)))
    }

    fn below(&self, limit: u64) -> u64 {
        let mut state = self.0.lock().unwrap();
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state % limit
    }
}

#[tokio::test(start_paused = true)]
async fn through_failures_and_crashes_every_record_is_filed_once() {
    for seed in 1..=200 {
        let dice = Dice::new(seed);
        let rolled = dice.clone();
        let mut stage = Stage::new(move |_, _| {
            let fate = match rolled.below(6) {
                0 | 1 => Fate::Refused,
                2 => Fate::AnswerLost,
                _ => Fate::Done,
            };
            (fate, Duration::from_millis(rolled.below(3_000)))
        })
        .await;
        let mut records = Vec::new();
        for _ in 0..10 {
            for _ in 0..dice.below(4) {
                records.push(stage.record(dice.below(2) == 0).await);
            }
            sleep(Duration::from_millis(dice.below(20_000))).await;
            if dice.below(3) == 0 {
                stage.restart();
            }
        }
        stage.settled(Duration::from_hours(24)).await;
        // The shelf itself sees that nothing is forgotten before it is filed.
        assert_eq!(stage.outside.left(), 0, "seed {seed}");
        for record in &records {
            assert!(stage.outside.is_filed(stage.owner, record), "seed {seed}");
        }
        let stored = stage.outside.stored.lock().unwrap().len();
        let sounds = records.iter().filter(|record| record.sound.is_some()).count();
        assert_eq!(stored, records.len() + sounds, "seed {seed}");
        assert!(stage.outside.aside.lock().unwrap().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn waits_grow_to_a_minute_and_then_stay() {
    let tries = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&tries);
    let stage = Stage::new(move |work, _| {
        assert_eq!(work, "transcript");
        seen.lock().unwrap().push(Instant::now());
        (Fate::Refused, Duration::ZERO)
    })
    .await;
    stage.record(true).await;
    sleep(Duration::from_mins(5)).await;
    let waits: Vec<u64> =
        tries.lock().unwrap().windows(2).map(|pair| (pair[1] - pair[0]).as_secs()).collect();
    assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
}

#[tokio::test(start_paused = true)]
async fn a_step_that_was_taken_is_not_taken_again() {
    let counts: Arc<Mutex<HashMap<&str, u32>>> = Arc::default();
    let seen = Arc::clone(&counts);
    let stage = Stage::new(move |work, _| {
        let mut counts = seen.lock().unwrap();
        let count = counts.entry(work).or_default();
        *count += 1;
        // Every kind of work fails once before it is done.
        (if *count % 2 == 1 { Fate::Refused } else { Fate::Done }, Duration::ZERO)
    })
    .await;
    stage.record(true).await;
    stage.settled(Duration::from_hours(1)).await;
    let counts = counts.lock().unwrap();
    // A refusal and a success of each, and there are two artifacts.
    let counts = ["transcript", "put", "artifact", "discard"].map(|work| counts[work]);
    assert_eq!(counts, [2, 4, 4, 2]);
}

#[tokio::test(start_paused = true)]
async fn records_that_fail_hold_up_no_others() {
    let bad: Arc<Mutex<Vec<CallId>>> = Arc::default();
    let marked = Arc::clone(&bad);
    let stage = Stage::new(move |_, call| {
        let refused = marked.lock().unwrap().contains(&call);
        (if refused { Fate::Refused } else { Fate::Done }, Duration::from_millis(10))
    })
    .await;
    for _ in 0..100 {
        let (call, _) = stage.ground.calling(&stage.world).await.unwrap();
        bad.lock().unwrap().push(call.id);
        stage.outside.put_on_shelf(crate::support::record(call.id, true));
    }
    sleep(Duration::from_mins(10)).await;
    let began = Instant::now();
    let good = stage.record(true).await;
    while !stage.outside.is_filed(stage.owner, &good) {
        sleep(Duration::from_millis(10)).await;
        assert!(began.elapsed() < Duration::from_secs(2));
    }
    // What made them fail passes.
    bad.lock().unwrap().clear();
    stage.settled(Duration::from_secs(70)).await;
    assert_eq!(stage.outside.left(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_artifact_store_that_hangs_holds_up_no_summary_and_is_given_up_in_the_end() {
    let hangs = Arc::new(Mutex::new(true));
    let fate = Arc::clone(&hangs);
    let stage = Stage::new(move |work, _| {
        let hung = work == "put" && *fate.lock().unwrap();
        (Fate::Done, if hung { Duration::from_hours(10_000) } else { Duration::from_millis(10) })
    })
    .await;
    let mut records = Vec::new();
    for _ in 0..20 {
        records.push(stage.record(true).await);
    }
    sleep(Duration::from_secs(1)).await;
    for record in &records {
        assert!(stage.outside.is_transcribed(record), "its analysis is due");
    }
    *hangs.lock().unwrap() = false;
    stage.settled(Duration::from_hours(3)).await;
    assert!(records.iter().all(|record| stage.outside.is_filed(stage.owner, record)));
}

#[tokio::test(start_paused = true)]
async fn no_more_are_held_than_there_is_room_for_and_the_rest_stays_on_the_shelf() {
    let refusing = Arc::new(Mutex::new(true));
    let fate = Arc::clone(&refusing);
    let stage = Stage::new(move |_, _| {
        (if *fate.lock().unwrap() { Fate::Refused } else { Fate::Done }, Duration::from_millis(1))
    })
    .await;
    for _ in 0..300 {
        stage.record(false).await;
    }
    sleep(Duration::from_mins(5)).await;
    assert_eq!(*stage.outside.taken.lock().unwrap(), 256);
    *refusing.lock().unwrap() = false;
    stage.settled(Duration::from_mins(3)).await;
    assert_eq!((*stage.outside.taken.lock().unwrap(), stage.outside.left()), (300, 0));
}

#[tokio::test(start_paused = true)]
async fn a_shelf_that_breaks_is_asked_again() {
    let stage = Stage::new(|_, _| (Fate::Done, Duration::ZERO)).await;
    stage.outside.shelf_broken.store(true, Ordering::Relaxed);
    let record = stage.record(true).await;
    sleep(Duration::from_secs(5)).await;
    assert_eq!(stage.outside.left(), 1);
    stage.outside.shelf_broken.store(false, Ordering::Relaxed);
    stage.settled(Duration::from_secs(3)).await;
    assert!(stage.outside.is_filed(stage.owner, &record));
}
