//! Calls through Kamailio with digest to baresip, which echoes.

use std::time::Duration;

use domain::call::EndedReason;
use domain::ports::{HangUp, LegEnd, Telephony};
use domain::secret::Secret;
use domain::trunk::{Credentials, Trunk};
use tokio::time::Instant;

use crate::support::line::Line;
use crate::support::servers::{Baresip, Kamailio};
use crate::support::{Caller, PATIENCE, trunk, with_credentials};

/// Dials until the telephone has registered; until then the proxy knows no such number.
async fn dial_registered(caller: &Caller, trunk: &Trunk) -> Line {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let mut line = caller.dial(trunk).await;
        let answer = tokio::time::timeout(PATIENCE, line.answer_or_end()).await.unwrap();
        match answer {
            None => return line,
            Some(LegEnd::Failed(answer)) if answer.code == 404 && Instant::now() < deadline => {
                assert_eq!(answer.reason(false), EndedReason::InvalidNumber);
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            Some(end) => panic!("{end:?}"),
        }
    }
}

#[tokio::test]
async fn a_call_through_kamailio_reaches_baresip_and_its_echo_is_heard() {
    for algorithm in ["MD5", "SHA-256"] {
        let proxy = Kamailio::start(algorithm).await;
        let _telephone = Baresip::start(proxy.address, "+14155550199");
        let caller = Caller::start().await;
        let trunk = with_credentials(trunk(proxy.address));
        let mut line = dial_registered(&caller, &trunk).await;
        // One second of what we played comes back byte by byte.
        line.hears_byte(0x55, 50 * 160).await;
        line.hang_up(HangUp::Normal);
        assert_eq!(line.ended().await, LegEnd::ByUs, "{algorithm}");
        caller.forgets_all().await;
    }
}

#[tokio::test]
async fn kamailio_refuses_a_wrong_password_and_takes_our_registration() {
    for algorithm in ["MD5", "SHA-256"] {
        let proxy = Kamailio::start(algorithm).await;
        let caller = Caller::start().await;
        let trunk = Trunk { register: true, ..with_credentials(trunk(proxy.address)) };
        caller.telephony.watch(vec![trunk.clone()]).await;
        let registered = async {
            while caller.telephony.trunk_state(trunk.id).registered != Some(true) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(2 * PATIENCE, registered).await.expect(algorithm);
        let state = caller.telephony.trunk_state(trunk.id);
        assert_eq!((state.up, state.last_ping.as_deref()), (true, Some("200 OK")));

        let wrong = Credentials { username: "alice".to_owned(), password: Secret::new("wrong".to_owned()) };
        let trunk = Trunk { credentials: Some(wrong), ..trunk };
        let mut line = caller.dial(&trunk).await;
        assert!(matches!(line.ended().await, LegEnd::Failed(answer) if answer.code == 407));
        caller.telephony.shutdown().await;
    }
}
