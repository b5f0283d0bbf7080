//! `/o/{organization}/numbers/{number}`: which trunk carries its calls.

use actix_web::HttpResponse;
use askama::Template;
use domain::ids::TrunkId;
use domain::ports::{CarriedNumber, SetupError};
use domain::scope::Reach;
use domain::user::Right;

use super::words::{self, Words};
use super::{named, trunks};
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::moment::Moment;
use crate::pages::account::moments;
use crate::pages::choices::Choices;
use crate::pages::filled::Filled;
use crate::request::Inside;

#[derive(Template)]
#[template(path = "numbers/one.html")]
struct One {
    layout: Layout,
    words: &'static Words,
    home: String,
    /// The number's own page.
    here: String,
    number: String,
    trunk: String,
    carried: bool,
    created: Moment,
    trunks: Choices,
    filled: Filled,
    /// Where calls are placed from it, for those who may.
    place: String,
}

pub(super) async fn show(inside: Inside) -> Result<HttpResponse, PageError> {
    let own = named(&inside).await?;
    let filled = Filled::with(&inside, [("trunk", own.number.trunk.to_string())]);
    page(&inside, own, filled).await
}

/// Moves it to another trunk.
pub(super) async fn take(inside: Inside) -> Result<HttpResponse, PageError> {
    let (words, own) = (words::of(inside.language), named(&inside).await?);
    let mut filled = Filled::typed(&inside, &["trunk"]);
    let trunk = filled.required("trunk", |text| TrunkId::parse(text).ok_or(words.no_trunk));
    let Some(trunk) = trunk else { return page(&inside, own, filled).await };
    let (id, reach, deed) = (own.number.id, Reach::Within(inside.scope()), inside.deed());
    let moving = inside.write(async move |service| service.numbers.move_number(reach, id, trunk, deed).await);
    match moving.await? {
        Ok(_) => Ok(answer::see(&inside.href(&format!("/numbers/{id}?done=moved")))),
        Err(SetupError::Unknown("trunk")) => {
            filled.note("trunk", words.no_trunk);
            page(&inside, own, filled).await
        }
        Err(other) => Err(other.into()),
    }
}

async fn page(inside: &Inside, own: CarriedNumber, filled: Filled) -> Result<HttpResponse, PageError> {
    let words = words::of(inside.language);
    let (home, number) = (inside.href("/numbers"), own.number.number.as_str().to_owned());
    let here = format!("{home}/{}", own.number.id);
    let notice = (inside.query.text("done") == Some("moved")).then_some(words.moved);
    let places = own.carried && inside.may(Right::PlaceCalls);
    let shown = One {
        layout: Layout::of(inside, Section::Numbers, &number).noting(notice),
        words,
        number,
        trunk: own.trunk_name,
        carried: own.carried,
        created: moments(inside).short(own.number.created_at),
        trunks: trunks(inside, &here, filled.value("trunk")).await?,
        filled,
        place: if places {
            inside.href(&format!("/place-call?number={}", own.number.id))
        } else {
            String::new()
        },
        home,
        here,
    };
    shown.filled.page(&shown)
}
