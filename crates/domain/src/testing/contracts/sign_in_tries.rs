//! Tries to sign in.

use std::net::IpAddr;
use std::time::Duration;

use super::accounts::add;
use crate::back_off::KNOWN_FOR;
use crate::ports::{Admission, Attempt, Trial};
use crate::testing::fixtures::{TestResult, add_tenant, deed, hash, link, moment, user};
use crate::testing::world::{World, together};
use crate::user::{Role, User};

/// An address that nobody tried from before.
fn address(number: u8) -> IpAddr {
    [203, 0, 113, number].into()
}

async fn somebody(world: &World) -> TestResult<User> {
    let tenant = add_tenant(world).await?;
    add(world, tenant, None, Role::Member).await
}

async fn waits(world: &World, email: &str, from: IpAddr, seconds: u64) -> TestResult<u64> {
    Ok(match world.tries.begin_try(email, from, moment(seconds)).await? {
        Attempt::Wait(wait) => wait.as_secs(),
        Attempt::Try(_) => 0,
    })
}

/// None for nobody, for somebody who never set a password, and for somebody who is gone.
pub async fn a_try_meets_the_stored_hash_or_none(world: &World) -> TestResult {
    let (known, gone) = (somebody(world).await?, somebody(world).await?);
    let invited = user(known.tenant, None, Role::Viewer);
    world.accounts.add(invited.clone(), Admission::Invitation(link(0, 9)), deed(moment(0))).await?;
    world.accounts.remove(gone.scope(), gone.id, deed(moment(0))).await?;
    let shouted = known.email.to_uppercase();
    for (email, expected) in [
        (known.email.as_str(), Some((known.id, hash("old")))),
        (shouted.as_str(), Some((known.id, hash("old")))),
        ("nobody@clinic.example", None),
        (&invited.email, None),
        (&gone.email, None),
    ] {
        let attempt = world.tries.begin_try(email, address(1), moment(1)).await?;
        let accounts = expected.into_iter().collect();
        assert_eq!(attempt, Attempt::Try(Trial { accounts, known: false }), "{email}");
    }
    Ok(())
}

/// Whether there is such an account or not.
pub async fn failures_of_an_account_cost_time_from_any_address(world: &World) -> TestResult {
    let known = somebody(world).await?;
    for email in [known.email.as_str(), "nobody@clinic.example"] {
        let mut now = 0;
        for (number, cost) in [0, 0, 0, 0, 0, 1, 2, 4, 8].into_iter().enumerate() {
            let from = address(u8::try_from(number)?);
            assert_eq!(waits(world, email, from, now).await?, cost, "after {number} failures");
            now += cost;
            if cost > 0 {
                assert_eq!(waits(world, email, from, now).await?, 0);
            }
        }
        assert_eq!(waits(world, &email.to_uppercase(), address(99), now).await?, 16);
        assert_eq!(waits(world, email, address(99), now + 3600).await?, 0);
        assert_eq!(waits(world, email, address(99), now + 3600).await?, 0, "an hour forgets");
    }
    Ok(())
}

/// Up to half a minute elsewhere: whoever knows an address cannot lock its owner out for long.
pub async fn the_long_wait_stays_with_the_address_that_failed(world: &World) -> TestResult {
    let known = somebody(world).await?;
    let (guesser, owner) = (address(1), address(2));
    let mut now = 0;
    for number in 0..12 {
        let wait = waits(world, &known.email, guesser, now).await?;
        if wait > 0 {
            now += wait;
            assert_eq!(waits(world, &known.email, guesser, now).await?, 0, "after {number} failures");
        }
    }
    assert_eq!(waits(world, &known.email, guesser, now).await?, 128);
    assert_eq!(waits(world, &known.email, owner, now).await?, 30);
    assert_eq!(waits(world, &known.email, owner, now + 30).await?, 0);
    world.tries.succeeded(&known.email, known.id, owner, moment(now + 30)).await?;
    assert_eq!(waits(world, &known.email, owner, now + 30).await?, 0);
    assert_eq!(waits(world, &known.email, guesser, now + 30).await?, 98, "the guesser's stay");
    Ok(())
}

/// Somebody fails from fifty networks, whenever they may, until a stranger waits half a minute.
async fn storm(world: &World, email: &str, since: u64) -> TestResult<u64> {
    let mut now = since;
    for number in 100..150 {
        let wait = waits(world, email, address(number), now).await?;
        if wait > 0 {
            now += wait;
            assert_eq!(waits(world, email, address(number), now).await?, 0);
        }
    }
    assert_eq!(waits(world, email, address(99), now).await?, 30);
    Ok(now)
}

