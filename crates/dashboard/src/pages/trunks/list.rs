//! `/trunks`.

use actix_web::HttpResponse;
use askama::Template;
use domain::ports::{NoAnswer, RegistrationReport, Standing, TrunkReport};
use domain::scope::Reach;
use domain::user::Right;

use super::words::{self, Words};
use crate::answer;
use crate::causes::cause;
use crate::error::PageError;
use crate::language::Language;
use crate::layout::{Layout, Section};
use crate::pages::paging::Paging;
use crate::request::Visit;

#[derive(Template)]
#[template(path = "trunks/list.html")]
struct Shown {
    layout: Layout,
    words: &'static Words,
    rows: Vec<Row>,
    manages: bool,
    page: u32,
    previous: String,
    next: String,
    told: String,
}

struct Row {
    id: String,
    name: String,
    address: String,
    transport: &'static str,
    /// The badge's class, and its words.
    standing: (&'static str, &'static str),
    ping: String,
    registration: Option<(&'static str, String)>,
    calls: usize,
}

pub(super) async fn show(visit: Visit) -> Result<HttpResponse, PageError> {
    let words = words::of(visit.language);
    let paging = Paging::of(&visit.query);
    let (reach, page) = (Reach::Within(visit.scope()), paging.request());
    let found = visit.service.trunks.trunks_of(reach, visit.user.tenant, page).await?;
    let (previous, next) = paging.neighbours("/trunks", found.len());
    let rows = found.into_iter().map(|own| {
        let report = visit.service.trunk_reports.report(own.id);
        Row {
            id: own.id.to_string(),
            name: own.name,
            address: own.address.to_string(),
            transport: own.transport.as_str(),
            standing: standing(report.standing, words),
            ping: ping(&report, visit.language),
            calls: report.live_calls,
            registration: report.registration.map(|known| registration(&known, visit.language)),
        }
    });
    let notice = match visit.query.text("done") {
        Some("created") => Some(words.created),
        Some("retired") => Some(words.retired),
        _ => None,
    };
    answer::page(&Shown {
        layout: Layout::of(&visit, Section::Trunks, words.title).noting(notice),
        words,
        rows: rows.collect(),
        manages: visit.may(Right::ManageTenant),
        page: paging.number,
        previous,
        next,
        told: format!("{} {}", words.page, paging.number),
    })
}

const fn standing(standing: Standing, words: &Words) -> (&'static str, &'static str) {
    match standing {
        Standing::NeverAsked => ("", words.never_asked),
        Standing::Up => ("good", words.up),
        Standing::Down => ("bad", words.down),
        Standing::BuiltIn => ("good", words.built_in),
    }
}

fn ping(report: &TrunkReport, language: Language) -> String {
    let Some(ping) = &report.last_ping else { return words::of(language).no_ping.to_owned() };
    let ago = ping.ago.as_secs();
    match &ping.answer {
        Ok(answer) => {
            let trip = ping.round_trip.map_or(String::new(), |trip| format!(", {} ms", trip.as_millis()));
            format!("{} {}{trip} · {ago} s", answer.code, answer.phrase)
        }
        Err(why) => format!("{} · {ago} s", silence(*why, language)),
    }
}

fn silence(why: NoAnswer, language: Language) -> &'static str {
    match why {
        NoAnswer::Silent => words::of(language).silent,
        NoAnswer::NoAddress | NoAnswer::NoConnection | NoAnswer::Guarded(_) => cause(why.as_str(), language),
    }
}

fn registration(report: &RegistrationReport, language: Language) -> (&'static str, String) {
    let words = words::of(language);
    match report {
        RegistrationReport::Pending => ("", words.pending.to_owned()),
        RegistrationReport::Stands { .. } => ("good", words.registered.to_owned()),
        RegistrationReport::Refused(answer) => ("bad", format!("{} {}", answer.code, answer.phrase)),
        RegistrationReport::Unanswered(why) => ("bad", silence(*why, language).to_owned()),
    }
}
