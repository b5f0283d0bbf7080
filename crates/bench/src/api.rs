//! How many calls a second the interface takes, and how many questions, against pgbench doing the
//! same statements on the same database.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::database;
use crate::desk::{Desk, LISTENER};
use crate::figure::{Report, Spread};
use crate::http::Connection;
use crate::installation::Installation;
use crate::machine::Meter;
use crate::peer::{self, Behaviour};
use crate::pgbench;

/// HTTP connections, each with one request at a time; pgbench gets as many of its own kind.
pub(crate) const CONNECTIONS: [usize; 3] = [8, 32, 64];
pub(crate) const SECONDS: u64 = 5;
/// Calls that are asked about, in turn.
const SOME: usize = 16;
const PLACED: f64 = 0.8;
const ASKED_FOR: f64 = 0.9;

/// `POST /api/outbound`, with all that a call brings until it has ended.
pub(crate) fn place(installation: &Installation, report: &mut Report) {
    let bench = Bench::new(installation);
    report.note("a call: authenticate, placeable, accept (committed), conclude (committed); the trunk answers 486 at once");
    let lives = [pgbench::lives(installation)];
    compare(
        report,
        "POST /api/outbound",
        PLACED,
        |connections, round| pgbench::run(installation, &bench.desk, &lives, connections, SECONDS, round),
        |connections| bench.place(connections, SECONDS),
    );
}

/// `GET …/status` with its key check.
pub(crate) fn status(installation: &Installation, report: &mut Report) {
    let bench = Bench::new(installation);
    report.note("a question: authenticate, status");
    let calls = bench.calls();
    let questions = pgbench::questions(installation, &calls);
    let busiest = compare(
        report,
        "GET status",
        ASKED_FOR,
        |connections, round| pgbench::run(installation, &bench.desk, &questions, connections, SECONDS, round),
        |connections| bench.ask(&calls, connections),
    );
    report.tail("GET status", &busiest.answers);
}

pub(crate) struct Bench<'a> {
    installation: &'a Installation,
    pub(crate) desk: Arc<Desk>,
    /// Each request comes from another client.
    clients: Arc<AtomicU32>,
    runtime: tokio::runtime::Runtime,
}

pub(crate) struct Outcome {
    /// Pieces of work finished a second.
    pub(crate) rate: f64,
    pub(crate) answers: Spread,
    pub(crate) cpu: String,
}

/// Measures pgbench, us, and pgbench again, with as many connections each; each run of pgbench is
/// told its number. Gives what came of the most connections.
pub(crate) fn compare(
    report: &mut Report,
    what: &str,
    limit: f64,
    theirs: impl Fn(usize, u64) -> f64,
    ours: impl Fn(usize) -> Outcome,
) -> Outcome {
    report.note(
        "the server speaks HTTP (and SIP) too and shares the processors with load tool and database; \
         pgbench only with the database",
    );
    let mut last = None;
    for (round, connections) in CONNECTIONS.into_iter().enumerate() {
        let round = 1 + round as u64 * 2;
        let before = theirs(connections, round);
        let outcome = ours(connections);
        let after = theirs(connections, round + 1);
        let what = format!("{what}, {connections} connections");
        report.note(&format!("{what}: answers {}; {}", outcome.answers, outcome.cpu));
        report.note(&format!("pgbench, {connections} connections: before {before:.0}/s, after {after:.0}/s"));
        report.share(&what, outcome.rate, f64::midpoint(before, after), limit);
        last = Some(outcome);
    }
    last.unwrap()
}

impl<'a> Bench<'a> {
    pub(crate) fn new(installation: &'a Installation) -> Self {
        let gateway = peer::start(Behaviour::Busy);
        let bench = Self {
            installation,
            desk: Arc::new(Desk::provision(installation, LISTENER, gateway)),
            clients: Arc::default(),
            runtime: tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap(),
        };
        // Connections open, statements are prepared, tables are no longer empty.
        bench.place(8, 2);
        bench
    }

