//! An assistant as a form. It is a view of the file: what is typed becomes the file's text, and the file's
//! reader says what is wrong with it.

mod fields;
mod keys;
mod pairs;
mod shown;
mod words;

use actix_web::HttpResponse;
use application::assistant_file::{self, BadFile, Draft};
use domain::assistant::Assistant;
use domain::ids::AssistantId;
use domain::scope::Reach;

use self::fields::{Fields, name_in};
pub(super) use self::words::{Words, of as words_of};
use super::{named, words as all};
use crate::answer;
use crate::error::PageError;
use crate::pages::filled::Filled;
use crate::request::Inside;
use crate::tell::Tell;

/// What was typed, and what becomes of it.
enum Taken {
    Assistant(Draft),
    /// The form is shown again: something is wrong, or it was only asked for another row.
    Again(Again),
}

/// What a form shows.
struct Again {
    fields: Fields,
    /// What is wrong with them.
    filled: Filled,
    /// The field to go on with.
    focus: String,
}

impl Again {
    fn of(inside: &Inside, fields: Fields) -> Self {
        Self { fields, filled: Filled::with(inside, []), focus: String::new() }
    }
}

pub(super) fn new(inside: &Inside) -> Result<HttpResponse, PageError> {
    shown::page(inside, None, Again::of(inside, beginning(inside)))
}

pub(super) async fn create(inside: Inside) -> Result<HttpResponse, PageError> {
    match take(&inside, &beginning(&inside))? {
        Taken::Assistant(draft) => {
            let id = add(&inside, draft).await?;
            Ok(answer::see(&inside.href(&format!("/assistants/{id}?done=created"))))
        }
        Taken::Again(again) => shown::page(&inside, None, again),
    }
}

pub(super) async fn show(inside: Inside) -> Result<HttpResponse, PageError> {
    let own = named(&inside).await?;
    shown::page(&inside, Some(&own), Again::of(&inside, known(&own)))
}

pub(super) async fn revise(inside: Inside) -> Result<HttpResponse, PageError> {
    let own = named(&inside).await?;
    match take(&inside, &known(&own))? {
        Taken::Assistant(draft) => {
            replace(&inside, &own, draft).await?;
            Ok(answer::see(&inside.href(&format!("/assistants/{}?done=saved", own.id))))
        }
        Taken::Again(again) => shown::page(&inside, Some(&own), again),
    }
}

/// The form of an assistant for which a key came that is none.
pub(super) fn with_bad_key(
    inside: &Inside,
    own: &Assistant,
    broken: &impl Tell,
) -> Result<HttpResponse, PageError> {
    let mut again = Again::of(inside, known(own));
    again.filled.note("key", broken);
    shown::page(inside, Some(own), again)
}

/// Makes an assistant of a draft.
pub(super) async fn add(inside: &Inside, draft: Draft) -> Result<AssistantId, PageError> {
    let own = &inside.organization;
    let id: AssistantId = inside.new_id();
    let made = draft.into_assistant(id, own.tenant, own.id, inside.now());
    let (reach, deed) = (Reach::Within(inside.scope()), inside.deed());
    inside.write(async move |service| service.assistants.add_assistant(reach, made, deed).await).await??;
    Ok(id)
}

/// Puts a draft in the place of an assistant.
pub(super) async fn replace(inside: &Inside, own: &Assistant, draft: Draft) -> Result<(), PageError> {
    let revised = draft.into_assistant(own.id, own.tenant, own.organization, own.created_at);
    let (reach, deed) = (Reach::Within(inside.scope()), inside.deed());
    inside
        .write(async move |service| service.assistants.revise_assistant(reach, revised, None, deed).await)
        .await??;
    Ok(())
}

/// What a new assistant begins with.
fn beginning(inside: &Inside) -> Fields {
    let engine = all::known_engine(inside.query.text("engine"));
    Fields::of_file(engine, all::of(inside.language).beginning(engine))
}

fn known(own: &Assistant) -> Fields {
    Fields::of_file(super::engine(own), &assistant_file::write(own))
}

fn take(inside: &Inside, base: &Fields) -> Result<Taken, PageError> {
    // The last field: a form of more fields than are read would lose some.
    if !inside.form.ticked("whole") {
        return Err(PageError::BadForm);
    }
    let mut again = Again::of(inside, Fields::typed(&inside.form, base));
    if let Some(asked) = inside.form.text("rows") {
        again.focus = again.fields.arrange(asked);
        return Ok(Taken::Again(again));
    }
    let text = match again.fields.to_text() {
        Ok(text) => text,
        Err(unreadable) => {
            for (field, why) in unreadable {
                again.filled.note(&field, &why);
            }
            return Ok(Taken::Again(again));
        }
    };
    match assistant_file::parse(&text, &inside.service.allowed_assistants) {
        Ok(draft) => Ok(Taken::Assistant(draft)),
        Err(bad) => {
            note(&mut again.filled, &bad);
            Ok(Taken::Again(again))
        }
    }
}

/// Notes what is wrong with the file at the field that it came from.
fn note(filled: &mut Filled, bad: &BadFile) {
    match bad {
        BadFile::Value { key, rule } => filled.note(&field_of(key), rule),
        // No field can be filled so; somebody sent another form.
        BadFile::Form { .. } => filled.note("", bad),
    }
}

/// The field in which a key of the file stands: keys below it are lines of its own.
fn field_of(key: &str) -> String {
    let list = key.split_once("].").map(|(row, _)| format!("{row}].replies"));
    let above = [Some("variables".to_owned()), list].into_iter().flatten();
    let found = above.into_iter().find(|field| key.starts_with(&format!("{field}.")));
    found.unwrap_or_else(|| key.to_owned())
}

impl Fields {
    /// Adds, removes or raises a row, and says which field to go on with.
    fn arrange(&mut self, asked: &str) -> String {
        let say = |number| name_in("steps", number, "say");
        let (what, number) = asked.split_once(' ').unwrap_or((asked, ""));
        let place = number.parse::<usize>().ok().filter(|number| (1..=self.steps.len()).contains(number));
        match (what, place) {
            ("add-step", _) => {
                self.add_step();
                say(self.steps.len())
            }
            ("remove-step", Some(number)) => {
                self.steps.remove(number - 1);
                if self.steps.is_empty() { "add-step".to_owned() } else { say(number.min(self.steps.len())) }
            }
            ("raise-step", Some(number @ 2..)) => {
                self.steps.swap(number - 2, number - 1);
                say(number - 1)
            }
            // One is always empty at the end.
            _ => name_in("transfer_targets", self.targets.len() + 1, "name"),
        }
    }
}

#[cfg(test)]
mod tests;
