//! 200 calls that talk at a time: punctuality, processor time and memory.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::database;
use crate::desk::{Desk, LISTENER};
use crate::dialler::Backend;
use crate::figure::{Report, Spread, millis};
use crate::installation::{Installation, PATIENCE};
use crate::machine::{Meter, resident};
use crate::telephone::Telephone;

/// Calls that talk at a time.
const TALKING: u32 = 200;
const PLACED_PER_SECOND: u32 = 20;
/// How long all of them talk while they are measured.
const MEASURED: Duration = Duration::from_secs(30);
/// From the answer to the callee's BYE: until the last was placed, and some seconds on both sides.
const HANG_UP_AFTER: &str = "60";

/// Turns of both sides, more than fit into a call.
const TURNS: usize = 20;
const ASSISTANT_SAYS: &str = "Thank you. Please tell me a little more about what happened then.";
const CALLEE_SAYS: &str = "Well, first we went into town, and then we came back again.";

pub(crate) fn run(installation: &Installation, report: &mut Report) {
    let mut arguments: Vec<String> = (0..TURNS).flat_map(|_| ["--say".into(), CALLEE_SAYS.into()]).collect();
    arguments.extend(["--hang-up-after".into(), HANG_UP_AFTER.into()]);
    let telephone = Telephone::start(installation, &arguments);
    let step = format!("[[steps]]\nwait_for = \"speech\"\nsay = \"{ASSISTANT_SAYS}\"\n");
    let desk = Desk::provision(installation, &(LISTENER.to_owned() + &step.repeat(TURNS)), telephone.address);
    let backend = Backend::new(installation, desk);
    // The lines are spoken once, and everything has been in use.
    backend.place(0..2, PLACED_PER_SECOND);
    std::thread::sleep(Duration::from_secs(3));

    let before = resident(installation.pid());
    backend.place(2..TALKING, PLACED_PER_SECOND);
    wait_talking(installation);
    let theirs = Meter::start(telephone.pid());
    let ours = Meter::start(installation.pid());
    std::thread::sleep(MEASURED);
    let (cores, cpu) = ours.stop();
    let (telephone_cores, _) = theirs.stop();
    let memory = resident(installation.pid()) - before;
    let still = talking(installation);
    database::settled(installation);

    report.note(&format!("{TALKING} calls talk both ways for {MEASURED:?}, assistant and callee in turn; {cpu}, of these the telephone {telephone_cores:.2}"));
    report.none("calls that did not last", (TALKING - still) as usize);
    let calls = f64::from(TALKING);
    report.note(&format!("processor time per call: {:.3} % of a core", cores * 100.0 / calls));
    report.note(&format!(
        "memory per call: {:.0} KiB ({memory:.1} MiB more for {} calls)",
        memory * 1_024.0 / f64::from(TALKING - 2),
        TALKING - 2
    ));
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

fn wait_talking(installation: &Installation) {
    let deadline = Instant::now() + PATIENCE;
    while talking(installation) < TALKING && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn talking(installation: &Installation) -> u32 {
    let count = "SELECT count(*) FROM call_legs WHERE state = 'connected'";
    database::query(installation, count).parse().unwrap()
}
