//! Handing the call over: REFER in the dialog, and the NOTIFYs that tell how it goes (RFC 3515,
//! RFC 5589 §6).
//!
//! Many trunks never tell the end of it: they accept the REFER, connect the callee with its target,
//! and say BYE. That counts as connected too. A callee who hangs up by himself after the acceptance
//! cannot be told from it.

use domain::number::E164;
use domain::ports::LegEnd;
use rsipstack::sip::{Header, Headers, Method, Request};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::talk::Talk;
use super::{Call, Signal};
use crate::dialog::Dialog;
use crate::exchange::{Outcome, exchange};
use crate::headers;

/// A REFER of ours, from its sending on; kept when settled, for the NOTIFYs that come late.
pub(super) struct Transfer {
    /// The numbers that the REFER may have, as it is sent again for a challenge.
    first_cseq: u32,
    last_cseq: u32,
    asking: Option<JoinHandle<Outcome>>,
    accepted: bool,
    settled: bool,
    due: Instant,
}

/// What a NOTIFY says of the target (RFC 3515 §2.4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Ongoing,
    Connected,
    Failed,
}

impl Transfer {
    /// The answer to the REFER, or that the time is over (none).
    pub(super) async fn next(transfer: &mut Option<Self>) -> Option<Outcome> {
        let Some(transfer) = transfer.as_mut().filter(|transfer| !transfer.settled) else {
            return std::future::pending().await;
        };
        let due = transfer.due;
        let answer = async {
            match &mut transfer.asking {
                Some(asking) => asking.await.unwrap_or(Outcome::Silent),
                None => std::future::pending().await,
            }
        };
        tokio::time::timeout_at(due, answer).await.ok()
    }

    /// Whether a subscription's `id` is of this REFER; without one it is (RFC 3515 §2.4.6).
    fn is_meant(&self, event: &str) -> bool {
        let id = headers::uri_parameter(event, "id").and_then(|id| id.parse::<u32>().ok());
        id.is_none_or(|id| (self.first_cseq..=self.last_cseq).contains(&id))
    }
}

impl Call {
    /// Asks the trunk to connect the callee with `target`.
    pub(super) fn start_transfer(&mut self, talk: &mut Talk, target: &E164) {
        let mut dialog = Dialog { cseq: self.reserve_cseq(), ..self.dialog.clone() };
        let extra = vec![
            Header::ReferTo(format!("<sip:{target}@{};user=phone>", self.trunk.address).into()),
            Header::ReferredBy(self.dialog.from.clone().into()),
            Header::Contact(dialog.contact().into()),
        ];
        let (core, flow) = (self.core.clone(), self.flow.clone());
        let (login, bounds) = (self.login.clone(), self.core.bounds(&self.trunk));
        talk.transfer = Some(Transfer {
            first_cseq: dialog.cseq.saturating_add(1),
            last_cseq: self.dialog.cseq,
            accepted: false,
            settled: false,
            due: Instant::now() + self.core.timers.transfer,
            asking: Some(self.core.runtime.spawn(async move {
                let flow = core.flow_of(&dialog, &flow, &bounds).await;
                exchange(&core, &flow, &mut dialog, login.as_ref(), Method::Refer, &extra).await
            })),
        });
    }

    /// The REFER was answered, or nothing more was heard of it in time.
    pub(super) fn on_transfer_answer(&self, talk: &mut Talk, answer: Option<&Outcome>) -> Option<LegEnd> {
        let transfer = talk.transfer.as_mut()?;
        transfer.asking = None;
        match answer.map(Outcome::code) {
            Some(Some(200..=299)) => transfer.accepted = true,
            // The callee's side knows no such dialog (RFC 3261 §12.2.1.2).
            Some(Some(481)) => return Some(LegEnd::Lost),
            code => {
                tracing::debug!(call_id = %self.intent.call_id, ?code, "a transfer came to nothing");
                self.settle(talk, false);
            }
        }
        None
    }

    /// A NOTIFY of the callee's side; the code of its answer.
    pub(super) fn on_notify(&self, talk: &mut Talk, request: &Request) -> u16 {
        let event = event(&request.headers);
        if !event.split(';').next().is_some_and(|name| name.trim().eq_ignore_ascii_case("refer")) {
            // Bad Event (RFC 6665 §8.3.2).
            return 489;
        }
        let Some(transfer) = talk.transfer.as_mut().filter(|transfer| transfer.is_meant(event)) else {
            return 481;
        };
        transfer.accepted = true;
        match progress(request) {
            Progress::Ongoing => {}
            Progress::Connected => self.settle(talk, true),
            Progress::Failed => self.settle(talk, false),
        }
        200
    }

