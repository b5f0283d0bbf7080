//! A page of calls with what is counted beside it: a few statements of one snapshot.

use std::collections::HashMap;

use diesel_async::AsyncPgConnection;
use domain::call::{Board, BoardCall, BoardQuery};
use domain::page::Page;
use domain::scope::Scope;

use super::outcomes::{chart, outcomes};
use super::record::{BoardRow, board_columns, board_tables};
use crate::call_log::page::{PageRow, counts, into_page, page_statement};
use crate::failure::Failure;
use crate::statement::statement;
use crate::store::Store;

const CALLS: &str = concat!("SELECT ", board_columns!(), " FROM ", board_tables!(), " WHERE c.id = ANY($1)");

pub(super) async fn board(store: &Store, scope: Scope, query: &BoardQuery) -> Result<Option<Board>, Failure> {
    store
        .snapshot(async |connection| {
            connection
                .build_transaction()
                .repeatable_read()
                .read_only()
                .run::<_, Failure, _>(async |connection| gather(connection, scope, query).await)
                .await
        })
        .await
}

async fn gather(
    connection: &AsyncPgConnection,
    scope: Scope,
    query: &BoardQuery,
) -> Result<Option<Board>, Failure> {
    let rows = page_statement(scope, &query.calls, query.status).rows::<PageRow>(connection).await?;
    let Some(page) = into_page(rows, query.calls.organization)? else { return Ok(None) };
    let ids: Vec<_> = page.items.iter().map(|call| call.id.uuid()).collect();
    let (calls, outcomes, chart) = tokio::join!(
        statement(CALLS).bind(ids.clone()).rows::<BoardRow>(connection),
        outcomes(connection, &query.calls),
        chart(connection, query),
    );
    let (outcomes, chart) = (outcomes?, chart?);
    let calls = calls?.into_iter().map(|row| row.into_call().map(|call| (call.log.listing.id.uuid(), call)));
    let mut calls = calls.collect::<Result<HashMap<_, BoardCall>, _>>()?;
    let items = ids.iter().filter_map(|id| calls.remove(id)).collect();
    let total = match query.status {
        Some(status) if !counts(&query.calls, status) => outcomes.of(status),
        _ => page.total,
    };
    Ok(Some(Board { calls: Page { items, total }, outcomes, chart }))
}
