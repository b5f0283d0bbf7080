//! Addresses that carry their own signature: AWS Signature Version 4, "Authenticating Requests: Using
//! Query Parameters". The library signs for its own clock alone; here time is an argument.

use std::fmt::Write as _;
use std::time::Duration;

use domain::secret::Secret;
use hmac::digest::InvalidLength;
use hmac::{Hmac, Mac};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest, Sha256};
use time::macros::format_description;
use time::{OffsetDateTime, UtcOffset};
use url::{Origin, Url};

use super::settings::Settings;

/// What the signature encodes: all but the unreserved characters (RFC 3986 §2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Signs addresses in a bucket.
pub(super) struct Presigner {
    /// Ends in `/`.
    bucket: Url,
    region: String,
    access_key_id: String,
    secret_access_key: Secret<String>,
}

/// Why an address was not signed; neither happens.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotSigned {
    #[error("the moment cannot be written")]
    Moment(#[from] time::error::Format),
    #[error("a key has no fit length")]
    Key(#[from] InvalidLength),
}

impl Presigner {
    pub(super) fn new(settings: &Settings, bucket: Url) -> Self {
        Self {
            bucket,
            region: settings.region.clone(),
            access_key_id: settings.access_key_id.clone(),
            secret_access_key: settings.secret_access_key.clone(),
        }
    }

    /// Where all addresses lead.
    pub(super) fn origin(&self) -> Origin {
        self.bucket.origin()
    }

    /// An address from which GET fetches `place` from `now` on, for `life`. All of `place` stands for
    /// itself in a path.
    pub(super) fn get(&self, place: &str, now: OffsetDateTime, life: Duration) -> Result<Url, NotSigned> {
        let mut address = self.bucket.clone();
        address.set_path(&format!("{}{place}", self.bucket.path()));
        let now = now.to_offset(UtcOffset::UTC);
        let moment = now.format(format_description!("[year][month][day]T[hour][minute][second]Z"))?;
        let day = now.format(format_description!("[year][month][day]"))?;
        let scope = format!("{day}/{}/s3/aws4_request", self.region);
        // In the order of their names, as the signature wants them.
        let query = [
            ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"),
            ("X-Amz-Credential", &format!("{}/{scope}", self.access_key_id)),
            ("X-Amz-Date", &moment),
            ("X-Amz-Expires", &life.as_secs().to_string()),
            ("X-Amz-SignedHeaders", "host"),
        ]
        .map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, RESERVED)))
        .join("&");
        let host = match (address.host_str().unwrap_or_default(), address.port()) {
            (host, Some(port)) => format!("{host}:{port}"),
            (host, None) => host.to_owned(),
        };
        let asked = format!("GET\n{}\n{query}\nhost:{host}\n\nhost\nUNSIGNED-PAYLOAD", address.path());
        let text = format!("AWS4-HMAC-SHA256\n{moment}\n{scope}\n{}", hex(&Sha256::digest(asked)));
        let mut key = format!("AWS4{}", self.secret_access_key.reveal()).into_bytes();
        for part in [day.as_str(), self.region.as_str(), "s3", "aws4_request"] {
            key = hmac(&key, part)?;
        }
        address.set_query(Some(&format!("{query}&X-Amz-Signature={}", hex(&hmac(&key, &text)?))));
        Ok(address)
    }
}

fn hmac(key: &[u8], text: &str) -> Result<Vec<u8>, InvalidLength> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key)?;
    mac.update(text.as_bytes());
    Ok(mac.finalize().into_bytes().to_vec())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // A string takes everything.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn an_address_is_signed_as_amazons_own_example() {
        let presigner = Presigner {
            bucket: Url::parse("https://examplebucket.s3.amazonaws.com/").unwrap(),
            region: "us-east-1".into(),
            access_key_id: "AKIAIOSFODNN7EXAMPLE".into(),
            secret_access_key: Secret::new("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".into()),
        };
        // The same moment elsewhere is the same moment.
        let now = datetime!(2013-05-24 02:00 +02:00);
        let address = presigner.get("test.txt", now, Duration::from_hours(24)).unwrap();
        assert_eq!(
            address.as_str(),
            "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256\
             &X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request\
             &X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host\
             &X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
        );
    }
}
