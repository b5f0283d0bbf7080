//! Pages of lists.

/// Which page of a list is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// From 1.
    pub number: u32,
    /// Items on a page, from 1.
    pub size: u32,
}

impl PageRequest {
    /// How many items stand before the page.
    pub fn offset(self) -> u64 {
        u64::from(self.number.saturating_sub(1)) * u64::from(self.size)
    }
}

/// A page with the exact number of items on all pages; empty beyond the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// What stands on the page, in order.
    pub items: Vec<T>,
    /// Items on all pages.
    pub total: u64,
}
