//! The in-memory store keeps every contract.

use domain::testing::{InMemory, World};

async fn make_world() -> World {
    let store = InMemory::new();
    World::new(store.clone(), ()).laying(store)
}

domain::store_contracts!(make_world);
