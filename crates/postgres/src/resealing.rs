//! Sealing everything anew under another key, while nodes read and write it.

use std::time::Duration;

use domain::ids::{BootId, NodeId};
use domain::ports::StoreUnavailable;
use uuid::Uuid;

use crate::failure::Failure;
use crate::sealing::{Place, fingerprint, open_with, seal_with, sealed_with};
use crate::statement::{row, statement};
use crate::store::Store;

/// Values that are read, sealed and written at a time.
const BATCH: i64 = 100;

/// So many values that do not open are named; of more, the number is told.
const NAMED_MAX: usize = 20;

/// One column that holds sealed values.
struct Column {
    table: &'static str,
    name: &'static str,
    page: &'static str,
    replace: &'static str,
    count: &'static str,
}

macro_rules! column {
    ($table:literal, $column:literal) => {
        Column {
            table: $table,
            name: $column,
            // $2 is the first byte that is not wanted; null wants all.
            page: concat!(
                "SELECT id AS sealed_id, ",
                $column,
                " AS sealed FROM ",
                $table,
                " WHERE id > $1 AND ",
                $column,
                " IS NOT NULL \
                 AND ($2 IS NULL OR substring(",
                $column,
                " FROM 1 FOR 1) <> $2) \
                 ORDER BY id LIMIT $3"
            ),
            // Whoever wrote a value since it was read keeps what they wrote.
            replace: concat!(
                "WITH replaced AS (UPDATE ",
                $table,
                " t SET ",
                $column,
                " = fresh.sealed \
                 FROM unnest($1::uuid[], $2::bytea[], $3::bytea[]) AS fresh (id, was, sealed) \
                 WHERE t.id = fresh.id AND t.",
                $column,
                " = fresh.was RETURNING 1) \
                 SELECT count(*) AS replaced FROM replaced"
            ),
            count: concat!(
                "SELECT CASE octet_length(",
                $column,
                ") WHEN 0 THEN 0 ELSE get_byte(",
                $column,
                ", 0) END \
                 AS number, count(*) AS sealed_values FROM ",
                $table,
                " WHERE ",
                $column,
                " IS NOT NULL GROUP BY 1 ORDER BY 1"
            ),
        }
    };
}

/// Every sealed column; a test holds it against the tables.
const COLUMNS: [Column; 6] = [
    column!("signing_secrets", "secret"),
    column!("trunks", "password"),
    column!("assistants", "realtime_key"),
    column!("assistants", "chat_key"),
    column!("assistants", "transcription_key"),
    column!("assistants", "speech_key"),
];

// A boot that has not beaten for a minute is not waited for: what it still writes under a forgotten key is
// refused by the tables.
const HOLDERS: &str = "
SELECT node_id, id AS boot, seals_with, opens_with,
    (EXTRACT(EPOCH FROM clock_timestamp() - keys_since) * 1000)::bigint AS held_ms
FROM boots WHERE left_at IS NULL AND beat_at > now() - interval '1 minute' ORDER BY joined_at, id";

const REPORT: &str = "
WITH told AS (
    UPDATE boots SET seals_with = $2, opens_with = $3, keys_since = clock_timestamp()
    WHERE id = $1 AND (seals_with, opens_with) IS DISTINCT FROM ($2, $3)
    RETURNING 1
)
SELECT count(*) AS replaced FROM told";

row! {
    SealedRow { sealed_id: Uuid, sealed: Vec<u8> }
}

row! {
    Replaced { replaced: i64 }
}

row! {
    Counted { number: i32, sealed_values: i64 }
}

row! {
    HolderRow {
        node_id: Uuid,
        boot: Uuid,
        seals_with: Option<String>,
        opens_with: Option<Vec<String>>,
        held_ms: Option<i64>,
    }
}

/// How many values of a column one key sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedCount {
    /// The table.
    pub table: &'static str,
    /// The column.
    pub column: &'static str,
    /// The key's number.
    pub key: u8,
    /// How many values.
    pub values: u64,
}

/// What a pass over all sealed values came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pass {
    /// Values that were sealed anew.
    pub resealed: u64,
    /// Values that somebody else wrote meanwhile; the next pass looks at them.
    pub overtaken: u64,
    /// Values that the key in force did not seal.
    pub under_others: u64,
    /// Values that open with no key.
    pub unreadable: u64,
    /// Where the first of these lie, as `table.column id`.
    pub places: Vec<String>,
}

/// A running node, and whether it follows a change of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyHolder {
    /// The machine.
    pub node: NodeId,
    /// Its start.
    pub boot: BootId,
    /// Whether it can open what the newest key seals.
    pub opens: bool,
    /// For how long it has sealed with the newest key; none when it does not.
    pub seals_for: Option<Duration>,
}

impl Store {
    /// How many values each key sealed, column by column.
    pub async fn sealed_values(&self) -> Result<Vec<SealedCount>, StoreUnavailable> {
        let mut counts = Vec::new();
        for Column { table, name: column, count, .. } in COLUMNS {
            for row in self.list::<Counted>(statement(count)).await? {
                let key = u8::try_from(row.number).unwrap_or_default();
                let values = u64::try_from(row.sealed_values).unwrap_or_default();
                counts.push(SealedCount { table, column, key, values });
            }
        }
        Ok(counts)
    }

