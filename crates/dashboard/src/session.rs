//! The session cookie, and the token that proves a form to come from one of our own pages.

use actix_web::HttpRequest;
use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::ports::Entropy;
use domain::secret::Secret;
use domain::session::SessionDigest;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Browsers keep a cookie of this name only when it is `Secure`, of this host alone, and of all paths.
pub(crate) const COOKIE: &str = "__Host-callwright";

/// The name of a form's token field.
pub(crate) const TOKEN_FIELD: &str = "token";

const SECRET_BYTES: usize = 32;

/// What the browser holds of a session; only its digest is stored.
#[derive(Clone, Debug)]
pub(crate) struct SessionSecret(Secret<String>);

impl SessionSecret {
    /// Draws a new one: every sign-in has its own.
    pub(crate) fn draw(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; SECRET_BYTES];
        entropy.fill(&mut bytes);
        Self(Secret::new(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// What the browser sent.
    pub(crate) fn of(request: &HttpRequest) -> Option<Self> {
        let cookie = request.cookie(COOKIE)?;
        let formed = URL_SAFE_NO_PAD.decode(cookie.value()).is_ok_and(|bytes| bytes.len() == SECRET_BYTES);
        formed.then(|| Self(Secret::new(cookie.value().to_owned())))
    }

    /// By which the session is stored.
    pub(crate) fn digest(&self) -> SessionDigest {
        SessionDigest(Sha256::digest(self.0.reveal().as_bytes()).into())
    }

    /// The cookie that gives it to the browser; it lives as long as the browser's own session or the
    /// absolute life of ours, whichever is asked for.
    pub(crate) fn cookie(&self) -> Cookie<'static> {
        kept(self.0.reveal().clone())
    }

    /// What forms of this session carry: it cannot be made without the cookie, nor the cookie from it.
    pub(crate) fn form_token(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(b"form token of ");
        hash.update(self.0.reveal().as_bytes());
        URL_SAFE_NO_PAD.encode(hash.finalize())
    }

    /// Whether a form's token is the one of this session.
    pub(crate) fn fits(&self, token: &str) -> bool {
        self.form_token().as_bytes().ct_eq(token.as_bytes()).into()
    }
}

fn kept(value: String) -> Cookie<'static> {
    Cookie::build(COOKIE, value).path("/").secure(true).http_only(true).same_site(SameSite::Lax).finish()
}

/// The cookie that takes the session out of the browser.
pub(crate) fn forgotten() -> Cookie<'static> {
    let mut cookie = kept(String::new());
    cookie.set_max_age(Duration::ZERO);
    cookie
}
