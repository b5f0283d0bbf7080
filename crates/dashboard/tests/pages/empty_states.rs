//! What a page says where there is nothing yet, and where it leads from there.

use domain::ids::OrganizationId;
use domain::scope::Scope;
use domain::user::Role;

use crate::support::{Browser, Site};

/// A page without anything on it, as one role reads it.
struct Empty {
    /// `{}` is the organization.
    path: &'static str,
    role: Role,
    english: &'static str,
    french: &'static str,
    /// Where the next step is; empty where somebody else has to take it.
    next: &'static str,
}

const fn empty(
    path: &'static str,
    role: Role,
    english: &'static str,
    french: &'static str,
    next: &'static str,
) -> Empty {
    Empty { path, role, english, french, next }
}

const PAGES: &[Empty] = &[
    empty(
        "/o/{}/calls",
        Role::Member,
        "Calls appear here as soon as they are placed",
        "Les appels apparaissent ici dès qu’ils sont passés",
        "/o/{}/place-call",
    ),
    empty("/o/{}/calls", Role::Viewer, "No calls yet", "Aucun appel pour l’instant", ""),
    empty(
        "/o/{}/place-call",
        Role::Member,
        "Begin with a ready example",
        "Commencez avec un exemple tout prêt",
        "/o/{}/assistants/new",
    ),
    empty(
        "/o/{}/callbacks",
        Role::Member,
        "Give a callbackUrl when you place a call",
        "Indiquez un callbackUrl en passant un appel",
        "/o/{}/place-call",
    ),
    empty(
        "/o/{}/assistants",
        Role::Member,
        "There is no assistant yet.",
        "Il n’y a pas encore d’assistant.",
        "/o/{}/assistants/new",
    ),
    empty(
        "/o/{}/assistants",
        Role::Viewer,
        "There is no assistant yet.",
        "Il n’y a pas encore d’assistant.",
        "",
    ),
    empty(
        "/o/{}/numbers",
        Role::Admin,
        "There is no number yet.",
        "Il n’y a pas encore de numéro.",
        "/o/{}/numbers/new",
    ),
    empty(
        "/o/{}/numbers",
        Role::Member,
        "An administrator adds one.",
        "Une administratrice ou un administrateur peut en ajouter un.",
        "",
    ),
    empty(
        "/o/{}/numbers/new",
        Role::Admin,
        "a number needs one to carry its calls",
        "un numéro en a besoin pour acheminer ses appels",
        "/trunks",
    ),
    empty(
        "/o/{}/metadata",
        Role::Member,
        "Write its first version here",
        "Écrivez-en la première version ici",
        "/o/{}/metadata/schema",
    ),
    empty(
        "/o/{}/metadata",
        Role::Viewer,
        "Members and administrators write it",
        "Les membres et l’administration l’écrivent",
        "/o/{}/metadata/schema",
    ),
    empty(
        "/o/{}/settings/api-keys",
        Role::Admin,
        "Add one to place calls and read call logs from your own systems.",
        "Ajoutez-en une pour passer des appels",
        "/o/{}/settings/api-keys/add",
    ),
    empty(
        "/settings/api-keys",
        Role::Admin,
        "No keys yet",
        "Aucune clé pour l’instant",
        "/settings/api-keys/add",
    ),
    empty(
        "/trunks",
        Role::Admin,
        "There is no trunk yet.",
        "Il n’y a pas encore de ligne SIP.",
        "/trunks/new",
    ),
    empty(
        "/trunks",
        Role::Member,
        "An administrator of the whole company adds one.",
        "Une administratrice ou un administrateur de toute l’entreprise peut en ajouter une.",
        "",
    ),
    empty(
        "/users",
        Role::Admin,
        "You are the only one here. Invite those you work with",
        "Vous êtes seul ici. Invitez vos collègues",
        "/users/new",
    ),
    empty(
        "/organizations?search=nowhere",
        Role::Viewer,
        "No organization has that in its name",
        "Aucune organisation n’a cela dans son nom",
        "/organizations",
    ),
];

/// The page's own part, without the navigation around it.
async fn content(browser: &mut Browser, path: &str, language: &str) -> String {
    browser.keep("callwright-language", language);
    let page = browser.get(path).await;
    assert_eq!(page.status, 200, "{path}: {}", page.body);
    page.body.split_once("<main ").unwrap().1.to_owned()
}

/// A company with nothing but an organization, and nobody in it but who asks.
async fn alone(site: &Site, role: Role) -> (OrganizationId, Browser) {
    let company = site.company("Fresh", 1).await;
    (company.first(), site.signed_in(&company, None, role).await)
}

#[tokio::test]
async fn every_page_without_anything_on_it_says_what_to_do_and_leads_there() {
    let site = Site::start().await;
    for page in PAGES {
        let (organization, mut browser) = alone(&site, page.role).await;
        let of = |path: &str| path.replace("{}", &organization.to_string());
        for (language, words) in [("en", page.english), ("fr-CA", page.french)] {
            let content = content(&mut browser, &of(page.path), language).await;
            assert!(content.contains(words), "{} by {:?}: {words}: {content}", page.path, page.role);
            if page.next.is_empty() {
                assert!(!content.contains("class=\"button\""), "{} by {:?}: {content}", page.path, page.role);
                continue;
            }
            let link = format!("href=\"{}\"", of(page.next));
            assert!(content.contains(&link), "{} by {:?}: {link}: {content}", page.path, page.role);
        }
        if !page.next.is_empty() {
            let next = browser.get(&of(page.next)).await;
            assert_eq!(next.status, 200, "{} leads on to {}", page.path, page.next);
        }
    }
}

#[tokio::test]
async fn a_company_without_organizations_is_told_who_makes_the_first() {
    let site = Site::start().await;
    let company = site.company("Empty", 0).await;
    let mut admin = site.signed_in(&company, None, Role::Admin).await;
    let mut member = site.signed_in(&company, None, Role::Member).await;
    for (language, create, ask) in [
        (
            "en",
            "Create the first one to begin.",
            "An administrator of the whole company creates the first one.",
        ),
        (
            "fr-CA",
            "Créez la première pour commencer.",
            "Une administratrice ou un administrateur de toute l’entreprise crée la première.",
        ),
    ] {
        let shown = content(&mut admin, "/organizations", language).await;
        assert!(shown.contains(create) && !shown.contains(ask), "{shown}");
        assert!(shown.contains("href=\"/organizations/new\""), "{shown}");
        let shown = content(&mut member, "/organizations", language).await;
        assert!(shown.contains(ask) && !shown.contains(create), "{shown}");
        assert!(!shown.contains("/organizations/new"), "{shown}");
    }
}

#[tokio::test]
async fn before_the_beginning_of_the_audit_log_stands_nothing_and_a_way_back() {
    let site = Site::start().await;
    let company = site.company("Fresh", 1).await;
    let mut browser = site.signed_in(&company, None, Role::Admin).await;
    let entries = site.world.audit.entries(Scope::Tenant(company.tenant), None, None, 100).await.unwrap();
    let path = format!("/audit-log?before={}", entries.last().unwrap().id);
    for (language, words) in [("en", "Nothing older"), ("fr-CA", "Rien de plus ancien")] {
        let shown = content(&mut browser, &path, language).await;
        assert!(shown.contains(words) && shown.contains("href=\"/audit-log\""), "{shown}");
        assert!(!shown.contains("<table"), "{shown}");
    }
}
