//! Organizations, as the keys of their tenant manage them.

pub(crate) mod create;
pub(crate) mod delete;
mod description;
pub(crate) mod list;
pub(crate) mod metadata;
pub(crate) mod read;
mod record;
pub(crate) mod update;

use crate::error::ApiError;

/// Unknown, foreign, malformed and deleted are told apart by nothing.
const NOT_FOUND: ApiError = ApiError::NotFound("Organization not found for the provided ID");
