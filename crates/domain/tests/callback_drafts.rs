//! What a callback says, and which addresses it may go to.

#![allow(clippy::unwrap_used, reason = "tests fail by panic")]

use std::collections::BTreeMap;

use domain::call::{Ended, EndedReason, OutboundCall};
use domain::callback::{BadCallbackUrl, CallbackDraft, CallbackUrl};
use domain::ids::{AssistantId, CallId, ContactId, NumberId, OrganizationId, TenantId, TrunkId};
use domain::network::{AddressPolicy, Network};
use domain::number::Destination;
use serde_json::{Value, json};
use time::macros::datetime;
use uuid::Uuid;

fn call(variables: &[(&str, &str)]) -> OutboundCall {
    let id = Uuid::from_u128;
    OutboundCall {
        id: CallId::from_uuid(id(1)),
        contact: ContactId::from_uuid(id(2)),
        tenant: TenantId::from_uuid(id(3)),
        organization: OrganizationId::from_uuid(id(4)),
        assistant: AssistantId::from_uuid(id(5)),
        number: NumberId::from_uuid(id(6)),
        trunk: TrunkId::from_uuid(id(7)),
        destination: Destination::parse("+14155550123").unwrap(),
        customer_name: Some("Ada".to_owned()),
        variables: variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        callback_url: CallbackUrl::from_stored("https://receiver.example.com/hook"),
        created_at: datetime!(2026-03-01 09:29:59 UTC),
    }
}

fn body(call: &OutboundCall, reason: EndedReason, answered: bool) -> Value {
    let ended = Ended {
        reason,
        started_at: answered.then_some(datetime!(2026-03-01 09:30:00.250 UTC)),
        ended_at: datetime!(2026-03-01 09:31:05.9 UTC),
    };
    let draft = CallbackDraft::of(call, &ended, datetime!(2026-03-01 09:31:06.0019 UTC)).unwrap();
    assert_eq!(draft.url, call.callback_url.clone().unwrap());
    serde_json::from_slice(&draft.body).unwrap()
}

#[test]
fn the_body_of_an_answered_call_has_every_field_of_the_interface() {
    let expected = json!({
        "event": "call.completed",
        "outboundCallId": "00000000-0000-0000-0000-000000000001",
        "contactId": "00000000-0000-0000-0000-000000000002",
        "status": "completed",
        "timestamp": "2026-03-01T09:31:06.001Z",
        "callDetails": {
            "startedAt": "2026-03-01T09:30:00.250Z",
            "endedAt": "2026-03-01T09:31:05.900Z",
            "duration": 65,
            "endedReason": "customer-ended-call",
        },
        "dynamicVariables": {"name": "Ada \"Ü\""},
    });
    let call = call(&[("name", "Ada \"Ü\"")]);
    assert_eq!(body(&call, EndedReason::CustomerEndedCall, true), expected);
}

#[test]
fn the_event_is_the_same_whatever_the_status_and_the_length_follows_the_status() {
    for (reason, answered, status, duration) in [
        (EndedReason::NoAnswer, false, "no-answer", json!(0)),
        (EndedReason::CustomerBusy, false, "busy", Value::Null),
        (EndedReason::CustomerDeclined, false, "busy", Value::Null),
        (EndedReason::TrunkError, false, "failed", Value::Null),
        (EndedReason::MediaTimeout, true, "failed", Value::Null),
        (EndedReason::ManuallyEnded, true, "completed", json!(65)),
        (EndedReason::ManuallyEnded, false, "failed", Value::Null),
    ] {
        let body = body(&call(&[]), reason, answered);
        assert_eq!(body["event"], "call.completed");
        assert_eq!(body["status"], status, "{reason:?}");
        assert_eq!(body["callDetails"]["duration"], duration, "{reason:?}");
        assert_eq!(body["callDetails"]["endedReason"], reason.as_str());
        assert_eq!(body["callDetails"]["startedAt"].is_null(), !answered);
        assert_eq!(body["dynamicVariables"], Value::Null);
    }
}

#[test]
fn a_call_without_an_address_has_no_callback() {
    let mut call = call(&[]);
    call.callback_url = None;
    let at = call.created_at;
    let ended = Ended { reason: EndedReason::NoAnswer, started_at: None, ended_at: at };
    assert_eq!(CallbackDraft::of(&call, &ended, at), None);
}

