//! How long a call takes to leave, and a callback to come, at 50 calls a second.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::board::{Board, Moment};
use crate::desk::{Desk, LISTENER};
use crate::dialler::{Dialler, Watch};
use crate::figure::{Report, millis};
use crate::installation::{Installation, PATIENCE};
use crate::machine::Meter;
use crate::peer::{self, Behaviour};
use crate::receiver;

const PER_SECOND: u32 = 50;
/// Calls before the measurement: connections open, statements are prepared, the line is spoken.
const WARM_UP: u32 = PER_SECOND * 5;
const MEASURED: u32 = PER_SECOND * 20;
/// From the peer's answer to its BYE.
const TALK: Duration = Duration::from_secs(1);

pub(crate) fn run(installation: &Installation, report: &mut Report) {
    let board = Arc::new(Board::new(WARM_UP + MEASURED));
    let gateway = peer::start(Behaviour::Talk { length: TALK, board: board.clone(), talker: None });
    let desk = Desk::provision(installation, LISTENER, gateway);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let cpu = runtime.block_on(load(installation, desk, &board));
    report.note(&format!("{MEASURED} calls at {PER_SECOND}/s after {WARM_UP} of warm-up; each is answered at once and hung up by the callee after {TALK:?}"));
    report.note(&cpu);
    for (moment, what) in [(Moment::Invited, "INVITEs"), (Moment::CalledBack, "callbacks")] {
        let missing = (WARM_UP + MEASURED) as usize - board.count(moment);
        report.none(&format!("{what} that never came"), missing);
    }
    let leaving = board.spread(WARM_UP, Moment::Requested, Moment::Invited);
    report.note(&format!("request sent → INVITE received: {leaving}"));
    report.at_most("request sent → INVITE received, p50", millis(leaving.percentile(50.0)), 5.0, "ms");
    report.at_most("request sent → INVITE received, p99", millis(leaving.percentile(99.0)), 25.0, "ms");
    let calling_back = board.spread(WARM_UP, Moment::HungUp, Moment::CalledBack);
    report.note(&format!("BYE sent → callback received: {calling_back}"));
    report.at_most("BYE sent → callback received, p99", millis(calling_back.percentile(99.0)), 50.0, "ms");
}

async fn load(installation: &Installation, desk: Desk, board: &Arc<Board>) -> String {
    let callbacks = receiver::start(board.clone()).await;
    let watch = Watch { board: board.clone(), callbacks };
    let dialler = Dialler::new(installation, desk);
    dialler.place(0..WARM_UP, PER_SECOND, Some(watch.clone())).await;
    let meter = Meter::start(installation.pid());
    dialler.place(WARM_UP..WARM_UP + MEASURED, PER_SECOND, Some(watch)).await;
    let (_, cpu) = meter.stop();
    let deadline = Instant::now() + PATIENCE;
    while board.count(Moment::CalledBack) < (WARM_UP + MEASURED) as usize && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    cpu
}
