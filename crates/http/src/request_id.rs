//! The name of a request, by which client, answer and log lines find each other.

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use application::keys::may_hold_a_key;
use domain::ports::Entropy;

/// The header in both directions.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest name that is taken from a client, in characters.
const LENGTH_MAX: usize = 128;

/// The client's own name for its request when it is a sane one, else a fresh random UUID.
pub(crate) fn request_id(headers: &HeaderMap, entropy: &dyn Entropy) -> String {
    let sent = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok());
    match sent {
        Some(id) if is_sane(id) => id.to_owned(),
        _ => fresh(entropy),
    }
}

/// A random UUID.
pub(crate) fn fresh(entropy: &dyn Entropy) -> String {
    let mut random = [0; 16];
    entropy.fill(&mut random);
    uuid::Builder::from_random_bytes(random).into_uuid().to_string()
}

/// Puts the name on an answer.
pub(crate) fn answer_with(id: &str, headers: &mut HeaderMap) {
    if let Ok(value) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, value);
    }
}

/// Nothing that could break a log line or a shell, or that must not be in a log.
fn is_sane(id: &str) -> bool {
    let sane = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/+=@~".contains(&byte);
    (1..=LENGTH_MAX).contains(&id.len()) && id.bytes().all(sane) && !may_hold_a_key(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Ones;
    impl Entropy for Ones {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0x11);
        }
    }

    fn id_for(sent: Option<&str>) -> String {
        let mut headers = HeaderMap::new();
        if let Some(sent) = sent {
            headers.insert(REQUEST_ID, HeaderValue::from_bytes(sent.as_bytes()).unwrap());
        }
        request_id(&headers, &Ones)
    }

    #[test]
    fn a_sane_name_is_kept_and_any_other_replaced() {
        for kept in ["a", "0af7651916cd43dd:8448eb211c80319c", "req_1.2-3", &"x".repeat(128)] {
            assert_eq!(id_for(Some(kept)), kept);
        }
        let fresh = "11111111-1111-4111-9111-111111111111";
        for replaced in ["", "a b", "a\tb", "a\"b", "{a}", "ä", &"x".repeat(129), "cw_org_0", "x-cw_ten_0"] {
            assert_eq!(id_for(Some(replaced)), fresh, "{replaced:?}");
        }
        assert_eq!(id_for(None), fresh);
    }
}
