//! One call: how it stands, its recording beside what was said, what it came to, and what happened when.

use std::borrow::Cow;
use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_SECURITY_POLICY;
use askama::Template;
use domain::call::{Account, ArtifactKind, CallStory, Provenance, TranscriptEntry};
use domain::callback::CallbackUrl;
use domain::ids::{CallId, OrganizationId};
use domain::ports::Watched;
use domain::scope::Scope;
use domain::user::Right;

use super::list::badge;
use super::story::{self, Told};
use super::words::{self, Words};
use crate::answer;
use crate::error::PageError;
use crate::gate::Service;
use crate::language::Language;
use crate::layout::{Layout, Section};
use crate::live::{self, Frame, Part};
use crate::moment::{Length, Moment, Moments};
use crate::request::Inside;

/// What is shown of a call, in bytes of the page: a transcript gets what all else leaves of it, and the file has all.
const SHOWN_MAX: usize = 52 * 1024;

/// A call as one reader sees it.
#[derive(Clone)]
struct View {
    service: Arc<Service>,
    scope: Scope,
    organization: OrganizationId,
    call: CallId,
    path: String,
    language: Language,
    moments: Moments,
}

/// What a page is made of.
struct Drawn {
    frame: Frame,
    heading: String,
    live: bool,
}

impl View {
    fn of(inside: &Inside) -> Result<Self, PageError> {
        let call = inside.id_of_call()?;
        Ok(Self {
            service: Arc::clone(&inside.service),
            scope: inside.scope(),
            organization: inside.id(),
            path: inside.href(&format!("/calls/{call}")),
            call,
            language: inside.language,
            moments: Moments::new(inside.language, inside.organization.profile.timezone),
        })
    }

    /// What stands in another organization is not here, although its reader reaches both.
    async fn draw(&self) -> Result<Drawn, PageError> {
        let story = self.service.board.story(self.scope, self.call).await?;
        let here = |story: &CallStory| story.call.log.listing.organization == self.organization;
        let story = story.filter(here).ok_or(PageError::NotFound)?;
        let recording = self.file(&story, ArtifactKind::Recording, "recording");
        let file = self.file(&story, ArtifactKind::Transcript, "transcript");
        let words = Words::of(self.language);
        let (log, listing) = (&story.call.log, &story.call.log.listing);
        let over = !story.call.state.is_live();
        let unknown = || words.unknown.to_owned();
        let name = log.user_name.clone().filter(|name| !name.trim().is_empty());
        let heading = name.or_else(|| listing.user_number.clone()).unwrap_or_else(unknown);
        let head = Head {
            words,
            heading: &heading,
            state: words::state(self.language, story.call.state),
            class: badge(story.call.state),
            reason: log.ended_reason.map_or("", |reason| words::reason(self.language, reason)),
            duration: listing.duration.map(Length),
            since: listing.started_at.filter(|_| !over).map(domain::timestamp::rfc3339),
        };
        let account = story.account.as_ref();
        let player = Player { words, over, recording };
        let mut parts = vec![
            Part::new("state", head.render()?),
            Part::new("player", player.render()?),
            Part::new("summary", self.summary(&story).render()?),
            Part::new("facts", self.facts(&story).render()?),
            Part::new("timeline", self.timeline(&story).render()?),
        ];
        let taken: usize = parts.iter().map(|part| part.html.len()).sum();
        let (lines, cut) = lines(self.language, account, SHOWN_MAX.saturating_sub(taken));
        let transcript = Transcript { words, lines, cut, over, file, kept: account.is_some() };
        parts.push(Part::new("transcript", transcript.render()?));
        Ok(Drawn { frame: Frame::of(parts), heading, live: !over })
    }

    /// Where a file is had, once there is one.
    fn file(&self, story: &CallStory, kind: ArtifactKind, name: &str) -> Option<String> {
        story.artifact(kind).map(|_| format!("{}/{name}", self.path))
    }

    fn summary<'a>(&self, story: &'a CallStory) -> Summary<'a> {
        let log = &story.call.log;
        let words = Words::of(self.language);
        let (provenance, model) = match &story.analysis {
            None => ("", None),
            Some(Provenance::Due) => (words.analysis_due, None),
            Some(Provenance::Facts) => (words.from_facts, None),
            Some(Provenance::Model(model)) => (words.by_model, Some(model.as_str())),
        };
        let english = ("en", words.english, log.summary.as_deref());
        let french = ("fr-CA", words.french, log.summary_fr.as_deref());
        let texts = self.language.pick([english, french], [french, english]);
        let texts = texts.into_iter().filter_map(|(tag, name, text)| Some((tag, name, text?))).collect();
        let named = |text: &Option<String>| text.as_deref().map(words::spaced);
        Summary {
            words,
            texts,
            provenance,
            model,
            intent: named(&log.user_primary_intent),
            sentiment: named(&log.user_sentiment),
            outcome: named(&log.outcome),
        }
    }

    fn facts<'a>(&self, story: &'a CallStory) -> Facts<'a> {
        let listing = &story.call.log.listing;
        let full = |at| self.moments.full(at);
        Facts {
            words: Words::of(self.language),
            customer: listing.user_number.as_deref(),
            agent: listing.agent.as_ref().map(|(_, name)| name.as_str()),
            team: listing.team.as_ref().map(|(_, name)| name.as_str()),
            number: listing.number.as_deref(),
            call_type: words::call_type(self.language, listing.call_type),
            created: full(listing.created_at),
            started: listing.started_at.map(full),
            ended: listing.ended_at.map(full),
            call: self.call.to_string(),
            report: story
                .callback
                .as_ref()
                .and_then(|report| Some(CallbackUrl::from_stored(&report.url)?.redacted())),
        }
    }

    fn timeline(&self, story: &CallStory) -> Timeline {
        Timeline { words: Words::of(self.language), told: story::told(self.language, &self.moments, story) }
    }
}

