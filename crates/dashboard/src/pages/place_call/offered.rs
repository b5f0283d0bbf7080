//! The assistants and numbers that the forms offer: some at a time, and the one that was chosen already.

use domain::ids::{AssistantId, NumberId};
use domain::ports::CarriedNumber;
use domain::scope::{Reach, Scope};
use domain::test_line::calling_number;

use crate::error::PageError;
use crate::pages::choices::{Choices, Offer};
use crate::request::Inside;

/// What is to be offered to whom.
pub(super) struct Offered<'a> {
    inside: &'a Inside,
    reach: Reach,
    assistants: Offer,
    numbers: Offer,
    assistant: Option<AssistantId>,
    number: Option<NumberId>,
}

impl<'a> Offered<'a> {
    /// With what was chosen in the form, or on the page that led to it.
    pub(super) fn of(inside: &'a Inside, assistant: &str, number: &str) -> Self {
        Self {
            inside,
            reach: Reach::Within(Scope::Organization(inside.organization.tenant, inside.organization.id)),
            assistants: Offer::of(&inside.query, "assistants"),
            numbers: Offer::of(&inside.query, "numbers"),
            assistant: AssistantId::parse(assistant),
            number: NumberId::parse(number),
        }
    }

    /// The page's address, which keeps what is offered and chosen of the other kind.
    fn home(&self, other: Offer, chosen: Option<String>) -> String {
        let chosen = chosen.map(|chosen| format!("&{chosen}")).unwrap_or_default();
        format!("{}?{}{chosen}", self.inside.href("/place-call"), other.kept())
    }

    pub(super) async fn assistants(&self) -> Result<Choices, PageError> {
        let port = &self.inside.service.assistants;
        let asking = port.assistants_of(self.reach, self.inside.organization.id, self.assistants.request());
        let found = asking.await?;
        let home = self.home(self.numbers, self.number.map(|id| format!("number={id}")));
        let count = found.len();
        let options = found.into_iter().map(|own| (own.id.to_string(), own.name));
        let choices = self.assistants.choices(&home, count, options);
        let further = match self.assistant.filter(|id| !choices.offers(&id.to_string())) {
            Some(id) => port.assistant(self.reach, id).await?,
            None => None,
        };
        Ok(choices.with_chosen(further.map(|own| (own.id.to_string(), own.name))))
    }

    /// Those from which a telephone can be called now.
    pub(super) async fn numbers(&self) -> Result<Choices, PageError> {
        let port = &self.inside.service.numbers;
        let asking = port.numbers_of(self.reach, self.inside.organization.id, self.numbers.request());
        let found = asking.await?;
        let home = self.home(self.assistants, self.assistant.map(|id| format!("assistant={id}")));
        let count = found.len();
        let choices = self.numbers.choices(&home, count, found.iter().filter_map(option));
        let further = match self.number.filter(|id| !choices.offers(&id.to_string())) {
            Some(id) => port.number(self.reach, id).await?,
            None => None,
        };
        Ok(choices.with_chosen(further.as_ref().and_then(option)))
    }
}

/// A number with its trunk, if it can call out: the line to the built-in phone leads to no other.
fn option(own: &CarriedNumber) -> Option<(String, String)> {
    let calls = own.carried && Some(&own.number.number) != calling_number().as_ref();
    calls.then(|| (own.number.id.to_string(), format!("{} · {}", own.number.number, own.trunk_name)))
}
