//! The list of an organization's calls.

use std::sync::Arc;

use actix_web::HttpResponse;
use askama::Template;
use domain::call::{Board, BoardCall, CallState, CallStatus, CallType};
use domain::ids::OrganizationId;
use domain::ports::Watched;
use domain::scope::Scope;
use domain::user::Right;

use super::chart::{Chart, bounds, class};
use super::filter::{BadDay, Filter, ORDERS, PAGE_SIZE};
use super::words::{self, Words};
use crate::answer;
use crate::error::PageError;
use crate::gate::Service;
use crate::language::Language;
use crate::layout::{self, Layout, Section};
use crate::live::{self, Frame, Part};
use crate::moment::{Length, Moment, Moments};
use crate::pages::shortened::shortened;
use crate::request::Inside;

/// The last page that stays up to date by itself: the further, the more each look at it costs.
const FOLLOWED: u32 = 10;

/// The list as one reader sees it; made anew whenever it changes.
#[derive(Clone)]
struct View {
    service: Arc<Service>,
    scope: Scope,
    organization: OrganizationId,
    language: Language,
    moments: Moments,
    filter: Filter,
    path: String,
    /// Where calls are placed, for those who may: they may end them too.
    place: Option<String>,
}

impl View {
    fn of(inside: &Inside) -> Self {
        let moments = Moments::new(inside.language, inside.organization.profile.timezone);
        Self {
            service: Arc::clone(&inside.service),
            scope: inside.scope(),
            organization: inside.id(),
            language: inside.language,
            filter: Filter::read(&inside.query, &moments),
            moments,
            path: inside.href("/calls"),
            place: inside.may(Right::PlaceCalls).then(|| inside.href("/place-call")),
        }
    }

    /// The parts that change, and how many calls there are.
    async fn draw(&self) -> Result<(Frame, u64), PageError> {
        let mut query = self.filter.query(self.organization);
        let chart = bounds(&self.moments, self.filter.from, self.filter.to, self.service.clock.now());
        let (bounds, step) = chart.unzip();
        query.chart = bounds;
        let board = self.service.board.board(self.scope, &query).await?.ok_or(PageError::NotFound)?;
        let chart = query
            .chart
            .as_ref()
            .zip(step)
            .map(|(bounds, step)| Chart::of(self.language, &self.moments, bounds, step, &board.chart));
        let parts = vec![
            Part::new("tally", self.tally(&board, chart)?),
            Part::new("none", self.none(&board)?),
            Part::new("pager", self.pager(&board)?),
        ];
        let rows = board.calls.items.iter().map(|call| {
            let row = Row::of(self, call);
            Ok(Part::new(row.id.clone(), row.render()?))
        });
        let rows = rows.collect::<Result<Vec<_>, PageError>>()?;
        Ok((Frame::with_rows(parts, rows), board.calls.total))
    }

    fn tally(&self, board: &Board, chart: Option<Chart>) -> Result<String, PageError> {
        let all = board.outcomes.total();
        let everything = Count {
            href: self.filter.with(&self.path, "status", None),
            label: Words::of(self.language).all,
            class: "all",
            calls: words::grouped(self.language, all),
            current: self.filter.status.is_none(),
        };
        let shown = [
            CallStatus::Calling,
            CallStatus::Completed,
            CallStatus::NoAnswer,
            CallStatus::Busy,
            CallStatus::Failed,
        ];
        let of_status = shown.into_iter().map(|status| Count {
            href: self.filter.with(&self.path, "status", Some(status.as_str())),
            label: words::status(self.language, status),
            class: class(status),
            calls: words::grouped(self.language, board.outcomes.of(status)),
            current: self.filter.status == Some(status),
        });
        let counts = std::iter::once(everything).chain(of_status).collect();
        let whatever = self.filter.agent.is_some() || self.filter.intent.is_some();
        let chart = chart.filter(|chart| chart.highest > 0);
        Ok(Tally { words: Words::of(self.language), counts, chart, whatever }.render()?)
    }

    fn none(&self, board: &Board) -> Result<String, PageError> {
        let empty = board.calls.items.is_empty();
        let narrowed = self.filter.narrows() || board.calls.total > 0;
        let (place, clear) = (self.place.as_deref(), self.path.as_str());
        Ok(Nothing { words: Words::of(self.language), empty, narrowed, place, clear }.render()?)
    }

