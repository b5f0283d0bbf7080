//! 300 calls that talk at a time: punctuality, processor time against the barest program, and memory.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use test_realtime::{Options, Replies};

use crate::board::Board;
use crate::database;
use crate::desk::{Desk, LISTENER};
use crate::dialler::Backend;
use crate::figure::{Report, Spread, millis};
use crate::floor;
use crate::installation::{Installation, PATIENCE};
use crate::machine::{Meter, resident};
use crate::peer::{self, Behaviour};
use crate::provider;
use crate::talker::{Cycle, Talker};

/// Calls that talk at a time: in three steps, so that each step's memory and processor time show.
const STEP: u32 = 100;
const TALKING: u32 = 3 * STEP;
const PLACED_PER_SECOND: u32 = 20;
/// How long all calls of a step talk before they are measured: every line was said once.
const SETTLED: Duration = Duration::from_secs(12);
/// How long they are measured.
const MEASURED: Duration = Duration::from_secs(20);
/// From the answer to the callee's BYE: until all steps are measured.
const LENGTH: Duration = Duration::from_secs(150);

/// What both sides say in turn, and the callee's pause in frames: for the end of his turn, and the answer.
const ASSISTANT_SAYS: &str = "Thank you. Please tell me a little more about what happened then.";
const CALLEE_SAYS: &str = "Well, first we went into town, and then we came back again.";
const PAUSE: usize = 300;
/// Turns of a script, more than fit into a call.
const TURNS: usize = 30;

/// What may be used at most: processor time against the floor, and KiB for a call.
struct Limits {
    floors: f64,
    memory: f64,
}

pub(crate) fn builtin(installation: &Installation, report: &mut Report) {
    let step = format!("[[steps]]\nwait_for = \"speech\"\nsay = \"{ASSISTANT_SAYS}\"\n");
    let assistant = LISTENER.to_owned() + &step.repeat(TURNS);
    run(installation, report, &assistant, &Limits { floors: 5.0, memory: 128.0 });
}

pub(crate) fn realtime(installation: &Installation, report: &mut Report) {
    let replies = Replies::lines(&[ASSISTANT_SAYS]);
    let assistant = provider::start(Options { replies, ..Options::default() });
    run(installation, report, &assistant, &Limits { floors: 10.0, memory: 256.0 });
}

fn run(installation: &Installation, report: &mut Report, assistant: &str, limits: &Limits) {
    let talker = Some(Talker::start(Arc::new(Cycle::new(CALLEE_SAYS, PAUSE))));
    let board = Arc::new(Board::new(TALKING));
    let gateway = peer::start(Behaviour::Talk { length: LENGTH, board, talker });
    let backend = Backend::new(installation, Desk::provision(installation, assistant, gateway));
    let floor = floor::measure(TALKING);
    report.note(&format!(
        "floor: one send and one receive every 20 ms on loopback take {:.4} % of a core per call",
        floor * 100.0
    ));
    let mut memory = Vec::new();
    let mut use_of_all = 0.0;
    for calls in [STEP, 2 * STEP, TALKING] {
        backend.place(calls - STEP..calls, PLACED_PER_SECOND);
        wait_talking(installation, calls);
        std::thread::sleep(SETTLED);
        let meter = Meter::start(installation.pid());
        std::thread::sleep(MEASURED);
        let (cores, processors) = meter.stop();
        memory.push(resident(installation.pid()));
        use_of_all = cores / f64::from(calls);
        report.note(&format!(
            "{calls} calls talk and are recorded: {:.4} % of a core each, {:.1} times the floor; resident {:.1} MiB; {processors}",
            use_of_all * 100.0,
            use_of_all / floor,
            resident(installation.pid()),
        ));
    }
    report.none("calls that did not last", (TALKING - talking(installation)) as usize);
    // Those that were placed last end last.
    std::thread::sleep(LENGTH / 2);
    database::settled(installation);
    report.at_most(
        "processor time per call against the floor, 300 calls",
        use_of_all / floor,
        limits.floors,
        "times",
    );
    let each = (memory[1] - memory[0]) * 1_024.0 / f64::from(STEP);
    report.at_most("memory per call, from 100 to 200 calls", each, limits.memory, "KiB");
    sound(installation, report);
}

/// How the media of the calls so far went, as their legs told.
fn sound(installation: &Installation, report: &mut Report) {
    let legs: Vec<Value> = installation
        .log()
        .filter(|entry| entry["fields"]["message"] == "media ended")
        .map(|mut entry| entry["fields"].take())
        .collect();
    let total = |field: &str| legs.iter().map(|leg| leg[field].as_u64().unwrap()).sum::<u64>();
    let spread = |field: &str| {
        Spread::new(legs.iter().map(|leg| Duration::from_micros(leg[field].as_u64().unwrap())).collect())
    };
    report.note(&format!(
        "{} legs: {} packets sent, {} received, {} lost, {} too late to be heard; jitter of the callee: {}",
        legs.len(),
        total("sent"),
        total("received"),
        total("lost"),
        total("late"),
        spread("jitter_us")
    ));
    report.none("legs that told nothing", TALKING as usize - legs.len());
    let worst = spread("send_late_p99_us");
    report.note(&format!("send lateness, median of each call: {}", spread("send_late_p50_us")));
    report.note(&format!("send lateness, p99 of each call: {worst}"));
    report.at_most("send lateness, p99 of the worst call", millis(worst.percentile(100.0)), 5.0, "ms");
    report.none(
        "beats left out and packets that the system did not take",
        (total("skipped") + total("unsent")) as usize,
    );
}

fn wait_talking(installation: &Installation, calls: u32) {
    let deadline = Instant::now() + PATIENCE;
    while talking(installation) < calls && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn talking(installation: &Installation) -> u32 {
    let count = "SELECT count(*) FROM call_legs WHERE state = 'connected'";
    database::query(installation, count).parse().unwrap()
}