/// For as long as a session may live; what fails there counts all the same.
pub async fn where_an_account_signed_in_it_waits_for_nothing_that_fails_elsewhere(
    world: &World,
) -> TestResult {
    let (known, other) = (somebody(world).await?, somebody(world).await?);
    let (home, neighbour) = (address(1), address(2));
    assert_eq!(waits(world, &known.email, home, 0).await?, 0);
    world.tries.succeeded(&known.email.to_uppercase(), known.id, home, moment(0)).await?;
    let now = storm(world, &known.email, 10_000).await?;
    while world.housekeeping.forget_sign_ins(moment(now)).await? {}
    assert_eq!(waits(world, &known.email, neighbour, now).await?, 30, "nobody signed in from there");
    for number in 0..5 {
        assert_eq!(waits(world, &known.email, home, now).await?, 0, "after {number} failures");
    }
    assert_eq!(waits(world, &known.email, home, now).await?, 1, "five failed here");
    // Nobody else is known there.
    let now = storm(world, &other.email, now).await?;
    assert_eq!(waits(world, &other.email, home, now).await?, 30);
    let over = KNOWN_FOR.as_secs();
    let now = storm(world, &known.email, over - 10_000).await?;
    assert!(now < over);
    assert_eq!(waits(world, &known.email, home, now).await?, 0);
    let now = storm(world, &known.email, over).await?;
    assert_eq!(waits(world, &known.email, home, now).await?, 30, "that is too long ago");
    Ok(())
}

/// Somebody with the address of `of`, in a tenant of their own, with this password.
async fn namesake(world: &World, of: &User, password: &str) -> TestResult<User> {
    let twin = User { email: of.email.to_uppercase(), ..user(add_tenant(world).await?, None, Role::Admin) };
    let twin = User { created_at: moment(1), ..twin };
    world.accounts.add(twin.clone(), Admission::Password(hash(password)), deed(moment(1))).await?;
    Ok(twin)
}

/// Oldest first.
pub async fn a_try_meets_the_users_of_all_tenants(world: &World) -> TestResult {
    let owner = somebody(world).await?;
    let twin = namesake(world, &owner, "other").await?;
    let accounts = vec![(owner.id, hash("old")), (twin.id, hash("other"))];
    let attempt = world.tries.begin_try(&owner.email, address(1), moment(1)).await?;
    assert_eq!(attempt, Attempt::Try(Trial { accounts, known: false }));
    Ok(())
}

/// Their own success lets them go on, and shortens no wait for the other's password.
pub async fn a_user_of_another_tenant_clears_no_way_for_guesses(world: &World) -> TestResult {
    // Every other try is the guesser's own password.
    guess(world, address(1), |number| number % 2 == 1).await?;
    // The guesser's own password is what they guess: each guess that is not the owner's signs them in.
    guess(world, address(3), |_| true).await
}

/// Whoever shares an address with another tenant's user tries thirty passwords, some of them their own.
async fn guess(world: &World, from: IpAddr, succeeds: impl Fn(u8) -> bool) -> TestResult {
    let owner = somebody(world).await?;
    let guesser = namesake(world, &owner, "known to the guesser").await?;
    let mut tried = 0;
    for number in 0..30 {
        let Attempt::Try(trial) = world.tries.begin_try(&owner.email, from, moment(2)).await? else {
            return Err(format!("{number}: the guesser waits in spite of a success").into());
        };
        tried += usize::from(trial.accounts.iter().any(|(id, _)| *id == owner.id));
        assert!(trial.accounts.iter().any(|(id, _)| *id == guesser.id), "{number}");
        if succeeds(number) {
            world.tries.succeeded(&guesser.email, guesser.id, from, moment(2)).await?;
        }
    }
    // Up to five failures cost nothing, and a success in between is tried on both.
    assert!(tried <= 10, "{tried} guesses met the owner's password");
    assert_eq!(waits(world, &owner.email, address(2), 2).await?, 30, "and so it is from elsewhere");
    Ok(())
}

/// What fails after a quiet hour costs time again, whether housekeeping came by or not.
pub async fn what_is_forgiven_ends_with_what_had_failed(world: &World) -> TestResult {
    for (from, kept) in [(address(1), false), (address(2), true)] {
        let known = somebody(world).await?;
        for number in 0..5 {
            assert_eq!(waits(world, &known.email, from, 0).await?, 0, "after {number} failures");
        }
        world.tries.succeeded(&known.email, known.id, from, moment(0)).await?;
        if kept {
            while world.housekeeping.forget_sign_ins(moment(3600)).await? {}
        }
        for number in 0..5 {
            assert_eq!(waits(world, &known.email, from, 3600).await?, 0, "after {number} failures");
        }
        assert_eq!(waits(world, &known.email, from, 3600).await?, 1, "housekeeping: {kept}");
    }
    Ok(())
}

