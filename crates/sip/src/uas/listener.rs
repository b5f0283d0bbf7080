//! Lifetime of the answering side.

use std::net::SocketAddr;
use std::sync::Arc;

use rsipstack::dialog::dialog_layer::DialogLayer;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::call::IncomingCall;
use super::router::Router;
use crate::stack::{Stack, StackSettings, StartError};

/// A running answering side.
pub struct Uas {
    pub(super) stack: Arc<Stack>,
    layer: Arc<DialogLayer>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Uas {
    /// Opens the sockets and starts to answer on the current runtime. Calls come out of the
    /// receiver; at most `backlog` wait in it, and further ones get a 503, as does every call once
    /// it is dropped.
    pub async fn start(
        settings: StackSettings,
        backlog: usize,
    ) -> Result<(Self, mpsc::Receiver<IncomingCall>), StartError> {
        let (stack, requests) = Stack::start(settings, None).await?;
        let (calls, taken) = mpsc::channel(backlog.max(1));
        let stop = CancellationToken::new();
        let tasks = TaskTracker::new();
        let layer = Arc::new(DialogLayer::new(stack.endpoint()));
        let router = Router {
            layer: layer.clone(),
            stack: stack.clone(),
            calls,
            tasks: tasks.clone(),
            stop: stop.clone(),
        };
        tasks.spawn(router.run(requests));
        Ok((Self { stack, layer, stop, tasks }, taken))
    }

    /// Where both sockets are bound.
    pub fn local_addr(&self) -> SocketAddr {
        self.stack.local_addr()
    }

    /// How many dialogs are kept: calls that ring or stand.
    pub fn dialogs(&self) -> usize {
        self.layer.len()
    }

    /// Closes the sockets and ends every task. Calls should be over: they are not hung up here.
    pub async fn shutdown(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        self.stack.shutdown();
    }
}

impl Drop for Uas {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
