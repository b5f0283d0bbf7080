//! The filters of the list as they stand in its address.

use std::fmt::Write;

use domain::call::{BoardQuery, CallOrder, CallQuery, CallStatus, CallType};
use domain::ids::OrganizationId;
use domain::page::PageRequest;
use jiff::ToSpan;
use jiff::civil::{Date, DateTime};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use time::OffsetDateTime;

use crate::form::Form;
use crate::moment::Moments;

/// Calls on a page.
pub(super) const PAGE_SIZE: u32 = 25;

/// The longest text that is searched for, in characters.
const TEXT_MAX: usize = 200;

/// The smallest step of the store's time: an end of a period belongs to it.
const LAST: time::Duration = time::Duration::microseconds(1);

pub(super) const ORDERS: [(&str, CallOrder); 4] = [
    ("desc", CallOrder::Newest),
    ("asc", CallOrder::Oldest),
    ("duration_desc", CallOrder::Longest),
    ("duration_asc", CallOrder::Shortest),
];

/// What is wrong with a day that was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadDay {
    Unreadable,
    BeforeTheStart,
}

/// The filters, as they were read; what could not be read filters nothing.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    pub(super) call_type: Option<CallType>,
    pub(super) status: Option<CallStatus>,
    pub(super) agent: Option<String>,
    pub(super) intent: Option<String>,
    /// As they were typed.
    pub(super) days: [String; 2],
    pub(super) problems: [Option<BadDay>; 2],
    pub(super) from: Option<OffsetDateTime>,
    pub(super) to: Option<OffsetDateTime>,
    pub(super) order: CallOrder,
    pub(super) page: u32,
}

impl Filter {
    /// Days are those of the organization's time zone, and both ends belong to the period.
    pub(super) fn read(form: &Form, moments: &Moments) -> Self {
        let text = |name| form.text(name).map(|text| text.chars().take(TEXT_MAX).collect::<String>());
        let typed = |name| text(name).unwrap_or_default();
        let days = [typed("from"), typed("to")];
        let mut problems = [None; 2];
        let mut ends = [None; 2];
        for (((day, end), problem), is_last) in
            days.iter().zip(&mut ends).zip(&mut problems).zip([false, true])
        {
            if day.is_empty() {
                continue;
            }
            match period(day, moments) {
                Some((first, next)) => *end = Some(if is_last { next - LAST } else { first }),
                None => *problem = Some(BadDay::Unreadable),
            }
        }
        let [from, mut to] = ends;
        if from.zip(to).is_some_and(|(from, to)| from > to) {
            to = None;
            problems = [problems[0], Some(BadDay::BeforeTheStart)];
        }
        let order = form.text("sort").and_then(|name| ORDERS.into_iter().find(|(own, _)| *own == name));
        Self {
            call_type: form.text("type").and_then(CallType::parse),
            status: form.text("status").and_then(CallStatus::parse),
            agent: text("agent"),
            intent: text("intent"),
            days,
            problems,
            from,
            to,
            order: order.map_or(CallOrder::Newest, |(_, order)| order),
            page: form.text("page").and_then(|page| page.parse().ok()).filter(|page| *page > 0).unwrap_or(1),
        }
    }

    pub(super) fn query(&self, organization: OrganizationId) -> BoardQuery {
        let calls = CallQuery {
            organization,
            page: PageRequest { number: self.page, size: PAGE_SIZE },
            call_type: self.call_type,
            agent_name: self.agent.clone(),
            user_primary_intent: self.intent.clone(),
            from: self.from,
            to: self.to,
            order: self.order,
        };
        BoardQuery { calls, status: self.status, chart: None }
    }

    /// Whether anything narrows the list.
    pub(super) fn narrows(&self) -> bool {
        self.fields().next().is_some_and(|(name, _)| name != "sort")
    }

    pub(super) fn sort_name(&self) -> &'static str {
        ORDERS.into_iter().find(|(_, order)| *order == self.order).map_or("desc", |(name, _)| name)
    }

    /// What is set, by the names of its fields.
    pub(super) fn fields(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let [from, to] = &self.days;
        [
            ("status", self.status.map(CallStatus::as_str)),
            ("type", self.call_type.map(CallType::as_str)),
            ("agent", self.agent.as_deref()),
            ("intent", self.intent.as_deref()),
            ("from", Some(from.as_str()).filter(|day| !day.is_empty())),
            ("to", Some(to.as_str()).filter(|day| !day.is_empty())),
            ("sort", Some(self.sort_name()).filter(|_| self.order != CallOrder::Newest)),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
    }

    /// The address of the list with one field set, or taken away; on its first page.
    pub(super) fn with(&self, path: &str, field: &str, value: Option<&str>) -> String {
        let mut fields: Vec<(&str, &str)> = self.fields().filter(|(name, _)| *name != field).collect();
        fields.extend(value.map(|value| (field, value)));
        address(path, &fields)
    }

    /// The address of another page of the list.
    pub(super) fn on_page(&self, path: &str, page: u32) -> String {
        let number = page.to_string();
        let mut fields: Vec<(&str, &str)> = self.fields().collect();
        fields.extend((page > 1).then_some(("page", number.as_str())));
        address(path, &fields)
    }
}

