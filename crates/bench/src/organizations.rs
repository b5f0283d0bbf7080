//! How many organizations a second the interface creates.

use crate::api::{Bench, SECONDS, compare};
use crate::figure::Report;
use crate::installation::Installation;
use crate::pgbench;

const LIMIT: f64 = 0.8;

/// `POST /api/organization` with its key check.
pub(crate) fn create(installation: &Installation, report: &mut Report) {
    let bench = Bench::new(installation);
    let desk = bench.desk.as_tenant(installation);
    report.note("an organization: authenticate, create (committed)");
    let scripts = [pgbench::creations(installation)];
    let busiest = compare(
        report,
        "POST /api/organization",
        LIMIT,
        |connections, round| pgbench::run(installation, &desk, &scripts, connections, SECONDS, round),
        |connections| {
            let desk = desk.clone();
            bench.answered(connections, SECONDS, 201, move |client| desk.create(client))
        },
    );
    report.tail("POST /api/organization", &busiest.answers);
}
