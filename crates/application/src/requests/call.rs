//! What a request for an outbound call says (interface, POST /api/outbound).

use domain::callback::{BadCallbackUrl, CallbackUrl, URL_LENGTH_MAX};
use domain::ids::{AssistantId, NumberId};
use domain::network::AddressPolicy;
use domain::number::{BadDestination, Destination};
use serde_json::Value;

use super::fault::{Fault, Problem};
use super::fields::{Fields, string, string_up_to, uuid};
use super::variables::variables;
use crate::place_call::CallRequest;

/// The interface sets no bound for a name; this one is generous (it counts characters).
pub const CUSTOMER_NAME_MAX: usize = 255;

/// Reads the fields of a call to be placed; all that is wrong with them is told together.
pub fn call_request(body: &Value, callbacks: &AddressPolicy) -> Result<CallRequest, Vec<Problem>> {
    let mut fields = Fields::of(body)?;
    let destination = fields.required("phoneNumber", destination);
    let assistant = fields.required("assistantId", |value| uuid(value, AssistantId::parse));
    let number = fields.required("phoneNumberId", |value| uuid(value, NumberId::parse));
    let customer_name = fields.optional("customerName", |value| string_up_to(CUSTOMER_NAME_MAX, value));
    let variables = fields.optional_parts("dynamicVariables", variables);
    let callback_url = fields.optional("callbackUrl", |value| callback_url(value, callbacks));
    let required = destination.zip(assistant).zip(number);
    fields.finish(required.map(|((destination, assistant), number)| CallRequest {
        destination,
        assistant,
        number,
        customer_name: customer_name.map(str::to_owned),
        variables: variables.unwrap_or_default(),
        callback_url,
        once: None,
        by: None,
    }))
}

fn destination(value: &Value) -> Result<Destination, Fault> {
    Destination::parse(string(value)?).map_err(|bad| match bad {
        BadDestination::TooShort => Fault::TooShort(Destination::LENGTH_MIN),
        BadDestination::TooLong => Fault::TooLong(Destination::LENGTH_MAX),
        BadDestination::NotANumber => Fault::NotAPhoneNumber,
    })
}

fn callback_url(value: &Value, addresses: &AddressPolicy) -> Result<CallbackUrl, Fault> {
    CallbackUrl::parse(string(value)?, addresses).map_err(|bad| match bad {
        BadCallbackUrl::Malformed => Fault::NotAUrl,
        BadCallbackUrl::TooLong => Fault::TooLong(URL_LENGTH_MAX),
        BadCallbackUrl::NotHttps => Fault::NotHttps,
        BadCallbackUrl::RefusedAddress => Fault::NotPublic,
    })
}
