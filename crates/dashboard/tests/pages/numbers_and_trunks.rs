//! Trunks, and the numbers that they carry.

use domain::audit::{Action, Actor, Deed};
use domain::network::Network;
use domain::page::PageRequest;
use domain::ports::Clock;
use domain::scope::Reach;
use domain::trunk::TrunkRevision;
use domain::user::Role;

use crate::support::{Browser, Site, audited};

const ALL: PageRequest = PageRequest { number: 1, size: 9 };

const TRUNK: [(&str, &str); 9] = [
    ("name", "Carrier <b>"),
    ("address", "sip.example.com:5061"),
    ("transport", "tls"),
    ("username", "acme"),
    ("password", "pässword"),
    ("srtp", "required"),
    ("nat", "yes"),
    ("media_networks", "192.0.2.0/24 2001:db8::/32"),
    ("realms", "main, pbx\r\nother\r\n"),
];

/// The address of the page of the only trunk.
async fn only_trunk(site: &Site) -> String {
    let trunks = site.world.trunks.trunks_of(Reach::Everything, site.clinic.tenant, ALL).await.unwrap();
    assert_eq!(trunks.len(), 1);
    assert!(trunks[0].guarded);
    format!("/trunks/{}", trunks[0].id)
}

async fn with_trunk(site: &Site) -> (Browser, String) {
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let made = browser.submit("/trunks/new", "/trunks/new", &TRUNK).await;
    assert_eq!((made.status, made.header("location")), (303, Some("/trunks?done=created")), "{}", made.body);
    let page = only_trunk(site).await;
    (browser, page)
}

#[tokio::test]
async fn a_trunk_is_added_changed_and_retired_and_its_password_is_never_shown() {
    let site = Site::start().await;
    let (mut browser, page) = with_trunk(&site).await;
    let list = browser.get("/trunks").await.body;
    assert!(list.contains("Carrier &#60;b&#62;") && list.contains("not asked yet"), "{list}");
    let shown = browser.get(&page).await.body;
    assert!(shown.contains("keep the stored one") && !shown.contains("pässword"), "{shown}");
    let mut changed = TRUNK.to_vec();
    changed[0].1 = "Carrier 2";
    changed[4].1 = "";
    assert_eq!(browser.submit(&page, &page, &changed).await.location(), format!("{page}?done=saved"));
    changed[1].1 = "sip.other.example";
    let refused = browser.submit(&page, &page, &changed).await;
    assert!(refused.status == 422 && refused.body.contains("stays with its address"), "{}", refused.body);
    assert!(refused.body.contains("sip.other.example"));
    let retire = format!("{page}/retire");
    assert_eq!(browser.submit(&retire, &retire, &[]).await.location(), "/trunks?done=retired");
    assert_eq!(browser.get(&page).await.status, 404);
    assert!(browser.get("/trunks").await.body.contains("There is no trunk yet"));
    let actions = audited(&site, site.clinic.tenant).await;
    for action in [Action::TrunkCreate, Action::TrunkUpdate, Action::TrunkDelete] {
        assert_eq!(actions.iter().filter(|own| **own == action).count(), 1, "{action:?}");
    }
}

