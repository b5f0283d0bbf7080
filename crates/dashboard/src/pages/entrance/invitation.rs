//! `/invitation/{secret}`: a password for whoever was invited.

use actix_web::HttpResponse;
use application::people::accept_invitation::{AcceptInvitation, Accepting};
use application::people::links;
use askama::Template;
use domain::user::User;

use super::words::{self, Words, weak};
use super::{Trouble, admit, fresh_session, gone, is_private, needs_tls, password};
use crate::error::PageError;
use crate::layout::Layout;
use crate::request::Asked;

#[derive(Template)]
#[template(path = "entrance/invitation.html")]
struct Shown<'a> {
    layout: Layout,
    words: &'static Words,
    trouble: &'a str,
    problem: &'a str,
    email: &'a str,
    known: bool,
}

pub(super) async fn show(asked: Asked) -> Result<HttpResponse, PageError> {
    form(&asked, &Trouble::default(), "").await
}

pub(super) async fn take(asked: Asked) -> Result<HttpResponse, PageError> {
    if !is_private(&asked) {
        return needs_tls(&asked);
    }
    let link = links::digest(asked.path("secret"));
    let (secret, session) = fresh_session(&asked);
    let password = password(&asked, "password");
    let accepting = asked.write(async move |service| {
        let (invitations, accounts, passwords) =
            (service.invitations.clone(), service.accounts.clone(), service.passwords.clone());
        AcceptInvitation { invitations, accounts, passwords }.accept(link, password, session).await
    });
    match accepting.await?? {
        Accepting::Done(_) => admit(&asked, &secret, "/").await,
        Accepting::Gone => form(&asked, &Trouble::default(), "").await,
        Accepting::Weak(why) => form(&asked, &Trouble::wrong(""), weak(asked.language, why)).await,
        Accepting::Busy => form(&asked, &Trouble::busy(&asked), "").await,
    }
}

async fn form(asked: &Asked, trouble: &Trouble, problem: &str) -> Result<HttpResponse, PageError> {
    if !is_private(asked) {
        return needs_tls(asked);
    }
    let words = words::of(asked.language);
    let link = links::digest(asked.path("secret"));
    let looking = asked.service.invitations.invited(link, asked.now());
    let Some(User { email, active, .. }) = asked.look(looking).await? else {
        return gone(asked, words.invitation_gone, words.invitation_gone_text);
    };
    let layout = Layout::bare(asked.language, words.welcome).at(asked.http.path());
    let (trouble_text, email) = (trouble.text(), email.as_str());
    trouble.page(&Shown { layout, words, trouble: trouble_text, problem, email, known: active })
}