    fn pager(&self, board: &Board) -> Result<String, PageError> {
        let (page, total) = (self.filter.page, board.calls.total);
        let pages = u32::try_from(total.div_ceil(u64::from(PAGE_SIZE))).unwrap_or(u32::MAX).max(1);
        let first = u64::from(page - 1) * u64::from(PAGE_SIZE) + 1;
        let last = (first + u64::from(PAGE_SIZE) - 1).min(total);
        let beyond = first > total;
        let [first, last, all] = [first, last, total].map(|number| words::grouped(self.language, number));
        let told = match (self.language, total) {
            (_, 0) => String::new(),
            (Language::English, _) if beyond => format!("{all} calls"),
            (Language::English, _) => format!("{first}–{last} of {all}"),
            (Language::French, _) if beyond => format!("{all} appels"),
            (Language::French, _) => format!("{first} à {last} sur {all}"),
        };
        let link = |page| self.filter.on_page(&self.path, page);
        let previous = if page > 1 { link(page.min(pages + 1) - 1) } else { String::new() };
        let next = if page < pages { link(page + 1) } else { String::new() };
        Ok(Pager { words: layout::words::of(self.language), previous, next, told }.render()?)
    }

    fn chips(&self) -> Vec<Chip> {
        let words = Words::of(self.language);
        let chips = self.filter.fields().filter(|(name, _)| *name != "sort").map(|(name, value)| {
            let (label, shown) = match name {
                "status" => {
                    let status = CallStatus::parse(value);
                    (words.status, status.map(|status| words::status(self.language, status).to_owned()))
                }
                "type" => {
                    let call_type = CallType::parse(value);
                    (words.kind, call_type.map(|own| words::call_type(self.language, own).to_owned()))
                }
                "agent" => (words.assistant, None),
                "intent" => (words.intent, None),
                "from" => (words.from, None),
                _ => (words.to, None),
            };
            let shown = shown.unwrap_or_else(|| value.to_owned());
            Chip { label, shown, href: self.filter.with(&self.path, name, None) }
        });
        chips.collect()
    }
}

/// `GET /o/{organization}/calls`.
pub(super) async fn show(inside: Inside) -> Result<HttpResponse, PageError> {
    let view = View::of(&inside);
    let (frame, total) = view.draw().await?;
    let followed = view.filter.page <= FOLLOWED;
    let words = Words::of(inside.language);
    let (language, filter) = (inside.language, &view.filter);
    let options = |any: &'static str, options: Vec<(&'static str, &'static str)>| {
        let any = (!any.is_empty()).then(|| (String::new(), any.to_owned()));
        let known = options.into_iter().map(|(value, text)| (value.to_owned(), text.to_owned()));
        any.into_iter().chain(known).collect::<Vec<_>>()
    };
    let problem = |bad: Option<BadDay>| match bad {
        Some(BadDay::Unreadable) => words.bad_day,
        Some(BadDay::BeforeTheStart) => words.ends_before,
        None => "",
    };
    let [from, to] = &filter.days;
    let statuses = CallStatus::ALL.iter().map(|own| (own.as_str(), words::status(language, *own))).collect();
    let types = CallType::ALL.iter().map(|own| (own.as_str(), words::call_type(language, *own))).collect();
    let orders = ORDERS.iter().map(|(name, order)| (*name, words::order(language, *order))).collect();
    answer::page(&List {
        layout: Layout::of(&inside, Section::Calls, words.title).with_scripts(if followed {
            &["live.js"]
        } else {
            &[]
        }),
        words,
        statuses: options(words.any, statuses),
        types: options(words.any, types),
        orders: options("", orders),
        status: filter.status.map_or("", CallStatus::as_str),
        call_type: filter.call_type.map_or("", CallType::as_str),
        order: filter.sort_name(),
        agent: filter.agent.as_deref().unwrap_or_default(),
        intent: filter.intent.as_deref().unwrap_or_default(),
        from,
        to,
        problems: [problem(filter.problems[0]), problem(filter.problems[1])],
        open: filter.narrows() || filter.problems.iter().any(Option::is_some),
        chips: view.chips(),
        export: (total > 0).then(|| filter.on_page(&view.path.replace("/calls", "/calls.csv"), 1)),
        place: view.place.as_deref(),
        stream: filter.on_page(&format!("{}/live", view.path), filter.page),
        clear: &view.path,
        version: format!("{:x}", frame.version),
        frame: &frame,
    })
}

