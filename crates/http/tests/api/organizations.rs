//! Creating, reading, updating and deleting organizations.

use std::time::Duration;

use domain::access::Permission;
use domain::ports::{Clock, NewOrganization, Organizations};
use domain::scope::Scope;
use domain::secret::Secret;
use domain::testing::deed;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::organization::{created, path, stored, valid};
use crate::support::store::{ORGANIZATION, SISTER};
use crate::support::{App, store};

const COLLECTION: &str = "/api/organization";
const NOT_FOUND: &str = "Organization not found for the provided ID";
const MISSING: &str = "Missing required fields: name and email are required";

const TIMEZONES: [&str; 21] = [
    "America/New_York",
    "America/Chicago",
    "America/Denver",
    "America/Los_Angeles",
    "America/Anchorage",
    "Pacific/Honolulu",
    "America/Phoenix",
    "America/Toronto",
    "America/Vancouver",
    "America/Edmonton",
    "America/Winnipeg",
    "America/Halifax",
    "America/St_Johns",
    "Europe/London",
    "Europe/Paris",
    "Europe/Helsinki",
    "Asia/Dubai",
    "Asia/Shanghai",
    "Asia/Tokyo",
    "Australia/Sydney",
    "Pacific/Auckland",
];

/// Wrong values that are wrong in the same way wherever an organization is written.
fn wrong_values() -> Vec<(&'static str, Value, &'static str)> {
    let long = |length: usize| Value::String("x".repeat(length));
    let mut wrong = vec![
        ("name", json!(""), "name too_small"),
        ("name", json!(null), "name invalid_type"),
        ("email", json!(""), "email too_small"),
        ("email", json!(null), "email invalid_type"),
        ("email", json!("south"), "email invalid_string"),
        ("email", json!("@clinic.example"), "email invalid_string"),
        ("email", json!("south@clinic"), "email invalid_string"),
        ("email", json!("south@clinic..example"), "email invalid_string"),
        ("email", json!("so uth@clinic.example"), "email invalid_string"),
        ("email", json!("South <south@clinic.example>"), "email invalid_string"),
        ("email", json!(format!("{}@clinic.example", "x".repeat(240))), "email too_big"),
        ("timezone", json!("America/Montreal"), "timezone invalid_enum_value"),
        ("timezone", json!("america/toronto"), "timezone invalid_enum_value"),
        ("timezone", json!("America/Toronto "), "timezone invalid_enum_value"),
        ("timezone", json!(""), "timezone invalid_enum_value"),
        ("timezone", json!(-5), "timezone invalid_type"),
        ("timezone", json!(null), "timezone invalid_type"),
    ];
    for (field, type_, small, big) in [
        ("name", "name invalid_type", "name too_small", "name too_big"),
        ("address", "address invalid_type", "address too_small", "address too_big"),
        ("city", "city invalid_type", "city too_small", "city too_big"),
        ("stateProvince", "stateProvince invalid_type", "stateProvince too_small", "stateProvince too_big"),
        ("postalCode", "postalCode invalid_type", "postalCode too_small", "postalCode too_big"),
        ("country", "country invalid_type", "country too_small", "country too_big"),
        ("phoneNumber", "phoneNumber invalid_type", "phoneNumber too_small", "phoneNumber too_big"),
    ] {
        wrong.extend([(field, json!(7), type_), (field, json!(["x"]), type_), (field, json!(null), type_)]);
        wrong.extend([(field, json!(""), small), (field, long(256), big)]);
    }
    wrong
}

