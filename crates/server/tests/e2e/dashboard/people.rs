//! People with accounts and sessions, entered as the store keeps them: signing in has tests of its own.

use std::sync::atomic::{AtomicU32, Ordering};

use super::town::HOSTILE;
use crate::support::Installation;

/// Who somebody is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing<'a> {
    pub role: &'a str,
    pub tenant: &'a str,
    /// None for the whole tenant.
    pub organization: Option<&'a str>,
}

/// Everybody's password.
pub const PASSWORD: &str = "three quiet herons at dawn";

/// [`PASSWORD`] as it is stored (Argon2id, 8 KiB, one pass: quick to check).
const HASH: &str =
    "$argon2id$v=19$m=8,t=1,p=1$p2UFcd4GFyOtjq5X7sO4CQ$hSm8Z63WJspNxukOKyfVtP1gNEuFCWqDfmckUbtOrCU";

/// Another number each time, in one test.
pub fn another() -> u32 {
    static COUNT: AtomicU32 = AtomicU32::new(1);
    COUNT.fetch_add(1, Ordering::Relaxed)
}

/// Enters somebody, and gives their id.
pub async fn enter(installation: &Installation, standing: Standing<'_>, email: &str) -> String {
    let Standing { role, tenant, organization } = standing;
    let organization = organization.map_or("NULL".to_owned(), |id| format!("'{id}'"));
    let entering = format!(
        "INSERT INTO users (id, tenant_id, organization_id, email, email_folded, role, password, created_at) \
         VALUES (gen_random_uuid(), '{tenant}', {organization}, '{email}', '{email}', '{role}', '{HASH}', now()) \
         RETURNING id"
    );
    installation.rows(&entering).await[0][0].clone().unwrap()
}

/// The cookie of a new session, in a browser that calls itself something evil.
pub async fn session_of(installation: &Installation, user: &str) -> String {
    // Thirty-two bytes in base64url.
    let session = format!("{:A>42}A", format!("session{}", another()));
    let agent = HOSTILE.replace('\'', "''");
    let beginning = format!(
        "INSERT INTO sessions (digest, user_id, created_at, seen_at, expires_at, address, user_agent) \
         VALUES (sha256('{session}'), '{user}', now(), now(), now() + interval '1 hour', '127.0.0.1', left('{agent}', 200))"
    );
    installation.rows(&beginning).await;
    session
}