/// `GET /o/{organization}/calls/live`: what changes on the page with the same filters.
pub(super) async fn live(inside: Inside) -> Result<HttpResponse, PageError> {
    let view = View::of(&inside);
    if view.filter.page > FOLLOWED {
        return Err(PageError::NotFound);
    }
    let zone = inside.organization.profile.timezone.as_str();
    let key = format!("{} {zone}", view.filter.on_page(&view.path, view.filter.page));
    let watched = Watched::Board(view.organization);
    let draw = move || -> std::pin::Pin<Box<dyn Future<Output = _> + Send>> {
        let view = view.clone();
        Box::pin(async move { view.draw().await.map(|(frame, _)| frame) })
    };
    live::stream(&inside, &key, watched, Box::new(draw)).await
}

#[derive(Template)]
#[template(path = "calls/list.html")]
struct List<'a> {
    layout: Layout,
    words: &'static Words,
    statuses: Vec<(String, String)>,
    types: Vec<(String, String)>,
    orders: Vec<(String, String)>,
    status: &'static str,
    call_type: &'static str,
    order: &'static str,
    agent: &'a str,
    intent: &'a str,
    from: &'a str,
    to: &'a str,
    problems: [&'static str; 2],
    open: bool,
    chips: Vec<Chip>,
    export: Option<String>,
    place: Option<&'a str>,
    stream: String,
    clear: &'a str,
    version: String,
    frame: &'a Frame,
}

/// A filter that is set, and the list without it.
struct Chip {
    label: &'static str,
    shown: String,
    href: String,
}

/// Calls of a status, and the list of them.
struct Count {
    href: String,
    label: &'static str,
    class: &'static str,
    calls: String,
    current: bool,
}

#[derive(Template)]
#[template(path = "calls/tally.html")]
struct Tally {
    words: &'static Words,
    counts: Vec<Count>,
    chart: Option<Chart>,
    whatever: bool,
}

#[derive(Template)]
#[template(path = "calls/none.html")]
struct Nothing<'a> {
    words: &'static Words,
    empty: bool,
    narrowed: bool,
    place: Option<&'a str>,
    clear: &'a str,
}

#[derive(Template)]
#[template(path = "calls/pager.html")]
struct Pager {
    words: &'static layout::words::Words,
    previous: String,
    next: String,
    told: String,
}

#[derive(Template)]
#[template(path = "calls/row.html")]
struct Row<'a> {
    words: &'static Words,
    id: String,
    href: String,
    state: &'static str,
    class: &'static str,
    name: Option<String>,
    user_number: Option<&'a str>,
    agent: Option<String>,
    number: Option<&'a str>,
    call_type: &'static str,
    created: Moment,
    /// Whole seconds of conversation.
    duration: Option<Length>,
    /// Since when they talk, as browsers read it.
    since: Option<String>,
    reason: &'static str,
    /// With whom a live one is, for somebody who may end it.
    hangs_up: Option<String>,
}

/// How a state looks.
pub(super) const fn badge(state: CallState) -> &'static str {
    class(state.status())
}

impl<'a> Row<'a> {
    fn of(view: &View, call: &'a BoardCall) -> Self {
        let listing = &call.log.listing;
        let name = call.log.user_name.as_deref().filter(|name| !name.trim().is_empty());
        let user_number = listing.user_number.as_deref();
        let started = listing.started_at.filter(|_| call.state == CallState::Connected);
        Self {
            words: Words::of(view.language),
            id: format!("call-{}", listing.id),
            href: format!("{}/{}", view.path, listing.id),
            state: words::state(view.language, call.state),
            class: badge(call.state),
            name: name.map(shortened),
            user_number,
            agent: listing.agent.as_ref().map(|(_, name)| shortened(name)),
            number: listing.number.as_deref(),
            call_type: words::call_type(view.language, listing.call_type),
            created: view.moments.short(listing.created_at),
            duration: listing.duration.map(Length),
            since: started.map(domain::timestamp::rfc3339),
            reason: call.log.ended_reason.map_or("", |reason| words::reason(view.language, reason)),
            hangs_up: (view.place.is_some() && call.state.is_live())
                .then(|| shortened(name.or(user_number).unwrap_or(Words::of(view.language).unknown))),
        }
    }
}
