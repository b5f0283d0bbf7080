//! Answering digest challenges: MD5 and SHA-256, with and without `qop` (RFC 3261 §22, RFC 7616,
//! RFC 8760).

use domain::trunk::Credentials;
use md5::Md5;
use rsipstack::sip::{Header, Headers, Response};
use sha2::{Digest, Sha256};

use crate::headers;

/// Whether a proxy or the user agent server asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asker {
    /// 401, `WWW-Authenticate`.
    Server,
    /// 407, `Proxy-Authenticate`.
    Proxy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}

impl Answers {
    /// Takes the challenges of a 401 or 407. `false` when answering is of no use: nothing we
    /// understand, or our credentials for that realm were refused. A stale nonce is renewed once.
    pub(crate) fn take(&mut self, response: &Response) -> bool {
        let Some(challenge) = choose(response) else { return false };
        let same = |given: &&mut Given| {
            given.challenge.asker == challenge.asker && given.challenge.realm == challenge.realm
        };
        match self.given.iter_mut().find(same) {
            None => {
                // A chain of askers is short; an endless one is a loop.
                if self.given.len() >= 4 {
                    return false;
                }
                self.given.push(Given { challenge, renewed: false });
                true
            }
            Some(given) => {
                let fresh = challenge.stale && challenge.nonce != given.challenge.nonce;
                if !fresh || given.renewed {
                    return false;
                }
                *given = Given { challenge, renewed: true };
                true
            }
        }
    }

    /// The credentials headers of the next try.
    pub(crate) fn headers(
        &self,
        credentials: &Credentials,
        subject: Subject<'_>,
        cnonce: &str,
    ) -> Vec<Header> {
        self.given
            .iter()
            .map(|given| {
                let value = given.challenge.answer(credentials, subject, cnonce);
                match given.challenge.asker {
                    Asker::Server => Header::Authorization(value.into()),
                    Asker::Proxy => Header::ProxyAuthorization(value.into()),
                }
            })
            .collect()
    }
}

/// The first challenge that we can answer (RFC 8760 §2.4: they come in the server's order).
fn choose(response: &Response) -> Option<Challenge> {
    let (asker, name) = match response.status_code.code() {
        401 => (Asker::Server, "WWW-Authenticate"),
        407 => (Asker::Proxy, "Proxy-Authenticate"),
        _ => return None,
    };
    challenges(&response.headers, name).into_iter().find_map(|fields| Challenge::read(asker, &fields))
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
                    ours = scheme.eq_ignore_ascii_case("Digest");
                    if ours {
                        found.push(Fields::new());
                    }
                    rest
                }
                _ => element,
            };
            if let (true, Some((key, value)), Some(fields)) =
                (ours, element.split_once('='), found.last_mut())
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

    /// The credentials for one request (RFC 7616 §3.4); each request has a fresh `cnonce`, so the
    /// count of its nonce is always 1.
    fn answer(&self, credentials: &Credentials, subject: Subject<'_>, cnonce: &str) -> String {
        const COUNT: &str = "00000001";
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
            Some(qop) => format!("{first}:{nonce}:{COUNT}:{cnonce}:{}:{second}", qop.as_str()),
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
            Some(qop) => Some(format!("qop={}, nc={COUNT}, cnonce=\"{cnonce}\"", qop.as_str())),
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
            assert!(answers.take(&challenged(&[&format!("Digest {common}, algorithm={algorithm}")])));
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
        assert!(answers.take(&challenged(&["Digest realm=\"atlanta.com\",nonce=\"84a4cc6f\""])));
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
            let challenge = choose(&challenged(lines)).unwrap();
            assert_eq!((challenge.realm.as_str(), challenge.nonce.as_str()), ("r", "m"), "{lines:?}");
        }
        for lines in [&["Basic realm=\"r\""][..], &["Digest realm=\"r\", nonce=\"n\", qop=\"odd\""], &[]] {
            assert_eq!(choose(&challenged(lines)), None, "{lines:?}");
        }
    }

    #[test]
    fn refused_credentials_are_not_tried_again_but_a_stale_nonce_is_once() {
        let mut answers = Answers::default();
        assert!(answers.take(&challenged(&["Digest realm=\"r\", nonce=\"1\""])));
        assert!(!answers.take(&challenged(&["Digest realm=\"r\", nonce=\"2\""])));
        assert!(answers.take(&challenged(&["Digest realm=\"r\", nonce=\"3\", stale=TRUE"])));
        assert!(!answers.take(&challenged(&["Digest realm=\"r\", nonce=\"4\", stale=true"])));
        assert!(answers.take(&challenged(&["Digest realm=\"other\", nonce=\"1\""])));
        assert_eq!(
            answers
                .headers(&credentials("u", "p"), Subject { method: "BYE", uri: "x", body: b"" }, "c")
                .len(),
            2
        );
    }
}
