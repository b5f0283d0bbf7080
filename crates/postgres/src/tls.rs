//! TLS to the database: which certificates are accepted, and why a connection was refused.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_cert_signed_by_trust_anchor;
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_postgres::Config;
use tokio_postgres::config::SslNegotiation;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::address::{Authorities, UrlError};

/// What is asked of the database's certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verification {
    /// Nothing.
    None,
    /// An authority of this file, and no name.
    Chain(PathBuf),
    /// A trusted authority, and the name of the host.
    Name(Authorities),
}

/// TLS was wanted, and the database did not do its part of it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct TlsError(String);

/// What encrypts the connections of a configuration; with no verification, nothing does.
pub(crate) fn connector(
    config: &Config,
    verification: Option<&Verification>,
) -> Result<MakeRustlsConnect, UrlError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(UrlError::Setup)?;
    let builder = match verification {
        // It is there for the driver's types: the configuration says that there is no TLS.
        None => builder.with_root_certificates(RootCertStore::empty()),
        Some(Verification::Name(authorities)) => builder.with_root_certificates(match authorities {
            Authorities::System => system_roots(),
            Authorities::File(file) => roots_of(file)?,
        }),
        Some(unnamed) => {
            let roots = match unnamed {
                Verification::Chain(file) => Some(roots_of(file)?),
                _ => None,
            };
            builder.dangerous().with_custom_certificate_verifier(Arc::new(AnyName { roots, provider }))
        }
    };
    let mut tls = builder.with_no_client_auth();
    if config.get_ssl_negotiation() == SslNegotiation::Direct {
        // PostgreSQL 17 asks for it.
        tls.alpn_protocols = vec![b"postgresql".to_vec()];
    }
    Ok(MakeRustlsConnect::new(tls))
}

/// The system's authorities (`SSL_CERT_FILE` and `SSL_CERT_DIR` are heeded), or Mozilla's when the system
/// has none.
fn system_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    for error in found.errors {
        // A mistake in `SSL_CERT_FILE`, say, would otherwise show as an untrusted certificate alone.
        tracing::warn!(%error, "certificates of the system cannot be read");
    }
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        tracing::warn!("the system has no certificate store; the built-in roots are trusted");
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    roots
}

pub(crate) fn roots_of(file: &Path) -> Result<RootCertStore, UrlError> {
    let unusable = |reason: String| UrlError::Authorities { path: file.to_owned(), reason };
    let unreadable = |error: &dyn Error| unusable(format!("cannot be read: {error}"));
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| unreadable(&error))? {
        let certificate = certificate.map_err(|error| unreadable(&error))?;
        roots.add(certificate).map_err(|error| unreadable(&error))?;
    }
    if roots.is_empty() { Err(unusable("holds no certificate in PEM form".to_owned())) } else { Ok(roots) }
}

/// Accepts a certificate whatever its name is. The other side still proves that it has the certificate's
/// key, which channel binding rests on.
#[derive(Debug)]
struct AnyName {
    /// Authorities that it has to come from; none for anywhere.
    roots: Option<RootCertStore>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if let Some(roots) = &self.roots {
            let algorithms = self.provider.signature_verification_algorithms.all;
            let certificate = ParsedCertificate::try_from(end_entity)?;
            verify_server_cert_signed_by_trust_anchor(&certificate, roots, intermediates, now, algorithms)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// Reads from the driver's error that TLS was refused, by the database or by us. A connection that merely
/// broke was not.
pub(crate) fn refusal(error: &tokio_postgres::Error) -> Option<TlsError> {
    let cause = error.source()?;
    // The driver has no kind for it.
    if cause.to_string() == "server does not support TLS" {
        return Some(TlsError(
            "the database does not offer TLS: switch it on there (ssl = on), or add sslmode=disable to \
             its URL, which sends everything in clear text"
                .to_owned(),
        ));
    }
    let io = cause.downcast_ref::<std::io::Error>()?;
    let tls = io.get_ref()?.downcast_ref::<rustls::Error>()?;
    let told = match tls {
        rustls::Error::InvalidCertificate(why) => refused_certificate(why),
        other => format!("TLS with the database failed: {other}"),
    };
    Some(TlsError(told))
}

fn refused_certificate(why: &CertificateError) -> String {
    let told = match why {
        CertificateError::UnknownIssuer => {
            "comes from an authority that is not trusted: name the file with its authority by sslrootcert"
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "is not for the host of its URL"
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "has expired",
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => "is not valid yet",
        _ => "is not acceptable",
    };
    match why {
        CertificateError::UnknownIssuer => format!("the database's certificate {told}"),
        _ => format!("the database's certificate {told}: {why}"),
    }
}
