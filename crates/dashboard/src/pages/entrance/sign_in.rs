//! `/sign-in`.

use actix_web::HttpResponse;
use application::people::sign_in::{SignIn, SigningIn};
use askama::Template;

use super::words::{self, Words};
use super::{Trouble, admit, fresh_session, is_private, needs_tls, origin, password};
use crate::answer;
use crate::error::PageError;
use crate::layout::Layout;
use crate::pages::home::local;
use crate::request::Asked;
use crate::session::SessionSecret;

#[derive(Template)]
#[template(path = "entrance/sign_in.html")]
struct Shown<'a> {
    layout: Layout,
    words: &'static Words,
    trouble: &'a str,
    email: &'a str,
    next: &'a str,
}

/// Whoever is signed in goes on at once.
pub(super) async fn show(asked: Asked) -> Result<HttpResponse, PageError> {
    let next = local(asked.query.text("next").unwrap_or("/"));
    if let Some(session) = SessionSecret::of(&asked.http)
        && asked.find_session(&session).await?.is_some()
    {
        return Ok(answer::see(next));
    }
    if !is_private(&asked) {
        return needs_tls(&asked);
    }
    page(&asked, &Trouble::default())
}

pub(super) async fn take(asked: Asked) -> Result<HttpResponse, PageError> {
    if !is_private(&asked) {
        return needs_tls(&asked);
    }
    let words = words::of(asked.language);
    let Some(email) = asked.form.text("email").map(str::to_owned) else {
        return page(&asked, &Trouble::wrong(words.wrong));
    };
    let (secret, session) = fresh_session(&asked);
    let (password, from) = (password(&asked, "password"), origin(&asked));
    let signing_in = asked.write(async move |service| {
        let (tries, passwords, sessions) =
            (service.tries.clone(), service.passwords.clone(), service.sessions.clone());
        SignIn { tries, passwords, sessions }.sign_in(&email, password, from, session).await
    });
    match signing_in.await?? {
        SigningIn::Done(_) => {
            let next = local(asked.form.text("next").unwrap_or("/"));
            admit(&asked, &secret, next).await
        }
        SigningIn::Wrong => page(&asked, &Trouble::wrong(words.wrong)),
        SigningIn::Wait(wait) => page(&asked, &Trouble::wait(&asked, wait)),
        SigningIn::Busy => page(&asked, &Trouble::busy(&asked)),
    }
}

fn page(asked: &Asked, trouble: &Trouble) -> Result<HttpResponse, PageError> {
    let words = words::of(asked.language);
    let next = asked.form.text("next").or(asked.query.text("next"));
    let next = local(next.unwrap_or("/"));
    let here = asked.http.uri().path_and_query().map_or("/sign-in", |here| here.as_str());
    let layout = Layout::bare(asked.language, words.sign_in).at(here);
    let email = asked.form.text("email").unwrap_or_default();
    trouble.page(&Shown { layout, words, trouble: trouble.text(), email, next })
}
