//! The first minutes of a new installation, in the browser alone: from an empty database and the link
//! that the log tells to a call over the built-in phone, by HTTP forms and without a script.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, COOKIE, LOCATION, SET_COOKIE};
use reqwest::redirect::Policy;
use tokio::time::Instant;

use crate::support::{Installation, PATIENCE};

/// A browser that runs no scripts, and counts what it asks for.
struct Browser {
    base: String,
    client: reqwest::Client,
    cookies: Vec<(String, String)>,
    requests: usize,
}

struct Page {
    path: String,
    body: String,
}

impl Page {
    /// The value of a hidden field, or of the choice that stands first.
    fn value(&self, name: &str) -> String {
        let after = |mark: &str| Some(self.body.split_once(mark)?.1.split_once('"')?.0.to_owned());
        let hidden = after(&format!("name=\"{name}\" value=\""));
        let choice = || {
            let options = self.body.split_once(&format!("<select id=\"{name}\""))?.1;
            Some(options.split_once("<option value=\"")?.1.split_once('"')?.0.to_owned())
        };
        hidden.or_else(choice).unwrap_or_else(|| panic!("no {name} in {}: {}", self.path, self.body))
    }

    /// The first address in the page that has this in it.
    fn address(&self, part: &str) -> Option<String> {
        let places = self.body.match_indices("src=\"").chain(self.body.match_indices("href=\""));
        let addresses = places.filter_map(|(at, mark)| self.body[at + mark.len()..].split('"').next());
        let found = addresses.into_iter().find(|address| address.contains(part))?;
        Some(found.replace("&#38;", "&").replace("&amp;", "&"))
    }
}

impl Browser {
    fn new(base: &str) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().redirect(Policy::none()).build().unwrap();
        Self { base: base.to_owned(), client, cookies: Vec::new(), requests: 0 }
    }

    async fn get(&mut self, path: &str) -> Page {
        let request = self.client.get(format!("{}{path}", self.base));
        self.follow(path, request).await
    }

    async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(fields);
        let request = self
            .client
            .post(format!("{}{path}", self.base))
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form.finish());
        self.follow(path, request).await
    }

    /// Sends a request and follows where it leads, with the cookies that are set on the way.
    async fn follow(&mut self, path: &str, mut request: reqwest::RequestBuilder) -> Page {
        let mut path = path.to_owned();
        loop {
            let cookies: Vec<_> =
                self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let answer = request.header(COOKIE, cookies.join("; ")).send().await.unwrap();
            self.requests += 1;
            for cookie in answer.headers().get_all(SET_COOKIE) {
                let cookie = cookie.to_str().unwrap().split(';').next().unwrap();
                let (name, value) = cookie.split_once('=').unwrap();
                self.cookies.retain(|(known, _)| known != name);
                self.cookies.push((name.to_owned(), value.to_owned()));
            }
            if answer.status() == 303 {
                path = answer.headers()[LOCATION].to_str().unwrap().to_owned();
                request = self.client.get(format!("{}{path}", self.base));
                continue;
            }
            let status = answer.status();
            let body = answer.text().await.unwrap();
            assert!(status.is_success(), "{status} {path}: {body}");
            return Page { path, body };
        }
    }

    /// Loads a page again until it shows something.
    async fn until(&mut self, path: &str, shows: impl Fn(&Page) -> bool) -> Page {
        let deadline = Instant::now() + 3 * PATIENCE;
        loop {
            let page = self.get(path).await;
            if shows(&page) {
                return page;
            }
            assert!(Instant::now() < deadline, "never shown at {path}: {}", page.body);
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }
}

