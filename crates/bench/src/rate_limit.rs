//! What the rate-limit check costs a request, on one core and on two at once.

use std::net::Ipv4Addr;
use std::pin::pin;
use std::sync::Barrier;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use domain::ports::RateLimitWindow;
use domain::rate_limit::Client;
use http_api::{MemoryWindow, SMALLEST_LIMIT};

use crate::figure::Report;

/// Checks that each thread makes in one round.
const CHECKS: u32 = 4_000_000;
/// The best of these counts: what disturbs a round is not the check.
const ROUNDS: usize = 3;
const LIMIT_NS: f64 = 1_000.0;

/// The window of a node, as the service asks it.
pub(crate) fn run(report: &mut Report) {
    let window = MemoryWindow::new(MemoryWindow::CLIENTS, SMALLEST_LIMIT);
    // Every place is taken: whoever is new pushes somebody out.
    round(&window, 1, u32::MAX);
    for (clients, known) in [("100,000 clients", 100_000), ("ever new clients, table full", u32::MAX)] {
        let best =
            |threads| (0..ROUNDS).map(|_| round(&window, threads, known)).fold(f64::INFINITY, f64::min);
        let (one, two) = (best(1), best(2));
        report.at_most(&format!("rate-limit check, {clients}, one thread"), one, LIMIT_NS, "ns");
        report.at_most(&format!("rate-limit check, {clients}, two threads at once"), two, LIMIT_NS, "ns");
        let ratio = 2.0 * one / two;
        report.note(&format!("two threads check {ratio:.2} times as much as one ({clients})"));
    }
}

/// Nanoseconds for a check by each of `threads` that run at once, each drawing by chance from so
/// many clients.
fn round(window: &dyn RateLimitWindow, threads: u32, clients: u32) -> f64 {
    let start = Barrier::new(threads as usize);
    let took = std::thread::scope(|scope| {
        let workers: Vec<_> = (1..=threads)
            .map(|thread| {
                let start = &start;
                scope.spawn(move || {
                    let mut chance = u64::from(thread) * 0x9E37_79B9_7F4A_7C15;
                    start.wait();
                    let began = Instant::now();
                    for _ in 0..CHECKS {
                        // Xorshift (Marsaglia): cheap beside what is measured.
                        chance ^= chance << 13;
                        chance ^= chance >> 7;
                        chance ^= chance << 17;
                        let client = (chance >> 32) as u32 % clients;
                        check(window, Client::of(Ipv4Addr::from(client).into()));
                    }
                    began.elapsed()
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).max().unwrap()
    });
    took.as_nanos() as f64 / f64::from(CHECKS)
}

fn check(window: &dyn RateLimitWindow, client: Client) {
    let counting = pin!(window.count(client, SMALLEST_LIMIT, 0));
    let Poll::Ready(verdict) = counting.poll(&mut Context::from_waker(Waker::noop())) else {
        panic!("a window in memory waits for nothing")
    };
    std::hint::black_box(verdict);
}
