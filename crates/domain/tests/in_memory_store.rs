//! The in-memory store keeps every contract.

use domain::testing::{InMemory, World};

async fn make_world() -> World {
    World::new(InMemory::new(), ())
}

domain::store_contracts!(make_world);
