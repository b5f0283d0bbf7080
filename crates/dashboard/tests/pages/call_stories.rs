//! What one call's page tells: what happened when, and what it came to.

use std::time::Duration;

use domain::call::{Analysis, CallFacts, Ended, EndedReason, FinalAnswer, OutboundCall, Sentiment};
use domain::callback::CallbackDraft;
use domain::ports::{
    AnalysisSettled, Conclusion, DialIntent, Fence, SavedLeg, Settled, TryOutcome, TryRecord,
};
use domain::testing::{Ground, moment};
use domain::user::Role;

use crate::calls::{MARKUP, company, end, placed};
use crate::support::Site;

/// The lines of the timeline: time of the day in Halifax, what happened, and what is told beside it.
fn timeline(page: &str) -> Vec<(String, String, String)> {
    let list = page.split_once("<ol class=\"timeline\">").unwrap().1.split_once("</ol>").unwrap().0;
    let line = |line: &str| {
        let (time, rest) = line.split_once("<span>").unwrap();
        let time = time.split_once("<time ").map_or("", |(_, time)| time.split_once('>').unwrap().1);
        let time = time.split_once("</time>").map_or("", |(time, _)| time);
        let words = rest.split_once("</span>").unwrap().0;
        let (text, detail) = words.split_once(" <small><bdi>").unwrap_or((words, ""));
        (time.to_owned(), text.to_owned(), detail.replace("</bdi></small>", ""))
    };
    list.split("<li ").skip(1).map(line).collect()
}

fn told<const COUNT: usize>(lines: [(&str, &str, &str); COUNT]) -> Vec<(String, String, String)> {
    lines.map(|(time, text, detail)| (time.to_owned(), text.to_owned(), detail.to_owned())).into()
}

async fn answered(site: &Site, ground: &Ground, call: &OutboundCall, fence: Fence, at: u64) {
    let intent = DialIntent {
        trunk: ground.trunk.id,
        call_id: call.id.to_string(),
        local_tag: "tag".to_owned(),
        branch: "z9hG4bK1".to_owned(),
        cseq: 1,
        request_uri: "sip:callee@sip.example.com".to_owned(),
        from: "<sip:caller@example.com>".to_owned(),
        to: "<sip:callee@sip.example.com>".to_owned(),
        transport: "tls".to_owned(),
        gateway: "192.0.2.1:5061".to_owned(),
    };
    let leg =
        SavedLeg { intent, remote_tag: None, remote_target: None, route_set: Vec::new(), local_cseq: 1 };
    assert!(site.world.calls.answered(fence, leg, moment(at)).await.unwrap());
}

async fn tried(
    site: &Site,
    ground: &Ground,
    call: &OutboundCall,
    number: u16,
    outcome: TryOutcome,
    then: Settled,
) {
    let at = moment(65 + u64::from(number));
    let lease = Duration::from_secs(20);
    if number > 0 {
        let due = site.world.callbacks.claim(ground.boot, at, lease, &[], 1).await.unwrap();
        assert_eq!(due.len(), 1, "{number}");
    }
    let took = Duration::from_millis(87 + u64::from(number));
    let record = TryRecord { began_at: at, took, outcome };
    assert!(site.world.callbacks.settle(ground.boot, call.id, number, record, then).await.unwrap());
}

