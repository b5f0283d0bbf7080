//! Pages of an organization in which everything is as long and as many as it may be: each weighs little, with
//! all that a browser loads for it.

use std::time::Duration;

use domain::access::{ApiKey, KeyDigest, Permission};
use domain::assistant::Assistant;
use domain::audit::{Actor, Deed};
use domain::call::{
    Analysis, CallFacts, Ended, EndedReason, FinalAnswer, OutboundCall, Speaker, TranscriptEntry,
};
use domain::callback::{CallbackDraft, CallbackUrl, MANUAL_TRIES_MAX};
use domain::ids::{CallId, OrganizationId};
use domain::ports::{
    Accepted, AnalysisSettled, ClaimedAgain, Clock, Conclusion, Settled, TryOutcome, TryRecord,
};
use domain::scope::Reach;
use domain::testing::{Ground, LaidCall, LaysCalls, moment};
use domain::user::{Role, User};
use time::macros::datetime;

use crate::support::{Browser, Company, Site, fresh, operator};

/// No page takes more than this, with its styles and scripts.
const LARGEST: usize = 100 * 1024;

/// More than a page of any list.
const MANY: usize = 30;

/// Texts of so many signs, each of which takes five bytes in a page.
fn long(number: usize, signs: usize) -> String {
    let number = format!("{number:03} ");
    format!("{number}{}", "\"".repeat(signs - number.len()))
}

/// What a browser loads for a page, without any compression.
async fn weight(browser: &mut Browser, path: &str) -> usize {
    let page = browser.get(path).await;
    assert_eq!(page.status, 200, "{path}: {}", page.body);
    let mut bytes = page.body.len();
    let mut assets: Vec<_> = page.body.split('"').filter(|part| part.starts_with("/assets/")).collect();
    assets.sort_unstable();
    assets.dedup();
    assert!(assets.len() >= 3, "{path}: {assets:?}");
    for asset in assets {
        bytes += browser.get(asset).await.body.len();
    }
    bytes
}

/// Somebody of the company with the longest address that there is.
async fn somebody(site: &Site, company: &Company) -> User {
    let host = ["a".repeat(63), "b".repeat(63), "c".repeat(61)].join(".");
    let email = format!("{}@{host}", "\"".repeat(64));
    let user = User { email, ..site.nobody(company, None, Role::Admin) };
    site.admit(&user).await;
    user
}

/// A call that is over, and whose callback was tried as often as may be.
async fn reported(site: &Site, ground: &Ground, by: &User, place: usize) -> OutboundCall {
    let mut call = ground.call().unwrap();
    let host = ["a".repeat(63), "b".repeat(63), "c".repeat(63), "d".repeat(57)].join(".");
    let url = format!("https://{host}/{}", "x".repeat(1_700));
    call.callback_url = CallbackUrl::from_stored(&url);
    call.customer_name = Some(long(place, 255));
    call.created_at = moment(u64::try_from(place).unwrap());
    let accepted = site.world.calls.accept(ground.dial(call.clone(), ground.boot)).await.unwrap();
    let Accepted::Calling(fence) = accepted else { panic!("{accepted:?}") };
    let ended = Ended { reason: EndedReason::CustomerBusy, started_at: None, ended_at: moment(40) };
    let answer = Some(FinalAnswer { code: 486, phrase: "\"".repeat(200) });
    let callback = CallbackDraft::of(&call, &ended, moment(40));
    site.world.calls.conclude(Conclusion { fence, ended, answer, callback }).await.unwrap();

    let (callbacks, lease) = (&site.world.callbacks, Duration::from_secs(20));
    callbacks.claim_fresh(ground.boot, call.id, moment(40), lease).await.unwrap().unwrap();
    let record = TryRecord {
        began_at: moment(40),
        took: Duration::from_secs(10),
        outcome: TryOutcome::Refused("documentation or benchmarking address".into()),
    };
    for number in 0..3 {
        let again = Settled::Again(moment(40));
        assert!(callbacks.settle(ground.boot, call.id, number, record.clone(), again).await.unwrap());
        callbacks.claim(ground.boot, moment(40), lease, &[], 1).await.unwrap();
    }
    assert!(callbacks.settle(ground.boot, call.id, 3, record.clone(), Settled::GivenUp).await.unwrap());
    let by = Actor::User(by.id, by.email.clone());
    for _ in 0..MANUAL_TRIES_MAX {
        let deed = Deed { actor: by.clone(), from: None, at: site.clock.now() };
        let claimed =
            callbacks.claim_again(ground.scope(), call.id, ground.boot, lease, &deed).await.unwrap();
        let ClaimedAgain::Claimed(claimed) = claimed else { panic!("{claimed:?}") };
        let before = claimed.tries_before;
        assert!(callbacks.settle_again(ground.boot, call.id, before, record.clone(), &by).await.unwrap());
    }
    call
}

/// A long talk, and two long summaries of it.
async fn talked(site: &Site, ground: &Ground, call: CallId) {
    let turn = |second| TranscriptEntry {
        at: Duration::from_secs(second),
        who: Speaker::Customer,
        text: "\"".repeat(400),
    };
    let transcript: Vec<_> = (0..3_000).map(turn).collect();
    site.world.filing.file_transcript(call, &transcript, &CallFacts::default(), moment(99)).await.unwrap();
    let due = site.world.analyses.claim_analyses(ground.boot, moment(100), 1).await.unwrap();
    let analysis = Analysis {
        intent: Some("\"".repeat(512)),
        summary: Some("\"".repeat(1_000)),
        summary_fr: Some("\"".repeat(1_000)),
        model: Some("\"".repeat(200)),
        ..Analysis::default()
    };
    let done = AnalysisSettled::Done(Box::new(analysis));
    assert!(site.world.analyses.settle_analysis(due[0].call, ground.boot, 0, done).await.unwrap());
}

