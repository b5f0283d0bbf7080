//! Pictures of the main pages for the README; `./just screenshots` takes them from here.

use std::path::Path;

use test_browser::{Browser, Look, Visitor};

use super::people::{enter, session_of};
use super::person::SESSION;
use super::showcase::Showcase;

/// Where they are put.
const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/screenshots");

/// Takes one picture of a page as a visitor sees it.
async fn take(visitor: &Visitor, url: &str, name: &str) {
    let page = visitor.page().await;
    page.open(url).await;
    assert_eq!(page.document().status, 200, "{url}");
    page.window_to(&Path::new(FOLDER).join(format!("{name}.png"))).await;
    page.is_clean().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_main_pages_have_their_pictures_taken() {
    let (showcase, browser) = (Showcase::open().await, Browser::start().await);
    let base = showcase.installation.base();
    let user = enter(&showcase.installation, showcase.viewer(), "nadia@clinic.example").await;
    let session = session_of(&showcase.installation, &user).await;
    std::fs::create_dir_all(FOLDER).unwrap();
    let within = format!("{base}/o/{}", showcase.organization);
    let pages = [
        ("calls", format!("{within}/calls")),
        ("call", format!("{within}/calls/{}", showcase.call)),
        ("place-call", format!("{within}/place-call")),
        ("assistants", format!("{within}/assistants")),
        ("assistant", format!("{within}/assistants/new")),
        ("api-keys", format!("{within}/settings/api-keys")),
        ("callbacks", format!("{within}/callbacks")),
    ];
    // Tall enough for one whole call.
    let desk = Look { height: 1100, ..Look::default() };
    let looks =
        [("light", desk.clone()), ("dark", desk.dark()), ("phone", Look { scale: 2.0, ..Look::phone() })];
    for (kind, look) in looks {
        let stranger = browser.visitor(look.clone()).await;
        take(&stranger, &format!("{base}/sign-in"), &format!("sign-in-{kind}")).await;
        let visitor = browser.visitor(look).await;
        visitor.page().await.plant_cookie(base, SESSION, &session).await;
        for (name, url) in &pages {
            take(&visitor, url, &format!("{name}-{kind}")).await;
        }
    }
}
