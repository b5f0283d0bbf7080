//! The page with both forms: to the built-in phone, and to any telephone.

use actix_web::HttpResponse;
use askama::Template;
use domain::ids::CallId;
use domain::test_line::TestCallee;
use domain::user::Right;

use super::offered::Offered;
use super::words::{self, Words};
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::pages::choices::Choices;
use crate::pages::filled::Filled;
use crate::request::Inside;

/// The fields of both forms: the first three are of the one to the built-in phone.
pub(super) const FIELDS: [&str; 9] = [
    "assistant",
    "callee",
    "name",
    "assistantId",
    "phoneNumberId",
    "phoneNumber",
    "customerName",
    "dynamicVariables",
    "callbackUrl",
];

/// Where it is noted that the fields are right, but there can be no such call.
pub(super) const WHOLE: &str = "call";

/// A choice of what the built-in phone does.
struct Callee {
    value: &'static str,
    label: &'static str,
    number: &'static str,
    chosen: bool,
}

#[derive(Template)]
#[template(path = "place_call/form.html")]
struct Page {
    layout: Layout,
    words: &'static Words,
    /// Where the organization's pages begin.
    base: String,
    once: String,
    assistants: Choices,
    numbers: Choices,
    callees: Vec<Callee>,
    built_in_phone: bool,
    writes_assistants: bool,
    filled: Filled,
}

/// `GET …/place-call`.
pub(super) async fn show(inside: Inside) -> Result<HttpResponse, PageError> {
    let wanted = |name: &str| inside.query.text(name).unwrap_or_default().to_owned();
    let (assistant, number) = (wanted("assistant"), wanted("number"));
    let chosen = [("assistant", assistant.clone()), ("assistantId", assistant), ("phoneNumberId", number)];
    page(&inside, Filled::with(&inside, chosen)).await
}

/// The page with what was typed, and what is wrong with it.
pub(super) async fn page(inside: &Inside, filled: Filled) -> Result<HttpResponse, PageError> {
    let words = words::of(inside.language);
    // Each form sends but one of them.
    let assistant =
        [filled.value("assistantId"), filled.value("assistant")].into_iter().find(|id| !id.is_empty());
    let offered = Offered::of(inside, assistant.unwrap_or_default(), filled.value("phoneNumberId"));
    let (assistants, numbers) = (offered.assistants().await?, offered.numbers().await?);
    let callees = TestCallee::ALL
        .into_iter()
        .map(|callee| Callee {
            value: callee.as_str(),
            label: words.callee(callee),
            number: callee.number(),
            chosen: callee == TestCallee::parse(filled.value("callee")).unwrap_or(TestCallee::Answers),
        })
        .collect();
    let page = Page {
        layout: Layout::of(&inside.visit, Section::PlaceCall, words.title),
        words,
        base: inside.href(""),
        once: inside.new_id::<CallId>().to_string(),
        assistants,
        numbers,
        callees,
        built_in_phone: inside.service.calling.built_in_phone,
        writes_assistants: inside.may(Right::WriteAssistants),
        filled,
    };
    page.filled.page(&page)
}
