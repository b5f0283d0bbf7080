//! An assistant as a form. It is a view of the file: what is typed becomes the file's text, and the file's
//! reader says what is wrong with it.

mod fields;
mod keys;
mod pairs;
mod shown;
mod words;

use actix_web::HttpResponse;
use application::assistant_file::{self, BadFile, OwnedDraft};
use domain::assistant::Assistant;
use domain::ids::AssistantId;
use domain::ports::{Added, ReviseError};
use domain::scope::Reach;

use self::fields::{Fields, name_in};
pub(super) use self::words::{Words, of as words_of};
use super::{named, said, words as all};
use crate::answer;
use crate::error::PageError;
use crate::pages::filled::Filled;
use crate::request::Inside;
use crate::tell::Tell;

/// What a form shows.
struct Again {
    fields: Fields,
    /// What is wrong with them.
    filled: Filled,
    /// The field to go on with.
    focus: String,
}

impl Again {
    const fn of(fields: Fields, filled: Filled) -> Self {
        Self { fields, filled, focus: String::new() }
    }
}

pub(super) fn new(inside: &Inside) -> Result<HttpResponse, PageError> {
    shown::page(inside, None, Again::of(beginning(inside), begin(inside, [])))
}

pub(super) async fn create(inside: Inside) -> Result<HttpResponse, PageError> {
    let filled = Filled::typed(&inside, &["id"]);
    let id = filled.id(AssistantId::parse)?;
    let (draft, again) = take(&inside, &beginning(&inside), filled)?;
    let Some(draft) = draft else { return shown::page(&inside, None, again) };
    add(&inside, id, draft).await?;
    Ok(answer::see(&inside.href(&format!("/assistants/{id}?done=created"))))
}

pub(super) async fn show(inside: Inside) -> Result<HttpResponse, PageError> {
    let own = named(&inside).await?;
    shown::page(&inside, Some(&own), Again::of(known(&own), Filled::stored(&inside, said(&own))))
}

pub(super) async fn revise(inside: Inside) -> Result<HttpResponse, PageError> {
    let own = named(&inside).await?;
    let (draft, mut again) = take(&inside, &known(&own), Filled::retyped(&inside, &[])?)?;
    let Some(draft) = draft else { return shown::page(&inside, Some(&own), again) };
    match replace(&inside, &own, &mut again.filled, draft).await? {
        Replaced::Saved { done } => {
            Ok(answer::see(&inside.href(&format!("/assistants/{}?done={done}", own.id))))
        }
        Replaced::Overtaken(other) => shown::page(&inside, Some(&other), again),
    }
}

/// The form of an assistant for which a key came that is none.
pub(super) fn with_bad_key(
    inside: &Inside,
    own: &Assistant,
    broken: &impl Tell,
) -> Result<HttpResponse, PageError> {
    let mut again = Again::of(known(own), Filled::stored(inside, said(own)));
    again.filled.note("key", broken);
    shown::page(inside, Some(own), again)
}

/// The beginning of an assistant, with its id.
pub(super) fn begin(inside: &Inside, values: impl IntoIterator<Item = (&'static str, String)>) -> Filled {
    let id: AssistantId = inside.new_id();
    Filled::with(inside, values.into_iter().chain([("id", id.to_string())]))
}

/// Makes an assistant of a draft; the same form sent twice makes one.
pub(super) async fn add(inside: &Inside, id: AssistantId, draft: OwnedDraft) -> Result<(), PageError> {
    let own = &inside.organization;
    let made = draft.into_assistant(id, own.id, inside.now());
    let (reach, deed) = (Reach::Within(inside.scope()), inside.deed());
    let adding = inside.write(async move |service| service.assistants.add_assistant(reach, made, deed).await);
    if adding.await?? == Added::Repeated {
        let found = inside.service.assistants.assistant(reach, id).await?;
        found.filter(|found| found.organization == own.id).ok_or(PageError::NotFound)?;
    }
    Ok(())
}

/// What became of an assistant that was to be replaced.
pub(super) enum Replaced {
    /// It was; `done` names the notice for it.
    Saved { done: &'static str },
    /// Somebody else was faster, and this stands there.
    Overtaken(Box<Assistant>),
}

/// Reads the text of an assistant of the organization, and judges the keys that it names.
pub(super) fn read(inside: &Inside, text: &str) -> Result<OwnedDraft, BadFile> {
    let allowed = &inside.service.allowed_assistants;
    let draft = assistant_file::parse(text, allowed)?;
    draft.of_tenant(inside.organization.tenant, &allowed.credentials)
}

/// Puts a draft in the place of an assistant.
pub(super) async fn replace(
    inside: &Inside,
    own: &Assistant,
    filled: &mut Filled,
    draft: OwnedDraft,
) -> Result<Replaced, PageError> {
    let revised = draft.into_assistant(own.id, own.organization, own.created_at);
    let (reach, deed, seen) = (Reach::Within(inside.scope()), inside.deed(), Some(filled.seen_by(said)));
    let revising = inside
        .write(async move |service| service.assistants.revise_assistant(reach, revised, seen, deed).await);
    match revising.await? {
        Ok(revised) if revised.keys_lost_since(own).is_empty() => Ok(Replaced::Saved { done: "saved" }),
        Ok(_) => Ok(Replaced::Saved { done: "key-lost" }),
        Err(ReviseError::Overtaken) => {
            let other = named(inside).await?;
            filled.overtake(&said(&other));
            Ok(Replaced::Overtaken(Box::new(other)))
        }
        Err(failed) => Err(failed.into()),
    }
}

/// What a new assistant begins with.
fn beginning(inside: &Inside) -> Fields {
    let engine = all::known_engine(inside.query.text("engine"));
    Fields::of_file(engine, all::of(inside.language).beginning(engine))
}

fn known(own: &Assistant) -> Fields {
    Fields::of_file(super::engine(own), &assistant_file::write(own))
}

/// What was typed, and the assistant that it describes: none when something is wrong, or when it was only asked
/// for another row.
fn take(inside: &Inside, base: &Fields, filled: Filled) -> Result<(Option<OwnedDraft>, Again), PageError> {
    // The last field: a form of more fields than are read would lose some.
    if !inside.form.ticked("whole") {
        return Err(PageError::BadForm);
    }
    let mut again = Again::of(Fields::typed(&inside.form, base), filled);
    if let Some(asked) = inside.form.text("rows") {
        again.focus = again.fields.arrange(asked);
        return Ok((None, again));
    }
    let text = match again.fields.to_text() {
        Ok(text) => text,
        Err(unreadable) => {
            for (field, why) in unreadable {
                again.filled.note(&field, &why);
            }
            return Ok((None, again));
        }
    };
    let draft = read(inside, &text);
    Ok((draft.map_err(|bad| note(&mut again.filled, &bad)).ok(), again))
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
