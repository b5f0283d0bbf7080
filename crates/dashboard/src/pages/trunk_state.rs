//! How a trunk stands, as far as this node sees it: a part of the pages that show trunks.
//!
//! `{{ state|safe }}` in a template puts it there; what it shows is escaped here.

use std::time::Duration;

use askama::Template;
use domain::ports::{NoAnswer, RegistrationReport, Standing, TrunkReport};
use time::OffsetDateTime;

use crate::language::Language;
use crate::moment::{Moment, Moments};

/// A trunk's state, ready to be shown.
#[derive(Template)]
#[template(path = "trunk_state.html")]
pub(crate) struct TrunkState {
    badge: &'static str,
    standing: &'static str,
    words: &'static Words,
    ping: Option<Told>,
    registration: Option<Told>,
    live_calls: usize,
}

/// Something that is told with its moment.
struct Told {
    text: String,
    at: Option<Moment>,
}

impl TrunkState {
    /// A report of a moment ago, in one language and time zone.
    pub(crate) fn of(
        report: &TrunkReport,
        now: OffsetDateTime,
        moments: &Moments,
        language: Language,
    ) -> Self {
        let words = language.pick(&ENGLISH, &FRENCH);
        let (badge, standing) = match report.standing {
            Standing::Up => ("good", words.up),
            Standing::Down => ("bad", words.down),
            Standing::NeverAsked => ("", words.never_asked),
            Standing::BuiltIn => ("good", words.built_in),
        };
        let ping = report.last_ping.as_ref().map(|ping| Told {
            text: match (&ping.answer, ping.round_trip) {
                (Ok(answer), Some(took)) => format!("{} {}, {}", answer.code, answer.phrase, length(took)),
                (Ok(answer), None) => format!("{} {}", answer.code, answer.phrase),
                (Err(why), _) => words.why(*why).to_owned(),
            },
            at: Some(moments.full(now - ping.ago)),
        });
        let registration = report.registration.as_ref().map(|registration| match registration {
            RegistrationReport::Pending => Told { text: words.pending.to_owned(), at: None },
            RegistrationReport::Stands { left } => {
                Told { text: words.registered_until.to_owned(), at: Some(moments.full(now + *left)) }
            }
            RegistrationReport::Refused(answer) => {
                Told { text: format!("{}: {} {}", words.refused, answer.code, answer.phrase), at: None }
            }
            RegistrationReport::Unanswered(why) => {
                Told { text: format!("{}: {}", words.not_registered, words.why(*why)), at: None }
            }
        });
        Self { badge, standing, words, ping, registration, live_calls: report.live_calls }
    }
}

fn length(took: Duration) -> String {
    format!("{} ms", took.as_millis().max(1))
}

struct Words {
    up: &'static str,
    down: &'static str,
    never_asked: &'static str,
    built_in: &'static str,
    last_answer: &'static str,
    registration: &'static str,
    pending: &'static str,
    registered_until: &'static str,
    not_registered: &'static str,
    refused: &'static str,
    live_calls: &'static str,
    of_this_node: &'static str,
    whys: fn(NoAnswer) -> &'static str,
}

impl Words {
    fn why(&self, why: NoAnswer) -> &'static str {
        (self.whys)(why)
    }
}

static ENGLISH: Words = Words {
    up: "Up",
    down: "Down",
    never_asked: "Not asked yet",
    built_in: "Built in",
    last_answer: "Last answer to OPTIONS",
    registration: "Registration",
    pending: "The first answer is awaited",
    registered_until: "Registered until",
    not_registered: "Not registered",
    refused: "Refused",
    live_calls: "Live calls",
    of_this_node: "As this node sees it; other nodes ask for themselves.",
    whys: NoAnswer::as_str,
};

static FRENCH: Words = Words {
    up: "Joignable",
    down: "Injoignable",
    never_asked: "Pas encore interrogée",
    built_in: "Intégrée",
    last_answer: "Dernière réponse à OPTIONS",
    registration: "Enregistrement",
    pending: "En attente de la première réponse",
    registered_until: "Enregistrée jusqu’au",
    not_registered: "Non enregistrée",
    refused: "Refusé",
    live_calls: "Appels en cours",
    of_this_node: "Vu de ce nœud ; les autres nœuds interrogent la ligne eux-mêmes.",
    whys: |why| match why {
        NoAnswer::NoAddress => "le nom ne mène à aucune adresse",
        NoAnswer::Guarded(_) => "adresse refusée : elle n’est pas publique",
        NoAnswer::NoConnection => "pas de connexion",
        NoAnswer::Silent => "pas de réponse",
    },
};

#[cfg(test)]
mod tests {
    use domain::call::FinalAnswer;
    use domain::ports::PingReport;

    use super::*;

    fn shown(report: &TrunkReport, language: Language) -> String {
        let now = time::macros::datetime!(2026-11-20 16:05:09 UTC);
        TrunkState::of(report, now, &Moments::utc(language), language).render().unwrap()
    }

    #[test]
    fn what_is_known_is_told_with_its_moments_and_what_a_trunk_says_stays_text() {
        let answer = FinalAnswer { code: 200, phrase: "<b>OK</b>".to_owned() };
        let report = TrunkReport {
            standing: Standing::Up,
            last_ping: Some(PingReport {
                ago: Duration::from_secs(9),
                round_trip: Some(Duration::from_millis(12)),
                answer: Ok(answer),
            }),
            registration: Some(RegistrationReport::Stands { left: Duration::from_mins(5) }),
            live_calls: 3,
        };
        let english = shown(&report, Language::English);
        for part in ["Up", "16:05:00", "12 ms", "16:10:09", "&#60;b&#62;OK"] {
            assert!(english.contains(part), "{part}: {english}");
        }
        assert!(!english.contains("<b>"));
        assert!(shown(&report, Language::French).contains("16 h 10 min 09 s"));
    }

    #[test]
    fn a_trunk_without_an_answer_says_why_and_names_no_address() {
        let guarded = NoAnswer::Guarded(domain::network::Refused::Private);
        let report = TrunkReport {
            standing: Standing::Down,
            last_ping: Some(PingReport { ago: Duration::ZERO, round_trip: None, answer: Err(guarded) }),
            registration: Some(RegistrationReport::Unanswered(NoAnswer::Silent)),
            live_calls: 0,
        };
        let english = shown(&report, Language::English);
        assert!(english.contains("private address") && english.contains("Not registered: no answer"));
        assert!(shown(&TrunkReport::default(), Language::French).contains("Pas encore interrogée"));
    }
}
