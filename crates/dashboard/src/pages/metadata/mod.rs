//! An organization's metadata record, and the schemas that judge such records.

mod record;
mod schema;
mod words;

use domain::user::Right;
use serde_json::Value;

use crate::form::encoded_length;
use crate::language::Language;
use crate::routes::{LONG_FORM_MAX, Page, Takes};
use crate::tell::{Tell, Unreadable};

pub(crate) const PAGES: &[Page] = &[
    Page::get(
        "/o/{organization}/metadata",
        Takes::Within(Right::SeeSetup, |inside| Box::pin(record::show(inside))),
    ),
    Page::post(
        "/o/{organization}/metadata",
        Takes::Within(Right::WriteAssistants, |inside| Box::pin(record::take(inside))),
    )
    .with_long_text(),
    Page::get(
        "/o/{organization}/metadata/schema",
        Takes::Within(Right::SeeSetup, |inside| Box::pin(schema::show_own(inside))),
    ),
    Page::post(
        "/o/{organization}/metadata/schema",
        Takes::Within(Right::ManageSetup, |inside| Box::pin(schema::take_own(inside))),
    )
    .with_long_text(),
    Page::get("/schema", Takes::User(Right::ManageTenant, |visit| Box::pin(schema::show_tenants(visit)))),
    Page::post("/schema", Takes::User(Right::ManageTenant, |visit| Box::pin(schema::take_tenants(visit))))
        .with_long_text(),
];

/// Reads what was typed as JSON, or says what is wrong with it.
fn json(text: &str, language: Language) -> Result<Value, String> {
    application::requests::json(text.as_bytes()).map_err(|bad| Unreadable(bad).tell(language))
}

/// JSON for people, with room for changes in its form; what would not fit stands without blanks.
fn pretty(value: &Value) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    if encoded_length(&text) <= LONG_FORM_MAX / 8 * 7 { text } else { value.to_string() }
}
