//! The pages, one folder for each part of the dashboard: its table, its handlers, its words.

pub(crate) mod home;
