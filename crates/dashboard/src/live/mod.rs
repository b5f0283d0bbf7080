//! Pages that stay up to date by themselves.
//!
//! Once a second one statement asks for the prints of all that is looked at in this process; nobody
//! asks while nobody looks. Where a print changed, each view of it is drawn anew once, and what changed
//! is pushed to all who look at it. A view that is slow to draw is drawn less often, and holds up no other.

mod beat;
mod frame;
mod stream;

pub(crate) use frame::{Frame, Part};

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use actix_web::HttpResponse;
use actix_web::web::Bytes;
use domain::ids::UserId;
use domain::ports::{CallBoard, Watched};
use tokio::runtime::Handle;
use tokio::sync::watch;

use self::beat::Pace;
use crate::error::PageError;
use crate::request::Visit;

/// Streams of this process, and of one user in it: a browser that is told to wait shows the page as it is.
const STREAMS_MAX: usize = 2_000;
const STREAMS_OF_USER: usize = 16;

type Drawing = Pin<Box<dyn Future<Output = Result<Frame, PageError>> + Send>>;

/// Draws a view anew.
pub(crate) type Draw = Box<dyn Fn() -> Drawing + Send + Sync>;

/// What is pushed: a frame, and what changed from the frame of another version to it.
struct Pushed {
    frame: Arc<Frame>,
    before: u64,
    change: Bytes,
}

/// Something that is looked at, by all who see the same.
struct View {
    watched: Watched,
    draw: Draw,
    frames: watch::Sender<Arc<Pushed>>,
    pace: Mutex<Pace>,
}

#[derive(Default)]
struct State {
    views: HashMap<String, Arc<View>>,
    streams: usize,
    of_users: HashMap<UserId, usize>,
    beating: bool,
}

/// All live pages of this process.
pub(crate) struct Live {
    state: Mutex<State>,
    closing: watch::Sender<bool>,
}

impl Default for Live {
    fn default() -> Self {
        Self { state: Mutex::default(), closing: watch::Sender::new(false) }
    }
}

impl Live {
    /// Ends all streams: pages come back when there is a server again.
    pub(crate) fn close(&self) {
        self.closing.send_replace(true);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place among the streams; none when there are too many.
    fn seat(self: &Arc<Self>, user: UserId) -> Option<Seat> {
        let mut state = self.state();
        let of_user = state.of_users.get(&user).copied().unwrap_or(0);
        if state.streams >= STREAMS_MAX || of_user >= STREAMS_OF_USER || *self.closing.borrow() {
            return None;
        }
        state.streams += 1;
        state.of_users.insert(user, of_user + 1);
        Some(Seat { live: Arc::clone(self), user })
    }

    /// Joins those who look at the same, or begins to look.
    async fn join(
        &self,
        key: String,
        watched: Watched,
        draw: Draw,
    ) -> Result<watch::Receiver<Arc<Pushed>>, PageError> {
        if let Some(view) = self.state().views.get(&key) {
            return Ok(view.frames.subscribe());
        }
        let (first, next) = beat::drawn(&draw).await;
        let first = Arc::new(first?);
        let pushed = Arc::new(Pushed { before: first.version, change: Bytes::new(), frame: first });
        let mut state = self.state();
        // Somebody else may have been drawing the same.
        let view = state.views.entry(key).or_insert_with(|| {
            let (frames, pace) = (watch::Sender::new(pushed), Mutex::new(Pace::from(next)));
            Arc::new(View { watched, draw, frames, pace })
        });
        Ok(view.frames.subscribe())
    }

    /// Begins to ask for prints, unless somebody does.
    fn beat(self: &Arc<Self>, control: &Handle, board: Arc<dyn CallBoard>) {
        if !std::mem::replace(&mut self.state().beating, true) {
            control.spawn(beat::beat(Arc::clone(self), board));
        }
    }

    /// The views that somebody looks at; when there are none, the beating ends.
    fn looked_at(&self) -> Vec<Arc<View>> {
        let mut state = self.state();
        state.views.retain(|_, view| view.frames.receiver_count() > 0);
        state.beating = !state.views.is_empty() && !*self.closing.borrow();
        if state.beating { state.views.values().cloned().collect() } else { Vec::new() }
    }
}

/// A place among the streams, until it is dropped.
struct Seat {
    live: Arc<Live>,
    user: UserId,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut state = self.live.state();
        state.streams = state.streams.saturating_sub(1);
        if let Some(of_user) = state.of_users.get_mut(&self.user) {
            *of_user = of_user.saturating_sub(1);
            if *of_user == 0 {
                state.of_users.remove(&self.user);
            }
        }
    }
}

/// The stream of a page: `key` tells apart what different people or filters see.
pub(crate) async fn stream(
    visit: &Visit,
    key: &str,
    watched: Watched,
    draw: Draw,
) -> Result<HttpResponse, PageError> {
    if visit.asks_for_the_head() {
        return Ok(stream::head().finish());
    }
    let live = Arc::clone(&visit.dashboard.live);
    let seat = live.seat(visit.user.id).ok_or(PageError::Unavailable)?;
    let key = format!("{:?} {:?} {:?} {key}", visit.scope(), visit.user.role, visit.language);
    let frames = live.join(key, watched, draw).await?;
    live.beat(&visit.service.control, Arc::clone(&visit.service.board));
    Ok(stream::answer(visit, frames, live.closing.subscribe(), seat))
}
