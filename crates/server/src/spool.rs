//! The spool on this machine's disk: one fsynced JSON file per conclusion that the store has not
//! taken yet.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use async_trait::async_trait;
use domain::call::{Ended, EndedReason, FinalAnswer};
use domain::callback::{CallbackDraft, CallbackUrl};
use domain::ids::{BootId, CallId};
use domain::ports::{Conclusion, Fence, Spool, SpoolError};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// Keeps conclusions under a directory of the node's data directory.
pub struct DiskSpool {
    directory: PathBuf,
}

impl DiskSpool {
    /// Opens the spool, making its directory when absent. No other user may open it, or its files: they
    /// hold what customers said.
    pub fn open(directory: PathBuf) -> io::Result<Self> {
        private_files::make_private(&directory)?;
        private_files::restrict(&directory)?;
        Ok(Self { directory })
    }

    async fn blocking<T, F>(&self, work: F) -> Result<T, SpoolError>
    where
        T: Send + 'static,
        F: FnOnce(&Path) -> io::Result<T> + Send + 'static,
    {
        let directory = self.directory.clone();
        let done = tokio::task::spawn_blocking(move || work(&directory)).await;
        done.map_err(io::Error::other).flatten().map_err(|error| SpoolError(error.into()))
    }
}

#[async_trait]
impl Spool for DiskSpool {
    async fn keep(&self, conclusion: &Conclusion) -> Result<(), SpoolError> {
        let entry = Entry::from(conclusion);
        self.blocking(move |directory| {
            let bytes = serde_json::to_vec(&entry).map_err(io::Error::other)?;
            let unfinished = directory.join(format!("{}.part", entry.call));
            let mut file =
                private_files::options().write(true).create(true).truncate(true).open(&unfinished)?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            fs::rename(&unfinished, path_of(directory, &entry.call))?;
            // The name itself must survive too.
            fs::File::open(directory)?.sync_all()
        })
        .await
    }

    async fn pending(&self) -> Result<Vec<Conclusion>, SpoolError> {
        self.blocking(|directory| {
            let mut pending = Vec::new();
            for file in fs::read_dir(directory)? {
                let path = file?.path();
                if path.extension().is_some_and(|extension| extension == "json") {
                    let entry = serde_json::from_slice::<Entry>(&fs::read(&path)?).ok();
                    let named = || io::Error::other(format!("not a conclusion: {}", path.display()));
                    pending.push(entry.and_then(Entry::conclusion).ok_or_else(named)?);
                }
            }
            Ok(pending)
        })
        .await
    }

    async fn forget(&self, call: CallId) -> Result<(), SpoolError> {
        self.blocking(move |directory| match fs::remove_file(path_of(directory, &call.to_string())) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done,
        })
        .await
    }
}

fn path_of(directory: &Path, call: &str) -> PathBuf {
    directory.join(format!("{call}.json"))
}

/// The file's form.
#[derive(Serialize, Deserialize)]
struct Entry {
    call: String,
    owner: String,
    epoch: i32,
    reason: String,
    started_at_ms: Option<i64>,
    ended_at_ms: i64,
    answer: Option<(u16, String)>,
    callback: Option<Callback>,
}

#[derive(Serialize, Deserialize)]
struct Callback {
    url: String,
    body: String,
    prepared_at_ms: i64,
}

impl From<&Conclusion> for Entry {
    fn from(conclusion: &Conclusion) -> Self {
        let Conclusion { fence, ended, answer, callback } = conclusion;
        Self {
            call: fence.call.to_string(),
            owner: fence.owner.to_string(),
            epoch: fence.epoch,
            reason: ended.reason.as_str().to_owned(),
            started_at_ms: ended.started_at.map(to_ms),
            ended_at_ms: to_ms(ended.ended_at),
            answer: answer.as_ref().map(|answer| (answer.code, answer.phrase.clone())),
            callback: callback.as_ref().map(|draft| Callback {
                url: draft.url.url().to_string(),
                // The body is JSON, so it is text.
                body: String::from_utf8_lossy(&draft.body).into_owned(),
                prepared_at_ms: to_ms(draft.prepared_at),
            }),
        }
    }
}

impl Entry {
    fn conclusion(self) -> Option<Conclusion> {
        let started_at = match self.started_at_ms {
            Some(ms) => Some(from_ms(ms)?),
            None => None,
        };
        let callback = match self.callback {
            Some(callback) => Some(CallbackDraft {
                url: CallbackUrl::from_stored(&callback.url)?,
                body: callback.body.into_bytes(),
                prepared_at: from_ms(callback.prepared_at_ms)?,
            }),
            None => None,
        };
        Some(Conclusion {
            fence: Fence {
                call: CallId::parse(&self.call)?,
                owner: BootId::parse(&self.owner)?,
                epoch: self.epoch,
            },
            ended: Ended {
                reason: EndedReason::parse(&self.reason)?,
                started_at,
                ended_at: from_ms(self.ended_at_ms)?,
            },
            answer: self.answer.map(|(code, phrase)| FinalAnswer { code, phrase }),
            callback,
        })
    }
}

fn to_ms(at: OffsetDateTime) -> i64 {
    i64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX)
}

fn from_ms(ms: i64) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000).ok()
}

#[cfg(test)]
mod tests {
    use domain::ids::NewId;

    use super::*;

    #[tokio::test]
    async fn a_kept_conclusion_comes_back_to_the_byte_and_is_forgotten_once_handed_over() {
        let directory = tempfile::tempdir().unwrap();
        let spool = DiskSpool::open(directory.path().join("spool")).unwrap();
        let at = from_ms(1_774_000_000_123).unwrap();
        let call: CallId = NewId::at(at, [7; 10]).into();
        let conclusion = Conclusion {
            fence: Fence { call, owner: NewId::at(at, [8; 10]).into(), epoch: 3 },
            ended: Ended { reason: EndedReason::CustomerBusy, started_at: Some(at), ended_at: at },
            answer: Some(FinalAnswer { code: 486, phrase: "Busy \"here\"".into() }),
            callback: Some(CallbackDraft {
                url: CallbackUrl::from_stored("https://example.com/a?b=c").unwrap(),
                body: "{\"é\":1}".as_bytes().to_vec(),
                prepared_at: at,
            }),
        };
        spool.keep(&conclusion).await.unwrap();

        let reopened = DiskSpool::open(directory.path().join("spool")).unwrap();
        let pending = reopened.pending().await.unwrap();
        assert_eq!(format!("{pending:?}"), format!("{:?}", [conclusion]));
        reopened.forget(call).await.unwrap();
        reopened.forget(call).await.unwrap();
        assert!(reopened.pending().await.unwrap().is_empty());
    }
}
