//! The parent's hold on one child: started when needed, asked, killed when it fails.

use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use domain::assistant::Language;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::wire::{self, Malformed, Reply, Request};

/// How long one piece of a line may take; a second of speech takes some 4 ms.
const PIECE_DEADLINE: Duration = Duration::from_secs(4);

/// Why a line was not spoken.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Failure {
    /// The child could not be started.
    #[error("the speech process cannot be started: {0}")]
    Start(String),
    /// The child ended, twice in a row, without an answer.
    #[error("the speech process broke down")]
    Broken,
    /// The line was not spoken in time.
    #[error("the line was not spoken in time")]
    Late,
    /// The voice refused.
    #[error("the voice failed: {0}")]
    Voice(String),
    /// More lines are waiting than may wait.
    #[error("too many lines are waiting to be spoken")]
    Busy,
    /// The line has more characters than a line may have.
    #[error("the line is too long")]
    TooLong,
}

/// One child, and how to start it.
#[derive(Debug)]
pub(crate) struct Process {
    program: PathBuf,
    args: Vec<String>,
    running: Option<Running>,
    requests: u64,
}

#[derive(Debug)]
struct Running {
    child: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
}

impl Process {
    pub(crate) const fn new(program: PathBuf, args: Vec<String>) -> Self {
        Self { program, args, running: None, requests: 0 }
    }

    /// Speaks a piece of a line, in 8,000 samples a second or twice as many; a child that breaks down
    /// is replaced, and the piece tried once more.
    pub(crate) async fn speak(
        &mut self,
        language: Language,
        wideband: bool,
        text: &str,
    ) -> Result<Vec<i16>, Failure> {
        let mut failure = Failure::Broken;
        for _ in 0..2 {
            self.requests += 1;
            let request = Request { id: self.requests, language, wideband, text: text.to_owned() };
            failure = match timeout(PIECE_DEADLINE, self.ask(&request)).await {
                Ok(Ok(reply)) => return reply.outcome.map_err(Failure::Voice),
                Ok(Err(Trouble::Start(error))) => return Err(Failure::Start(error.to_string())),
                Ok(Err(Trouble::Broken(error))) => {
                    tracing::warn!(%error, "the speech process broke down and is replaced");
                    Failure::Broken
                }
                Err(_) => {
                    tracing::warn!("the speech process hangs and is replaced");
                    Failure::Late
                }
            };
            self.stop().await;
        }
        Err(failure)
    }

    async fn ask(&mut self, request: &Request) -> Result<Reply, Trouble> {
        let running = match &mut self.running {
            Some(running) => running,
            None => self.running.insert(start(&self.program, &self.args).map_err(Trouble::Start)?),
        };
        running.requests.write_all(&request.to_frame()).await?;
        let mut prefix = [0; 4];
        running.replies.read_exact(&mut prefix).await?;
        let mut body = vec![0; wire::length(prefix)?];
        running.replies.read_exact(&mut body).await?;
        let reply = Reply::parse(&body)?;
        // An answer to something else means that the two are out of step for good.
        if reply.id == request.id { Ok(reply) } else { Err(Malformed.into()) }
    }

    async fn stop(&mut self) {
        if let Some(mut running) = self.running.take()
            && let Err(error) = running.child.kill().await
        {
            tracing::warn!(%error, "a speech process could not be killed");
        }
    }
}

/// Starts a child that inherits nothing, and dies with its parent because its input closes.
fn start(program: &PathBuf, args: &[String]) -> io::Result<Running> {
    let mut child = Command::new(program)
        .args(args)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        // An interrupt from the terminal is the parent's affair: it may have calls to finish.
        .process_group(0)
        .kill_on_drop(true)
        .spawn()?;
    let missing = || io::Error::from(io::ErrorKind::BrokenPipe);
    let requests = child.stdin.take().ok_or_else(missing)?;
    let replies = BufReader::new(child.stdout.take().ok_or_else(missing)?);
    Ok(Running { child, requests, replies })
}

/// What went wrong between the two processes.
enum Trouble {
    Start(io::Error),
    Broken(io::Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}

impl From<Malformed> for Trouble {
    fn from(error: Malformed) -> Self {
        Self::Broken(io::Error::other(error))
    }
}
