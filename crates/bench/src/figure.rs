//! Measured values, their percentiles, and how they stand to their limits.

use std::process::ExitCode;
use std::time::Duration;

/// Durations of one kind.
pub(crate) struct Spread(Vec<Duration>);

impl Spread {
    pub(crate) fn new(mut values: Vec<Duration>) -> Self {
        values.sort_unstable();
        Self(values)
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// The value that so many percent stay at or below (nearest rank).
    pub(crate) fn percentile(&self, percent: f64) -> Duration {
        let rank = (self.0.len() as f64 * percent / 100.0).ceil() as usize;
        self.0.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    }
}

impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at = |percent| millis(self.percentile(percent));
        let (count, max) = (self.0.len(), at(100.0));
        write!(
            f,
            "n {count}, p50 {:.2} ms, p90 {:.2} ms, p99 {:.2} ms, max {max:.2} ms",
            at(50.0),
            at(90.0),
            at(99.0)
        )
    }
}

pub(crate) fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

/// The figures of one run.
#[derive(Default)]
pub(crate) struct Report {
    lines: Vec<String>,
    missed: usize,
}

impl Report {
    /// A value that should stay at or below its limit.
    pub(crate) fn at_most(&mut self, what: &str, measured: f64, limit: f64, unit: &str) {
        let ratio = measured / limit;
        self.add(
            measured <= limit,
            &format!("{what}: {measured:.2} {unit}, limit {limit} {unit}, ratio {ratio:.2}"),
        );
    }

    /// Our rate, as a share of what the same work yields elsewhere, that should reach its limit.
    pub(crate) fn share(&mut self, what: &str, ours: f64, theirs: f64, limit: f64) {
        let ratio = ours / theirs;
        self.add(
            ratio >= limit,
            &format!("{what}: {ours:.0}/s against {theirs:.0}/s, ratio {ratio:.2}, limit {limit}"),
        );
    }

    /// How far the slowest answers of many connections are behind the usual ones.
    pub(crate) fn tail(&mut self, what: &str, answers: &Spread) {
        let [p50, p99] = [50.0, 99.0].map(|percent| millis(answers.percentile(percent)));
        self.at_most(&format!("{what}: p99 against p50"), p99 / p50, 8.0, "times");
    }

    /// Something that must not happen at all.
    pub(crate) fn none(&mut self, what: &str, count: usize) {
        self.add(count == 0, &format!("{what}: {count}, limit 0"));
    }

    /// A value without a limit.
    pub(crate) fn note(&mut self, line: &str) {
        println!("{line}");
        self.lines.push(format!("        {line}"));
    }

    fn add(&mut self, reached: bool, line: &str) {
        self.missed += usize::from(!reached);
        let line = format!("{} {line}", if reached { "reached" } else { "MISSED " });
        println!("{line}");
        self.lines.push(line);
    }

    /// Prints all again, together; fails when a figure was missed.
    pub(crate) fn print(&self) -> ExitCode {
        println!("\nfigures:");
        for line in &self.lines {
            println!("  {line}");
        }
        if self.missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let spread = Spread::new((1..=200).rev().map(Duration::from_millis).collect());
        assert_eq!(spread.percentile(50.0), Duration::from_millis(100));
        assert_eq!(spread.percentile(99.0), Duration::from_millis(198));
        assert_eq!(spread.percentile(100.0), Duration::from_millis(200));
        assert_eq!(Spread::new(Vec::new()).percentile(99.0), Duration::ZERO);
    }

    #[test]
    fn a_missed_figure_fails_the_run() {
        let mut report = Report::default();
        report.at_most("lateness", 5.0, 5.0, "ms");
        report.share("rate", 80.0, 100.0, 0.8);
        assert_eq!(report.print(), ExitCode::SUCCESS);
        report.share("rate", 79.0, 100.0, 0.8);
        assert_eq!(report.print(), ExitCode::FAILURE);
    }
}
