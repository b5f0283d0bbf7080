//! Lists and choices that are longer than a page, of texts as long as they may be.

use std::time::Duration;

use domain::call::{CallFacts, EndedReason, Speaker, TranscriptEntry};
use domain::ids::{AssistantId, NumberId, OrganizationId, TrunkId};
use domain::number::E164;
use domain::organization::{Organization, Profile};
use domain::ports::{Admission, Clock, NewOrganization};
use domain::scope::Reach;
use domain::secret::Secret;
use domain::session::{Link, LinkDigest};
use domain::testing::{Ground, LaidCall, LaysCalls, moment};
use domain::trunk::{Number, Trunk};
use domain::user::{Role, User};

use crate::calls::{company, end, placed};
use crate::support::{Browser, Company, Site, fresh, operator};

/// More than a list or a choice shows at once.
const MANY: usize = 55;

/// No page is larger.
const LARGEST: usize = 100 * 1024;

/// A sign that takes five bytes in a page.
const SIGN: &str = "\"";

fn long(number: usize, length: usize) -> String {
    let number = format!("{number:03} ");
    format!("{number}{}", SIGN.repeat(length - number.len()))
}

/// A company with many of everything, and somebody of it.
struct Crowd {
    site: Site,
    company: Company,
    browser: Browser,
    /// The last of each, which no first page shows.
    trunk: TrunkId,
    number: NumberId,
    assistant: AssistantId,
}

impl Crowd {
    async fn gather() -> Self {
        let site = Site::start().await;
        let ground = Ground::lay(&site.world, None).await.unwrap();
        let company = Company { tenant: ground.tenant, organizations: vec![ground.organization] };
        let browser = site.signed_in(&company, None, Role::Admin).await;
        let (mut trunk, mut number, mut assistant) = (ground.trunk.id, ground.number.id, ground.assistant.id);
        let mut calls = Vec::new();
        for place in 0..MANY {
            let own = organization(&site, &ground, place).await;
            add_user(&site, &company, own, place).await;
            trunk = id(&site);
            let carrier = Trunk { id: trunk, name: long(place, 200), ..ground.trunk.clone() };
            let deed = operator(site.clock.now());
            site.world.trunks.add_trunk(Reach::Everything, carrier, deed.clone()).await.unwrap();
            number = id(&site);
            let e164 = E164::parse(&format!("+1416555{place:04}")).unwrap();
            let line = Number { id: number, trunk, number: e164, ..ground.number.clone() };
            site.world.numbers.add_number(Reach::Everything, line, deed.clone()).await.unwrap();
            assistant = id(&site);
            let (name, team) = (long(place, 200), Some(long(place, 200)));
            let speaker =
                domain::assistant::Assistant { id: assistant, name, team, ..ground.assistant.clone() };
            site.world.assistants.add_assistant(Reach::Everything, speaker, deed).await.unwrap();
            calls.push(LaidCall {
                assistant: Some(assistant),
                number: Some(number),
                user_name: Some(long(place, 255)),
                ..LaidCall::bare(ground.tenant, ground.organization, u64::try_from(place).unwrap())
            });
        }
        site.store.lay(&calls).await.unwrap();
        Self { site, company, browser, trunk, number, assistant }
    }

    fn home(&self, path: &str) -> String {
        format!("/o/{}{path}", self.company.first())
    }

    /// Every page of a list, as the links to the next one lead.
    async fn walk(&mut self, path: &str, rows: &str) -> Vec<usize> {
        let (mut path, mut found) = (path.to_owned(), Vec::new());
        loop {
            let page = self.browser.get(&path).await;
            assert_eq!(page.status, 200, "{path}");
            found.push(page.body.matches(rows).count());
            let Some(next) = linked(&page.body, "rel=\"next\" href=\"") else { return found };
            assert_ne!(next, path);
            path = next;
        }
    }
}

/// Where the first link of this kind leads.
fn linked(body: &str, kind: &str) -> Option<String> {
    let (_, rest) = body.split_once(kind)?;
    Some(rest.split('"').next()?.replace("&#38;", "&"))
}

fn id<Id: From<domain::ids::NewId>>(site: &Site) -> Id {
    fresh(site.clock.now(), site.entropy.as_ref())
}

async fn organization(site: &Site, ground: &Ground, place: usize) -> OrganizationId {
    let reach = domain::scope::Scope::Tenant(ground.tenant);
    let like = site.world.organizations.find(reach, ground.organization).await.unwrap().unwrap();
    let own: OrganizationId = id(site);
    let profile = Profile {
        name: long(place, 255),
        city: long(place, 255),
        country: long(place, 255),
        email: address(place),
        ..like.profile.clone()
    };
    let organization = Organization { id: own, profile, ..like };
    let (signing_secret, deed) = (Secret::new(vec![7; 24]), operator(site.clock.now()));
    let new = NewOrganization { organization, signing_secret, once: None, deed };
    site.world.organizations.create(new).await.unwrap();
    own
}

async fn add_user(site: &Site, company: &Company, own: OrganizationId, place: usize) {
    let user = User { email: address(place), ..site.nobody(company, Some(own), Role::Viewer) };
    let now = site.clock.now();
    let digest = LinkDigest([u8::try_from(place).unwrap(); 32]);
    let link = Link { digest, created_at: now, expires_at: now };
    site.world.accounts.add(user, Admission::Invitation(link), operator(now)).await.unwrap();
}

