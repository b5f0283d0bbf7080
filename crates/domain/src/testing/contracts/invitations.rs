//! Invitations.

use super::accounts::add;
use crate::audit::Action;
use crate::ports::{Admission, NewPassword};
use crate::session::Link;
use crate::testing::fixtures::{TestResult, add_tenant, deed, hash, link, moment, session, sign_in, user};
use crate::testing::world::{World, together};
use crate::user::{Role, User};

/// Somebody who is invited by a link that works for a hundred seconds.
async fn invited(world: &World) -> TestResult<(User, Link)> {
    let user = user(add_tenant(world).await?, None, Role::Admin);
    let link = link(0, 100);
    world.accounts.add(user.clone(), Admission::Invitation(link), deed(moment(0))).await?;
    Ok((user, link))
}

/// Password, session and what is noted of them come together.
pub async fn an_invitation_is_accepted_once(world: &World) -> TestResult {
    let (user, link) = invited(world).await?;
    assert_eq!(world.invitations.invited(link.digest, moment(1)).await?, Some(user.clone()));
    assert_eq!(
        world.invitations.invited(link.digest, moment(1)).await?,
        Some(user.clone()),
        "looking is free"
    );
    let accepted = world.invitations.accept(link.digest, hash("mine"), session(2)).await?.ok_or("refused")?;
    let active = User { active: true, signed_in_at: Some(moment(2)), ..user.clone() };
    assert_eq!(accepted.user, active);
    assert_eq!(world.sessions.find(accepted.session, moment(3)).await?, Some(accepted.clone()));
    assert!(world.sessions.begin(sign_in(user.id, "mine", 3)).await?.is_some());
    assert_eq!(world.invitations.invited(link.digest, moment(3)).await?, None);
    assert_eq!(world.invitations.accept(link.digest, hash("theirs"), session(3)).await?, None);
    assert!(world.sessions.find(accepted.session, moment(3)).await?.is_some());
    let entries = world.audit.entries(user.scope(), None, None, 100).await?;
    let mut of_then: Vec<_> = entries
        .iter()
        .filter(|entry| entry.deed.at == moment(2))
        .map(|entry| entry.action.as_str())
        .collect();
    of_then.sort_unstable();
    assert_eq!(of_then, [Action::SignIn, Action::UserPassword].map(Action::as_str));
    Ok(())
}

/// The other one's password is nobody's.
pub async fn of_two_who_accept_one_invitation_one_wins(world: &World) -> TestResult {
    for _ in 0..4 {
        let (user, link) = invited(world).await?;
        let passwords = ["one", "two", "three", "four"];
        let rush = passwords.map(|text| world.invitations.accept(link.digest, hash(text), session(1)));
        let accepted = together(rush).await.into_iter().collect::<Result<Vec<_>, _>>()?;
        assert_eq!(accepted.iter().flatten().count(), 1);
        for (text, accepted) in passwords.into_iter().zip(accepted) {
            let begun = world.sessions.begin(sign_in(user.id, text, 2)).await?;
            assert_eq!(begun.is_some(), accepted.is_some());
        }
    }
    Ok(())
}

/// Somebody is invited anew who has a password, and accepts while it is changed elsewhere.
pub async fn an_invitation_is_accepted_while_the_password_is_changed(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    for _ in 0..30 {
        let user = add(world, tenant, None, Role::Member).await?;
        let link = link(0, 100);
        world.accounts.invite(user.scope(), user.id, link, deed(moment(0))).await?.ok_or("unknown")?;
        let rush = [true, false].map(|accepting| async move {
            if accepting {
                let accepted = world.invitations.accept(link.digest, hash("mine"), session(1)).await?;
                return Ok::<_, crate::ports::StoreUnavailable>(accepted.is_some());
            }
            let (proved, hash) = (hash("old"), hash("new"));
            let password = NewPassword { user: user.id, proved, hash, keep: None };
            world.accounts.set_password(password, deed(moment(1))).await
        });
        let done = together(rush).await.into_iter().collect::<Result<Vec<_>, _>>()?;
        assert_eq!(done.iter().filter(|done| **done).count(), 1, "{done:?}");
    }
    Ok(())
}

/// Whoever has the first finds it used up.
pub async fn a_second_invitation_takes_the_place_of_the_first(world: &World) -> TestResult {
    let (user, first) = invited(world).await?;
    let second = link(1, 100);
    assert_eq!(
        world.accounts.invite(user.scope(), user.id, second, deed(moment(1))).await?,
        Some(user.clone())
    );
    assert_eq!(world.invitations.invited(first.digest, moment(2)).await?, None);
    assert_eq!(world.invitations.accept(first.digest, hash("x"), session(2)).await?, None);
    assert!(world.invitations.accept(second.digest, hash("x"), session(2)).await?.is_some());
    Ok(())
}

/// To the second.
pub async fn an_invitation_works_until_it_expires(world: &World) -> TestResult {
    let (_, link) = invited(world).await?;
    assert!(world.invitations.invited(link.digest, moment(99)).await?.is_some());
    assert_eq!(world.invitations.invited(link.digest, moment(100)).await?, None);
    assert_eq!(world.invitations.accept(link.digest, hash("x"), session(100)).await?, None);
    assert!(world.invitations.accept(link.digest, hash("x"), session(99)).await?.is_some());
    Ok(())
}

/// Even if the link was made while they went.
pub async fn a_removed_user_accepts_nothing(world: &World) -> TestResult {
    let (user, link) = invited(world).await?;
    world.accounts.remove(user.scope(), user.id, deed(moment(1))).await?;
    assert_eq!(world.invitations.invited(link.digest, moment(1)).await?, None);
    assert_eq!(world.invitations.accept(link.digest, hash("x"), session(1)).await?, None);
    assert_eq!(world.accounts.invite(user.scope(), user.id, link, deed(moment(2))).await?, None);
    Ok(())
}

/// Then their sessions end: whoever forgot a password may have lost more than that.
pub async fn an_invited_user_with_a_password_keeps_it_until_they_accept(world: &World) -> TestResult {
    let user = add(world, add_tenant(world).await?, None, Role::Viewer).await?;
    let link = link(0, 100);
    world.accounts.invite(user.scope(), user.id, link, deed(moment(0))).await?;
    let earlier = world.sessions.begin(sign_in(user.id, "old", 1)).await?.ok_or("refused")?;
    let accepted = world.invitations.accept(link.digest, hash("new"), session(2)).await?.ok_or("refused")?;
    assert_eq!(world.sessions.find(earlier.session, moment(2)).await?, None);
    assert!(world.sessions.find(accepted.session, moment(2)).await?.is_some());
    assert_eq!(world.sessions.begin(sign_in(user.id, "old", 3)).await?, None);
    Ok(())
}
