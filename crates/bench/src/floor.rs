//! The floor under a call's processor time: what its packets cost the system in the barest of
//! programs.

use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::talker::{PACKET, header};

/// How long it is measured.
const MEASURED: Duration = Duration::from_secs(10);

/// One end of so many calls: each sends a packet to the other end and takes one from it every 20 ms.
/// What its thread takes of a core, per call.
pub(crate) fn measure(calls: u32) -> f64 {
    let sockets = || (0..calls).map(|_| UdpSocket::bind("127.0.0.1:0").unwrap()).collect::<Vec<_>>();
    let (here, there) = (sockets(), sockets());
    for (one, other) in here.iter().zip(&there) {
        one.connect(other.local_addr().unwrap()).unwrap();
        other.connect(one.local_addr().unwrap()).unwrap();
    }
    let over = Arc::new(AtomicBool::new(false));
    let peer = {
        let over = Arc::clone(&over);
        std::thread::spawn(move || exchange(&there, &over))
    };
    let measured = {
        let over = Arc::clone(&over);
        std::thread::spawn(move || {
            let (began, before) = (Instant::now(), own_time());
            exchange(&here, &over);
            own_time().saturating_sub(before).as_secs_f64() / began.elapsed().as_secs_f64()
        })
    };
    std::thread::sleep(MEASURED);
    over.store(true, Ordering::Relaxed);
    peer.join().unwrap();
    measured.join().unwrap() / f64::from(calls)
}

fn exchange(sockets: &[UdpSocket], over: &AtomicBool) {
    for socket in sockets {
        socket.set_nonblocking(true).unwrap();
    }
    let mut packet = header(0);
    let start = Instant::now();
    for step in 0_u32.. {
        if over.load(Ordering::Relaxed) {
            return;
        }
        let due = start + Duration::from_millis(1) * step;
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        for socket in sockets.iter().skip(step as usize % 20).step_by(20) {
            let _ = socket.recv(&mut [0; PACKET]);
            packet[3] = packet[3].wrapping_add(1);
            socket.send(&packet).unwrap();
        }
    }
}

/// What this thread has used of a core, to the nanosecond.
fn own_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(stat.split(' ').next().unwrap().parse().unwrap())
}
