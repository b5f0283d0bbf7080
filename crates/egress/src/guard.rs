//! The address guard at work: from a URL to the addresses that may be connected to, or a refusal.

use std::net::SocketAddr;

use domain::network::{AddressPolicy, WebProtocol};
use url::{Host, Url};

use crate::failure::Failure;
use crate::resolve::Resolve;

/// Judges a URL's destination now and returns its addresses, all vetted, in order of preference.
///
/// A literal is judged as it stands. A name is looked up, and is refused when *any* of its
/// addresses is: an answer that mixes public and private addresses is an attack or a mistake, and
/// connecting to the rest of it would make the outcome depend on chance. The caller must connect
/// to the returned addresses and never look the name up again.
pub(crate) async fn vet(
    url: &Url,
    protocol: WebProtocol,
    policy: &AddressPolicy,
    resolver: &dyn Resolve,
) -> Result<Vec<SocketAddr>, Failure> {
    let literal = policy.judge_url(url, protocol).map_err(|unfit| Failure::Refused(unfit.as_str()))?;
    let port = url.port_or_known_default().ok_or(Failure::Refused("the URL names no port"))?;
    let addresses = match (literal, url.host()) {
        (Some(address), _) => vec![SocketAddr::new(address, port)],
        (None, Some(Host::Domain(name))) => {
            resolver.resolve(name, port).await.map_err(|_| Failure::Broken("the name does not resolve"))?
        }
        // A host that is neither a literal nor a name does not exist.
        (None, _) => Vec::new(),
    };
    for address in &addresses {
        policy.judge(address.ip()).map_err(|refused| Failure::Refused(refused.as_str()))?;
    }
    if addresses.is_empty() {
        return Err(Failure::Broken("the name has no address"));
    }
    Ok(addresses)
}