fn address(path: &str, fields: &[(&str, &str)]) -> String {
    let mut address = path.to_owned();
    for (place, (name, value)) in fields.iter().enumerate() {
        let sign = if place == 0 { '?' } else { '&' };
        // Writing to a string cannot fail.
        let _ = write!(address, "{sign}{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC));
    }
    address
}

/// The first moment of a day or minute that was typed, and the first one after it. Years have four digits
/// and begin with 1: neither the store nor our arithmetic goes much further back.
fn period(typed: &str, moments: &Moments) -> Option<(OffsetDateTime, OffsetDateTime)> {
    if let Ok(day) = typed.parse::<Date>()
        && !typed.contains(['T', ' '])
    {
        let next = day.checked_add(1.day()).ok()?;
        return (day.year() >= 1).then_some((moments.beginning(day)?, moments.beginning(next)?));
    }
    let minute = typed.parse::<DateTime>().ok().filter(|minute| minute.year() >= 1)?;
    let first = moments.moment_of(minute)?;
    Some((first, first.checked_add(time::Duration::MINUTE)?))
}

#[cfg(test)]
mod tests {
    use domain::organization::Timezone;
    use time::macros::datetime;

    use super::*;
    use crate::language::Language;

    fn read(query: &str) -> Filter {
        let zone = Timezone::parse("America/St_Johns").unwrap();
        Filter::read(&Form::parse(query), &Moments::new(Language::English, zone))
    }

    #[test]
    fn days_are_those_of_the_organization_and_both_belong_to_the_period() {
        let filter = read("from=2026-11-19&to=2026-11-20&page=3&sort=duration_asc");
        assert_eq!(filter.from, Some(datetime!(2026-11-19 03:30 UTC)));
        assert_eq!(filter.to, Some(datetime!(2026-11-21 03:29:59.999999 UTC)));
        assert_eq!((filter.page, filter.order), (3, CallOrder::Shortest));
        let filter = read("from=2026-11-19T08:15&to=2026-11-19T08:15");
        assert_eq!(filter.from, Some(datetime!(2026-11-19 11:45 UTC)));
        assert_eq!(filter.to, Some(datetime!(2026-11-19 11:45:59.999999 UTC)));
    }

    #[test]
    fn what_cannot_be_read_filters_nothing_and_is_told() {
        let filter = read("from=yesterday&to=2026-02-30&type=Fax&status=asleep&page=-1&sort=by+chance");
        assert_eq!(filter.problems, [Some(BadDay::Unreadable); 2]);
        assert_eq!((filter.from, filter.to, filter.call_type, filter.status), (None, None, None, None));
        assert_eq!((filter.page, filter.order), (1, CallOrder::Newest));
        let filter = read("from=2026-11-20&to=2026-11-19");
        assert_eq!(filter.problems, [None, Some(BadDay::BeforeTheStart)]);
        assert!(filter.from.is_some() && filter.to.is_none());
        assert_eq!(read("to=9999-12-31").problems, [None, Some(BadDay::Unreadable)]);
        for early in ["-009999-01-05", "-005000-01-01", "0000-12-31", "-000001-05-05T08:00"] {
            let filter = read(&format!("from={early}&to={early}"));
            assert_eq!(filter.problems, [Some(BadDay::Unreadable); 2], "{early}");
            assert_eq!((filter.from, filter.to), (None, None), "{early}");
        }
        assert!(read("from=0001-01-01&to=0001-01-01").problems == [None, None]);
    }

    #[test]
    fn addresses_carry_what_is_set_and_nothing_else() {
        let filter = read("status=busy&agent=a%26b&type=&page=4&x=y");
        assert!(filter.narrows());
        assert_eq!(filter.on_page("/c", 2), "/c?status=busy&agent=a%26b&page=2");
        assert_eq!(filter.with("/c", "status", None), "/c?agent=a%26b");
        assert_eq!(filter.with("/c", "type", Some("Web")), "/c?status=busy&agent=a%26b&type=Web");
        assert!(!read("sort=asc&page=2").narrows());
        assert_eq!(read("").on_page("/c", 1), "/c");
    }
}
