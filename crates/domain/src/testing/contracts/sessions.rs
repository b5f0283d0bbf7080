//! Sessions.

use super::accounts::add;
use crate::audit::{Action, Actor, Deed};
use crate::ids::UserId;
use crate::ports::SignIn;
use crate::scope::Scope;
use crate::session::{IDLE_LIMIT, LIFETIME, SESSIONS_MAX, Session, SessionDigest, SignedIn};
use crate::testing::fixtures::{DESK, TestResult, add_tenant, deed, fresh, hash, moment, session, sign_in};
use crate::testing::world::World;
use crate::user::{Role, User};

async fn somebody(world: &World) -> TestResult<User> {
    let tenant = add_tenant(world).await?;
    add(world, tenant, None, Role::Member).await
}

async fn begin(world: &World, user: &User, seconds: u64) -> TestResult<SignedIn> {
    let begun = world.sessions.begin(sign_in(user.id, "old", seconds)).await?;
    begun.ok_or_else(|| "no session began".into())
}

/// And it is noted who signed in, from where.
pub async fn a_session_is_found_until_it_ends(world: &World) -> TestResult {
    let user = somebody(world).await?;
    let begun = begin(world, &user, 5).await?;
    let expected = User { signed_in_at: Some(moment(5)), ..user.clone() };
    assert_eq!((begun.user.clone(), begun.since), (expected, moment(5)));
    assert_eq!(world.sessions.find(begun.session, moment(6)).await?, Some(begun.clone()));
    assert_eq!(world.sessions.find(SessionDigest([0; 32]), moment(6)).await?, None);
    let entries = world.audit.entries(user.scope(), None, None, 1).await?;
    let entry = entries.first().ok_or("nothing was noted")?;
    let own = Deed { actor: Actor::User(user.id, user.email.clone()), from: Some(DESK), at: moment(5) };
    assert_eq!((entry.action, &entry.deed), (Action::SignIn, &own));
    assert!(world.sessions.end(user.id, begun.session).await?);
    assert_eq!(world.sessions.find(begun.session, moment(7)).await?, None);
    assert!(!world.sessions.end(user.id, begun.session).await?);
    Ok(())
}

/// Nor does that of somebody who is not there.
pub async fn the_wrong_password_begins_no_session(world: &World) -> TestResult {
    let user = somebody(world).await?;
    for (id, password) in [(user.id, "wrong"), (UserId::from(fresh()), "old")] {
        let attempt = sign_in(id, password, 1);
        let digest = attempt.session.digest;
        assert_eq!(world.sessions.begin(attempt).await?, None);
        assert_eq!(world.sessions.find(digest, moment(1)).await?, None);
    }
    assert_eq!(world.accounts.user(user.scope(), user.id).await?, Some(user));
    Ok(())
}

/// Its only session, as it is now.
async fn only_session(world: &World, user: &User) -> TestResult<Session> {
    let mut sessions = world.sessions.sessions_of(user.id, moment(0)).await?;
    assert_eq!(sessions.len(), 1);
    sessions.pop().ok_or_else(|| "no session".into())
}

/// Noted at most once a minute; idle for half a day, or a month old, it is over.
pub async fn use_prolongs_a_session_until_its_last_day(world: &World) -> TestResult {
    let user = somebody(world).await?;
    let begun = begin(world, &user, 0).await?;
    let (idle, life) = (IDLE_LIMIT.as_secs(), LIFETIME.as_secs());
    let mut moments = vec![(59, 0), (60, 60)];
    let mut last = 60;
    while last + idle - 1 < life {
        last += idle - 1;
        moments.push((last, last));
    }
    for (used, noted) in moments {
        for attempt in 0.. {
            let found = world.sessions.find(begun.session, moment(used)).await?;
            assert!(found.is_some(), "over at {used}");
            let session = only_session(world, &user).await?;
            // The note is written behind the caller's back: give it some reads' time.
            if session.seen_at == moment(noted) && (attempt > 3 || used == noted) {
                assert_eq!(session.expires_at, moment((noted + idle).min(life)));
                break;
            }
            assert!(attempt < 2000, "seen at {} after a use at {used}", session.seen_at);
        }
    }
    assert!(world.sessions.find(begun.session, moment(life - 1)).await?.is_some());
    assert_eq!(world.sessions.find(begun.session, moment(life)).await?, None);
    let idler = begin(world, &user, 0).await?;
    assert!(world.sessions.find(idler.session, moment(59)).await?.is_some());
    assert_eq!(world.sessions.find(idler.session, moment(idle)).await?, None);
    assert_eq!(world.sessions.sessions_of(user.id, moment(life)).await?, []);
    Ok(())
}

