//! Certificate authorities of the tests' own.

use std::io::Write;
use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};

/// An authority, and the file by which it is trusted.
#[derive(Debug)]
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    file: tempfile::NamedTempFile,
}

/// What a server shows, in PEM form.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The certificate.
    pub chain: String,
    /// Its private key.
    pub key: String,
}

impl Authority {
    /// Two authorities are strangers only when their names differ.
    pub fn named(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.self_signed(&key).expect("a certificate");
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(certificate.pem().as_bytes()).expect("room");
        Self { issuer: Issuer::new(params, key), file }
    }

    /// A certificate for `localhost`.
    pub fn certify(&self) -> Certificate {
        self.certify_params(&Self::for_localhost())
    }

    /// The same, out of date.
    pub fn certify_expired(&self) -> Certificate {
        let mut params = Self::for_localhost();
        params.not_after = date_time_ymd(2020, 1, 1);
        self.certify_params(&params)
    }

    fn for_localhost() -> CertificateParams {
        CertificateParams::new(vec!["localhost".to_owned()]).expect("a name")
    }

    fn certify_params(&self, params: &CertificateParams) -> Certificate {
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        Certificate { chain: certificate.pem(), key: key.serialize_pem() }
    }

    /// Its own certificate (PEM).
    pub fn file(&self) -> &Path {
        self.file.path()
    }

    /// The parameters of a database URL by which it is trusted.
    pub fn trusted(&self, sslmode: &str) -> String {
        format!("sslmode={sslmode}&sslrootcert={}", self.file.path().display())
    }
}
