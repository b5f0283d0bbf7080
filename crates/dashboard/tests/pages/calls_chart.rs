//! The chart of calls above the list.

use domain::testing::{LaidCall, LaysCalls};
use domain::user::Role;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

use crate::calls::company;
use crate::support::{Browser, Site};

/// An organization in Halifax with a web call at each of these moments, and the page of its calls.
async fn called(site: &Site, moments: impl IntoIterator<Item = OffsetDateTime>) -> (String, Browser) {
    let (ground, _, browser) = company(site, Role::Viewer).await;
    let call = |created_at| LaidCall { created_at, ..LaidCall::bare(ground.tenant, ground.organization, 0) };
    let calls: Vec<_> = moments.into_iter().map(call).collect();
    site.store.lay(&calls).await.unwrap();
    (format!("/o/{}/calls", ground.organization), browser)
}

/// The bars that stand in the chart: what each is called, and its calls.
fn bars(page: &str) -> Vec<(&str, &str)> {
    let chart = page.split_once("<figure class=\"chart\">").unwrap().1.split_once("</figure>").unwrap().0;
    let titles = chart.split("<rect ").skip(1).map(|bar| bar.split_once("<title>").unwrap().1);
    titles.map(|title| title.split_once("</title>").unwrap().0.split_once(": ").unwrap()).collect()
}

/// Rows of the same as a table.
fn rows(page: &str) -> usize {
    let table = page.split_once("id=\"chart-table\"").unwrap().1.split_once("</table>").unwrap().0;
    table.matches("<th scope=\"row\">").count()
}

#[tokio::test]
async fn without_a_period_the_last_thirty_days_have_a_bar_each() {
    let site = Site::start().await;
    // Each noon of 40 days up to today, and the last second of yesterday in Halifax.
    let noons = (0..40).map(|day| datetime!(2026-11-20 16:00 UTC) - Duration::days(day));
    let midnight = datetime!(2026-11-20 03:59:59 UTC);
    let (path, mut browser) = called(&site, noons.chain([midnight])).await;
    let page = browser.get(&path).await.body;
    assert!(page.contains("<title id=\"chart-title\">Calls per day</title>"), "{page}");
    assert!(page.contains("31 calls from 22 Oct to 20 Nov; at most 2 a day."), "{page}");
    let bars = bars(&page);
    assert_eq!((bars.len(), rows(&page)), (30, 30));
    assert_eq!((bars[0], bars[28], bars[29]), (("22 Oct", "1"), ("19 Nov", "2"), ("20 Nov", "1")));
    browser.keep("callwright-language", "fr-CA");
    let page = browser.get(&path).await.body;
    assert!(page.contains("<title id=\"chart-title\">Appels par jour</title>"), "{page}");
    assert!(page.contains("31 appels, du 22 oct. au 20 nov.; au plus 2 par jour."), "{page}");
}

#[tokio::test]
async fn today_has_a_bar_for_each_hour_up_to_now() {
    let site = Site::start().await;
    // From the first minute of the day in Halifax on; now it is five past twelve.
    let hours = (0..12).map(|hour| datetime!(2026-11-20 04:00 UTC) + Duration::hours(hour));
    let late = [datetime!(2026-11-20 16:01 UTC), datetime!(2026-11-20 16:04 UTC)];
    let yesterday = datetime!(2026-11-20 03:59:59 UTC);
    let (path, mut browser) = called(&site, hours.chain(late).chain([yesterday])).await;
    let page = browser.get(&format!("{path}?from=2026-11-20")).await.body;
    assert!(page.contains("<title id=\"chart-title\">Calls per hour</title>"), "{page}");
    assert!(page.contains("14 calls from 20 Nov, 00:00 to 20 Nov, 12:00; at most 2 an hour."), "{page}");
    let bars = bars(&page);
    assert_eq!((bars.len(), rows(&page)), (13, 13));
    assert_eq!((bars[0], bars[12]), (("20 Nov, 00:00", "1"), ("20 Nov, 12:00", "2")));
}

#[tokio::test]
async fn a_year_has_a_bar_for_each_month_and_a_period_without_calls_no_chart() {
    let site = Site::start().await;
    let days = (0..400).map(|day| datetime!(2026-11-20 16:00 UTC) - Duration::days(day));
    let (path, mut browser) = called(&site, days).await;
    let page = browser.get(&format!("{path}?from=2026-01-01")).await.body;
    assert!(page.contains("<title id=\"chart-title\">Calls per month</title>"), "{page}");
    let bars = bars(&page);
    assert_eq!(bars.len(), 11);
    assert_eq!((bars[0], bars[1], bars[10]), (("Jan 2026", "31"), ("Feb 2026", "28"), ("Nov 2026", "20")));
    let page = browser.get(&format!("{path}?from=2020-01-01&to=2020-02-01")).await.body;
    assert!(page.contains("No calls match") && !page.contains("class=\"chart\""), "{page}");
}
