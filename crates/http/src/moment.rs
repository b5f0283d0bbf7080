//! Moments as clients write them: strict RFC 3339, or a date alone.

use domain::timestamp::to_millis;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, OffsetDateTime, Time, UtcOffset};

/// A moment, or a whole day of UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// One moment.
    At(OffsetDateTime),
    /// From midnight to midnight, UTC.
    Day(Date),
}

impl Moment {
    /// The moment, or the day's first.
    pub(crate) fn first(self) -> OffsetDateTime {
        match self {
            Self::At(at) => at,
            Self::Day(day) => day.midnight().assume_utc(),
        }
    }

    /// The moment, or the day's last whole millisecond: no record's time is finer.
    pub(crate) fn last(self) -> OffsetDateTime {
        match self {
            Self::At(at) => at,
            Self::Day(day) => to_millis(day.with_time(Time::MAX).assume_utc()),
        }
    }
}

/// Reads a moment of the years 1970 to 9999, UTC. There is no `24:00` and no `:60`. A blank where
/// the sign of the offset stands is a `+` that was not escaped on its way through a query string.
pub(crate) fn parse(text: &str) -> Option<Moment> {
    let moment = match text.split_at_checked(10)? {
        (date, "") => Moment::Day(Date::parse(date, format_description!("[year]-[month]-[day]")).ok()?),
        (date, rest) => {
            let clock = rest.strip_prefix(['T', 't'])?;
            // The library takes a leap second for the moment before it.
            if clock.get(6..8)? == "60" {
                return None;
            }
            let text = format!("{date}T{}", clock.replacen(' ', "+", 1));
            let at = OffsetDateTime::parse(&text, &Rfc3339).ok()?;
            Moment::At(at.checked_to_offset(UtcOffset::UTC)?)
        }
    };
    (1970..=9999).contains(&moment.first().year()).then_some(moment)
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::*;

    #[test]
    fn strict_date_times_are_read_in_any_offset() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", datetime!(1970-01-01 00:00 UTC)),
            ("2026-03-01T09:30:00.250Z", datetime!(2026-03-01 09:30:00.250 UTC)),
            ("2026-03-01t09:30:00z", datetime!(2026-03-01 09:30 UTC)),
            ("2026-03-01T09:30:00.1234567891234Z", datetime!(2026-03-01 09:30:00.123456789 UTC)),
            ("2026-03-01T09:30:00+02:00", datetime!(2026-03-01 07:30 UTC)),
            ("2026-03-01T09:30:00 02:00", datetime!(2026-03-01 07:30 UTC)),
            ("2026-03-01T09:30:00-03:30", datetime!(2026-03-01 13:00 UTC)),
            ("2026-03-01T09:30:00-00:00", datetime!(2026-03-01 09:30 UTC)),
            ("2024-02-29T23:59:59.999+23:59", datetime!(2024-02-29 00:00:59.999 UTC)),
            ("9999-12-31T23:59:59.999Z", datetime!(9999-12-31 23:59:59.999 UTC)),
        ] {
            let moment = parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((moment.first(), moment.last()), (expected, expected), "{text}");
        }
    }

    #[test]
    fn a_date_alone_is_a_whole_day() {
        let day = parse("2026-03-01").unwrap();
        assert_eq!(day, Moment::Day(date!(2026 - 03 - 01)));
        assert_eq!(day.first(), datetime!(2026-03-01 00:00 UTC));
        assert_eq!(day.last(), datetime!(2026-03-01 23:59:59.999 UTC));
    }

    #[test]
    fn anything_else_is_no_moment() {
        for text in [
            "",
            "now",
            "infinity",
            "-infinity",
            "epoch",
            "NaN",
            "1772357400",
            "20260301",
            "20260301T093000Z",
            "2026-3-1",
            "2026-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-03-00",
            "2026-03-01T",
            "2026-03-01Z",
            "2026-03-01T09:30Z",
            "2026-03-01T09:30:00",
            "2026-03-01 09:30:00Z",
            "2026-03-01T09:30:00.Z",
            "2026-03-01T09:30:00,5Z",
            "2026-03-01T09:30:00.+5Z",
            "2026-03-01T24:00:00Z",
            "2026-03-01T09:60:00Z",
            "2026-03-01T09:30:60Z",
            "2016-12-31T23:59:60Z",
            "2026-03-01T09:30:00+2:00",
            "2026-03-01T09:30:00+0200",
            "2026-03-01T09:30:00+02",
            "2026-03-01T09:30:00+24:00",
            "2026-03-01T09:30:00+02:60",
            "2026-03-01T09:30:00  02:00",
            "2026-03-01T09:30:00+02:00Z",
            "2026-03-01T+9:30:00Z",
            "2026-03-01T09:30:00ZZ",
            "2026-03-01T09:30:00Z ",
            " 2026-03-01",
            "+2026-03-01",
            "-2026-03-01",
            "+294277-01-01T00:00:00Z",
            "294277-01-01T00:00:00Z",
            "10000-01-01",
            "1969-12-31",
            "0000-01-01T00:00:00Z",
            "1970-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
            "２０２６-03-01",
            "2026-03-0é",
            "2026-03-01T09:30:0é",
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }
}
