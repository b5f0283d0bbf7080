//! The beat: what changed is drawn anew, as often as its drawing is quick.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use domain::ports::CallBoard;
use tokio::sync::Semaphore;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use super::{Draw, Frame, Live, Pushed, View};
use crate::error::PageError;

/// How often the prints are asked for.
const EVERY: Duration = Duration::from_secs(1);

/// Views that are drawn at a time: half of what the store has for the lists of pages.
const AT_ONCE: usize = 2;

/// What takes longer is not drawn.
const LIMIT: Duration = Duration::from_secs(5);

/// What takes no longer may be drawn at every beat.
const QUICK: Duration = Duration::from_millis(100);

/// So many times as long as its last drawing took beyond that, a view is left alone: a costly one gets
/// little more than a twentieth of the time.
const REST: u32 = 20;

/// When a view is drawn.
pub(super) struct Pace {
    /// The print of what is shown.
    print: Option<i64>,
    /// Whether it is being drawn, or waits for it.
    drawing: bool,
    /// It is left alone until then.
    next: Instant,
}

impl From<Instant> for Pace {
    fn from(next: Instant) -> Self {
        Self { print: None, drawing: false, next }
    }
}

/// Draws within the limit, and tells when to draw again at the earliest.
pub(super) async fn drawn(draw: &Draw) -> (Result<Frame, PageError>, Instant) {
    let began = Instant::now();
    let frame = timeout(LIMIT, draw()).await.unwrap_or(Err(PageError::Unavailable));
    let now = Instant::now();
    (frame, now + (now - began).saturating_sub(QUICK) * REST)
}

/// Asks for the prints until nobody looks; it waits for no drawing.
pub(super) async fn beat(live: Arc<Live>, board: Arc<dyn CallBoard>) {
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut away = false;
    loop {
        ticks.tick().await;
        let views = live.looked_at();
        if views.is_empty() {
            return;
        }
        let watched: BTreeSet<_> = views.iter().map(|view| view.watched).collect();
        let watched: Vec<_> = watched.into_iter().collect();
        let prints = match board.pulse(&watched).await {
            Ok(prints) => prints,
            Err(error) => {
                if !std::mem::replace(&mut away, true) {
                    tracing::warn!(error = application::causes::causes(&error), "live pages stand still");
                }
                continue;
            }
        };
        away = false;
        for view in views {
            let print = prints.get(&view.watched).copied();
            if view.begins(print) {
                let places = Arc::clone(&places);
                tokio::spawn(async move {
                    let Ok(_place) = places.acquire().await else { return };
                    view.redraw(print).await;
                });
            }
        }
    }
}

impl View {
    fn pace(&self) -> MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is to be drawn now, which is then begun.
    fn begins(&self, print: Option<i64>) -> bool {
        let mut pace = self.pace();
        let due = pace.print != print && !pace.drawing && pace.next <= Instant::now();
        pace.drawing |= due;
        due
    }

    /// What cannot be drawn now is drawn when it has rested.
    async fn redraw(&self, print: Option<i64>) {
        let (drawn, next) = self.draw_anew().await;
        let mut pace = self.pace();
        (pace.drawing, pace.next) = (false, next);
        if drawn.is_ok() {
            pace.print = print;
        }
    }

