//! How long a session may go without a refresh, and who refreshes it (RFC 4028).
//!
//! An interval is at least the Min-SE that we state, 90 s, and at most 24 h: a callee's interval
//! beyond either bound counts as that bound.

use std::time::Duration;

use rsipstack::sip::{Header, Headers};
use tokio::time::Instant;

use crate::headers::{self, LONGEST_TIME};

/// A session is given up so long before its end, at most (RFC 4028 §10).
const MARGIN: Duration = Duration::from_secs(32);

/// So often a refresh may be refused as too short, by one hop after another (RFC 4028 §7.4).
const MOST_RAISES: u8 = 4;

/// The interval that both sides agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SessionTimer {
    interval: Duration,
    ours: bool,
    since: Instant,
    /// After a refresh that failed for now.
    retry: Option<Instant>,
    /// How often a refresh was refused as too short.
    raises: u8,
}

/// What is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// We refresh now.
    Refresh,
    /// Nobody refreshed: the session is over.
    Expiry,
}

impl SessionTimer {
    /// What a 2xx to our INVITE or UPDATE says, which stated `minimum`; none when the callee wants no
    /// timer.
    pub(super) fn of_answer(answer: &Headers, minimum: Duration, now: Instant) -> Option<Self> {
        let interval = headers::seconds(answer, "Session-Expires").filter(|interval| !interval.is_zero())?;
        let refresher = headers::first(answer, "Session-Expires")
            .and_then(|value| headers::uri_parameter(value, "refresher"));
        let ours = !refresher.is_some_and(|who| who.eq_ignore_ascii_case("uas"));
        // No answer may go below our minimum (RFC 4028 §9); one that does must not make us refresh
        // without a pause.
        Some(Self::new(interval.max(minimum), ours, now))
    }

    fn new(interval: Duration, ours: bool, since: Instant) -> Self {
        Self { interval: interval.min(LONGEST_TIME), ours, since, retry: None, raises: 0 }
    }

    /// What we agree to when the callee refreshes; the headers of our answer go with it.
    pub(super) fn of_request(request: &Headers, now: Instant) -> Option<(Self, Vec<Header>)> {
        let interval = headers::seconds(request, "Session-Expires").filter(|interval| !interval.is_zero())?;
        let wish = headers::first(request, "Session-Expires")
            .and_then(|value| headers::uri_parameter(value, "refresher"));
        // In this request the callee is the UAC and we are the UAS.
        let ours = wish.is_some_and(|who| who.eq_ignore_ascii_case("uas"))
            || !headers::names(request, "Supported", "timer");
        let who = if ours { "uas" } else { "uac" };
        // The answer may shorten the interval, which it does to one above our bound (RFC 4028 §9).
        let timer = Self::new(interval, ours, now);
        let seconds = timer.interval.as_secs();
        let mut answer = vec![Header::SessionExpires(format!("{seconds};refresher={who}").into())];
        if !ours {
            answer.push(Header::Require("timer".into()));
        }
        Some((timer, answer))
    }

    /// The next thing due, and when.
    pub(super) fn next(&self) -> (Instant, Due) {
        let expiry = self.since + self.interval.saturating_sub(MARGIN.min(self.interval / 3));
        if !self.ours {
            return (expiry, Due::Expiry);
        }
        let refresh = self.retry.unwrap_or(self.since + self.interval / 2);
        if refresh < expiry { (refresh, Due::Refresh) } else { (expiry, Due::Expiry) }
    }

    /// A refresh came to nothing for now: try again at `when`, or let the session expire.
    pub(super) fn retry_at(&mut self, when: Option<Instant>) {
        self.retry = Some(when.unwrap_or(self.since + self.interval));
    }

    /// The callee wants no shorter interval than this (422, RFC 4028 §6). Refreshes with it at once,
    /// unless that would be the same request again, or one of an endless row.
    pub(super) fn raise_to(&mut self, minimum: Duration, now: Instant) {
        let raised = minimum.min(LONGEST_TIME);
        if raised <= self.interval || self.raises >= MOST_RAISES {
            return self.retry_at(None);
        }
        self.interval = raised;
        self.raises += 1;
        self.retry_at(Some(now));
    }

    /// The headers of our refresh.
    pub(super) fn refresh_headers(&self) -> Vec<Header> {
        vec![
            Header::SessionExpires(format!("{};refresher=uac", self.interval.as_secs()).into()),
            Header::Supported("timer".into()),
        ]
    }
}

