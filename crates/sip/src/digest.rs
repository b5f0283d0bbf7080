//! Answering digest challenges: MD5 and SHA-256, with and without `qop` (RFC 3261 §22, RFC 7616,
//! RFC 8760).

use domain::trunk::Credentials;
use md5::Md5;
use rsipstack::sip::{Header, Headers, Response};
use sha2::{Digest, Sha256};

use crate::headers;

/// Challenges of one response, and parameters of one challenge, that are looked at.
const MOST_CHALLENGES: usize = 16;
const MOST_PARAMETERS: usize = 32;

/// A challenge with a longer realm, nonce or opaque is not answered: the request that carries them back
/// would not fit into a datagram.
const LONGEST_VALUE: usize = 1024;

/// A chain of askers is short; an endless one is a loop.
const MOST_ASKERS: usize = 4;

/// Whether a proxy or the user agent server asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asker {
    /// 401, `WWW-Authenticate`.
    Server,
    /// 407, `Proxy-Authenticate`.
    Proxy,
}

/// Weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Hash {
    Md5,
    Sha256,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Qop {
    Auth,
    AuthInt,
}

/// One digest challenge that we can answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Challenge {
    asker: Asker,
    realm: String,
    nonce: String,
    opaque: Option<String>,
    algorithm: Option<String>,
    hash: Hash,
    session: bool,
    qop: Option<Qop>,
    stale: bool,
}

/// What a request says about itself in the digest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) method: &'a str,
    pub(crate) uri: &'a str,
    pub(crate) body: &'a [u8],
}

/// The challenges answered so far for one request, so that refused credentials end it at once.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    given: Vec<Given>,
}

#[derive(Debug)]
struct Given {
    challenge: Challenge,
    renewed: bool,
    /// How often its nonce was used.
    count: u32,
}

/// Why a challenge is not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unanswered {
    /// The trunk's password is not for this realm.
    Realm(String),
    /// This realm asked for a stronger algorithm before.
    Weaker(String),
    /// There is nothing that we understand, or our credentials were refused.
    Other,
}

impl Answers {
    /// Takes the challenges of a 401 or 407, and gives the realm of the one that is answered. Any of
    /// `realms` may ask, or all when there are none. A stale nonce is renewed once.
    pub(crate) fn take(&mut self, response: &Response, realms: &[String]) -> Result<&str, Unanswered> {
        let challenge = choose(response, realms)?;
        let weaker =
            |given: &Given| given.challenge.realm == challenge.realm && given.challenge.hash > challenge.hash;
        if self.given.iter().any(weaker) {
            return Err(Unanswered::Weaker(challenge.realm));
        }
        let same = |given: &Given| {
            given.challenge.asker == challenge.asker && given.challenge.realm == challenge.realm
        };
        let renewed = match self.given.iter().find(|given| same(given)) {
            None if self.given.len() >= MOST_ASKERS => return Err(Unanswered::Other),
            None => false,
            Some(given) => {
                let fresh = challenge.stale && challenge.nonce != given.challenge.nonce;
                if !fresh || given.renewed {
                    return Err(Unanswered::Other);
                }
                true
            }
        };
        self.given.retain(|given| !same(given));
        self.given.push(Given { challenge, renewed, count: 0 });
        self.given.last().map(|given| given.challenge.realm.as_str()).ok_or(Unanswered::Other)
    }

    /// The credentials headers of the next try.
    pub(crate) fn headers(
        &mut self,
        credentials: &Credentials,
        subject: Subject<'_>,
        cnonce: &str,
    ) -> Vec<Header> {
        self.given
            .iter_mut()
            .map(|given| {
                given.count = given.count.saturating_add(1);
                let value = given.challenge.answer(credentials, subject, cnonce, given.count);
                match given.challenge.asker {
                    Asker::Server => Header::Authorization(value.into()),
                    Asker::Proxy => Header::ProxyAuthorization(value.into()),
                }
            })
            .collect()
    }
}

/// The first challenge that we can answer (RFC 8760 §2.4: they come in the server's order), of one of
/// these realms, or of any when there are none.
fn choose(response: &Response, realms: &[String]) -> Result<Challenge, Unanswered> {
    let (asker, name) = match response.status_code.code() {
        401 => (Asker::Server, "WWW-Authenticate"),
        407 => (Asker::Proxy, "Proxy-Authenticate"),
        _ => return Err(Unanswered::Other),
    };
    let mut refused = Unanswered::Other;
    for fields in challenges(&response.headers, name) {
        match Challenge::read(asker, &fields) {
            Some(challenge) if realms.is_empty() || realms.contains(&challenge.realm) => {
                return Ok(challenge);
            }
            Some(challenge) if refused == Unanswered::Other => refused = Unanswered::Realm(challenge.realm),
            _ => {}
        }
    }
    Err(refused)
}

