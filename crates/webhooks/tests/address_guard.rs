//! The address guard, at creation and at each try, with a decoy that must see no connection.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod support;

use std::sync::atomic::Ordering;

use domain::callback::{BadCallbackUrl, CallbackUrl};
use domain::network::AddressPolicy;
use domain::ports::{CallbackSender, TryOutcome};
use support::decoy::Decoy;
use support::receiver::Receiver;
use support::tls::Authority;
use support::{Client, Names, allowing, callback};

/// Hosts that lead, in one spelling or another, to a refused address: host, class.
const LITERALS: &[(&str, &str)] = &[
    ("127.0.0.1", "loopback address"),
    ("127.255.255.254", "loopback address"),
    // One number, octal and hexadecimal parts, missing parts (WHATWG URL, IPv4 parser).
    ("2130706433", "loopback address"),
    ("017700000001", "loopback address"),
    ("0x7f000001", "loopback address"),
    ("0x7f.1", "loopback address"),
    ("0177.0.0.01", "loopback address"),
    ("127.1", "loopback address"),
    ("127.0.1", "loopback address"),
    ("127.0.0.1.", "loopback address"),
    // Percent-encoded, full-width and circled digits, ideographic full stops.
    ("%31%32%37.0.0.1", "loopback address"),
    ("１２７．０．０．１", "loopback address"),
    ("①②⑦.⓪.⓪.①", "loopback address"),
    ("127。0。0。1", "loopback address"),
    ("[::1]", "loopback address"),
    ("[0:0:0:0:0:0:0:1]", "loopback address"),
    ("0", "the address names no host"),
    ("0.0.0.0", "the address names no host"),
    ("[::]", "the address names no host"),
    // IPv4 inside IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP.
    ("[::ffff:127.0.0.1]", "IPv6 address that carries an IPv4 address"),
    ("[::ffff:7f00:1]", "IPv6 address that carries an IPv4 address"),
    ("[::127.0.0.1]", "IPv6 address that carries an IPv4 address"),
    ("[::ffff:0:127.0.0.1]", "IPv6 address that carries an IPv4 address"),
    ("[64:ff9b::127.0.0.1]", "IPv6 address that carries an IPv4 address"),
    ("[2002:7f00:1::]", "IPv6 address that carries an IPv4 address"),
    ("[2001:0:4136:e378:8000:63bf:80ff:fffe]", "IPv6 address that carries an IPv4 address"),
    ("[2a00:1450::5efe:7f00:1]", "IPv6 address that carries an IPv4 address"),
    ("10.0.0.1", "private address"),
    ("172.16.0.1", "private address"),
    ("192.168.1.1", "private address"),
    ("[fd00::1]", "private address"),
    ("[fec0::1]", "private address"),
    ("169.254.169.254", "link-local address"),
    ("[fe80::1]", "link-local address"),
    ("100.100.100.200", "carrier-grade NAT address"),
    ("224.0.0.251", "multicast or broadcast address"),
    ("255.255.255.255", "multicast or broadcast address"),
    ("[ff02::1]", "multicast or broadcast address"),
    ("192.0.2.1", "documentation or benchmarking address"),
    ("198.51.100.1", "documentation or benchmarking address"),
    ("203.0.113.1", "documentation or benchmarking address"),
    ("198.18.0.1", "documentation or benchmarking address"),
    ("[2001:db8::1]", "documentation or benchmarking address"),
    ("[3fff::1]", "documentation or benchmarking address"),
    ("192.0.0.170", "reserved address"),
    ("240.0.0.1", "reserved address"),
    ("[100::1]", "reserved address"),
    ("[5f00::1]", "reserved address"),
    ("8.8.8.8", "address of this service"),
];

/// The rule of a service that is itself at 8.8.8.8.
fn strict() -> AddressPolicy {
    AddressPolicy { allowed: Vec::new(), own: vec!["8.8.8.8".parse().unwrap()] }
}

