//! How many connections there are, of each address and in total.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;

/// Places for connections.
pub struct Connections {
    total: usize,
    per_address: usize,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    total: usize,
    addresses: HashMap<IpAddr, usize>,
}

impl Connections {
    /// So many places in total, and for each address.
    pub fn new(total: usize, per_address: usize) -> Arc<Self> {
        Arc::new(Self { total, per_address, taken: Mutex::default() })
    }

    /// Takes a place for a connection of `address`, if one is free.
    pub fn take(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        let address = address.to_canonical();
        let mut taken = self.taken.lock();
        let own = taken.addresses.get(&address).copied().unwrap_or(0);
        if taken.total >= self.total || own >= self.per_address {
            return None;
        }
        taken.total += 1;
        taken.addresses.insert(address, own + 1);
        Some(Place { connections: self.clone(), address })
    }

    /// How many places are taken.
    pub fn len(&self) -> usize {
        self.taken.lock().total
    }

    /// Whether none is taken.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A place that is free again when this is dropped.
pub struct Place {
    connections: Arc<Connections>,
    address: IpAddr,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.connections.taken.lock();
        taken.total = taken.total.saturating_sub(1);
        if let Some(own) = taken.addresses.get_mut(&self.address) {
            *own = own.saturating_sub(1);
            if *own == 0 {
                taken.addresses.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_bounded_by_address_and_in_total_and_come_back() {
        let connections = Connections::new(3, 2);
        let take = |address: &str| connections.take(address.parse().unwrap());
        let (first, second) = (take("192.0.2.1"), take("::ffff:192.0.2.1"));
        assert!(first.is_some() && second.is_some());
        assert!(take("192.0.2.1").is_none(), "its own places are taken");
        let third = take("192.0.2.2");
        assert!(third.is_some() && take("192.0.2.3").is_none(), "all places are taken");
        drop(first);
        assert!(take("192.0.2.3").is_some());
        drop((second, third));
        assert!(connections.is_empty());
        assert!(connections.taken.lock().addresses.is_empty());
    }
}
