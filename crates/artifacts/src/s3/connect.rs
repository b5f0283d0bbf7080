//! The client of the bucket, with certificates and limits of our own.

use std::time::Duration;

use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::client::{ClientOptions, HttpClient, HttpConnector};
use object_store::{BackoffConfig, RetryConfig};
use reqwest::redirect::Policy;
use url::Url;

use super::settings::{BadSettings, Settings};

const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// A request that fails is sent again by the library a few times, within seconds; whoever uploads
/// tries again later.
fn retries() -> RetryConfig {
    let backoff = BackoffConfig {
        init_backoff: Duration::from_millis(200),
        max_backoff: Duration::from_secs(5),
        base: 2.0,
    };
    RetryConfig { backoff, max_retries: 3, retry_timeout: Duration::from_mins(1) }
}

/// A client of `bucket`.
pub(super) fn store(settings: &Settings, bucket: &Url) -> Result<AmazonS3, BadSettings> {
    // No proxy from the environment, and a redirected request would be signed for another host.
    let client = reqwest::Client::builder()
        .tls_backend_preconfigured(rustls::ClientConfig::clone(&settings.tls))
        .no_proxy()
        .redirect(Policy::none())
        .connect_timeout(CONNECT_LIMIT)
        .timeout(settings.request_limit)
        .build()
        .map_err(BadSettings::Client)?;
    AmazonS3Builder::new()
        .with_bucket_name(&settings.bucket)
        .with_region(&settings.region)
        // "Virtual hosted" is how the library is told that the bucket is in the address already.
        .with_virtual_hosted_style_request(true)
        .with_endpoint(bucket.as_str().trim_end_matches('/'))
        .with_access_key_id(&settings.access_key_id)
        .with_secret_access_key(settings.secret_access_key.reveal())
        .with_retry(retries())
        .with_http_connector(Ours(client))
        .build()
        .map_err(BadSettings::Store)
}

/// Gives the library our client.
#[derive(Debug)]
struct Ours(reqwest::Client);

impl HttpConnector for Ours {
    fn connect(&self, _options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.0.clone()))
    }
}
