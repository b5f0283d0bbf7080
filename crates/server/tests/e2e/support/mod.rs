//! What the end-to-end tests share: an installation, a provisioned desk, a receiver and a trunk.

pub mod bucket;
pub mod copied;
pub mod desk;
pub mod installation;
pub mod kamailio;
pub mod receiver;
pub mod record;
pub mod sipp;
pub mod telephone;

pub use bucket::Bucket;
pub use desk::{ANNOUNCEMENT, Desk, LISTENER};
pub use installation::{Installation, PATIENCE};
pub use receiver::Receiver;
pub use record::{Recording, Turn};
pub use sipp::{Sipp, Step};
pub use telephone::{Telephone, says, waits};
