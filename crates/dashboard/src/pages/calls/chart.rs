//! The chart of calls: which bars it has, and how they are drawn.

use std::fmt::Write;

use domain::call::{CallStatus, ChartBounds, Outcomes};
use jiff::ToSpan;
use time::{Duration, OffsetDateTime};

use super::words::{self, grouped};
use crate::language::Language;
use crate::moment::Moments;

/// Without a beginning of the period, so many days are shown.
const USUAL: Duration = Duration::days(30);

/// What happened in so short a time is shown hour by hour, and day by day up to so long a time.
const BY_HOURS: Duration = Duration::hours(50);
const BY_DAYS: Duration = Duration::days(64);

/// A drawing's size, in units of its own.
const WIDTH: usize = 720;
const HEIGHT: usize = 120;

/// From the bottom of a bar to its top.
const STACK: [CallStatus; 5] =
    [CallStatus::Completed, CallStatus::NoAnswer, CallStatus::Busy, CallStatus::Failed, CallStatus::Calling];

/// How long a bar's time is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Hour,
    Day,
    Month,
}

/// The bars of a period up to now, in the organization's time zone.
pub(super) fn bounds(
    moments: &Moments,
    from: Option<OffsetDateTime>,
    to: Option<OffsetDateTime>,
    now: OffsetDateTime,
) -> Option<(ChartBounds, Step)> {
    let last = to.map_or(now, |to| to.min(now));
    let first = from.unwrap_or_else(|| last.saturating_sub(USUAL - Duration::DAY)).min(last);
    let step = match last - first {
        span if span <= BY_HOURS => Step::Hour,
        span if span <= BY_DAYS => Step::Day,
        _ => Step::Month,
    };
    let begins = beginnings(moments, step, first, last)?;
    Some((ChartBounds::new(begins)?, step))
}

/// Where bars begin from the one of `first` on, up to the first that is after `last`: as many as a chart
/// may have, the latest of them.
fn beginnings(
    moments: &Moments,
    step: Step,
    first: OffsetDateTime,
    last: OffsetDateTime,
) -> Option<Vec<OffsetDateTime>> {
    let most = i32::try_from(ChartBounds::MOST).ok()?;
    let begins = |place: i32| match step {
        Step::Hour => Some(moments.beginning_of_hour(first)? + Duration::hours(place.into())),
        Step::Day => moments.beginning(moments.civil(first).date().checked_add(place.days()).ok()?),
        Step::Month => {
            // Far back, the chart ends with the period all the same.
            let month = moments.civil(first).date().first_of_month();
            let earliest =
                moments.civil(last).date().first_of_month().checked_sub((most - 1).months()).ok()?;
            moments.beginning(month.max(earliest).checked_add(place.months()).ok()?)
        }
    };
    let mut found = vec![begins(0)?];
    for place in 1..=most {
        found.push(begins(place)?);
        if found.last().is_some_and(|begin| *begin > last) {
            break;
        }
    }
    Some(found)
}

/// A chart for a template.
pub(super) struct Chart {
    /// Its name and what it shows, in a sentence.
    pub(super) title: String,
    pub(super) told: String,
    pub(super) width: usize,
    pub(super) height: usize,
    /// The stacks: class and path of each status.
    pub(super) paths: Vec<(&'static str, String)>,
    /// The most calls of a bar.
    pub(super) highest: u64,
    pub(super) bars: Vec<Bar>,
    pub(super) statuses: Vec<&'static str>,
    /// Under the first bar, the middle one and the last.
    pub(super) labels: [String; 3],
}

/// A bar: where it stands, what it is called, and its calls by status.
pub(super) struct Bar {
    pub(super) x: usize,
    pub(super) width: usize,
    pub(super) label: String,
    pub(super) total: u64,
    pub(super) counts: Vec<u64>,
}

/// What a status is called by the style sheet.
pub(super) const fn class(status: CallStatus) -> &'static str {
    match status {
        CallStatus::Calling => "live",
        CallStatus::Completed => "good",
        CallStatus::NoAnswer => "calm",
        CallStatus::Busy => "warn",
        CallStatus::Failed => "bad",
    }
}

impl Chart {
    pub(super) fn of(
        language: Language,
        moments: &Moments,
        bounds: &ChartBounds,
        step: Step,
        counted: &[Outcomes],
    ) -> Self {
        let highest = counted.iter().map(Outcomes::total).max().unwrap_or(0);
        let count = counted.len().max(1);
        let place = |bar: usize| bar * WIDTH / count;
        let mut paths: Vec<_> = STACK.iter().map(|status| (class(*status), String::new())).collect();
        let mut bars = Vec::with_capacity(count);
        for (number, ((begin, _), outcomes)) in bounds.bars().zip(counted).enumerate() {
            let (x, next) = (place(number), place(number + 1));
            let (gap, mut below) = (if next - x > 4 { 2 } else { 1 }, 0);
            for (status, (_, path)) in STACK.iter().zip(&mut paths) {
                let calls = outcomes.of(*status);
                let (bottom, top) = (scaled(below, highest), scaled(below + calls, highest));
                below += calls;
                if top > bottom {
                    let wide = (next - x).saturating_sub(gap).max(1);
                    // Writing to a string cannot fail.
                    let _ = write!(path, "M{x} {}h{wide}v{}h-{wide}z", HEIGHT - top, top - bottom);
                }
            }
            bars.push(Bar {
                x,
                width: next - x,
                label: label(moments, step, begin),
                total: outcomes.total(),
                counts: STACK.iter().map(|status| outcomes.of(*status)).collect(),
            });
        }
        paths.retain(|(_, path)| !path.is_empty());
        let name = |bar: usize| bars.get(bar).map(|bar| bar.label.clone()).unwrap_or_default();
        let labels = [name(0), name(count / 2), name(count - 1)];
        let all: u64 = counted.iter().map(Outcomes::total).sum();
        let title = match step {
            Step::Hour => language.pick("Calls per hour", "Appels par heure"),
            Step::Day => language.pick("Calls per day", "Appels par jour"),
            Step::Month => language.pick("Calls per month", "Appels par mois"),
        };
        let [first, _, last] = &labels;
        let each = match step {
            Step::Hour => language.pick("an hour", "par heure"),
            Step::Day => language.pick("a day", "par jour"),
            Step::Month => language.pick("a month", "par mois"),
        };
        let (all, most) = (grouped(language, all), grouped(language, highest));
        let told = match language {
            Language::English => format!("{all} calls from {first} to {last}; at most {most} {each}."),
            Language::French if step == Step::Day => {
                format!("{all} appels, du {first} au {last}; au plus {most} {each}.")
            }
            Language::French => format!("{all} appels, de {first} à {last}; au plus {most} {each}."),
        };
        Self {
            title: title.to_owned(),
            told,
            width: WIDTH,
            height: HEIGHT,
            paths,
            highest,
            bars,
            statuses: STACK.iter().map(|status| words::status(language, *status)).collect(),
            labels,
        }
    }
}

