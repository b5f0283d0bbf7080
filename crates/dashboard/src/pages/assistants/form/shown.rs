//! The form as its page shows it.

use actix_web::HttpResponse;
use askama::Template;
use domain::assistant::tool::Tool;
use domain::assistant::{Assistant, Dialect, Language as Spoken, ProviderKey, ProviderRole, listed};
use domain::user::Right;

use super::Again;
use super::fields::{Fields, Row, row_of};
use super::words::{self, Words};
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::pages::assistants::words as all;
use crate::pages::filled::Filled;
use crate::request::Inside;

#[derive(Template)]
#[template(path = "assistants/form.html")]
struct Shown {
    layout: Layout,
    all: &'static all::Words,
    words: &'static Words,
    home: String,
    /// None while it is new.
    id: Option<String>,
    name: String,
    engine: &'static str,
    fields: Fields,
    filled: Filled,
    focus: String,
    writes: bool,
    languages: Vec<(String, String)>,
    dialects: Vec<(String, String)>,
    keys: Vec<Key>,
    gives_keys: bool,
    /// The credentials that may be named, and what is shown of each.
    credentials: Vec<(String, String)>,
}

/// How the service gets into one provider.
struct Key {
    role: &'static str,
    /// What it does; one provider may do everything.
    does: &'static str,
    host: String,
    told: String,
}

pub(super) fn page(
    inside: &Inside,
    own: Option<&Assistant>,
    again: Again,
) -> Result<HttpResponse, PageError> {
    let (all, words) = (all::of(inside.language), words::of(inside.language));
    let engine = match own {
        Some(own) => super::super::engine(own),
        None => all::known_engine(inside.query.text("engine")),
    };
    let name = own.map_or_else(|| all.new.to_owned(), |own| own.name.clone());
    let keys = own.map(|own| keys(own, all, words)).unwrap_or_default();
    let shown = Shown {
        layout: Layout::of(inside, Section::Assistants, name.clone())
            .noting(all.done(inside.query.text("done"))),
        all,
        words,
        home: inside.href("/assistants"),
        id: own.map(|own| own.id.to_string()),
        name,
        engine,
        fields: again.fields,
        filled: again.filled,
        focus: again.focus,
        writes: inside.may(Right::WriteAssistants),
        languages: pairs(Spoken::ALL.map(|own| (own.as_str(), words.spoken(own)))),
        dialects: pairs(Dialect::ALL.map(|dialect| (dialect.as_str(), words::dialect(dialect)))),
        gives_keys: inside.may(Right::ManageSetup) && !keys.is_empty(),
        keys,
        credentials: credentials(inside, words),
    };
    shown.filled.page(&shown)
}

/// Each with the origins that it may be sent to.
fn credentials(inside: &Inside, words: &Words) -> Vec<(String, String)> {
    let named = inside.service.allowed_assistants.credentials.of_tenant(inside.organization.tenant);
    let named = named.map(|own| (own.name.to_string(), format!("{} ({})", own.name, listed(&own.origins))));
    std::iter::once((String::new(), words.no_credential.to_owned())).chain(named).collect()
}

fn keys(own: &Assistant, all: &all::Words, words: &Words) -> Vec<Key> {
    let providers = own.providers().into_iter();
    let key = providers.map(|(role, provider)| Key {
        role: role.as_str(),
        does: match role {
            ProviderRole::Realtime => "",
            ProviderRole::Chat => words.thinking,
            ProviderRole::Transcription => words.hearing,
            ProviderRole::Speech => words.speaking,
        },
        host: provider.endpoint.host_str().unwrap_or_default().to_owned(),
        told: match &provider.key {
            ProviderKey::None => all.no_key.to_owned(),
            ProviderKey::Stored(_) => all.stored_key.to_owned(),
            ProviderKey::Credential(name) => format!("{} {name}", all.credential),
            ProviderKey::Variable(name) => format!("{} {name}", all.variable),
        },
    });
    key.collect()
}

/// Fields below one key: those of a row, or of a provider.
struct Part<'a> {
    shown: &'a Shown,
    key: String,
    /// None where they are no row.
    row: Option<&'a Row>,
}

impl Part<'_> {
    fn name(&self, key: &str) -> String {
        format!("{}.{key}", self.key)
    }

    fn value(&self, key: &str) -> &str {
        match self.row {
            Some(row) => row.value(key),
            None => self.shown.value(&self.name(key)),
        }
    }

    fn problem(&self, key: &str) -> &str {
        self.shown.problem(&self.name(key))
    }

    fn text(&self, key: &str, attributes: &str) -> String {
        self.shown.text(&self.name(key), attributes)
    }

    /// What may be chosen, and what is chosen although it may not be.
    fn credentials(&self) -> Vec<(String, String)> {
        let (mut all, own) = (self.shown.credentials.clone(), self.value("credential"));
        if all.iter().all(|(name, _)| name != own) {
            all.push((own.to_owned(), own.to_owned()));
        }
        all
    }

    /// Whether an assistant of an earlier release names its key so.
    fn names_variable(&self) -> bool {
        !self.value("key_variable").is_empty() || !self.problem("key_variable").is_empty()
    }
}

