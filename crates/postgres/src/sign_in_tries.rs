//! Tries to sign in, counted before anybody looks at a password.

use std::net::IpAddr;
use std::time::Duration;

use async_trait::async_trait;
use diesel::result::Error as DieselError;
use diesel_async::AsyncConnection;
use domain::back_off::{self, Failures, KNOWN_FOR, KnownUser, Subject, Tries};
use domain::ids::UserId;
use domain::organization::folded;
use domain::password::PasswordHash;
use domain::ports::{Attempt, SignInTries, StoreUnavailable, Trial};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::failure::Failure;
use crate::statement::{row, statement};
use crate::store::Store;

const COUNTED: &str = "
SELECT subject, failures, last_at FROM sign_in_failures WHERE subject = ANY($1)";

/// The users with an e-mail address (`$1`) who have a password, and what is known of them at a network (`$2`).
const ACCOUNTS: &str = "
SELECT u.id, u.password, k.failures AS forgiven, k.known_until
FROM users u LEFT JOIN sign_in_failures k ON k.subject = 'known:' || $2 || ' ' || u.id
WHERE u.email_folded = $1 AND u.removed_at IS NULL AND u.password IS NOT NULL ORDER BY u.created_at, u.id";

// Locks what is counted, in the given order, whether it was there or not: of tries side by side
// each sees those before it.
const LOCK: &str = "
INSERT INTO sign_in_failures (subject, failures, last_at)
SELECT subject, 0, $2 FROM unnest($1) WITH ORDINALITY AS asked (subject, place) ORDER BY place
ON CONFLICT (subject) DO UPDATE SET subject = excluded.subject
RETURNING subject, failures, last_at";

const COUNT: &str = "UPDATE sign_in_failures SET failures = $2, last_at = $3 WHERE subject = $1";

const FORGIVE_NOTHING: &str = "UPDATE sign_in_failures SET failures = 0 WHERE subject = ANY($1)";

const KNOW: &str = "
INSERT INTO sign_in_failures (subject, failures, last_at, known_until)
SELECT $1, COALESCE((SELECT failures FROM sign_in_failures WHERE subject = $2), 0), $3, $4
ON CONFLICT (subject) DO UPDATE
    SET failures = excluded.failures, last_at = excluded.last_at, known_until = excluded.known_until";

const TAKE_BACK: &str =
    "UPDATE sign_in_failures SET failures = failures - 1 WHERE subject = $1 AND failures > 0";

// Of a try that was held against one user's password alone. A success that other users' passwords were held
// against too stays counted: it was a guess at theirs.
const TAKE_BACK_OWN: &str = "
UPDATE sign_in_failures SET failures = failures - 1
WHERE subject = $1 AND failures > 0 AND (
    SELECT count(*) FROM users WHERE email_folded = $2 AND removed_at IS NULL AND password IS NOT NULL
) < 2";

row! {
    FailuresRow {
        subject: String,
        failures: i32,
        last_at: OffsetDateTime,
    }
}

row! {
    AccountRow {
        id: Uuid,
        password: String,
        forgiven: Option<i32>,
        known_until: Option<OffsetDateTime>,
    }
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
        let (folded, network) = (folded(email), back_off::network(from).to_string());
        let asking = || statement(ACCOUNTS).bind(folded.clone()).bind(network.clone());
        // Most of a flood ends here, without a lock, a write or a connection of its own.
        let counting = self.read::<FailuresRow>(|| statement(COUNTED).bind(written.clone()));
        let (counted, accounts) = tokio::try_join!(counting, self.read::<AccountRow>(asking))?;
        if let Err(wait) = admit(&counted, &subjects, &accounts, now) {
            return Ok(Attempt::Wait(wait));
        }
        let begun = self
            .with(async |connection| {
                let begun = connection
                    .transaction::<_, Halt, _>(async |connection| {
                        let locking = statement(LOCK).bind(written).bind(now);
                        let counted = locking.rows::<FailuresRow>(connection).await?;
                        let accounts = asking().rows::<AccountRow>(connection).await?;
                        let tries = admit(&counted, &subjects, &accounts, now).map_err(Halt::Wait)?;
                        for row in counted {
                            // Housekeeping may have removed what was forgotten.
                            let again = row.failures == 0 || row.failures().are_forgotten(now);
                            if again && row.is_account_from(&subjects) {
                                let known =
                                    accounts.iter().map(|own| Subject::known(own.user(), from).written());
                                let known: Vec<_> = known.collect();
                                statement(FORGIVE_NOTHING).bind(known).run(connection).await?;
                            }
                            let failures = row.failures().and_one(now);
                            let count = i32::try_from(failures.count).unwrap_or(i32::MAX);
                            let counting = statement(COUNT).bind(row.subject).bind(count);
                            counting.bind(failures.last_at).run(connection).await?;
                        }
                        let known = accounts.iter().any(|own| own.is_known(now));
                        let accounts = accounts.into_iter().filter(|own| tries.include(own.user()));
                        Ok(Trial { accounts: accounts.map(AccountRow::into_account).collect(), known })
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

    async fn succeeded(
        &self,
        email: &str,
        user: UserId,
        from: IpAddr,
        at: OffsetDateTime,
    ) -> Result<(), StoreUnavailable> {
        let [account, account_from, address] = Subject::all(email, from).map(|subject| subject.written());
        let (known, folded) = (Subject::known(user, from).written(), folded(email));
        let noted = self
            .with(async |connection| {
                connection
                    .transaction::<_, Failure, _>(async |connection| {
                        for subject in [&account, &account_from] {
                            let own = statement(TAKE_BACK_OWN).bind(subject.clone()).bind(folded.clone());
                            own.run(connection).await?;
                        }
                        statement(TAKE_BACK).bind(address).run(connection).await?;
                        let knowing = statement(KNOW).bind(known).bind(account_from).bind(at);
                        knowing.bind(at + KNOWN_FOR).run(connection).await
                    })
                    .await
            })
            .await;
        Ok(noted?)
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

    fn is_account_from(&self, of: &[Subject]) -> bool {
        matches!(self.subject(of), Some(Subject::AccountFrom(..)))
    }
}

/// Of the users with the address, whose password may be tried.
fn admit(
    counted: &[FailuresRow],
    subjects: &[Subject],
    accounts: &[AccountRow],
    now: OffsetDateTime,
) -> Result<Tries, Duration> {
    let counted = counted.iter().filter_map(|row| Some((row.subject(subjects)?, row.failures())));
    let known = accounts.iter().filter_map(AccountRow::known);
    back_off::admit(&counted.collect::<Vec<_>>(), &known.collect::<Vec<_>>(), now)
}

impl AccountRow {
    fn user(&self) -> UserId {
        UserId::from_uuid(self.id)
    }

    fn known(&self) -> Option<KnownUser> {
        let forgiven = self.forgiven.and_then(|forgiven| u32::try_from(forgiven).ok()).unwrap_or(0);
        Some(KnownUser { user: self.user(), until: self.known_until?, forgiven })
    }

    fn is_known(&self, now: OffsetDateTime) -> bool {
        self.known_until.is_some_and(|until| until > now)
    }

    fn into_account(self) -> (UserId, PasswordHash) {
        (self.user(), PasswordHash::from_phc(self.password))
    }
}
