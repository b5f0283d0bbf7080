//! What a server's complaints mean.

use super::server_event::Complaint;

/// The id that our configuration of a session is sent under.
pub(super) const SESSION: &str = "session";

/// What a complaint means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// We asked for something that was just over.
    Harmless,
    /// Another response is being given.
    Busy,
    /// The session is over, a new one is not.
    Expired,
    /// No session would do.
    Fatal,
    /// Something else went wrong.
    Unknown,
}

/// What a complaint means.
pub(super) fn meaning(complaint: &Complaint) -> Meaning {
    if complaint.already_shorter {
        return Meaning::Harmless;
    }
    match complaint.code.as_str() {
        "response_cancel_not_active" => Meaning::Harmless,
        "conversation_already_has_active_response" => Meaning::Busy,
        "session_expired" => Meaning::Expired,
        "invalid_api_key"
        | "insufficient_quota"
        | "model_not_found"
        | "invalid_model"
        | "missing_model"
        | "beta_api_shape_disabled"
        | "account_deactivated"
        | "billing_hard_limit_reached"
        | "unsupported_country_region_territory" => Meaning::Fatal,
        // A session that is not configured would answer by itself, in the wrong format.
        _ if complaint.about == SESSION => Meaning::Fatal,
        _ => Meaning::Unknown,
    }
}

/// A code as it may be printed: names as programs write them, not what somebody said.
pub(super) fn printable(code: &str) -> String {
    let usual = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let name: String = code.chars().take(64).take_while(usual).collect();
    if name.is_empty() { "no code".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(code: &str, about: &str) -> Meaning {
        meaning(&Complaint { code: code.to_owned(), about: about.to_owned(), ..Complaint::default() })
    }

    #[test]
    fn only_the_known_ones_are_harmless_or_fatal() {
        assert_eq!(about("response_cancel_not_active", ""), Meaning::Harmless);
        assert_eq!(about("", SESSION), Meaning::Fatal);
        assert_eq!(about("", "answer_1"), Meaning::Unknown);
        assert_eq!(about("insufficient_quota", ""), Meaning::Fatal);
    }

    #[test]
    fn a_code_is_printed_only_as_far_as_it_is_one() {
        assert_eq!(printable("rate_limit_exceeded"), "rate_limit_exceeded");
        assert_eq!(printable("say_hello to Bob"), "say_hello");
        assert_eq!(printable(""), "no code");
    }
}