/// From the addresses that it signed in from, whatever other accounts did there.
pub async fn a_try_of_an_account_that_signed_in_there_is_known(world: &World) -> TestResult {
    let (owner, other) = (somebody(world).await?, somebody(world).await?);
    let (home, elsewhere) = (address(1), address(2));
    let known = async |email: &str, from, seconds| -> TestResult<bool> {
        match world.tries.begin_try(email, from, moment(seconds)).await? {
            Attempt::Try(trial) => Ok(trial.known),
            Attempt::Wait(wait) => Err(format!("{email} waits {wait:?}").into()),
        }
    };
    assert!(!known(&owner.email, home, 0).await?);
    world.tries.succeeded(&owner.email, owner.id, home, moment(0)).await?;
    assert!(known(&owner.email.to_uppercase(), home, 1).await?);
    assert!(!known(&owner.email, elsewhere, 1).await?);
    assert!(!known(&other.email, home, 1).await? && !known("nobody@clinic.example", home, 1).await?);
    let over = KNOWN_FOR.as_secs();
    assert!(known(&owner.email, home, over - 1).await? && !known(&owner.email, home, over).await?);
    Ok(())
}

/// An IPv6 subscriber has a whole network of addresses.
pub async fn failures_from_an_address_cost_time_for_any_account(world: &World) -> TestResult {
    for (first, second, other) in
        [("203.0.113.1", "203.0.113.1", "203.0.113.2"), ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1")]
    {
        for number in 0..20 {
            let email = format!("{number}.{first}@clinic.example");
            assert_eq!(waits(world, &email, first.parse()?, 0).await?, 0);
        }
        assert_eq!(waits(world, "one.more@clinic.example", second.parse()?, 0).await?, 1);
        assert_eq!(waits(world, "one.more@clinic.example", other.parse()?, 0).await?, 0);
        assert_eq!(waits(world, "one.more@clinic.example", second.parse()?, 1).await?, 0);
        assert_eq!(waits(world, "one.more@clinic.example", second.parse()?, 1).await?, 2);
    }
    Ok(())
}

/// Five of thirty get as far as the password.
pub async fn guesses_side_by_side_are_all_counted(world: &World) -> TestResult {
    let known = somebody(world).await?;
    let rush = (0..30).map(|number| world.tries.begin_try(&known.email, address(number), moment(0)));
    let mut begun = 0;
    for attempt in together(rush).await {
        match attempt? {
            Attempt::Try(_) => begun += 1,
            Attempt::Wait(wait) => assert_eq!(wait, Duration::from_secs(1)),
        }
    }
    assert_eq!(begun, 5);
    Ok(())
}

/// Of the account; the address only has its own try back.
pub async fn a_success_forgets_what_failed_before(world: &World) -> TestResult {
    let (known, from) = (somebody(world).await?, address(7));
    for _ in 0..19 {
        assert_eq!(waits(world, &known.email, from, 0).await?, 0);
        world.tries.succeeded(&known.email.to_uppercase(), known.id, from, moment(0)).await?;
    }
    for number in 0..20 {
        let email = format!("{number}@clinic.example");
        assert_eq!(waits(world, &email, from, 0).await?, 0, "{number}");
    }
    assert_eq!(waits(world, &known.email, from, 0).await?, 1, "the address failed twenty times");
    assert_eq!(waits(world, &known.email, address(8), 0).await?, 0);
    Ok(())
}

/// Neither against the account nor against the address; what failed before stays.
pub async fn a_try_that_is_taken_back_counts_for_nothing(world: &World) -> TestResult {
    let (known, from) = (somebody(world).await?, address(7));
    for _ in 0..4 {
        assert_eq!(waits(world, &known.email, address(1), 0).await?, 0);
    }
    for _ in 0..30 {
        assert_eq!(waits(world, &known.email, from, 0).await?, 0);
        world.tries.take_back(&known.email.to_uppercase(), from).await?;
    }
    for number in 0..20 {
        let email = format!("{number}@clinic.example");
        assert_eq!(waits(world, &email, from, 0).await?, 0, "{number}");
    }
    assert_eq!(waits(world, &known.email, address(2), 0).await?, 0, "the fifth");
    assert_eq!(waits(world, &known.email, address(3), 0).await?, 1, "five have failed");
    world.tries.take_back("never.tried@clinic.example", address(9)).await?;
    Ok(())
}

/// Neither for the account nor for the address.
pub async fn a_try_that_waits_counts_for_nothing(world: &World) -> TestResult {
    let (known, from) = (somebody(world).await?, address(7));
    for _ in 0..5 {
        waits(world, &known.email, address(1), 0).await?;
    }
    for _ in 0..40 {
        assert_eq!(waits(world, &known.email, from, 0).await?, 1);
    }
    assert_eq!(waits(world, "else@clinic.example", from, 0).await?, 0);
    assert_eq!(waits(world, &known.email, from, 1).await?, 0);
    assert_eq!(waits(world, &known.email, from, 1).await?, 2);
    Ok(())
}
