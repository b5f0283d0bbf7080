//! Hashing and verifying, and what becomes of a rush.

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::task::Poll;

use super::*;
use crate::workers::THREADS;

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

/// A stranger at an address of their own.
fn stranger(number: u32) -> Requester {
    Requester::stranger(Ipv4Addr::from_bits(0x7F00_0000 + number).into())
}

#[tokio::test]
async fn a_password_is_known_again_by_its_salted_hash_and_no_other_is() {
    let passwords = start();
    let hash = passwords.hash(secret("correct horse"), None, stranger(0)).await.unwrap();
    assert!(hash.reveal().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", hash.reveal());
    let right = passwords.verify(secret("correct horse"), vec![hash.clone()], stranger(0)).await;
    assert_eq!(right, Ok(Verdict::Right { which: 0, outdated: false }));
    for other in ["correct hors", "Correct horse", "", "correct horse "] {
        assert_eq!(
            passwords.verify(secret(other), vec![hash.clone()], stranger(0)).await,
            Ok(Verdict::Wrong),
            "{other}"
        );
    }
    let resalted = Argon2Passwords::start(Arc::new(Same(8))).unwrap();
    assert_ne!(resalted.hash(secret("correct horse"), None, stranger(0)).await.unwrap(), hash);
}

#[tokio::test]
async fn somebody_unknown_costs_as_many_hashes_as_somebody_known() {
    let passwords = start();
    let hash = passwords.hash(secret("correct horse"), None, stranger(0)).await.unwrap();
    let unreadable = PasswordHash::from_phc("$argon2id$v=19$nonsense".to_owned());
    for against in [vec![hash], vec![], vec![unreadable]] {
        let before = passwords.hashing.made.load(Ordering::Relaxed);
        assert_eq!(passwords.verify(secret("wrong"), against, stranger(0)).await, Ok(Verdict::Wrong));
        assert_eq!(passwords.hashing.made.load(Ordering::Relaxed) - before, 1);
    }
}

#[tokio::test]
async fn hashes_of_one_salt_are_verified_by_one_computation() {
    let passwords = start();
    let clinic = passwords.hash(secret("three quiet herons"), None, stranger(0)).await.unwrap();
    let others = Argon2Passwords::start(Arc::new(Same(9))).unwrap();
    let rival = others.hash(secret("four loud geese"), Some(clinic.clone()), stranger(0)).await.unwrap();
    let unlike = others.hash(secret("five shy owls"), None, stranger(0)).await.unwrap();
    let made = || passwords.hashing.made.load(Ordering::Relaxed);
    for (typed, which) in [("three quiet herons", Some(0)), ("four loud geese", Some(1)), ("neither", None)] {
        let before = made();
        let verdict = passwords.verify(secret(typed), vec![clinic.clone(), rival.clone()], stranger(0)).await;
        let expected = which.map_or(Verdict::Wrong, |which| Verdict::Right { which, outdated: false });
        assert_eq!((verdict, made() - before), (Ok(expected), 1), "{typed}");
    }
    let before = made();
    let verdict = passwords.verify(secret("five shy owls"), vec![clinic, rival, unlike], stranger(0)).await;
    assert_eq!((verdict, made() - before), (Ok(Verdict::Right { which: 2, outdated: false }), 2));
}

#[test]
fn what_stands_for_nobodys_hash_costs_what_a_real_one_costs() {
    let hashing = Hashing::new().unwrap();
    let salt = hashing::salt(None, [1; hashing::SALT_BYTES]).unwrap();
    let real = hashing.hash(&secret("x"), &salt).unwrap();
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
    let verdict = passwords.verify(secret("password"), vec![hash.clone()], stranger(0)).await;
    assert_eq!(verdict, Ok(Verdict::Right { which: 0, outdated: true }));
    assert_eq!(passwords.verify(secret("passwore"), vec![hash], stranger(0)).await, Ok(Verdict::Wrong));
}

/// Holds both threads, each until its sender is dropped.
async fn hold(passwords: &Argon2Passwords) -> [Sender<()>; THREADS] {
    let mut gates = Vec::new();
    for _ in 0..THREADS {
        let ((open, shut), (held, holding)) = (channel::<()>(), tokio::sync::oneshot::channel());
        let job = move || {
            let _ = held.send(());
            let _ = shut.recv();
        };
        let mut run = Box::pin(passwords.workers.run(stranger(0), job));
        assert!(futures_util::poll!(run.as_mut()).is_pending());
        // From here on the job goes on without the one who waits for it.
        holding.await.unwrap();
        gates.push(open);
    }
    gates.try_into().unwrap()
}

#[tokio::test]
async fn a_rush_is_refused_beyond_what_can_wait() {
    let passwords = start();
    let gates = hold(&passwords).await;
    let rush = queue::WAITING + 40;
    let mut waiting: Vec<_> = (0..rush)
        .map(|number| {
            let requester = stranger(u32::try_from(number).unwrap());
            Box::pin(passwords.workers.run(requester, || ()))
        })
        .collect();
    let mut refused = 0;
    for job in &mut waiting {
        refused += usize::from(futures_util::poll!(job.as_mut()) == Poll::Ready(Err(Busy)));
    }
    assert_eq!(refused, 40);
    drop(gates);
    for job in waiting.into_iter().take(1) {
        assert!(job.await.is_ok(), "the first goes on");
    }
}

#[tokio::test]
async fn known_user_is_served_first_while_strangers_fill_the_queue() {
    let passwords = start();
    let hash = passwords.hash(secret("correct horse"), None, stranger(0)).await.unwrap();
    let [first, second] = hold(&passwords).await;
    let served = Arc::new(AtomicUsize::new(0));
    // As many as there are places, from an address each, and more who are refused.
    let mut flood: Vec<_> = (0..500)
        .map(|number| {
            let served = Arc::clone(&served);
            let count = move || served.fetch_add(1, Ordering::SeqCst);
            Box::pin(passwords.workers.run(stranger(number), count))
        })
        .collect();
    let mut refused = 0;
    for one in &mut flood {
        refused += usize::from(futures_util::poll!(one.as_mut()) == Poll::Ready(Err(Busy)));
    }
    assert_eq!(refused, 500 - queue::WAITING);

    let home = Requester::known(Some(Ipv4Addr::new(192, 0, 2, 7).into()));
    let stopped = Arc::clone(&served);
    let order = passwords.workers.run(home, move || stopped.load(Ordering::SeqCst));
    let verdict = passwords.verify(secret("correct horse"), vec![hash], home);
    let (mut order, mut verdict) = (Box::pin(order), Box::pin(verdict));
    assert!(
        futures_util::poll!(order.as_mut()).is_pending()
            && futures_util::poll!(verdict.as_mut()).is_pending()
    );
    // One thread goes on, so that everything is served in order.
    drop(first);
    assert_eq!(order.await, Ok(0), "strangers served before a known user");
    assert_eq!(verdict.await, Ok(Verdict::Right { which: 0, outdated: false }));
    drop(second);
}
