//! Two tenants, one of them with two organizations, each with one of everything, and their people.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::people::{Standing, another, enter, session_of};
use super::person::Person;
use crate::support::installation::client;
use crate::support::{Installation, Receiver, Telephone};

/// What somebody could write into every text to break a page, or to be run by it.
pub const HOSTILE: &str = "<script>alert('ran')</script></td></textarea></title></script>\"'><img src=x \
     onerror=alert('ran')>{{7*7}}{%25}${7*7}\u{202e}drow";

/// An organization and one of everything that it has.
pub struct Owner {
    /// What it is called here.
    pub name: &'static str,
    pub tenant: String,
    pub organization: String,
    /// Ids by the name that they have in the table's paths.
    pub things: BTreeMap<&'static str, String>,
}

/// A service with three organizations: two of one tenant, and one of another.
pub struct Town {
    pub installation: Installation,
    pub owners: Vec<Owner>,
    // They answer as long as they are here.
    telephone: Telephone,
    receiver: Receiver,
}

impl Town {
    /// Builds it; all that people may name is called so, with the owner's name before it.
    pub async fn of(called: &str) -> Self {
        let installation = Installation::serving(&[]).await;
        let telephone = Telephone::that([phone::Action::LISTEN]).await;
        // Refused once, so that somebody has more than one try.
        let receiver = Receiver::answering(&[500, 204]).await;
        let mut town = Self { installation, owners: Vec::new(), telephone, receiver };
        let ours = town.id(&["tenant", "create", "--name", &format!("Ours {called}")]);
        let theirs = town.id(&["tenant", "create", "--name", &format!("Theirs {called}")]);
        for (name, tenant) in [("Own", &ours), ("Sister", &ours), ("Foreign", &theirs)] {
            let owner = town.settle(name, tenant, called).await;
            town.owners.push(owner);
        }
        town
    }

    /// Runs an operator's command that makes something, and gives its id.
    pub fn id(&self, arguments: &[&str]) -> String {
        self.installation.operator(arguments)["id"].as_str().unwrap().to_owned()
    }

    async fn settle(&self, name: &'static str, tenant: &str, called: &str) -> Owner {
        let title = format!("{name} {called}");
        let email = format!("{}@example.com", name.to_lowercase());
        let organization =
            ["organization", "create", "--tenant", tenant, "--name", &title, "--email", &email];
        let organization = self.id(&organization);
        let mut owner = Owner {
            name,
            tenant: tenant.to_owned(),
            organization: organization.clone(),
            things: BTreeMap::new(),
        };
        owner.things.insert("organization", organization);
        for thing in ["trunk", "number", "assistant", "agent", "key", "tenant key", "user"] {
            let made = self.make(thing, &owner, &title).await;
            owner.things.insert(thing, made);
        }
        let invited = ["user", "create", "--tenant", tenant, "--email", &format!("invited.{email}")];
        let link = self.installation.operator(&invited)["invitation"].as_str().unwrap().to_owned();
        owner.things.insert("secret", link.rsplit_once('/').unwrap().1.to_owned());
        let (hash, name) = self.asset().await;
        owner.things.extend([("hash", hash), ("name", name)]);
        let call = self.call(&owner, &title).await;
        owner.things.insert("call", call);
        self.write_everywhere(&owner, &title).await;
        owner
    }

    /// Puts a text into whatever else people write: the profile, metadata, its schema, and a callback's address.
    async fn write_everywhere(&self, owner: &Owner, title: &str) {
        let (tenant, organization, call) = (&owner.tenant, &owner.organization, &owner.things["call"]);
        let text = title.replace('\'', "''");
        let json = json!({ "note": title }).to_string().replace('\'', "''");
        let schema = json!({ "type": "object", "description": title }).to_string().replace('\'', "''");
        for statement in [
            format!(
                "UPDATE organizations SET address = '{text}', city = left('{text}', 90), \
                 state_province = left('{text}', 90), owner_id = '{text}', created_by = '{text}' WHERE id = '{organization}'"
            ),
            format!(
                "UPDATE organization_metadata SET metadata = '{json}', created_by = '{text}' \
                 WHERE organization_id = '{organization}'"
            ),
            format!(
                "INSERT INTO metadata_schemas VALUES (gen_random_uuid(), '{tenant}', '{organization}', '{schema}', now())"
            ),
            format!(
                "UPDATE callback_tries SET outcome = 'broken', http_status = NULL, detail = '{text}' \
                 WHERE call_id = '{call}' AND try = 1"
            ),
        ] {
            self.installation.rows(&statement).await;
        }
    }

