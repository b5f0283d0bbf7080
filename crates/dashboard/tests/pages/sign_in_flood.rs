//! Signing in while strangers keep all places for hashing taken.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use domain::ports::{Admission, Clock, Entropy, Passwords, Requester};
use domain::secret::Secret;
use domain::user::Role;
use passwords::Argon2Passwords;
use tokio::sync::watch;

use crate::support::{Browser, Shown, Site, operator};

const OWN: &str = "three quiet herons";
/// Addresses that the flood comes from.
const STRANGERS: u8 = 100;

struct Random(AtomicU32);

impl Entropy for Random {
    fn fill(&self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte = self.0.fetch_add(1, Ordering::Relaxed).to_le_bytes()[0];
        }
    }
}

/// A browser that the proxy names by this address.
fn browser_at(site: &Site, address: &str) -> Browser {
    let mut browser = site.browser();
    browser.headers.insert("x-forwarded-for", address.parse().unwrap());
    browser
}

async fn sign_in(browser: &mut Browser, email: &str, password: &str) -> Shown {
    browser.post("/sign-in", &[("email", email), ("password", password)]).await
}

/// Waits until strangers were refused so many times.
async fn refused(busy: &mut watch::Receiver<u32>, times: u32) {
    busy.wait_for(|seen| *seen >= times).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn known_user_signs_in_while_strangers_fill_the_queue() {
    let passwords = Arc::new(Argon2Passwords::start(Arc::new(Random(AtomicU32::new(0)))).unwrap());
    let own = Secret::new(OWN.to_owned());
    let hash = passwords.hash(own, None, Requester::known(None)).await.unwrap();
    let site = Arc::new(Site::start_behind_proxy(passwords).await);
    let user = site.nobody(&site.clinic, None, Role::Member);
    let deed = operator(site.clock.now());
    site.world.accounts.add(user.clone(), Admission::Password(hash), deed).await.unwrap();
    let mut home = browser_at(&site, "127.1.0.1");
    assert_eq!(sign_in(&mut home, &user.email, OWN).await.status, 303, "nothing waits yet");

    let (count, mut busy) = watch::channel(0_u32);
    let (count, over) = (Arc::new(count), Arc::new(AtomicBool::new(false)));
    let mut flood = Vec::new();
    for number in 0..STRANGERS {
        let (site, count, over) = (Arc::clone(&site), Arc::clone(&count), Arc::clone(&over));
        flood.push(tokio::spawn(async move {
            let mut stranger = browser_at(&site, &format!("127.2.0.{number}"));
            // An address may send 60 forms a minute, and the clock stands still.
            for _ in 0..60 {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                let email = format!("nobody.{number}@clinic.example");
                if sign_in(&mut stranger, &email, "wrong").await.status == 503 {
                    count.send_modify(|seen| *seen += 1);
                }
            }
        }));
    }
    let mut seen = 0;
    for round in 0..3 {
        // The queue is full now, and was when the round before ended.
        refused(&mut busy, seen + 50).await;
        let shown = sign_in(&mut home, &user.email, OWN).await;
        assert_eq!(shown.status, 303, "round {round}: {}", shown.body);
        seen = *busy.borrow();
    }
    refused(&mut busy, seen + 1).await;
    over.store(true, Ordering::Relaxed);
    for one in flood {
        // On a starved machine the deadline for a request's head may have cut one off.
        let _ = one.await;
    }
}
