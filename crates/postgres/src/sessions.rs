//! Sessions, stored as digests only.

use std::net::IpAddr;

use async_trait::async_trait;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use domain::audit::{Action, Actor, Deed};
use domain::ids::UserId;
use domain::ports::{Sessions, SignIn, StoreUnavailable};
use domain::session::{NOTE_AFTER, NewSession, SESSIONS_MAX, Session, SessionDigest, SignedIn};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::accounts::{end_sessions, note};
use crate::audit::address_of;
use crate::failure::Failure;
use crate::rows::{Both, UserRow, user_columns};
use crate::statement::{Statement, row, statement};
use crate::store::{Store, Used};

// Whoever changes the password or removes the user meanwhile waits, and then ends this session too.
const PROVE: &str = concat!(
    "UPDATE users u SET signed_in_at = $3, password = COALESCE($4, u.password)
WHERE u.id = $1 AND u.password = $2 AND u.removed_at IS NULL RETURNING ",
    user_columns!()
);

const BEGIN: &str = "
INSERT INTO sessions (digest, user_id, created_at, seen_at, expires_at, address, user_agent)
VALUES ($1, $2, $3, $3, $4, $5, $6)";

const GIVE_WAY: &str = "
DELETE FROM sessions WHERE digest IN (
    SELECT digest FROM sessions WHERE user_id = $1 AND digest <> $2
    ORDER BY seen_at DESC, digest DESC OFFSET $3
)";

const FIND: &str = concat!(
    "SELECT s.created_at AS begun_at, s.seen_at, ",
    user_columns!(),
    " FROM sessions s JOIN users u ON u.id = s.user_id
WHERE s.digest = $1 AND s.expires_at > $2 AND u.removed_at IS NULL"
);

const NOTE_USE: &str = "
UPDATE sessions SET seen_at = $2, expires_at = $3 WHERE digest = $1 AND seen_at <= $4";

const SESSIONS_OF: &str = "
SELECT digest, user_id AS session_user_id, created_at, seen_at, expires_at, address, user_agent
FROM sessions WHERE user_id = $1 AND expires_at > $2 ORDER BY seen_at DESC, digest DESC";

const END: &str = "DELETE FROM sessions WHERE user_id = $1 AND digest = $2 RETURNING true AS done";

const TOUCH: &str = concat!("SELECT ", user_columns!(), " FROM users u WHERE u.id = $1 FOR UPDATE");

row! {
    /// A session's age.
    AgeRow { begun_at: OffsetDateTime, seen_at: OffsetDateTime }
}

row! {
    SessionRow {
        digest: Vec<u8>,
        session_user_id: Uuid,
        created_at: OffsetDateTime,
        seen_at: OffsetDateTime,
        expires_at: OffsetDateTime,
        address: Option<String>,
        user_agent: Option<String>,
    }
}

row! {
    Done { done: bool }
}

#[async_trait]
impl Sessions for Store {
    async fn begin(&self, sign_in: SignIn) -> Result<Option<SignedIn>, StoreUnavailable> {
        let begun = self
            .with(async |connection| {
                connection
                    .transaction::<_, Failure, _>(async |connection| {
                        let SignIn { user, proved, rehashed, session } = sign_in;
                        let proving = statement(PROVE)
                            .bind(user.uuid())
                            .bind(proved.reveal().clone())
                            .bind(session.at)
                            .bind(rehashed.map(|hash| hash.reveal().clone()));
                        match proving.rows::<UserRow>(connection).await?.into_iter().next() {
                            Some(user) => begin(connection, user, session).await.map(Some),
                            None => Ok(None),
                        }
                    })
                    .await
            })
            .await;
        Ok(begun?)
    }

    async fn find(
        &self,
        session: SessionDigest,
        now: OffsetDateTime,
    ) -> Result<Option<SignedIn>, StoreUnavailable> {
        let Some((found, seen_at)) = self.live_session(session, now).await? else { return Ok(None) };
        if seen_at <= now - NOTE_AFTER {
            let noting = statement(NOTE_USE)
                .bind(session.0.to_vec())
                .bind(now)
                .bind(Session::expiry(found.since, now))
                .bind(now - NOTE_AFTER);
            self.note_use(Used::Session(session), noting);
        }
        Ok(Some(found))
    }

