//! The page with both forms: to the built-in phone, and to any telephone.

use actix_web::HttpResponse;
use askama::Template;
use domain::ids::CallId;
use domain::page::PageRequest;
use domain::ports::SetupError;
use domain::scope::{Reach, Scope};
use domain::test_line::{TestCallee, calling_number};
use domain::user::Right;

use super::words::{self, Words};
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::pages::filled::Filled;
use crate::request::Inside;

/// How many assistants and numbers are offered; whoever has more names them over the interface.
const OFFERED: u32 = 200;

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
    assistants: Vec<(String, String)>,
    numbers: Vec<(String, String)>,
    callees: Vec<Callee>,
    built_in_phone: bool,
    writes_assistants: bool,
    filled: Filled,
}

/// `GET …/place-call`.
pub(super) async fn show(inside: Inside) -> Result<HttpResponse, PageError> {
    let chosen = inside.query.text("assistant").unwrap_or_default().to_owned();
    page(&inside, Filled::with(&inside, [("assistant", chosen.clone()), ("assistantId", chosen)])).await
}

/// The page with what was typed, and what is wrong with it.
pub(super) async fn page(inside: &Inside, filled: Filled) -> Result<HttpResponse, PageError> {
    let words = words::of(inside.language);
    let organization = inside.organization.id;
    let reach = Reach::Within(Scope::Organization(inside.organization.tenant, organization));
    let all = PageRequest { number: 1, size: OFFERED };
    let assistants =
        inside.service.calling.assistants.assistants_of(reach, organization, all).await.map_err(missing)?;
    let numbers =
        inside.service.calling.numbers.numbers_of(reach, organization, all).await.map_err(missing)?;
    let test_line = calling_number();
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
        assistants: assistants
            .into_iter()
            .map(|assistant| (assistant.id.to_string(), assistant.name))
            .collect(),
        numbers: numbers
            .into_iter()
            .filter(|found| found.carried && Some(&found.number.number) != test_line.as_ref())
            .map(|found| {
                (found.number.id.to_string(), format!("{} · {}", found.number.number, found.trunk_name))
            })
            .collect(),
        callees,
        built_in_phone: inside.service.calling.built_in_phone,
        writes_assistants: inside.may(Right::WriteAssistants),
        filled,
    };
    page.filled.page(&page)
}

fn missing(error: SetupError) -> PageError {
    match error {
        SetupError::Unknown(_) => PageError::NotFound,
        SetupError::Store(store) => store.into(),
    }
}