#[tokio::test]
async fn a_trunks_sources_are_changed_and_inbound_networks_stay() {
    let site = Site::start().await;
    let (mut browser, page) = with_trunk(&site).await;
    let stored = async || {
        let trunks = site.world.trunks.trunks_of(Reach::Everything, site.clinic.tenant, ALL).await.unwrap();
        trunks.into_iter().next().unwrap()
    };
    let made = stored().await;
    let networks: Vec<_> = made.media_networks.iter().map(ToString::to_string).collect();
    assert_eq!(networks, ["192.0.2.0/24", "2001:db8::/32"]);
    assert_eq!((made.nat, made.realms.join("|")), (true, "main, pbx|other".to_owned()));
    assert_eq!(made.inbound_from, []);
    let shown = browser.get(&page).await.body;
    assert!(shown.contains("value=\"192.0.2.0/24, 2001:db8::/32\"") && shown.contains("main, pbx\nother"));

    let inbound = Network::parse("198.51.100.0/24").unwrap();
    let by_operator = TrunkRevision { inbound_from: Some(vec![inbound]), ..TrunkRevision::unchanged(&made) };
    let deed = Deed { actor: Actor::Operator, from: None, at: site.clock.now() };
    site.world.trunks.revise_trunk(Reach::Everything, made.id, by_operator, None, deed).await.unwrap();
    let emptied: Vec<_> =
        TRUNK[..6].iter().copied().chain([("media_networks", ""), ("realms", "")]).collect();
    assert_eq!(browser.submit(&page, &page, &emptied).await.location(), format!("{page}?done=saved"));
    let now = stored().await;
    assert_eq!((now.nat, now.media_networks, now.realms), (false, Vec::new(), Vec::new()));
    assert_eq!(now.inbound_from, [inbound]);
}

#[tokio::test]
async fn a_trunk_that_leaves_tls_loses_its_login_and_says_so() {
    let site = Site::start().await;
    let (mut browser, page) = with_trunk(&site).await;
    let login = async || {
        let trunks = site.world.trunks.trunks_of(Reach::Everything, site.clinic.tenant, ALL).await.unwrap();
        let known = trunks[0].credentials.clone();
        known.map(|known| (known.username, known.password.reveal().clone()))
    };
    let mut changed = TRUNK.to_vec();
    changed[2].1 = "tcp";
    let refused = browser.submit(&page, &page, &changed).await;
    assert!(refused.status == 422 && refused.body.contains("needs the transport TLS"), "{}", refused.body);
    browser.keep("callwright-language", "fr-CA");
    let refused = browser.submit(&page, &page, &changed).await;
    assert!(refused.body.contains("Le son chiffré demande le transport TLS"), "{}", refused.body);
    browser.keep("callwright-language", "en");

    changed[5].1 = "off";
    changed[4].1 = "new";
    assert_eq!(browser.submit(&page, &page, &changed).await.location(), format!("{page}?done=saved"));
    assert_eq!(login().await, Some(("acme".to_owned(), "new".to_owned())));
    changed[2].1 = "tls";
    changed[4].1 = "";
    assert_eq!(browser.submit(&page, &page, &changed).await.location(), format!("{page}?done=saved"));
    assert_eq!(login().await, Some(("acme".to_owned(), "new".to_owned())));
    changed[2].1 = "udp";
    let removed = format!("{page}?done=login-removed");
    assert_eq!(browser.submit(&page, &page, &changed).await.location(), removed);
    assert_eq!(login().await, None);
    let told = browser.get(&removed).await.body;
    assert!(told.contains("user name and password were removed") && !told.contains("acme"), "{told}");
    browser.keep("callwright-language", "fr-CA");
    let told = browser.get(&removed).await.body;
    assert!(told.contains("le nom d’utilisateur et le mot de passe ont été retirés"), "{told}");
}

#[tokio::test]
async fn what_is_wrong_with_a_trunk_is_told_beside_its_field() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    for (field, value, told) in [
        ("name", " ", "expected 1 to 200 characters of text"),
        ("address", "10.0.0.1", "address"),
        ("address", "localhost:5060", "localhost"),
        ("address", "a b", "expected HOST or HOST:PORT"),
        ("transport", "carrier pigeon", "expected udp, tcp or tls"),
        ("username", "", "needs a user name"),
        ("password", "", "Give the password"),
        ("srtp", "maybe", "expected off or required"),
        ("media_networks", "192.0.2.0/33", "expected networks such as"),
        ("realms", "a\tb", "expected 1 to 200 characters"),
        ("transport", "udp", "Encrypted sound needs the transport TLS"),
    ] {
        let mut fields = TRUNK.to_vec();
        fields.iter_mut().find(|(name, _)| *name == field).unwrap().1 = value;
        let shown = browser.submit("/trunks/new", "/trunks/new", &fields).await;
        assert!(shown.status == 422 && shown.body.contains(told), "{field} {value}: {}", shown.body);
        assert!(shown.body.contains("aria-invalid"), "{field}");
        assert!(!shown.body.contains("pässword"), "{field}");
    }
    for (field, value, told) in [
        ("max_calls", "0", "expected a whole number from 1 to 100000"),
        ("default_country", "x", "calling code"),
    ] {
        let fields = [TRUNK.to_vec(), vec![(field, value)]].concat();
        let shown = browser.submit("/trunks/new", "/trunks/new", &fields).await;
        assert!(shown.status == 422 && shown.body.contains(told), "{field} {value}: {}", shown.body);
    }
}

