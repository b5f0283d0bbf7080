//! Ranges, versions, and what is said of a file beside its bytes.

use domain::ports::ArtifactBody;

use super::{RECORDING, ask, with_a_recording};
use crate::support::App;
use crate::support::wire::Answer;

async fn with(app: &App, headers: &[(&str, &str)]) -> Answer {
    let mut request = ask(app, "GET").await;
    for (name, value) in headers {
        request = request.header(name, value);
    }
    request.send().await
}

fn text(answer: &Answer) -> (u16, &str) {
    (answer.status, str::from_utf8(&answer.body).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_may_be_kept_by_its_reader_alone_and_is_taken_for_what_it_is() {
    let app = with_a_recording().await;
    for (headers, status) in [(&[][..], 200), (&[("Range", "bytes=1-2")], 206)] {
        let answer = with(&app, headers).await;
        assert_eq!(answer.status, status);
        for (name, value) in [
            ("cache-control", "private"),
            ("content-type", "audio/wav"),
            ("content-disposition", "inline; filename=\"recording.wav\""),
            ("x-content-type-options", "nosniff"),
            ("accept-ranges", "bytes"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{name}");
        }
        assert!(answer.header("content-security-policy").unwrap().contains("sandbox"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn head_tells_what_get_would_send() {
    let app = with_a_recording().await;
    let (head, get) = (ask(&app, "HEAD").await.send().await, ask(&app, "GET").await.send().await);
    assert_eq!((head.status, head.body.len(), head.number("content-length")), (200, 0, 10));
    for name in ["content-type", "content-length", "etag", "last-modified", "accept-ranges"] {
        assert_eq!(head.header(name), get.header(name), "{name}");
    }
    // Ranges are for GET alone (RFC 9110 §14.2).
    let ranged = ask(&app, "HEAD").await.header("Range", "bytes=1-2").send().await;
    assert_eq!((ranged.status, ranged.number("content-length")), (200, 10));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_goes_on_after_head_and_ranges() {
    let app = with_a_recording().await;
    let mut connection = tokio::net::TcpStream::connect(app.address).await.unwrap();
    for _ in 0..3 {
        let head = ask(&app, "HEAD").await.send_on(&mut connection).await;
        assert_eq!((head.status, head.body.len()), (200, 0));
        let part = ask(&app, "GET").await.header("Range", "bytes=3-5");
        assert_eq!(text(&part.send_on(&mut connection).await), (206, "345"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ranges_that_make_no_sense_or_several_at_once_bring_the_whole() {
    let app = with_a_recording().await;
    for range in ["bytes=5-2", "bytes=x-", "bytes", "", "lines=1-2", "bytes=0-1,4-5", "bytes=-", "bytes=1--2"]
    {
        assert_eq!(text(&with(&app, &[("Range", range)]).await), (200, "0123456789"), "{range}");
    }
    for range in ["bytes=10-", "bytes=10-20", "bytes=99999999999-", "bytes=-0"] {
        let answer = with(&app, &[("Range", range)]).await;
        assert_eq!(answer.error(416), "The file has no such part", "{range}");
        assert_eq!(answer.header("content-range"), Some("bytes */10"));
    }
    app.artifacts().put(&RECORDING, ArtifactBody::Text(String::new())).await.unwrap();
    assert_eq!(text(&with(&app, &[]).await), (200, ""));
    with(&app, &[("Range", "bytes=0-")]).await.error(416);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_the_reader_has_is_not_sent_again() {
    let app = with_a_recording().await;
    let first = with(&app, &[]).await;
    let (tag, modified) = (first.header("etag").unwrap(), first.header("last-modified").unwrap());
    for known in [
        &[("If-None-Match", tag)][..],
        &[("If-None-Match", "*")],
        &[("If-Modified-Since", modified)],
        &[("If-None-Match", tag), ("Range", "bytes=1-2")],
    ] {
        let answer = with(&app, known).await;
        assert_eq!(
            (answer.status, answer.body.len(), answer.header("etag")),
            (304, 0, Some(tag)),
            "{known:?}"
        );
    }
    for other in [
        &[("If-None-Match", "\"other\"")][..],
        // Where a tag is named, the moment does not count.
        &[("If-None-Match", "\"other\""), ("If-Modified-Since", modified)],
        &[("If-Modified-Since", "Thu, 01 Jan 1970 00:00:00 GMT")],
        &[("If-Modified-Since", "yesterday")],
    ] {
        assert_eq!(text(&with(&app, other).await), (200, "0123456789"), "{other:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_of_two_files_are_never_put_together() {
    let app = with_a_recording().await;
    let first = with(&app, &[]).await;
    let (tag, modified) = (first.header("etag").unwrap(), first.header("last-modified").unwrap());
    let part = ("Range", "bytes=8-");
    for same in [tag, modified] {
        assert_eq!(text(&with(&app, &[part, ("If-Range", same)]).await), (206, "89"));
    }
    let weak = format!("W/{tag}");
    for other in ["\"other\"", &weak, "Thu, 01 Jan 1970 00:00:00 GMT", "nonsense", ""] {
        assert_eq!(text(&with(&app, &[part, ("If-Range", other)]).await), (200, "0123456789"), "{other}");
    }
    app.artifacts().put(&RECORDING, ArtifactBody::Text("abcdefghij".into())).await.unwrap();
    assert_eq!(text(&with(&app, &[part, ("If-Range", tag)]).await), (200, "abcdefghij"));
}