    /// The callee's side said BYE: after an accepted REFER the call is handed over.
    pub(super) async fn on_bye_in_transfer(&self, talk: &mut Talk) {
        let Some(transfer) = talk.transfer.as_mut().filter(|transfer| !transfer.settled) else { return };
        // The acceptance may have come just before and not be worked off.
        if let Some(asking) = transfer.asking.take()
            && let Ok(Ok(outcome)) = tokio::time::timeout(self.core.timers.acknowledge, asking).await
        {
            transfer.accepted |= matches!(outcome.code(), Some(200..=299));
        }
        let connected = transfer.accepted;
        self.settle(talk, connected);
    }

    /// Tells how it went, the first time only.
    fn settle(&self, talk: &mut Talk, connected: bool) {
        let Some(transfer) = talk.transfer.as_mut().filter(|transfer| !transfer.settled) else { return };
        transfer.settled = true;
        // One transfer at a time, so the place that is kept for this is free.
        if let Some(signals) = &self.signals {
            let _ = signals.try_send(Signal::Referred { connected });
        }
    }
}

/// The value of Event, which has a short form (RFC 6665 §8.2.1).
fn event(headers: &Headers) -> &str {
    headers::first(headers, "Event").or_else(|| headers::first(headers, "o")).unwrap_or_default()
}

/// What a message/sipfrag says: its first line is a status line (RFC 3420).
fn progress(request: &Request) -> Progress {
    let body = String::from_utf8_lossy(&request.body);
    let code = body
        .lines()
        .find_map(|line| line.trim_start().strip_prefix("SIP/2.0 "))
        .and_then(|status| status.trim_start().get(..3)?.parse::<u16>().ok());
    let state = headers::first(&request.headers, "Subscription-State").unwrap_or_default();
    let over = state.split(';').next().is_some_and(|state| state.trim().eq_ignore_ascii_case("terminated"));
    match code {
        Some(200..=299) => Progress::Connected,
        Some(300..) => Progress::Failed,
        // Nothing more will be told.
        _ if over => Progress::Failed,
        _ => Progress::Ongoing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notify(state: &str, body: &str) -> Request {
        let text = format!(
            "NOTIFY sip:a@h SIP/2.0\r\nEvent: refer;id=9\r\nSubscription-State: {state}\r\n\
             Content-Type: message/sipfrag\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        Request::try_from(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_sipfrag_tells_how_it_goes() {
        for (state, body, told) in [
            ("active;expires=60", "SIP/2.0 100 Trying\r\n", Progress::Ongoing),
            ("active", "SIP/2.0 183 Session Progress", Progress::Ongoing),
            ("active", "SIP/2.0 200 OK\r\n", Progress::Connected),
            ("terminated;reason=noresource", "SIP/2.0 200 OK\r\nContact: <sip:x>\r\n", Progress::Connected),
            ("terminated;reason=noresource", "SIP/2.0 486 Busy Here\r\n", Progress::Failed),
            ("active", "SIP/2.0 603 Decline\r\n", Progress::Failed),
            ("terminated;reason=timeout", "SIP/2.0 180 Ringing\r\n", Progress::Failed),
            ("terminated", "", Progress::Failed),
            ("active", "", Progress::Ongoing),
            ("active", "SIP/2.0 twenty", Progress::Ongoing),
        ] {
            assert_eq!(progress(&notify(state, body)), told, "{state} / {body:?}");
        }
    }

    #[test]
    fn a_notify_names_its_refer_or_none() {
        let request = notify("active", "");
        let transfer = |first_cseq, last_cseq| Transfer {
            first_cseq,
            last_cseq,
            asking: None,
            accepted: true,
            settled: false,
            due: Instant::now(),
        };
        assert_eq!(event(&request.headers), "refer;id=9");
        assert!(transfer(9, 16).is_meant("refer;id=9") && transfer(2, 9).is_meant("refer;id=9"));
        assert!(!transfer(10, 17).is_meant("refer;id=9"));
        assert!(transfer(10, 17).is_meant("refer"));
    }
}