#[test]
fn equal_calls_give_equal_bytes() {
    let (one, two) = (call(&[("b", "2"), ("a", "1")]), call(&[("a", "1"), ("b", "2")]));
    let at = one.created_at;
    let ended = Ended { reason: EndedReason::NoAnswer, started_at: None, ended_at: at };
    assert_eq!(CallbackDraft::of(&one, &ended, at), CallbackDraft::of(&two, &ended, at));
}

#[test]
fn only_https_to_addresses_that_are_not_refused_is_taken() {
    let policy = AddressPolicy::default();
    for (text, expected) in [
        ("https://receiver.example.com/hook?x=1", Ok(())),
        ("HTTPS://receiver.example.com:8443/", Ok(())),
        ("https://8.8.8.8/", Ok(())),
        ("https://[2606:4700::1111]/", Ok(())),
        ("http://receiver.example.com/", Err(BadCallbackUrl::NotHttps)),
        ("ftp://receiver.example.com/", Err(BadCallbackUrl::NotHttps)),
        ("receiver.example.com", Err(BadCallbackUrl::Malformed)),
        ("https://", Err(BadCallbackUrl::Malformed)),
        ("mailto:someone@example.com", Err(BadCallbackUrl::Malformed)),
        ("https://localhost/", Err(BadCallbackUrl::RefusedAddress)),
        ("https://LOCALHOST./", Err(BadCallbackUrl::RefusedAddress)),
        ("https://a.localhost/", Err(BadCallbackUrl::RefusedAddress)),
        ("https://127.0.0.1/", Err(BadCallbackUrl::RefusedAddress)),
        ("https://0x7f.1/", Err(BadCallbackUrl::RefusedAddress)),
        ("https://2130706433/", Err(BadCallbackUrl::RefusedAddress)),
        ("https://10.0.0.1/", Err(BadCallbackUrl::RefusedAddress)),
        ("https://169.254.169.254/latest", Err(BadCallbackUrl::RefusedAddress)),
        ("https://[::1]/", Err(BadCallbackUrl::RefusedAddress)),
        ("https://[::ffff:10.0.0.1]/", Err(BadCallbackUrl::RefusedAddress)),
        ("https://[64:ff9b::7f00:1]/", Err(BadCallbackUrl::RefusedAddress)),
    ] {
        assert_eq!(CallbackUrl::parse(text, &policy).map(|_| ()), expected, "{text}");
    }
}

#[test]
fn an_allowed_network_may_be_called_also_by_plain_http_but_only_as_a_literal() {
    let policy = AddressPolicy { allowed: vec![Network::parse("127.0.0.0/8").unwrap()], own: Vec::new() };
    for text in ["http://127.0.0.1:8081/hook", "https://127.9.9.9/hook"] {
        assert!(CallbackUrl::parse(text, &policy).is_ok(), "{text}");
    }
    for (text, why) in [
        ("http://localhost/", BadCallbackUrl::RefusedAddress),
        ("http://8.8.8.8/", BadCallbackUrl::NotHttps),
        ("https://10.0.0.1/", BadCallbackUrl::RefusedAddress),
        ("ftp://127.0.0.1/", BadCallbackUrl::NotHttps),
    ] {
        assert_eq!(CallbackUrl::parse(text, &policy), Err(why), "{text}");
    }
}

#[test]
fn an_address_has_at_most_2048_characters() {
    let policy = AddressPolicy::default();
    let url = |length: usize| format!("https://a.example/{}", "x".repeat(length - 18));
    assert!(CallbackUrl::parse(&url(2048), &policy).is_ok());
    assert_eq!(CallbackUrl::parse(&url(2049), &policy), Err(BadCallbackUrl::TooLong));
}

#[test]
fn tries_are_bounded_by_host_and_port() {
    let destinations = BTreeMap::from([
        ("https://A.example/x", "a.example:443"),
        ("https://a.example:8443/y", "a.example:8443"),
        ("http://127.0.0.1/", "127.0.0.1:80"),
        ("https://[2606:4700::1111]/", "[2606:4700::1111]:443"),
    ]);
    for (url, destination) in destinations {
        assert_eq!(CallbackUrl::from_stored(url).unwrap().destination(), destination);
    }
}
