//! A trunk's settings. Its password is written, and never shown again.

use actix_web::HttpResponse;
use application::rules::Rule;
use application::values;
use askama::Template;
use domain::ids::TrunkId;
use domain::number::CountryCode;
use domain::ports::{Added, ReviseTrunkError};
use domain::scope::Reach;
use domain::secret::Secret;
use domain::trunk::{Credentials, Login, Srtp, Transport, Trunk, TrunkRevision, TrunkRevisionError};

use super::named;
use super::words::{self, Words};
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::pages::filled::Filled;
use crate::pages::seen::Values;
use crate::request::Visit;

/// The longest password, in characters.
const PASSWORD_MAX: usize = 200;

/// The fields that are shown again.
const FIELDS: [&str; 15] = [
    "id",
    "name",
    "address",
    "transport",
    "username",
    "register",
    "from_domain",
    "default_country",
    "wideband",
    "srtp",
    "nat",
    "media_networks",
    "realms",
    "max_calls",
    "calls_per_second",
];

#[derive(Template)]
#[template(path = "trunks/form.html")]
struct Shown {
    layout: Layout,
    words: &'static Words,
    id: Option<String>,
    title: String,
    has_password: bool,
    filled: Filled,
    transports: Vec<(String, String)>,
    srtps: Vec<(String, String)>,
}

pub(super) fn new(visit: &Visit) -> Result<HttpResponse, PageError> {
    let id: TrunkId = visit.new_id();
    let begin = [("id", id.to_string()), ("transport", "udp".to_owned())];
    form(visit, None, Filled::with(visit, begin))
}

pub(super) async fn create(visit: Visit) -> Result<HttpResponse, PageError> {
    let mut filled = Filled::typed(&visit, &FIELDS);
    let id = filled.id(TrunkId::parse)?;
    let Some(read) = read(&visit, &mut filled) else { return form(&visit, None, filled) };
    let credentials = match read.login {
        Some(Login { password: None, .. }) => {
            filled.note("password", words::of(visit.language).password_needed);
            return form(&visit, None, filled);
        }
        Some(Login { username, password: Some(password) }) => Some(Credentials { username, password }),
        None => None,
    };
    let made = Trunk {
        id,
        tenant: visit.user.tenant,
        name: read.name,
        address: read.address,
        transport: read.transport,
        credentials,
        register: read.register,
        from_domain: read.from_domain,
        default_country: read.default_country,
        wideband: read.wideband,
        srtp: read.srtp,
        guarded: true,
        nat: read.nat,
        media_networks: read.media_networks,
        // Only the operator names them, on the command line.
        inbound_from: Vec::new(),
        realms: read.realms,
        max_calls: read.max_calls,
        calls_per_second: read.calls_per_second,
        created_at: visit.now(),
    };
    let Ok(made) = made.checked() else {
        filled.note("srtp", words::of(visit.language).srtp_needs_tls);
        return form(&visit, None, filled);
    };
    let (reach, deed) = (Reach::Within(visit.scope()), visit.deed());
    let adding = visit.write(async move |service| service.trunks.add_trunk(reach, made, deed).await);
    if adding.await?? == Added::Repeated && visit.service.trunks.trunk(reach, id).await?.is_none() {
        return Err(PageError::NotFound);
    }
    Ok(answer::see("/trunks?done=created"))
}

pub(super) async fn show(visit: Visit) -> Result<HttpResponse, PageError> {
    let own = named(&visit).await?;
    form(&visit, Some(&own), Filled::stored(&visit, known(&own)))
}

pub(super) async fn revise(visit: Visit) -> Result<HttpResponse, PageError> {
    let own = named(&visit).await?;
    let mut filled = Filled::retyped(&visit, &FIELDS)?;
    let Some(revision) = read(&visit, &mut filled) else { return form(&visit, Some(&own), filled) };
    let named_user = revision.login.is_some();
    let (reach, deed, id) = (Reach::Within(visit.scope()), visit.deed(), own.id);
    let seen = Some(filled.seen_by(known));
    let revising =
        visit.write(async move |service| service.trunks.revise_trunk(reach, id, revision, seen, deed).await);
    match revising.await? {
        Ok(revised) => {
            let done = if named_user && revised.credentials.is_none() { "login-removed" } else { "saved" };
            Ok(answer::see(&format!("/trunks/{id}?done={done}")))
        }
        Err(ReviseTrunkError::Overtaken) => {
            let own = named(&visit).await?;
            filled.overtake(&known(&own));
            if visit.form.raw("password").is_some_and(|typed| !typed.is_empty()) {
                filled.note("password", words::of(visit.language).password_again);
            }
            form(&visit, Some(&own), filled)
        }
        Err(ReviseTrunkError::Unknown) => Err(PageError::NotFound),
        Err(ReviseTrunkError::Refused(TrunkRevisionError::PasswordNeeded)) => {
            filled.note("password", words::of(visit.language).password_needed);
            form(&visit, Some(&own), filled)
        }
        Err(ReviseTrunkError::Refused(TrunkRevisionError::SrtpNeedsTls(_))) => {
            filled.note("srtp", words::of(visit.language).srtp_needs_tls);
            form(&visit, Some(&own), filled)
        }
        Err(ReviseTrunkError::Store(away)) => Err(away.into()),
    }
}

