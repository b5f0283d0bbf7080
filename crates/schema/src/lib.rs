//! Judges schemas, and metadata by schemas (JSON Schema 2020-12).
//!
//! A schema is stored by an operator, data comes from clients, and neither may cost too much or
//! reach outside: references stay in the document, patterns are linear, and what a judgement would
//! cost is counted before it is made. `format` and `content…` are annotations, as the dialect has
//! it: nothing is checked by them.

mod cache;
mod document;
mod expansion;
mod graph;
pub mod limits;
mod patterns;
mod place;
mod reason;
mod schema;
mod work;
mod workers;

use std::io;
use std::sync::Arc;

use async_trait::async_trait;
use domain::metadata::StoredSchema;
use domain::ports::{CannotJudge, Judgement, SchemaJudge};
use domain::schema::{Flaw, UnsafeSchema};
use serde_json::{Map, Value};

use cache::Cache;
use schema::Schema;
use workers::{BrokenOff, Workers};

/// Judges on threads of its own.
pub struct JsonSchemaJudge {
    workers: Workers,
    cache: Arc<Cache>,
}

impl JsonSchemaJudge {
    /// Starts the threads.
    pub fn start() -> io::Result<Self> {
        Ok(Self { workers: Workers::start()?, cache: Arc::default() })
    }
}

#[async_trait]
impl SchemaJudge for JsonSchemaJudge {
    async fn examine(&self, document: Value) -> Result<(), UnsafeSchema> {
        let examined = self.workers.run(move || Schema::read(&document).map(drop)).await;
        let unjudged =
            |error: BrokenOff| UnsafeSchema { place: None, flaw: Flaw::Unjudged(error.to_string()) };
        examined.map_err(unjudged)?
    }

    async fn judge(
        &self,
        schema: StoredSchema,
        metadata: Map<String, Value>,
    ) -> Result<Judgement, CannotJudge> {
        let cache = Arc::clone(&self.cache);
        let judged = self.workers.run(move || {
            let schema = compiled(&cache, &schema)?;
            Ok(schema.judge(&Value::Object(metadata)))
        });
        judged.await.map_err(|error| CannotJudge(Box::new(error)))?
    }
}

/// The compiled schema: kept, or read again. What was stored once is examined all the same.
fn compiled(cache: &Cache, stored: &StoredSchema) -> Result<Arc<Schema>, CannotJudge> {
    // Without an id only the default can be told from others.
    let known = stored.id.is_some() || *stored == StoredSchema::any_object();
    if known && let Some(schema) = cache.get(stored.id) {
        return Ok(schema);
    }
    let schema = Schema::read(&stored.document).map_err(|error| CannotJudge(Box::new(error)))?;
    let schema = Arc::new(schema);
    if known {
        cache.keep(stored.id, Arc::clone(&schema));
    }
    Ok(schema)
}
