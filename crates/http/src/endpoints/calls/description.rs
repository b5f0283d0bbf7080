//! What the document says of call logs.

use actix_web::http::StatusCode;
use domain::call::{CallType, EndedReason, Outcome, Sentiment};
use serde_json::{Value, json};
use utoipa::openapi::schema::ObjectBuilder;

use super::{detail, list};
use crate::error::ApiError;
use crate::openapi::schema::{
    Members, Part, SOME_MOMENT, SOME_UUID, choice, formatted, list as list_of, moment, nullable, object,
    text, uuid, whole,
};
use crate::openapi::{Description, Tag};
use crate::pagination::{PAGE_MAX, PAGINATION};
use application::requests::{Fault, TEXT_MAX};

/// A moment or a day as a client writes it.
const MOMENT: &str = r"^(19[7-9][0-9]|[2-9][0-9]{3})-[0-9]{2}-[0-9]{2}([Tt][0-9]{2}:[0-9]{2}:[0-5][0-9](\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2}))?$";

/// `GET /api/calls`.
pub(super) fn describe_list() -> Description {
    let words = "Basic information on the calls of one organization: inbound, outbound and web calls. Filters that are \
                 set must all hold; one without any text filters nothing.";
    let page = json!({
        "calls": [listed()],
        "pagination": {
            "page": 1, "limit": list::LIMIT_DEFAULT, "total": 1, "totalPages": 1, "hasNextPage": false,
            "hasPreviousPage": false,
        },
    });
    let wrong = Fault::NoneOf(CallType::ALL.map(CallType::as_str).to_vec()).at("callType");
    let bound = |words| formatted("date-time", words, SOME_MOMENT).pattern(Some(MOMENT));
    let orders = list::ORDERS.map(|(name, _)| name);
    Description::new("listCalls", Tag::Calls, "List Calls", words)
        .asks("organizationId", text("The organization.", SOME_UUID))
        .takes("page", whole("Which page, from 1.", 1, 1).maximum(Some(PAGE_MAX)).default(Some(json!(1))))
        .takes(
            "limit",
            whole("Calls on a page.", 1, 20)
                .maximum(Some(list::LIMIT_MAX))
                .default(Some(json!(list::LIMIT_DEFAULT))),
        )
        .takes("callType", choice("Of this type.", CallType::ALL.map(CallType::as_str)))
        .takes("agentName", filter("By an assistant whose name contains this, in any case.", "Reception"))
        .takes("from", bound("Made at this moment or later; a date alone is the day's beginning, UTC."))
        .takes("to", bound("Made at this moment or earlier; a date alone is the day's end, UTC."))
        .takes("userPrimaryIntent", filter("With exactly this intent, in any case.", "book_appointment"))
        .takes(
            "sort",
            choice("By creation or by duration; calls without a duration come last.", orders)
                .default(Some(json!("desc"))),
        )
        .answers(StatusCode::OK, "A page; empty beyond the end.", &PAGE, &[("one call", page)])
        .refuses([ApiError::Invalid(vec![wrong]), list::NOT_FOUND])
}

/// `GET /api/calls/{id}`.
pub(super) fn describe_detail() -> Description {
    let words =
        "All that is known of one call. Fetch it again to obtain fresh transcript and recording URLs.";
    let mut call = listed();
    for (name, value) in [
        ("callEndedReason", json!("customer-ended-call")),
        ("userName", json!("Ada")),
        ("userPrimaryIntent", json!("book_appointment")),
        ("userSentiment", json!("positive")),
        ("callOutcome", json!("appointment_confirmed")),
        ("callSummary", json!("Ada confirmed her appointment.")),
        ("callSummaryFr", json!("Ada a confirmé son rendez-vous.")),
        ("transcriptUrl", json!(address_of("transcript.txt"))),
        ("recordingUrl", json!(address_of("recording.wav"))),
    ] {
        if let Some(members) = call.as_object_mut() {
            members.insert(name.to_owned(), value);
        }
    }
    Description::new("getCall", Tag::Calls, "Get Call", words)
        .path("id", text("The call's id; for an outbound call its `outboundCallId`.", SOME_UUID))
        .answers(StatusCode::OK, "The call.", &DETAIL, &[("a finished call", call)])
        .refuses([detail::NOT_FOUND])
}