    /// Opens every value, and changes nothing.
    pub async fn check_sealed(&self) -> Result<Pass, StoreUnavailable> {
        let mut pass = Pass::default();
        for column in &COLUMNS {
            let mut after = Uuid::nil();
            loop {
                let rows = self.sealed_page(column, after, None).await?;
                let Some(last) = rows.last() else { break };
                after = last.sealed_id;
                for row in &rows {
                    let place = column.place(row.sealed_id);
                    if self.key().open(place, &row.sealed).is_none() {
                        pass.cannot_open(place);
                    } else if sealed_with(&row.sealed) != Some(self.key().keys().sealing().number) {
                        pass.under_others += 1;
                    }
                }
            }
        }
        Ok(pass)
    }

    /// Seals what another key sealed with the key in force, batch by batch, each all or nothing;
    /// `after_batch` is called when one is committed.
    pub async fn reseal(&self, after_batch: impl Fn() + Send + Sync) -> Result<Pass, StoreUnavailable> {
        let mut pass = Pass::default();
        for column in &COLUMNS {
            let mut after = Uuid::nil();
            while let Some(last) = self.reseal_batch(column, after, &mut pass).await? {
                after = last;
                after_batch();
            }
        }
        Ok(pass)
    }

    async fn reseal_batch(
        &self,
        column: &Column,
        after: Uuid,
        pass: &mut Pass,
    ) -> Result<Option<Uuid>, Failure> {
        let keys = self.key().keys();
        let sealing = keys.sealing();
        let rows = self.sealed_page(column, after, Some(sealing.number)).await?;
        let Some(last) = rows.last().map(|row| row.sealed_id) else { return Ok(None) };
        let (mut ids, mut were, mut fresh) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            pass.under_others += 1;
            let place = column.place(row.sealed_id);
            let Some(plain) = self.key().open(place, &row.sealed) else {
                pass.cannot_open(place);
                continue;
            };
            let sealed = seal_with(sealing, place, plain.reveal())
                .map_err(|_| Failure::Refused("a value could not be encrypted"))?;
            // Nothing is given up for what does not open again.
            if open_with(sealing, place, &sealed).as_ref() != Some(&plain) {
                return Err(Failure::Refused("what was encrypted does not open again"));
            }
            ids.push(row.sealed_id);
            were.push(row.sealed);
            fresh.push(sealed);
        }
        let wanted = ids.len();
        let replacing = statement(column.replace).bind(ids).bind(were).bind(fresh);
        let replaced = self.write::<Replaced>(replacing).await?.first().map_or(0, |row| row.replaced);
        let replaced = usize::try_from(replaced).unwrap_or_default();
        pass.resealed += u64::try_from(replaced).unwrap_or_default();
        pass.overtaken += u64::try_from(wanted.saturating_sub(replaced)).unwrap_or_default();
        Ok(Some(last))
    }

    async fn sealed_page(
        &self,
        column: &Column,
        after: Uuid,
        not_under: Option<u8>,
    ) -> Result<Vec<SealedRow>, Failure> {
        let not_under = not_under.map(|number| vec![number]);
        self.list(statement(column.page).bind(after).bind(not_under).bind(BATCH)).await
    }

    /// Tells which keys this boot holds; `false` when that was known.
    pub async fn tell_keys(&self, boot: BootId) -> Result<bool, StoreUnavailable> {
        let keys = self.key().keys();
        let print = |key| fingerprint(key).map_err(|_| Failure::Refused("a key has no fingerprint"));
        let opens_with = keys.all().map(print).collect::<Result<Vec<_>, _>>()?;
        let seals_with = print(keys.sealing())?;
        let telling = statement(REPORT).bind(boot.uuid()).bind(seals_with).bind(opens_with);
        Ok(self.write::<Replaced>(telling).await?.iter().any(|row| row.replaced > 0))
    }

    /// The running nodes, by what they have told of their keys.
    pub async fn key_holders(&self) -> Result<Vec<KeyHolder>, StoreUnavailable> {
        let newest = fingerprint(self.key().keys().newest());
        let newest = newest.map_err(|_| Failure::Refused("a key has no fingerprint"))?;
        let rows = self.write::<HolderRow>(statement(HOLDERS)).await?;
        let holder = |row: HolderRow| KeyHolder {
            node: NodeId::from_uuid(row.node_id),
            boot: BootId::from_uuid(row.boot),
            opens: row.opens_with.unwrap_or_default().contains(&newest),
            seals_for: row
                .held_ms
                .filter(|_| row.seals_with.as_ref() == Some(&newest))
                .map(|ms| Duration::from_millis(u64::try_from(ms).unwrap_or_default())),
        };
        Ok(rows.into_iter().map(holder).collect())
    }
}

impl Column {
    fn place(&self, id: Uuid) -> Place {
        Place { table: self.table, column: self.name, id }
    }
}

impl Pass {
    fn cannot_open(&mut self, place: Place) {
        self.unreadable += 1;
        if self.places.len() < NAMED_MAX {
            self.places.push(format!("{}.{} {}", place.table, place.column, place.id));
        }
    }
}
