//! SQL texts with typed parameters, which the connection prepares once and keeps.

use std::marker::PhantomData;

use diesel::deserialize::QueryableByName;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::serialize::ToSql;
use diesel::sql_types::{self, HasSqlType, Untyped};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::ids::{OrganizationId, TenantId};
use domain::scope::Reach;
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::failure::Failure;

/// A statement whose text names its parameters itself, as `$1`, `$2` ….
///
/// Unlike [`diesel::sql_query`] it is cached as a prepared statement.
pub(crate) struct Statement {
    text: &'static str,
    binds: Vec<Box<dyn QueryFragment<Pg> + Send>>,
}

/// Begins a statement; its parameters follow with [`Statement::bind`], in order.
pub(crate) fn statement(text: &'static str) -> Statement {
    Statement { text, binds: Vec::new() }
}

/// Binds the tenant and the organization that a reach is limited to, each null when it is not.
pub(crate) fn reached(statement: Statement, reach: Reach) -> Statement {
    statement.bind(reach.tenant().map(TenantId::uuid)).bind(reach.organization().map(OrganizationId::uuid))
}

impl Statement {
    pub(crate) fn bind<P: Parameter>(mut self, value: P) -> Self {
        self.binds.push(value.fragment());
        self
    }

    /// Runs it and reads the rows.
    pub(crate) async fn rows<R: Row>(self, mut connection: &AsyncPgConnection) -> Result<Vec<R>, Failure> {
        Ok(RunQueryDsl::load::<R>(self, &mut connection).await?)
    }

    /// Runs it.
    pub(crate) async fn run(self, mut connection: &AsyncPgConnection) -> Result<(), Failure> {
        RunQueryDsl::execute(self, &mut connection).await?;
        Ok(())
    }
}

impl QueryFragment<Pg> for Statement {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(self.text);
        // The placeholders that diesel writes for the values fall into a comment.
        out.push_sql("\n--");
        for bind in &self.binds {
            out.push_sql(" ");
            bind.walk_ast(out.reborrow())?;
        }
        Ok(())
    }
}

impl QueryId for Statement {
    type QueryId = ();
    // Cached by its text.
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for Statement {
    type SqlType = Untyped;
}

struct Bind<S, P> {
    value: P,
    sql: PhantomData<fn() -> S>,
}

impl<S, P> QueryFragment<Pg> for Bind<S, P>
where
    Pg: HasSqlType<S>,
    P: ToSql<S, Pg>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_bind_param::<S, P>(&self.value)
    }
}

/// A Rust type and the one SQL type that it travels as.
pub(crate) trait Parameter {
    type Sql;

    fn fragment(self) -> Box<dyn QueryFragment<Pg> + Send>;
}

macro_rules! parameters {
    ($($rust:ty => $sql:ty),+ $(,)?) => {$(
        impl Parameter for $rust {
            type Sql = $sql;

            fn fragment(self) -> Box<dyn QueryFragment<Pg> + Send> {
                Box::new(Bind::<Self::Sql, Self> { value: self, sql: PhantomData })
            }
        }

        impl Parameter for Option<$rust> {
            type Sql = sql_types::Nullable<$sql>;

            fn fragment(self) -> Box<dyn QueryFragment<Pg> + Send> {
                Box::new(Bind::<Self::Sql, Self> { value: self, sql: PhantomData })
            }
        }
    )+};
}

parameters! {
    bool => sql_types::Bool,
    i16 => sql_types::SmallInt,
    i32 => sql_types::Integer,
    i64 => sql_types::BigInt,
    Uuid => sql_types::Uuid,
    String => sql_types::Text,
    &'static str => sql_types::Text,
    Vec<u8> => sql_types::Binary,
    Value => sql_types::Jsonb,
    OffsetDateTime => sql_types::Timestamptz,
    Vec<Uuid> => sql_types::Array<sql_types::Uuid>,
    Vec<String> => sql_types::Array<sql_types::Text>,
    Vec<i32> => sql_types::Array<sql_types::Integer>,
    Vec<OffsetDateTime> => sql_types::Array<sql_types::Timestamptz>,
    Vec<Vec<u8>> => sql_types::Array<sql_types::Binary>,
}

/// Declares a row that is read by column name.
macro_rules! row {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $rust:ty),+ $(,)? }) => {
        $(#[$doc])*
        pub(crate) struct $name {
            $(pub(crate) $field: $rust,)+
        }

        impl diesel::deserialize::QueryableByName<diesel::pg::Pg> for $name {
            fn build<'a>(
                row: &impl diesel::row::NamedRow<'a, diesel::pg::Pg>,
            ) -> diesel::deserialize::Result<Self> {
                Ok(Self {
                    $($field: diesel::row::NamedRow::get::<
                        <$rust as $crate::statement::Parameter>::Sql,
                        $rust,
                    >(row, stringify!($field))?,)+
                })
            }
        }
    };
}
pub(crate) use row;

/// A row type of [`row!`], as the connections load it.
pub(crate) trait Row: QueryableByName<Pg> + Send + 'static {}

impl<T: QueryableByName<Pg> + Send + 'static> Row for T {}
