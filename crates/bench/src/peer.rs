//! A bare SIP peer on one UDP socket: refuses every call at once, or takes it for a while.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::runtime::Builder;

use crate::board::{Board, Moment};
use crate::desk::call_number;
use crate::sip::Message;
use crate::talker::Talker;

/// Our tag in every dialog; the Call-ID tells them apart.
const TAG: &str = "bench";

/// How long an unanswered BYE waits before it is sent again (RFC 3261 §17.1.2, T1).
const AGAIN: Duration = Duration::from_millis(500);

/// What the peer does with calls.
#[derive(Clone)]
pub(crate) enum Behaviour {
    /// 486 at once.
    Busy,
    /// 180 and 200 at once, and BYE so long afterwards; notes when calls came and were hung up. What
    /// the caller says falls off the end of a buffer where nobody talks.
    Talk { length: Duration, board: Arc<Board>, talker: Option<Arc<Talker>> },
}

/// Starts a peer on a thread of its own, which ends with the process, and gives its address.
pub(crate) fn start(behaviour: Behaviour) -> SocketAddr {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    socket.set_nonblocking(true).unwrap();
    std::thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(serve(socket, behaviour));
    });
    address
}

async fn serve(socket: std::net::UdpSocket, behaviour: Behaviour) {
    let socket = Arc::new(UdpSocket::from_std(socket).unwrap());
    let address = socket.local_addr().unwrap();
    let rtp = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let nobody = rtp.local_addr().unwrap().port();
    let contact = format!("Contact: <sip:bench@{address}>\r\n");
    // Our BYEs that wait for their answer.
    let mut leaving: HashMap<String, Leaving> = HashMap::new();
    let mut buffer = vec![0; 65_536];
    loop {
        // An ICMP error of an earlier datagram is no news.
        let Ok((length, from)) = socket.recv_from(&mut buffer).await else { continue };
        let Ok(text) = std::str::from_utf8(&buffer[..length]) else { continue };
        let message = Message(text);
        let reply = async |text: String| drop(socket.send_to(text.as_bytes(), from).await);
        match (message.method(), &behaviour) {
            ("OPTIONS" | "BYE", _) => reply(message.response("200 OK", TAG, "", "")).await,
            ("INVITE", Behaviour::Busy) => reply(message.response("486 Busy Here", TAG, "", "")).await,
            ("INVITE", Behaviour::Talk { length, board, talker }) => {
                let Some(call) = call_number(message.dialled()) else { continue };
                board.note(call, Moment::Invited);
                board.meet(from);
                let call_id = message.header("Call-ID").to_owned();
                reply(message.response("180 Ringing", TAG, &contact, "")).await;
                let more = format!("{contact}Content-Type: application/sdp\r\n");
                let port = talker.as_ref().map_or(nobody, |talker| talker.answer(call, message.media()));
                reply(message.response("200 OK", TAG, &more, &sdp(port))).await;
                leaving.entry(call_id).or_insert_with(|| {
                    let bye = message.bye(address, TAG);
                    let task = leave(socket.clone(), bye, from, *length, board.clone(), call);
                    Leaving { bye: tokio::spawn(task).abort_handle(), call, talker: talker.clone() }
                });
            }
            ("SIP/2.0", _) => {
                if let Some(Leaving { bye, call, talker }) = leaving.get(message.header("Call-ID")) {
                    bye.abort();
                    if let Some(talker) = talker {
                        talker.hang_up(*call);
                    }
                }
            }
            _ => {}
        }
    }
}

/// A call that we hang up.
struct Leaving {
    bye: tokio::task::AbortHandle,
    call: u32,
    talker: Option<Arc<Talker>>,
}

fn sdp(port: u16) -> String {
    format!(
        "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio {port} RTP/AVP 0\r\n\
         a=rtpmap:0 PCMU/8000\r\na=sendrecv\r\n"
    )
}

/// Hangs up after a while, until it is answered.
async fn leave(
    socket: Arc<UdpSocket>,
    bye: String,
    to: SocketAddr,
    after: Duration,
    board: Arc<Board>,
    call: u32,
) {
    tokio::time::sleep(after).await;
    board.note(call, Moment::HungUp);
    loop {
        let _ = socket.send_to(bye.as_bytes(), to).await;
        tokio::time::sleep(AGAIN).await;
    }
}