impl Inside {
    fn id_of_call(&self) -> Result<CallId, PageError> {
        self.visit.asked.id("call", CallId::parse)
    }
}

/// The lines of a transcript for which there is room in the page, and whether it goes on.
fn lines(language: Language, account: Option<&Account>, mut left: usize) -> (Vec<Line<'_>>, bool) {
    let mut shown = Vec::new();
    let entries = account.map_or(&[][..], |account| &account.transcript);
    for entry in entries {
        let Some(rest) = left.checked_sub(written(&entry.text) + 200) else { break };
        left = rest;
        shown.push(Line::of(language, entry));
    }
    let cut = shown.len() < entries.len();
    (shown, cut)
}

/// Bytes of a text in a page, where some signs are written as five.
fn written(text: &str) -> usize {
    text.len() + 4 * text.bytes().filter(|byte| b"\"&'<>".contains(byte)).count()
}

/// `GET /o/{organization}/calls/{call}`.
pub(super) async fn show(inside: Inside) -> Result<HttpResponse, PageError> {
    let view = View::of(&inside)?;
    let drawn = view.draw().await?;
    let path = &view.path;
    let mut answer = answer::page(&Detail {
        layout: Layout::of(&inside, Section::Calls, &drawn.heading).with_scripts(&["live.js", "player.js"]),
        words: Words::of(inside.language),
        list: inside.href("/calls"),
        stream: format!("{path}/live"),
        version: format!("{:x}", drawn.frame.version),
        frame: &drawn.frame,
        hang_up: if drawn.live && inside.may(Right::PlaceCalls) {
            format!("{path}/hang-up")
        } else {
            String::new()
        },
    })?;
    // Also while there is no recording yet: it comes to the page that is open, under the policy that it has.
    let media = inside.service.artifacts.origin().ascii_serialization();
    if let Some(policy) = answer::policy_with_media(&media) {
        answer.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    }
    Ok(answer)
}

/// `GET /o/{organization}/calls/{call}/live`.
pub(super) async fn live(inside: Inside) -> Result<HttpResponse, PageError> {
    let view = View::of(&inside)?;
    let zone = inside.organization.profile.timezone.as_str();
    let key = format!("{} {} {zone}", view.organization, view.call);
    let watched = Watched::Story(view.call);
    let draw = move || -> std::pin::Pin<Box<dyn Future<Output = _> + Send>> {
        let view = view.clone();
        Box::pin(async move { view.draw().await.map(|drawn| drawn.frame) })
    };
    live::stream(&inside, &key, watched, Box::new(draw)).await
}

#[derive(Template)]
#[template(path = "calls/detail.html")]
struct Detail<'a> {
    layout: Layout,
    words: &'static Words,
    list: String,
    stream: String,
    version: String,
    frame: &'a Frame,
    /// Where to ask for the end of a live call; empty for who may not, and when it is over.
    hang_up: String,
}

#[derive(Template)]
#[template(path = "calls/state.html")]
struct Head<'a> {
    words: &'static Words,
    heading: &'a str,
    state: &'static str,
    class: &'static str,
    reason: &'static str,
    duration: Option<Length>,
    since: Option<String>,
}

#[derive(Template)]
#[template(path = "calls/player.html")]
struct Player {
    words: &'static Words,
    over: bool,
    recording: Option<String>,
}

#[derive(Template)]
#[template(path = "calls/transcript.html")]
struct Transcript<'a> {
    words: &'static Words,
    lines: Vec<Line<'a>>,
    cut: bool,
    over: bool,
    file: Option<String>,
    kept: bool,
}

/// A turn of a transcript.
struct Line<'a> {
    /// Seconds of the recording, as scripts read them.
    at: String,
    clock: Length,
    who: &'static str,
    class: &'static str,
    text: Cow<'a, str>,
    /// Whether it was said, and not done.
    words: bool,
}

impl<'a> Line<'a> {
    fn of(language: Language, entry: &'a TranscriptEntry) -> Self {
        Self {
            at: format!("{}.{:03}", entry.at.as_secs(), entry.at.subsec_millis()),
            clock: Length(entry.at.as_secs()),
            who: words::speaker(language, entry.who),
            class: match entry.who {
                domain::call::Speaker::Assistant => "assistant",
                domain::call::Speaker::Customer => "customer",
            },
            text: words::said(language, entry),
            words: entry.is_words(),
        }
    }
}

#[derive(Template)]
#[template(path = "calls/summary.html")]
struct Summary<'a> {
    words: &'static Words,
    /// Language tag, its name, and the text; the reader's own first.
    texts: Vec<(&'static str, &'static str, &'a str)>,
    provenance: &'static str,
    model: Option<&'a str>,
    intent: Option<String>,
    sentiment: Option<String>,
    outcome: Option<String>,
}

#[derive(Template)]
#[template(path = "calls/facts.html")]
struct Facts<'a> {
    words: &'static Words,
    customer: Option<&'a str>,
    agent: Option<&'a str>,
    team: Option<&'a str>,
    number: Option<&'a str>,
    call_type: &'static str,
    created: Moment,
    started: Option<Moment>,
    ended: Option<Moment>,
    call: String,
    report: Option<String>,
}

#[derive(Template)]
#[template(path = "calls/timeline.html")]
struct Timeline {
    words: &'static Words,
    told: Vec<Told>,
}
