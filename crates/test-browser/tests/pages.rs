//! The browser does what people do, and tells what goes wrong.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::json;
use test_browser::{Browser, Key, Look, button, css, field, link};

const POLICY: &str = "Content-Security-Policy: default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'\r\n";

/// A site of a few pages, at its address.
fn site() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream));
        }
    });
    address
}

fn answer(mut stream: TcpStream) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            break;
        }
        head.push(line.trim().to_owned());
    }
    let header = |name: &str| {
        head.iter()
            .find_map(|line| {
                line.to_ascii_lowercase().strip_prefix(name).map(|value| value.trim().to_owned())
            })
            .unwrap_or_default()
    };
    let mut body = vec![0; header("content-length:").parse().unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    let path = head.first().and_then(|line| line.split(' ').nth(1)).unwrap_or("/").to_owned();
    let (status, more, text) = match path.as_str() {
        "/favicon.ico" => ("204 No Content", "", String::new()),
        "/form" => (
            "200 OK",
            "Set-Cookie: __Host-s=1; Secure; HttpOnly; SameSite=Lax; Path=/\r\n",
            page("<h1>Form</h1><form method=post action=/sent><label>Name <input name=name></label>
                <label>Kind <select name=kind><option>one<option>two</select></label><button>Send</button></form>
                <p style='color: red'>x</p>"),
        ),
        "/sent" => ("303 See Other", "Location: /thanks\r\n", String::from_utf8(body).unwrap()),
        "/thanks" => ("200 OK", "", page(&format!("<h1>Thanks</h1><p>{}</p>", header("cookie:")))),
        "/language" => ("200 OK", "", page(&format!("<h1>{}</h1>", header("accept-language:")))),
        "/inline" => ("200 OK", "", page("<h1>Inline</h1><script>document.title = 'ran'</script>")),
        "/script" => ("200 OK", "", page("<h1>Still</h1><script src=/late.js></script>")),
        "/loud" => ("200 OK", "", page("<h1>Loud</h1><script src=/loud.js></script>")),
        "/late.js" => ("200 OK", "Content-Type: text/javascript\r\n", "setTimeout(() => { document.querySelector('h1').textContent = 'Lively'; }, 50)".to_owned()),
        "/loud.js" => ("200 OK", "Content-Type: text/javascript\r\n", "console.error('ouch'); alert('boo'); missing();".to_owned()),
        "/pale" => ("200 OK", "", page("<h1>Pale</h1><input name=nameless><a href=/form>Form</a>")),
        "/" => ("200 OK", "", page("<h1>Home</h1><a href=/form>Form</a>")),
        _ => ("404 Not Found", "", page("<h1>Nothing here</h1>")),
    };
    let kind = if more.contains("Content-Type") { "" } else { "Content-Type: text/html; charset=utf-8\r\n" };
    let answer = format!(
        "HTTP/1.1 {status}\r\n{kind}{more}{POLICY}Content-Length: {}\r\nConnection: close\r\n\r\n{text}",
        text.len()
    );
    let _ = stream.write_all(answer.as_bytes());
}

fn page(body: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><title>Site</title><meta name=viewport content='width=device-width'></head><body><main>{body}</main></body></html>"
    )
}

#[tokio::test]
async fn a_form_is_filled_by_mouse_and_keyboard_and_the_cookie_comes_back() {
    let (site, browser) = (site(), Browser::start().await);
    let page = browser.page().await;
    page.open(&format!("{site}/")).await;
    page.follow(link("Form")).await;
    page.fill(field("Name"), "Ada & Bob").await;
    page.choose(field("Kind"), "two").await;
    assert!(page.problems().await.concat().contains("style-src"), "the style in the markup is refused");
    page.follow(button("Send")).await;
    assert_eq!(page.path().await, "/thanks");
    page.says("__host-s=1").await;
    let cookies = page.cookies().await;
    assert_eq!(cookies.len(), 1, "{cookies:?}");
    assert!(cookies[0].secure && cookies[0].http_only && cookies[0].same_site == "Lax", "{cookies:?}");
    assert_eq!(page.document().status, 200);
    // The form's answer and what it led to; the icon comes whenever it likes.
    assert!(matches!(page.traffic().requests, 2..=3), "{:?}", page.traffic());
    assert!(page.traffic().bytes > 500 && page.traffic().foreign == 0, "{:?}", page.traffic());

    page.open(&format!("{site}/")).await;
    page.tab_to(link("Form")).await;
    page.press_through(Key::Enter).await;
    assert_eq!(page.path().await, "/form");
    page.problems().await;
}

#[tokio::test]
async fn visitors_differ_in_cookies_language_width_colours_and_script() {
    let (site, browser) = (site(), Browser::start().await);
    let look = Look::phone().dark().reading("fr-CA,fr").without_javascript();
    let one = browser.visitor(look).await.page().await;
    one.open(&format!("{site}/language")).await;
    one.says("fr-ca,fr").await;
    assert_eq!(one.evaluate("innerWidth").await, json!(390));
    assert_eq!(one.evaluate("matchMedia('(prefers-color-scheme: dark)').matches").await, json!(true));
    one.open(&format!("{site}/script")).await;
    one.says("Still").await;

    let other = browser.page().await;
    other.open(&format!("{site}/script")).await;
    other.says("Lively").await;
    assert_eq!(other.evaluate("matchMedia('(prefers-color-scheme: dark)').matches").await, json!(false));
    one.open(&format!("{site}/form")).await;
    assert_eq!((one.cookies().await.len(), other.cookies().await.len()), (1, 0));
    one.problems().await;
}

#[tokio::test]
async fn what_goes_wrong_on_a_page_is_told() {
    let (site, browser) = (site(), Browser::start().await);
    let page = browser.page().await;
    page.open(&format!("{site}/inline")).await;
    let problems = page.problems().await;
    assert!(problems.iter().any(|told| told.contains("ContentSecurityPolicyIssue")), "{problems:?}");
    assert_eq!(page.evaluate("document.title").await, json!("Site"));

    page.open(&format!("{site}/loud")).await;
    let problems = page.problems().await;
    for expected in ["ouch", "boo", "missing is not defined"] {
        assert!(problems.iter().any(|told| told.contains(expected)), "{expected}: {problems:?}");
    }

    page.open(&format!("{site}/nowhere")).await;
    assert_eq!(page.document().status, 404);
    page.is_clean().await;
}

#[tokio::test]
async fn axe_judges_under_a_strict_policy_and_finds_the_field_without_a_name() {
    let (site, browser) = (site(), Browser::start().await);
    let page = browser.page().await;
    page.open(&format!("{site}/")).await;
    page.is_accessible().await;
    page.open(&format!("{site}/pale")).await;
    let findings = page.axe().await;
    assert!(findings.iter().any(|finding| finding.rule == "label" && finding.is_serious()), "{findings:?}");
    page.is_clean().await;
}

#[tokio::test]
async fn a_screenshot_shows_the_whole_page() {
    let (site, browser) = (site(), Browser::start().await);
    let page = browser.page().await;
    page.open(&format!("{site}/")).await;
    page.shows(css("main h1")).await;
    let shot = page.screenshot().await;
    assert!(shot.starts_with(b"\x89PNG\r\n"), "{} bytes", shot.len());
    assert_eq!(shot[16..24], [0, 0, 5, 0, 0, 0, 3, 32], "1280 by 800");
}
