//! The one script, and the keys that it counts in.

use std::sync::LazyLock;

use domain::rate_limit::{Client, WINDOW};
use redis::aio::MultiplexedConnection;
use redis::{RedisResult, Script};

/// Sent by its digest; Redis is given the text once, and again when it has forgotten it.
static COUNT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("count.lua")));

/// Before every key. Installations that share a Redis take a database each.
const PREFIX: &str = "callwright:rate:";

/// Counts a request of `client` and gives the requests in its window so far.
pub(crate) async fn count(connection: &mut MultiplexedConnection, client: Client) -> RedisResult<u32> {
    count_in(connection, &format!("{PREFIX}{:016x}", client.number())).await
}

/// Counts in a key that is nobody's: proves that counting works, not only that somebody answers.
pub(crate) async fn try_out(connection: &mut MultiplexedConnection) -> RedisResult<()> {
    count_in(connection, &format!("{PREFIX}probe")).await.map(drop)
}

async fn count_in(connection: &mut MultiplexedConnection, key: &str) -> RedisResult<u32> {
    // A key lives through the last millisecond of its time, and a window does not.
    let life = WINDOW.as_millis().saturating_sub(1).to_string();
    let count: u64 = COUNT.key(key).arg(life).invoke_async(connection).await?;
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}
