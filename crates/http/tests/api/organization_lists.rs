//! `GET /api/organization`.

use std::time::Duration;

use domain::ports::Organizations;
use domain::scope::{Reach, Scope};
use domain::testing::deed;
use serde_json::{Value, json};

use crate::support::organization::created;
use crate::support::wire::Answer;
use crate::support::{App, store};

/// A tenant of its own for a list's test.
struct Listed {
    app: App,
    key: String,
}

impl Listed {
    /// Organizations with these names, a second apart.
    async fn named(names: &[&str]) -> Self {
        let app = App::start().await;
        for id in [store::ORGANIZATION, store::SISTER, store::CLOSING] {
            let at = time::OffsetDateTime::UNIX_EPOCH;
            assert!(app.store.inner.remove(Reach::Everything, id, deed(at)).await.unwrap());
        }
        for name in names {
            app.clock.advance(Duration::from_secs(1));
            created(&app, &json!({"name": name, "city": name.to_uppercase()})).await;
        }
        let key = app.tenant_key();
        Self { app, key }
    }

    async fn ask(&self, query: &str) -> Answer {
        self.app.get(&format!("/api/organization{query}")).key(&self.key).send().await
    }

    async fn names(&self, query: &str) -> Vec<String> {
        let answer = self.ask(query).await;
        assert_eq!(answer.status, 200, "{query} {answer:?}");
        let body = answer.json();
        let list = body["organizations"].as_array().unwrap();
        list.iter().map(|organization| organization["name"].as_str().unwrap().to_owned()).collect()
    }

