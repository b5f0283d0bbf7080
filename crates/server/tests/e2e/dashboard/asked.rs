//! How each page and action of the dashboard's table is asked, so that it would answer well.

use std::collections::BTreeMap;

use dashboard::Entry;

use super::people::{PASSWORD, another};
use super::town::Owner;

/// A request that would be granted to whoever may.
pub struct Ask {
    pub target: String,
    pub fields: Vec<(String, String)>,
}

/// What a page or action is about, beside the organization in its path.
pub fn subject(entry: &Entry) -> Option<&'static str> {
    if entry.path == "/o/{organization}/delete" {
        return Some("organization");
    }
    let within = parameters(entry.path).find(|name| *name != "organization");
    within.map(|name| kind(entry, name)).or_else(|| {
        // Organizations are also asked for as what they are, not only as where things are.
        (entry.path.contains("{organization}") && !entry.path.starts_with("/o/")).then_some("organization")
    })
}

/// What a name in a path stands for: keys of the whole tenant are others than those of organizations, and
/// an assistant is given a key for the provider that it has.
fn kind(entry: &Entry, name: &'static str) -> &'static str {
    match name {
        "key" if !entry.path.starts_with("/o/") => "tenant key",
        "assistant" if entry.path.ends_with("/{assistant}/key") => "agent",
        name => name,
    }
}

/// The names in a path's pattern.
pub fn parameters(path: &'static str) -> impl Iterator<Item = &'static str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

/// Whether what the action is about is gone, or cannot be done twice, once it was granted.
pub fn uses_up(entry: &Entry) -> bool {
    entry.method == "POST" && subject(entry).is_some_and(|kind| kind != "call")
}

/// The path of an entry with these ids in it.
pub fn target(entry: &Entry, things: &BTreeMap<&'static str, String>) -> String {
    let parts = entry.path.split('/').map(|part| {
        let Some(name) = part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) else { return part };
        let name = kind(entry, name);
        let told = || panic!("{}: say in Town::settle what {{{name}}} is", entry.path);
        things.get(name).map_or_else(told, String::as_str)
    });
    parts.collect::<Vec<_>>().join("/")
}

/// The request for an owner's things.
pub fn asked(entry: &Entry, owner: &Owner, things: &BTreeMap<&'static str, String>) -> Ask {
    let fields = if entry.method == "POST" { fields(entry, owner, things) } else { Vec::new() };
    Ask { target: target(entry, things), fields }
}

/// An organization's profile but for its name.
const PROFILE: [(&str, &str); 8] = [
    ("email", "desk@example.com"),
    ("address", "1 Main Street"),
    ("city", "Toronto"),
    ("stateProvince", "ON"),
    ("postalCode", "M5V 1A1"),
    ("country", "Canada"),
    ("phoneNumber", "+1 416 555 0100"),
    ("timezone", "America/Toronto"),
];

/// The fields of an action's form; what it was made from (`seen`) stands on its page.
fn fields(entry: &Entry, owner: &Owner, things: &BTreeMap<&'static str, String>) -> Vec<(String, String)> {
    let thing = |name| things[name].as_str();
    // Each form is sent once.
    let once = format!("00000000-0000-7000-8000-{:012}", another());
    let title = format!("{} Clinic", owner.name);
    let email = format!("new{}@example.com", another());
    let number = format!("+1415556{:04}", 1000 + another());
    let file = format!("name = \"{title}\"\nengine = \"builtin\"\nfirst_message = \"Good morning.\"\n");
    let fields: &[(&str, &str)] = match entry.path {
        // Without anything to fill in, or about what is in the path alone.
        "/sign-out"
        | "/sign-out-everywhere"
        | "/users/{user}/invite"
        | "/users/{user}/remove"
        | "/o/{organization}/callbacks/{call}"
        | "/o/{organization}/delete"
        | "/o/{organization}/settings/api-keys/{key}/delete"
        | "/settings/api-keys/{key}/delete"
        | "/o/{organization}/settings/callback-secret/show"
        | "/o/{organization}/assistants/{assistant}/retire"
        | "/o/{organization}/numbers/{number}/retire"
        | "/trunks/{trunk}/retire"
        | "/o/{organization}/calls/{call}/hang-up" => &[],
        "/o/{organization}/place-call/example" => &[("id", &once)],
        "/language" => &[("language", "fr-CA"), ("back", "/")],
        "/sign-in" => &[("email", &email), ("password", "not the right one")],
        "/invitation/{secret}" | "/set-up/{secret}" => &[("password", "short")],
        "/account/password" => &[("old", PASSWORD), ("new", "another quiet heron at dusk")],
        "/account/sessions/end" => &[("session", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")],
        "/users/new" => &[("email", &email), ("role", "viewer"), ("organization", &owner.organization)],
        "/users/{user}/role" => &[("role", "member")],
        "/o/{organization}/place-call" => &[
            ("once", &once),
            ("assistantId", thing("assistant")),
            ("phoneNumberId", thing("number")),
            ("phoneNumber", "+14155550123"),
        ],
        "/o/{organization}/place-call/phone" => {
            &[("once", &once), ("assistant", thing("assistant")), ("callee", "busy")]
        }
        "/o/{organization}/settings/api-keys" | "/settings/api-keys" => {
            &[("id", &once), ("name", "Another"), ("permission", "calls:read")]
        }
        "/o/{organization}/settings/callback-secret/rotate" => &[("replacing", &once), ("overlap", "24")],
        "/organizations/new" => &[&PROFILE[..], &[("once", &once), ("name", "One more")]].concat(),
        "/o/{organization}/profile" => &[&PROFILE[..], &[("seen", ""), ("name", &title)]].concat(),
        "/o/{organization}/assistants/new" | "/o/{organization}/assistants/{assistant}" => &[
            ("id", &once),
            ("seen", ""),
            ("name", &title),
            ("first_message", "Good morning."),
            ("whole", "yes"),
        ],
        "/o/{organization}/assistants/new/file" | "/o/{organization}/assistants/{assistant}/file" => {
            &[("id", &once), ("seen", ""), ("file", &file)]
        }
        "/o/{organization}/assistants/{assistant}/key" => {
            &[("provider", "realtime"), ("key", "not-a-real-key")]
        }
        "/o/{organization}/numbers/{number}" => &[("trunk", thing("trunk"))],
        "/o/{organization}/numbers/new" => &[("id", &once), ("number", &number), ("trunk", thing("trunk"))],
        "/trunks/new" | "/trunks/{trunk}" => &[
            ("id", &once),
            ("seen", ""),
            ("name", &title),
            ("address", "sip.example.com"),
            ("transport", "udp"),
        ],
        "/o/{organization}/metadata" => &[("metadata", "{\"beds\": 3}")],
        "/o/{organization}/metadata/schema" | "/schema" => {
            &[("seen", ""), ("schema", "{\"type\": \"object\"}")]
        }
        path => panic!("{path}: say here how its form is filled, so that it is granted to whoever may"),
    };
    fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}
