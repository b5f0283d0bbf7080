//! Tries to sign in, counted before anybody looks at a password.

use std::net::IpAddr;
use std::time::Duration;

use async_trait::async_trait;
use diesel::result::Error as DieselError;
use diesel_async::AsyncConnection;
use domain::back_off::{self, Failures, KNOWN_FOR, Subject};
use domain::ids::UserId;
use domain::organization::folded;
use domain::password::PasswordHash;
use domain::ports::{Attempt, SignInTries, StoreUnavailable, Trial};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::failure::Failure;
use crate::statement::{row, statement};
use crate::store::Store;

const COUNTED: &str =
    "SELECT subject, failures, last_at, known_until FROM sign_in_failures WHERE subject = ANY($1)";

// Locks what is counted, in the given order, whether it was there or not: of tries side by side
// each sees those before it.
const LOCK: &str = "
INSERT INTO sign_in_failures (subject, failures, last_at)
SELECT subject, 0, $2 FROM unnest($1) WITH ORDINALITY AS asked (subject, place) ORDER BY place
ON CONFLICT (subject) DO UPDATE SET subject = excluded.subject
RETURNING subject, failures, last_at, known_until";

const COUNT: &str = "UPDATE sign_in_failures SET failures = $2, last_at = $3 WHERE subject = $1";

const ACCOUNT: &str = "
SELECT id, password FROM users WHERE email_folded = $1 AND removed_at IS NULL AND password IS NOT NULL";

const FORGET: &str = "DELETE FROM sign_in_failures WHERE subject = $1";

const KNOW: &str = "
INSERT INTO sign_in_failures (subject, failures, last_at, known_until) VALUES ($1, 0, $2, $3)
ON CONFLICT (subject) DO UPDATE SET failures = 0, known_until = excluded.known_until";

const TAKE_BACK: &str =
    "UPDATE sign_in_failures SET failures = failures - 1 WHERE subject = $1 AND failures > 0";

row! {
    FailuresRow {
        subject: String,
        failures: i32,
        last_at: OffsetDateTime,
        known_until: Option<OffsetDateTime>,
    }
}

row! {
    AccountRow { id: Uuid, password: String }
}

/// Why a try does not begin: what was written is taken back.
enum Halt {
    Wait(Duration),
    Failed(Failure),
}

impl From<DieselError> for Halt {
    fn from(error: DieselError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

#[async_trait]
impl SignInTries for Store {
    async fn begin_try(
        &self,
        email: &str,
        from: IpAddr,
        now: OffsetDateTime,
    ) -> Result<Attempt, StoreUnavailable> {
        let subjects = Subject::all(email, from);
        let written = subjects.iter().map(Subject::written).collect::<Vec<_>>();
        // Most of a flood ends here, without a lock, a write or a connection of its own.
        let counted = self.read::<FailuresRow>(|| statement(COUNTED).bind(written.clone())).await?;
        if let Some(wait) = wait(&counted, &subjects, now) {
            return Ok(Attempt::Wait(wait));
        }
        let begun = self
            .with(async |connection| {
                let begun = connection
                    .transaction::<_, Halt, _>(async |connection| {
                        let locking = statement(LOCK).bind(written).bind(now);
                        let counted = locking.rows::<FailuresRow>(connection).await?;
                        if let Some(wait) = wait(&counted, &subjects, now) {
                            return Err(Halt::Wait(wait));
                        }
                        let known = back_off::is_known(known_until(&counted), now);
                        for row in counted {
                            let failures = row.failures().and_one(now);
                            let count = i32::try_from(failures.count).unwrap_or(i32::MAX);
                            let counting = statement(COUNT).bind(row.subject).bind(count);
                            counting.bind(failures.last_at).run(connection).await?;
                        }
                        let asking = statement(ACCOUNT).bind(folded(email));
                        let account = asking.rows::<AccountRow>(connection).await?.into_iter().next();
                        Ok(Trial { account: account.map(AccountRow::into_account), known })
                    })
                    .await;
                match begun {
                    Ok(trial) => Ok(Attempt::Try(trial)),
                    Err(Halt::Wait(wait)) => Ok(Attempt::Wait(wait)),
                    Err(Halt::Failed(failure)) => Err(failure),
                }
            })
            .await;
        Ok(begun?)
    }

    async fn succeeded(&self, email: &str, from: IpAddr, at: OffsetDateTime) -> Result<(), StoreUnavailable> {
        let [account, account_from, address] = Subject::all(email, from).map(|subject| subject.written());
        let forgotten = self
            .with(async |connection| {
                connection
                    .transaction::<_, Failure, _>(async |connection| {
                        statement(FORGET).bind(account).run(connection).await?;
                        let knowing = statement(KNOW).bind(account_from).bind(at).bind(at + KNOWN_FOR);
                        knowing.run(connection).await?;
                        statement(TAKE_BACK).bind(address).run(connection).await
                    })
                    .await
            })
            .await;
        Ok(forgotten?)
    }

    async fn take_back(&self, email: &str, from: IpAddr) -> Result<(), StoreUnavailable> {
        let [account, account_from, address] = Subject::all(email, from).map(|subject| subject.written());
        let taken = self
            .with(async |connection| {
                connection
                    .transaction::<_, Failure, _>(async |connection| {
                        statement(TAKE_BACK).bind(account).run(connection).await?;
                        statement(TAKE_BACK).bind(account_from).run(connection).await?;
                        statement(TAKE_BACK).bind(address).run(connection).await
                    })
                    .await
            })
            .await;
        Ok(taken?)
    }
}

impl FailuresRow {
    fn failures(&self) -> Failures {
        Failures { count: u32::try_from(self.failures).unwrap_or(0), last_at: self.last_at }
    }

    fn subject(&self, of: &[Subject]) -> Option<Subject> {
        of.iter().find(|subject| subject.written() == self.subject).cloned()
    }
}

fn wait(counted: &[FailuresRow], subjects: &[Subject], now: OffsetDateTime) -> Option<Duration> {
    let known_until = known_until(counted);
    let counted = counted.iter().filter_map(|row| Some((row.subject(subjects)?, row.failures())));
    back_off::wait(counted, known_until, now)
}

fn known_until(counted: &[FailuresRow]) -> Option<OffsetDateTime> {
    counted.iter().find_map(|row| row.known_until)
}

impl AccountRow {
    fn into_account(self) -> (UserId, PasswordHash) {
        (UserId::from_uuid(self.id), PasswordHash::from_phc(self.password))
    }
}
