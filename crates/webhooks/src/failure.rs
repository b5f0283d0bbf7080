//! Why a try came to no answer, in words for people that name no secret and no address.

use domain::network::Refused;
use domain::ports::TryOutcome;

/// Why a try came to no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The guard refused the destination; nothing was sent, no connection was made.
    Refused(&'static str),
    /// The lookup, connection, TLS or the HTTP exchange failed.
    Broken(&'static str),
}

impl From<Failure> for TryOutcome {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(why) => Self::Refused(why.to_owned()),
            Failure::Broken(why) => Self::Broken(why.to_owned()),
        }
    }
}

/// Names the class of a refused address, never the address: what a name resolves to inside the
/// operator's network is not the customer's to learn.
pub(crate) const fn class(refused: Refused) -> &'static str {
    match refused {
        Refused::Unspecified => "the address names no host",
        Refused::Loopback => "loopback address",
        Refused::Private => "private address",
        Refused::LinkLocal => "link-local address",
        Refused::CarrierGradeNat => "carrier-grade NAT address",
        Refused::Multicast => "multicast or broadcast address",
        Refused::Documentation => "documentation or benchmarking address",
        Refused::Embedded => "IPv6 address that carries an IPv4 address",
        Refused::Reserved => "reserved address",
        Refused::Own => "address of this service",
    }
}

/// Names the kind of a failed connection.
pub(crate) fn connecting(error: &std::io::Error) -> Failure {
    use std::io::ErrorKind;
    Failure::Broken(match error.kind() {
        ErrorKind::ConnectionRefused => "the connection was refused",
        ErrorKind::ConnectionReset => "the connection was reset",
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => "no route to the host",
        ErrorKind::TimedOut => "the host did not answer",
        _ => "no connection",
    })
}

/// Names the kind of a failed TLS handshake.
pub(crate) fn handshake(error: &std::io::Error) -> Failure {
    use rustls::{CertificateError, Error};
    let cause = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    Failure::Broken(match cause {
        Some(Error::InvalidCertificate(bad)) => match bad {
            CertificateError::UnknownIssuer => "TLS: the certificate's issuer is not trusted",
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "TLS: the certificate has expired"
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "TLS: the certificate is not valid yet"
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "TLS: the certificate is for another name"
            }
            CertificateError::Revoked => "TLS: the certificate was revoked",
            _ => "TLS: the certificate is not valid",
        },
        Some(Error::AlertReceived(_)) => "TLS: the receiver refused the handshake",
        Some(_) => "TLS: the handshake failed",
        None => "the connection broke during the TLS handshake",
    })
}

/// Names the kind of a failed HTTP exchange.
pub(crate) fn exchanging(error: &hyper::Error) -> Failure {
    Failure::Broken(if error.is_parse() {
        "the answer is not HTTP/1.1, or its head is too large"
    } else {
        "the connection closed before an answer"
    })
}
