//! Forms that come from elsewhere change nothing, whoever sends them along.

use dashboard::{Level, entries};

use super::asked::asked;
use super::people::Standing;
use super::town::Town;

/// What it is, the form's token, and what the browser says of where it comes from.
type Forgery<'a> = (&'a str, Option<&'a str>, Vec<(&'a str, &'a str)>);

#[tokio::test(flavor = "multi_thread")]
async fn a_form_from_elsewhere_is_refused_on_every_action() {
    let town = Town::of("Clinic").await;
    let own = &town.owners[0];
    let standing = Standing { role: "admin", tenant: &own.tenant, organization: None };
    let (person, other) = (town.person(standing).await, town.person(standing).await);
    let (token, foreign_token) = (person.token().await, other.token().await);
    assert_ne!(token, foreign_token);
    let same = [("Sec-Fetch-Site", "same-origin")];
    for entry in entries().filter(|entry| entry.method == "POST") {
        let ask = asked(&entry, own, &own.things);
        let mut forgeries: Vec<Forgery<'_>> = vec![
            ("another site's page", Some(&token), vec![("Sec-Fetch-Site", "cross-site")]),
            ("a neighbouring host's page", Some(&token), vec![("Sec-Fetch-Site", "same-site")]),
            ("an older browser on another site", Some(&token), vec![("Origin", "https://evil.example")]),
            ("a page without an origin", Some(&token), vec![("Origin", "null")]),
        ];
        if entry.level != Level::Anybody {
            forgeries.push(("a form without a token", None, same.to_vec()));
            forgeries.push(("a form with another session's token", Some(&foreign_token), same.to_vec()));
            forgeries.push(("a form with an empty token", Some(""), same.to_vec()));
        }
        for (what, token, headers) in forgeries {
            let fields = ask.fields.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            let fields: Vec<_> = token.map(|token| ("token", token)).into_iter().chain(fields).collect();
            let changes = town.changes().await;
            let page = person.post_bare(&ask.target, &fields, &headers).await;
            let about = format!("{} by {what}", entry.path);
            assert_eq!(page.status, 403, "{about}: {page:?}");
            assert!(page.cookies().is_empty(), "{about}: {page:?}");
            assert_eq!(town.changes().await, changes, "{about}: refused, and yet it was done");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_forbids_what_a_page_does_not_need() {
    let town = Town::of("Clinic").await;
    let own = &town.owners[0];
    let standing = Standing { role: "admin", tenant: &own.tenant, organization: None };
    let person = town.person(standing).await;
    for entry in entries().filter(|entry| entry.method == "GET") {
        let ask = asked(&entry, own, &own.things);
        for asker in [&person, &super::person::Person::stranger(town.installation.base())] {
            let page = asker.get(&ask.target).await;
            let policy = page.header("content-security-policy").unwrap_or_default();
            for needed in
                ["default-src 'none'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"]
            {
                assert!(policy.contains(needed), "{}: {policy:?}", entry.path);
            }
            // Recordings may lie elsewhere, at one address; nothing else may come from outside.
            let others = policy.split("; ").filter(|directive| !directive.starts_with("media-src"));
            for refused in ["unsafe", "*", "http:", "https:"] {
                assert!(others.clone().all(|own| !own.contains(refused)), "{}: {policy}", entry.path);
            }
            assert!(!policy.contains('*'), "{}: {policy}", entry.path);
            assert_eq!(page.header("x-content-type-options"), Some("nosniff"), "{}", entry.path);
            assert_eq!(page.header("referrer-policy"), Some("same-origin"), "{}", entry.path);
            let is_file = entry.path.starts_with("/assets/");
            let kept = page.header("cache-control").unwrap_or_default();
            assert!(is_file || kept.contains("no-store"), "{}: {kept}", entry.path);
        }
    }
}