fn filter(words: &str, example: &str) -> ObjectBuilder {
    text(words, example).max_length(Some(TEXT_MAX))
}

fn listed() -> Value {
    json!({
        "id": SOME_UUID, "organizationId": SOME_UUID, "callType": "Outbound", "agentId": SOME_UUID,
        "agentName": "Reception", "teamId": null, "teamName": null, "phoneNumber": "+14155550100",
        "callStartedAt": SOME_MOMENT, "callEndedAt": "2026-03-01T09:31:12.471Z", "callDurationSeconds": "14",
        "userPhoneNumber": "+14155550123", "createdAt": "2026-03-01T09:30:55.031Z",
    })
}

static PAGE: Part = Part {
    name: "CallPage",
    shape: || {
        object("A page of calls.")
            .always("calls", list_of("The calls, in order.", ITEM.reference()))
            .always("pagination", PAGINATION.reference())
    },
    uses: &[&ITEM, &PAGINATION],
};

static ITEM: Part = Part { name: "CallListItem", shape: || item("What lists show of a call."), uses: &[] };

fn item(words: &str) -> ObjectBuilder {
    object(words)
        .always("id", uuid("Its identity; for an outbound call its `outboundCallId`."))
        .always("organizationId", uuid("Whose call it is."))
        .always("callType", choice("How it came about.", CallType::ALL.map(CallType::as_str)))
        .always("agentId", nullable(uuid("Assistant that handled the call.")))
        .always("agentName", nullable(text("The assistant's present name.", "Reception")))
        .always("teamId", nullable(uuid("Team that owns the assistant; null without teams.")))
        .always("teamName", nullable(text("The team's name; null without teams.", "Front desk")))
        .always("phoneNumber", nullable(text("The organization's number.", "+14155550100")))
        .always("callStartedAt", nullable(moment("The moment of the answer; null if never answered.")))
        .always("callEndedAt", nullable(moment("The moment of the end; null while it goes on.")))
        .always(
            "callDurationSeconds",
            nullable(text("Whole seconds of conversation, as a string.", "14").pattern(Some("^[0-9]+$"))),
        )
        .always("userPhoneNumber", nullable(text("The other side's number.", "+14155550123")))
        .always("createdAt", moment("When the record was made."))
}

static DETAIL: Part = Part {
    name: "CallDetail",
    shape: || {
        let reasons = EndedReason::ALL.map(EndedReason::as_str);
        let intent = text("Primary intent detected, a label in snake_case.", "book_appointment");
        let outcomes = Outcome::ALL.map(|outcome| format!("`{}`", outcome.as_str())).join(", ");
        let words = format!("High-level outcome: {outcomes}, or one of the assistant's own.");
        let outcome = text(&words, "appointment_confirmed");
        let sentiments = Sentiment::ALL.map(Sentiment::as_str);
        item("All that is known of a call.")
            .always("callEndedReason", nullable(choice("Why it ended; null while it goes on.", reasons)))
            .always("userName", nullable(text("The other side's name.", "Ada")))
            .always("userPrimaryIntent", nullable(intent))
            .always("userSentiment", nullable(choice("Detected sentiment.", sentiments)))
            .always("callOutcome", nullable(outcome))
            .always("callSummary", nullable(text("English summary.", "Ada confirmed her appointment.")))
            .always("callSummaryFr", nullable(text("French summary.", "Ada a confirmé son rendez-vous.")))
            .always("transcriptUrl", nullable(url("transcript", "transcript.txt")))
            .always("recordingUrl", nullable(url("recording", "recording.wav")))
    },
    uses: &[],
};

fn url(what: &str, file: &str) -> ObjectBuilder {
    let words = format!("Pre-signed URL of the {what}, for an hour; null without one.");
    formatted("uri", &words, &address_of(file))
}

fn address_of(file: &str) -> String {
    let folder = format!("https://calls.example.com/artifacts/{SOME_UUID}/{SOME_UUID}/{SOME_UUID}");
    format!("{folder}/{file}?expires=1772361072&signature=Lmy4QEwbX8gL-9EIYTEwee-cGZdv11ePL_0cQ0t9SxY")
}
