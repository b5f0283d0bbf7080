//! Invitations, accepted once.

use async_trait::async_trait;
use diesel_async::AsyncConnection;
use domain::audit::Action;
use domain::ids::UserId;
use domain::password::PasswordHash;
use domain::ports::{Invitations, StoreUnavailable};
use domain::session::{LinkDigest, NewSession, SignedIn};
use domain::user::User;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::accounts::end_sessions;
use crate::failure::Failure;
use crate::rows::{UserRow, user_columns};
use crate::sessions::{begin, own_note};
use crate::statement::{row, statement};
use crate::store::Store;

const INVITED: &str = concat!(
    "SELECT ",
    user_columns!(),
    " FROM one_time_links l JOIN users u ON u.id = l.user_id
WHERE l.digest = $1 AND l.expires_at > $2 AND u.removed_at IS NULL"
);

// Whoever changes a user writes the user first and the link then: so does whoever accepts, or two could
// wait for each other.
const LOCK_INVITED: &str = "
SELECT u.id AS invited_id FROM one_time_links l JOIN users u ON u.id = l.user_id
WHERE l.digest = $1 AND l.expires_at > $2 FOR NO KEY UPDATE OF u";

const USE_UP: &str = "
DELETE FROM one_time_links WHERE digest = $1 AND expires_at > $2 AND user_id IS NOT NULL
RETURNING user_id AS invited_id";

const ADMIT: &str = concat!(
    "UPDATE users u SET password = $2, signed_in_at = $3 WHERE u.id = $1 AND u.removed_at IS NULL RETURNING ",
    user_columns!()
);

row! {
    InvitedRow { invited_id: Uuid }
}

#[async_trait]
impl Invitations for Store {
    async fn invited(&self, link: LinkDigest, now: OffsetDateTime) -> Result<Option<User>, StoreUnavailable> {
        let rows = self.read::<UserRow>(|| statement(INVITED).bind(link.0.to_vec()).bind(now)).await?;
        Ok(rows.into_iter().next().map(UserRow::into_user).transpose()?)
    }

    async fn accept(
        &self,
        link: LinkDigest,
        hash: PasswordHash,
        session: NewSession,
    ) -> Result<Option<SignedIn>, StoreUnavailable> {
        let accepted = self
            .with(async |connection| {
                connection
                    .transaction::<_, Failure, _>(async |connection| {
                        let (from, at) = (session.from, session.at);
                        let locking = statement(LOCK_INVITED).bind(link.0.to_vec()).bind(at);
                        locking.rows::<InvitedRow>(connection).await?;
                        let using = statement(USE_UP).bind(link.0.to_vec()).bind(at);
                        let Some(invited) = using.rows::<InvitedRow>(connection).await?.into_iter().next()
                        else {
                            return Ok(None);
                        };
                        let id = UserId::from_uuid(invited.invited_id);
                        let admitting = statement(ADMIT).bind(id.uuid()).bind(hash.reveal().clone()).bind(at);
                        let Some(user) = admitting.rows::<UserRow>(connection).await?.into_iter().next()
                        else {
                            return Ok(None);
                        };
                        end_sessions(id, None).run(connection).await?;
                        own_note(&user, from, at, Action::UserPassword)?.run(connection).await?;
                        begin(connection, user, session).await.map(Some)
                    })
                    .await
            })
            .await;
        Ok(accepted?)
    }
}
