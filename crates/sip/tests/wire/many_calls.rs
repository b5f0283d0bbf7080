//! Nothing is left over after many calls.

use domain::ports::{HangUp, LegEnd};

use crate::support::peer::Peer;
use crate::support::{Caller, trunk};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_calls_of_every_end_leave_no_dialog_behind() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let trunk = trunk(peer.address());
    // The peer decides by the order of arrival: answered, busy, ringing for ever.
    let serving = tokio::spawn(async move {
        let mut calls = 0;
        loop {
            let message = peer.next().await;
            match message.method() {
                "INVITE" => {
                    match calls % 4 {
                        0 | 1 => peer.answer(&message).await,
                        2 => peer.reply(&message, "486 Busy Here", &[], "").await,
                        _ => peer.reply(&message, "180 Ringing", &[], "").await,
                    }
                    calls += 1;
                }
                "BYE" => peer.reply(&message, "200 OK", &[], "").await,
                "CANCEL" => {
                    peer.reply(&message, "200 OK", &[], "").await;
                    let invite = peer
                        .received
                        .iter()
                        .find(|earlier| earlier.method() == "INVITE" && earlier.branch() == message.branch());
                    peer.reply(invite.unwrap(), "487 Request Terminated", &[], "").await;
                }
                _ => {}
            }
        }
    });
    let mut ends = [0; 3];
    for _ in 0..20 {
        let mut lines = Vec::new();
        for _ in 0..10 {
            lines.push(caller.dial(&trunk).await);
        }
        for mut line in lines {
            line.hang_up(HangUp::Normal);
            match line.ended().await {
                LegEnd::ByUs => ends[0] += 1,
                LegEnd::Failed(answer) => {
                    assert_eq!(answer.code, 486);
                    ends[1] += 1;
                }
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!(ends.iter().sum::<i32>(), 200);
    assert!(ends[0] >= 100, "{ends:?}");
    caller.forgets_all().await;
    serving.abort();
}
