//! Legs of calls: who carries them, where they stand, what is known of their dialog.

use domain::call::{Connected, Dialling, Live, Ringing};
use domain::ids::{BootId, CallId, TrunkId};
use domain::ports::{DialIntent, Fence, SavedLeg};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::failure::Failure;
use crate::statement::{Statement, row};

row! {
    LegRow {
        leg_call_id: Uuid,
        owner: Uuid,
        epoch: i32,
        state: String,
        rang_at: Option<OffsetDateTime>,
        answered_at: Option<OffsetDateTime>,
        leg_trunk_id: Uuid,
        sip_call_id: String,
        local_tag: String,
        branch: String,
        first_cseq: i64,
        request_uri: String,
        from_header: String,
        to_header: String,
        leg_transport: String,
        gateway: String,
        remote_tag: Option<String>,
        remote_target: Option<String>,
        route_set: Vec<String>,
        local_cseq: i64,
    }
}

/// Binds an intent's ten values: trunk, Call-ID, From-tag, branch, `CSeq`, Request-URI, From, To,
/// transport, gateway.
pub(crate) fn intent_binds(statement: Statement, intent: DialIntent) -> Statement {
    statement
        .bind(intent.trunk.uuid())
        .bind(intent.call_id)
        .bind(intent.local_tag)
        .bind(intent.branch)
        .bind(i64::from(intent.cseq))
        .bind(intent.request_uri)
        .bind(intent.from)
        .bind(intent.to)
        .bind(intent.transport)
        .bind(intent.gateway)
}

impl LegRow {
    pub(crate) fn fence(&self) -> Fence {
        Fence {
            call: CallId::from_uuid(self.leg_call_id),
            owner: BootId::from_uuid(self.owner),
            epoch: self.epoch,
        }
    }

    pub(crate) fn live(&self) -> Result<Live, Failure> {
        match (self.state.as_str(), self.rang_at, self.answered_at) {
            ("dialling", None, None) => Ok(Live::Dialling(Dialling)),
            ("ringing", Some(since), None) => Ok(Live::Ringing(Ringing { since })),
            ("connected", _, Some(since)) => Ok(Live::Connected(Connected { since })),
            _ => Err(self.broken("state and times of a live leg do not fit")),
        }
    }

    pub(crate) fn into_saved(self) -> Result<SavedLeg, Failure> {
        let first = u32::try_from(self.first_cseq).map_err(|_| self.broken("first_cseq is out of range"))?;
        let last = u32::try_from(self.local_cseq).map_err(|_| self.broken("local_cseq is out of range"))?;
        Ok(SavedLeg {
            intent: DialIntent {
                trunk: TrunkId::from_uuid(self.leg_trunk_id),
                call_id: self.sip_call_id,
                local_tag: self.local_tag,
                branch: self.branch,
                cseq: first,
                request_uri: self.request_uri,
                from: self.from_header,
                to: self.to_header,
                transport: self.leg_transport,
                gateway: self.gateway,
            },
            remote_tag: self.remote_tag,
            remote_target: self.remote_target,
            route_set: self.route_set,
            local_cseq: last,
        })
    }

    fn broken(&self, why: &'static str) -> Failure {
        Failure::impossible("call_legs", self.leg_call_id, why)
    }
}
