//! Pages of lists: which one is asked for, and where it stands.

use domain::page::PageRequest;
use serde::Serialize;

use crate::openapi::schema::{Members, Part, flag, object, whole};
use crate::query::{Query, number};

/// The last page that can be asked for.
pub(crate) const PAGE_MAX: u32 = 2_147_483_647;

/// Reads `page` and `limit`; an unset limit is `default`. Values out of range are refused rather
/// than moved into it.
pub(crate) fn page_request(query: &mut Query<'_>, default: u32, largest: u32) -> PageRequest {
    // A value that could not be read is a problem of the query, which then gives nothing away.
    let page = query.optional("page", |text| number(PAGE_MAX, text)).unwrap_or(1);
    let size = query.optional("limit", |text| number(largest, text)).unwrap_or(default);
    PageRequest { number: page, size }
}

/// What the document says of [`Pagination`].
pub(crate) static PAGINATION: Part = Part {
    name: "Pagination",
    shape: || {
        object("Where a page stands among the others.")
            .always("page", whole("The page, from 1.", 1, 1))
            .always("limit", whole("Items on a page.", 1, 10))
            .always("total", whole("Items on all pages, exactly.", 0, 1))
            .always("totalPages", whole("Pages.", 0, 1))
            .always("hasNextPage", flag("Whether a page comes after this one."))
            .always("hasPreviousPage", flag("Whether there are items before this page."))
    },
    uses: &[],
};

/// Where a page stands among the others (interface, `pagination`).
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pagination {
    page: u32,
    limit: u32,
    total: u64,
    total_pages: u64,
    has_next_page: bool,
    has_previous_page: bool,
}

impl Pagination {
    /// The place of `page` in a list of `total` items. Beyond the end there is a previous page as
    /// long as there is any item.
    pub(crate) fn of(page: PageRequest, total: u64) -> Self {
        let total_pages = total.div_ceil(u64::from(page.size.max(1)));
        Self {
            page: page.number,
            limit: page.size,
            total,
            total_pages,
            has_next_page: u64::from(page.number) < total_pages,
            has_previous_page: page.number > 1 && total > 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_knows_its_neighbours() {
        for (number, total, pages, next, previous) in [
            (1, 0, 0, false, false),
            (2, 0, 0, false, false),
            (1, 1, 1, false, false),
            (1, 10, 1, false, false),
            (1, 11, 2, true, false),
            (2, 11, 2, false, true),
            (2, 21, 3, true, true),
            (9, 11, 2, false, true),
            (PAGE_MAX, u64::MAX, 1_844_674_407_370_955_162, true, true),
        ] {
            let place = Pagination::of(PageRequest { number, size: 10 }, total);
            let expected = Pagination {
                page: number,
                limit: 10,
                total,
                total_pages: pages,
                has_next_page: next,
                has_previous_page: previous,
            };
            assert_eq!(place, expected);
        }
    }
}