/// So many keys of an organization, or of the whole company.
async fn keys(site: &Site, company: &Company, organization: Option<OrganizationId>, count: usize) {
    for place in 0..count {
        let key = ApiKey {
            id: fresh(site.clock.now(), site.entropy.as_ref()),
            tenant: company.tenant,
            organization,
            name: long(place, 200),
            permissions: Permission::ALL.to_vec(),
            created_at: site.clock.now(),
            last_used_at: Some(site.clock.now()),
            revoked_at: None,
        };
        let mut digest = [u8::from(organization.is_some()); 32];
        digest[0] = u8::try_from(place).unwrap();
        let deed = operator(site.clock.now());
        site.world.access.issue(key, KeyDigest(digest), deed).await.unwrap();
    }
}

/// A site, a company's ground, and somebody of it with a long address.
async fn crowded() -> (Site, Ground, Company, User, Browser) {
    let site = Site::start().await;
    let ground = Ground::lay(&site.world, None).await.unwrap();
    let company = Company { tenant: ground.tenant, organizations: vec![ground.organization] };
    let user = somebody(&site, &company).await;
    let browser = site.browser_of(&user).await;
    (site, ground, company, user, browser)
}

/// Asks for each page in both languages, and tells which weigh too much.
async fn weigh(browser: &mut Browser, pages: &[String]) {
    let mut too_heavy = Vec::new();
    for language in ["en", "fr-CA"] {
        browser.keep("callwright-language", language);
        for page in pages {
            let bytes = weight(browser, page).await;
            if bytes > LARGEST {
                too_heavy.push(format!("{page} in {language}: {bytes} bytes"));
            }
        }
    }
    assert_eq!(too_heavy, Vec::<String>::new());
}

#[tokio::test]
async fn lists_of_keys_weigh_little_however_many_there_are() {
    let (site, ground, company, _, mut browser) = crowded().await;
    keys(&site, &company, None, MANY).await;
    keys(&site, &company, Some(ground.organization), 5).await;
    let own = format!("/o/{}/settings/api-keys", ground.organization);
    let first = browser.get("/settings/api-keys").await.body;
    let older = first.split("rel=\"next\" href=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert_ne!(first.matches("</code></span></td>").count(), MANY);
    weigh(&mut browser, &["/settings/api-keys".to_owned(), older, own.clone(), format!("{own}/add")]).await;
}

#[tokio::test]
async fn callbacks_and_a_long_call_weigh_little_however_often_they_were_tried() {
    let (site, ground, _, user, mut browser) = crowded().await;
    let mut calls = Vec::new();
    for place in 0..MANY {
        calls.push(reported(&site, &ground, &user, place).await.id);
    }
    let last = *calls.last().unwrap();
    talked(&site, &ground, last).await;
    let home = format!("/o/{}", ground.organization);
    let callback = format!("{home}/callbacks/{last}");
    let tries = browser.get(&callback).await.body.matches("data-label=\"Took\"").count();
    assert_eq!(tries, 24);
    let pages = [
        format!("{home}/callbacks"),
        format!("{home}/callbacks?state=given-up"),
        callback,
        format!("{home}/calls/{last}"),
        "/audit-log".to_owned(),
        "/account".to_owned(),
    ];
    weigh(&mut browser, &pages).await;
}

#[tokio::test]
async fn the_list_of_calls_weighs_little_below_the_fullest_chart() {
    let (site, ground, _, _, mut browser) = crowded().await;
    let agent = Assistant { name: "É".repeat(200), ..ground.cascade().unwrap() };
    let assistant = Some(agent.id);
    site.world.assistants.add_assistant(Reach::Everything, agent, operator(site.clock.now())).await.unwrap();
    let answered = datetime!(2018-01-01 10:00 UTC);
    let over = |reason, started_at| Some(Ended { reason, started_at, ended_at: answered });
    let ends = [
        None,
        over(EndedReason::AssistantEndedCall, Some(answered)),
        over(EndedReason::NoAnswer, None),
        over(EndedReason::CustomerBusy, None),
        over(EndedReason::TrunkUnreachable, None),
    ];
    // A call of every end on each day of two months, and in more months than a chart shows.
    let days = (0..64).map(|day| datetime!(2026-11-20 10:00 UTC) - time::Duration::days(day));
    let months = (3..110).map(|month| datetime!(2026-11-15 10:00 UTC) - time::Duration::days(month * 30));
    let calls = days.chain(months).flat_map(|created_at| {
        ends.map(|ended| LaidCall {
            assistant,
            number: Some(ground.number.id),
            user_number: Some("+1 (416) 555-0123".to_owned()),
            user_name: Some("é".repeat(255)),
            ended,
            created_at,
            ..LaidCall::bare(ground.tenant, ground.organization, 0)
        })
    });
    site.store.lay(&calls.collect::<Vec<_>>()).await.unwrap();
    let path = format!("/o/{}/calls", ground.organization);
    let every = format!("{path}?from=2018-01-01");
    let bars = browser.get(&every).await.body.matches("<rect x=").count();
    assert_eq!(bars, 100);
    weigh(
        &mut browser,
        &[
            path.clone(),
            every,
            format!("{path}?from=2026-09-18"),
            format!("{path}?from=2018-01-01&page=3&sort=asc"),
        ],
    )
    .await;
}
