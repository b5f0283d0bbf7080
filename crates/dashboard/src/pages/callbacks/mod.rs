//! Callback deliveries of an organization: every try, and sending one again by hand.

mod outcome;
mod redeliver;
mod words;

use actix_web::HttpResponse;
use askama::Template;
use domain::audit::Actor;
use domain::callback::{DeliveryState, MANUAL_TRIES_MAX};
use domain::ids::CallId;
use domain::ports::{Delivery, DeliveryTry};
use domain::user::Right;

use self::words::Words;
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::moment::{Moment, Moments};
use crate::request::Inside;
use crate::routes::{Page, Takes};

pub(crate) const PAGES: &[Page] = &[
    Page::get(
        "/o/{organization}/callbacks",
        Takes::Within(Right::Redeliver, |inside| Box::pin(list(inside))),
    )
    .in_turn(),
    Page::get(
        "/o/{organization}/callbacks/{call}",
        Takes::Within(Right::Redeliver, |inside| Box::pin(one(inside))),
    ),
    Page::post(
        "/o/{organization}/callbacks/{call}",
        Takes::Within(Right::Redeliver, |inside| Box::pin(redeliver::send(inside))),
    ),
];

/// Callbacks on a page.
const PAGE: u32 = 25;

/// The latest tries of each in the list; its own page has all, also those by hand.
const LISTED_TRIES: usize = 5;

/// A callback as it is shown.
struct Shown {
    call: String,
    /// Where this callback has its page.
    href: String,
    destination: String,
    prepared: Moment,
    badge: &'static str,
    state: &'static str,
    /// When it is tried next.
    due: Option<Moment>,
    /// Whether it may be sent again now.
    sendable: bool,
    /// Why it may not.
    why_not: &'static str,
    tries: Vec<ShownTry>,
}

/// A try as it is shown.
struct ShownTry {
    number: u16,
    /// None when that is not known.
    at: Option<Moment>,
    badge: &'static str,
    outcome: String,
    latency: String,
    /// Who made it by hand; empty for one of the schedule.
    by: String,
}

#[derive(Template)]
#[template(path = "callbacks/list.html")]
struct List {
    layout: Layout,
    words: &'static Words,
    filters: Vec<Filter>,
    callbacks: Vec<Shown>,
    filtered: bool,
    /// Where calls are placed, for those who may.
    place: Option<String>,
    first: String,
    older: String,
}

/// A choice of state.
struct Filter {
    href: String,
    label: &'static str,
    current: bool,
}

async fn list(inside: Inside) -> Result<HttpResponse, PageError> {
    let words = words::of(inside.language);
    let state = match inside.query.text("state") {
        Some(text) => Some(DeliveryState::parse(text).ok_or(PageError::NotFound)?),
        None => None,
    };
    let before = match inside.query.text("before") {
        Some(text) => Some(CallId::parse(text).ok_or(PageError::NotFound)?),
        None => None,
    };
    let found = inside.service.deliveries.page(inside.scope(), inside.id(), state, before, PAGE + 1).await?;
    let mut found = found.ok_or(PageError::NotFound)?;
    let page = usize::try_from(PAGE).unwrap_or(usize::MAX);
    let last = if found.len() > page { found.get(page - 1).map(|last| last.call) } else { None };
    found.truncate(page);
    let base = inside.href("/callbacks");
    let address = |state: Option<DeliveryState>, before: Option<CallId>| {
        let state = state.map(|state| format!("state={}", state.as_str()));
        let query: Vec<_> = state.into_iter().chain(before.map(|id| format!("before={id}"))).collect();
        if query.is_empty() { base.clone() } else { format!("{base}?{}", query.join("&")) }
    };
    let choices = [None].into_iter().chain(DeliveryState::ALL.map(Some));
    let filters = choices.map(|choice| Filter {
        href: address(choice, None),
        label: choice.map_or(words.all, |state| words.state(state)),
        current: choice == state,
    });
    let template = List {
        layout: Layout::of(&inside, Section::Callbacks, words.title),
        words,
        filters: filters.collect(),
        callbacks: found.iter().map(|delivery| listed(&inside, words, delivery)).collect(),
        filtered: state.is_some(),
        place: inside.may(Right::PlaceCalls).then(|| inside.href("/place-call")),
        first: if before.is_some() { address(state, None) } else { String::new() },
        older: last.map(|last| address(state, Some(last))).unwrap_or_default(),
    };
    answer::page(&template)
}

