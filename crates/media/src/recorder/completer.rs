//! The thread that completes records: it waits for the disk, so that the writing thread need not.

use std::sync::mpsc::Receiver;

use domain::ids::CallId;

use super::Shared;
use super::line::{FIRST, Line, Told};

/// A record to complete. The queue holds an id for each call that has ended but is not yet on the
/// disk, and lines only of those that the disk refused.
pub(super) enum Work {
    /// An earlier start left it.
    Left(CallId),
    /// Its call has ended.
    Ended {
        /// The call.
        call: CallId,
        /// What the disk did not take.
        unwritten: Vec<Line>,
    },
}

/// Completes until nobody is left who could end a record.
pub(super) fn run(shared: &Shared, work: &Receiver<Work>) {
    while let Ok(work) = work.recv() {
        let (call, unwritten, own) = match work {
            Work::Left(call) => (call, Vec::new(), false),
            Work::Ended { call, unwritten } => (call, unwritten, true),
        };
        if !unwritten.is_empty() {
            from_memory(shared, call, unwritten);
            continue;
        }
        match shared.files.complete(call) {
            Ok(()) => shared.shelf.add(call),
            Err(error) => {
                tracing::error!(%call, %error, "a record cannot be completed on the disk");
                if own {
                    from_memory(shared, call, Vec::new());
                } else {
                    shared.shelf.strike(call);
                }
            }
        }
    }
}

/// Hands over a record that the disk does not hold as a whole; what it holds is completed by the
/// next start if this one ends first.
fn from_memory(shared: &Shared, call: CallId, unwritten: Vec<Line>) {
    let nothing_written = unwritten.first() == Some(&FIRST);
    let told = if nothing_written { Ok(Told::default()) } else { shared.files.told(call) };
    match told {
        Ok(mut told) => {
            told.extend(unwritten);
            shared.shelf.add_from_memory(shared.files.record(call, told));
        }
        Err(error) => {
            tracing::error!(%call, %error, "a record is left to the next start: it cannot be read");
            shared.shelf.strike(call);
        }
    }
}
