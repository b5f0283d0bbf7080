//! Ports for the programs that tests start.

use std::hash::{BuildHasher, RandomState};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, UdpSocket};

/// Below what the system gives to those who ask for any port.
const FIRST: u16 = 10_000;
/// Some programs take the next few ports as well.
const STEP: u16 = 8;
const CHOICES: u64 = 1_300;

/// A port that is free on UDP and TCP, and that the system gives to nobody who asks for any: the
/// program that it is meant for may take its time to bind it. It is drawn by lot, because tests that
/// run side by side are processes of their own.
pub fn free_port() -> SocketAddr {
    loop {
        let drawn = u16::try_from(RandomState::new().hash_one(0) % CHOICES).unwrap_or(0);
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, FIRST + STEP * drawn));
        if UdpSocket::bind(address).is_ok() && TcpListener::bind(address).is_ok() {
            return address;
        }
    }
}

/// Whether some program has bound this UDP port. Told by the kernel: to try and bind it would get in
/// the program's way.
pub fn is_bound(port: u16) -> bool {
    let entry = format!(":{port:04X} ");
    std::fs::read_to_string("/proc/net/udp").is_ok_and(|table| table.contains(&entry))
}
