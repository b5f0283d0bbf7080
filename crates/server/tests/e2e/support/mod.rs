//! What the end-to-end tests share: an installation, a provisioned desk, a receiver and a trunk.

pub mod copied;
pub mod desk;
pub mod installation;
pub mod kamailio;
pub mod receiver;
pub mod sipp;

pub use desk::{ANNOUNCEMENT, Desk, LISTENER};
pub use installation::{Installation, PATIENCE};
pub use receiver::Receiver;
pub use sipp::{Sipp, Step};
