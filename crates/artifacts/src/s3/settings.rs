//! Where the bucket is, and who asks.

use std::sync::Arc;
use std::time::Duration;

use domain::secret::Secret;
use rustls::ClientConfig;
use url::Url;

/// The bucket's settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Its name.
    pub bucket: String,
    /// Its region, which signatures name.
    pub region: String,
    /// Where the store is; none means AWS in that region.
    pub endpoint: Option<Url>,
    /// Whether the bucket is the first part of the path, rather than of the host name.
    pub path_style: bool,
    /// Under which the keys are: parts of letters, digits and `._-`, separated by `/`.
    pub prefix: Option<String>,
    /// Who asks.
    pub access_key_id: String,
    /// How it is proved.
    pub secret_access_key: Secret<String>,
    /// Whom we trust.
    pub tls: Arc<ClientConfig>,
    /// How long one request may take, e.g. [`Settings::REQUEST_LIMIT`].
    pub request_limit: Duration,
}

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum BadSettings {
    /// A host with the bucket's name in front is none.
    #[error("{bucket:?} in front of the endpoint {endpoint} is no host name: path style is needed")]
    NoHost {
        /// The bucket.
        bucket: String,
        /// The endpoint.
        endpoint: Url,
    },
    /// Not an address.
    #[error("the region makes no address")]
    Region(#[source] url::ParseError),
    /// The HTTP client was not to be had.
    #[error("the HTTP client could not be made")]
    Client(#[source] reqwest::Error),
    /// The library refused.
    #[error("the client could not be made")]
    Store(#[source] object_store::Error),
}

impl Settings {
    /// For a part of a file: 8 MiB at 0.25 Mbit/s.
    pub const REQUEST_LIMIT: Duration = Duration::from_mins(5);

    /// The bucket's address, ending in `/`.
    pub(super) fn bucket_url(&self) -> Result<Url, BadSettings> {
        let aws = || Url::parse(&format!("https://s3.{}.amazonaws.com", self.region));
        let endpoint = self.endpoint.clone().map_or_else(aws, Ok).map_err(BadSettings::Region)?;
        let mut bucket = endpoint.clone();
        let path = endpoint.path().trim_end_matches('/');
        if self.path_style {
            bucket.set_path(&format!("{path}/{}/", self.bucket));
            return Ok(bucket);
        }
        bucket.set_path(&format!("{path}/"));
        let no_host = || BadSettings::NoHost { bucket: self.bucket.clone(), endpoint: endpoint.clone() };
        let host = endpoint.domain().map(|domain| format!("{}.{domain}", self.bucket)).ok_or_else(no_host)?;
        bucket.set_host(Some(&host)).map_err(|_| no_host())?;
        Ok(bucket)
    }
}

#[cfg(test)]
mod tests {
    use rustls::RootCertStore;

    use super::*;

    fn bucket_url(endpoint: Option<&str>, path_style: bool) -> Result<String, BadSettings> {
        let tls =
            ClientConfig::builder().with_root_certificates(RootCertStore::empty()).with_no_client_auth();
        let settings = Settings {
            bucket: "calls".into(),
            region: "ca-central-1".into(),
            endpoint: endpoint.map(|url| Url::parse(url).unwrap()),
            path_style,
            prefix: None,
            access_key_id: "id".into(),
            secret_access_key: Secret::new("secret".into()),
            tls: Arc::new(tls),
            request_limit: Settings::REQUEST_LIMIT,
        };
        settings.bucket_url().map(String::from)
    }

    #[test]
    fn the_bucket_is_in_the_host_or_in_the_path() {
        for (endpoint, path_style, url) in [
            (None, false, "https://calls.s3.ca-central-1.amazonaws.com/"),
            (None, true, "https://s3.ca-central-1.amazonaws.com/calls/"),
            (Some("http://minio:9000"), true, "http://minio:9000/calls/"),
            (Some("http://127.0.0.1:9000/"), true, "http://127.0.0.1:9000/calls/"),
            (Some("https://store.example.com:444/s3/"), true, "https://store.example.com:444/s3/calls/"),
            (Some("https://store.example.com"), false, "https://calls.store.example.com/"),
        ] {
            assert_eq!(bucket_url(endpoint, path_style).unwrap(), url);
        }
        let refusal = bucket_url(Some("http://127.0.0.1:9000"), false).unwrap_err();
        assert!(matches!(refusal, BadSettings::NoHost { .. }));
    }
}
