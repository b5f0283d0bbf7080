//! Pages that stay up to date by themselves.
//!
//! Once a second one statement asks for the prints of all that is looked at in this process; nobody
//! asks while nobody looks. Where a print changed, each view of it is drawn anew once, and what changed
//! is pushed to all who look at it. A view that is slow to draw is drawn less often, and holds up no other.

mod beat;
mod frame;
mod stream;

pub(crate) use frame::{Frame, Part};

use std::collections::{HashMap, VecDeque};
use std::pin::Pin;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use actix_web::HttpResponse;
use actix_web::web::Bytes;
use domain::ids::UserId;
use domain::ports::{CallBoard, Watched};
use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};

use self::beat::Pace;
use crate::error::PageError;
use crate::request::Visit;

/// Streams of this process: a browser that is told to wait shows the page as it is.
const STREAMS_MAX: usize = 2_000;
/// Of one user in it: one more ends the oldest, which may well be of a page that was closed, as nobody
/// learns before the next byte is sent.
const STREAMS_OF_USER: usize = 16;

type Drawing = Pin<Box<dyn Future<Output = Result<Frame, PageError>> + Send>>;

/// Draws a view anew.
pub(crate) type Draw = Box<dyn Fn() -> Drawing + Send + Sync>;

/// What is pushed: a frame, and what changed from the frame of another version to it.
struct Pushed {
    frame: Arc<Frame>,
    /// Which drawing of the view it is.
    drawing: u64,
    before: u64,
    change: Bytes,
}

/// Something that is looked at, by all who see the same.
struct View {
    watched: Watched,
    draw: Draw,
    frames: watch::Sender<Arc<Pushed>>,
    /// How many drawings were begun after the first.
    drawings: AtomicU64,
    pace: Mutex<Pace>,
}

#[derive(Default)]
struct State {
    views: HashMap<String, Arc<View>>,
    streams: usize,
    /// How many streams ever began: each is named by its number.
    begun: u64,
    of_users: HashMap<UserId, VecDeque<(u64, oneshot::Sender<()>)>>,
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
        if state.streams >= STREAMS_MAX || *self.closing.borrow() {
            return None;
        }
        state.streams += 1;
        state.begun += 1;
        let number = state.begun;
        let (end, given_away) = oneshot::channel();
        let of_user = state.of_users.entry(user).or_default();
        of_user.push_back((number, end));
        if of_user.len() > STREAMS_OF_USER
            && let Some((_, oldest)) = of_user.pop_front()
        {
            // It may just have ended by itself.
            let _ended = oldest.send(());
        }
        Some(Seat { live: Arc::clone(self), user, number, given_away })
    }

    /// Joins those who look at the same, or begins to look. What they see may have grown old by what has no
    /// print, as the day has none: for a page that shows something else it is drawn anew.
    async fn join(
        &self,
        key: String,
        since: u64,
        watched: Watched,
        draw: Draw,
    ) -> Result<watch::Receiver<Arc<Pushed>>, PageError> {
        let known = self.state().views.get(&key).cloned();
        if let Some(view) = known {
            let frames = view.frames.subscribe();
            if frames.borrow().frame.version != since {
                view.draw_anew().await.0?;
            }
            return Ok(frames);
        }
        let (first, next) = beat::drawn(&draw).await;
        let frame = Arc::new(first?);
        let pushed = Arc::new(Pushed { before: frame.version, drawing: 0, change: Bytes::new(), frame });
        let mut state = self.state();
        // Somebody else may have been drawing the same.
        let view = state.views.entry(key).or_insert_with(|| {
            let (frames, pace) = (watch::Sender::new(pushed), Mutex::new(Pace::from(next)));
            Arc::new(View { watched, draw, frames, drawings: AtomicU64::new(0), pace })
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
    number: u64,
    /// Told when a newer stream of the user takes the place.
    given_away: oneshot::Receiver<()>,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut state = self.live.state();
        state.streams = state.streams.saturating_sub(1);
        if let Some(of_user) = state.of_users.get_mut(&self.user) {
            of_user.retain(|(number, _)| *number != self.number);
            if of_user.is_empty() {
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
    let since = visit.query.text("since").and_then(|since| u64::from_str_radix(since, 16).ok()).unwrap_or(0);
    let frames = live.join(key, since, watched, draw).await?;
    live.beat(&visit.service.control, Arc::clone(&visit.service.board));
    Ok(stream::answer(visit, since, frames, live.closing.subscribe(), seat))
}
