//! A clinic as one would meet it in the morning: days of calls, one of them with a real conversation, one live.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::assistant::Language;
use phone::Action;
use serde_json::{Value, json};
use test_providers::{Providers, Settings, Voice, Written};

use super::people::Standing;
use crate::support::{Desk, Installation, Telephone, says};

// One sentence each: between two, who listens may take the pause for the end.
const QUESTIONS: [&str; 2] = [
    "Of course, would Thursday at nine forty in the morning be better for you?",
    "I have moved it for you, and wish you a lovely day, goodbye.",
];
const ANSWERS: [&str; 2] = [
    "Tuesday is difficult for me, could we move it to Thursday morning?",
    "Thursday morning suits me very well.",
];

/// The clinic's service.
pub struct Showcase {
    pub installation: Installation,
    pub tenant: String,
    pub organization: String,
    /// The call with the conversation.
    pub call: String,
    // They hold the live call.
    _live: Telephone,
    _providers: Providers,
}

/// The `index`th of these, and the last one after that.
fn in_turn(lines: [&'static str; 2]) -> impl Fn() -> &'static str {
    let next = AtomicUsize::new(0);
    move || lines[next.fetch_add(1, Ordering::Relaxed).min(1)]
}

async fn providers() -> Providers {
    let analysis = json!({
        "intent": "reschedule_appointment", "sentiment": "positive", "outcome": "appointment_booked",
        "summary_en": "Margaret could not come on Tuesday. Her appointment was moved to Thursday at 9:40 in the morning.",
        "summary_fr": "Margaret ne pouvait pas venir mardi. Son rendez-vous a été déplacé au jeudi à 9 h 40.",
    });
    let (reply, heard) = (in_turn(QUESTIONS), in_turn(ANSWERS));
    let writes = move |request: &Value| {
        let in_a_call = request["response_format"].is_null();
        Written::text(&if in_a_call { reply().to_owned() } else { analysis.to_string() })
    };
    let understands = Arc::new(move |_: &_| heard().to_owned());
    let voice = Voice::Pico(Language::EnglishUnitedStates);
    Providers::start(Settings { writes: Arc::new(writes), hears: understands, voice, ..Settings::default() })
        .await
}

fn receptionist(providers: &Providers) -> String {
    let endpoint = providers.endpoint();
    let service = |name: &str| format!("[cascade.{name}]\nendpoint = \"{endpoint}\"\nmodel = \"{name}\"\n");
    let services = ["chat", "transcription", "speech"].map(service).concat();
    format!(
        "name = \"Appointment desk\"\nengine = \"cascade\"\nfirst_message = \"Hello {{{{customerName}}}}, does \
         your appointment at the Northside Dental Clinic on Tuesday at ten past two still suit you?\"\n\
         instructions = \"You are the receptionist of a dental clinic. Be kind and brief.\"\n\
         [cascade]\nvoice = \"alloy\"\n{services}"
    )
}

impl Showcase {
    /// Sets everything up, and lets the conversation happen.
    pub async fn open() -> Self {
        let providers = providers().await;
        let settings = [
            ("ANALYSIS__ENDPOINT", providers.endpoint().to_string()),
            ("ANALYSIS__MODEL", "reader".to_owned()),
            ("ENGINES__ALLOWED_NETWORKS", "127.0.0.0/8".to_owned()),
        ];
        let settings = settings.each_ref().map(|(name, value)| (*name, value.as_str()));
        let installation = Installation::serving(&settings).await;
        let id = |arguments: &[&str]| installation.operator(arguments)["id"].as_str().unwrap().to_owned();
        let tenant = id(&["tenant", "create", "--name", "Northside Health Group"]);
        let mut organizations = Vec::new();
        for (name, email, city) in [
            ("Northside Dental Clinic", "desk@northside.example", "Toronto"),
            ("Lakeside Physiotherapy", "desk@lakeside.example", "Kingston"),
        ] {
            organizations.push(id(&[
                "organization",
                "create",
                "--tenant",
                &tenant,
                "--name",
                name,
                "--email",
                email,
                "--city",
                city,
                "--country",
                "Canada",
            ]));
        }
        let organization = organizations.swap_remove(0);

        let actions = [Action::LISTEN, says(ANSWERS[0]), Action::LISTEN, says(ANSWERS[1]), Action::LISTEN];
        let mut customer = Telephone::that(actions.into_iter().chain([Action::HangUp])).await;
        let live = Telephone::that([Action::LISTEN]).await;
        let number = |name: &str, at: &Telephone, number: &str| {
            let address = at.address();
            let trunk = ["trunk", "create", "--tenant", &tenant, "--name", name, "--address", &address];
            let trunk = id(&trunk);
            let number = id(&[
                "number",
                "create",
                "--organization",
                &organization,
                "--trunk",
                &trunk,
                "--number",
                number,
            ]);
            (trunk, number)
        };
        let (trunk, main) = number("Toronto", &customer, "+14165550100");
        let (_, other) = number("Montréal", &live, "+15145550100");
        let assistant = Desk::assistant(&installation, &organization, &receptionist(&providers));
        let reminder = "name = \"Reminder\"\nengine = \"builtin\"\nfirst_message = \"Hello {{customerName}}, this is the \
                        clinic.\"\n[[steps]]\nwait_for = \"speech\"\nsay = \"Thank you.\"\n";
        Desk::assistant(&installation, &organization, reminder);
        let recall = "name = \"Rappel annuel\"\nengine = \"builtin\"\nlanguage = \"fr-FR\"\nfirst_message = \"Bonjour.\"\n";
        let waiting = Desk::assistant(&installation, &organization, recall);

        let history = include_str!("history.sql").replace(":organization", &organization);
        installation.rows(&history.replace(":number", &main).replace(":trunk", &trunk)).await;
        let key = |name: &str, more: &[&str]| {
            let own = ["key", "create", "--tenant", &tenant, "--organization", &organization, "--name", name];
            installation.operator(&[&own, more].concat())["key"].as_str().unwrap().to_owned()
        };
        key("Reporting", &["--permission", "calls:read"]);
        let key = key("Booking backend", &[]);

        let desk = |assistant: &str, number: &str, customer: &str, phone: &str| {
            let body = json!({
                "phoneNumber": phone, "assistantId": assistant, "phoneNumberId": number, "customerName": customer,
            });
            let url = format!("{}/api/outbound", installation.base());
            let client = crate::support::installation::client();
            let key = key.clone();
            async move {
                let placed = client.post(url).bearer_auth(key).json(&body).send().await.unwrap();
                let placed: Value = placed.json().await.unwrap();
                placed["outboundCallId"].as_str().unwrap_or_else(|| panic!("{placed}")).to_owned()
            }
        };
        let call = desk(&assistant, &main, "Margaret Osei", "+14165550142").await;
        customer.talked().await;
        let analysed = format!("SELECT 1 FROM calls WHERE id = '{call}' AND summary IS NOT NULL");
        installation.rows_until(&analysed).await;
        let filed = format!("SELECT 1 FROM call_artifacts WHERE call_id = '{call}' AND kind = 'recording'");
        installation.rows_until(&filed).await;
        desk(&waiting, &other, "Amélie Gagnon", "+15145550177").await;
        installation.saves_an_answer().await;
        Self { installation, tenant, organization, call, _live: live, _providers: providers }
    }

    /// Whoever looks at the pictures.
    pub const fn viewer(&self) -> Standing<'_> {
        Standing { role: "admin", tenant: self.tenant.as_str(), organization: None }
    }
}
