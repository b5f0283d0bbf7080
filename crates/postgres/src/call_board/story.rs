//! All that is kept of a call.

use diesel_async::AsyncPgConnection;
use domain::call::{Account, CallStory, Dialled, FinalAnswer, Provenance, Report, ReportState};
use domain::ids::{CallId, OrganizationId};
use domain::ports::DeliveryTry;
use domain::scope::Scope;
use serde_json::Value;
use time::OffsetDateTime;

use super::record::{BoardRow, board_columns, board_tables};
use crate::deliveries::{TryRow, try_columns};
use crate::failure::Failure;
use crate::rows::{Both, entries_from, facts_from};
use crate::statement::{row, statement};
use crate::store::Store;

const STORY: &str = concat!(
    "SELECT ",
    board_columns!(),
    ", l.rang_at, l.call_id IS NOT NULL AS dialled, k.name AS trunk_name, o.sip_code, o.sip_phrase, \
     b.url AS callback_url, b.state AS callback_state, b.due_at AS callback_due_at, s.entries, s.facts, \
     y.state AS analysis_state, y.model AS analysis_model FROM ",
    board_tables!(),
    " LEFT JOIN outbound_calls o ON o.call_id = c.id LEFT JOIN trunks k ON k.id = o.trunk_id
     LEFT JOIN callbacks b ON b.call_id = c.id LEFT JOIN call_transcripts s ON s.call_id = c.id
     LEFT JOIN analyses y ON y.call_id = c.id
     WHERE c.id = $1 AND c.tenant_id = $2 AND ($3 IS NULL OR c.organization_id = $3)"
);

const TRIES: &str =
    concat!("SELECT ", try_columns!(), " FROM callback_tries t WHERE t.call_id = $1 ORDER BY t.try");

row! {
    KeptRow {
        rang_at: Option<OffsetDateTime>,
        dialled: bool,
        trunk_name: Option<String>,
        sip_code: Option<i32>,
        sip_phrase: Option<String>,
        callback_url: Option<String>,
        callback_state: Option<String>,
        callback_due_at: Option<OffsetDateTime>,
        entries: Option<Value>,
        facts: Option<Value>,
        analysis_state: Option<String>,
        analysis_model: Option<String>,
    }
}

pub(super) async fn story(store: &Store, scope: Scope, call: CallId) -> Result<Option<CallStory>, Failure> {
    store
        .snapshot(async |connection| {
            connection
                .build_transaction()
                .repeatable_read()
                .read_only()
                .run::<_, Failure, _>(async |connection| gather(connection, scope, call).await)
                .await
        })
        .await
}

async fn gather(
    connection: &AsyncPgConnection,
    scope: Scope,
    call: CallId,
) -> Result<Option<CallStory>, Failure> {
    let kept = statement(STORY)
        .bind(call.uuid())
        .bind(scope.tenant().uuid())
        .bind(scope.organization().map(OrganizationId::uuid))
        .rows::<Both<BoardRow, KeptRow>>(connection)
        .await?;
    let Some(Both(board, kept)) = kept.into_iter().next() else { return Ok(None) };
    let tries = if kept.callback_url.is_some() {
        statement(TRIES).bind(call.uuid()).rows::<TryRow>(connection).await?
    } else {
        Vec::new()
    };
    let tries = tries.into_iter().filter_map(|row| row.into_try(call.uuid()).transpose());
    let tries = tries.collect::<Result<Vec<_>, _>>()?;
    kept.into_story(call, board, tries).map(Some)
}

impl KeptRow {
    fn into_story(
        self,
        call: CallId,
        board: BoardRow,
        tries: Vec<DeliveryTry>,
    ) -> Result<CallStory, Failure> {
        let broken = |table, why| Failure::impossible(table, call.uuid(), why);
        let answer = match (self.sip_code, self.sip_phrase) {
            (Some(code), Some(phrase)) => {
                let code =
                    u16::try_from(code).map_err(|_| broken("outbound_calls", "the SIP code is none"))?;
                Some(FinalAnswer { code, phrase })
            }
            _ => None,
        };
        let callback = match (self.callback_url, self.callback_state.as_deref(), self.callback_due_at) {
            (None, ..) => None,
            (Some(url), Some(state), Some(due_at)) => {
                let state = match state {
                    "pending" => ReportState::Due(due_at),
                    "delivered" => ReportState::Delivered,
                    "given-up" => ReportState::GivenUp,
                    _ => return Err(broken("callbacks", "the state is unknown")),
                };
                Some(Report { url, state, tries })
            }
            _ => return Err(broken("callbacks", "it has no state or is never due")),
        };
        let account = match (&self.entries, &self.facts) {
            (Some(entries), Some(facts)) => {
                let unreadable = || broken("call_transcripts", "it cannot be read");
                let transcript = entries_from(entries).ok_or_else(unreadable)?;
                Some(Account { transcript, facts: facts_from(facts).ok_or_else(unreadable)? })
            }
            _ => None,
        };
        let analysis = match (self.analysis_state.as_deref(), self.analysis_model) {
            (None, _) => None,
            (Some("due"), _) => Some(Provenance::Due),
            (Some(_), model) => Some(model.map_or(Provenance::Facts, Provenance::Model)),
        };
        let dialled = match self.trunk_name {
            Some(trunk) if self.dialled => Some(Dialled { trunk, rang_at: self.rang_at }),
            _ => None,
        };
        Ok(CallStory { call: board.into_call()?, dialled, answer, callback, account, analysis })
    }
}