/// What was typed, held against the rules of the command line and the address guard.
fn read(visit: &Visit, filled: &mut Filled) -> Option<TrunkRevision> {
    let words = words::of(visit.language);
    let name = filled.required("name", values::name);
    let guard = &visit.service.trunk_addresses;
    let address = filled.required("address", |text| {
        let address = values::address(text)?;
        guard.judge_trunk_host(&address.host).map(|()| address).map_err(Rule::TrunkHost)
    });
    let transport = filled.required("transport", values::transport);
    let srtp = filled.optional("srtp", values::srtp).unwrap_or(Srtp::Off);
    let username = filled.optional("username", values::name);
    let password = visit.form.raw("password").filter(|text| !text.is_empty());
    if password.is_some_and(|text| text.chars().count() > PASSWORD_MAX) {
        filled.note("password", &Rule::ShortText(PASSWORD_MAX));
    }
    let register = filled.ticked("register");
    if username.is_none() && (register || password.is_some()) && filled.problem("username").is_empty() {
        filled.note("username", words.username_needed);
    }
    let from_domain = filled.optional("from_domain", values::domain_name);
    let default_country = filled.optional("default_country", values::country);
    let media_networks = filled.optional("media_networks", values::networks).unwrap_or_default();
    let realms = filled.optional("realms", values::realms).unwrap_or_default();
    let max_calls = filled.optional("max_calls", |text| values::limit(text, values::MAX_CALLS_MAX));
    let pace = |text: &str| values::limit(text, values::CALLS_PER_SECOND_MAX);
    let calls_per_second = filled.optional("calls_per_second", pace);
    let password = password.map(|text| Secret::new(text.to_owned()));
    let whole = || {
        Some(TrunkRevision {
            name: name?,
            address: address?,
            transport: transport?,
            login: username.map(|username| Login { username, password }),
            register,
            from_domain,
            default_country,
            wideband: filled.ticked("wideband"),
            srtp,
            guarded: true,
            nat: filled.ticked("nat"),
            media_networks,
            inbound_from: None,
            realms,
            max_calls,
            calls_per_second,
        })
    };
    let read = whole();
    read.filter(|_| filled.is_fit())
}

fn known(own: &Trunk) -> Values {
    let number = |value: Option<u32>| value.map(|value| value.to_string()).unwrap_or_default();
    let networks: Vec<_> = own.media_networks.iter().map(ToString::to_string).collect();
    let mut values = vec![
        ("name", own.name.clone()),
        ("address", own.address.to_string()),
        ("transport", own.transport.as_str().to_owned()),
        ("username", own.credentials.as_ref().map(|known| known.username.clone()).unwrap_or_default()),
        ("from_domain", own.from_domain.clone().unwrap_or_default()),
        (
            "default_country",
            own.default_country.as_ref().map(CountryCode::as_str).unwrap_or_default().to_owned(),
        ),
        ("srtp", own.srtp.as_str().to_owned()),
        ("media_networks", networks.join(", ")),
        ("realms", own.realms.join("\n")),
        ("max_calls", number(own.max_calls)),
        ("calls_per_second", number(own.calls_per_second)),
    ];
    for (name, ticked) in [("register", own.register), ("wideband", own.wideband), ("nat", own.nat)] {
        if ticked {
            values.push((name, "yes".to_owned()));
        }
    }
    values
}

fn form(visit: &Visit, own: Option<&Trunk>, filled: Filled) -> Result<HttpResponse, PageError> {
    let words = words::of(visit.language);
    let notice = match visit.query.text("done") {
        Some("saved") => Some(words.saved),
        Some("login-removed") => Some(words.login_removed),
        _ => None,
    };
    let title = own.map_or_else(|| words.new.to_owned(), |own| own.name.clone());
    let pair = |value: &str, text: &str| (value.to_owned(), text.to_owned());
    let shown = Shown {
        layout: Layout::of(visit, Section::Trunks, title.clone()).noting(notice),
        words,
        id: own.map(|own| own.id.to_string()),
        title,
        has_password: own.is_some_and(|own| own.credentials.is_some()),
        filled,
        transports: [Transport::Udp, Transport::Tcp, Transport::Tls]
            .map(|own| pair(own.as_str(), &own.as_str().to_uppercase()))
            .to_vec(),
        srtps: vec![
            pair(Srtp::Off.as_str(), words.srtp_off),
            pair(Srtp::Required.as_str(), words.srtp_required),
        ],
    };
    shown.filled.page(&shown)
}
