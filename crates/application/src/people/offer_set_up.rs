//! Offering the first set-up of an installation in which nobody can sign in yet.

use domain::ports::{Clock, Entropy, SetUp, StoreUnavailable};
use domain::secret::Secret;
use domain::session::SET_UP_LIFE;

use super::links;

/// Makes the one link of the set-up, in place of any earlier one, and answers its path with the
/// secret part; none when there is a user, or was one.
pub async fn offer(
    set_up: &dyn SetUp,
    clock: &dyn Clock,
    entropy: &dyn Entropy,
) -> Result<Option<Secret<String>>, StoreUnavailable> {
    let minted = links::mint(entropy, clock.now(), SET_UP_LIFE);
    let offered = set_up.offer(minted.link).await?;
    Ok(offered.then(|| Secret::new(format!("{}{}", links::SET_UP, minted.secret.reveal()))))
}