impl Shown {
    fn value(&self, key: &str) -> &str {
        self.fields.value(key)
    }

    /// What is wrong with a field; empty when nothing is.
    fn problem(&self, field: &str) -> &str {
        self.filled.problem(field)
    }

    /// Whether something is wrong with fields whose names begin so: the part of the form with them is open.
    fn is_wrong(&self, beginning: &str) -> bool {
        self.filled.problems().any(|(field, _)| field.starts_with(beginning))
    }

    /// What is wrong, told above the form: the field that it is with where there is one.
    fn troubles(&self) -> impl Iterator<Item = (Option<&str>, &str)> {
        let of_form = self.filled.problems().filter(|(field, _)| *field != "key");
        // A line of a file that nobody sees, and a list as a whole, are no fields.
        of_form.map(|(field, told)| ((!matches!(field, "" | "steps")).then_some(field), told))
    }

    /// The attributes of a text field.
    fn text(&self, name: &str, attributes: &str) -> String {
        let lock = if self.writes { "" } else { " readonly" };
        let focus = if self.focus == name { " autofocus" } else { "" };
        format!("{attributes}{lock}{focus}")
    }

    /// The attributes of what is chosen or ticked.
    fn choice(&self) -> &'static str {
        if self.writes { "" } else { "disabled" }
    }

    fn steps(&self) -> impl Iterator<Item = (usize, Part<'_>)> {
        (1..).zip(&self.fields.steps).map(|(number, row)| (number, self.row("steps", number, Some(row))))
    }

    /// Those that there are, and an empty one for whoever may write.
    fn targets(&self) -> impl Iterator<Item = Part<'_>> {
        let empty = self.writes.then_some(None);
        let rows = self.fields.targets.iter().map(Some).chain(empty);
        (1..).zip(rows).map(|(number, row)| self.row("transfer_targets", number, row))
    }

    fn row<'a>(&'a self, list: &str, number: usize, row: Option<&'a Row>) -> Part<'a> {
        Part { shown: self, key: row_of(list, number), row }
    }

    /// A table of the file.
    fn table(&self, key: &str) -> Part<'_> {
        Part { shown: self, key: key.to_owned(), row: None }
    }

    fn tools(&self) -> impl Iterator<Item = (&'static str, &'static str, bool)> {
        Tool::ALL
            .into_iter()
            .map(|tool| (tool.as_str(), self.words.tool(tool), self.fields.names("tools", tool.as_str())))
    }

    fn waits(&self) -> Vec<(String, String)> {
        let words = self.words;
        pairs([
            ("speech-or-digit", words.speech_or_digit),
            ("speech", words.speech),
            ("digits", words.digits),
        ])
    }

    fn voicemail(&self) -> Vec<(String, String)> {
        let words = self.words;
        pairs([("", words.no_machines), ("hang-up", words.hangs_up), ("leave-message", words.leaves_message)])
    }

    /// The services of a cascade: what each does, whether it has the voice, and its table.
    fn services(&self) -> [(&'static str, bool, Part<'_>); 3] {
        let words = self.words;
        [
            (words.hearing, false, self.table("cascade.transcription")),
            (words.thinking, false, self.table("cascade.chat")),
            (words.speaking, true, self.table("cascade.speech")),
        ]
    }
}

/// What stands in a part of the form while it is closed.
impl Shown {
    fn recording(&self) -> &'static str {
        match (self.value("record").is_empty(), self.value("recording_notice").is_empty()) {
            (true, _) => self.words.not_recorded,
            (false, true) => self.words.recorded,
            (false, false) => self.words.recorded_with_notice,
        }
    }

    fn machines(&self) -> &'static str {
        match self.value("voicemail.action") {
            "hang-up" => self.words.hangs_up,
            "leave-message" => self.words.leaves_message,
            _ => self.words.no_machines,
        }
    }

    /// How many lines stand in a field.
    fn count(&self, key: &str, none: &str) -> String {
        match self.value(key).lines().filter(|line| !line.trim().is_empty()).count() {
            0 => none.to_owned(),
            number => number.to_string(),
        }
    }

    fn longest(&self) -> String {
        let seconds = self.value("limits.max_duration_seconds");
        (self.words.at_most)(if seconds.is_empty() { "600" } else { seconds })
    }
}

fn pairs<const N: usize>(pairs: [(&str, &str); N]) -> Vec<(String, String)> {
    pairs.map(|(value, text)| (value.to_owned(), text.to_owned())).to_vec()
}
