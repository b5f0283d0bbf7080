//! The page with both forms: to the built-in phone, and to any telephone.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use application::requests::Problem;
use askama::Template;
use domain::ids::CallId;
use domain::page::PageRequest;
use domain::ports::SetupError;
use domain::scope::{Reach, Scope};
use domain::test_line::{TestCallee, calling_number};
use domain::user::Right;

use super::words::{self, Words};
use crate::answer;
use crate::error::PageError;
use crate::form::Form;
use crate::language::Language;
use crate::layout::{Layout, Section};
use crate::problems;
use crate::request::Inside;

/// How many assistants and numbers are offered; whoever has more names them over the interface.
const OFFERED: u32 = 200;

/// What was typed, as it was typed.
#[derive(Clone, Debug, Default)]
pub(super) struct Typed {
    /// In the form to the built-in phone.
    pub(super) tried_assistant: String,
    pub(super) callee: String,
    pub(super) tried_name: String,
    /// In the form to a telephone.
    pub(super) assistant: String,
    pub(super) number: String,
    pub(super) phone_number: String,
    pub(super) customer_name: String,
    pub(super) variables: String,
    pub(super) callback_url: String,
}

impl Typed {
    pub(super) fn of(form: &Form) -> Self {
        let text = |name| form.text(name).unwrap_or_default().to_owned();
        Self {
            tried_assistant: text("assistant"),
            callee: text("callee"),
            tried_name: text("name"),
            assistant: text("assistantId"),
            number: text("phoneNumberId"),
            phone_number: text("phoneNumber"),
            customer_name: text("customerName"),
            variables: form.raw("dynamicVariables").unwrap_or_default().to_owned(),
            callback_url: text("callbackUrl"),
        }
    }
}

/// What is wrong, by field; empty where nothing is.
#[derive(Clone, Debug, Default)]
pub(super) struct Problems {
    /// With the call as a whole.
    whole: Option<&'static str>,
    tried_assistant: String,
    tried_name: String,
    assistant: String,
    number: String,
    phone_number: String,
    customer_name: String,
    pub(super) variables: Vec<String>,
    callback_url: String,
}

impl Problems {
    /// The fields are right, but there can be no such call.
    pub(super) fn with_the_call(words: &'static str) -> Self {
        Self { whole: Some(words), ..Self::default() }
    }

    /// Takes the interface's problems to the fields of the form to a telephone.
    pub(super) fn extend(&mut self, language: Language, found: &[Problem]) {
        for problem in found {
            let words = problems::words(problem, language);
            match problem.field.as_str() {
                "assistantId" => self.assistant = words,
                "phoneNumberId" => self.number = words,
                "phoneNumber" => self.phone_number = words,
                "customerName" => self.customer_name = words,
                "callbackUrl" => self.callback_url = words,
                field => {
                    let name = field.strip_prefix("dynamicVariables.");
                    self.variables.push(name.map_or(words.clone(), |name| format!("{name}: {words}")));
                }
            }
        }
    }

    /// The same of the form to the built-in phone.
    pub(super) fn extend_tried(&mut self, language: Language, found: &[Problem]) {
        for problem in found {
            let words = problems::words(problem, language);
            match problem.field.as_str() {
                "customerName" => self.tried_name = words,
                _ => self.tried_assistant = words,
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        let texts = [
            &self.tried_assistant,
            &self.tried_name,
            &self.assistant,
            &self.number,
            &self.phone_number,
            &self.customer_name,
            &self.callback_url,
        ];
        self.whole.is_none() && self.variables.is_empty() && texts.iter().all(|text| text.is_empty())
    }

    fn of_variables(&self) -> String {
        self.variables.join(" · ")
    }
}

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
    typed: Typed,
    problems: Problems,
}

/// `GET …/place-call`.
pub(super) async fn show(inside: Inside) -> Result<HttpResponse, PageError> {
    let wanted = |name: &str| inside.query.text(name).unwrap_or_default().to_owned();
    let chosen = wanted("assistant");
    let typed = Typed { tried_assistant: chosen.clone(), assistant: chosen, ..Typed::default() };
    answer::page(&page(&inside, typed, Problems::default()).await?)
}

/// The same with what was typed and what is wrong with it.
pub(super) async fn again(
    inside: &Inside,
    typed: Typed,
    problems: Problems,
) -> Result<HttpResponse, PageError> {
    answer::page_with(StatusCode::UNPROCESSABLE_ENTITY, &page(inside, typed, problems).await?)
}

async fn page(inside: &Inside, typed: Typed, problems: Problems) -> Result<Page, PageError> {
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
            chosen: callee == TestCallee::parse(&typed.callee).unwrap_or(TestCallee::Answers),
        })
        .collect();
    Ok(Page {
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
        typed,
        problems,
    })
}

fn missing(error: SetupError) -> PageError {
    match error {
        SetupError::Unknown(_) => PageError::NotFound,
        SetupError::Store(store) => store.into(),
    }
}
