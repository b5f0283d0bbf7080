//! Moments as people read them, in the time zone of an organization.

use std::fmt;

use domain::organization::Timezone;
use domain::timestamp::rfc3339;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{RoundMode, Timestamp, Unit, ZonedRound};
use time::OffsetDateTime;

use crate::language::Language;

/// Shows moments and lengths in one language and time zone.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    language: Language,
    zone: TimeZone,
}

/// A moment for a template: `<time datetime="{{ m.machine }}">{{ m.text }}</time>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// RFC 3339.
    pub(crate) machine: String,
    /// For people.
    pub(crate) text: String,
}

const MONTHS: [[&str; 12]; 2] = [
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
    ["janv.", "févr.", "mars", "avr.", "mai", "juin", "juill.", "août", "sept.", "oct.", "nov.", "déc."],
];

impl Moments {
    /// In the organization's time zone.
    pub(crate) fn new(language: Language, zone: Timezone) -> Self {
        Self { language, zone: TimeZone::get(zone.as_str()).unwrap_or(TimeZone::UTC) }
    }

    /// Where no organization says another one.
    pub(crate) fn utc(language: Language) -> Self {
        Self { language, zone: TimeZone::UTC }
    }

    /// The time zone's civil date and time of a moment.
    pub(crate) fn civil(&self, moment: OffsetDateTime) -> jiff::Zoned {
        Timestamp::from_nanosecond(moment.unix_timestamp_nanos())
            .unwrap_or_default()
            .to_zoned(self.zone.clone())
    }

    /// `20 Nov 2026, 16:05:09`, and `20 nov. 2026, 16 h 05 min 09 s` in French.
    pub(crate) fn full(&self, moment: OffsetDateTime) -> Moment {
        let at = self.civil(moment);
        let text = format!("{}, {}", self.date(&at), self.clock(&at, true));
        Moment { machine: rfc3339(moment), text }
    }

    /// To the minute.
    pub(crate) fn short(&self, moment: OffsetDateTime) -> Moment {
        let at = self.civil(moment);
        let text = format!("{}, {}", self.date(&at), self.clock(&at, false));
        Moment { machine: rfc3339(moment), text }
    }

    /// When a civil day begins there.
    pub(crate) fn beginning(&self, day: Date) -> Option<OffsetDateTime> {
        instant(day.to_zoned(self.zone.clone()).ok()?.timestamp())
    }

    /// When the hour of a moment begins there.
    pub(crate) fn beginning_of_hour(&self, moment: OffsetDateTime) -> Option<OffsetDateTime> {
        let whole = ZonedRound::new().smallest(Unit::Hour).mode(RoundMode::Trunc);
        instant(self.civil(moment).round(whole).ok()?.timestamp())
    }

    /// The moment of a civil date and time there.
    pub(crate) fn moment_of(&self, civil: DateTime) -> Option<OffsetDateTime> {
        instant(civil.to_zoned(self.zone.clone()).ok()?.timestamp())
    }

    /// `20 Nov, 16:00`.
    pub(crate) fn hour(&self, moment: OffsetDateTime) -> String {
        format!("{}, {}", self.day(moment), self.clock(&self.civil(moment), false))
    }

    /// `20 Nov`.
    pub(crate) fn day(&self, moment: OffsetDateTime) -> String {
        let at = self.civil(moment);
        format!("{} {}", at.day(), self.month_name(&at))
    }

    /// `Nov 2026`.
    pub(crate) fn month(&self, moment: OffsetDateTime) -> String {
        let at = self.civil(moment);
        format!("{} {}", self.month_name(&at), at.year())
    }

    /// The time of the day, with seconds.
    pub(crate) fn time(&self, moment: OffsetDateTime) -> Moment {
        Moment { machine: rfc3339(moment), text: self.clock(&self.civil(moment), true) }
    }

    fn month_name(&self, at: &jiff::Zoned) -> &'static str {
        let months = self.language.pick(&MONTHS[0], &MONTHS[1]);
        usize::try_from(at.month()).ok().and_then(|month| months.get(month - 1)).copied().unwrap_or("")
    }

    fn date(&self, at: &jiff::Zoned) -> String {
        format!("{} {} {}", at.day(), self.month_name(at), at.year())
    }

    fn clock(&self, at: &jiff::Zoned, seconds: bool) -> String {
        let (hour, minute, second) = (at.hour(), at.minute(), at.second());
        match (self.language, seconds) {
            (Language::English, true) => format!("{hour:02}:{minute:02}:{second:02}"),
            (Language::English, false) => format!("{hour:02}:{minute:02}"),
            (Language::French, true) => format!("{hour} h {minute:02} min {second:02} s"),
            (Language::French, false) => format!("{hour} h {minute:02}"),
        }
    }
}

fn instant(at: Timestamp) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp_nanos(at.as_nanosecond()).ok()
}

/// A length of whole seconds: `0:07`, `12:03`, `1:02:03`.
pub(crate) struct Length(pub(crate) u64);

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hours, minutes, seconds) = (self.0 / 3600, self.0 / 60 % 60, self.0 % 60);
        if hours > 0 {
            write!(f, "{hours}:{minutes:02}:{seconds:02}")
        } else {
            write!(f, "{minutes}:{seconds:02}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_told_in_the_zone_and_language_of_the_reader() {
        let moment = time::macros::datetime!(2026-11-20 16:05:09.5 UTC);
        let zone = Timezone::parse("America/St_Johns").unwrap();
        let told = |language| Moments::new(language, zone).full(moment).text;
        assert_eq!(told(Language::English), "20 Nov 2026, 12:35:09");
        assert_eq!(told(Language::French), "20 nov. 2026, 12 h 35 min 09 s");
        assert_eq!(Moments::utc(Language::English).short(moment).text, "20 Nov 2026, 16:05");
        assert_eq!(Moments::utc(Language::English).full(moment).machine, rfc3339(moment));
    }

    #[test]
    fn every_time_zone_of_an_organization_is_known() {
        for name in domain::organization::TIMEZONES {
            assert!(TimeZone::get(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn lengths_have_hours_only_when_they_last_that_long() {
        let told = |seconds| Length(seconds).to_string();
        assert_eq!([told(7), told(723), told(3723)], ["0:07", "12:03", "1:02:03"]);
    }
}
