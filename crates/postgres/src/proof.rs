//! Whether keys are those of the database's secrets.

use std::sync::Arc;

use domain::at_rest::AtRestKeys;
use uuid::Uuid;

use crate::failure::Failure;
use crate::rows::password_place;
use crate::sealing::{Place, open_with, sealed_with};
use crate::setup::signing::secret_place;
use crate::statement::{row, statement};
use crate::store::Store;

// Whatever is set up first, a trunk or an organization.
const NEWEST: &str = "
(SELECT id AS sealed_id, secret AS sealed, false AS of_trunk FROM signing_secrets ORDER BY id DESC LIMIT 8)
UNION ALL
(SELECT id, password, true FROM trunks WHERE password IS NOT NULL ORDER BY id DESC LIMIT 8)";

row! {
    /// A secret as it lies in its row.
    SealedRow { sealed_id: Uuid, sealed: Vec<u8>, of_trunk: bool }
}

/// What fits the database.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fitting {
    /// These keys.
    Keys(Arc<AtRestKeys>),
    /// None that is held.
    Nothing,
    /// Any: there are no secrets yet.
    Empty,
}

/// Looks for keys that open any of the newest secrets, since a single row may be damaged: those that are
/// held, else those that the file has by now.
pub(crate) async fn fitting(store: &Store) -> Result<Fitting, Failure> {
    let newest = store.read::<SealedRow>(|| statement(NEWEST)).await?;
    if newest.is_empty() {
        return Ok(Fitting::Empty);
    }
    let opens = |keys: &Arc<AtRestKeys>| newest.iter().any(|row| row.opens_with(keys));
    let held = Some(store.key().keys()).filter(opens);
    let fitting = held.or_else(|| Some(store.key().keys_anew()).filter(opens));
    Ok(fitting.map_or(Fitting::Nothing, Fitting::Keys))
}

impl SealedRow {
    fn place(&self) -> Place {
        if self.of_trunk { password_place(self.sealed_id) } else { secret_place(self.sealed_id) }
    }

    fn opens_with(&self, keys: &AtRestKeys) -> bool {
        let key = sealed_with(&self.sealed).and_then(|number| keys.numbered(number));
        key.is_some_and(|key| open_with(key, self.place(), &self.sealed).is_some())
    }
}
