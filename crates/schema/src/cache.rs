//! Compiled schemas, kept while they are in use.

use std::collections::HashMap;
use std::sync::Arc;

use domain::ids::SchemaId;
use parking_lot::Mutex;

use crate::schema::Schema;

/// How many schemas are kept; the one that was not asked for longest gives way.
const KEPT: usize = 64;

/// Schemas by id; the one without an id is the default.
#[derive(Default)]
pub(crate) struct Cache(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    asked: u64,
    schemas: HashMap<Option<SchemaId>, (u64, Arc<Schema>)>,
}

impl Cache {
    pub(crate) fn get(&self, id: Option<SchemaId>) -> Option<Arc<Schema>> {
        let mut kept = self.0.lock();
        kept.asked += 1;
        let now = kept.asked;
        let (asked, schema) = kept.schemas.get_mut(&id)?;
        *asked = now;
        Some(Arc::clone(schema))
    }

    pub(crate) fn keep(&self, id: Option<SchemaId>, schema: Arc<Schema>) {
        let mut kept = self.0.lock();
        if kept.schemas.len() >= KEPT
            && !kept.schemas.contains_key(&id)
            && let Some(oldest) = kept.schemas.iter().min_by_key(|(_, (asked, _))| *asked).map(|(id, _)| *id)
        {
            kept.schemas.remove(&oldest);
        }
        kept.asked += 1;
        let now = kept.asked;
        kept.schemas.insert(id, (now, schema));
    }
}
