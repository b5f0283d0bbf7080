//! `/o/{organization}/numbers/new`.

use actix_web::HttpResponse;
use application::values;
use askama::Template;
use domain::ids::{NumberId, TrunkId};
use domain::ports::{Added, SetupError};
use domain::scope::Reach;
use domain::trunk::Number;
use domain::user::Right;

use super::trunks;
use super::words::{self, Words};
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::pages::choices::Choices;
use crate::pages::filled::Filled;
use crate::request::Inside;

#[derive(Template)]
#[template(path = "numbers/new.html")]
struct New {
    layout: Layout,
    words: &'static Words,
    home: String,
    filled: Filled,
    trunks: Choices,
    manages_trunks: bool,
}

pub(super) async fn show(inside: Inside) -> Result<HttpResponse, PageError> {
    let id: NumberId = inside.new_id();
    form(&inside, Filled::with(&inside, [("id", id.to_string())])).await
}

pub(super) async fn take(inside: Inside) -> Result<HttpResponse, PageError> {
    let words = words::of(inside.language);
    let mut filled = Filled::typed(&inside, &["id", "number", "trunk"]);
    let id = filled.id(NumberId::parse)?;
    let number = filled.required("number", values::number);
    let trunk = filled.required("trunk", |text| TrunkId::parse(text).ok_or(words.no_trunk));
    let (Some(number), Some(trunk)) = (number, trunk) else { return form(&inside, filled).await };
    let own = &inside.organization;
    let (tenant, organization) = (own.tenant, own.id);
    let made = Number { id, tenant, organization, trunk, number, created_at: inside.now() };
    let (reach, deed) = (Reach::Within(inside.scope()), inside.deed());
    match inside.write(async move |service| service.numbers.add_number(reach, made, deed).await).await? {
        Ok(Added::Fresh) => Ok(answer::see(&inside.href("/numbers?done=created"))),
        Ok(Added::Repeated) => {
            let found = inside.service.numbers.number(reach, id).await?;
            found.filter(|own| own.number.organization == organization).ok_or(PageError::NotFound)?;
            Ok(answer::see(&inside.href("/numbers?done=created")))
        }
        Err(SetupError::Unknown("trunk")) => {
            filled.note("trunk", words.no_trunk);
            form(&inside, filled).await
        }
        Err(other) => Err(other.into()),
    }
}

async fn form(inside: &Inside, filled: Filled) -> Result<HttpResponse, PageError> {
    let words = words::of(inside.language);
    let home = inside.href("/numbers");
    let shown = New {
        layout: Layout::of(inside, Section::Numbers, words.new),
        words,
        trunks: trunks(inside, &format!("{home}/new"), filled.value("trunk")).await?,
        home,
        manages_trunks: inside.may(Right::ManageTenant),
        filled,
    };
    shown.filled.page(&shown)
}
