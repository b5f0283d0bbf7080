//! Waiting until the running nodes follow a change of the key file.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::bail;
use domain::ports::Clock;
use postgres::{KeyHolder, Store};

use crate::system::SystemClock;

/// Nodes look at the file every second.
const FOLLOW_LIMIT: Duration = Duration::from_secs(10);

/// Between two questions.
const ASK_AGAIN: Duration = Duration::from_millis(200);

/// What a node sealed with a key before it was replaced is in the database by then: a statement waits 5 s
/// for a connection and 12 s for its answer at most. Later ones are refused, which this spares their users.
const IN_FLIGHT: Duration = Duration::from_secs(20);

/// What is waited for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Until {
    /// Every node can open what the newest key seals.
    Opens,
    /// Every node seals with it.
    Seals,
    /// Every node has done so for long enough that nothing under another key is on its way.
    Settled,
}

impl Until {
    fn holds(self, node: &KeyHolder) -> bool {
        match self {
            Self::Opens => node.opens,
            Self::Seals => node.seals_for.is_some(),
            Self::Settled => node.seals_for.is_some_and(|since| since >= IN_FLIGHT),
        }
    }

    fn limit(self) -> Duration {
        match self {
            Self::Opens | Self::Seals => FOLLOW_LIMIT,
            Self::Settled => FOLLOW_LIMIT + IN_FLIGHT,
        }
    }
}

/// Waits for all running nodes; one that does not follow is named, with what to do about it.
pub(super) async fn all(store: &Store, until: Until, number: u8, file: &Path) -> anyhow::Result<()> {
    let began = SystemClock.since_boot();
    loop {
        let holders = store.key_holders().await?;
        let behind: Vec<_> = holders.iter().filter(|node| !until.holds(node)).collect();
        if behind.is_empty() {
            return Ok(());
        }
        if SystemClock.since_boot().saturating_sub(began) >= until.limit() {
            let names = behind.iter().fold(String::new(), |mut names, behind| {
                // Writing to a String cannot fail.
                let _ = write!(names, " {}", behind.node);
                names
            });
            let missing = match until {
                Until::Opens => "hold",
                Until::Seals | Until::Settled => "encrypt with",
            };
            bail!(
                "these running nodes do not {missing} key {number} yet:{names}. Nothing is lost, and everything \
                 opens. If they have a key file of their own, copy {} there, then run this again",
                file.display()
            );
        }
        tokio::time::sleep(ASK_AGAIN).await;
    }
}
