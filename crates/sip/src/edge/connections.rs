//! How many connections there are, of each address and in total.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use rsipstack::platform::CancellationToken;
use tokio::time::Instant;

/// Connections that are closed for others may be so many at a time, beyond the total.
const MOST_CLOSING: usize = 16;

/// Permits for connections.
pub struct Connections {
    total: usize,
    per_address: usize,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    total: usize,
    closing: usize,
    next: u64,
    addresses: HashMap<IpAddr, Vec<Connection>>,
}

struct Connection {
    number: u64,
    active_at: Instant,
    stop: CancellationToken,
}

impl Connections {
    /// So many permits in total, and for each address.
    pub fn new(total: usize, per_address: usize) -> Arc<Self> {
        Arc::new(Self { total, per_address, open: Mutex::default() })
    }

    /// A permit for a connection of `address`, if there is one. When all are given, the longest idle
    /// connection of the address that has most is stopped for an address that has at least two fewer: one
    /// tenant's peers cannot keep the others out, and no address loses its only connection.
    pub fn permit(
        self: &Arc<Self>,
        address: IpAddr,
        stop: CancellationToken,
        now: Instant,
    ) -> Option<ConnectionPermit> {
        let address = address.to_canonical();
        let mut open = self.open.lock();
        let own = open.addresses.get(&address).map_or(0, Vec::len);
        if own >= self.per_address || (open.total >= self.total && !open.stop_one(own)) {
            return None;
        }
        let number = open.next;
        open.next = number.wrapping_add(1);
        open.total += 1;
        open.addresses.entry(address).or_default().push(Connection { number, active_at: now, stop });
        Some(ConnectionPermit { connections: self.clone(), address, number })
    }

    /// How many permits are given.
    pub fn len(&self) -> usize {
        self.open.lock().total
    }

    /// Whether none is given.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Open {
    fn stop_one(&mut self, own: usize) -> bool {
        let most = self.addresses.iter().max_by_key(|(_, connections)| {
            let idle_since = connections.iter().map(|connection| connection.active_at).min();
            (connections.len(), idle_since.map(Reverse))
        });
        let Some((address, connections)) = most.map(|(address, connections)| (*address, connections)) else {
            return false;
        };
        let idle = connections.iter().min_by_key(|connection| connection.active_at);
        let Some(number) = idle.map(|connection| connection.number) else { return false };
        if self.closing >= MOST_CLOSING || connections.len() < own.saturating_add(2) {
            return false;
        }
        if let Some(connection) = self.remove(address, number) {
            connection.stop.cancel();
            self.closing += 1;
        }
        true
    }

    fn remove(&mut self, address: IpAddr, number: u64) -> Option<Connection> {
        let connections = self.addresses.get_mut(&address)?;
        let at = connections.iter().position(|connection| connection.number == number)?;
        let removed = connections.swap_remove(at);
        if connections.is_empty() {
            self.addresses.remove(&address);
        }
        self.total = self.total.saturating_sub(1);
        Some(removed)
    }
}

/// A permit that can be given again when this is dropped.
pub struct ConnectionPermit {
    connections: Arc<Connections>,
    address: IpAddr,
    number: u64,
}

impl ConnectionPermit {
    /// The connection was of use now.
    pub fn used(&self, now: Instant) {
        let mut open = self.connections.open.lock();
        let own = open.addresses.get_mut(&self.address).into_iter().flatten();
        for connection in own.filter(|connection| connection.number == self.number) {
            connection.active_at = now;
        }
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut open = self.connections.open.lock();
        if open.remove(self.address, self.number).is_none() {
            open.closing = open.closing.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn permits_are_bounded_by_address_and_in_total_and_come_back() {
        let connections = Connections::new(3, 2);
        let permit = |address: &str| {
            connections.permit(address.parse().unwrap(), CancellationToken::new(), Instant::now())
        };
        let (first, second) = (permit("192.0.2.1"), permit("::ffff:192.0.2.1"));
        assert!(first.is_some() && second.is_some());
        assert!(permit("192.0.2.1").is_none(), "its own permits are given");
        let third = permit("192.0.2.2");
        assert!(third.is_some() && permit("192.0.2.2").is_none(), "all permits are given");
        drop(first);
        assert!(permit("192.0.2.3").is_some());
        drop((second, third));
        assert!(connections.is_empty());
        assert!(connections.open.lock().addresses.is_empty());
    }

    #[test]
    fn the_address_with_most_gives_its_longest_idle_to_another() {
        let (connections, start) = (Connections::new(4, 3), Instant::now());
        let stops: Vec<_> = (0..5).map(|_| CancellationToken::new()).collect();
        let permit = |address: &str, number: usize| {
            let now = start + Duration::from_secs(u64::try_from(number).unwrap());
            connections.permit(address.parse().unwrap(), stops[number].clone(), now)
        };
        let greedy: Vec<_> = (1..4).filter_map(|number| permit("192.0.2.1", number)).collect();
        let _quiet = permit("192.0.2.2", 0).unwrap();
        greedy[0].used(start + Duration::from_secs(9));
        let _third = permit("192.0.2.3", 4).unwrap();
        let stopped: Vec<_> = stops.iter().map(CancellationToken::is_cancelled).collect();
        assert_eq!(stopped, [false, false, true, false, false]);
        assert_eq!((connections.len(), connections.open.lock().closing), (4, 1));
        let _fourth = permit("192.0.2.4", 4).unwrap();
        assert!(permit("192.0.2.5", 4).is_none(), "no address loses its only connection");
        drop(greedy);
        assert_eq!((connections.len(), connections.open.lock().closing), (3, 0));
    }

    #[test]
    fn connections_that_close_for_others_are_bounded() {
        let (connections, now) = (Connections::new(100, 100), Instant::now());
        let permit =
            |address: [u8; 4]| connections.permit(IpAddr::from(address), CancellationToken::new(), now);
        let _greedy: Vec<_> = (0..100).filter_map(|_| permit([192, 0, 2, 1])).collect();
        let others: Vec<_> = (0..50).filter_map(|number| permit([198, 51, 100, number])).collect();
        assert_eq!(others.len(), MOST_CLOSING);
    }
}
