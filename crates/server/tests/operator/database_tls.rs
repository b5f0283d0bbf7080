//! A database of the operator's own: encrypted, or told that it is not.

use std::io::{BufRead, BufReader};
use std::process::{Output, Stdio};

use serde_json::Value;
use test_database::{Authority, OwnServer};

use crate::installation::Installation;

fn run(line: &str, url: &str) -> Output {
    let installation = Installation::new();
    installation.command(line).env("CALLWRIGHT__DATABASE__URL", url).output().unwrap()
}

/// What the doctor says of the connection's encryption.
fn encryption(url: &str) -> String {
    let told: Value = serde_json::from_slice(&run("doctor --json", url).stdout).unwrap();
    let checks = told["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["name"] == "encryption").unwrap();
    assert_eq!(check["ok"], true, "{told}");
    let clear = check["detail"].as_str().unwrap().starts_with("NONE");
    assert_eq!(check["warning"], clear, "{told}");
    check["detail"].as_str().unwrap().to_owned()
}

#[test]
fn the_doctor_tells_how_the_database_is_encrypted() {
    let authority = Authority::named("ours");
    let server = OwnServer::with_certificate(&authority.certify());
    for (query, expected) in [
        (authority.trusted("verify-full"), "TLSv1.3, certificate and name verified"),
        (authority.trusted("verify-ca"), "TLSv1.3, certificate verified but for its name"),
        ("sslmode=require".to_owned(), "TLSv1.3 with any certificate"),
    ] {
        let told = encryption(&server.url("localhost", &query));
        assert!(told.starts_with(expected), "{query}: {told}");
    }
    let plain = OwnServer::start();
    let told = encryption(&plain.url("127.1", "sslmode=disable"));
    assert!(told.starts_with("NONE: clear text to another machine"), "{told}");
    let told = encryption(&plain.url("127.0.0.1", ""));
    assert!(told.contains("clear text on the loopback interface"), "{told}");
}

#[test]
fn a_database_without_tls_stops_the_start() {
    let (authority, plain) = (Authority::named("ours"), OwnServer::start());
    // A URL as it was written before TLS was known; `127.1` stands for a machine that is not this one.
    for (host, query) in [("127.1", String::new()), ("localhost", authority.trusted("verify-full"))] {
        for command in ["serve", "migrate", "tenant create --name N"] {
            let refused = run(command, &plain.url(host, &query));
            let words = String::from_utf8(refused.stderr).unwrap();
            assert_eq!(refused.status.code(), Some(1), "{words}");
            assert!(words.contains("does not offer TLS") && words.contains("sslmode=disable"), "{words}");
            assert!(!words.contains(plain.password()), "{words}");
        }
    }
}

#[test]
fn an_untrusted_certificate_stops_the_start() {
    let (authority, stranger) = (Authority::named("ours"), Authority::named("a stranger"));
    let server = OwnServer::with_certificate(&authority.certify());
    for (host, query, why) in [
        ("localhost", stranger.trusted("verify-full"), "an authority that is not trusted"),
        ("127.0.0.1", authority.trusted("verify-full"), "is not for the host of its URL"),
    ] {
        let refused = run("serve", &server.url(host, &query));
        let words = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(1), "{words}");
        assert!(words.contains("DATABASE__URL") && words.contains(why), "{words}");
        assert!(!words.contains(server.password()), "{words}");
    }
}

#[test]
fn clear_text_to_another_machine_is_warned_of() {
    let plain = OwnServer::start();
    for (host, warned) in [("127.1", true), ("127.0.0.1", false)] {
        let installation = Installation::new();
        let url = plain.url(host, "sslmode=disable");
        let mut command = installation.command("serve");
        let mut server =
            command.env("CALLWRIGHT__DATABASE__URL", url).stderr(Stdio::piped()).spawn().unwrap();
        let mut log = String::new();
        for line in BufReader::new(server.stderr.take().unwrap()).lines().map(Result::unwrap) {
            log.push_str(&line);
            if line.contains(r#""message":"ready""#) {
                break;
            }
        }
        server.kill().unwrap();
        server.wait().unwrap();
        assert_eq!(log.contains("connections to the database are not encrypted"), warned, "{log}");
        assert!(log.contains(r#""message":"ready""#) && !log.contains(plain.password()), "{log}");
    }
}