    async fn pagination(&self, query: &str) -> Value {
        self.ask(query).await.json()["pagination"].clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_holds_short_records_and_says_where_the_page_stands() {
    let app = App::start().await;
    let record = created(&app, &json!({"externalId": "ext"})).await;
    let answer = app.get("/api/organization").key(&app.tenant_key()).send().await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.number("x-ratelimit-limit"), 600);
    let body = answer.json();
    assert_eq!(body.as_object().unwrap().len(), 2);
    let list = body["organizations"].as_array().unwrap();
    assert_eq!(list.len(), 4);
    assert_eq!(list[3], record);
    for organization in list {
        assert_eq!(organization.as_object().unwrap().len(), 13);
        assert!(organization.as_object().unwrap().values().all(Value::is_string));
        assert_eq!(organization["tenantId"], store::TENANT.to_string());
    }
    assert_eq!(
        body["pagination"],
        json!({
            "page": 1, "limit": 10, "total": 4, "totalPages": 1, "hasNextPage": false,
            "hasPreviousPage": false,
        })
    );
    let other = app.key_for(Scope::Tenant(store::OTHER_TENANT), &[]);
    let body = app.get("/api/organization").key(&other).send().await.json();
    assert_eq!(body["organizations"][0]["id"], store::FOREIGN.to_string());
    assert_eq!(body["pagination"]["total"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_1_based_of_10_unless_told_otherwise_and_empty_beyond_the_end() {
    let names: Vec<String> = (0..23).map(|number| format!("{number:02}")).collect();
    let list = Listed::named(&names.iter().map(String::as_str).collect::<Vec<_>>()).await;
    assert_eq!(list.names("").await, names[..10]);
    assert_eq!(list.names("?page=1").await, names[..10]);
    assert_eq!(list.names("?page=3").await, names[20..]);
    assert_eq!(list.names("?page=2&limit=5").await, names[5..10]);
    assert_eq!(list.names("?limit=100").await, names);
    assert_eq!(list.names("?page=23&limit=1").await, names[22..]);
    for (query, page, limit, pages, next, previous) in [
        ("", 1, 10, 3, true, false),
        ("?page=2", 2, 10, 3, true, true),
        ("?page=3", 3, 10, 3, false, true),
        ("?page=4", 4, 10, 3, false, true),
        ("?page=2147483647&limit=100", 2_147_483_647, 100, 1, false, true),
        ("?limit=1", 1, 1, 23, true, false),
    ] {
        assert_eq!(
            list.pagination(query).await,
            json!({
                "page": page, "limit": limit, "total": 23, "totalPages": pages, "hasNextPage": next,
                "hasPreviousPage": previous,
            }),
            "{query}"
        );
    }
    assert_eq!(list.names("?page=4").await, [""; 0]);
    let empty = list.pagination("?search=nobody&page=2").await;
    let expected = json!({
        "page": 2, "limit": 10, "total": 0, "totalPages": 0, "hasNextPage": false, "hasPreviousPage": false,
    });
    assert_eq!(empty, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_sorted_by_creation_unless_told_otherwise_and_a_minus_means_descending() {
    let list = Listed::named(&["b", "c", "a"]).await;
    for (query, expected) in [
        ("", ["b", "c", "a"]),
        ("?sort=createdAt", ["b", "c", "a"]),
        ("?sort=-createdAt", ["a", "c", "b"]),
        ("?sort=updatedAt", ["b", "c", "a"]),
        ("?sort=-updatedAt", ["a", "c", "b"]),
        ("?sort=name", ["a", "b", "c"]),
        ("?sort=-name", ["c", "b", "a"]),
        ("?sort=%2Dname", ["c", "b", "a"]),
        ("?sort=city", ["a", "b", "c"]),
        ("?sort=-city", ["c", "b", "a"]),
        // All alike: the order of their ids, which is that of their creation.
        ("?sort=email", ["b", "c", "a"]),
        ("?sort=-email", ["a", "c", "b"]),
        ("?sort=country", ["b", "c", "a"]),
    ] {
        assert_eq!(list.names(query).await, expected, "{query}");
    }
    for query in
        ["?sort=", "?sort=-", "?sort=--name", "?sort=id", "?sort=Name", "?sort=name,city", "?sort=+name"]
    {
        assert_eq!(list.ask(query).await.problems(), ["sort invalid_enum_value"], "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn search_finds_parts_of_names_in_any_case_and_takes_wildcards_literally() {
    let list = Listed::named(&["North Clinic", "SOUTH clinic", "100% Care", "a_b", "Zoë"]).await;
    for (query, expected) in [
        ("?search=clinic", &["North Clinic", "SOUTH clinic"][..]),
        ("?search=CLIN", &["North Clinic", "SOUTH clinic"]),
        ("?search=north%20cl", &["North Clinic"]),
        ("?search=north+cl", &["North Clinic"]),
        ("?search=%25", &["100% Care"]),
        ("?search=_", &["a_b"]),
        ("?search=ZO%C3%8B", &["Zoë"]),
        ("?search=zo%C3%AB&sort=name", &["Zoë"]),
        ("?search=north%20%20clinic", &[]),
        ("?search=%5C", &[]),
        ("?search=", &["North Clinic", "SOUTH clinic", "100% Care", "a_b", "Zoë"]),
        ("?search=care&page=2", &[]),
    ] {
        assert_eq!(list.names(query).await, expected, "{query}");
    }
    assert_eq!(list.pagination("?search=clinic&limit=1").await["total"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_parameters_are_refused_and_never_moved_into_range() {
    let list = Listed::named(&[]).await;
    for (query, expected) in [
        ("?page=0", "page too_small"),
        ("?page=-1", "page too_small"),
        ("?page=", "page invalid_type"),
        ("?page", "page invalid_type"),
        ("?page=1.0", "page invalid_type"),
        ("?page=1e3", "page invalid_type"),
        ("?page=%201", "page invalid_type"),
        ("?page=+1", "page invalid_type"),
        ("?page=%2B1", "page invalid_type"),
        ("?page=0x1", "page invalid_type"),
        ("?page=NaN", "page invalid_type"),
        ("?page=2147483648", "page too_big"),
        ("?page=99999999999999999999999", "page too_big"),
        ("?limit=0", "limit too_small"),
        ("?limit=101", "limit too_big"),
        ("?limit=all", "limit invalid_type"),
        ("?limit=5&limit=5", "limit custom"),
        ("?search=a&search=b", "search custom"),
        ("?search=%00", "search invalid_string"),
        ("?search=%FF", "search invalid_string"),
        ("?search=%ED%A0%80", "search invalid_string"),
    ] {
        assert_eq!(list.ask(query).await.problems(), [expected], "{query}");
    }
    let long = "u".repeat(256);
    assert_eq!(list.ask(&format!("?search={long}")).await.problems(), ["search too_big"]);
    assert_eq!(
        list.ask(&format!("?page=0&limit=101&sort=x&search={long}&other=%FF")).await.problems(),
        ["limit too_big", "page too_small", "search too_big", "sort invalid_enum_value"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_parameters_are_ignored() {
    let list = Listed::named(&["a"]).await;
    for query in ["?", "?&&", "?x=1&x=2", "?Page=0&LIMIT=0", "?x=%00%FF", "?page=0001&limit=010", "?%FF=1"] {
        assert_eq!(list.names(query).await, ["a"], "{query}");
    }
}
