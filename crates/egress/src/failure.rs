//! Why no connection came about, in words for people that name no secret and no address.

/// Why no connection came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The guard refused the destination; no connection was made.
    #[error("{0}")]
    Refused(&'static str),
    /// The lookup, the connection or TLS failed.
    #[error("{0}")]
    Broken(&'static str),
    /// The time was up.
    #[error("the connection took too long")]
    TimedOut,
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