#[tokio::test]
async fn the_timeline_has_all_that_happened_from_the_dialling_to_the_callback_sent_by_hand() {
    let site = Site::start().await;
    let (ground, _, mut browser) = company(&site, Role::Member).await;
    let (call, fence) = ground.calling(&site.world).await.unwrap();
    site.world.calls.ringing(fence, moment(2)).await.unwrap();
    answered(&site, &ground, &call, fence, 5).await;
    let page = format!("/o/{}/calls/{}", ground.organization, call.id);
    let before = told([
        ("05:30:00", "Call accepted", ""),
        ("05:30:00", "Dialled over", "main"),
        ("05:30:02", "Ringing", ""),
        ("05:30:05", "Answered", ""),
    ]);
    assert_eq!(timeline(&browser.get(&page).await.body), before);

    let ended =
        Ended { reason: EndedReason::CustomerEndedCall, started_at: Some(moment(5)), ended_at: moment(65) };
    let callback = CallbackDraft::of(&call, &ended, moment(65));
    let conclusion = Conclusion { fence, ended, answer: None, callback };
    site.world.calls.conclude(conclusion).await.unwrap();
    let lease = Duration::from_secs(20);
    site.world.callbacks.claim_fresh(ground.boot, call.id, moment(65), lease).await.unwrap().unwrap();
    tried(&site, &ground, &call, 0, TryOutcome::Answered(503), Settled::Again(moment(66))).await;
    let due = told([
        ("05:31:05", "The customer hung up", ""),
        ("05:31:05", "Callback, try 1", "HTTP 503 · 87 ms"),
        ("05:31:06", "The next callback try is due", ""),
    ]);
    assert_eq!(timeline(&browser.get(&page).await.body), [before.clone(), due].concat());
    tried(&site, &ground, &call, 1, TryOutcome::TimedOut, Settled::Again(moment(67))).await;
    let refused = TryOutcome::Broken("the connection was refused".into());
    tried(&site, &ground, &call, 2, refused, Settled::GivenUp).await;
    let callbacks = format!("/o/{}/callbacks/{}", ground.organization, call.id);
    let sent = browser.submit(&callbacks, &callbacks, &[]).await;
    assert_eq!(sent.location(), format!("{callbacks}?sent=confirmed"));

    let after = told([
        ("05:31:05", "The customer hung up", ""),
        ("05:31:05", "Callback, try 1", "HTTP 503 · 87 ms"),
        ("05:31:06", "Callback, try 2", "no answer in time · 88 ms"),
        ("05:31:07", "Callback, try 3", "the connection was refused · 89 ms"),
        ("12:05:00", "Callback sent by hand", "HTTP 204 · 0 ms"),
    ]);
    assert_eq!(timeline(&browser.get(&page).await.body), [before, after].concat());
    browser.keep("callwright-language", "fr-CA");
    let french = told([
        ("5 h 30 min 00 s", "Appel accepté", ""),
        ("5 h 30 min 00 s", "Composé par", "main"),
        ("5 h 30 min 02 s", "Sonnerie", ""),
        ("5 h 30 min 05 s", "Répondu", ""),
        ("5 h 31 min 05 s", "Le client a raccroché", ""),
        ("5 h 31 min 05 s", "Rappel HTTP, essai 1", "HTTP 503 · 87 ms"),
        ("5 h 31 min 06 s", "Rappel HTTP, essai 2", "pas de réponse à temps · 88 ms"),
        ("5 h 31 min 07 s", "Rappel HTTP, essai 3", "la connexion a été refusée · 89 ms"),
        ("12 h 05 min 00 s", "Rappel HTTP envoyé manuellement", "HTTP 204 · 0 ms"),
    ]);
    assert_eq!(timeline(&browser.get(&page).await.body), french);
}

