//! The call-completed callback: where it goes, what it says, when it is tried.

use std::time::Duration;

use serde_json::{Value, json};
use time::OffsetDateTime;
use url::Url;

use crate::call::{CallStatus, Ended, OutboundCall};
use crate::ids::SigningSecretId;
use crate::network::{AddressPolicy, UnfitUrl, WebProtocol};
use crate::secret::Secret;
use crate::timestamp::rfc3339;

/// The longest callback URL that is taken, in characters.
pub const URL_LENGTH_MAX: usize = 2048;

/// How long one try may take over DNS, connect, TLS and response head (interface, Delivery 2).
pub const TRY_LIMIT: Duration = Duration::from_secs(10);

/// How long the boot that ends a call has its callback to itself before it takes the claim up; then
/// any other may.
pub const FIRST_LEASE: Duration = Duration::from_secs(30);

/// The waits after the first, second and third failed try (interface, Delivery 3).
const WAITS: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(30)];

/// How long to wait after `failed` tries have failed; none when there is no further try.
pub fn wait_after(failed: u16) -> Option<Duration> {
    WAITS.get(usize::from(failed).checked_sub(1)?).copied()
}

/// A callback is sent again by hand at most this often.
pub const MANUAL_TRIES_MAX: u16 = 20;

/// How far a callback is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeliveryState {
    /// The schedule has a try left.
    Pending,
    /// Receipt was confirmed.
    Delivered,
    /// Every try of the schedule failed.
    GivenUp,
}

impl DeliveryState {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::Pending, Self::Delivered, Self::GivenUp];

    /// The state's written form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::GivenUp => "given-up",
        }
    }

    /// Reads the written form.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

/// A callback address that was judged fit when the call was placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackUrl(Url);

/// Why a callback address is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadCallbackUrl {
    /// Not an absolute URL with a host.
    Malformed,
    /// Longer than [`URL_LENGTH_MAX`].
    TooLong,
    /// Not https (plain http goes only to a literal address in an allowed network).
    NotHttps,
    /// It names an address that the service does not call.
    RefusedAddress,
}

impl CallbackUrl {
    /// Judges an address at creation: only literal hosts are judged, no name is looked up.
    pub fn parse(text: &str, policy: &AddressPolicy) -> Result<Self, BadCallbackUrl> {
        if text.chars().count() > URL_LENGTH_MAX {
            return Err(BadCallbackUrl::TooLong);
        }
        let url = Url::parse(text).map_err(|_| BadCallbackUrl::Malformed)?;
        policy.judge_url(&url, WebProtocol::Http).map_err(|unfit| match unfit {
            UnfitUrl::NoHost => BadCallbackUrl::Malformed,
            UnfitUrl::Scheme(_) | UnfitUrl::Plain(_) => BadCallbackUrl::NotHttps,
            UnfitUrl::Localhost | UnfitUrl::Address(_) => BadCallbackUrl::RefusedAddress,
        })?;
        Ok(Self(url))
    }

    /// Takes an address that was judged before, from the store.
    pub fn from_stored(text: &str) -> Option<Self> {
        Url::parse(text).ok().filter(Url::has_host).map(Self)
    }

    /// The address.
    pub const fn url(&self) -> &Url {
        &self.0
    }

    /// What people are shown: without user, password, query and fragment, which may be secrets of the
    /// receiver.
    pub fn redacted(&self) -> String {
        let (url, secret) = (&self.0, !self.0.username().is_empty() || self.0.password().is_some());
        let who = if secret { "…@" } else { "" };
        let query = if url.query().is_some() { "?…" } else { "" };
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        let host = url.host_str().unwrap_or_default();
        format!("{}://{who}{host}{port}{}{query}", url.scheme(), url.path())
    }

    /// Host and port, by which concurrent tries are bounded.
    pub fn destination(&self) -> String {
        let host = self.0.host_str().unwrap_or_default();
        format!("{host}:{}", self.0.port_or_known_default().unwrap_or(0))
    }
}

/// A callback as it is queued: from here on its bytes never change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackDraft {
    /// Where it goes.
    pub url: CallbackUrl,
    /// The whole request body.
    pub body: Vec<u8>,
    /// When it was prepared; also its `timestamp`.
    pub prepared_at: OffsetDateTime,
}

impl CallbackDraft {
    /// Freezes the callback of a finished call; none when no address was given.
    pub fn of(call: &OutboundCall, ended: &Ended, now: OffsetDateTime) -> Option<Self> {
        let url = call.callback_url.clone()?;
        let status = ended.status();
        // Interface, callDetails: nobody answered is a length of 0 here, busy and failed have none.
        let duration = match status {
            CallStatus::NoAnswer => Some(0),
            CallStatus::Completed => ended.duration(),
            CallStatus::Busy | CallStatus::Failed | CallStatus::Calling => None,
        };
        let variables = if call.variables.is_empty() { Value::Null } else { json!(call.variables) };
        let body = json!({
            "event": "call.completed",
            "outboundCallId": call.id.to_string(),
            "contactId": call.contact.to_string(),
            "status": status.as_str(),
            "timestamp": rfc3339(now),
            "callDetails": {
                "startedAt": ended.started_at.map(rfc3339),
                "endedAt": rfc3339(ended.ended_at),
                "duration": duration,
                "endedReason": ended.reason.as_str(),
            },
            "dynamicVariables": variables,
        });
        Some(Self { url, body: body.to_string().into_bytes(), prepared_at: now })
    }
}

/// What is known of an organization's signing secrets without seeing them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SigningOverview {
    /// Which secret is in force.
    pub current: SigningSecretId,
    /// Until when the one before signs beside it; none when it does no more.
    pub previous_until: Option<OffsetDateTime>,
}

/// The secrets that sign an organization's callbacks (Standard Webhooks); raw key bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SigningSecrets {
    /// The secret in force.
    pub current: Secret<Vec<u8>>,
    /// The one before, while receivers change over; it signs beside the current one.
    pub previous: Option<Secret<Vec<u8>>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_are_shown_of_an_address_holds_no_secret() {
        for (address, shown) in [
            ("https://receiver.example/hook", "https://receiver.example/hook"),
            ("https://receiver.example:8443/", "https://receiver.example:8443/"),
            ("https://[2001:db8::1]/a%20b", "https://[2001:db8::1]/a%20b"),
            ("https://receiver.example/hook?token=secret#secret", "https://receiver.example/hook?…"),
            ("https://ada:secret@receiver.example/?", "https://…@receiver.example/?…"),
            ("https://secret@receiver.example:1/x", "https://…@receiver.example:1/x"),
            ("https://:secret@receiver.example/x", "https://…@receiver.example/x"),
        ] {
            let redacted = CallbackUrl::from_stored(address).map(|url| url.redacted());
            assert_eq!(redacted.as_deref(), Some(shown));
        }
    }
}
