//! How many lists and records of calls a second the interface gives, and what a list costs in an
//! organization with a million calls.

use std::time::Instant;

use postgres::sql::{CALLS, CALLS_IN_SPAN, CALLS_OF_TYPE};

use crate::api::{self, Bench, Outcome};
use crate::database;
use crate::desk::{Desk, LISTENER};
use crate::figure::Report;
use crate::installation::{Installation, PATIENCE};
use crate::peer::{self, Behaviour};
use crate::pgbench::{self, Page};

const SECONDS: u64 = 3;
/// Connections where two of our own figures are compared.
const FEW: usize = 8;
const SMALL: u32 = 10_000;
const LARGE: u32 = 1_000_000;
const LISTS: f64 = 0.8;
const RECORDS: f64 = 0.9;

const ALWAYS: [&str; 8] = [
    "0001-01-01Z",
    "0001-01-01Z",
    "0001-01-01Z",
    "0001-01-01Z",
    "9999-12-31Z",
    "9999-12-31Z",
    "9999-12-31Z",
    "9999-12-31Z",
];
const SOME_TIME: [&str; 8] = [
    "2026-01-10 10:20:30Z",
    "2026-01-10 11:00Z",
    "2026-01-11Z",
    "2026-02-01Z",
    "2026-05-01Z",
    "2026-05-03Z",
    "2026-05-03 07:00Z",
    "2026-05-03 07:11:12.000001Z",
];
const ALL_TYPES: &str = "'{Inbound,Outbound,Web}'::text[]";
const EVERYTHING: Page =
    Page { types: ALL_TYPES, offset: 0, name: "NULL::text", intent: "NULL::text", cuts: ALWAYS };

/// A kind of list: its name, query, text, and what the text is filled with.
type Kind = (&'static str, &'static str, &'static str, Page);

/// Lists by every filter, pages far away, and single records.
pub(crate) fn run(installation: &Installation, report: &mut Report) {
    let bench = Bench::new(installation);
    let calls = bench.calls();
    let large = &bench.desk;
    let small = Desk::provision(installation, LISTENER, peer::start(Behaviour::Busy));
    for (desk, count) in [(&**large, LARGE), (&small, SMALL)] {
        let began = Instant::now();
        lay(installation, desk, count);
        report.note(&format!("{count} calls laid down in {:.0} s", began.elapsed().as_secs_f64()));
    }
    report.note("a list: authenticate, and page with total; 20 calls on it, newest first");
    let wrong = [(&**large, LARGE), (&small, SMALL)].into_iter().filter(|(desk, laid)| {
        let counted = format!("SELECT count(*) FROM calls WHERE organization_id = '{}'", desk.organization);
        let counted: u64 = database::query(installation, &counted).parse().unwrap();
        let shown =
            bench.answer(ask(desk, "")).pointer("/pagination/total").and_then(serde_json::Value::as_u64);
        counted < u64::from(*laid) || shown != Some(counted)
    });
    report.none("totals that are wrong", wrong.count());

    let kinds: [Kind; 3] = [
        ("list", "", CALLS, EVERYTHING),
        (
            "list by callType",
            "&callType=Outbound",
            CALLS_OF_TYPE,
            Page { types: "'{Outbound}'::text[]", ..EVERYTHING },
        ),
        (
            "list by from and to",
            "&from=2026-01-10T10:20:30Z&to=2026-05-03T07:11:12Z",
            CALLS_IN_SPAN,
            Page { cuts: SOME_TIME, ..EVERYTHING },
        ),
    ];
    for (place, (what, query, sql, page)) in kinds.iter().enumerate() {
        let script = pgbench::list(installation, large, &format!("list-{place}"), sql, page);
        compare(&bench, installation, report, what, &[script], LISTS, ask(large, query));
        let few = [large, &small].map(|desk| bench.questions(FEW, SECONDS, ask(desk, query)).rate);
        let cost = few[1] / few[0];
        report.at_most(&format!("{what}: cost at {LARGE} calls against {SMALL}"), cost, 1.5, "times");
    }
    let near = bench.questions(FEW, SECONDS, ask(large, ""));
    let far = bench.questions(FEW, SECONDS, ask(large, "&page=5000"));
    note(report, "page 5,000", &far);
    report.at_most("page 5,000 against page 1", near.rate / far.rate, 20.0, "times");
    for (what, query) in [
        ("list by name, 100,000 calls of one assistant", "&agentName=voice%203"),
        ("list by intent, 6,667 calls", "&userPrimaryIntent=INTENT%207"),
        ("list by length", "&sort=duration_desc"),
    ] {
        note(report, what, &bench.questions(FEW, SECONDS, ask(large, query)));
    }

    report.note("a record: authenticate, and read");
    let details = pgbench::details(installation, large, &calls);
    let desk = bench.desk.clone();
    let detail =
        move |client: u32| desk.get(&format!("/api/calls/{}", calls[client as usize % calls.len()]), client);
    compare(&bench, installation, report, "GET /api/calls/{id}", &details, RECORDS, detail);
}

fn note(report: &mut Report, what: &str, outcome: &Outcome) {
    report.note(&format!("{what}: {:.0}/s, answers {}; {}", outcome.rate, outcome.answers, outcome.cpu));
}

/// A request for a list.
fn ask(desk: &Desk, query: &str) -> impl Fn(u32) -> Vec<u8> + Clone + 'static + use<> {
    let path = format!("/api/calls?organizationId={}{query}", desk.organization);
    let desk = desk.clone();
    move |client| desk.get(&path, client)
}

