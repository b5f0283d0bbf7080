//! Places calls at a steady pace, whether earlier ones were answered or not.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use crate::board::{Board, Moment};
use crate::desk::Desk;
use crate::http::Connection;
use crate::installation::Installation;

/// The backend of one organization, with as many connections as it needs at a time.
pub(crate) struct Dialler {
    address: String,
    desk: Arc<Desk>,
    idle: Arc<Mutex<Vec<(Connection, Instant)>>>,
}

/// A connection that is idle for longer may be closed by the server at any moment.
const KEPT: Duration = Duration::from_secs(30);

/// Where the life of calls is written down, and the URL to which a call's number is added.
#[derive(Clone)]
pub(crate) struct Watch {
    pub(crate) board: Arc<Board>,
    pub(crate) callbacks: String,
}

impl Dialler {
    pub(crate) fn new(installation: &Installation, desk: Desk) -> Self {
        Self { address: installation.address.clone(), desk: Arc::new(desk), idle: Arc::default() }
    }

    /// Places calls of these numbers; ends when each was accepted.
    pub(crate) async fn place(&self, calls: Range<u32>, per_second: u32, watch: Option<Watch>) {
        let mut ticks = tokio::time::interval(Duration::from_secs(1) / per_second);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
        let mut placing = JoinSet::new();
        for call in calls {
            ticks.tick().await;
            let (desk, idle, address) = (self.desk.clone(), self.idle.clone(), self.address.clone());
            let watch = watch.clone();
            placing.spawn(async move {
                let url = watch.as_ref().map(|watch| format!("{}{call}", watch.callbacks));
                let request = desk.place(call, url.as_deref());
                let kept = idle.lock().await.pop().filter(|(_, since)| since.elapsed() < KEPT);
                let mut connection = match kept {
                    Some((connection, _)) => connection,
                    None => Connection::open(&address).await.unwrap(),
                };
                if let Some(Watch { board, .. }) = &watch {
                    board.note(call, Moment::Requested);
                }
                let status = connection.ask(&request).await.unwrap();
                assert_eq!(status, 201, "{}", String::from_utf8_lossy(connection.body()));
                idle.lock().await.push((connection, Instant::now()));
            });
        }
        while let Some(placed) = placing.join_next().await {
            placed.unwrap();
        }
    }
}

/// A dialler with a runtime of its own.
pub(crate) struct Backend {
    dialler: Dialler,
    runtime: tokio::runtime::Runtime,
}

impl Backend {
    pub(crate) fn new(installation: &Installation, desk: Desk) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { dialler: Dialler::new(installation, desk), runtime }
    }

    /// Places calls of these numbers; returns when each was accepted.
    pub(crate) fn place(&self, calls: Range<u32>, per_second: u32) {
        self.runtime.block_on(self.dialler.place(calls, per_second, None));
    }
}