#[derive(Template)]
#[template(path = "callbacks/one.html")]
struct One {
    layout: Layout,
    words: &'static Words,
    base: String,
    call_href: String,
    url: String,
    callback: Shown,
    /// What came of sending it again, when that was no good news.
    refused: Option<&'static str>,
}

async fn one(inside: Inside) -> Result<HttpResponse, PageError> {
    let words = words::of(inside.language);
    let delivery = wanted(&inside).await?;
    let (notice, refused) = redeliver::told(&inside, words);
    let template = One {
        layout: Layout::of(&inside, Section::Callbacks, words.one_title).noting(notice),
        words,
        base: inside.href("/callbacks"),
        call_href: inside.href(&format!("/calls/{}", delivery.call)),
        url: delivery.url.redacted(),
        callback: shown(&inside, words, &delivery),
        refused,
    };
    answer::page(&template)
}

/// The callback of the path, when it is one of just this organization.
async fn wanted(inside: &Inside) -> Result<Delivery, PageError> {
    let call = inside.visit.asked.id("call", CallId::parse)?;
    let found = inside.service.deliveries.of_call(inside.scope(), call).await?;
    found.filter(|delivery| delivery.organization == inside.id()).ok_or(PageError::NotFound)
}

/// The same beside others.
fn listed(inside: &Inside, words: &'static Words, delivery: &Delivery) -> Shown {
    let mut shown = shown(inside, words, delivery);
    shown.tries.drain(..shown.tries.len().saturating_sub(LISTED_TRIES));
    shown
}

fn shown(inside: &Inside, words: &'static Words, delivery: &Delivery) -> Shown {
    let moments = Moments::new(inside.language, inside.organization.profile.timezone);
    let under_way = delivery.manual_until.is_some_and(|until| until > inside.now());
    let why_not = if delivery.state == DeliveryState::Pending {
        words.pending
    } else if under_way {
        words.under_way
    } else if delivery.manual_tries >= MANUAL_TRIES_MAX {
        words.too_many
    } else {
        ""
    };
    Shown {
        call: delivery.call.to_string(),
        href: inside.href(&format!("/callbacks/{}", delivery.call)),
        destination: delivery.url.url().host_str().unwrap_or_default().to_owned(),
        prepared: moments.full(delivery.prepared_at),
        badge: match delivery.state {
            DeliveryState::Pending => "live",
            DeliveryState::Delivered => "good",
            DeliveryState::GivenUp => "bad",
        },
        state: words.state(delivery.state),
        due: delivery.due_at.map(|at| moments.full(at)),
        sendable: why_not.is_empty(),
        why_not,
        tries: shown_tries(inside, words, &moments, delivery),
    }
}

/// All that were begun, those too of which nobody told how they went.
fn shown_tries(inside: &Inside, words: &Words, moments: &Moments, delivery: &Delivery) -> Vec<ShownTry> {
    let told = delivery.tries.iter().map(|tried| shown_try(inside, words, moments, tried));
    let untold = delivery.untold(inside.now()).into_iter().map(|number| ShownTry {
        number,
        at: None,
        badge: "warn",
        outcome: words.untold.to_owned(),
        latency: String::new(),
        by: words.somebody.to_owned(),
    });
    let mut tries: Vec<_> = told.chain(untold).collect();
    tries.sort_by_key(|tried| tried.number);
    tries
}

fn shown_try(inside: &Inside, words: &Words, moments: &Moments, tried: &DeliveryTry) -> ShownTry {
    let outcome = &tried.record.outcome;
    ShownTry {
        number: tried.number,
        at: Some(moments.full(tried.record.began_at)),
        badge: if outcome.confirmed() { "good" } else { "bad" },
        outcome: outcome::text(outcome, words, inside.language),
        latency: outcome::latency(tried.record.took, inside.language),
        by: match &tried.by {
            None => String::new(),
            Some(Actor::User(_, email)) => email.clone(),
            Some(Actor::Key(id)) => words.a_key.replace("{}", &id.to_string()),
            Some(Actor::Operator) => words.operator.to_owned(),
        },
    }
}
