//! What an organization's fields may hold. The interface bounds none of its texts: here they have 1
//! to 255 characters, an email address at most 254. An update may leave a text empty that is not
//! required: so may the operator, and what was read can be written back.

use domain::organization::{EMAIL_MAX, Logo, Profile, Revision, TIMEZONES, Timezone, is_email};
use serde_json::Value;

use super::fault::{Fault, Problem};
use super::fields::{Fields, TEXT_MAX, string, string_up_to, text};

/// Reads the fields of a new organization (interface, POST /api/organization); all that is wrong with
/// them is told together.
pub fn profile(body: &Value) -> Result<Profile, Vec<Problem>> {
    let mut fields = Fields::of(body)?;
    let name = fields.required("name", text);
    let email = fields.required("email", email);
    let address = fields.required("address", text);
    let city = fields.required("city", text);
    let state_province = fields.required("stateProvince", text);
    let postal_code = fields.required("postalCode", text);
    let country = fields.required("country", text);
    let phone_number = fields.required("phoneNumber", text);
    let timezone = fields.required("timezone", timezone);
    let external_id = fields.optional("externalId", text);
    let whole = || {
        Some(Profile {
            name: name?,
            email: email?,
            image: None,
            address: address?,
            city: city?,
            state_province: state_province?,
            postal_code: postal_code?,
            country: country?,
            phone_number: phone_number?,
            timezone: timezone?,
            external_id,
        })
    };
    fields.finish(whole())
}

/// Reads the fields of a changed organization (interface, PUT /api/organization/{id}); all that is wrong
/// with them is told together.
pub fn revision(body: &Value) -> Result<Revision, Vec<Problem>> {
    let mut fields = Fields::of(body)?;
    let name = fields.required("name", text);
    let email = fields.required("email", email);
    let address = fields.optional("address", any_text);
    let city = fields.optional("city", any_text);
    let state_province = fields.optional("stateProvince", any_text);
    let postal_code = fields.optional("postalCode", any_text);
    let country = fields.optional("country", any_text);
    let phone_number = fields.optional("phoneNumber", any_text);
    let timezone = fields.optional("timezone", timezone);
    fields.finish(name.zip(email).map(|(name, email)| Revision {
        name,
        email,
        address,
        city,
        state_province,
        postal_code,
        country,
        phone_number,
        timezone,
        logo: Logo::Stays,
    }))
}

/// A text that may be empty.
fn any_text(value: &Value) -> Result<String, Fault> {
    string_up_to(TEXT_MAX, value).map(str::to_owned)
}

/// An email address.
fn email(value: &Value) -> Result<String, Fault> {
    match string(value)? {
        "" => Err(Fault::TooShort(1)),
        text if is_email(text) => Ok(text.to_owned()),
        text if text.chars().count() > EMAIL_MAX => Err(Fault::TooLong(EMAIL_MAX)),
        _ => Err(Fault::NotAnEmail),
    }
}

/// One of the allowed time zones, exactly as the interface writes it.
fn timezone(value: &Value) -> Result<Timezone, Fault> {
    Timezone::parse(string(value)?).ok_or_else(|| Fault::NoneOf(TIMEZONES.to_vec()))
}