    async fn look_up(
        &self,
        session: SessionDigest,
        now: OffsetDateTime,
    ) -> Result<Option<SignedIn>, StoreUnavailable> {
        Ok(self.live_session(session, now).await?.map(|(found, _)| found))
    }

    async fn sessions_of(&self, user: UserId, now: OffsetDateTime) -> Result<Vec<Session>, StoreUnavailable> {
        let rows = self.read::<SessionRow>(|| statement(SESSIONS_OF).bind(user.uuid()).bind(now)).await?;
        Ok(rows.into_iter().map(SessionRow::into_session).collect::<Result<_, _>>()?)
    }

    async fn end(&self, user: UserId, session: SessionDigest) -> Result<bool, StoreUnavailable> {
        let ending = statement(END).bind(user.uuid()).bind(session.0.to_vec());
        Ok(self.write::<Done>(ending).await?.iter().any(|row| row.done))
    }

    async fn end_all(&self, user: UserId, deed: Deed) -> Result<(), StoreUnavailable> {
        let ended = self
            .with(async |connection| {
                connection
                    .transaction::<_, Failure, _>(async |connection| {
                        // A session that is just beginning comes first, and ends as well.
                        let found = statement(TOUCH).bind(user.uuid()).rows::<UserRow>(connection).await?;
                        let Some(own) = found.into_iter().next() else { return Ok(()) };
                        end_sessions(user, None).run(connection).await?;
                        note(&deed, &own, Action::SignOutEverywhere)?.run(connection).await
                    })
                    .await
            })
            .await;
        Ok(ended?)
    }
}

/// Begins a session of a user whose row the transaction has written, and notes it.
pub(crate) async fn begin(
    connection: &mut AsyncPgConnection,
    user: UserRow,
    session: NewSession,
) -> Result<SignedIn, Failure> {
    let NewSession { digest, from, user_agent, at } = session;
    statement(BEGIN)
        .bind(digest.0.to_vec())
        .bind(user.user_id)
        .bind(at)
        .bind(Session::expiry(at, at))
        .bind(from.map(|address| address.to_string()))
        .bind(user_agent)
        .run(connection)
        .await?;
    let others = i64::try_from(SESSIONS_MAX - 1).unwrap_or(i64::MAX);
    let giving_way = statement(GIVE_WAY).bind(user.user_id).bind(digest.0.to_vec()).bind(others);
    giving_way.run(connection).await?;
    own_note(&user, from, at, Action::SignIn)?.run(connection).await?;
    Ok(SignedIn { user: user.into_user()?, session: digest, since: at })
}

/// The audit log's entry of what a user did to their own account.
pub(crate) fn own_note(
    user: &UserRow,
    from: Option<IpAddr>,
    at: OffsetDateTime,
    action: Action,
) -> Result<Statement, Failure> {
    let actor = Actor::User(UserId::from_uuid(user.user_id), user.email.clone());
    note(&Deed { actor, from, at }, user, action)
}

impl Store {
    /// A live session, and when its use was noted last.
    async fn live_session(
        &self,
        session: SessionDigest,
        now: OffsetDateTime,
    ) -> Result<Option<(SignedIn, OffsetDateTime)>, Failure> {
        let finding = || statement(FIND).bind(session.0.to_vec()).bind(now);
        let rows = self.read::<Both<AgeRow, UserRow>>(finding).await?;
        let Some(Both(age, user)) = rows.into_iter().next() else { return Ok(None) };
        Ok(Some((SignedIn { user: user.into_user()?, session, since: age.begun_at }, age.seen_at)))
    }
}

impl SessionRow {
    fn into_session(self) -> Result<Session, Failure> {
        let broken = |why| Failure::impossible("sessions", self.session_user_id, why);
        let digest = self.digest.try_into().map_err(|_| broken("the digest is none"))?;
        let from = address_of(self.address, broken)?;
        Ok(Session {
            digest: SessionDigest(digest),
            created_at: self.created_at,
            seen_at: self.seen_at,
            expires_at: self.expires_at,
            from,
            user_agent: self.user_agent,
        })
    }
}