    /// The address of a file that every page loads: its hash and its name.
    async fn asset(&self) -> (String, String) {
        let page = Person::stranger(self.installation.base()).get("/nowhere").await;
        let (_, rest) = page.body.split_once("/assets/").unwrap();
        let (hash, name) = rest.split_once('"').unwrap().0.split_once('/').unwrap();
        (hash.to_owned(), name.to_owned())
    }

    /// Makes one more of a kind for somebody.
    pub async fn make(&self, kind: &str, owner: &Owner, title: &str) -> String {
        let (tenant, organization) = (owner.tenant.as_str(), owner.organization.as_str());
        match kind {
            "trunk" => {
                let address = self.telephone.address();
                self.id(&["trunk", "create", "--tenant", tenant, "--name", title, "--address", &address])
            }
            "number" => {
                let number = format!("+1415555{:04}", 1000 + another());
                let trunk = owner.things["trunk"].as_str();
                self.id(&[
                    "number",
                    "create",
                    "--organization",
                    organization,
                    "--trunk",
                    trunk,
                    "--number",
                    &number,
                ])
            }
            "assistant" => {
                // Spoken in a few seconds.
                let (name, line) = (json!(title), json!(title.chars().take(36).collect::<String>()));
                let file = format!(
                    "name = {name}\nengine = \"builtin\"\nfirst_message = {line}\nclosing_line = \"Goodbye.\"\n"
                );
                crate::support::Desk::assistant(&self.installation, organization, &file)
            }
            "agent" => {
                let name = json!(title);
                let file = format!(
                    "name = {name}\nengine = \"realtime\"\nfirst_message = \"Good morning.\"\n\
                     instructions = \"Be brief.\"\n[realtime]\nmodel = \"gpt-realtime\"\nvoice = \"marin\"\n"
                );
                crate::support::Desk::assistant(&self.installation, organization, &file)
            }
            "key" => self.id(&[
                "key",
                "create",
                "--tenant",
                tenant,
                "--organization",
                organization,
                "--name",
                title,
            ]),
            "tenant key" => self.id(&["key", "create", "--tenant", tenant, "--name", title]),
            "user" => {
                let standing = Standing { role: "viewer", tenant, organization: Some(organization) };
                self.user(standing).await
            }
            "organization" => self.id(&[
                "organization",
                "create",
                "--tenant",
                tenant,
                "--name",
                title,
                "--email",
                "more@example.com",
            ]),
            _ => panic!("say here how a {kind} is made"),
        }
    }

    /// Places a call that is answered, and waits for its end and its record.
    async fn call(&self, owner: &Owner, title: &str) -> String {
        let key = self.installation.operator(&[
            "key",
            "create",
            "--tenant",
            &owner.tenant,
            "--organization",
            &owner.organization,
            "--name",
            title,
        ]);
        let key = key["key"].as_str().unwrap();
        let request = json!({
            "phoneNumber": "+14155550123",
            "assistantId": owner.things["assistant"],
            "phoneNumberId": owner.things["number"],
            "customerName": title.chars().take(200).collect::<String>(),
            "callbackUrl": self.receiver.url(),
            "dynamicVariables": { "note": title },
        });
        let url = format!("{}/api/outbound", self.installation.base());
        let placed = client().post(url).bearer_auth(key).json(&request).send().await.unwrap();
        let placed: Value = placed.json().await.unwrap();
        let call = placed["outboundCallId"].as_str().unwrap_or_else(|| panic!("{placed}")).to_owned();
        self.installation
            .rows_until(&format!(
                "SELECT 1 FROM call_artifacts JOIN callbacks USING (call_id) \
                 WHERE call_id = '{call}' AND state = 'delivered' HAVING count(*) = 2"
            ))
            .await;
        let quoted = title.replace('\'', "''");
        self.installation.rows(&format!(
            "UPDATE calls SET summary = '{quoted}', summary_fr = '{quoted}', user_primary_intent = left('{quoted}', 100) \
             WHERE id = '{call}'"
        )).await;
        call
    }

    /// How many changes the audit log tells of, and how many sessions there are.
    pub async fn changes(&self) -> (usize, usize) {
        (self.installation.count("audit_entries").await, self.installation.count("sessions").await)
    }

    /// Lets somebody in who stands so: a user with a session.
    pub async fn person(&self, standing: Standing<'_>) -> Person {
        Person::with_session(self.installation.base(), &self.session(standing).await)
    }

    /// The cookie of a new user's new session.
    pub async fn session(&self, standing: Standing<'_>) -> String {
        let user = self.user(standing).await;
        session_of(&self.installation, &user).await
    }

    /// Enters somebody, and gives their id.
    pub async fn user(&self, standing: Standing<'_>) -> String {
        enter(&self.installation, standing, &format!("p{}@example.com", another())).await
    }
}
