//! What the document says of outbound calls.

use actix_web::http::StatusCode;
use application::requests::{COUNT_MAX, CUSTOMER_NAME_MAX, Fault, NAME_MAX, VALUE_MAX};
use domain::call::{CallStatus, EndedReason};
use domain::callback::{TRY_LIMIT, URL_LENGTH_MAX};
use domain::number::Destination;
use serde_json::json;
use utoipa::openapi::path::{
    Callback, HttpMethod, OperationBuilder, ParameterBuilder, ParameterIn, PathItem,
};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::ObjectBuilder;
use utoipa::openapi::{ContentBuilder, RefOr, Required};

use super::{create, status};
use crate::error::ApiError;
use crate::openapi::schema::{
    Members, Part, SOME_MOMENT, SOME_UUID, choice, formatted, moment, nullable, object, text, uuid, whole,
};
use crate::openapi::{Description, Tag};

const CONTACT_UUID: &str = "01958f3c-7a10-7c3e-9b1d-2f6a4c8e0d12";
const STATUS: &str = "Where the call stands.";

/// `POST /api/outbound`.
pub(super) fn describe_create() -> Description {
    let words = "Dials at once; the answer does not wait for the callee. `status` is `failed` when the call could not \
                 be placed: `message` says why, and no callback is sent. A request without `Idempotency-Key` that is \
                 sent again dials again.";
    let smallest = json!({
        "phoneNumber": "+14155550123", "assistantId": SOME_UUID, "phoneNumberId": CONTACT_UUID,
    });
    let largest = json!({
        "phoneNumber": "+1 (415) 555-0123", "assistantId": SOME_UUID, "phoneNumberId": CONTACT_UUID,
        "customerName": "Ada", "dynamicVariables": { "visit": "Tuesday" },
        "callbackUrl": "https://example.com/calls",
    });
    let placed = json!({
        "outboundCallId": SOME_UUID, "contactId": CONTACT_UUID, "status": "calling",
        "message": create::message(None),
    });
    let failed = json!({
        "outboundCallId": SOME_UUID, "contactId": CONTACT_UUID, "status": "failed",
        "message": create::message(Some(EndedReason::TrunkUnreachable)),
    });
    let problems =
        vec![Fault::TooShort(Destination::LENGTH_MIN).at("phoneNumber"), Fault::NotAUuid.at("assistantId")];
    Description::new("createOutboundCall", Tag::Outbound, "Create Outbound Call", words)
        .body(&REQUEST, &[("smallest", smallest), ("everything", largest)])
        .once()
        .answers(
            StatusCode::CREATED,
            "The call is being placed, or could not be.",
            &CREATED,
            &[("placed", placed), ("not placed", failed)],
        )
        .leads_to("getOutboundCallStatus", "Where the call stands.", "$response.body#/outboundCallId")
        .leads_to("getCall", "The call's record.", "$response.body#/outboundCallId")
        .refuses([ApiError::Invalid(problems), create::NOT_FOUND, create::INACTIVE, create::NO_NEW_CALLS])
        .calls_back("call.completed", &COMPLETED, completed())
}

/// `GET /api/outbound/{id}/status`.
pub(super) fn describe_status() -> Description {
    let calling = json!({
        "outboundCallId": SOME_UUID, "contactId": CONTACT_UUID, "status": "calling", "callDetails": null,
    });
    let ended = json!({
        "outboundCallId": SOME_UUID, "contactId": CONTACT_UUID, "status": "completed",
        "callDetails": {
            "startedAt": SOME_MOMENT, "endedAt": "2026-03-01T09:31:12.471Z", "duration": 14,
            "endedReason": "customer-ended-call",
        },
    });
    Description::new("getOutboundCallStatus", Tag::Outbound, "Get Outbound Call Status", STATUS)
        .path("id", uuid("The `outboundCallId` of the call."))
        .answers(StatusCode::OK, STATUS, &ANSWER, &[("calling", calling), ("completed", ended)])
        .refuses([status::NOT_FOUND])
}

static REQUEST: Part = Part {
    name: "OutboundCallRequest",
    shape: || {
        let variable = text("The variable's value.", "Tuesday").max_length(Some(VALUE_MAX));
        object("A call to be placed.")
            .always(
                "phoneNumber",
                text("Number to call; E.164 recommended. Digits, spaces, `-`, `.`, `(`, `)`, and a leading `+`.", "+14155550123")
                    .min_length(Some(Destination::LENGTH_MIN))
                    .max_length(Some(Destination::LENGTH_MAX))
                    .pattern(Some(r"^ *\+?[0-9 .()\-]*[0-9][0-9 .()\-]*$")),
            )
            .always("assistantId", uuid("The assistant that speaks; of the key's organization."))
            .always("phoneNumberId", uuid("The service's phone number to call from; of the key's organization."))
            .property(
                "customerName",
                text("Lets the assistant personalize the conversation.", "Ada")
                    .max_length(Some(CUSTOMER_NAME_MAX)),
            )
            .property(
                "dynamicVariables",
                object("Variables for the assistant's lines; which are used depends on the assistant. At most 64 KiB of names and values in total; filled in, a spoken line may have 10,000 characters, instructions 64,000, and all texts of the assistant together 200,000 or 65,536 more than their templates.")
                    .additional_properties(Some(variable))
                    .property_names(Some(text("The variable's name.", "visit").max_length(Some(NAME_MAX))))
                    .max_properties(Some(COUNT_MAX)),
            )
            .property(
                "callbackUrl",
                formatted("uri", "Where the `call.completed` callback goes; https, and no private address.", "https://example.com/calls")
                    .max_length(Some(URL_LENGTH_MAX))
                    .pattern(Some("^https://")),
            )
    },
    uses: &[],
};

