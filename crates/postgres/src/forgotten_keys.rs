//! Keys that nothing may be sealed with any more, whoever still holds them.

use diesel_async::AsyncConnection;
use domain::ports::StoreUnavailable;

use crate::failure::Failure;
use crate::statement::statement;
use crate::store::Store;

// Waits for every write that is under way, and holds up those that come until this is committed: each of
// them is either in the tables by then, or meets the forgotten key.
const LOCK: &str = "LOCK TABLE signing_secrets, trunks, assistants IN SHARE MODE";

const FORGET: &str = "
INSERT INTO forgotten_keys (number) SELECT number FROM unnest($1) AS forgotten (number)
ON CONFLICT DO NOTHING";

const REMEMBER: &str = "DELETE FROM forgotten_keys WHERE number = $1";

impl Store {
    /// From now on nothing is stored that any key but the newest has sealed. What is stored already stays,
    /// and can be sealed anew.
    pub async fn forget_old_keys(&self) -> Result<(), StoreUnavailable> {
        let keys = self.key().keys();
        let newest = keys.newest().number;
        let old = keys.all().map(|key| key.number).filter(|number| *number != newest);
        let old: Vec<_> = old.map(i32::from).collect();
        let forgotten = self
            .with(async |connection| {
                connection
                    .transaction::<_, Failure, _>(async |connection| {
                        statement(LOCK).run(connection).await?;
                        statement(FORGET).bind(old).run(connection).await
                    })
                    .await
            })
            .await;
        Ok(forgotten?)
    }

    /// The newest key may seal, although one that had its number before was forgotten: numbers go round.
    pub async fn remember_newest_key(&self) -> Result<(), StoreUnavailable> {
        let newest = i16::from(self.key().keys().newest().number);
        let remembered = self.with(async |connection| statement(REMEMBER).bind(newest).run(connection).await);
        Ok(remembered.await?)
    }
}