/// The height of so many calls; whatever is not nothing is seen.
fn scaled(calls: u64, highest: u64) -> usize {
    if calls == 0 || highest == 0 {
        return 0;
    }
    let space = u64::try_from(HEIGHT).unwrap_or(u64::MAX);
    usize::try_from((calls.saturating_mul(space) / highest).max(1)).unwrap_or(HEIGHT)
}

fn label(moments: &Moments, step: Step, begin: OffsetDateTime) -> String {
    match step {
        Step::Hour => moments.hour(begin),
        Step::Day => moments.day(begin),
        Step::Month => moments.month(begin),
    }
}

#[cfg(test)]
mod tests {
    use domain::organization::Timezone;
    use time::macros::datetime;

    use super::*;

    fn zone(name: &str) -> Moments {
        Moments::new(Language::English, Timezone::parse(name).unwrap())
    }

    #[test]
    fn the_usual_chart_has_the_last_thirty_days_of_the_zone() {
        let moments = zone("America/St_Johns");
        let now = datetime!(2026-11-20 16:05 UTC);
        let (bounds, step) = bounds(&moments, None, None, now).unwrap();
        assert_eq!((step, bounds.moments().len()), (Step::Day, 31));
        // Summer time ended on the first of November.
        assert_eq!(bounds.moments()[0], datetime!(2026-10-22 02:30 UTC));
        assert_eq!(*bounds.moments().last().unwrap(), datetime!(2026-11-21 03:30 UTC));
    }

    #[test]
    fn a_short_period_has_hours_and_a_long_one_months() {
        let moments = zone("America/St_Johns");
        let now = datetime!(2026-11-20 16:05 UTC);
        let (hours, step) = bounds(&moments, Some(datetime!(2026-11-20 03:30 UTC)), None, now).unwrap();
        assert_eq!((step, hours.moments().len()), (Step::Hour, 14));
        assert_eq!(hours.moments()[0], datetime!(2026-11-20 03:30 UTC));
        let (months, step) = bounds(&moments, Some(datetime!(1999-11-20 03:30 UTC)), None, now).unwrap();
        assert_eq!((step, months.moments().len()), (Step::Month, 101));
        assert_eq!(*months.moments().last().unwrap(), datetime!(2026-12-01 03:30 UTC));
        // The clocks of the first years went by the sun: there is no chart of them, and nothing worse.
        assert!(bounds(&moments, None, Some(datetime!(0001-01-01 00:00 UTC)), now).is_none());
        drop(bounds(&moments, None, Some(datetime!(-9999-01-01 00:00 UTC)), now));
        let future = Some(datetime!(2027-11-20 03:30 UTC));
        assert!(bounds(&moments, future, future, now).is_some());
    }

    #[test]
    fn every_zone_has_a_chart_of_every_step_at_every_turn_of_its_clock() {
        for name in domain::organization::TIMEZONES {
            let moments = zone(name);
            for day in (0..400).step_by(3) {
                let now = datetime!(2026-01-01 07:11 UTC) + Duration::days(day);
                for span in [1, 20, 400] {
                    assert!(
                        bounds(&moments, Some(now - Duration::days(span)), None, now).is_some(),
                        "{name} {now}"
                    );
                }
            }
        }
    }

    #[test]
    fn bars_are_stacked_and_the_least_is_seen() {
        let moments = zone("America/Toronto");
        let (bounds, step) =
            bounds(&moments, Some(datetime!(2026-11-20 14:00 UTC)), None, datetime!(2026-11-20 15:05 UTC))
                .unwrap();
        let counted = [
            Outcomes { completed: 999, failed: 1, ..Outcomes::default() },
            Outcomes { busy: 1, ..Outcomes::default() },
        ];
        let chart = Chart::of(Language::English, &moments, &bounds, step, &counted);
        assert_eq!(chart.highest, 1_000);
        assert_eq!(chart.paths.iter().map(|(class, _)| *class).collect::<Vec<_>>(), ["good", "warn", "bad"]);
        assert_eq!(chart.paths[1].1, "M360 119h358v1h-358z");
        assert_eq!(chart.bars[0].counts, [999, 0, 0, 1, 0]);
        assert_eq!(chart.labels[0], "20 Nov, 09:00");
    }
}
