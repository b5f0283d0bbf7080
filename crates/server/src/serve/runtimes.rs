//! The threads of the process: one control runtime, and media threads of their own.

use std::io;
use std::thread::JoinHandle;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio_util::sync::CancellationToken;

/// The control runtime and the media threads.
pub(super) struct Runtimes {
    control: Runtime,
    media: Vec<(Handle, JoinHandle<()>)>,
    stop: CancellationToken,
}

impl Runtimes {
    /// Starts them: two control threads at least, and one media thread a core.
    pub(super) fn start() -> io::Result<Self> {
        let cores = std::thread::available_parallelism()?.get();
        let control = Builder::new_multi_thread()
            .worker_threads(cores.max(2))
            .thread_name("control")
            .enable_all()
            .build()?;
        let stop = CancellationToken::new();
        let media = (0..cores).map(|_| media_thread(stop.clone())).collect::<io::Result<_>>()?;
        Ok(Self { control, media, stop })
    }

    /// Where everything that writes runs.
    pub(super) fn control(&self) -> &Runtime {
        &self.control
    }

    /// Where the calls' audio runs.
    pub(super) fn media(&self) -> Vec<Handle> {
        self.media.iter().map(|(handle, _)| handle.clone()).collect()
    }

    /// Ends all threads; calls must be over by then.
    pub(super) fn stop(self) {
        self.stop.cancel();
        for (_, thread) in self.media {
            // A media thread that panicked has nothing left to tell.
            let _ = thread.join();
        }
        self.control.shutdown_background();
    }
}

fn media_thread(stop: CancellationToken) -> io::Result<(Handle, JoinHandle<()>)> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    let body = move || runtime.block_on(stop.cancelled());
    let thread = std::thread::Builder::new().name("media".to_owned()).spawn(body)?;
    Ok((handle, thread))
}
