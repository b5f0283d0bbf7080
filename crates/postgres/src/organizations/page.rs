//! Pages of a tenant's organizations, each with the exact total, in one statement.

use domain::ids::TenantId;
use domain::organization::{Organization, OrganizationField, OrganizationQuery, folded};
use domain::page::Page;

use crate::failure::Failure;
use crate::rows::{Listed, OrganizationRow, organization_columns};
use crate::statement::statement;
use crate::store::Store;

// Found in an index by ids alone, so that what stands before a deep page is not read. The page is
// then read row by row: a plan that is made for any size would read the whole table. The search is
// for bytes: no character of it means anything but itself.
macro_rules! page_text {
    ($key:literal, $direction:literal, $search:literal) => {
        concat!(
            "
WITH counted AS (
    SELECT count(*) AS total FROM organizations o WHERE o.tenant_id = $1 AND o.deleted_at IS NULL",
            $search,
            "
), page AS (
    SELECT o.id FROM organizations o WHERE o.tenant_id = $1 AND o.deleted_at IS NULL",
            $search,
            "
    ORDER BY ",
            $key,
            $direction,
            ", o.id",
            $direction,
            " LIMIT $2 OFFSET $3
)
SELECT counted.total, o.id IS NOT NULL AS listed, ",
            organization_columns!(),
            "
FROM counted LEFT JOIN (
    page CROSS JOIN LATERAL (SELECT * FROM organizations p WHERE p.id = page.id LIMIT 1) o
) ON true
ORDER BY ",
            $key,
            $direction,
            ", o.id",
            $direction
        )
    };
}

macro_rules! page_texts {
    ($query:expr, $key:literal) => {
        match ($query.descending, &$query.search) {
            (false, None) => page_text!($key, "", ""),
            (true, None) => page_text!($key, " DESC", ""),
            (false, Some(_)) => searching!($key, ""),
            (true, Some(_)) => searching!($key, " DESC"),
        }
    };
}

macro_rules! searching {
    ($key:literal, $direction:literal) => {
        page_text!(
            $key,
            $direction,
            "\n        AND position($4 IN COALESCE(o.name_folded, lower(o.name))) > 0"
        )
    };
}

/// The first sort, as it is without a search.
#[cfg(feature = "sql")]
pub(crate) const PAGE: &str = page_text!("o.created_at", "", "");

fn text(query: &OrganizationQuery) -> &'static str {
    match query.sort {
        OrganizationField::CreatedAt => page_texts!(query, "o.created_at"),
        OrganizationField::UpdatedAt => page_texts!(query, "o.updated_at"),
        OrganizationField::Name => page_texts!(query, "o.name COLLATE \"C\""),
        OrganizationField::Email => page_texts!(query, "o.email COLLATE \"C\""),
        OrganizationField::City => page_texts!(query, "o.city COLLATE \"C\""),
        OrganizationField::Country => page_texts!(query, "o.country COLLATE \"C\""),
    }
}

pub(super) async fn page(
    store: &Store,
    tenant: TenantId,
    query: &OrganizationQuery,
) -> Result<Page<Organization>, Failure> {
    let mut asking = statement(text(query))
        .bind(tenant.uuid())
        .bind(i64::from(query.page.size))
        .bind(i64::try_from(query.page.offset()).unwrap_or(i64::MAX));
    if let Some(search) = &query.search {
        asking = asking.bind(folded(search));
    }
    let rows = store.list::<Listed<OrganizationRow>>(asking).await?;
    let total = rows.first().map_or(0, |row| row.total);
    let items = rows.into_iter().filter_map(|row| row.item).map(OrganizationRow::into_organization);
    Ok(Page { items: items.collect::<Result<_, _>>()?, total: u64::try_from(total).unwrap_or(0) })
}

/// The list of whoever has just this organization.
pub(super) fn of_one(own: Option<Organization>, query: &OrganizationQuery) -> Page<Organization> {
    let sought = |own: &Organization| {
        let part = query.search.as_deref().map(folded);
        own.is_active() && part.is_none_or(|part| folded(&own.profile.name).contains(&part))
    };
    let found = own.filter(sought);
    let total = u64::from(found.is_some());
    let shown = query.page.offset() == 0 && query.page.size > 0;
    Page { items: found.into_iter().filter(|_| shown).collect(), total }
}
