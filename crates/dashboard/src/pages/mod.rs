//! The pages, one folder for each part of the dashboard: its table, its handlers, its words.

pub(crate) mod account;
pub(crate) mod assistants;
pub(crate) mod audit_log;
pub(crate) mod callback_secret;
pub(crate) mod callbacks;
pub(crate) mod calls;
pub(crate) mod choices;
pub(crate) mod confirm;
pub(crate) mod entrance;
pub(crate) mod filled;
pub(crate) mod first_steps;
pub(crate) mod home;
pub(crate) mod keys;
pub(crate) mod metadata;
pub(crate) mod numbers;
pub(crate) mod once;
pub(crate) mod organizations;
pub(crate) mod paging;
pub(crate) mod place_call;
pub(crate) mod seen;
pub(crate) mod shortened;
pub(crate) mod trunks;
pub(crate) mod users;