    /// Places calls; one counts when it has ended, not when it was accepted.
    fn place(&self, connections: usize, seconds: u64) -> Outcome {
        let before = database::settled(self.installation);
        let began = Instant::now();
        let desk = self.desk.clone();
        let (answers, cpu) = self.load(connections, seconds, 201, move |client| desk.place(client, None));
        let ended = database::settled(self.installation) - before;
        Outcome { rate: ended as f64 / began.elapsed().as_secs_f64(), answers, cpu }
    }

    /// Asks where calls stand.
    fn ask(&self, calls: &[String], connections: usize) -> Outcome {
        let (desk, calls) = (self.desk.clone(), calls.to_vec());
        let request = move |client: u32| desk.status(&calls[client as usize % calls.len()], client);
        self.questions(connections, SECONDS, request)
    }

    /// Asks the same again and again; every answer is 200.
    pub(crate) fn questions(
        &self,
        connections: usize,
        seconds: u64,
        request: impl Fn(u32) -> Vec<u8> + Clone + 'static,
    ) -> Outcome {
        self.answered(connections, seconds, 200, request)
    }

    /// Sends requests again and again that are all answered with the expected status.
    pub(crate) fn answered(
        &self,
        connections: usize,
        seconds: u64,
        expected: u16,
        request: impl Fn(u32) -> Vec<u8> + Clone + 'static,
    ) -> Outcome {
        let began = Instant::now();
        let (answers, cpu) = self.load(connections, seconds, expected, request);
        Outcome { rate: answers.count() as f64 / began.elapsed().as_secs_f64(), answers, cpu }
    }

    /// The answer to one question.
    pub(crate) fn answer(&self, request: impl Fn(u32) -> Vec<u8>) -> Value {
        let local = tokio::task::LocalSet::new();
        local.block_on(&self.runtime, async {
            let mut connection = Connection::open(&self.installation.address).await.unwrap();
            let request = request(self.clients.fetch_add(1, Ordering::Relaxed));
            let status = connection.ask(&request).await.unwrap();
            assert_eq!(status, 200, "{}", String::from_utf8_lossy(connection.body()));
            serde_json::from_slice(connection.body()).unwrap()
        })
    }

    /// Keeps every connection busy for a while; gives how long each answer took.
    fn load(
        &self,
        connections: usize,
        seconds: u64,
        expected: u16,
        request: impl Fn(u32) -> Vec<u8> + Clone + 'static,
    ) -> (Spread, String) {
        let meter = Meter::start(self.installation.pid());
        let until = Instant::now() + Duration::from_secs(seconds);
        let local = tokio::task::LocalSet::new();
        let workers: Vec<_> = (0..connections)
            .map(|_| {
                let (address, clients) = (self.installation.address.clone(), self.clients.clone());
                let request = request.clone();
                local.spawn_local(async move {
                    let mut connection = Connection::open(&address).await.unwrap();
                    let mut took = Vec::new();
                    while Instant::now() < until {
                        let request = request(clients.fetch_add(1, Ordering::Relaxed));
                        let sent = Instant::now();
                        let status = connection.ask(&request).await.unwrap();
                        assert_eq!(status, expected, "{}", String::from_utf8_lossy(connection.body()));
                        took.push(sent.elapsed());
                    }
                    took
                })
            })
            .collect();
        let took = local.block_on(&self.runtime, async {
            let mut all = Vec::new();
            for worker in workers {
                all.extend(worker.await.unwrap());
            }
            all
        });
        (Spread::new(took), meter.stop().1)
    }

    /// The ids of some calls.
    pub(crate) fn calls(&self) -> Vec<String> {
        let local = tokio::task::LocalSet::new();
        local.block_on(&self.runtime, async {
            let mut connection = Connection::open(&self.installation.address).await.unwrap();
            let mut ids = Vec::new();
            for _ in 0..SOME {
                let client = self.clients.fetch_add(1, Ordering::Relaxed);
                assert_eq!(connection.ask(&self.desk.place(client, None)).await.unwrap(), 201);
                let placed: Value = serde_json::from_slice(connection.body()).unwrap();
                ids.push(placed["outboundCallId"].as_str().unwrap().to_owned());
            }
            ids
        })
    }
}
