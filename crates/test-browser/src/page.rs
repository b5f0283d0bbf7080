//! A page: where it is, what it says, and what went wrong on it.

use std::path::Path;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use crate::browser::Inside;
use crate::find::Element;
use crate::look::Look;
use crate::seen::{Document, Seen, Traffic};
use crate::{PATIENCE, PAUSE};

/// Taller pages are cut in screenshots.
const TALLEST: u32 = 4000;

/// A page of a visitor. When it is dropped with problems that nobody expected, the test fails.
pub struct Page {
    inside: Arc<Inside>,
    session: String,
    context: String,
    seen: Arc<Seen>,
    look: Look,
}

/// A cookie as the browser keeps it.
#[derive(Clone, Debug)]
pub struct Cookie {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub value: String,
    /// Its path.
    pub path: String,
    /// The host, with a leading dot when others below it are sent it too.
    pub domain: String,
    /// Whether it goes over TLS only (loopback excepted).
    pub secure: bool,
    /// Whether scripts cannot read it.
    pub http_only: bool,
    /// `Strict`, `Lax`, `None`, or empty when not said.
    pub same_site: String,
}

impl Page {
    pub(crate) const fn new(
        inside: Arc<Inside>,
        session: String,
        context: String,
        seen: Arc<Seen>,
        look: Look,
    ) -> Self {
        Self { inside, session, context, seen, look }
    }

    /// Goes to an address and waits until the page is loaded.
    pub async fn open(&self, url: &str) {
        let go = async {
            let gone = self.input("Page.navigate", json!({ "url": url })).await;
            assert!(gone.get("errorText").is_none(), "{url}: {}", gone["errorText"]);
        };
        self.leaving(&format!("{url} does not load"), go).await;
    }

    /// Loads the page again.
    pub async fn reload(&self) {
        let go = async {
            self.input("Page.reload", json!({})).await;
        };
        self.leaving("the page does not load again", go).await;
    }

    /// Does what leads to another page, and waits until that is loaded.
    pub(crate) async fn leaving(&self, told: &str, step: impl Future<Output = ()>) {
        let before = self.seen.loader();
        step.await;
        if timeout(PATIENCE, self.seen.loads_anew(&before)).await.is_err() {
            self.fail(told).await;
        }
    }

    /// Fails the test, with what the page shows now.
    pub(crate) async fn fail(&self, told: &str) -> ! {
        panic!("{told}; the page {} says:\n{}", self.address().await, self.text().await)
    }