/// Waits for the link, which the log tells once.
async fn set_up_link(installation: &Installation) -> String {
    installation.logs("/set-up/").await;
    let log = installation.log();
    let secret = log.split_once("/set-up/").unwrap().1;
    let end = secret.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').unwrap();
    format!("/set-up/{}", &secret[..end])
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_run_leads_from_an_empty_database_to_a_finished_call_by_forms_alone() {
    let installation = Installation::serving(&[]).await;
    let link = set_up_link(&installation).await;
    let began = Instant::now();
    let mut browser = Browser::new(installation.base());
    browser.get(&link).await;
    let first_steps = browser
        .post(
            &link,
            &[
                ("company", "Northern Clinics"),
                ("email", "ada@clinic.example"),
                ("password", "correct horse battery staple"),
                ("organization", "Clinic"),
                ("timezone", "America/Toronto"),
            ],
        )
        .await;
    assert!(first_steps.path.ends_with("/first-steps"), "{}", first_steps.path);
    let place_call = first_steps.address("/place-call").unwrap();
    let empty = browser.get(&place_call).await;
    let (token, id) = (empty.value("token"), empty.value("id"));
    let example = [("token", token.as_str()), ("id", id.as_str())];
    let form = browser.post(&format!("{place_call}/example"), &example).await;
    let (token, once, assistant) = (form.value("token"), form.value("once"), form.value("assistant"));
    let fields = [
        ("token", token.as_str()),
        ("once", once.as_str()),
        ("assistant", assistant.as_str()),
        ("callee", "answers"),
        ("name", "Ada"),
    ];
    let call = browser.post(&format!("{place_call}/phone"), &fields).await;
    let (asked, called) = (browser.requests, began.elapsed());
    assert!(call.path.contains("/calls/"), "{}", call.path);

    // The impatient finger gets the same call.
    let again = browser.post(&format!("{place_call}/phone"), &fields).await;
    assert_eq!(again.path, call.path);

    let over = browser
        .until(&call.path, |page| {
            page.body.contains("Completed") && page.body.contains("we have made a note of it")
        })
        .await;
    assert!(over.body.contains("Hello Ada, this is a reminder"), "{}", over.body);
    assert!(over.body.contains("note of it"));
    let over = browser.until(&call.path, |page| page.body.contains("<audio")).await;
    let recording = over.body.split_once("<audio").unwrap().1.split_once("src=\"").unwrap().1;
    let recording = recording.split('"').next().unwrap().replace("&#38;", "&").replace("&amp;", "&");
    let recording =
        if recording.starts_with('/') { format!("{}{recording}", browser.base) } else { recording };
    let led = browser.client.get(&recording).header(COOKIE, session(&browser)).send().await.unwrap();
    assert_eq!(led.status(), 303, "a look leads to a fresh address");
    let signed = led.headers()["location"].to_str().unwrap().to_owned();
    let sound = browser.client.get(&signed).send().await.unwrap();
    assert!(sound.status().is_success(), "{}: {signed}", sound.status());
    assert!(sound.bytes().await.unwrap().len() > 44 + 8_000 * 4 * 5, "less than five seconds of sound");
    let list = browser.get(call.path.rsplit_once('/').unwrap().0).await;
    assert!(list.body.contains(call.path.as_str()));
    println!(
        "first run: {asked} requests and {:.2} s to the first call; finished with recording after {:.1} s",
        called.as_secs_f64(),
        began.elapsed().as_secs_f64()
    );
    assert!(began.elapsed() < Duration::from_mins(2));
}

fn session(browser: &Browser) -> String {
    browser.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_live_call_is_hung_up_from_its_page() {
    let installation = Installation::serving(&[]).await;
    let link = set_up_link(&installation).await;
    let mut browser = Browser::new(installation.base());
    let fields = [
        ("company", "Northern Clinics"),
        ("email", "ada@clinic.example"),
        ("password", "correct horse battery staple"),
        ("organization", "Clinic"),
        ("timezone", "America/Toronto"),
    ];
    let first_steps = browser.post(&link, &fields).await;
    let place_call = first_steps.address("/place-call").unwrap();
    let empty = browser.get(&place_call).await;
    let (token, id) = (empty.value("token"), empty.value("id"));
    let example = [("token", token.as_str()), ("id", id.as_str())];
    let form = browser.post(&format!("{place_call}/example"), &example).await;
    let (token, once, assistant) = (form.value("token"), form.value("once"), form.value("assistant"));
    let fields = [
        ("token", token.as_str()),
        ("once", once.as_str()),
        ("assistant", assistant.as_str()),
        ("callee", "never-answers"),
    ];
    let call = browser.post(&format!("{place_call}/phone"), &fields).await;
    let live = browser.until(&call.path, |page| page.body.contains("Ringing")).await;
    assert!(live.body.contains(&format!("action=\"{}/hang-up\"", call.path)), "{}", live.body);
    browser.post(&format!("{}/hang-up", call.path), &[("token", &live.value("token"))]).await;
    let over = browser.until(&call.path, |page| page.body.contains("Failed")).await;
    assert!(!over.body.contains("/hang-up\""), "{}", over.body);
}
