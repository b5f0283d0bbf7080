//! The `webhook-signature` header (Standard Webhooks, "Symmetric signatures").

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::callback::SigningSecrets;
use hmac::{Hmac, Mac};
use sha2::Sha256;

/// Signs `id.timestamp.body` with the current secret and, while it lasts, with the previous one:
/// a space-separated list of which a receiver needs to find one valid.
pub(crate) fn header(secrets: &SigningSecrets, id: &str, timestamp: i64, body: &[u8]) -> String {
    let keys = std::iter::once(&secrets.current).chain(&secrets.previous);
    let signatures: Vec<String> = keys.filter_map(|key| v1(key.reveal(), id, timestamp, body)).collect();
    signatures.join(" ")
}

/// `v1,` and the base64 of HMAC-SHA256, which takes keys of any length: `None` never happens.
fn v1(key: &[u8], id: &str, timestamp: i64, body: &[u8]) -> Option<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    mac.update(id.as_bytes());
    mac.update(b".");
    mac.update(timestamp.to_string().as_bytes());
    mac.update(b".");
    mac.update(body);
    Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
}

#[cfg(test)]
mod tests {
    use domain::secret::Secret;

    use super::*;
    use crate::secret_text;

    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const AT: i64 = 1_614_265_330;
    const BODY: &[u8] = br#"{"test": 2432232314}"#;

    fn published() -> Secret<Vec<u8>> {
        secret_text::decode("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap()
    }

    #[test]
    fn the_published_vector_comes_out() {
        let secrets = SigningSecrets { current: published(), previous: None };
        assert_eq!(header(&secrets, ID, AT, BODY), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn during_a_rotation_both_secrets_sign_the_new_one_first() {
        let secrets = SigningSecrets { current: Secret::new(b"fresh".to_vec()), previous: Some(published()) };
        let both = header(&secrets, ID, AT, BODY);
        let (fresh, old) = both.split_once(' ').unwrap();
        assert_eq!(old, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        assert!(fresh.starts_with("v1,") && fresh != old);
    }
}
