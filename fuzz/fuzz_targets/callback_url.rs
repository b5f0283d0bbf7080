//! Addresses that a customer wants callbacks at, and that an assistant wants its provider at.
#![no_main]

use std::net::{IpAddr, Ipv6Addr};

use domain::callback::{CallbackUrl, URL_LENGTH_MAX};
use domain::network::{AddressPolicy, WebProtocol};
use libfuzzer_sys::fuzz_target;
use url::Url;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let policy = AddressPolicy::default();
    if let Ok(accepted) = CallbackUrl::parse(text, &policy) {
        let url = accepted.url();
        assert!(text.chars().count() <= URL_LENGTH_MAX);
        assert_eq!(url.scheme(), "https", "{url}");
        let host = url.host_str().expect("a host");
        assert!(!host.trim_end_matches('.').eq_ignore_ascii_case("localhost"), "{url}");
        let literal = host.trim_matches(['[', ']']).parse::<IpAddr>().ok();
        assert!(literal.is_none_or(|address| !inside(address)), "{url}");
        let stored = CallbackUrl::from_stored(url.as_str()).expect("what is stored can be read");
        assert_eq!(stored, accepted);
        let shown = accepted.redacted();
        let shown = Url::parse(&shown).expect("people are shown a URL");
        let hidden = |text: Option<&str>| text.is_none_or(|text| text == "%E2%80%A6");
        assert!(shown.password().is_none() && shown.fragment().is_none(), "{shown}");
        assert!(
            hidden(shown.query()) && hidden(Some(shown.username()).filter(|user| !user.is_empty())),
            "{shown}"
        );
    }
    for protocol in [WebProtocol::Http, WebProtocol::WebSocket] {
        if let Ok(url) = policy.judge_endpoint(text, protocol) {
            assert_eq!(url.scheme(), protocol.secure_scheme());
            assert!(url.username().is_empty() && url.password().is_none());
            assert_eq!(policy.judge_endpoint(url.as_str(), protocol).as_ref(), Ok(&url));
        }
    }
});

/// Addresses of this machine and of private networks, decided apart from the policy's own lists.
fn inside(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            v4.is_loopback()
                || v4.is_private()
                || v4.is_link_local()
                || v4.is_unspecified()
                || v4.is_multicast()
        }
        IpAddr::V6(v6) => {
            v6.is_loopback()
                || v6.is_unspecified()
                || v6.is_unique_local()
                || v6.is_unicast_link_local()
                || v6.is_multicast()
                || embedded(v6).is_some_and(inside)
        }
    }
}

/// The IPv4 address in a mapped, NAT64 or 6to4 address.
fn embedded(v6: Ipv6Addr) -> Option<IpAddr> {
    let [a, b, c, d, e, f, g, h] = v6.segments();
    let v4 = |high: u16, low: u16| {
        Some(IpAddr::from(
            [high.to_be_bytes(), low.to_be_bytes()].concat().try_into().ok().map(|bytes: [u8; 4]| bytes)?,
        ))
    };
    match [a, b, c, d, e, f] {
        [0, 0, 0, 0, 0, 0xffff] | [0x64, 0xff9b, 0, 0, 0, 0] => v4(g, h),
        [0x2002, high, low, ..] => v4(high, low),
        _ => None,
    }
}
