//! A stream of server-sent events: what changed, until the page is closed, the session is over, or we stop.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::{CONTENT_TYPE, HeaderName};
use actix_web::web::Bytes;
use actix_web::{HttpResponse, HttpResponseBuilder};
use domain::scope::Scope;
use domain::user::Role;
use futures_util::stream::unfold;
use tokio::sync::watch;
use tokio::time::{Instant, Interval, interval_at};

use super::{Pushed, Seat};
use crate::request::Visit;

/// How often the session is looked up again; a proxy in front sees that the stream lives.
const CHECK: Duration = Duration::from_secs(10);

/// Tells the browser to come back later than its own three seconds.
const BEGIN: &[u8] = b"retry: 5000\n\n";

/// Keeps the connection.
const STILL_HERE: &[u8] = b": still here\n\n";

/// The session is over, or its user may no longer see this: the page is loaded anew, and says so.
const OVER: &[u8] = b"event: over\ndata: {}\n\n";

/// A newer page of the user took the place: this one stays as it is.
const ENOUGH: &[u8] = b"event: enough\ndata: {}\n\n";

struct Stream {
    visit: Visit,
    frames: watch::Receiver<Arc<Pushed>>,
    closing: watch::Receiver<bool>,
    check: Interval,
    /// The version that the page shows.
    shown: u64,
    stage: Stage,
    seat: Seat,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Beginning,
    Running,
    Over,
}

/// What every stream begins with.
pub(super) fn head() -> HttpResponseBuilder {
    let mut head = HttpResponse::Ok();
    head.insert_header((CONTENT_TYPE, "text/event-stream"))
        // A proxy that gathers answers would hold events back.
        .insert_header((HeaderName::from_static("x-accel-buffering"), "no"));
    head
}

/// The answer that never ends by itself.
pub(super) fn answer(
    visit: &Visit,
    since: u64,
    frames: watch::Receiver<Arc<Pushed>>,
    closing: watch::Receiver<bool>,
    seat: Seat,
) -> HttpResponse {
    let stream = Stream {
        visit: visit.clone(),
        frames,
        closing,
        check: interval_at(Instant::now() + CHECK, CHECK),
        shown: since,
        stage: Stage::Beginning,
        seat,
    };
    head().streaming(unfold(stream, async |mut stream| {
        let bytes = stream.next().await?;
        Some((Ok::<_, Infallible>(bytes), stream))
    }))
}

impl Stream {
    async fn next(&mut self) -> Option<Bytes> {
        match self.stage {
            Stage::Beginning => {
                self.stage = Stage::Running;
                let pushed = Arc::clone(&self.frames.borrow_and_update());
                let mut bytes = BEGIN.to_vec();
                if pushed.frame.version != self.shown {
                    bytes.extend_from_slice(&pushed.frame.event(None));
                    self.shown = pushed.frame.version;
                }
                return Some(bytes.into());
            }
            Stage::Over => return None,
            Stage::Running => {}
        }
        let changed = tokio::select! {
            changed = self.frames.changed() => changed.ok().map(|()| true)?,
            _ = self.check.tick() => false,
            _ = &mut self.seat.given_away => {
                self.stage = Stage::Over;
                return Some(Bytes::from_static(ENOUGH));
            }
            _ = self.closing.wait_for(|closing| *closing) => return None,
        };
        if changed {
            let pushed = Arc::clone(&self.frames.borrow_and_update());
            // Whoever was too slow for a frame is shown all of the next one.
            let bytes =
                if pushed.before == self.shown { pushed.change.clone() } else { pushed.frame.event(None) };
            self.shown = pushed.frame.version;
            return Some(bytes);
        }
        if self.may_still_look().await {
            return Some(Bytes::from_static(STILL_HERE));
        }
        self.stage = Stage::Over;
        Some(Bytes::from_static(OVER))
    }

    /// A page that stays open is no use of the session, and a store that is away ends nothing: what it
    /// cannot tell now, it tells at the next check.
    async fn may_still_look(&self) -> bool {
        let visit = &self.visit;
        match visit.service.sessions.look_up(visit.session.digest(), visit.now()).await {
            Ok(Some(found)) => same(found.user.scope(), found.user.role, visit),
            Ok(None) => false,
            Err(_) => true,
        }
    }
}

/// Pages differ by what somebody reaches and may do.
fn same(scope: Scope, role: Role, visit: &Visit) -> bool {
    scope == visit.scope() && role == visit.user.role
}
