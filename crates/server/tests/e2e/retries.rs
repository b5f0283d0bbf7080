//! Clients that send a request again.

use serde_json::json;

use crate::support::{Desk, Installation, LISTENER, Sipp, Step};

use Step::{Answer, AnswerWithSdp, Expect, Invite};

#[tokio::test]
async fn twelve_parallel_posts_with_one_key_are_one_invite_and_one_answer_even_after_a_crash() {
    let mut installation = Installation::serving(&[]).await;
    let steps = [Invite, Answer(180, "Ringing"), AnswerWithSdp(200, "OK"), Expect("ACK"), Expect("BYE")];
    let trunk = Sipp::start(installation.data(), &steps);
    let mut desk = Desk::provision(&installation, LISTENER, &["--address", &trunk.address()]);
    let request = desk.request();
    let again = async |desk: &Desk| {
        let answer = desk.try_place_once("order-4711", &request).await.unwrap();
        let replayed = answer.headers().get("idempotency-replayed").is_some_and(|value| value == "true");
        (replayed, answer.status().as_u16(), answer.bytes().await.unwrap())
    };

    let answers = futures_util::future::join_all((0..12).map(|_| again(&desk))).await;
    let (_, status, first) = answers[0].clone();
    let placed: serde_json::Value = serde_json::from_slice(&first).unwrap();
    assert_eq!((status, &placed["status"]), (201, &json!("calling")), "{placed}");
    assert!(answers.iter().all(|(_, status, body)| (*status, body) == (201, &first)), "{answers:?}");
    assert_eq!(answers.iter().filter(|(replayed, ..)| !replayed).count(), 1);
    // Whatever else was dialled would have come before the answer of the one.
    installation.saves_an_answer().await;
    assert_eq!(trunk.calls_taken(), 1);

    installation.kill();
    installation.start(&[]);
    installation.ready().await;
    desk.follow(&installation);
    let call = placed["outboundCallId"].as_str().unwrap();
    assert_eq!(desk.outcome(call).await["callDetails"]["endedReason"], "service-interrupted");
    assert_eq!(again(&desk).await, (true, 201, first));
    assert_eq!(trunk.calls_taken(), 1);
    for table in ["outbound_calls", "contacts", "idempotency_keys"] {
        assert_eq!(installation.count(table).await, 1, "{table}");
    }

    let mut other = request.clone();
    other["customerName"] = json!("Grace");
    let refused = desk.try_place_once("order-4711", &other).await.unwrap();
    assert_eq!(refused.status().as_u16(), 422);
    let said: serde_json::Value = refused.json().await.unwrap();
    assert_eq!(said, json!({"error": "Idempotency-Key was already used with a different request"}));
}
