//! The numbers that an organization calls from.

mod words;

use actix_web::HttpResponse;
use application::values;
use askama::Template;
use domain::ids::{NumberId, TrunkId};
use domain::page::PageRequest;
use domain::ports::{CarriedNumber, SetupError};
use domain::scope::Reach;
use domain::trunk::Number;
use domain::user::Right;

use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::moment::Moment;
use crate::pages::account::moments;
use crate::pages::confirm::Confirm;
use crate::pages::filled::Filled;
use crate::pages::paging::Paging;
use crate::request::Inside;
use crate::routes::{Page, Takes};
use words::Words;

pub(crate) const PAGES: &[Page] = &[
    Page::get("/o/{organization}/numbers", Takes::Within(Right::SeeSetup, |inside| Box::pin(show(inside)))),
    Page::get(
        "/o/{organization}/numbers/new",
        Takes::Within(Right::ManageSetup, |inside| Box::pin(new(inside))),
    ),
    Page::post(
        "/o/{organization}/numbers/new",
        Takes::Within(Right::ManageSetup, |inside| Box::pin(create(inside))),
    ),
    Page::get(
        "/o/{organization}/numbers/{number}/retire",
        Takes::Within(Right::ManageSetup, |inside| Box::pin(ask(inside))),
    ),
    Page::post(
        "/o/{organization}/numbers/{number}/retire",
        Takes::Within(Right::ManageSetup, |inside| Box::pin(retire(inside))),
    ),
];

/// Trunks that are offered to choose from.
const CHOICES_MAX: u32 = 200;

#[derive(Template)]
#[template(path = "numbers/list.html")]
struct List {
    layout: Layout,
    words: &'static Words,
    home: String,
    rows: Vec<Row>,
    manages: bool,
    page: u32,
    previous: String,
    next: String,
    told: String,
}

struct Row {
    id: String,
    number: String,
    trunk: String,
    carried: bool,
    created: Moment,
}

async fn show(inside: Inside) -> Result<HttpResponse, PageError> {
    let words = words::of(inside.language);
    let paging = Paging::of(&inside.query);
    let (reach, page) = (Reach::Within(inside.scope()), paging.request());
    let found = inside.service.numbers.numbers_of(reach, inside.organization.id, page).await?;
    let (moments, home) = (moments(&inside), inside.href("/numbers"));
    let (previous, next) = paging.neighbours(&home, found.len());
    let rows = found.into_iter().map(|own| Row {
        id: own.number.id.to_string(),
        number: own.number.number.as_str().to_owned(),
        trunk: own.trunk_name,
        carried: own.carried,
        created: moments.short(own.number.created_at),
    });
    let notice = match inside.query.text("done") {
        Some("created") => Some(words.added),
        Some("retired") => Some(words.retired),
        _ => None,
    };
    answer::page(&List {
        layout: Layout::of(&inside, Section::Numbers, words.title).noting(notice),
        words,
        rows: rows.collect(),
        manages: inside.may(Right::ManageSetup),
        page: paging.number,
        previous,
        next,
        told: format!("{} {}", words.page, paging.number),
        home,
    })
}

#[derive(Template)]
#[template(path = "numbers/new.html")]
struct New {
    layout: Layout,
    words: &'static Words,
    home: String,
    filled: Filled,
    trunks: Vec<(String, String)>,
    manages_trunks: bool,
}

async fn new(inside: Inside) -> Result<HttpResponse, PageError> {
    form(&inside, Filled::with(&inside, [])).await
}

async fn create(inside: Inside) -> Result<HttpResponse, PageError> {
    let words = words::of(inside.language);
    let mut filled = Filled::typed(&inside, &["number", "trunk"]);
    let number = filled.required("number", values::number);
    let trunk = filled.required("trunk", |text| TrunkId::parse(text).ok_or(words.no_trunk));
    let (Some(number), Some(trunk)) = (number, trunk) else { return form(&inside, filled).await };
    let own = &inside.organization;
    let id: NumberId = inside.new_id();
    let (tenant, organization) = (own.tenant, own.id);
    let made = Number { id, tenant, organization, trunk, number, created_at: inside.now() };
    let (reach, deed) = (Reach::Within(inside.scope()), inside.deed());
    match inside.write(async move |service| service.numbers.add_number(reach, made, deed).await).await? {
        Ok(_) => Ok(answer::see(&inside.href("/numbers?done=created"))),
        Err(SetupError::Unknown("trunk")) => {
            filled.note("trunk", words.no_trunk);
            form(&inside, filled).await
        }
        Err(other) => Err(other.into()),
    }
}

async fn form(inside: &Inside, filled: Filled) -> Result<HttpResponse, PageError> {
    let words = words::of(inside.language);
    let (reach, tenant) = (Reach::Within(inside.scope()), inside.organization.tenant);
    let page = PageRequest { number: 1, size: CHOICES_MAX };
    let trunks = inside.service.trunks.trunks_of(reach, tenant, page).await?;
    let shown = New {
        layout: Layout::of(inside, Section::Numbers, words.new),
        words,
        home: inside.href("/numbers"),
        trunks: trunks.into_iter().map(|trunk| (trunk.id.to_string(), trunk.name)).collect(),
        manages_trunks: inside.may(Right::ManageTenant),
        filled,
    };
    shown.filled.page(&shown)
}

/// The number of the path, of the organization of the path.
async fn named(inside: &Inside) -> Result<CarriedNumber, PageError> {
    let id = inside.visit.id("number", NumberId::parse)?;
    let found = inside.service.numbers.number(Reach::Within(inside.scope()), id).await?;
    found.filter(|own| own.number.organization == inside.organization.id).ok_or(PageError::NotFound)
}

async fn ask(inside: Inside) -> Result<HttpResponse, PageError> {
    let (words, own) = (words::of(inside.language), named(&inside).await?);
    let confirm = Confirm {
        layout: Layout::of(&inside, Section::Numbers, words.retire),
        title: words.retire,
        name: own.number.number.as_str().to_owned(),
        text: words.retire_text,
        button: words.retire_button,
        action: inside.href(&format!("/numbers/{}/retire", own.number.id)),
        back: inside.href("/numbers"),
    };
    confirm.page()
}

async fn retire(inside: Inside) -> Result<HttpResponse, PageError> {
    let id = named(&inside).await?.number.id;
    let (reach, deed) = (Reach::Within(inside.scope()), inside.deed());
    if !inside.write(async move |service| service.numbers.retire_number(reach, id, deed).await).await?? {
        return Err(PageError::NotFound);
    }
    Ok(answer::see(&inside.href("/numbers?done=retired")))
}
