//! A provisioned organization, and its customer's view: placing calls and asking for them.

use std::time::Duration;
use tokio::time::Instant;

use serde_json::{Value, json};

use super::installation::{Installation, PATIENCE, client};

/// An assistant that says two lines and hangs up.
pub const ANNOUNCEMENT: &str = r#"
name = "Announcement"
engine = "builtin"
first_message = "Hello {{customerName}}."
closing_line = "Goodbye."
"#;

/// An assistant that listens until somebody hangs up.
pub const LISTENER: &str = r#"
name = "Listener"
engine = "builtin"
first_message = "Hello."
"#;

/// What an organization needs to place calls.
pub struct Desk {
    pub organization: String,
    pub number: String,
    pub assistant: String,
    pub secret: String,
    key: String,
    base: String,
    client: reqwest::Client,
}

impl Desk {
    /// Provisions everything by the command line; `trunk` holds options of `trunk create`.
    pub fn provision(installation: &Installation, assistant: &str, trunk: &[&str]) -> Self {
        let id = |arguments: &[&str]| installation.operator(arguments)["id"].as_str().unwrap().to_owned();
        let tenant = id(&["tenant", "create", "--name", "Tenant"]);
        let organization = id(&[
            "organization",
            "create",
            "--tenant",
            &tenant,
            "--name",
            "Clinic",
            "--email",
            "desk@example.com",
        ]);
        let options = ["trunk", "create", "--tenant", &tenant, "--name", "main"];
        let trunk = id(&[&options, trunk].concat());
        let number = id(&[
            "number",
            "create",
            "--organization",
            &organization,
            "--trunk",
            &trunk,
            "--number",
            "+14155550100",
        ]);
        let assistant = Self::assistant(installation, &organization, assistant);
        let key = installation.operator(&[
            "key",
            "create",
            "--tenant",
            &tenant,
            "--organization",
            &organization,
            "--name",
            "k",
        ]);
        let secret = installation.operator(&["webhook-secret", "show", "--organization", &organization]);
        Self {
            organization,
            number,
            assistant,
            secret: secret["secret"].as_str().unwrap().to_owned(),
            key: key["key"].as_str().unwrap().to_owned(),
            base: installation.base().to_owned(),
            client: client(),
        }
    }

    /// The desk of an organization that is there already; it has its secret elsewhere.
    pub fn known(
        installation: &Installation,
        organization: &str,
        number: &str,
        assistant: &str,
        key: &str,
    ) -> Self {
        let [organization, number, assistant, key] =
            [organization, number, assistant, key].map(str::to_owned);
        let base = installation.base().to_owned();
        Self { organization, number, assistant, secret: String::new(), key, base, client: client() }
    }

    /// Makes an assistant from its file.
    pub fn assistant(installation: &Installation, organization: &str, file: &str) -> String {
        let path = installation.data().join(format!("assistant-{}.toml", rand_suffix()));
        std::fs::write(&path, file).unwrap();
        let path = path.to_str().unwrap();
        let made =
            installation.operator(&["assistant", "create", "--organization", organization, "--file", path]);
        made["id"].as_str().unwrap().to_owned()
    }

    /// The organization's API key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// After a restart the server listens elsewhere.
    pub fn follow(&mut self, installation: &Installation) {
        installation.base().clone_into(&mut self.base);
    }

    /// The body of a good request.
    pub fn request(&self) -> Value {
        json!({
            "phoneNumber": "+14155550123",
            "assistantId": self.assistant,
            "phoneNumberId": self.number,
            "customerName": "Ada",
        })
    }

    /// Places a call and gives the answer's status and body.
    pub async fn place(&self, request: &Value) -> (u16, Value) {
        let answer = self.try_place(request).await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    /// Places a call on a server that may die of it.
    pub async fn try_place(&self, request: &Value) -> reqwest::Result<reqwest::Response> {
        self.posting(request).send().await
    }

    /// The same with an idempotency key.
    pub async fn try_place_once(&self, key: &str, request: &Value) -> reqwest::Result<reqwest::Response> {
        self.posting(request).header("Idempotency-Key", key).send().await
    }

    fn posting(&self, request: &Value) -> reqwest::RequestBuilder {
        self.client.post(format!("{}/api/outbound", self.base)).bearer_auth(&self.key).json(request)
    }

    /// Asks where a call stands.
    pub async fn status(&self, call: &str) -> Value {
        let url = format!("{}/api/outbound/{call}/status", self.base);
        self.client.get(url).bearer_auth(&self.key).send().await.unwrap().json().await.unwrap()
    }

    /// Reads a call's record.
    pub async fn record(&self, call: &str) -> Value {
        let url = format!("{}/api/calls/{call}", self.base);
        self.client.get(url).bearer_auth(&self.key).send().await.unwrap().json().await.unwrap()
    }

    /// Lists the organization's calls that fit.
    pub async fn calls(&self, filters: &[(&str, &str)]) -> Value {
        let mut url = reqwest::Url::parse(&format!("{}/api/calls", self.base)).unwrap();
        url.query_pairs_mut().append_pair("organizationId", &self.organization).extend_pairs(filters);
        self.client.get(url).bearer_auth(&self.key).send().await.unwrap().json().await.unwrap()
    }

    /// Waits until a call is final.
    pub async fn outcome(&self, call: &str) -> Value {
        self.outcome_within(call, PATIENCE).await
    }

    /// Waits until a call is final, at most so long.
    pub async fn outcome_within(&self, call: &str, patience: Duration) -> Value {
        let deadline = Instant::now() + patience;
        loop {
            let status = self.status(call).await;
            assert!(status["status"].is_string(), "no status: {status}");
            if status["status"] != "calling" {
                return status;
            }
            assert!(Instant::now() < deadline, "still calling: {call}");
            // The rate limit counts these questions too: 600 without a minute's pause.
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Places a good call that must be accepted, waits for its end and gives the status answer.
    pub async fn call_through(&self) -> Value {
        let (status, placed) = self.place(&self.request()).await;
        assert_eq!((status, &placed["status"]), (201, &json!("calling")), "{placed}");
        self.outcome(placed["outboundCallId"].as_str().unwrap()).await
    }
}

fn rand_suffix() -> String {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed).to_string()
}