#[tokio::test]
async fn every_class_in_every_spelling_is_refused_at_creation_and_again_at_the_try() {
    let decoy = Decoy::new().await;
    let client = Client { policy: strict(), ..Client::default() }.build();
    for (host, class) in LITERALS {
        let url = format!("https://{host}:{}/hook", decoy.port);
        assert_eq!(CallbackUrl::parse(&url, &strict()), Err(BadCallbackUrl::RefusedAddress), "{host}");
        let outcome = client.send(&callback(&url)).await;
        assert_eq!(outcome, TryOutcome::Refused((*class).into()), "{host}");
    }
    decoy.saw_nothing().await;
}

#[tokio::test]
async fn names_of_this_machine_are_refused_whatever_a_resolver_says() {
    let decoy = Decoy::new().await;
    let resolver = Names::always(&["127.0.0.1"]);
    let policy = allowing(&["127.0.0.0/8"]);
    let client = Client { policy: policy.clone(), resolver: resolver.clone(), ..Client::default() }.build();
    for host in ["localhost", "LOCALHOST", "localhost.", "any.localhost", "a.b.LocalHost.", "ｌocalhost"] {
        let url = format!("https://{host}:{}/", decoy.port);
        assert_eq!(CallbackUrl::parse(&url, &policy), Err(BadCallbackUrl::RefusedAddress), "{host}");
        let outcome = client.send(&callback(&url)).await;
        assert_eq!(outcome, TryOutcome::Refused("a name of this machine".into()), "{host}");
    }
    assert_eq!(resolver.asked.load(Ordering::SeqCst), 0);
    decoy.saw_nothing().await;
}

#[test]
fn hosts_that_are_neither_names_nor_addresses_are_malformed() {
    for host in
        ["[fe80::1%25eth0]", "[fe80::1%eth0]", "256.0.0.1", "1.2.3.4.5", "0x100000000", "[::1", "a b", ""]
    {
        let url = format!("https://{host}/");
        assert_eq!(CallbackUrl::parse(&url, &strict()), Err(BadCallbackUrl::Malformed), "{host}");
        assert_eq!(CallbackUrl::from_stored(&url), None, "{host}");
    }
}

#[tokio::test]
async fn a_name_is_judged_by_what_it_resolves_to() {
    let decoy = Decoy::new().await;
    for (host, class) in LITERALS {
        let bare = host.trim_matches(['[', ']']);
        let Ok(address) = bare.parse::<std::net::IpAddr>() else { continue };
        let resolver = Names::always(&[address.to_string().leak()]);
        let client = Client { policy: strict(), resolver, ..Client::default() }.build();
        let outcome = client.send(&callback(&format!("https://hooks.example:{}/", decoy.port))).await;
        assert_eq!(outcome, TryOutcome::Refused((*class).into()), "{address}");
    }
    decoy.saw_nothing().await;
}

#[tokio::test]
async fn an_answer_that_mixes_good_and_refused_addresses_is_refused_whole() {
    let decoy = Decoy::new().await;
    let authority = Authority::named("ours");
    let tls = Some(authority.acceptor(&["hooks.example"]));
    // 127.0.0.2 stands for a public receiver; the decoy cannot be on its port.
    let mut public = Receiver::answering("127.0.0.2:0", tls, b"HTTP/1.1 200 OK\r\n\r\n").await;
    for answer in [&["127.0.0.2", "127.0.0.1"], &["127.0.0.1", "127.0.0.2"], &["127.0.0.2", "::1"]] {
        for port in [public.port, decoy.port] {
            let client = Client {
                policy: allowing(&["127.0.0.2"]),
                tls: authority.trust(),
                resolver: Names::always(answer),
                ..Client::default()
            };
            let outcome = client.build().send(&callback(&format!("https://hooks.example:{port}/"))).await;
            assert_eq!(outcome, TryOutcome::Refused("loopback address".into()), "{answer:?}");
        }
    }
    assert!(public.is_idle());
    decoy.saw_nothing().await;
}

