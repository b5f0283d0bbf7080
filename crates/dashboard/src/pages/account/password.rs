//! Changing one's own password.

use actix_web::HttpResponse;
use application::people::change_password::{ChangePassword, ChangingPassword};

use super::{Problems, page, words};
use crate::answer;
use crate::error::PageError;
use crate::pages::entrance::{Trouble, origin, password, weak};
use crate::request::Visit;

pub(super) async fn take(visit: Visit) -> Result<HttpResponse, PageError> {
    let (old, new) = (password(&visit, "old"), password(&visit, "new"));
    let (user, keep, from, deed) = (visit.user.clone(), visit.session.digest(), origin(&visit), visit.deed());
    let changing = visit.write(async move |service| {
        let (accounts, tries, passwords) =
            (service.accounts.clone(), service.tries.clone(), service.passwords.clone());
        ChangePassword { accounts, tries, passwords }.change(&user, old, new, keep, from, deed).await
    });
    let wrong = Trouble::wrong("");
    match changing.await?? {
        ChangingPassword::Done => Ok(answer::see("/account?done=password")),
        ChangingPassword::Wrong => {
            let old = words::of(visit.language).wrong_password;
            page(&visit, &wrong, Problems { old, new: "" }).await
        }
        ChangingPassword::Weak(why) => {
            page(&visit, &wrong, Problems { old: "", new: weak(visit.language, why) }).await
        }
        ChangingPassword::Wait(wait) => page(&visit, &Trouble::wait(&visit, wait), Problems::default()).await,
        ChangingPassword::Busy => page(&visit, &Trouble::busy(&visit), Problems::default()).await,
    }
}
