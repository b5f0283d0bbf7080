//! The dashboard: pages for people, rendered on the server and usable without JavaScript.
//!
//! Every page and action stands in one table (`routes`), with the right that it takes. Before a page
//! is made, always the same happens: a form that came from elsewhere is refused, the session is looked
//! up, the right is checked, the form is read, and the organization of the path is found within the
//! user's scope.

mod answer;
mod assets;
mod calling;
mod causes;
mod error;
mod form;
mod gate;
mod language;
mod layout;
mod live;
mod moment;
mod pages;
mod request;
mod routes;
mod session;
mod strangers;
mod tell;
mod turns;

pub use calling::Calling;
pub use gate::{Dashboard, Front, Service};
pub use routes::{Entry, Level, configure, entries, lost};
pub use strangers::{FORMS_MAX, MISSES_MAX};
