//! What the dashboard's pages cost: the list of a million calls, two hundred open live pages, and how much
//! each page loads.

use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Builder;

use crate::database;
use crate::desk::{Desk, LISTENER};
use crate::dialler::Backend;
use crate::figure::{Report, Spread, millis};
use crate::http::Connection;
use crate::installation::{Installation, PATIENCE};
use crate::lists;
use crate::machine::Meter;
use crate::peer::{self, Behaviour};

const CALLS: u32 = 1_000_000;
/// Times that a page is loaded, one after another.
const LOADS: usize = 300;
const LIST_LIMIT: f64 = 30.0;
const STREAMS: usize = 200;
/// People who look, each at as many pages as one may keep live.
const PEOPLE: usize = 20;
/// New calls a second while pages are looked at; each is seen dialling, and then busy.
const PER_SECOND: u32 = 2;
const LOOKING: Duration = Duration::from_secs(20);
const LIVE_LIMIT: f64 = 0.05;
const SIZE_LIMIT: usize = 100 * 1024;

pub(crate) fn run(installation: &Installation, report: &mut Report) {
    let desk = Desk::provision(installation, LISTENER, peer::start(Behaviour::Busy));
    let began = Instant::now();
    lists::lay(installation, &desk, CALLS);
    let deadline = Instant::now() + 5 * PATIENCE;
    while database::query(installation, "SELECT count(*) FROM call_outcomes") != "0" {
        assert!(Instant::now() < deadline, "outcomes are not folded");
        std::thread::sleep(Duration::from_millis(100));
    }
    database::query(installation, "VACUUM ANALYZE");
    report.note(&format!("{CALLS} calls laid down and counted in {:.0} s", began.elapsed().as_secs_f64()));
    let people: Vec<_> = (0..PEOPLE).map(|place| sign_in(installation, &desk, place)).collect();
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(lists_of_calls(installation, &desk, &people[0], report));
    runtime.block_on(sizes(installation, &desk, &people[0], report));
    live_pages(installation, &desk, &people, report);
}

/// Somebody of the whole tenant with a session, as signing in would have made it; gives its cookie.
fn sign_in(installation: &Installation, desk: &Desk, place: usize) -> String {
    // 43 characters of base64 are 32 bytes; the last may only be one of a few.
    let cookie = format!("{place:042}A");
    database::query(
        installation,
        &format!(
            "WITH own AS (
                INSERT INTO users (id, tenant_id, email, email_folded, role, password, created_at)
                VALUES (gen_random_uuid(), '{}', 'p{place}@bench.example', 'p{place}@bench.example', 'admin', 'x', now())
                RETURNING id
            )
            INSERT INTO sessions (digest, user_id, created_at, seen_at, expires_at)
            SELECT sha256('{cookie}'), id, now(), now(), now() + interval '1 hour' FROM own",
            desk.tenant
        ),
    );
    cookie
}

fn request(installation: &Installation, cookie: &str, path: &str) -> Vec<u8> {
    format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\nCookie: __Host-callwright={cookie}\r\nAccept: text/html\r\n\r\n",
        installation.address
    )
    .into_bytes()
}

async fn lists_of_calls(installation: &Installation, desk: &Desk, cookie: &str, report: &mut Report) {
    let mut connection = Connection::open(&installation.address).await.unwrap();
    let path = format!("/o/{}/calls", desk.organization);
    for (what, query) in [
        ("list page", ""),
        ("list page by type", "?type=Outbound"),
        ("list page by status", "?status=no-answer"),
        ("list page of a month", "?from=2026-04-01&to=2026-04-30"),
        (
            "list page of a month by status and type",
            "?from=2026-04-01&to=2026-04-30&status=completed&type=Inbound",
        ),
        ("list page by length", "?sort=duration_desc"),
        ("list page 2,000", "?page=2000"),
        ("list page by assistant, 100,000 calls", "?agent=voice+3"),
        ("list page by assistant and status", "?agent=voice+3&status=completed"),
        ("list page by intent, 6,667 calls", "?intent=intent+7"),
    ] {
        let request = request(installation, cookie, &format!("{path}{query}"));
        let mut answers = Vec::with_capacity(LOADS);
        for _ in 0..LOADS {
            let began = Instant::now();
            let status = connection.ask(&request).await.unwrap();
            answers.push(began.elapsed());
            assert_eq!(status, 200, "{}", String::from_utf8_lossy(connection.body()));
        }
        let spread = Spread::new(answers);
        report.note(&format!("{what}, {CALLS} calls: {spread}, {} bytes", connection.body().len()));
        report.at_most(&format!("{what}: p99"), millis(spread.percentile(99.0)), LIST_LIMIT, "ms");
    }
}