/// Reads what a message says of the session's timer, and when that is due.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_timers(headers: &Headers) {
    let now = Instant::now();
    let answered = SessionTimer::of_answer(headers, Duration::from_secs(90), now);
    let asked = SessionTimer::of_request(headers, now).map(|(timer, _)| timer);
    for mut timer in answered.into_iter().chain(asked) {
        let _ = timer.next();
        timer.retry_at(None);
        let _ = timer.next();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINIMUM: Duration = Duration::from_secs(90);

    fn headers(lines: &[(&str, &str)]) -> Headers {
        let all = lines.iter().map(|(name, value)| match *name {
            "Supported" => Header::Supported((*value).into()),
            _ => Header::SessionExpires((*value).into()),
        });
        all.collect::<Vec<_>>().into()
    }

    #[tokio::test(start_paused = true)]
    async fn the_refresher_acts_at_half_time_and_the_other_gives_up_before_the_end() {
        let now = Instant::now();
        let at = |seconds| now + Duration::from_secs(seconds);
        for (value, next) in [
            ("1800;refresher=uac", (at(900), Due::Refresh)),
            ("1800", (at(900), Due::Refresh)),
            ("1800;refresher=uas", (at(1768), Due::Expiry)),
            ("90;refresher=uas", (at(60), Due::Expiry)),
        ] {
            let timer =
                SessionTimer::of_answer(&headers(&[("Session-Expires", value)]), MINIMUM, now).unwrap();
            assert_eq!(timer.next(), next, "{value}");
        }
        assert_eq!(SessionTimer::of_answer(&headers(&[]), MINIMUM, now), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_refresh_that_failed_is_tried_again_until_the_expiry() {
        let now = Instant::now();
        let answer = headers(&[("Session-Expires", "90;refresher=uac")]);
        let mut timer = SessionTimer::of_answer(&answer, MINIMUM, now).unwrap();
        timer.retry_at(Some(now + Duration::from_secs(50)));
        assert_eq!(timer.next(), (now + Duration::from_secs(50), Due::Refresh));
        timer.retry_at(None);
        assert_eq!(timer.next(), (now + Duration::from_mins(1), Due::Expiry));
    }

    #[tokio::test(start_paused = true)]
    async fn the_callee_refreshes_when_it_can() {
        let now = Instant::now();
        for (lines, who) in [
            (&[("Session-Expires", "90"), ("Supported", "timer")][..], "90;refresher=uac"),
            (&[("Session-Expires", "90;refresher=uas"), ("Supported", "timer")], "90;refresher=uas"),
            (&[("Session-Expires", "90")], "90;refresher=uas"),
        ] {
            let (_, answer) = SessionTimer::of_request(&headers(lines), now).unwrap();
            assert_eq!(answer[0].value(), who);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_interval_is_kept_between_our_minimum_and_a_day() {
        let now = Instant::now();
        let at = |seconds| now + Duration::from_secs(seconds);
        for (value, next) in [
            ("18446744073709551615;refresher=uas", (at(86_368), Due::Expiry)),
            ("18446744073709551615", (at(43_200), Due::Refresh)),
            ("340282366920938463463374607431768211456", (at(43_200), Due::Refresh)),
            ("1;refresher=uac", (at(45), Due::Refresh)),
        ] {
            let stated = headers(&[("Session-Expires", value)]);
            let timer = SessionTimer::of_answer(&stated, MINIMUM, now).unwrap();
            assert_eq!(timer.next(), next, "{value}");
        }
        assert_eq!(SessionTimer::of_answer(&headers(&[("Session-Expires", "0")]), MINIMUM, now), None);
        let wish = headers(&[("Session-Expires", "18446744073709551615"), ("Supported", "timer")]);
        let (timer, answer) = SessionTimer::of_request(&wish, now).unwrap();
        assert_eq!(timer.next(), (at(86_368), Due::Expiry));
        assert_eq!(answer[0].value(), "86400;refresher=uac");
    }

    #[tokio::test(start_paused = true)]
    async fn refusals_as_too_short_end_after_a_few() {
        let now = Instant::now();
        let start = SessionTimer::of_answer(&headers(&[("Session-Expires", "90")]), MINIMUM, now).unwrap();
        let mut same = start;
        same.raise_to(MINIMUM, now);
        assert_eq!(same.next().1, Due::Expiry, "the same request again would be refused again");
        let mut endless = start;
        let refreshes = (91..).take_while(|seconds| {
            endless.raise_to(Duration::from_secs(*seconds), now);
            endless.next().1 == Due::Refresh
        });
        assert_eq!(refreshes.count(), 4);
        let mut huge = start;
        huge.raise_to(Duration::MAX, now);
        assert_eq!(huge.refresh_headers()[0].value(), "86400;refresher=uac");
    }
}
