//! `/set-up/{secret}`: the first set-up of an empty installation.

use actix_web::HttpResponse;
use application::people::links;
use application::people::set_up::{Beginning, SetUpFirst, SettingUp};
use askama::Template;
use domain::organization::{TIMEZONES, Timezone, is_email};
use domain::password;

use super::words::{self, Words, weak};
use super::{Trouble, admit, fresh_session, gone, is_private, needs_tls, password as typed};
use crate::error::PageError;
use crate::layout::Layout;
use crate::request::Asked;

/// The longest name, in characters.
const NAME_MAX: usize = 200;

/// Where most of those are who set this up.
const USUAL_TIMEZONE: &str = "America/Toronto";

#[derive(Template)]
#[template(path = "entrance/set_up.html")]
struct Shown<'a> {
    layout: Layout,
    words: &'static Words,
    trouble: &'a str,
    company: &'a str,
    email: &'a str,
    organization: &'a str,
    timezone: &'a str,
    timezones: Vec<(String, &'static str)>,
    problems: Problems,
}

/// What is wrong, by field; empty where nothing is.
#[derive(Default)]
struct Problems {
    company: &'static str,
    email: &'static str,
    password: &'static str,
    organization: &'static str,
    timezone: &'static str,
}

pub(super) async fn show(asked: Asked) -> Result<HttpResponse, PageError> {
    form(&asked, &Trouble::default(), Problems::default()).await
}

pub(super) async fn take(asked: Asked) -> Result<HttpResponse, PageError> {
    if !is_private(&asked) {
        return needs_tls(&asked);
    }
    let beginning = match read(&asked) {
        Ok(beginning) => beginning,
        Err(problems) => return form(&asked, &Trouble::wrong(""), problems).await,
    };
    let link = links::digest(asked.path("secret"));
    let (secret, session) = fresh_session(&asked);
    let setting_up = asked.write(async move |service| {
        let (set_up, passwords, entropy) =
            (service.set_up.clone(), service.passwords.clone(), service.entropy.clone());
        SetUpFirst { set_up, passwords, entropy }.set_up(link, beginning, session).await
    });
    match setting_up.await?? {
        SettingUp::Done(_, organization) => {
            admit(&asked, &secret, &format!("/o/{}/first-steps", organization.id)).await
        }
        SettingUp::Gone => form(&asked, &Trouble::default(), Problems::default()).await,
        SettingUp::Weak(why) => {
            let problems = Problems { password: weak(asked.language, why), ..Problems::default() };
            form(&asked, &Trouble::wrong(""), problems).await
        }
        SettingUp::Busy => form(&asked, &Trouble::busy(&asked), Problems::default()).await,
    }
}

fn read(asked: &Asked) -> Result<Beginning, Problems> {
    let words = words::of(asked.language);
    let name = |field| {
        let fits = |text: &&str| text.chars().count() <= NAME_MAX && !text.chars().any(char::is_control);
        asked.form.text(field).filter(fits).map(str::to_owned)
    };
    let email = asked.form.text("email").filter(|text| is_email(text)).map(str::to_owned);
    let password = typed(asked, "password");
    let judged = password::judge(password.reveal(), email.as_deref().unwrap_or_default());
    let timezone = asked.form.text("timezone").and_then(Timezone::parse);
    let told = |fine: bool, problem| if fine { "" } else { problem };
    let (company, organization) = (name("company"), name("organization"));
    let problems = Problems {
        company: told(company.is_some(), words.bad_name),
        email: told(email.is_some(), words.bad_email),
        password: judged.err().map_or("", |why| weak(asked.language, why)),
        organization: told(organization.is_some(), words.bad_name),
        timezone: told(timezone.is_some(), words.bad_timezone),
    };
    match (company, email, organization, timezone, judged) {
        (Some(company), Some(email), Some(organization), Some(timezone), Ok(())) => {
            Ok(Beginning { company, email, password, organization, timezone })
        }
        _ => Err(problems),
    }
}

async fn form(asked: &Asked, trouble: &Trouble, problems: Problems) -> Result<HttpResponse, PageError> {
    if !is_private(asked) {
        return needs_tls(asked);
    }
    let words = words::of(asked.language);
    let link = links::digest(asked.path("secret"));
    let looking = async { Ok(asked.service.set_up.is_open(link, asked.now()).await?.then_some(())) };
    if asked.look(looking).await?.is_none() {
        return gone(asked, words.set_up_gone, words.set_up_gone_text);
    }
    let layout = Layout::bare(asked.language, words.set_up).at(asked.http.path());
    let typed = |name| asked.form.text(name).unwrap_or_default();
    trouble.page(&Shown {
        layout,
        words,
        trouble: trouble.text(),
        company: typed("company"),
        email: typed("email"),
        organization: typed("organization"),
        timezone: asked.form.text("timezone").unwrap_or(USUAL_TIMEZONE),
        timezones: TIMEZONES.map(|zone| (zone.to_owned(), zone)).to_vec(),
        problems,
    })
}