#[tokio::test]
async fn a_number_needs_a_trunk_and_is_added_and_retired() {
    let site = Site::start().await;
    let mut alone = site.signed_in(&site.rival, None, Role::Admin).await;
    let theirs = format!("/o/{}/numbers", site.rival.first());
    assert!(alone.get(&format!("{theirs}/new")).await.body.contains("There is no trunk yet"));

    let (mut browser, trunk) = with_trunk(&site).await;
    let trunk = trunk.rsplit('/').next().unwrap().to_owned();
    let home = format!("/o/{}/numbers", site.clinic.first());
    let new = format!("{home}/new");
    for (number, own, told) in [
        ("555", trunk.as_str(), "expected an E.164 number"),
        ("+14155550123", "", "Choose a trunk"),
        ("+14155550123", "0190a6e0-7e6b-7cc0-98b7-2f7c1c2f4a11", "Choose a trunk"),
    ] {
        let shown = browser.submit(&new, &new, &[("number", number), ("trunk", own)]).await;
        assert!(shown.status == 422 && shown.body.contains(told), "{number} {own}: {}", shown.body);
    }
    let added = browser.submit(&new, &new, &[("number", "+14155550123"), ("trunk", &trunk)]).await;
    assert_eq!(added.location(), format!("{home}?done=created"));
    let list = browser.get(&home).await.body;
    assert!(list.contains("+14155550123") && list.contains("Carrier &#60;b&#62;"), "{list}");
    let (_, rest) = list.split_once(&format!("{home}/")).and(list.rsplit_once(&format!("{home}/"))).unwrap();
    let retire = format!("{home}/{}", rest.split('"').next().unwrap());
    assert!(retire.ends_with("/retire"), "{retire}");
    let mut member = site.signed_in(&site.clinic, None, Role::Member).await;
    assert!(!member.get(&home).await.body.contains("/retire"));
    assert_eq!(member.get(&retire).await.status, 403);
    let second = retire.replace(&site.clinic.first().to_string(), &site.clinic.organizations[1].to_string());
    assert_eq!(browser.get(&second).await.status, 404);
    assert_eq!(browser.submit(&retire, &retire, &[]).await.location(), format!("{home}?done=retired"));
    assert!(browser.get(&home).await.body.contains("There is no number yet"));
}

