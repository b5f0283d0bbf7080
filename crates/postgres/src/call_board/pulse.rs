//! Whether anything changed that somebody looks at: one statement for all of it.

use std::collections::HashMap;

use domain::ids::{CallId, OrganizationId};
use domain::ports::Watched;
use uuid::Uuid;

use crate::failure::Failure;
use crate::statement::{row, statement};
use crate::store::Store;

// Of a board: which calls are live and how they stand, and how many are over, by folded months and by
// deltas. Of a story: all that may still change of it.
const PULSE: &str = "
SELECT true AS board, owner.id, hashtextextended(concat_ws(' ', live.calls, live.prints, over.calls), 0) AS print
FROM organizations owner
CROSS JOIN LATERAL (
    SELECT count(*) AS calls, bit_xor(hashtextextended(concat_ws(' ', c.id, l.state, c.started_at), 0)) AS prints
    FROM calls c LEFT JOIN call_legs l ON l.call_id = c.id AND l.leg = 1
    WHERE c.organization_id = owner.id AND c.standing = 'calling'
) live
CROSS JOIN LATERAL (
    SELECT sum(calls) AS calls FROM (
        SELECT calls FROM call_outcome_totals WHERE organization_id = owner.id AND span = 'month'
        UNION ALL
        SELECT calls FROM call_outcomes WHERE organization_id = owner.id
    ) counted
) over
WHERE owner.id = ANY($1)
UNION ALL
SELECT false, c.id, hashtextextended(concat_ws(' ', c.standing, c.started_at, l.state, l.rang_at, b.state, b.due_at,
    b.tries, s.created_at, y.state, (SELECT count(*) FROM call_artifacts f WHERE f.call_id = c.id),
    (SELECT count(*) FROM callback_tries t WHERE t.call_id = c.id)), 0)
FROM calls c
LEFT JOIN call_legs l ON l.call_id = c.id AND l.leg = 1
LEFT JOIN callbacks b ON b.call_id = c.id
LEFT JOIN call_transcripts s ON s.call_id = c.id
LEFT JOIN analyses y ON y.call_id = c.id
WHERE c.id = ANY($2)";

row! {
    PrintRow { board: bool, id: Uuid, print: i64 }
}

pub(super) async fn pulse(store: &Store, watched: &[Watched]) -> Result<HashMap<Watched, i64>, Failure> {
    let (mut boards, mut stories) = (Vec::new(), Vec::new());
    for one in watched {
        match one {
            Watched::Board(organization) => boards.push(organization.uuid()),
            Watched::Story(call) => stories.push(call.uuid()),
        }
    }
    let rows = store.list::<PrintRow>(statement(PULSE).bind(boards).bind(stories)).await?;
    let prints = rows.into_iter().map(|row| {
        let of = if row.board {
            Watched::Board(OrganizationId::from_uuid(row.id))
        } else {
            Watched::Story(CallId::from_uuid(row.id))
        };
        (of, row.print)
    });
    Ok(prints.collect())
}
