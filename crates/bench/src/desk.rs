//! A provisioned organization, and the requests of its backend.

use std::net::{Ipv4Addr, SocketAddr};

use serde_json::json;

use crate::installation::Installation;

/// Says one line and listens until somebody hangs up.
pub(crate) const LISTENER: &str = r#"
name = "Listener"
engine = "builtin"
first_message = "Hello, this is a test of the line."

[limits]
silence_seconds = 300
"#;

/// Everything that a call is placed with.
#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) tenant: String,
    pub(crate) organization: String,
    pub(crate) trunk: String,
    pub(crate) number: String,
    pub(crate) assistant: String,
    pub(crate) key: String,
    address: String,
}

impl Desk {
    /// Provisions everything by the command line; calls go to `gateway`.
    pub(crate) fn provision(installation: &Installation, assistant: &str, gateway: SocketAddr) -> Self {
        let id = |arguments: &[&str]| installation.operator(arguments)["id"].as_str().unwrap().to_owned();
        let tenant = id(&["tenant", "create", "--name", "Bench"]);
        let owner = ["--tenant", &tenant];
        let organization =
            id(&[&["organization", "create", "--name", "Bench", "--email", "desk@example.com"], &owner[..]]
                .concat());
        let address = gateway.to_string();
        let trunk = id(&[&["trunk", "create", "--name", "main", "--address", &address], &owner[..]].concat());
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
        let file = installation.data().join("assistant.toml");
        std::fs::write(&file, assistant).unwrap();
        let file = file.to_str().unwrap();
        let assistant = id(&["assistant", "create", "--organization", &organization, "--file", file]);
        let key = installation.operator(&[
            "key",
            "create",
            "--tenant",
            &tenant,
            "--organization",
            &organization,
            "--name",
            "bench",
        ]);
        let key = key["key"].as_str().unwrap().to_owned();
        Self { tenant, organization, trunk, number, assistant, key, address: installation.address.clone() }
    }

    /// The body of a request for call number `n`, which shows in the number dialled.
    pub(crate) fn place(&self, n: u32, callback: Option<&str>) -> Vec<u8> {
        let mut body = json!({
            "phoneNumber": dialled(n),
            "assistantId": self.assistant,
            "phoneNumberId": self.number,
            "customerName": "Ada Lovelace",
        });
        if let Some(url) = callback {
            body["callbackUrl"] = url.into();
        }
        self.post("/api/outbound", n, &body.to_string())
    }

    /// The same with a key of the whole tenant.
    pub(crate) fn as_tenant(&self, installation: &Installation) -> Self {
        let key = installation.operator(&["key", "create", "--tenant", &self.tenant, "--name", "bench"]);
        Self { key: key["key"].as_str().unwrap().to_owned(), ..self.clone() }
    }

    /// A request for a new organization.
    pub(crate) fn create(&self, n: u32) -> Vec<u8> {
        let body = json!({
            "name": "Lakeside Clinic",
            "email": "front@lakeside.example",
            "address": "1 Shore Road",
            "city": "Toronto",
            "stateProvince": "Ontario",
            "postalCode": "M5V 2T6",
            "country": "Canada",
            "phoneNumber": "+14165550100",
            "timezone": "America/Toronto",
        });
        self.post("/api/organization", n, &body.to_string())
    }

    /// A request for where a call stands, from client number `n`.
    pub(crate) fn status(&self, call: &str, n: u32) -> Vec<u8> {
        self.request("GET", &format!("/api/outbound/{call}/status"), n, "", "")
    }

    /// A request for what is at `path`, from client number `n`.
    pub(crate) fn get(&self, path: &str, n: u32) -> Vec<u8> {
        self.request("GET", path, n, "", "")
    }

    fn post(&self, path: &str, client: u32, body: &str) -> Vec<u8> {
        let more = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        self.request("POST", path, client, &more, body)
    }

    fn request(&self, method: &str, path: &str, client: u32, more: &str, body: &str) -> Vec<u8> {
        // Each request has a client of its own, so that none comes near its rate limit.
        let client = Ipv4Addr::from(u32::from(Ipv4Addr::new(10, 0, 0, 0)) | (client & 0x00FF_FFFF));
        format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nX-Forwarded-For: {client}\r\n{more}\r\n{body}",
            self.address, self.key
        )
        .into_bytes()
    }
}

/// The telephone number of call number `n` (below 10 million).
pub(crate) fn dialled(n: u32) -> String {
    format!("+1415{:07}", 2_000_000 + n)
}

/// The call number behind a telephone number.
pub(crate) fn call_number(dialled: &str) -> Option<u32> {
    dialled.strip_prefix("+1415")?.parse::<u32>().ok()?.checked_sub(2_000_000)
}