/// The longest address.
fn address(place: usize) -> String {
    let host = ["a".repeat(63), "b".repeat(63), "c".repeat(61)].join(".");
    format!("{place:03}{}@{host}", SIGN.repeat(61))
}

#[tokio::test]
async fn no_page_is_over_100_kib_however_much_there_is() {
    let mut crowd = Crowd::gather().await;
    let mut pages: Vec<String> =
        ["/organizations", "/trunks", "/users", "/users/new", "/audit-log", "/account"]
            .map(str::to_owned)
            .into();
    let (number, home) = (format!("/numbers/{}", crowd.number), crowd.home(""));
    for path in ["/calls", "/assistants", "/numbers", "/numbers/new", &number, "/place-call"] {
        pages.push(format!("{home}{path}"));
    }
    pages.push(format!("{home}/place-call?assistant={}&number={}", crowd.assistant, crowd.number));
    let mut too_large = Vec::new();
    for language in ["en", "fr-CA"] {
        crowd.browser.keep("callwright-language", language);
        for path in &pages {
            let page = crowd.browser.get(path).await;
            println!("{language} {path}: {} bytes", page.body.len());
            assert_eq!(page.status, 200, "{path}");
            if page.body.len() > LARGEST {
                too_large.push(format!("{path} in {language}: {} bytes", page.body.len()));
            }
        }
    }
    assert_eq!(too_large, Vec::<String>::new());
}

#[tokio::test]
async fn lists_go_on_from_page_to_page() {
    let mut crowd = Crowd::gather().await;
    // Who looks at them is a user too.
    assert_eq!(crowd.walk("/users", "<td data-label=\"Role\">").await, [25, 25, 6]);
    assert_eq!(crowd.walk("/trunks", "<td data-label=\"Address\">").await, [25, 25, 6]);
    for (path, label) in [("/numbers", "Added"), ("/assistants", "Engine")] {
        let home = crowd.home(path);
        let rows = crowd.walk(&home, &format!("<td data-label=\"{label}\">")).await;
        assert_eq!(rows, [25, 25, 6], "{path}");
    }
}

#[tokio::test]
async fn a_choice_that_a_form_does_not_offer_is_a_link_away_and_stays_chosen() {
    let mut crowd = Crowd::gather().await;
    let (trunk, number, assistant) =
        (crowd.trunk.to_string(), crowd.number.to_string(), crowd.assistant.to_string());
    let new = crowd.home("/numbers/new");
    let first = crowd.browser.get(&new).await.body;
    assert!(!first.contains(&trunk) && first.contains(&format!("{new}?trunks=2")), "{first}");
    let second = crowd.browser.get(&format!("{new}?trunks=2")).await.body;
    assert!(second.contains(&trunk) && second.contains(&format!("{new}?trunks=1")), "{second}");
    // It is still there when the form is shown again.
    let again = crowd.browser.submit(&new, &new, &[("number", "555"), ("trunk", &trunk)]).await;
    assert!(
        again.status == 422 && again.body.contains(&format!("value=\"{trunk}\" selected")),
        "{}",
        again.body
    );

    let page = crowd.home("/place-call");
    let first = crowd.browser.get(&page).await.body;
    assert!(!first.contains(&number) && !first.contains(&assistant), "{first}");
    let chosen = crowd.browser.get(&format!("{page}?number={number}&assistant={assistant}")).await.body;
    for value in [&number, &assistant] {
        assert!(chosen.contains(&format!("value=\"{value}\" selected")), "{chosen}");
    }
    // Looking at other numbers loses no assistant.
    let others = format!("{page}?assistants=1&#38;assistant={assistant}&#38;numbers=2");
    assert!(chosen.contains(&others), "{chosen}");
    let second = crowd.browser.get(&others.replace("&#38;", "&")).await.body;
    for value in [&number, &format!("{assistant}\" selected")] {
        assert!(second.contains(value), "{value}: {second}");
    }
    let foreign = crowd.site.clinic.first();
    let mut other = crowd.site.signed_in(&crowd.site.clinic, None, Role::Admin).await;
    let theirs = other.get(&format!("/o/{foreign}/place-call?number={number}&assistant={assistant}")).await;
    assert!(theirs.status == 200 && !theirs.body.contains("selected"), "{}", theirs.body);
}

#[tokio::test]
async fn a_long_transcript_is_shown_in_part_and_says_so() {
    let site = Site::start().await;
    let (ground, _, mut browser) = company(&site, Role::Viewer).await;
    for (text, language) in [(SIGN.repeat(400), "en"), ("é".to_owned(), "fr-CA")] {
        let (call, fence) = placed(&site, &ground, "Ada", 0).await;
        end(&site, fence, EndedReason::CustomerEndedCall, Some(5), 95).await;
        let turn = |second| TranscriptEntry {
            at: Duration::from_secs(second),
            who: Speaker::Customer,
            text: text.clone(),
        };
        let transcript: Vec<_> = (0..3_000).map(turn).collect();
        let facts = CallFacts::default();
        site.world.filing.file_transcript(call, &transcript, &facts, moment(99)).await.unwrap();
        browser.keep("callwright-language", language);
        let page = browser.get(&format!("/o/{}/calls/{call}", ground.organization)).await.body;
        println!("{language}: {} bytes", page.len());
        let cut = page.contains("The transcript goes on") || page.contains("La transcription continue");
        assert!(cut && page.contains(&text.replace('"', "&#34;")), "{page}");
        assert!(page.len() <= LARGEST, "{} bytes", page.len());
    }
}
