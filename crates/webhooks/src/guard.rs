//! The address guard at work: from a URL to the addresses that may be connected to, or a refusal.

use std::net::{IpAddr, SocketAddr};

use domain::network::AddressPolicy;
use url::{Host, Url};

use crate::failure::{Failure, class};
use crate::resolve::Resolve;

/// Why no address may be connected to; the text is for people and names no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// The guard's rule forbids the destination.
    #[error("{0}")]
    Refused(&'static str),
    /// The name has no address, or nobody could tell.
    #[error("{0}")]
    Unresolved(&'static str),
}

impl From<Unfit> for Failure {
    fn from(unfit: Unfit) -> Self {
        match unfit {
            Unfit::Refused(why) => Self::Refused(why),
            Unfit::Unresolved(why) => Self::Broken(why),
        }
    }
}

/// Judges a URL's destination now and returns its addresses, all vetted, in order of preference.
///
/// A literal is judged as it stands. A name is looked up, and is refused when *any* of its
/// addresses is: an answer that mixes public and private addresses is an attack or a mistake, and
/// connecting to the rest of it would make the outcome depend on chance. The caller must connect
/// to the returned addresses and never look the name up again.
///
/// Plain `http` passes only to a literal in an explicitly allowed network.
pub async fn vet(
    url: &Url,
    policy: &AddressPolicy,
    resolver: &dyn Resolve,
) -> Result<Vec<SocketAddr>, Unfit> {
    let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
        return Err(Unfit::Refused("not an http or https URL"));
    };
    let literal = match host {
        Host::Ipv4(address) => Some(IpAddr::V4(address)),
        Host::Ipv6(address) => Some(IpAddr::V6(address)),
        Host::Domain(_) => None,
    };
    match url.scheme() {
        "https" => {}
        "http" if literal.is_some_and(|address| policy.is_allowed_explicitly(address)) => {}
        "http" => return Err(Unfit::Refused("plain http outside the allowed networks")),
        _ => return Err(Unfit::Refused("not an http or https URL")),
    }
    let addresses = match (host, literal) {
        (_, Some(address)) => vec![SocketAddr::new(address, port)],
        (Host::Domain(name), None) if is_localhost(name) => {
            return Err(Unfit::Refused("a name of this machine"));
        }
        (Host::Domain(name), None) => {
            resolver.resolve(name, port).await.map_err(|_| Unfit::Unresolved("the name does not resolve"))?
        }
        // A host that is neither a literal nor a name does not exist.
        (Host::Ipv4(_) | Host::Ipv6(_), None) => Vec::new(),
    };
    for address in &addresses {
        policy.judge(address.ip()).map_err(|refused| Unfit::Refused(class(refused)))?;
    }
    if addresses.is_empty() {
        return Err(Unfit::Unresolved("the name has no address"));
    }
    Ok(addresses)
}

/// `localhost` and all below it name this machine (RFC 6761 §6.3), whatever a resolver says.
fn is_localhost(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}
