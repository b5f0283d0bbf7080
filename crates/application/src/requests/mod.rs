//! What customers ask for, read from JSON and held against the interface's rules: by the HTTP interface
//! from a body, by the dashboard from a form. Every problem is found and told at once.

mod call;
mod fault;
mod fields;
mod json;
mod organization;
mod variables;

pub use call::{CUSTOMER_NAME_MAX, call_request};
pub use fault::{Code, Fault, JsonType, Problem};
pub use fields::{Fields, TEXT_MAX, object, string, string_up_to, text, uuid};
pub use json::{NotJson, json};
pub use organization::{profile, revision};
pub use variables::{COUNT_MAX, NAME_MAX, TOTAL_BYTES_MAX, VALUE_MAX};