#[tokio::test]
async fn a_call_that_nobody_took_tells_what_the_network_answered() {
    let site = Site::start().await;
    let (ground, _, mut browser) = company(&site, Role::Viewer).await;
    for (reason, code, phrase, words) in [
        (EndedReason::CustomerBusy, 486, "Busy <Here>", "The line was busy"),
        (EndedReason::InvalidNumber, 404, "Not Found", "There is no such number"),
        (EndedReason::NoAnswer, 487, "Request Terminated", "Nobody answered"),
        (EndedReason::TrunkError, 503, "Service Unavailable", "The trunk reported an error"),
    ] {
        let (call, fence) = placed(&site, &ground, "Ada", 0).await;
        site.world.calls.ringing(fence, moment(1)).await.unwrap();
        let ended = Ended { reason, started_at: None, ended_at: moment(9) };
        let answer = Some(FinalAnswer { code, phrase: phrase.to_owned() });
        let conclusion = Conclusion { fence, ended, answer, callback: None };
        site.world.calls.conclude(conclusion).await.unwrap();
        let page = browser.get(&format!("/o/{}/calls/{call}", ground.organization)).await.body;
        let said = format!("SIP {code} {phrase}").replace('<', "&#60;").replace('>', "&#62;");
        let lines = told([
            ("05:30:00", "Call accepted", ""),
            ("05:30:00", "Dialled over", "main"),
            ("05:30:01", "Ringing", ""),
            ("05:30:09", words, &said),
        ]);
        assert_eq!(timeline(&page), lines);
    }
}

/// What is written of a call, by whom.
async fn analysed(site: &Site, ground: &Ground, analysis: Analysis) -> String {
    let (call, fence) = placed(site, ground, "Ada", 0).await;
    end(site, fence, EndedReason::CustomerEndedCall, Some(5), 95).await;
    site.world.filing.file_transcript(call, &[], &CallFacts::default(), moment(99)).await.unwrap();
    let due = site.world.analyses.claim_analyses(ground.boot, moment(100), 1).await.unwrap();
    let done = AnalysisSettled::Done(Box::new(analysis));
    assert!(site.world.analyses.settle_analysis(due[0].call, ground.boot, 0, done).await.unwrap());
    format!("/o/{}/calls/{call}", ground.organization)
}

#[tokio::test]
async fn both_summaries_are_told_the_readers_own_first_and_neither_is_markup() {
    let site = Site::start().await;
    let (ground, _, mut browser) = company(&site, Role::Viewer).await;
    let analysis = Analysis {
        summary: Some(format!("She booked. {MARKUP}")),
        summary_fr: Some(format!("Elle a réservé. {MARKUP}")),
        intent: Some(format!("book_{MARKUP}")),
        sentiment: Some(Sentiment::Positive),
        outcome: Some("appointment_booked".to_owned()),
        model: Some("model <1>".to_owned()),
    };
    let path = analysed(&site, &ground, analysis).await;
    let inert =
        "&#60;script&#62;alert(1)&#60;/script&#62;&#60;img src=x onerror=alert(1)&#62;&#34;&#39;&#38;";
    let english = format!("<p lang=\"en\">She booked. {inert}</p>");
    let french = format!("<p lang=\"fr-CA\">Elle a réservé. {inert}</p>");
    for (language, first, second, heading, by) in [
        ("en", &english, &french, "<h3>French</h3>", "Written by model &#60;1&#62;"),
        ("fr-CA", &french, &english, "<h3>Anglais</h3>", "Rédigé par model &#60;1&#62;"),
    ] {
        browser.keep("callwright-language", language);
        let page = browser.get(&path).await.body;
        let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}: {page}"));
        assert!(place(first) < place(heading) && place(heading) < place(second), "{page}");
        assert!(page.contains(by), "{page}");
        assert!(page.contains(&format!("<dd>book {inert}</dd>")), "{page}");
        assert!(!page.contains("<script>alert") && !page.contains("<img"), "{page}");
    }
}

#[tokio::test]
async fn one_summary_alone_stands_without_a_heading_of_its_own() {
    let site = Site::start().await;
    let (ground, _, mut browser) = company(&site, Role::Viewer).await;
    let analysis = Analysis { summary: Some("Nobody spoke.".to_owned()), ..Analysis::default() };
    let path = analysed(&site, &ground, analysis).await;
    browser.keep("callwright-language", "fr-CA");
    let page = browser.get(&path).await.body;
    assert!(page.contains("<p lang=\"en\">Nobody spoke.</p>") && !page.contains("<h3>Anglais"), "{page}");
    assert!(page.contains("Rédigé à partir des faits, sans modèle de langage."), "{page}");
}
