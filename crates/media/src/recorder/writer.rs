//! The thread that writes what calls hand over, all calls in turn.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use tokio::time::Instant;

use super::Shared;
use super::completer::Work;
use super::intake::Gathered;
use super::tape::Tape;

/// Sound is written this often: a quarter of what a call has room for.
const ROUND: Duration = Duration::from_millis(500);

/// Writes until the recorder and its last recording are gone.
pub(super) fn run(shared: &Arc<Shared>, completer: &Sender<Work>) {
    let mut tapes: Vec<Tape> = Vec::new();
    let (mut spare, mut bytes) = (Gathered::with_room(), Vec::new());
    let mut due = Instant::now();
    loop {
        tapes.append(&mut shared.begun.lock());
        let hurry = Instant::now() >= due;
        if hurry {
            due = Instant::now() + ROUND;
        }
        let over = |tape: &mut Tape| tape.write(&mut spare, &mut bytes, hurry);
        for tape in tapes.extract_if(.., over) {
            let (call, unwritten) = tape.end();
            // It ends after us.
            let _ = completer.send(Work::Ended { call, unwritten });
        }
        if !tapes.is_empty() {
            thread::park_timeout(due.saturating_duration_since(Instant::now()));
        } else if shared.is_closing() {
            // Nothing is begun any more, but something may have been since we looked.
            if shared.begun.lock().is_empty() {
                return;
            }
        } else {
            // A recording that was begun meanwhile has left its mark, and we do not sleep.
            thread::park();
        }
    }
}