type Fields = Vec<(String, String)>;

/// The digest challenges under one header name; several may stand in one line.
fn challenges(headers: &Headers, name: &str) -> Vec<Fields> {
    let mut found: Vec<Fields> = Vec::new();
    for value in headers::all(headers, name) {
        let mut ours = false;
        for element in headers::split_list(value) {
            // A new challenge begins with its scheme; what follows are parameters.
            let element = match element.split_once(char::is_whitespace) {
                Some((scheme, rest)) if !scheme.contains('=') && !rest.trim_start().starts_with('=') => {
                    ours = scheme.eq_ignore_ascii_case("Digest") && found.len() < MOST_CHALLENGES;
                    if ours {
                        found.push(Fields::new());
                    }
                    rest
                }
                _ => element,
            };
            if let (true, Some((key, value)), Some(fields)) =
                (ours, element.split_once('='), found.last_mut())
                && fields.len() < MOST_PARAMETERS
            {
                fields.push((key.trim().to_ascii_lowercase(), unquote(value.trim())));
            }
        }
    }
    found
}

impl Challenge {
    fn read(asker: Asker, fields: &Fields) -> Option<Self> {
        let get = |name: &str| fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        let echoed = |value: &String| value.len() <= LONGEST_VALUE && headers::is_plain(value);
        if !["realm", "nonce", "opaque"].into_iter().filter_map(get).all(|value| echoed(&value)) {
            return None;
        }
        let algorithm = get("algorithm");
        let (hash, session) = match algorithm.as_deref().map(str::to_ascii_uppercase).as_deref() {
            None | Some("MD5") => (Hash::Md5, false),
            Some("MD5-SESS") => (Hash::Md5, true),
            Some("SHA-256") => (Hash::Sha256, false),
            Some("SHA-256-SESS") => (Hash::Sha256, true),
            Some(_) => return None,
        };
        let offered = get("qop");
        let offers = |qop: &str| {
            offered.iter().flat_map(|list| list.split(',')).any(|one| one.trim().eq_ignore_ascii_case(qop))
        };
        let qop = match () {
            () if offers("auth") => Some(Qop::Auth),
            () if offers("auth-int") => Some(Qop::AuthInt),
            () if offered.as_deref().is_none_or(|list| list.trim().is_empty()) => None,
            () => return None,
        };
        Some(Self {
            asker,
            realm: get("realm")?,
            nonce: get("nonce")?,
            opaque: get("opaque"),
            algorithm,
            hash,
            session,
            qop,
            stale: get("stale").is_some_and(|stale| stale.eq_ignore_ascii_case("true")),
        })
    }

    /// The credentials for one request, the `count`-th under its nonce (RFC 7616 §3.4).
    fn answer(&self, credentials: &Credentials, subject: Subject<'_>, cnonce: &str, count: u32) -> String {
        let count = format!("{count:08x}");
        let user = &credentials.username;
        let secret = format!("{user}:{}:{}", self.realm, credentials.password.reveal());
        let mut first = self.hash.hex(secret.as_bytes());
        if self.session {
            first = self.hash.hex(format!("{first}:{}:{cnonce}", self.nonce).as_bytes());
        }
        let Subject { method, uri, body } = subject;
        let second = match self.qop {
            Some(Qop::AuthInt) => format!("{method}:{uri}:{}", self.hash.hex(body)),
            _ => format!("{method}:{uri}"),
        };
        let second = self.hash.hex(second.as_bytes());
        let nonce = &self.nonce;
        let response = match self.qop {
            Some(qop) => format!("{first}:{nonce}:{count}:{cnonce}:{}:{second}", qop.as_str()),
            None => format!("{first}:{nonce}:{second}"),
        };
        let response = self.hash.hex(response.as_bytes());
        let mut text = format!(
            "Digest username=\"{}\", realm=\"{}\", nonce=\"{}\", uri=\"{uri}\", response=\"{response}\"",
            quote(user),
            quote(&self.realm),
            quote(nonce),
        );
        let algorithm = self.algorithm.iter().map(|algorithm| format!("algorithm={algorithm}"));
        let opaque = self.opaque.iter().map(|opaque| format!("opaque=\"{}\"", quote(opaque)));
        let qop = match self.qop {
            // The value of qop stands without quotes (RFC 7616 §3.4).
            Some(qop) => Some(format!("qop={}, nc={count}, cnonce=\"{cnonce}\"", qop.as_str())),
            None => self.session.then(|| format!("cnonce=\"{cnonce}\"")),
        };
        for parameter in algorithm.chain(opaque).chain(qop) {
            text.push_str(", ");
            text.push_str(&parameter);
        }
        text
    }
}

