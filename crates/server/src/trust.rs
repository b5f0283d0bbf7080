//! Which certificates this machine trusts when it connects to trunks and receivers.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// The client side of TLS: the system's roots (`SSL_CERT_FILE` and `SSL_CERT_DIR` are heeded), or
/// Mozilla's when the system has none, and the operator's `further` authorities (PEM).
pub(crate) fn client_config(further: Option<&Path>) -> anyhow::Result<Arc<ClientConfig>> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        tracing::warn!("the system has no certificate store; the built-in roots are trusted");
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    if let Some(file) = further {
        let unreadable = || format!("the authorities in {} cannot be read", file.display());
        let before = roots.len();
        for certificate in CertificateDer::pem_file_iter(file).with_context(unreadable)? {
            roots.add(certificate.with_context(unreadable)?).with_context(unreadable)?;
        }
        anyhow::ensure!(roots.len() > before, "{} holds no certificate in PEM form", file.display());
    }
    Ok(Arc::new(ClientConfig::builder().with_root_certificates(roots).with_no_client_auth()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_authorities_without_any_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "not a certificate\n").unwrap();
        let refusal = client_config(Some(file.path())).unwrap_err().to_string();
        assert!(refusal.ends_with("holds no certificate in PEM form"), "{refusal}");
    }
}
