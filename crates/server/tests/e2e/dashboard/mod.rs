//! The dashboard of the real program: in a real browser, and as an attacker meets it.

mod api_keys;
mod asked;
mod assistants;
mod calls;
mod first_run;
mod forgery;
mod isolation;
mod lists;
mod pages;
pub mod people;
pub mod person;
mod placing;
mod screenshots;
mod showcase;
mod sign_in;
mod town;