impl Qop {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::AuthInt => "auth-int",
        }
    }
}

impl Hash {
    fn hex(self, bytes: &[u8]) -> String {
        match self {
            Self::Md5 => hex(&Md5::digest(bytes)),
            Self::Sha256 => hex(&Sha256::digest(bytes)),
        }
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn unquote(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return value.to_owned();
    };
    let mut plain = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(c) = characters.next() {
        plain.extend(if c == '\\' { characters.next() } else { Some(c) });
    }
    plain
}

fn quote(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use domain::secret::Secret;

    use super::*;

    fn challenged(lines: &[&str]) -> Response {
        let lines: Vec<_> = lines.iter().map(|line| format!("WWW-Authenticate: {line}\r\n")).collect();
        let text = format!("SIP/2.0 401 Unauthorized\r\n{}\r\n", lines.concat());
        Response::try_from(text.as_bytes()).unwrap()
    }

    fn credentials(username: &str, password: &str) -> Credentials {
        Credentials { username: username.to_owned(), password: Secret::new(password.to_owned()) }
    }

    /// The worked examples of RFC 7616 §3.9.1.
    #[test]
    fn the_examples_of_the_standard_come_out() {
        let common = "realm=\"http-auth@example.org\", qop=\"auth, auth-int\", \
                      nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", \
                      opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\"";
        for (algorithm, response) in [
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ] {
            let mut answers = Answers::default();
            assert!(
                answers.take(&challenged(&[&format!("Digest {common}, algorithm={algorithm}")]), &[]).is_ok()
            );
            let subject = Subject { method: "GET", uri: "/dir/index.html", body: b"" };
            let cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ";
            let headers = answers.headers(&credentials("Mufasa", "Circle of Life"), subject, cnonce);
            let text = headers[0].value();
            assert!(text.contains(&format!("response=\"{response}\"")), "{text}");
            assert!(text.contains("qop=auth, nc=00000001"), "{text}");
            assert!(text.contains(&format!("algorithm={algorithm}")), "{text}");
        }
    }

    /// RFC 2069 as carried on by RFC 3261 §22.4: no qop, so neither count nor cnonce.
    #[test]
    fn without_qop_the_old_form_is_used() {
        let mut answers = Answers::default();
        assert!(answers.take(&challenged(&["Digest realm=\"atlanta.com\",nonce=\"84a4cc6f\""]), &[]).is_ok());
        let subject = Subject { method: "INVITE", uri: "sip:bob@biloxi.com", body: b"" };
        let headers = answers.headers(&credentials("bob", "zanzibar"), subject, "x");
        let expected = {
            let first = hex(&Md5::digest(b"bob:atlanta.com:zanzibar"));
            let second = hex(&Md5::digest(b"INVITE:sip:bob@biloxi.com"));
            hex(&Md5::digest(format!("{first}:84a4cc6f:{second}")))
        };
        let text = headers[0].value();
        assert!(text.contains(&expected) && !text.contains("qop") && !text.contains("cnonce"), "{text}");
    }

    #[test]
    fn the_first_challenge_that_we_understand_is_answered() {
        for lines in [
            &["Digest realm=\"r\", nonce=\"n\", algorithm=SHA-512-256", "Digest realm=\"r\", nonce=\"m\""][..],
            &["Basic realm=\"r\", Digest realm=\"r\", nonce=\"m\", qop=\"auth\""],
            &["NTLM", "digest nonce=\"m\", realm=r"],
            &["Digest domain=\"sip:a, sip:b\", realm=\"r\",qop=\"auth,auth-int\" , nonce = \"m\""],
        ] {
            let challenge = choose(&challenged(lines), &[]).unwrap();
            assert_eq!((challenge.realm.as_str(), challenge.nonce.as_str()), ("r", "m"), "{lines:?}");
        }
        for lines in [&["Basic realm=\"r\""][..], &["Digest realm=\"r\", nonce=\"n\", qop=\"odd\""], &[]] {
            assert_eq!(choose(&challenged(lines), &[]), Err(Unanswered::Other), "{lines:?}");
        }
    }

    #[test]
    fn refused_credentials_are_not_tried_again_but_a_stale_nonce_is_once() {
        let mut answers = Answers::default();
        assert!(answers.take(&challenged(&["Digest realm=\"r\", nonce=\"1\""]), &[]).is_ok());
        assert!(answers.take(&challenged(&["Digest realm=\"r\", nonce=\"2\""]), &[]).is_err());
        assert!(answers.take(&challenged(&["Digest realm=\"r\", nonce=\"3\", stale=TRUE"]), &[]).is_ok());
        assert!(answers.take(&challenged(&["Digest realm=\"r\", nonce=\"4\", stale=true"]), &[]).is_err());
        assert!(answers.take(&challenged(&["Digest realm=\"other\", nonce=\"1\""]), &[]).is_ok());
        assert_eq!(
            answers
                .headers(&credentials("u", "p"), Subject { method: "BYE", uri: "x", body: b"" }, "c")
                .len(),
            2
        );
    }

    #[test]
    fn a_nonce_that_is_used_again_counts_up_until_it_is_renewed() {
        let mut answers = Answers::default();
        let mut counts = |line: Option<&str>| {
            if let Some(line) = line {
                answers.take(&challenged(&[line]), &[]).unwrap();
            }
            let subject = Subject { method: "INVITE", uri: "x", body: b"" };
            let headers = answers.headers(&credentials("u", "p"), subject, "c");
            let count = |header: &Header| header.value().split("nc=").nth(1).unwrap()[..8].to_owned();
            headers.iter().map(count).collect::<Vec<_>>()
        };
        assert_eq!(counts(Some("Digest realm=\"p\", nonce=\"1\", qop=\"auth\"")), ["00000001"]);
        assert_eq!(counts(None), ["00000002"]);
        let second = "Digest realm=\"s\", nonce=\"2\", qop=\"auth\"";
        assert_eq!(counts(Some(second)), ["00000003", "00000001"]);
        let renewed = "Digest realm=\"p\", nonce=\"3\", qop=\"auth\", stale=true";
        assert_eq!(counts(Some(renewed)), ["00000002", "00000001"]);
    }

    #[test]
    fn only_listed_realms_are_answered_and_the_other_is_named() {
        let listed = ["pbx".to_owned()];
        let other = "Digest realm=\"evil\", nonce=\"1\"";
        let taken = |lines: &[&str]| Answers::default().take(&challenged(lines), &listed).map(str::to_owned);
        assert_eq!(taken(&[other]), Err(Unanswered::Realm("evil".to_owned())));
        assert_eq!(taken(&[other, "Digest realm=\"pbx\", nonce=\"1\""]), Ok("pbx".to_owned()));
        assert_eq!(taken(&["Digest realm=\"PBX\", nonce=\"1\""]), Err(Unanswered::Realm("PBX".to_owned())));
    }

    #[test]
    fn a_weaker_algorithm_after_a_stronger_one_is_refused() {
        let mut answers = Answers::default();
        let strong = "Digest realm=\"r\", nonce=\"1\", algorithm=SHA-256";
        assert_eq!(answers.take(&challenged(&[strong]), &[]), Ok("r"));
        let weak = "Digest realm=\"r\", nonce=\"2\", stale=true";
        assert_eq!(answers.take(&challenged(&[weak]), &[]), Err(Unanswered::Weaker("r".to_owned())));
        let proxy = format!("SIP/2.0 407 Ask\r\nProxy-Authenticate: {weak}\r\n\r\n");
        let proxy = Response::try_from(proxy.as_bytes()).unwrap();
        assert_eq!(answers.take(&proxy, &[]), Err(Unanswered::Weaker("r".to_owned())));
        assert_eq!(answers.take(&challenged(&[&strong.replace("\"1\"", "\"3\", stale=true")]), &[]), Ok("r"));
    }

    #[test]
    fn challenges_are_bounded_in_length_and_number() {
        let long = "x".repeat(1025);
        for line in [
            format!("Digest realm=\"{long}\", nonce=\"n\""),
            format!("Digest realm=\"r\", nonce=\"{long}\""),
            format!("Digest realm=\"r\", nonce=\"n\", opaque=\"{long}\""),
            "Digest realm=\"r\", nonce=\"a\u{1}b\"".to_owned(),
            format!("Digest realm=\"r\"{}, nonce=\"n\"", ", x=1".repeat(40)),
            format!("{}Digest realm=\"r\", nonce=\"n\"", "Digest x=1, ".repeat(16)),
        ] {
            assert_eq!(choose(&challenged(&[&line]), &[]), Err(Unanswered::Other), "{line}");
        }
        let fits = format!("Digest realm=\"r\", nonce=\"{}\"", "x".repeat(1024));
        assert!(choose(&challenged(&[&fits]), &[]).is_ok());
        let mut answers = Answers::default();
        let asked = (0..100).filter(|n| {
            answers.take(&challenged(&[&format!("Digest realm=\"{n}\", nonce=\"1\"")]), &[]).is_ok()
        });
        assert_eq!(asked.count(), 4);
    }
}