    /// Draws and pushes what changed, unless a drawing that was begun later has been pushed before.
    pub(super) async fn draw_anew(&self) -> (Result<(), PageError>, Instant) {
        let drawing = self.drawings.fetch_add(1, Ordering::Relaxed) + 1;
        let (frame, next) = drawn(&self.draw).await;
        let pushed = frame.map(|frame| {
            self.frames.send_if_modified(|pushed| {
                if pushed.drawing > drawing || pushed.frame.version == frame.version {
                    return false;
                }
                let (before, change) = (pushed.frame.version, frame.event(Some(&pushed.frame)));
                *pushed = Arc::new(Pushed { before, drawing, change, frame: Arc::new(frame) });
                true
            });
        });
        (pushed, next)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::atomic::{AtomicI64, AtomicU32};

    use async_trait::async_trait;
    use domain::call::{Board, BoardCall, BoardQuery, CallCursor, CallStory};
    use domain::ids::{CallId, OrganizationId};
    use domain::ports::{StoreUnavailable, Watched};
    use domain::scope::Scope;
    use tokio::runtime::Handle;
    use uuid::Uuid;

    use super::*;
    use crate::live::Part;

    /// Changes whenever it is looked at.
    #[derive(Default)]
    struct Restless(AtomicI64);

    #[async_trait]
    impl CallBoard for Restless {
        async fn board(&self, _: Scope, _: &BoardQuery) -> Result<Option<Board>, StoreUnavailable> {
            Ok(None)
        }

        async fn story(&self, _: Scope, _: CallId) -> Result<Option<CallStory>, StoreUnavailable> {
            Ok(None)
        }

        async fn through(
            &self,
            _: Scope,
            _: &BoardQuery,
            _: Option<CallCursor>,
            _: u32,
        ) -> Result<Option<Vec<BoardCall>>, StoreUnavailable> {
            Ok(None)
        }

        async fn pulse(&self, watched: &[Watched]) -> Result<HashMap<Watched, i64>, StoreUnavailable> {
            let print = self.0.fetch_add(1, Ordering::SeqCst);
            Ok(watched.iter().map(|watched| (*watched, print)).collect())
        }
    }

    /// A drawing that takes its time each time but the first, and is counted.
    fn taking(time: Duration, count: &Arc<AtomicU32>) -> Draw {
        let count = Arc::clone(count);
        Box::new(move || {
            let before = count.fetch_add(1, Ordering::SeqCst);
            Box::pin(async move {
                if before > 0 {
                    tokio::time::sleep(time).await;
                }
                Ok(Frame::of(vec![Part::new("count", before.to_string())]))
            })
        })
    }

    #[tokio::test(start_paused = true)]
    async fn slow_views_are_drawn_seldom_and_hold_up_no_other() {
        let live = Arc::new(Live::default());
        let watched = Watched::Board(OrganizationId::from_uuid(Uuid::from_u128(1)));
        let times = [Duration::from_millis(10), Duration::from_secs(1), Duration::from_hours(1)];
        let counts = times.map(|_| Arc::<AtomicU32>::default());
        let mut looking = Vec::new();
        for (time, count) in times.iter().zip(&counts) {
            let draw = taking(*time, count);
            looking.push(live.join(format!("{time:?}"), 0, watched, draw).await.unwrap());
        }
        live.beat(&Handle::current(), Arc::new(Restless::default()));
        tokio::time::sleep(Duration::from_secs(100)).await;
        let [quick, slow, stuck] = counts.map(|count| count.load(Ordering::SeqCst));
        assert!((95..=102).contains(&quick), "{quick}");
        assert!((5..=7).contains(&slow), "{slow}");
        assert_eq!(stuck, 2);
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_comes_later_sees_nothing_older_than_their_page() {
        let live = Arc::new(Live::default());
        let watched = Watched::Board(OrganizationId::from_uuid(Uuid::from_u128(1)));
        let count = Arc::<AtomicU32>::default();
        let join = async |since| {
            let draw = taking(Duration::ZERO, &count);
            live.join("one".to_owned(), since, watched, draw).await.unwrap()
        };
        let mut early = join(0).await;
        let shown = early.borrow_and_update().frame.version;
        let later = join(shown).await;
        assert_eq!((count.load(Ordering::SeqCst), later.borrow().frame.version), (1, shown));
        // Nothing told of a change, but the page that was just loaded shows something else.
        let newest = join(shown + 1).await;
        assert_eq!(count.load(Ordering::SeqCst), 2);
        assert_ne!(newest.borrow().frame.version, shown);
        assert!(early.has_changed().unwrap(), "those who look already see it too");
    }

    #[tokio::test(start_paused = true)]
    async fn a_page_that_cannot_be_drawn_in_time_is_not_waited_for() {
        let live = Arc::new(Live::default());
        let watched = Watched::Board(OrganizationId::from_uuid(Uuid::from_u128(1)));
        let never: Draw = Box::new(|| Box::pin(std::future::pending()));
        let refused = live.join("stuck".to_owned(), 0, watched, never).await;
        assert!(matches!(refused, Err(PageError::Unavailable)));
    }
}
