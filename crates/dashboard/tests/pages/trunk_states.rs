//! How trunks stand, as the list of trunks shows it.

use std::time::Duration;

use domain::call::FinalAnswer;
use domain::ids::TrunkId;
use domain::ports::{Clock, NoAnswer, PingReport, RegistrationReport, Standing, TrunkReport};
use domain::scope::Reach;
use domain::testing::Ground;
use domain::trunk::Trunk;
use domain::user::Role;

use crate::support::{Browser, Company, Site, fresh, operator};

/// A company with a trunk for each name, and somebody of it who looks on.
async fn trunks<const COUNT: usize>(site: &Site, names: [&str; COUNT]) -> ([TrunkId; COUNT], Browser) {
    let ground = Ground::lay(&site.world, None).await.unwrap();
    let mut ids = [ground.trunk.id; COUNT];
    for (id, name) in ids.iter_mut().zip(names) {
        *id = fresh(site.clock.now(), site.entropy.as_ref());
        let trunk = Trunk { id: *id, name: name.to_owned(), ..ground.trunk.clone() };
        site.world.trunks.add_trunk(Reach::Everything, trunk, operator(site.clock.now())).await.unwrap();
    }
    let company = Company { tenant: ground.tenant, organizations: vec![ground.organization] };
    (ids, site.signed_in(&company, None, Role::Viewer).await)
}

/// A trunk's row: state, last OPTIONS, registration, live calls.
fn row(page: &str, name: &str) -> [String; 4] {
    let row = page.split("<tr>").find(|row| row.contains(&format!(">{name}</td>"))).unwrap();
    let cells: Vec<_> = row.split("<td").skip(3).map(|cell| cell.split_once('>').unwrap().1).collect();
    let [state, ping, registration, live] = cells[..] else { panic!("{row}") };
    [state, ping, registration, live].map(|cell| cell.split_once("</td>").unwrap().0.to_owned())
}

fn answer(code: u16, phrase: &str) -> FinalAnswer {
    FinalAnswer { code, phrase: phrase.to_owned() }
}

fn pinged(answer: Result<FinalAnswer, NoAnswer>, round_trip: Option<u64>) -> PingReport {
    let round_trip = round_trip.map(Duration::from_millis);
    PingReport { ago: Duration::from_secs(4), round_trip, answer }
}

fn badge(class: &str, words: &str) -> String {
    format!("<span class=\"badge {class}\">{words}</span>")
}

#[tokio::test]
async fn every_trunk_shows_whether_it_takes_calls_and_what_it_answered_last() {
    let site = Site::start().await;
    let (ids, mut browser) =
        trunks(&site, ["Registered", "Refused", "Silent", "Renamed", "Waiting", "Built in"]).await;
    let states = [
        TrunkReport {
            standing: Standing::Up,
            last_ping: Some(pinged(Ok(answer(200, "OK")), Some(12))),
            registration: Some(RegistrationReport::Stands { left: Duration::from_mins(1) }),
            live_calls: 3,
        },
        TrunkReport {
            standing: Standing::Up,
            last_ping: Some(pinged(Ok(answer(405, "Not <Here>")), Some(87))),
            registration: Some(RegistrationReport::Refused(answer(403, "Forbidden"))),
            live_calls: 0,
        },
        TrunkReport {
            standing: Standing::Down,
            last_ping: Some(pinged(Err(NoAnswer::Silent), None)),
            registration: Some(RegistrationReport::Unanswered(NoAnswer::Silent)),
            live_calls: 1,
        },
        TrunkReport {
            standing: Standing::Down,
            last_ping: Some(pinged(Err(NoAnswer::NoAddress), None)),
            registration: None,
            live_calls: 0,
        },
        TrunkReport { registration: Some(RegistrationReport::Pending), ..TrunkReport::default() },
        TrunkReport { standing: Standing::BuiltIn, ..TrunkReport::default() },
    ];
    for (id, state) in ids.into_iter().zip(states) {
        site.trunk_states.set(id, state);
    }
    let none = || "<span class=\"soft\">–</span>".to_owned();
    let page = browser.get("/trunks").await.body;
    for (name, shown) in [
        (
            "Registered",
            [badge("good", "up"), "200 OK, 12 ms · 4 s".into(), badge("good", "registered"), "3".into()],
        ),
        (
            "Refused",
            [
                badge("good", "up"),
                "405 Not &#60;Here&#62;, 87 ms · 4 s".into(),
                badge("bad", "403 Forbidden"),
                "0".into(),
            ],
        ),
        ("Silent", [badge("bad", "down"), "no answer · 4 s".into(), badge("bad", "no answer"), "1".into()]),
        ("Renamed", [badge("bad", "down"), "the name has no address · 4 s".into(), none(), "0".into()]),
        ("Waiting", [badge("", "not asked yet"), "–".into(), badge("", "pending"), "0".into()]),
        ("Built in", [badge("good", "built-in phone"), "–".into(), none(), "0".into()]),
    ] {
        assert_eq!(row(&page, name), shown, "{name}");
    }
    browser.keep("callwright-language", "fr-CA");
    let page = browser.get("/trunks").await.body;
    for (name, shown) in [
        (
            "Silent",
            [
                badge("bad", "hors service"),
                "pas de réponse · 4 s".into(),
                badge("bad", "pas de réponse"),
                "1".into(),
            ],
        ),
        (
            "Renamed",
            [badge("bad", "hors service"), "le nom n’a pas d’adresse · 4 s".into(), none(), "0".into()],
        ),
    ] {
        assert_eq!(row(&page, name), shown, "{name}");
    }
}

#[tokio::test]
async fn a_trunk_that_nobody_asked_says_so_until_it_answers() {
    let site = Site::start().await;
    let ([trunk], mut browser) = trunks(&site, ["Carrier"]).await;
    let page = browser.get("/trunks").await.body;
    assert_eq!(row(&page, "Carrier")[..2], [badge("", "not asked yet"), "–".to_owned()]);
    let up = TrunkReport {
        standing: Standing::Up,
        last_ping: Some(pinged(Ok(answer(200, "OK")), Some(9))),
        ..TrunkReport::default()
    };
    site.trunk_states.set(trunk, up);
    let page = browser.get("/trunks").await.body;
    assert_eq!(row(&page, "Carrier")[..2], [badge("good", "up"), "200 OK, 9 ms · 4 s".to_owned()]);
}