/// How much each page loads: itself, and the files that it names.
async fn sizes(installation: &Installation, desk: &Desk, cookie: &str, report: &mut Report) {
    let mut connection = Connection::open(&installation.address).await.unwrap();
    let newest = format!(
        "SELECT id FROM calls WHERE organization_id = '{}' ORDER BY created_at DESC LIMIT 1",
        desk.organization
    );
    let own = format!("/o/{}", desk.organization);
    let mut pages: Vec<String> =
        ["/organizations", "/trunks", "/users", "/audit-log", "/account", "/sign-in"]
            .map(str::to_owned)
            .into();
    for path in [
        "/calls",
        "/place-call",
        "/callbacks",
        "/assistants",
        "/numbers",
        "/metadata",
        "/settings/api-keys",
        "/settings/callback-secret",
    ] {
        pages.push(format!("{own}{path}"));
    }
    pages.push(format!("{own}/calls/{}", database::query(installation, &newest)));
    for page in pages {
        let who = if page == "/sign-in" { "" } else { cookie };
        let status = connection.ask(&request(installation, who, &page)).await.unwrap();
        let shown = page.replace(&own, "/o/…");
        assert_eq!(status, 200, "{shown}");
        let body = String::from_utf8(connection.body().to_vec()).unwrap();
        let mut files: Vec<_> = body.split('"').filter(|part| part.starts_with("/assets/")).collect();
        files.sort_unstable();
        files.dedup();
        let mut total = body.len();
        for file in &files {
            assert_eq!(connection.ask(&request(installation, who, file)).await.unwrap(), 200, "{file}");
            total += connection.body().len();
        }
        let requests = files.len() + 1;
        report.note(&format!("{shown}: {requests} requests, {total} bytes, {} of them the page", body.len()));
        report.none(&format!("{shown}: bytes over 100 KiB in all"), total.saturating_sub(SIZE_LIMIT));
    }
}

/// The same calls are placed with and without anybody who looks: the difference is what looking costs, to the
/// server, its database, and also to those who look.
fn live_pages(installation: &Installation, desk: &Desk, people: &[String], report: &mut Report) {
    let backend = Backend::new(installation, desk.clone());
    let calls = PER_SECOND * u32::try_from(LOOKING.as_secs()).unwrap();
    let place = |round: u32| {
        let meter = Meter::start(installation.pid());
        backend.place(round * calls..(round + 1) * calls, PER_SECOND);
        (meter.everything(), meter.stop().1)
    };
    let (alone, line) = place(0);
    report.note(&format!("{PER_SECOND} calls a second, nobody looks: {line}"));
    for (what, queries) in [
        ("all at the same list", vec![String::new()]),
        ("at ten lists", (1..=10).map(|page| format!("?page={page}")).collect()),
    ] {
        let looking = looking(installation, desk, people, &queries);
        let (watched, line) = place(if queries.len() == 1 { 1 } else { 2 });
        let idle = Meter::start(installation.pid());
        std::thread::sleep(LOOKING / 2);
        let idle = idle.everything();
        let (events, open) = looking.finish();
        report.none("live pages whose stream has ended", STREAMS - open);
        report.note(&format!("{STREAMS} live pages, {what}: {line}; {events} bytes of events"));
        report.note(&format!(
            "{STREAMS} live pages, {what}, while nothing happens: {:.2} % of a core",
            idle * 100.0
        ));
        report.at_most(
            &format!(
                "{STREAMS} live pages, {what}, {PER_SECOND} calls a second: cores beyond those of the calls"
            ),
            (watched - alone).max(0.0),
            LIVE_LIMIT,
            "cores",
        );
    }
}

/// Open streams on a thread of their own.
struct Looking {
    end: tokio::sync::oneshot::Sender<()>,
    thread: std::thread::JoinHandle<(usize, usize)>,
}

impl Looking {
    /// Closes them, and tells how much came, and how many were still open.
    fn finish(self) -> (usize, usize) {
        self.end.send(()).unwrap();
        self.thread.join().unwrap()
    }
}

fn looking(installation: &Installation, desk: &Desk, people: &[String], queries: &[String]) -> Looking {
    let requests: Vec<_> = (0..STREAMS)
        .map(|place| {
            let query = &queries[place % queries.len()];
            let path = format!("/o/{}/calls/live{query}", desk.organization);
            request(installation, &people[place % people.len()], &path)
        })
        .collect();
    let (end, ended) = tokio::sync::oneshot::channel();
    let (open, opened) = std::sync::mpsc::channel();
    let address = installation.address.clone();
    let thread = std::thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            // Bytes that came, and streams that are open.
            let seen = std::rc::Rc::new((std::cell::Cell::new(0), std::cell::Cell::new(0)));
            let streams = tokio::task::LocalSet::new();
            let looking = async {
                for request in requests {
                    let mut stream = TcpStream::connect(&address).await.unwrap();
                    stream.write_all(&request).await.unwrap();
                    let mut buffer = vec![0; 64 * 1024];
                    let read = stream.read(&mut buffer).await.unwrap();
                    assert!(buffer[..read].starts_with(b"HTTP/1.1 200"), "no stream");
                    let seen = seen.clone();
                    seen.1.set(seen.1.get() + 1);
                    tokio::task::spawn_local(async move {
                        while let Ok(read @ 1..) = stream.read(&mut buffer).await {
                            seen.0.set(seen.0.get() + read);
                        }
                        seen.1.set(seen.1.get() - 1);
                    });
                }
                open.send(()).unwrap();
                ended.await.unwrap();
            };
            streams.run_until(looking).await;
            (seen.0.get(), seen.1.get())
        })
    });
    opened.recv_timeout(PATIENCE).expect("streams do not open");
    Looking { end, thread }
}
