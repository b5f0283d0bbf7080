//! An organization's metadata record, and the schemas that judge such records.

mod record;
mod schema;
mod words;

use domain::user::Right;
use serde_json::Value;

use crate::language::Language;
use crate::routes::{Page, Takes};
use crate::tell::{Tell, Unreadable};

pub(crate) const PAGES: &[Page] = &[
    Page::get(
        "/o/{organization}/metadata",
        Takes::Within(Right::SeeSetup, |inside| Box::pin(record::show(inside))),
    ),
    Page::post(
        "/o/{organization}/metadata",
        Takes::Within(Right::WriteAssistants, |inside| Box::pin(record::take(inside))),
    ),
    Page::get(
        "/o/{organization}/metadata/schema",
        Takes::Within(Right::SeeSetup, |inside| Box::pin(schema::show_own(inside))),
    ),
    Page::post(
        "/o/{organization}/metadata/schema",
        Takes::Within(Right::ManageSetup, |inside| Box::pin(schema::take_own(inside))),
    ),
    Page::get("/schema", Takes::User(Right::ManageTenant, |visit| Box::pin(schema::show_tenants(visit)))),
    Page::post("/schema", Takes::User(Right::ManageTenant, |visit| Box::pin(schema::take_tenants(visit)))),
];

/// Reads what was typed as JSON, or says what is wrong with it.
fn json(text: &str, language: Language) -> Result<Value, String> {
    application::requests::json(text.as_bytes()).map_err(|bad| Unreadable(bad).tell(language))
}

/// JSON for people.
fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