/// Measures these questions against pgbench.
fn compare(
    bench: &Bench<'_>,
    installation: &Installation,
    report: &mut Report,
    what: &str,
    scripts: &[std::path::PathBuf],
    limit: f64,
    request: impl Fn(u32) -> Vec<u8> + Clone + 'static,
) {
    let busiest = api::compare(
        report,
        what,
        limit,
        |connections, _| pgbench::rate(installation, scripts, connections, SECONDS, &[]),
        |connections| bench.questions(connections, SECONDS, request.clone()),
    );
    report.tail(what, &busiest.answers);
}

/// Records calls over a year, of all types, of ten assistants, and waits until they are folded.
pub(crate) fn lay(installation: &Installation, desk: &Desk, count: u32) {
    let Desk { tenant, organization, assistant, number, .. } = desk;
    database::query(
        installation,
        &format!(
            "INSERT INTO assistants SELECT (json_populate_record(a, json_build_object(
                'id', gen_random_uuid(), 'name', 'Voice ' || n))).*
            FROM assistants a, generate_series(1, 9) n WHERE a.id = '{assistant}';
            WITH made AS (
                SELECT n, date_trunc('milliseconds', '2025-11-01Z'::timestamptz + n * ('365 days'::interval / {count})) AS at
                FROM generate_series(0, {count} - 1) n
            ), voices AS (
                SELECT array_agg(id ORDER BY name) AS ids FROM assistants WHERE organization_id = '{organization}'
            ), laid AS (
                INSERT INTO calls (id, tenant_id, organization_id, call_type, assistant_id, number_id,
                    user_phone_number, user_name, started_at, ended_at, duration_seconds, ended_reason,
                    user_primary_intent, created_at)
                SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7'
                        || substr(md5(n || '{organization}'), 1, 3) || '8' || substr(md5(n || '{organization}'), 4, 15))::uuid,
                    '{tenant}', '{organization}', (ARRAY['Outbound', 'Outbound', 'Inbound', 'Inbound', 'Web'])[1 + n % 5],
                    ids[1 + n / 7 % 10], '{number}', '+14155550123', 'Ada Lovelace', CASE WHEN n % 4 > 0 THEN at END,
                    at + interval '60 s', CASE WHEN n % 4 > 0 THEN n * 7919::bigint % 600 END,
                    CASE WHEN n % 4 > 0 THEN 'customer-ended-call' ELSE 'no-answer' END,
                    CASE WHEN n % 3 = 0 THEN 'Intent ' || n / 3 % 50 END, at
                FROM made, voices
                RETURNING organization_id, created_at, call_type
            )
            INSERT INTO call_counts SELECT organization_id, date_trunc('hour', created_at, 'UTC'), call_type, count(*)
            FROM laid GROUP BY 1, 2, 3"
        ),
    );
    let deadline = Instant::now() + PATIENCE;
    while database::query(installation, "SELECT count(*) FROM call_counts") != "0" {
        assert!(Instant::now() < deadline, "counts are not folded");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    database::query(installation, "VACUUM ANALYZE");
}