static CREATED: Part = Part {
    name: "OutboundCallCreated",
    shape: || {
        identified("An outbound call that was accepted.")
            .always(
                "status",
                choice(
                    "`failed` when the call was not placed.",
                    [CallStatus::Calling, CallStatus::Failed].map(CallStatus::as_str),
                ),
            )
            .always("message", text("What happened, for people.", create::message(None)))
    },
    uses: &[],
};

static ANSWER: Part = Part {
    name: "OutboundCallStatus",
    shape: || {
        identified("An outbound call.")
            .always("status", choice(STATUS, CallStatus::ALL.map(CallStatus::as_str)))
            .always(
                "callDetails",
                nullable(
                    object("How the call went; null while `calling`.")
                        .always(
                            "startedAt",
                            nullable(moment("The moment of the answer; null if the call never connected.")),
                        )
                        .always("endedAt", moment("The moment of the end."))
                        .always(
                            "duration",
                            nullable(whole("Whole seconds; null if the call never connected.", 0, 14)),
                        )
                        .always(
                            "endedReason",
                            choice("Why the call ended.", EndedReason::ALL.map(EndedReason::as_str)),
                        ),
                ),
            )
    },
    uses: &[],
};

static COMPLETED: Part = Part {
    name: "CallCompleted",
    shape: || {
        let ended = CallStatus::ALL.into_iter().filter(|status| *status != CallStatus::Calling);
        identified("The call-completed callback.")
            .always("event", choice("Whatever the final status.", ["call.completed"]))
            .always("status", choice("How the call ended.", ended.map(CallStatus::as_str)))
            .always("timestamp", moment("When the callback was prepared; the same on every try."))
            .always(
                "callDetails",
                object("How the call went.")
                    .always("startedAt", nullable(moment("The moment of the answer.")))
                    .always("endedAt", nullable(moment("The moment of the end.")))
                    .always("duration", nullable(whole("Whole seconds; 0 if nobody answered.", 0, 14)))
                    .always(
                        "endedReason",
                        nullable(choice("Why the call ended.", EndedReason::ALL.map(EndedReason::as_str))),
                    ),
            )
            .always(
                "dynamicVariables",
                nullable(
                    object("The variables sent at creation; null if there were none.")
                        .additional_properties(Some(text("The variable's value.", "Tuesday"))),
                ),
            )
    },
    uses: &[],
};

/// What every shape of an outbound call begins with.
fn identified(words: &str) -> ObjectBuilder {
    object(words)
        .always("outboundCallId", uuid("Identifies the outbound call; also that of its record."))
        .always("contactId", uuid("The contact record that was made for the call."))
}

/// The callback, as its receiver sees it (interface, Events).
fn completed() -> Callback {
    let words = format!(
        "Sent once per call, when its status becomes final. Any 2xx within {} seconds confirms it; anything else is \
         tried again after 1, 5 and 30 seconds, with the same body. Receivers can get duplicates: `outboundCallId` is \
         the idempotency key. Requests are signed as [Standard Webhooks](https://www.standardwebhooks.com/) says.",
        TRY_LIMIT.as_secs()
    );
    let body = ContentBuilder::new().schema(Some(COMPLETED.reference())).build();
    let mut post = OperationBuilder::new()
        .summary(Some("The call has ended"))
        .description(Some(words))
        .operation_id(Some("callCompleted"))
        .request_body(Some(
            RequestBodyBuilder::new()
                .content("application/json", body)
                .required(Some(Required::True))
                .build(),
        ))
        .response("2XX", ResponseBuilder::new().description("Received; the answer's body is ignored."));
    for (name, shape) in [
        ("webhook-id", uuid("The `outboundCallId`.")),
        (
            "webhook-timestamp",
            text("The time of this try, in Unix seconds.", "1772357472").pattern(Some("^[0-9]+$")),
        ),
        (
            "webhook-signature",
            text(
                "`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the organization's secret; one for \
                 each secret in force, with a space between.",
                "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            ),
        ),
    ] {
        let mut shape = shape.build();
        post = post.parameter(
            ParameterBuilder::new()
                .name(name)
                .parameter_in(ParameterIn::Header)
                .required(Required::True)
                .description(shape.description.take())
                .schema(Some(shape)),
        );
    }
    let item = PathItem::new(HttpMethod::Post, post);
    Callback::from_iter([("{$request.body#/callbackUrl}".to_owned(), RefOr::T(item))])
}