#[tokio::test(flavor = "multi_thread")]
async fn a_created_organization_is_answered_201_with_its_short_record() {
    let app = App::start().await;
    let (key, key_id) = app.issue(Scope::Tenant(store::TENANT), &[]);
    let answer = app.post(COLLECTION).key(&key).json(&valid(&json!({"ignored": [1]}))).send().await;
    assert_eq!(answer.status, 201, "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.number("x-ratelimit-limit"), 600);
    let record = answer.json();
    Uuid::parse_str(record["id"].as_str().unwrap()).unwrap();
    assert_eq!(
        record,
        json!({
            "id": record["id"],
            "name": "South Clinic",
            "email": "south@clinic.example",
            "address": "2 Main St",
            "city": "Toronto",
            "stateProvince": "ON",
            "postalCode": "M5H 2N2",
            "country": "CA",
            "phoneNumber": "416-555-0100",
            "tenantId": store::TENANT.to_string(),
            "timezone": "America/Toronto",
            "createdAt": "2026-03-01T09:30:00.000Z",
            "createdBy": key_id.to_string(),
        })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_external_id_is_stored_and_never_shown() {
    let app = App::start().await;
    let record = created(&app, &json!({"externalId": "ext-7"})).await;
    let id = record["id"].as_str().unwrap();
    assert_eq!(stored(&app, id).await.profile.external_id.as_deref(), Some("ext-7"));
    let read = app.get(&path(id)).key(&app.tenant_key()).send().await;
    for shown in [record.to_string(), read.json().to_string()] {
        assert!(!shown.contains("ext"), "{shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_wrong_field_of_a_creation_has_its_detail_with_a_code() {
    let app = App::start().await;
    let request = app.post(COLLECTION).key(&app.tenant_key());
    let more = [
        ("externalId", json!(7), "externalId invalid_type"),
        ("externalId", json!(null), "externalId invalid_type"),
        ("externalId", json!(""), "externalId too_small"),
        ("externalId", json!("x".repeat(256)), "externalId too_big"),
    ];
    for (field, value, expected) in wrong_values().into_iter().chain(more) {
        let answer = request.clone().json(&valid(&json!({ field: value }))).send().await;
        assert_eq!(answer.problems(), [expected], "{value}");
    }
    let zone = request.json(&valid(&json!({"timezone": "UTC"}))).send().await.json();
    let message = zone["details"][0]["message"].as_str().unwrap();
    assert!(TIMEZONES.iter().all(|allowed| message.contains(allowed)), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn all_nine_fields_of_a_creation_are_required_and_told_at_once() {
    let app = App::start().await;
    let request = app.post(COLLECTION).key(&app.tenant_key());
    let required = [
        "address",
        "city",
        "country",
        "email",
        "name",
        "phoneNumber",
        "postalCode",
        "stateProvince",
        "timezone",
    ];
    let answer = request.clone().json(&json!({})).send().await;
    assert_eq!(answer.problems(), required.map(|field| format!("{field} invalid_type")));
    let body = answer.json();
    assert!(body["details"].as_array().unwrap().iter().all(|detail| detail["message"] == "Required"));
    for field in required {
        let mut body = valid(&json!({}));
        body.as_object_mut().unwrap().remove(field);
        let answer = request.clone().json(&body).send().await;
        assert_eq!(answer.problems(), [format!("{field} invalid_type")]);
    }
    let wrong = json!({"name": 1, "email": "x", "timezone": "x", "externalId": []});
    assert_eq!(
        request.json(&valid(&wrong)).send().await.problems(),
        [
            "email invalid_string",
            "externalId invalid_type",
            "name invalid_type",
            "timezone invalid_enum_value"
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn every_allowed_timezone_and_every_value_at_its_limit_is_taken() {
    let app = App::start().await;
    for timezone in TIMEZONES {
        assert_eq!(created(&app, &json!({"timezone": timezone})).await["timezone"], timezone);
    }
    let long = "ü".repeat(255);
    let email = format!("{}@{1}.{1}.{2}.clinic.example", "x".repeat(64), "y".repeat(63), "z".repeat(46));
    for (field, value) in [
        ("name", long.as_str()),
        ("name", "🙂"),
        ("email", &email),
        ("email", "o'hara+desk@sub.clinic.example"),
        ("address", &long),
        ("city", &long),
        ("stateProvince", &long),
        ("postalCode", &long),
        ("country", &long),
        ("phoneNumber", &long),
    ] {
        assert_eq!(created(&app, &json!({ field: value })).await[field], value);
    }
    created(&app, &json!({"externalId": long})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn get_shows_the_full_record_beside_all_that_the_key_reaches() {
    let app = App::start().await;
    let (key, key_id) = app.issue(Scope::Tenant(store::TENANT), &[]);
    let body = valid(&json!({"externalId": "ext-7"}));
    let short = app.post(COLLECTION).key(&key).json(&body).send().await.json();
    let answer = app.get(&path(short["id"].as_str().unwrap())).key(&key).send().await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.number("x-ratelimit-limit"), 300);
    let read = answer.json();
    let full = json!({
        "id": short["id"],
        "tenantId": store::TENANT.to_string(),
        "name": "South Clinic",
        "email": "south@clinic.example",
        "image": null,
        "ownerId": key_id.to_string(),
        "address": "2 Main St",
        "city": "Toronto",
        "stateProvince": "ON",
        "postalCode": "M5H 2N2",
        "country": "CA",
        "phoneNumber": "416-555-0100",
        "timezone": "America/Toronto",
        "isActive": true,
        "createdBy": key_id.to_string(),
        "lastModifiedBy": null,
        "createdAt": "2026-03-01T09:30:00.000Z",
        "updatedAt": "2026-03-01T09:30:00.000Z",
        "deletedAt": null,
    });
    assert_eq!(read["currentOrg"], full);
    assert_eq!(read.as_object().unwrap().len(), 2);
    let reached = read["userOrgs"].as_array().unwrap();
    // The three that were there before, and this one; none of the other tenant.
    assert_eq!(reached.len(), 4);
    assert_eq!(reached[3], full);
    for organization in reached {
        assert_eq!(organization.as_object().unwrap().len(), 19);
        assert_eq!(organization["tenantId"], store::TENANT.to_string());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_image_is_shown_when_it_is_set() {
    let app = App::start().await;
    let mut organization = stored(&app, &ORGANIZATION.to_string()).await;
    organization.id = domain::ids::OrganizationId::from_uuid(Uuid::from_u128(0x2222));
    organization.profile.image = Some("https://clinic.example/logo.png".into());
    let (signing_secret, deed) = (Secret::new(vec![1]), deed(app.clock.now()));
    let new = NewOrganization { organization, signing_secret, once: None, deed };
    app.store.inner.create(new).await.unwrap();
    let read = app.get(&path(Uuid::from_u128(0x2222))).key(&app.tenant_key()).send().await.json();
    assert_eq!(read["currentOrg"]["image"], "https://clinic.example/logo.png");
    assert_eq!(read["currentOrg"]["ownerId"], "operator");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_writes_what_it_names_and_answers_the_short_record() {
    let app = App::start().await;
    let before = created(&app, &json!({})).await;
    let target = path(before["id"].as_str().unwrap());
    app.clock.advance(Duration::from_millis(1_500));
    let (key, key_id) = app.issue(Scope::Tenant(store::TENANT), &[]);
    let smallest = json!({"name": "New", "email": "new@clinic.example"});
    let answer = app.put(&target).key(&key).json(&smallest).send().await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.number("x-ratelimit-limit"), 300);
    let mut expected = before.clone();
    expected["name"] = "New".into();
    expected["email"] = "new@clinic.example".into();
    assert_eq!(answer.json(), expected);
    let read = app.get(&target).key(&key).send().await.json()["currentOrg"].clone();
    assert_eq!(read["lastModifiedBy"], key_id.to_string());
    assert_eq!(read["updatedAt"], "2026-03-01T09:30:01.500Z");
    assert_eq!(read["createdAt"], "2026-03-01T09:30:00.000Z");
    assert_eq!((&read["createdBy"], &read["ownerId"]), (&before["createdBy"], &before["createdBy"]));

    let everything = json!({
        "name": "Newer", "email": "newer@clinic.example", "address": "9 Rue", "city": "Paris",
        "stateProvince": "IDF", "postalCode": "75001", "country": "FR", "phoneNumber": "+33 1",
        "timezone": "Europe/Paris",
    });
    let mut sent = everything.clone();
    for (ignored, value) in [("id", "x"), ("tenantId", "x"), ("externalId", "x"), ("image", "x")] {
        sent[ignored] = value.into();
    }
    let updated = app.put(&target).key(&key).json(&sent).send().await.json();
    for (field, value) in everything.as_object().unwrap() {
        assert_eq!(updated[field], *value);
    }
    assert_eq!((&updated["id"], &updated["tenantId"]), (&before["id"], &before["tenantId"]));
    let kept = stored(&app, before["id"].as_str().unwrap()).await.profile;
    assert_eq!((kept.image, kept.external_id), (None, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_read_can_be_written_back_even_if_the_operator_left_it_empty() {
    let app = App::start().await;
    let made = created(&app, &json!({})).await;
    let request = app.put(&path(made["id"].as_str().unwrap())).key(&app.tenant_key());
    let mut sparse = made.clone();
    for field in ["address", "city", "stateProvince", "postalCode", "country", "phoneNumber"] {
        sparse[field] = "".into();
    }
    for _ in 0..2 {
        let answer = request.clone().json(&sparse).send().await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.json(), sparse);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_without_name_or_email_has_the_interfaces_own_words() {
    let app = App::start().await;
    let request = app.put(&path(ORGANIZATION)).key(&app.tenant_key());
    for body in [
        json!({}),
        json!({"name": "New"}),
        json!({"email": "new@clinic.example"}),
        json!({"city": "Paris", "timezone": "nowhere"}),
        json!({"name": 7}),
        json!({"Name": "New", "Email": "new@clinic.example"}),
    ] {
        let answer = request.clone().json(&body).send().await;
        assert_eq!(answer.error(400), MISSING, "{body}");
        assert_eq!(answer.json().as_object().unwrap().len(), 1);
    }
    assert_eq!(request.bytes("[]").send().await.problems(), [" invalid_type"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_wrong_field_of_an_update_has_its_detail_and_nothing_is_written() {
    let app = App::start().await;
    let request = app.put(&path(ORGANIZATION)).key(&app.tenant_key());
    let before = stored(&app, &ORGANIZATION.to_string()).await;
    // What is not required may be emptied, as the operator may leave it empty.
    let contact = |field: &str| !["name", "email", "timezone"].contains(&field);
    for (field, value, expected) in wrong_values() {
        if value == "" && contact(field) {
            continue;
        }
        let mut body = json!({"name": "New", "email": "new@clinic.example"});
        body[field] = value.clone();
        assert_eq!(request.clone().json(&body).send().await.problems(), [expected], "{value}");
    }
    let wrong = json!({"name": "", "email": "x", "city": 7, "timezone": "x"});
    assert_eq!(
        request.json(&wrong).send().await.problems(),
        ["city invalid_type", "email invalid_string", "name too_small", "timezone invalid_enum_value"]
    );
    assert_eq!(stored(&app, &ORGANIZATION.to_string()).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_organization_is_inactive_and_its_record_is_kept() {
    let app = App::start().await;
    let (key, key_id) = app.issue(Scope::Tenant(store::TENANT), &Permission::ALL);
    let call = app.placed().await;
    let request = app.delete(&path(ORGANIZATION)).key(&key);
    let answer = request.send().await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.number("x-ratelimit-limit"), 300);
    let body = answer.json();
    assert_eq!(body.as_object().unwrap().len(), 2);
    assert!(!body["message"].as_str().unwrap().is_empty());
    assert_eq!(body["organizationId"], ORGANIZATION.to_string());

    let read = app.get(&path(ORGANIZATION)).key(&key).send().await.json();
    assert_eq!(read["currentOrg"]["isActive"], false);
    assert_eq!(read["currentOrg"]["deletedAt"], "2026-03-01T09:30:00.000Z");
    assert_eq!(read["currentOrg"]["lastModifiedBy"], key_id.to_string());
    assert_eq!(read["currentOrg"]["name"], "North Clinic");
    let ids = |list: &Value| -> Vec<Value> {
        list.as_array().unwrap().iter().map(|organization| organization["id"].clone()).collect()
    };
    assert!(!ids(&read["userOrgs"]).contains(&json!(ORGANIZATION.to_string())));
    let list = app.get(COLLECTION).key(&key).send().await.json();
    assert!(!ids(&list["organizations"]).contains(&json!(ORGANIZATION.to_string())));

    assert_eq!(request.send().await.error(404), NOT_FOUND);
    let update = app.put(&path(ORGANIZATION)).key(&key).json(&valid(&json!({})));
    assert_eq!(update.send().await.error(404), NOT_FOUND);
    let metadata = app.put(&format!("{}/metadata", path(ORGANIZATION))).key(&key);
    assert_eq!(
        metadata.json(&json!({"metadata": {}})).send().await.error(404),
        "Organization metadata not found for the provided ID"
    );
    assert_eq!(app.create(&json!({})).send().await.error(422), "Organization is inactive");
    for key in [key, app.key()] {
        assert_eq!(app.get(&format!("/api/calls/{call}")).key(&key).send().await.status, 200);
        let list = app.get(&format!("/api/calls?organizationId={ORGANIZATION}")).key(&key).send().await;
        assert_eq!(list.json()["pagination"]["total"], 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_foreign_and_malformed_ids_get_the_same_404_to_the_byte() {
    let app = App::start().await;
    let key = app.tenant_key();
    let body = valid(&json!({}));
    let bare = ORGANIZATION.to_string().replace('-', "");
    for method in ["GET", "PUT", "DELETE"] {
        let mut bodies = Vec::new();
        for id in [
            store::FOREIGN.to_string().as_str(),
            Uuid::from_u128(0xDEAD).to_string().as_str(),
            &bare,
            "x",
            "%00",
            "%FF%FE",
            "..%2F..",
            "'%20OR%201=1--",
            &"9".repeat(2_000),
        ] {
            let answer = app.request(method, &path(id)).key(&key).json(&body).send().await;
            assert_eq!(answer.error(404), NOT_FOUND, "{method} {id}");
            bodies.push(answer.body);
        }
        bodies.dedup();
        assert_eq!(bodies.len(), 1);
    }
    // A wrong body is told before it is known whether the organization is there.
    for id in [SISTER.to_string(), store::FOREIGN.to_string(), "x".to_owned()] {
        assert_eq!(app.put(&path(id)).key(&key).json(&json!({})).send().await.error(400), MISSING);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn organization_endpoints_take_tenant_keys_only_and_look_at_them_first() {
    let app = App::start().await;
    let organization_key = app.key();
    for request in [
        app.post(COLLECTION).bytes("{"),
        app.get("/api/organization?page=0"),
        app.get(&path("x")),
        app.put(&path("x")).bytes("{"),
        app.delete(&path("x")),
        app.put(&format!("{}/metadata", path("x"))).bytes("{"),
    ] {
        assert_eq!(request.send().await.error(401), "Invalid or missing API key");
        let refused = request.clone().key(&organization_key).send().await;
        assert_eq!(refused.error(403), "Insufficient permissions");
        let taken = request.key(&app.tenant_key()).send().await;
        assert!([400, 404].contains(&taken.status), "{taken:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_tenant_has_its_own_organizations() {
    let app = App::start().await;
    let id = created(&app, &json!({})).await["id"].as_str().unwrap().to_owned();
    assert_eq!(app.get(&path(&id)).key(&app.tenant_key()).send().await.status, 200);
    let foreign = app.key_for(Scope::Tenant(store::OTHER_TENANT), &Permission::ALL);
    app.get(&path(&id)).key(&foreign).send().await.error(404);
    app.put(&path(&id)).key(&foreign).json(&valid(&json!({}))).send().await.error(404);
    app.delete(&path(&id)).key(&foreign).send().await.error(404);
    assert!(stored(&app, &id).await.is_active());
}

#[tokio::test(flavor = "multi_thread")]
async fn other_methods_are_refused_with_those_that_there_are() {
    let app = App::start().await;
    for (target, allowed) in [
        (COLLECTION.to_owned(), "POST, GET, HEAD"),
        (path(ORGANIZATION), "GET, HEAD, PUT, DELETE"),
        (format!("{}/metadata", path(ORGANIZATION)), "PUT"),
        ("/api/calls".to_owned(), "GET, HEAD"),
        ("/api/calls/x".to_owned(), "GET, HEAD"),
    ] {
        let answer = app.request("PATCH", &target).key(&app.tenant_key()).send().await;
        assert_eq!(answer.error(405), "Method not allowed");
        assert_eq!(answer.header("allow"), Some(allowed), "{target}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_is_away_gives_503_to_every_one_of_them() {
    let app = App::start().await;
    let (key, body) = (app.tenant_key(), valid(&json!({})));
    app.store.inner.set_away(true);
    for request in [
        app.post(COLLECTION).json(&body),
        app.get(COLLECTION),
        app.get(&path(ORGANIZATION)),
        app.put(&path(ORGANIZATION)).json(&body),
        app.delete(&path(ORGANIZATION)),
        app.put(&format!("{}/metadata", path(ORGANIZATION))).json(&json!({"metadata": {}})),
    ] {
        let answer = request.key(&key).send().await;
        assert_eq!(answer.error(503), "The service is temporarily unavailable");
        assert!(answer.number("retry-after") > 0);
    }
}
