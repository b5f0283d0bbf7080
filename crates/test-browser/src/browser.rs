//! A browser, and the visitors who share it without sharing cookies.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::launch::Chromium;
use crate::look::Look;
use crate::page::Page;
use crate::seen::Seen;
use crate::wire::Wire;

/// A Chromium that ends when this and all its visitors are dropped.
pub struct Browser {
    inside: Arc<Inside>,
}

pub(crate) struct Inside {
    pub(crate) wire: Arc<Wire>,
    agent: String,
    // Dropped last: it removes the profile.
    _process: Chromium,
}

impl Browser {
    /// Starts one. It panics, saying how to run the tests, when the program is missing.
    pub async fn start() -> Self {
        let (process, input, output) = Chromium::start();
        let wire = Wire::new(input, output);
        let version = wire.ask(None, "Browser.getVersion", json!({})).await.unwrap_or_else(|error| {
            panic!(
                "chromium does not answer: {error}; run the tests with `./just test`, which brings it\n{}",
                process.log()
            )
        });
        // Servers and pages need not know that nobody is looking.
        let agent = version["userAgent"].as_str().unwrap_or_default().replace("Headless", "");
        Self { inside: Arc::new(Inside { wire, agent, _process: process }) }
    }

    /// Somebody new, without cookies.
    pub async fn visitor(&self, look: Look) -> Visitor {
        let context = self.inside.ask(None, "Target.createBrowserContext", json!({})).await;
        let context = context["browserContextId"].as_str().expect("a context has an id").to_owned();
        Visitor { inside: self.inside.clone(), context, look }
    }

    /// A page of somebody new who looks at pages as most do.
    pub async fn page(&self) -> Page {
        self.visitor(Look::default()).await.page().await
    }
}

/// Somebody with cookies of their own.
pub struct Visitor {
    inside: Arc<Inside>,
    context: String,
    look: Look,
}

impl Visitor {
    /// Opens an empty page.
    pub async fn page(&self) -> Page {
        self.page_that_looks(self.look.clone()).await
    }

    /// Opens an empty page that is looked at in another way, with the same cookies.
    pub async fn page_that_looks(&self, look: Look) -> Page {
        let wire = &self.inside.wire;
        let target = json!({ "url": "about:blank", "browserContextId": self.context });
        let target = self.inside.ask(None, "Target.createTarget", target).await;
        let target = target["targetId"].as_str().expect("a target has an id").to_owned();
        let attached = json!({ "targetId": target, "flatten": true });
        let session = self.inside.ask(None, "Target.attachToTarget", attached).await;
        let session = session["sessionId"].as_str().expect("a session has an id").to_owned();
        // A page's frame has its target's id.
        let seen = Arc::new(Seen::of(&target));
        wire.attach(&session, seen.clone());
        for (method, params) in [
            ("Page.enable", json!({})),
            ("Page.setLifecycleEventsEnabled", json!({ "enabled": true })),
            ("Network.enable", json!({})),
            ("Runtime.enable", json!({})),
            ("Log.enable", json!({})),
            ("Audits.enable", json!({})),
        ] {
            self.inside.ask(Some(&session), method, params).await;
        }
        for (method, params) in look.commands(&self.inside.agent) {
            self.inside.ask(Some(&session), method, params).await;
        }
        Page::new(self.inside.clone(), session, self.context.clone(), seen, look)
    }
}

impl Inside {
    /// Asks what cannot fail as long as the browser is there.
    pub(crate) async fn ask(&self, session: Option<&str>, method: &str, params: Value) -> Value {
        self.wire.ask(session, method, params).await.unwrap_or_else(|error| panic!("{error}"))
    }
}