/// What a page does by itself while nobody is there prolongs nothing.
pub async fn looking_a_session_up_does_not_prolong_it(world: &World) -> TestResult {
    let user = somebody(world).await?;
    let begun = begin(world, &user, 0).await?;
    let idle = IDLE_LIMIT.as_secs();
    for second in [60, 3600, idle - 1] {
        assert_eq!(world.sessions.look_up(begun.session, moment(second)).await?, Some(begun.clone()));
        // A note would be written behind the caller's back: it is given some reads' time.
        for _ in 0..20 {
            assert_eq!(only_session(world, &user).await?.seen_at, moment(0));
        }
    }
    assert_eq!(world.sessions.look_up(begun.session, moment(idle)).await?, None);
    assert_eq!(world.sessions.look_up(SessionDigest([0; 32]), moment(1)).await?, None);
    world.accounts.remove(user.scope(), user.id, deed(moment(1))).await?;
    assert_eq!(world.sessions.look_up(begun.session, moment(1)).await?, None);
    Ok(())
}

/// From the moment that their removal is answered.
pub async fn a_removed_user_is_signed_out(world: &World) -> TestResult {
    let user = somebody(world).await?;
    let begun = begin(world, &user, 0).await?;
    world.accounts.remove(user.scope(), user.id, deed(moment(1))).await?;
    assert_eq!(world.sessions.find(begun.session, moment(1)).await?, None);
    assert_eq!(world.sessions.begin(sign_in(user.id, "old", 2)).await?, None);
    Ok(())
}

/// Nobody has to sign in again for it.
pub async fn a_role_counts_from_the_next_request_on(world: &World) -> TestResult {
    let user = somebody(world).await?;
    let begun = begin(world, &user, 0).await?;
    for role in [Role::Viewer, Role::Admin] {
        world.accounts.change_role(Scope::Tenant(user.tenant), user.id, role, deed(moment(1))).await?;
        let found = world.sessions.find(begun.session, moment(1)).await?.ok_or("signed out")?;
        assert_eq!(found.user.role, role);
    }
    Ok(())
}

/// Another user's session cannot be ended by its digest.
pub async fn a_user_ends_their_own_sessions_alone(world: &World) -> TestResult {
    let (user, other) = (somebody(world).await?, somebody(world).await?);
    let (one, two) = (begin(world, &user, 1).await?, begin(world, &user, 2).await?);
    assert!(!world.sessions.end(other.id, one.session).await?);
    assert!(world.sessions.end(user.id, one.session).await?);
    let left = world.sessions.sessions_of(user.id, moment(3)).await?;
    let expected = Session {
        digest: two.session,
        created_at: moment(2),
        seen_at: moment(2),
        expires_at: moment(2) + IDLE_LIMIT,
        from: Some(DESK),
        user_agent: Some("A browser".to_owned()),
    };
    assert_eq!(left, [expected]);
    Ok(())
}

/// Theirs alone.
pub async fn signing_out_everywhere_ends_all_sessions(world: &World) -> TestResult {
    let (user, other) = (somebody(world).await?, somebody(world).await?);
    let own = [begin(world, &user, 1).await?, begin(world, &user, 2).await?];
    let theirs = begin(world, &other, 1).await?;
    world.sessions.end_all(user.id, deed(moment(3))).await?;
    for begun in own {
        assert_eq!(world.sessions.find(begun.session, moment(3)).await?, None);
    }
    assert!(world.sessions.find(theirs.session, moment(3)).await?.is_some());
    Ok(())
}

/// Twenty at a time.
pub async fn the_session_that_was_not_used_longest_gives_way(world: &World) -> TestResult {
    let user = somebody(world).await?;
    let mut begun = Vec::new();
    for second in 1..=22 {
        begun.push(begin(world, &user, second).await?.session);
    }
    let left = world.sessions.sessions_of(user.id, moment(30)).await?;
    let left: Vec<_> = left.into_iter().map(|session| session.digest).collect();
    let newest: Vec<_> = begun.into_iter().rev().take(SESSIONS_MAX).collect();
    assert_eq!(left, newest);
    Ok(())
}

/// The password stays the same, and so do the sessions.
pub async fn a_rehashed_password_takes_the_place_of_the_old_hash(world: &World) -> TestResult {
    let user = somebody(world).await?;
    let earlier = begin(world, &user, 1).await?;
    let rehashed = Some(hash("old, but dearer"));
    let attempt = SignIn { user: user.id, proved: hash("old"), rehashed, session: session(2) };
    assert!(world.sessions.begin(attempt).await?.is_some());
    assert_eq!(world.sessions.begin(sign_in(user.id, "old", 3)).await?, None);
    assert!(world.sessions.begin(sign_in(user.id, "old, but dearer", 3)).await?.is_some());
    assert!(world.sessions.find(earlier.session, moment(4)).await?.is_some());
    Ok(())
}
