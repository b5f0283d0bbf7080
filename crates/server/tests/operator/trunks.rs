//! `callwright trunk update`.

use serde_json::{Value, json};

use crate::installation::{Installation, provision};

/// The settings that `trunk update` changes.
fn sources(trunk: &Value) -> Value {
    let settings = ["nat", "mediaNetworks", "inboundFrom", "realms"];
    settings.iter().map(|name| trunk[name].clone()).collect()
}

#[test]
fn trunk_update_replaces_what_is_given_and_keeps_the_rest() {
    let installation = Installation::new();
    let (tenant, _) = provision(&installation);
    let list = || installation.object(&format!("trunk list --tenant {tenant}"))["trunks"][0].clone();
    let made = list();
    let id = made["id"].as_str().unwrap();
    assert_eq!(sources(&made), json!([false, [], [], []]));
    let first = installation.object(&format!(
        "trunk update {id} --nat --media-networks 192.0.2.0/24,2001:db8::/32 --media-networks 10.0.0.1 \
         --inbound-from 198.51.100.0/24 --realm main --realm pbx"
    ));
    let networks = ["192.0.2.0/24", "2001:db8::/32", "10.0.0.1/32"];
    assert_eq!(sources(&first), json!([true, networks, ["198.51.100.0/24"], ["main", "pbx"]]));
    let second = installation.object(&format!("trunk update {id} --no-nat --no-media-networks --realm b"));
    assert_eq!(sources(&second), json!([false, [], ["198.51.100.0/24"], ["b"]]));
    let third = installation.object(&format!("trunk update {id} --no-inbound-from --any-realm"));
    assert_eq!(third, made, "what was not named stayed as it was");
    assert_eq!(list(), made);

    let many = vec!["10.0.0.0/8"; 33].join(",");
    let words = installation.failure(&format!("trunk update {id} --media-networks {many}"), 2);
    assert!(words.contains("--media-networks") && words.contains("at most 32"), "{words}");
    let words = installation.failure(&format!("trunk update {tenant} --nat"), 1);
    assert!(words.contains("no such trunk") && words.contains(&tenant), "{words}");
}

#[test]
fn a_new_trunk_with_srtp_needs_tls() {
    let installation = Installation::new();
    let (tenant, _) = provision(&installation);
    let create = |name: &str, transport: &str| {
        format!(
            "trunk create --tenant {tenant} --name {name} --address sip.example.com --srtp required --transport {transport}"
        )
    };
    for transport in ["udp", "tcp"] {
        let words = installation.failure(&create("bare", transport), 1);
        assert!(words.contains("--srtp: SRTP needs the transport tls"), "{words}");
    }
    let made = installation.object(&create("sealed", "tls"));
    assert_eq!((&made["srtp"], &made["transport"]), (&json!("required"), &json!("tls")));
    let trunks = installation.object(&format!("trunk list --tenant {tenant}"));
    let names: Vec<_> =
        trunks["trunks"].as_array().unwrap().iter().map(|trunk| trunk["name"].clone()).collect();
    assert!(names.contains(&json!("sealed")) && !names.contains(&json!("bare")), "{names:?}");
}
