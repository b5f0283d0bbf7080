//! A call with all that is known of it and how it stands, as a row.

use domain::call::{BoardCall, CallState};

use crate::call_log::read::DetailRow;
use crate::call_log::record::ListingRow;
use crate::failure::Failure;
use crate::rows::Both;
use crate::statement::row;

/// The columns of a call (`c`) with its leg (`l`), as [`BoardRow`] reads them.
macro_rules! board_columns {
    () => {
        concat!(
            $crate::call_log::record::listing_columns!(),
            ", ",
            $crate::call_log::read::detail_columns!(),
            ", l.state AS leg_state"
        )
    };
}
pub(super) use board_columns;

/// Where [`board_columns!`] come from.
macro_rules! board_tables {
    () => {
        concat!(
            $crate::call_log::record::listing_tables!(),
            " LEFT JOIN call_legs l ON l.call_id = c.id AND l.leg = 1"
        )
    };
}
pub(super) use board_tables;

row! {
    LegStateRow { leg_state: Option<String> }
}

pub(super) type BoardRow = Both<Both<ListingRow, DetailRow>, LegStateRow>;

impl BoardRow {
    pub(super) fn into_call(self) -> Result<BoardCall, Failure> {
        let Self(Both(listing, detail), LegStateRow { leg_state }) = self;
        let id = listing.id;
        let log = detail.into_log(listing)?;
        let answered = log.listing.started_at.is_some();
        let state = match (log.ended_reason, leg_state.as_deref()) {
            (Some(reason), _) => CallState::ended(reason, answered),
            (None, None) => CallState::without_leg(answered),
            (None, Some("dialling")) => CallState::Dialling,
            (None, Some("ringing")) => CallState::Ringing,
            (None, Some("connected")) => CallState::Connected,
            (None, Some(_)) => return Err(Failure::impossible("call_legs", id, "a live call's leg is over")),
        };
        Ok(BoardCall { log, state })
    }
}
