//! Datagrams and streams on the SIP port: the scan at the edge, the parser, and what a call reads.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sip::edge::{Frame, Framer, scan};
use sip::fuzzing::read;

const LONGEST: usize = 65_536;

fuzz_target!(|bytes: &[u8]| {
    let frame = |bytes: &[u8]| Framer::default().next(bytes, LONGEST);
    let framed = frame(bytes);
    match framed {
        Frame::Message(length) => {
            assert!((1..=bytes.len()).contains(&length), "{length} of {}", bytes.len());
            // What is whole stays so, whatever follows.
            assert_eq!(frame(&bytes[..length]), framed);
        }
        Frame::Ping(length) | Frame::Filler(length) => assert!((1..=bytes.len()).contains(&length)),
        Frame::Partial | Frame::Unusable => {}
    }
    let scanned = scan(bytes);
    let Some(read) = read(bytes) else { return };
    if let Some(scanned) = scanned {
        // Who is let in by a name is heard under that name.
        let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        // So is a Call-ID of ours a word.
        if scanned.call_id.iter().all(u8::is_ascii_graphic) {
            assert_eq!(read.call_id, Some(text(scanned.call_id)));
        }
        // Tags of ours are tokens (RFC 3261 §25.1): what is none names no dialog.
        let token = |tag: &String| {
            tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.!%*_+`'~".contains(&byte))
        };
        for (scanned, read) in [(scanned.from_tag, read.from_tag), (scanned.to_tag, read.to_tag)] {
            if let Some(tag) = scanned.map(text).filter(token) {
                assert_eq!(read, Some(tag));
            }
        }
    }
    for request in &read.requests {
        // Nothing that a peer says begins a line of its own in what we send.
        let head = request.windows(4).position(|four| four == b"\r\n\r\n").expect("a whole request");
        let known = [
            "BYE ",
            "INVITE ",
            "Via: ",
            "Max-Forwards: ",
            "From: ",
            "To: ",
            "Call-ID: ",
            "CSeq: ",
            "Route: ",
            "User-Agent: ",
            "Authorization: ",
            "Proxy-Authorization: ",
            "Content-Length: ",
        ];
        for line in
            request[..head].split(|byte| matches!(byte, b'\r' | b'\n')).filter(|line| !line.is_empty())
        {
            assert!(
                known.iter().any(|name| line.starts_with(name.as_bytes())),
                "{}",
                String::from_utf8_lossy(line)
            );
        }
        assert_eq!(head + 4, request.len(), "a body that we did not write");
    }
});