    /// The value of an expression, in a world of our own: the page's policy does not bind it, and
    /// the page's variables are not there.
    pub async fn evaluate(&self, script: &str) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.try_evaluate(script).await {
                Ok(value) => return value,
                // The page went on while it was asked.
                Err(error) if Instant::now() < deadline && is_passing(&error) => {
                    tokio::time::sleep(PAUSE).await;
                }
                Err(error) => panic!("{error}\n{}", script.chars().take(400).collect::<String>()),
            }
        }
    }

    async fn try_evaluate(&self, script: &str) -> Result<Value, String> {
        let world = self.world().await?;
        let params = json!({
            "expression": script, "contextId": world, "returnByValue": true, "awaitPromise": true,
        });
        let answer = self.inside.wire.ask(Some(&self.session), "Runtime.evaluate", params).await?;
        match answer.get("exceptionDetails") {
            Some(details) => Err(format!("{} {}", details["text"], details["exception"]["description"])),
            None => Ok(answer["result"].get("value").cloned().unwrap_or(Value::Null)),
        }
    }

    async fn world(&self) -> Result<u64, String> {
        if let Some(world) = self.seen.world() {
            return Ok(world);
        }
        let loader = self.seen.loader();
        let params = json!({ "frameId": self.seen.frame(), "worldName": "test" });
        let made = self.inside.wire.ask(Some(&self.session), "Page.createIsolatedWorld", params).await?;
        let world = made["executionContextId"].as_u64().ok_or("a world has an id")?;
        self.seen.keep_world(world, &loader);
        Ok(world)
    }

    /// Waits until the page says these words.
    pub async fn says(&self, words: &str) {
        let script = format!("document.body?.innerText.includes({})", json!(words));
        self.until_some(&script, || format!("never said: {words:?}")).await;
    }

    /// Waits until the page does not say these words any more.
    pub async fn no_longer_says(&self, words: &str) {
        let script = format!("document.body && !document.body.innerText.includes({})", json!(words));
        self.until_some(&script, || format!("still said: {words:?}")).await;
    }

    /// Waits until an expression is true.
    pub async fn until(&self, script: &str) {
        self.until_some(script, || format!("never true: {script}")).await;
    }

    /// Waits until an element is there and visible.
    pub async fn shows(&self, element: Element) {
        let script = format!("!!{}", element.script());
        self.until_some(&script, || format!("never shown: {element:?}")).await;
    }

    /// Whether an element is there and visible now.
    pub async fn has(&self, element: Element) -> bool {
        self.evaluate(&format!("!!{}", element.script())).await == json!(true)
    }

    /// The words of an element, when it is there.
    pub async fn words(&self, element: Element) -> Option<String> {
        let value = self.evaluate(&format!("{}?.innerText", element.script())).await;
        value.as_str().map(str::to_owned)
    }

    /// All visible words of the page.
    pub async fn text(&self) -> String {
        let text = self.evaluate("document.body?.innerText ?? ''").await;
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Where the page is.
    pub async fn address(&self) -> String {
        self.evaluate("location.href").await.as_str().unwrap_or_default().to_owned()
    }

    /// The path and the query of where the page is.
    pub async fn path(&self) -> String {
        self.evaluate("location.pathname + location.search").await.as_str().unwrap_or_default().to_owned()
    }

    /// The answer that the page was made from.
    pub fn document(&self) -> Document {
        self.seen.document()
    }

    /// What the page took over the network so far.
    pub fn traffic(&self) -> Traffic {
        self.seen.traffic()
    }

    /// From now on everything is fetched anew, as by somebody who never came here.
    pub async fn forget_cache(&self) {
        self.input("Network.setCacheDisabled", json!({ "cacheDisabled": true })).await;
    }

    /// Gives what went wrong since the last time, and forgives it.
    pub async fn problems(&self) -> Vec<String> {
        // Whatever the page reported before this answer has arrived with it.
        self.evaluate("1").await;
        self.seen.take_problems()
    }

    /// Fails when something went wrong on the page.
    pub async fn is_clean(&self) {
        let problems = self.problems().await;
        assert!(problems.is_empty(), "on {}: {problems:#?}", self.address().await);
    }

    /// The visitor's cookies.
    pub async fn cookies(&self) -> Vec<Cookie> {
        let asked = json!({ "browserContextId": self.context });
        let kept = self.inside.ask(None, "Storage.getCookies", asked).await;
        let text = |cookie: &Value, field: &str| cookie[field].as_str().unwrap_or_default().to_owned();
        let cookies = kept["cookies"].as_array().into_iter().flatten();
        cookies
            .map(|cookie| Cookie {
                name: text(cookie, "name"),
                value: text(cookie, "value"),
                path: text(cookie, "path"),
                domain: text(cookie, "domain"),
                secure: cookie["secure"] == true,
                http_only: cookie["httpOnly"] == true,
                same_site: text(cookie, "sameSite"),
            })
            .collect()
    }

    /// Gives the visitor a cookie, as somebody else on the way could.
    pub async fn plant_cookie(&self, url: &str, name: &str, value: &str) {
        let cookie = json!({ "name": name, "value": value, "url": url, "secure": true, "path": "/" });
        let params = json!({ "cookies": [cookie], "browserContextId": self.context });
        self.inside.ask(None, "Storage.setCookies", params).await;
    }

    /// The page as PNG: the window, or all of the page when that is taller.
    pub async fn screenshot(&self) -> Vec<u8> {
        let tall = self.evaluate("document.documentElement.scrollHeight").await;
        let tall = tall.as_u64().and_then(|tall| u32::try_from(tall).ok()).unwrap_or(0).min(TALLEST);
        if tall > self.look.height {
            self.input("Emulation.setDeviceMetricsOverride", self.look.metrics(tall)).await;
        }
        let shot = self.window().await;
        self.input("Emulation.setDeviceMetricsOverride", self.look.metrics(self.look.height)).await;
        shot
    }

    /// What the window shows, as PNG.
    async fn window(&self) -> Vec<u8> {
        let shot = self.input("Page.captureScreenshot", json!({ "format": "png" })).await;
        STANDARD.decode(shot["data"].as_str().unwrap_or_default()).expect("Chromium writes base64")
    }

    /// Writes what the window shows to a file.
    pub async fn window_to(&self, file: &Path) {
        std::fs::write(file, self.window().await).expect("the file can be written");
    }

    pub(crate) async fn input(&self, method: &str, params: Value) -> Value {
        self.inside.ask(Some(&self.session), method, params).await
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.inside.wire.detach(&self.session);
        // A page that nobody looks at any more holds no connections.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (inside, target) = (self.inside.clone(), json!({ "targetId": self.seen.frame() }));
            runtime.spawn(async move { inside.wire.ask(None, "Target.closeTarget", target).await });
        }
        let problems = self.seen.take_problems();
        if !std::thread::panicking() {
            assert!(problems.is_empty(), "on {}: {problems:#?}", self.seen.document().url);
        }
    }
}

/// Whether it only says that the page went on.
fn is_passing(error: &str) -> bool {
    let passing = [
        "Cannot find context",
        "Execution context was destroyed",
        "Inspected target navigated",
        "No frame",
        "uniqueContextId not found",
        "Promise was collected",
    ];
    passing.iter().any(|known| error.contains(known))
}