#[tokio::test]
async fn a_number_moves_to_another_trunk_and_the_audit_log_tells_both() {
    let site = Site::start().await;
    let (mut browser, first) = with_trunk(&site).await;
    let mut second = TRUNK.to_vec();
    second[0].1 = "Carrier 2";
    browser.submit("/trunks/new", "/trunks/new", &second).await;
    let trunks = site.world.trunks.trunks_of(Reach::Everything, site.clinic.tenant, ALL).await.unwrap();
    let second = trunks.iter().find(|own| own.name == "Carrier 2").unwrap().id.to_string();
    let home = format!("/o/{}/numbers", site.clinic.first());
    let new = format!("{home}/new");
    let first = first.rsplit('/').next().unwrap();
    browser.submit(&new, &new, &[("number", "+14155550123"), ("trunk", first)]).await;
    let list = browser.get(&home).await.body;
    let (_, rest) = list.split_once(&format!("<a href=\"{home}/0")).unwrap();
    let page = format!("{home}/0{}", rest.split('"').next().unwrap());
    let shown = browser.get(&page).await.body;
    assert!(shown.contains(&format!("value=\"{first}\" selected")), "{shown}");
    assert!(shown.contains(&format!("{page}/retire")) && shown.contains("place-call?number="), "{shown}");
    for unfit in ["", "x", "0190a6e0-7e6b-7cc0-98b7-2f7c1c2f4a11"] {
        let refused = browser.submit(&page, &page, &[("trunk", unfit)]).await;
        assert!(refused.status == 422 && refused.body.contains("Choose a trunk"), "{}", refused.body);
    }
    for _ in 0..2 {
        let moved = browser.submit(&page, &page, &[("trunk", &second)]).await;
        assert_eq!(moved.location(), format!("{page}?done=moved"));
    }
    let shown = browser.get(&format!("{page}?done=moved")).await.body;
    assert!(
        shown.contains("The number is on this trunk now.") && shown.contains("<bdi>Carrier 2</bdi>"),
        "{shown}"
    );
    let moves = audited(&site, site.clinic.tenant).await.into_iter().filter(|own| *own == Action::NumberMove);
    assert_eq!(moves.count(), 1);
    let log = browser.get("/audit-log").await.body;
    assert!(log.contains("moved the number “+14155550123” to the trunk “Carrier 2”"), "{log}");
    browser.keep("callwright-language", "fr-CA");
    let log = browser.get("/audit-log").await.body;
    assert!(log.contains("a déplacé le numéro «\u{a0}+14155550123\u{a0}» vers la ligne SIP «"), "{log}");

    let mut within = site.signed_in(&site.clinic, Some(site.clinic.first()), Role::Admin).await;
    assert_eq!(within.submit(&page, &page, &[("trunk", first)]).await.status, 303);
    let mut member = site.signed_in(&site.clinic, None, Role::Member).await;
    assert!(!member.get(&home).await.body.contains(&page));
    assert_eq!(member.get(&page).await.status, 403);
    assert_eq!(member.submit("/account", &page, &[("trunk", &second)]).await.status, 403);
    let sister = page.replace(&site.clinic.first().to_string(), &site.clinic.organizations[1].to_string());
    assert_eq!(browser.get(&sister).await.status, 404);
    assert_eq!(browser.submit("/account", &sister, &[("trunk", &second)]).await.status, 404);
}

#[tokio::test]
async fn trunks_belong_to_the_whole_tenant() {
    let site = Site::start().await;
    let (_, page) = with_trunk(&site).await;
    let mut viewer = site.signed_in(&site.clinic, None, Role::Viewer).await;
    assert!(viewer.get("/trunks").await.body.contains("Carrier &#60;b&#62;"));
    assert_eq!(viewer.get(&page).await.status, 403);
    assert_eq!(viewer.get("/trunks/new").await.status, 403);
    let mut rival = site.signed_in(&site.rival, None, Role::Admin).await;
    assert_eq!(rival.get(&page).await.status, 404);
    assert!(!rival.get("/trunks").await.body.contains("Carrier"));
}

#[tokio::test]
async fn whoever_is_limited_to_an_organization_finds_no_trunk() {
    let site = Site::start().await;
    let (_, page) = with_trunk(&site).await;
    for role in Role::ALL {
        let mut limited = site.signed_in(&site.clinic, Some(site.clinic.first()), role).await;
        for path in ["/trunks", "/trunks/new", &page, &format!("{page}/retire")] {
            assert_eq!(limited.get(path).await.status, 404, "{path} {role:?}");
        }
        for path in ["/trunks/new", &page, &format!("{page}/retire")] {
            assert_eq!(limited.submit("/account", path, &TRUNK).await.status, 404, "{path} {role:?}");
        }
    }
}
