//! Hashing and verifying, and what becomes of a rush.

use std::sync::atomic::Ordering;

use super::*;

struct Same(u8);

impl Entropy for Same {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(self.0);
    }
}

fn start() -> Argon2Passwords {
    Argon2Passwords::start(Arc::new(Same(7))).unwrap()
}

fn secret(text: &str) -> Secret<String> {
    Secret::new(text.to_owned())
}

#[tokio::test]
async fn a_password_is_known_again_by_its_salted_hash_and_no_other_is() {
    let passwords = start();
    let hash = passwords.hash(secret("correct horse")).await.unwrap();
    assert!(hash.reveal().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", hash.reveal());
    let right = passwords.verify(secret("correct horse"), Some(hash.clone())).await;
    assert_eq!(right, Ok(Verdict::Right { outdated: false }));
    for other in ["correct hors", "Correct horse", "", "correct horse "] {
        assert_eq!(passwords.verify(secret(other), Some(hash.clone())).await, Ok(Verdict::Wrong), "{other}");
    }
    let resalted = Argon2Passwords::start(Arc::new(Same(8))).unwrap();
    assert_ne!(resalted.hash(secret("correct horse")).await.unwrap(), hash);
}

#[tokio::test]
async fn somebody_unknown_costs_as_many_hashes_as_somebody_known() {
    let passwords = start();
    let hash = passwords.hash(secret("correct horse")).await.unwrap();
    let unreadable = PasswordHash::from_phc("$argon2id$v=19$nonsense".to_owned());
    for against in [Some(hash), None, Some(unreadable)] {
        let before = passwords.hashing.made.load(Ordering::Relaxed);
        assert_eq!(passwords.verify(secret("wrong"), against).await, Ok(Verdict::Wrong));
        assert_eq!(passwords.hashing.made.load(Ordering::Relaxed) - before, 1);
    }
}

#[test]
fn what_stands_for_nobodys_hash_costs_what_a_real_one_costs() {
    let hashing = Hashing::new().unwrap();
    let real = hashing.hash(&secret("x"), [1; hashing::SALT_BYTES]).unwrap();
    let cost = |phc: &str| phc.rsplitn(3, '$').map(str::len).collect::<Vec<_>>();
    assert_eq!(cost(hashing::NOBODY), cost(real.reveal()));
    assert_eq!(hashing::NOBODY.rsplitn(3, '$').last(), real.reveal().rsplitn(3, '$').last());
}

#[tokio::test]
async fn a_hash_of_another_cost_is_right_and_outdated() {
    // From the reference implementation's own tests (phc-winner-argon2, src/test.c).
    let reference = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
    let hash = PasswordHash::from_phc(reference.to_owned());
    let passwords = start();
    let verdict = passwords.verify(secret("password"), Some(hash.clone())).await;
    assert_eq!(verdict, Ok(Verdict::Right { outdated: true }));
    assert_eq!(passwords.verify(secret("passwore"), Some(hash)).await, Ok(Verdict::Wrong));
}

#[tokio::test]
async fn a_rush_is_refused_beyond_what_can_wait() {
    let passwords = start();
    let (open, shut) = std::sync::mpsc::channel::<()>();
    let shut = Arc::new(parking_lot::Mutex::new(shut));
    let wait = |shut: &Arc<parking_lot::Mutex<std::sync::mpsc::Receiver<()>>>| {
        let shut = Arc::clone(shut);
        move || shut.lock().recv().unwrap_err()
    };
    let mut waiting: Vec<_> =
        (0..WAITING_AND_MORE).map(|_| Box::pin(passwords.workers.run(wait(&shut)))).collect();
    let mut refused = 0;
    for job in &mut waiting {
        refused += usize::from(futures_util::poll!(job.as_mut()) == std::task::Poll::Ready(Err(Busy)));
    }
    // The two threads may or may not have taken one each by now.
    assert!(
        (WAITING_AND_MORE - workers::WAITING - 2..=WAITING_AND_MORE - workers::WAITING).contains(&refused)
    );
    drop(open);
    for job in waiting.into_iter().take(1) {
        assert!(job.await.is_ok(), "the first goes on");
    }
}

const WAITING_AND_MORE: usize = workers::WAITING + 40;
