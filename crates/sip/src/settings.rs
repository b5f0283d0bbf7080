//! What telephony needs to know before it starts.

use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;
use std::sync::Arc;

use domain::network::AddressPolicy;

use crate::edge::{PeerRates, StreamLimits};
use crate::gateways::KnownHost;
use crate::resolve::{Dns, Resolve};
use crate::timers::Timers;

/// The settings of [`SipTelephony`](crate::SipTelephony).
#[derive(Clone)]
pub struct Settings {
    /// Address and port of SIP over UDP and TCP. With `0.0.0.0` or `[::]` the address that peers
    /// see is chosen for each of them.
    pub listen: SocketAddr,
    /// The address that peers see instead, behind NAT: in Via, Contact and SDP.
    pub public_address: Option<IpAddr>,
    /// UDP ports for RTP (even) and RTCP (odd): two a call.
    pub media_ports: RangeInclusive<u16>,
    /// The address that media binds; that of `listen` when absent.
    pub media_address: Option<IpAddr>,
    /// Trust for TLS trunks, whose certificates must carry the trunk's host name; without it their
    /// calls are refused.
    pub tls: Option<Arc<rustls::ClientConfig>>,
    /// Time limits.
    pub timers: Timers,
    /// What peers may ask for outside of our calls.
    pub peer_rates: PeerRates,
    /// Bounds of the TCP connections that are accepted.
    pub streams: StreamLimits,
    /// Finds the gateways of trunks.
    pub resolver: Arc<dyn Resolve>,
    /// Hosts that it is not asked for.
    pub known_hosts: Vec<KnownHost>,
    /// What guarded trunks may lead to.
    pub guard: AddressPolicy,
}

impl Settings {
    /// Settings with the machine's resolver, the true time limits, and no TLS.
    pub fn new(listen: SocketAddr, media_ports: RangeInclusive<u16>) -> Self {
        Self {
            listen,
            public_address: None,
            media_ports,
            media_address: None,
            tls: None,
            timers: Timers::default(),
            peer_rates: PeerRates::default(),
            streams: StreamLimits::default(),
            resolver: Arc::new(Dns::system()),
            known_hosts: Vec::new(),
            guard: AddressPolicy::default(),
        }
    }
}
