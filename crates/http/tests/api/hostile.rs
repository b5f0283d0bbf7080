//! Bodies from people who do not mean well: never a 5xx, always the one shape.

use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::support::wire::read_answer;
use crate::support::{App, valid_create};

#[tokio::test(flavor = "multi_thread")]
async fn malformed_json_is_a_400_in_shape() {
    let app = App::start().await;
    let request = app.post("/api/outbound").key(&app.key());
    let deep = |depth: usize| format!(r#"{{"x":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
    let digits = format!(r#"{{"x":1{}}}"#, "0".repeat(400));
    let bodies: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"{".to_vec(),
        b"{}x".to_vec(),
        b"\xFF\xFE".to_vec(),
        b"\0".to_vec(),
        b"{\"customerName\":\"\xC3\x28\"}".to_vec(),
        br#"{"customerName":"\ud800"}"#.to_vec(),
        br#"{"customerName":"\udfff\ud800"}"#.to_vec(),
        br#"{"customerName":"a\u0000b"}"#.to_vec(),
        br#"{"dynamicVariables":{"\u0000":"x"}}"#.to_vec(),
        br#"{"unknown":1e400}"#.to_vec(),
        br#"{"unknown":-1E+999999999999}"#.to_vec(),
        digits.into_bytes(),
        deep(64).into_bytes(),
        deep(100_000).into_bytes(),
        "{\"a\":".repeat(40_000).into_bytes(),
        "[".repeat(200_000).into_bytes(),
    ];
    for body in bodies {
        let shown = String::from_utf8_lossy(&body[..body.len().min(40)]).into_owned();
        let answer = request.clone().bytes(body).send().await;
        assert_ne!(answer.error(400), "Invalid request data", "{shown}");
        assert!(answer.json().get("details").is_none());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_no_object_is_a_400_with_details() {
    let app = App::start().await;
    let request = app.post("/api/outbound").key(&app.key());
    for body in ["[]", "null", "true", "1", "\"text\"", "[{}]"] {
        assert_eq!(request.clone().bytes(body).send().await.problems(), [" invalid_type"], "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_equal_members_the_last_one_counts() {
    let app = App::start().await;
    let valid = valid_create().to_string();
    let body = |first: &str, last: &str| {
        valid.replace(
            r#""phoneNumber":"+14155550123""#,
            &format!(r#""phoneNumber":{first},"phoneNumber":{last}"#),
        )
    };
    let request = app.post("/api/outbound").key(&app.key());
    assert_eq!(request.clone().bytes(body("7", r#""+14155550123""#)).send().await.status, 201);
    assert_eq!(
        request.bytes(body(r#""+14155550123""#, "7")).send().await.problems(),
        ["phoneNumber invalid_type"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_and_depth_within_bounds_are_ignored_where_they_are_unknown() {
    let app = App::start().await;
    let deep: serde_json::Value =
        serde_json::from_str(&format!("{}{}", "[".repeat(63), "]".repeat(63))).unwrap();
    let answer = app.create(&json!({"x": 1e308, "y": u64::MAX, "z": deep})).send().await;
    assert_eq!(answer.status, 201);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_over_256_kib_is_a_413_in_shape_however_it_is_framed() {
    let app = App::start().await;
    let request = app.post("/api/outbound").key(&app.key());
    let padded = |length: usize| {
        let mut body = valid_create().to_string().into_bytes();
        body.resize(length, b' ');
        body
    };
    let full = request.clone().bytes(padded(256 * 1024)).send().await;
    assert_eq!(full.status, 201, "{full:?}");
    for length in [256 * 1024 + 1, 300 * 1024, 5 * 1024 * 1024] {
        let answer = request.clone().bytes(padded(length)).send().await;
        assert_eq!(answer.error(413), "Request body is too large", "{length}");
    }
    let mut chunked = Vec::new();
    for chunk in padded(300 * 1024).chunks(10_000) {
        chunked.extend(format!("{:x}\r\n", chunk.len()).bytes());
        chunked.extend(chunk.iter().chain(b"\r\n"));
    }
    chunked.extend(b"0\r\n\r\n");
    let answer = request.clone().header("Transfer-Encoding", "chunked").bytes(chunked).send().await;
    answer.error(413);
    // Announced, but never sent.
    let announced = request.bytes("{").with("Content-Length", "99999999999").send().await;
    announced.error(413);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_content_type_is_a_415_in_shape() {
    let app = App::start().await;
    let request = app.create(&json!({}));
    for kind in [
        "text/plain",
        "text/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonx",
        "application/json; charset=iso-8859-1",
        "application",
        "",
        ";",
        "*/*",
    ] {
        let answer = request.clone().with("Content-Type", kind).send().await;
        assert_eq!(
            answer.error(415),
            "Content-Type must be application/json, and Content-Encoding absent",
            "{kind}"
        );
    }
    request.clone().without("Content-Type").send().await.error(415);
    request.clone().header("Content-Encoding", "gzip").send().await.error(415);
    for kind in [
        "application/json",
        "Application/JSON",
        "application/json;charset=UTF-8",
        "application/json; charset=\"utf-8\"",
    ] {
        assert_eq!(request.clone().with("Content-Type", kind).send().await.status, 201, "{kind}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_does_not_arrive_in_15_seconds_is_a_408_in_shape() {
    let app = App::start().await;
    let request = app.create(&json!({})).header("Content-Length", "1000");
    let mut connection = TcpStream::connect(app.address).await.unwrap();
    let began = Instant::now();
    connection.write_all(&request.head()).await.unwrap();
    let (mut reader, mut writer) = connection.split();
    let dripping = async {
        loop {
            // A byte now and then buys no time.
            let _ = writer.write_all(b" ").await;
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    };
    let answer = tokio::select! {
        answer = read_answer(&mut reader, false) => answer,
        () = dripping => unreachable!(),
    };
    assert_eq!(answer.error(408), "Request body took too long to arrive");
    assert!(began.elapsed() >= Duration::from_secs(14), "{:?}", began.elapsed());
    assert!(app.store.inner.calls().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_lives_on_after_a_refused_request_with_a_body() {
    let app = App::start().await;
    let mut connection = TcpStream::connect(app.address).await.unwrap();
    let refused = app.post("/api/outbound").json(&valid_create()).send_on(&mut connection).await;
    refused.error(401);
    if refused.header("connection") != Some("close") {
        assert_eq!(app.create(&json!({})).send_on(&mut connection).await.status, 201);
    }
}
