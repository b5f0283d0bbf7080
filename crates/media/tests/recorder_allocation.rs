//! Sound that is recorded takes nothing from the heap, neither where the call runs nor on the disk
//! threads. Alone in its process, so that nothing else is counted.
#![allow(clippy::unwrap_used, reason = "tests say what they mean")]

use std::time::Duration;

use domain::audio::{AudioFormat, FRAME_BYTES};
use domain::ids::CallId;
use domain::ports::Recorder;
use media::DiskRecorder;

#[global_allocator]
static COUNTED: dhat::Alloc = dhat::Alloc;

#[test]
fn sound_is_recorded_without_an_allocation() {
    let _profiler = dhat::Profiler::builder().testing().build();
    let folder = tempfile::tempdir().unwrap();
    let recorder = DiskRecorder::open(folder.path()).unwrap();
    let call = CallId::parse("0199a5c0-0000-7000-8000-00000000000a").unwrap();
    let part = folder.path().join(format!("{call}.wav.part"));
    let mut recording = recorder.begin(call, Some(AudioFormat::Pcma));
    let frame = [0x12; FRAME_BYTES];
    let mut beat = |times: u32| {
        for _ in 0..times {
            recording.sound(Some(&frame), None);
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    // Long enough that the files are there and every buffer has its size.
    beat(150);
    let written = std::fs::metadata(&part).unwrap().len();
    let before = dhat::HeapStats::get().total_blocks;
    beat(300);
    let after = dhat::HeapStats::get().total_blocks;
    assert!(std::fs::metadata(&part).unwrap().len() > written, "nothing was written meanwhile");
    assert_eq!(after - before, 0, "allocations for 300 beats");
}
