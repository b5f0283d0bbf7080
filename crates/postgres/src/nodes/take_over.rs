//! Taking over the live calls of a boot that died.

use diesel_async::AsyncConnection;
use domain::ids::BootId;
use domain::ports::Orphan;

use crate::failure::Failure;
use crate::rows::{Both, LegRow, OutboundRow, TrunkRow, leg_columns, outbound_columns, trunk_columns};
use crate::sealing::SealingKey;
use crate::statement::{row, statement};
use crate::store::Store;

// The lock makes a beat wait, and two heirs take turns; an accept that is under way holds it off.
const LOCK: &str = "
SELECT true AS done FROM boots
WHERE id = $1 AND left_at IS NULL AND ($2 IS NULL OR counter = $2) FOR UPDATE";

// Beside what is moved now comes what was moved before, while the answer to that was lost.
const MOVE: &str = concat!(
    "WITH picked AS MATERIALIZED (
        SELECT call_id, leg FROM call_legs WHERE owner = $2 AND state <> 'ended'
        ORDER BY call_id LIMIT $3 FOR UPDATE SKIP LOCKED
    ), moved AS (
        UPDATE call_legs SET owner = $1, epoch = epoch + 1, taken_from = $2 FROM picked
        WHERE call_legs.call_id = picked.call_id AND call_legs.leg = picked.leg
        RETURNING call_legs.*
    ), told AS (
        INSERT INTO node_commands (boot_id, kind, call_id) SELECT $2, 'lost', call_id FROM moved
    ), orphaned AS (
        SELECT * FROM moved
        UNION ALL
        SELECT * FROM call_legs
        WHERE owner = $1 AND taken_from = $2 AND state <> 'ended' AND call_id <> ALL ($4)
    ) SELECT ",
    leg_columns!(),
    ", ",
    outbound_columns!(),
    ", ",
    trunk_columns!(),
    " FROM orphaned l JOIN outbound_calls o ON o.call_id = l.call_id JOIN calls c ON c.id = l.call_id \
     JOIN trunks t ON t.id = l.trunk_id ORDER BY l.call_id LIMIT $3"
);

const STRIKE_OFF: &str = "
UPDATE boots SET left_at = now()
WHERE id = $1 AND NOT EXISTS (SELECT FROM call_legs WHERE owner = $1 AND state <> 'ended')
RETURNING true AS done";

row! {
    Done { done: bool }
}

type OrphanRow = Both<Both<LegRow, OutboundRow>, TrunkRow>;

pub(super) async fn take_over(
    store: &Store,
    heir: BootId,
    dead: BootId,
    counter: Option<i64>,
    limit: u32,
) -> Result<Vec<Orphan>, Failure> {
    let (heir, dead) = (heir.uuid(), dead.uuid());
    if heir == dead {
        return Ok(Vec::new());
    }
    let handed = store.handed(dead);
    let rows = store
        .with(async |connection| {
            connection
                .transaction::<_, Failure, _>(async |connection| {
                    let locked = statement(LOCK).bind(dead).bind(counter).rows::<Done>(connection).await?;
                    if !locked.iter().any(|row| row.done) {
                        return Ok(Vec::new());
                    }
                    let moved = statement(MOVE).bind(heir).bind(dead).bind(i64::from(limit)).bind(handed);
                    let moved = moved.rows::<OrphanRow>(connection).await?;
                    // Only by a call that hands nothing out: until then it is asked again.
                    if moved.is_empty() {
                        statement(STRIKE_OFF).bind(dead).rows::<Done>(connection).await?;
                    }
                    Ok(moved)
                })
                .await
        })
        .await?;
    store.hand_over(dead, rows.iter().map(|Both(Both(leg, _), _)| leg.leg_call_id));
    let mut orphans = Vec::with_capacity(rows.len());
    for row in rows {
        match orphan(row, store.key()) {
            Ok(orphan) => orphans.push(orphan),
            // One unreadable call must not keep all the others from being ended.
            Err(failure) => tracing::error!(error = %failure, "an orphaned call cannot be read"),
        }
    }
    Ok(orphans)
}

/// Strikes a boot off by its own wish; one that still has live calls stays, to be taken over.
pub(super) async fn leave(store: &Store, boot: BootId) -> Result<(), Failure> {
    let boot = boot.uuid();
    store
        .with(async |connection| {
            connection
                .transaction::<_, Failure, _>(async |connection| {
                    // Without the lock an accept that is under way would not be seen.
                    statement(LOCK).bind(boot).bind(None::<i64>).rows::<Done>(connection).await?;
                    statement(STRIKE_OFF).bind(boot).rows::<Done>(connection).await?;
                    Ok(())
                })
                .await
        })
        .await
}

fn orphan(Both(Both(leg, call), trunk): OrphanRow, key: &SealingKey) -> Result<Orphan, Failure> {
    Ok(Orphan {
        fence: leg.fence(),
        live: leg.live()?,
        call: call.into_call()?,
        trunk: trunk.into_trunk(key)?,
        leg: leg.into_saved()?,
    })
}
