//! What thousands of calls leave behind.

use std::time::Duration;

use crate::database;
use crate::desk::{Desk, LISTENER};
use crate::dialler::Backend;
use crate::figure::Report;
use crate::installation::Installation;
use crate::machine::resident;
use crate::telephone::Telephone;

const PER_SECOND: u32 = 50;
/// Calls before the first reading: as many as can be remembered at a time at this pace.
const WARM_UP: u32 = PER_SECOND * 40;
/// Calls between two readings, and how many readings follow the first.
const PORTION: u32 = 1_000;
const PORTIONS: u32 = 5;
/// How long a call that is over may leave something behind: what can still come late over SIP
/// (64 × T1, 32 s), and a little.
const FORGOTTEN: Duration = Duration::from_secs(36);

pub(crate) fn run(installation: &Installation, report: &mut Report) {
    let arguments = ["--say", "Yes.", "--hang-up-after", "1"].map(str::to_owned);
    let telephone = Telephone::start(installation, &arguments);
    let backend = Backend::new(installation, Desk::provision(installation, LISTENER, telephone.address));
    let rest = || {
        database::settled(installation);
        std::thread::sleep(FORGOTTEN);
        resident(installation.pid())
    };
    backend.place(0..WARM_UP, PER_SECOND);
    let before = rest();
    for portion in 0..PORTIONS {
        let first = WARM_UP + portion * PORTION;
        backend.place(first..first + PORTION, PER_SECOND);
        let now = resident(installation.pid());
        report.note(&format!(
            "memory after {} calls, with those of the last seconds: {now:.1} MiB",
            first + PORTION
        ));
    }
    let after = rest();
    let calls = PORTION * PORTIONS;
    report.note(&format!(
        "memory at rest: {before:.1} MiB after {WARM_UP} calls of a second, {after:.1} MiB after {calls} more"
    ));
    report.at_most(
        &format!("memory after {calls} calls, as a share of before"),
        after / before,
        1.1,
        "times",
    );
}