#[tokio::test]
async fn a_name_that_is_pointed_elsewhere_is_judged_anew_and_never_looked_up_twice_in_a_try() {
    let decoy = Decoy::new().await;
    let authority = Authority::named("ours");
    let tls = Some(authority.acceptor(&["hooks.example"]));
    // The same port as the decoy's would need the address; so the public side has its own.
    let mut public = Receiver::answering("127.0.0.2:0", tls, b"HTTP/1.1 200 OK\r\n\r\n").await;
    let resolver = Names::turning(&[&["127.0.0.2"], &["127.0.0.1"]]);
    let policy = allowing(&["127.0.0.2"]);
    let url = format!("https://hooks.example:{}/", public.port);
    assert!(CallbackUrl::parse(&url, &policy).is_ok(), "a name is not looked up at creation");
    let client =
        Client { policy, tls: authority.trust(), resolver: resolver.clone(), ..Client::default() }.build();
    // The second answer is already there: only a second lookup within the try would see it.
    assert_eq!(client.send(&callback(&url)).await, TryOutcome::Answered(200));
    assert_eq!(resolver.asked.load(Ordering::SeqCst), 1);
    assert_eq!(public.next().await.header("host"), [format!("hooks.example:{}", public.port)]);
    let outcome = client.send(&callback(&format!("https://hooks.example:{}/", decoy.port))).await;
    assert_eq!(outcome, TryOutcome::Refused("loopback address".into()));
    assert_eq!(resolver.asked.load(Ordering::SeqCst), 2);
    decoy.saw_nothing().await;
}

#[tokio::test]
async fn an_allowed_network_overrides_the_refusal_in_every_spelling() {
    let receiver = Receiver::answering("127.0.0.1:0", None, b"HTTP/1.1 200 OK\r\n\r\n").await;
    let client = Client { policy: allowing(&["10.0.0.0/8", "127.0.0.0/8"]), ..Client::default() }.build();
    for host in
        ["127.0.0.1", "2130706433", "0x7f.1", "127.0.0.1.", "１２７．０．０．１", "[::ffff:127.0.0.1]"]
    {
        let url = format!("http://{host}:{}/", receiver.port);
        assert_eq!(client.send(&callback(&url)).await, TryOutcome::Answered(200), "{host}");
    }
}

#[tokio::test]
async fn plain_http_goes_only_to_a_literal_in_an_allowed_network() {
    let decoy = Decoy::new().await;
    let why = TryOutcome::Refused("plain http outside the allowed networks".into());
    for (host, policy) in [
        // A public address, a refused one, a name that leads into the allowed network, and an
        // address of a network that was allowed when the call was placed but no longer is.
        ("8.8.4.4", allowing(&["10.0.0.0/8"])),
        ("127.0.0.1", AddressPolicy::default()),
        ("hooks.example", allowing(&["127.0.0.0/8"])),
        ("127.0.0.1", allowing(&["127.0.0.2"])),
    ] {
        let client = Client { policy, resolver: Names::always(&["127.0.0.1"]), ..Client::default() }.build();
        let outcome = client.send(&callback(&format!("http://{host}:{}/", decoy.port))).await;
        assert_eq!(outcome, why, "{host}");
    }
    decoy.saw_nothing().await;
}

#[tokio::test]
async fn other_schemes_are_refused() {
    let client = Client { policy: allowing(&["127.0.0.0/8"]), ..Client::default() }.build();
    for url in
        ["ftp://127.0.0.1/", "ws://127.0.0.1/", "gopher://127.0.0.1:70/_x", "file://127.0.0.1/etc/passwd"]
    {
        let outcome = client.send(&callback(url)).await;
        assert_eq!(outcome, TryOutcome::Refused("not an http or https URL".into()), "{url}");
    }
}
