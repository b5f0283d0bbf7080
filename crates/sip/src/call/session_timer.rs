//! How long a session may go without a refresh, and who refreshes it (RFC 4028).

use std::time::Duration;

use rsipstack::sip::{Header, Headers};
use tokio::time::Instant;

use crate::headers;

/// A session is given up so long before its end, at most (RFC 4028 §10).
const MARGIN: Duration = Duration::from_secs(32);

/// The interval that both sides agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SessionTimer {
    interval: Duration,
    ours: bool,
    since: Instant,
    /// After a refresh that failed for now.
    retry: Option<Instant>,
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
    /// What a 2xx to our INVITE or UPDATE says; none when the callee wants no timer.
    pub(super) fn of_answer(answer: &Headers, now: Instant) -> Option<Self> {
        let interval = Duration::from_secs(headers::number(answer, "Session-Expires")?);
        let refresher = headers::first(answer, "Session-Expires")
            .and_then(|value| headers::uri_parameter(value, "refresher"));
        let ours = !refresher.is_some_and(|who| who.eq_ignore_ascii_case("uas"));
        (!interval.is_zero()).then_some(Self { interval, ours, since: now, retry: None })
    }

    /// What we agree to when the callee refreshes; the headers of our answer go with it.
    pub(super) fn of_request(request: &Headers, now: Instant) -> Option<(Self, Vec<Header>)> {
        let seconds = headers::number(request, "Session-Expires").filter(|seconds| *seconds > 0)?;
        let wish = headers::first(request, "Session-Expires")
            .and_then(|value| headers::uri_parameter(value, "refresher"));
        // In this request the callee is the UAC and we are the UAS.
        let ours = wish.is_some_and(|who| who.eq_ignore_ascii_case("uas"))
            || !headers::names(request, "Supported", "timer");
        let who = if ours { "uas" } else { "uac" };
        let mut answer = vec![Header::SessionExpires(format!("{seconds};refresher={who}").into())];
        if !ours {
            answer.push(Header::Require("timer".into()));
        }
        let timer = Self { interval: Duration::from_secs(seconds), ours, since: now, retry: None };
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

    /// The callee wants no shorter interval than this (422, RFC 4028 §6).
    pub(super) fn raise_to(&mut self, minimum: Duration) {
        self.interval = self.interval.max(minimum);
    }

    /// The headers of our refresh.
    pub(super) fn refresh_headers(&self) -> Vec<Header> {
        vec![
            Header::SessionExpires(format!("{};refresher=uac", self.interval.as_secs()).into()),
            Header::Supported("timer".into()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let timer = SessionTimer::of_answer(&headers(&[("Session-Expires", value)]), now).unwrap();
            assert_eq!(timer.next(), next, "{value}");
        }
        assert_eq!(SessionTimer::of_answer(&headers(&[]), now), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_refresh_that_failed_is_tried_again_until_the_expiry() {
        let now = Instant::now();
        let answer = headers(&[("Session-Expires", "90;refresher=uac")]);
        let mut timer = SessionTimer::of_answer(&answer, now).unwrap();
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
}
