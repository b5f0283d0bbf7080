//! Session descriptions: what we offer, what we answer, and what both sides agreed on (RFC 3264,
//! RFC 8866, RFC 4733).

use std::net::{IpAddr, SocketAddr};

use domain::audio::AudioFormat;
pub use sdp_types::Direction;
use sdp_types::{Attribute, Connection, Media, MediaType, Origin, Session, Time, TransportProto};

use crate::crypto::{self, Keyed, Secured};

/// The payload type that we propose for telephone-event (RFC 4733 §2.5.1), a dynamic one.
pub const TELEPHONE_EVENT: u8 = 101;

/// A longer description, and one of more streams, is not read: a telephone's has less than a quarter of
/// either.
const LONGEST: usize = 16 * 1024;
const MOST_STREAMS: usize = 32;

/// There are so many payload types (RFC 3550 §5.1).
const PAYLOAD_TYPES: usize = 128;

/// Why a description cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSdp {
    /// It breaks RFC 8866.
    #[error("the session description is malformed")]
    Malformed,
    /// It is longer, or has more streams, than any telephone's.
    #[error("the session description is too long")]
    TooLong,
    /// It has no plain RTP audio stream with a literal address and a port.
    #[error("there is no usable audio stream")]
    NoAudio,
    /// It names none of our formats.
    #[error("there is no common audio format")]
    NoCommonFormat,
}

/// What both sides agreed on, seen from our side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreed {
    /// The audio format of both directions.
    pub format: AudioFormat,
    /// Its RTP payload type.
    pub payload_type: u8,
    /// The payload type of telephone-event, when the other side takes keys.
    pub telephone_event: Option<u8>,
    /// Where the other side wants RTP.
    pub remote: SocketAddr,
    /// Whether we send and receive.
    pub direction: Direction,
    /// What the other side protects its sound with, when both do.
    pub secured: Option<Secured>,
}

impl Agreed {
    /// What the sound is protected with, from the keys of both descriptions.
    pub fn protection(&self, local: &Local) -> Option<media::Protection> {
        let (secured, keyed) = (self.secured?, local.keyed?);
        Some(media::Protection { suite: secured.suite, ours: keyed.ours, theirs: secured.theirs })
    }
}

/// Our end of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// Where we want RTP.
    pub address: SocketAddr,
    /// The session's id in the origin line.
    pub id: u64,
    /// Its version: raised by one with each changed description.
    pub version: u64,
    /// Our key, where sound is to be protected.
    pub keyed: Option<Keyed>,
}

impl Local {
    /// An offer of these formats, best first, with telephone-event, 20 ms frames and `direction`.
    pub fn offer(&self, formats: &[AudioFormat], direction: Direction) -> Vec<u8> {
        let formats: Vec<_> = formats.iter().map(|format| (static_payload(*format), *format)).collect();
        self.write(vec![self.audio(&formats, Some(TELEPHONE_EVENT), direction, self.offered_crypto())])
    }

    /// The answer to an offer: its first stream that shares a format with `formats` is taken, every
    /// other one is refused (RFC 3264 §6).
    pub fn answer(&self, offer: &[u8], formats: &[AudioFormat]) -> Result<(Vec<u8>, Agreed), BadSdp> {
        let session = parse(offer)?;
        let (taken, agreed) = agree(&session, formats, self.keyed)?;
        let medias = session
            .medias
            .iter()
            .enumerate()
            .map(|(index, media)| {
                if index == taken {
                    let format = [(agreed.payload_type, agreed.format)];
                    self.audio(
                        &format,
                        agreed.telephone_event,
                        agreed.direction,
                        self.answered_crypto(agreed.secured),
                    )
                } else {
                    refused(media)
                }
            })
            .collect();
        Ok((self.write(medias), agreed))
    }

    /// Reads the answer to an offer of `formats`.
    pub fn accept_answer(&self, answer: &[u8], formats: &[AudioFormat]) -> Result<Agreed, BadSdp> {
        let session = parse(answer)?;
        let keyed = self.keyed.filter(|keyed| keyed.required);
        let (_, agreed) = agree(&session, formats, keyed)?;
        // Another suite was not offered, and may be weaker (RFC 4568 §5.1.3).
        let offered = agreed.secured.is_none_or(crypto::is_offered);
        if offered { Ok(agreed) } else { Err(BadSdp::NoAudio) }
    }

    fn offered_crypto(&self) -> Option<String> {
        let keyed = self.keyed.filter(|keyed| keyed.required)?;
        Some(crypto::write(&keyed.ours, None))
    }

    fn answered_crypto(&self, offered: Option<Secured>) -> Option<String> {
        Some(crypto::write(&self.keyed?.ours, Some(offered?)))
    }

    fn audio(
        &self,
        formats: &[(u8, AudioFormat)],
        event: Option<u8>,
        direction: Direction,
        crypto: Option<String>,
    ) -> Media {
        let numbers = formats.iter().map(|(number, _)| *number).chain(event);
        let fmt = numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(" ");
        let proto = if crypto.is_some() { TransportProto::RtpSavp } else { TransportProto::RtpAvp };
        let mut media = Media::new(MediaType::Audio, self.address.port(), proto, fmt);
        for (number, format) in formats {
            media.add_attribute_with_value("rtpmap", format!("{number} {}/8000", encoding(*format)));
        }
        if let Some(number) = event {
            media.add_attribute_with_value("rtpmap", format!("{number} telephone-event/8000"));
            media.add_attribute_with_value("fmtp", format!("{number} 0-15"));
        }
        if let Some(crypto) = crypto {
            media.add_attribute_with_value("crypto", crypto);
        }
        media.add_attribute_with_value("ptime", "20");
        media.add_attribute_from_str(direction.as_str());
        media
    }

    fn write(&self, medias: Vec<Media>) -> Vec<u8> {
        let ip = self.address.ip();
        let mut session = Session::new(Origin::with_ip_addr(self.id, self.version, ip), "-");
        session.origin.username = Some("callwright".to_owned());
        session.connection = Some(Connection::from_ip_addr(ip));
        session.times = vec![Time::new(0, 0)];
        session.medias = medias;
        let mut text = Vec::with_capacity(256);
        // Writing to memory does not fail.
        let _ = session.write(&mut text);
        text
    }
}

/// The payload type that RFC 3551 §6 gives the format.
pub const fn static_payload(format: AudioFormat) -> u8 {
    match format {
        AudioFormat::Pcmu => 0,
        AudioFormat::Pcma => 8,
        AudioFormat::G722 => 9,
    }
}

const fn encoding(format: AudioFormat) -> &'static str {
    match format {
        AudioFormat::Pcmu => "PCMU",
        AudioFormat::Pcma => "PCMA",
        // Its clock runs at 8,000, as a mistake of old keeps it (RFC 3551 §4.5.2).
        AudioFormat::G722 => "G722",
    }
}

fn parse(text: &[u8]) -> Result<Session, BadSdp> {
    if text.len() > LONGEST {
        return Err(BadSdp::TooLong);
    }
    let session = Session::parse(text).map_err(|_| BadSdp::Malformed)?;
    if session.medias.len() > MOST_STREAMS { Err(BadSdp::TooLong) } else { Ok(session) }
}

fn refused(media: &Media) -> Media {
    let mut refused = media.clone();
    refused.port = 0;
    refused.num_ports = None;
    refused.connections.clear();
    refused.bandwidths.clear();
    refused.key = None;
    refused.attributes.clear();
    refused
}

fn agree(
    session: &Session,
    formats: &[AudioFormat],
    keyed: Option<Keyed>,
) -> Result<(usize, Agreed), BadSdp> {
    let mut found = BadSdp::NoAudio;
    for (index, media) in session.medias.iter().enumerate() {
        let secured = match media.proto.as_str() {
            "RTP/AVP" if keyed.is_none_or(|keyed| !keyed.required) => None,
            "RTP/SAVP" if keyed.is_some() => match crypto::read(media) {
                Some(secured) => Some(secured),
                None => continue,
            },
            _ => continue,
        };
        if media.media != "audio" || media.port == 0 {
            continue;
        }
        let connection = media.connections.first().or(session.connection.as_ref());
        let Some(ip) = connection.and_then(|c| c.try_address().ok()).map(|address| address.ip) else {
            continue;
        };
        // The eighth bit is the marker's (RFC 3550 §5.1).
        let number = |text: &str| text.parse::<u8>().ok().filter(|number| *number < 128);
        let numbers: Vec<u8> = media.fmt.split_whitespace().take(PAYLOAD_TYPES).filter_map(number).collect();
        let chosen = numbers.iter().find_map(|number| {
            let format = format_of(media, *number)?;
            formats.contains(&format).then_some((*number, format))
        });
        let Some((payload_type, format)) = chosen else {
            found = BadSdp::NoCommonFormat;
            continue;
        };
        let event = |number: &u8| mapped(media, *number).is_some_and(|map| is_map(map, "telephone-event"));
        return Ok((
            index,
            Agreed {
                format,
                payload_type,
                telephone_event: numbers.iter().copied().find(|number| event(number)),
                remote: SocketAddr::new(ip, media.port),
                direction: our_direction(session, media, ip),
                secured,
            },
        ));
    }
    Err(found)
}

/// Our direction is the reverse of theirs (RFC 3264 §6.1); the address `0.0.0.0` is the old way to
/// say hold (RFC 3264 §8.4).
fn our_direction(session: &Session, media: &Media, ip: IpAddr) -> Direction {
    let theirs = direction_among(&media.attributes)
        .or_else(|| direction_among(&session.attributes))
        .unwrap_or(Direction::SendRecv);
    match theirs.reverse() {
        Direction::SendRecv if ip.is_unspecified() => Direction::RecvOnly,
        Direction::SendOnly if ip.is_unspecified() => Direction::Inactive,
        ours => ours,
    }
}

fn direction_among(attributes: &[Attribute]) -> Option<Direction> {
    let all = [Direction::SendRecv, Direction::SendOnly, Direction::RecvOnly, Direction::Inactive];
    attributes.iter().find_map(|attribute| {
        all.into_iter().find(|direction| attribute.attribute.eq_ignore_ascii_case(direction.as_str()))
    })
}

fn mapped(media: &Media, number: u8) -> Option<&str> {
    media.get_attribute_values("rtpmap").flatten().find_map(|value| {
        let (of, map) = value.split_once(' ')?;
        (of.parse() == Ok(number)).then_some(map.trim())
    })
}

fn is_map(map: &str, encoding: &str) -> bool {
    let mut parts = map.split('/');
    let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(encoding));
    let mono = |channels: Option<&str>| channels.is_none_or(|channels| channels == "1");
    named && parts.next() == Some("8000") && mono(parts.next())
}

fn format_of(media: &Media, number: u8) -> Option<AudioFormat> {
    let all = [AudioFormat::Pcmu, AudioFormat::Pcma, AudioFormat::G722];
    match mapped(media, number) {
        Some(map) => all.into_iter().find(|format| is_map(map, encoding(*format))),
        // The static types need no map (RFC 3551 §6).
        None => all.into_iter().find(|format| static_payload(*format) == number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [AudioFormat; 2] = [AudioFormat::Pcmu, AudioFormat::Pcma];

    fn local() -> Local {
        Local { address: "192.0.2.7:30000".parse().unwrap(), id: 42, version: 1, keyed: None }
    }

    fn description(connection: &str, media: &str) -> Vec<u8> {
        format!("v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\n{connection}t=0 0\r\n{media}").into_bytes()
    }

    #[test]
    fn an_offer_names_both_laws_and_telephone_event_in_20_ms_frames() {
        let offer = String::from_utf8(local().offer(&BOTH, Direction::SendRecv)).unwrap();
        assert_eq!(
            offer,
            "v=0\r\no=callwright 42 1 IN IP4 192.0.2.7\r\ns=-\r\nc=IN IP4 192.0.2.7\r\nt=0 0\r\n\
             m=audio 30000 RTP/AVP 0 8 101\r\na=rtpmap:0 PCMU/8000\r\na=rtpmap:8 PCMA/8000\r\n\
             a=rtpmap:101 telephone-event/8000\r\na=fmtp:101 0-15\r\na=ptime:20\r\na=sendrecv\r\n"
        );
    }

    #[test]
    fn wideband_is_offered_first_and_left_out_where_the_other_side_lacks_it() {
        let wide = [AudioFormat::G722, AudioFormat::Pcmu, AudioFormat::Pcma];
        let offer = local().offer(&wide, Direction::SendRecv);
        let text = String::from_utf8(offer.clone()).unwrap();
        assert!(text.contains("RTP/AVP 9 0 8 101\r\na=rtpmap:9 G722/8000\r\n"), "{text}");
        for (theirs, format, payload_type) in
            [(&wide[..], AudioFormat::G722, 9), (&BOTH[..], AudioFormat::Pcmu, 0)]
        {
            let (answer, _) = local().answer(&offer, theirs).unwrap();
            let agreed = local().accept_answer(&answer, &wide).unwrap();
            assert_eq!((agreed.format, agreed.payload_type), (format, payload_type));
        }
        assert_eq!(
            local().answer(&local().offer(&wide[..1], Direction::SendRecv), &BOTH),
            Err(BadSdp::NoCommonFormat)
        );
    }

    fn keyed(byte: u8, required: bool) -> Local {
        let ours = media::srtp::Master::new(&[byte; 30]);
        Local { keyed: Some(Keyed { ours, required }), ..local() }
    }

    #[test]
    fn keys_are_exchanged_and_what_is_required_is_not_given_up() {
        let (dialling, answering) = (keyed(1, true), keyed(2, false));
        let offer = dialling.offer(&BOTH, Direction::SendRecv);
        let text = String::from_utf8(offer.clone()).unwrap();
        assert!(
            text.contains("RTP/SAVP 0 8 101") && text.contains("a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:"),
            "{text}"
        );
        let (answer, theirs) = answering.answer(&offer, &BOTH).unwrap();
        let ours = dialling.accept_answer(&answer, &BOTH).unwrap();
        assert_eq!(theirs.secured.unwrap().theirs, dialling.keyed.unwrap().ours);
        assert_eq!(ours.secured.unwrap().theirs, answering.keyed.unwrap().ours);
        assert!(!format!("{answering:?} {ours:?}").contains("[2, 2"), "keys are not shown");
        // Who takes both takes plain sound too, who knows no keys takes only that.
        let plain = local().offer(&BOTH, Direction::SendRecv);
        assert_eq!(answering.answer(&plain, &BOTH).unwrap().1.secured, None);
        assert_eq!(local().answer(&offer, &BOTH), Err(BadSdp::NoAudio));
        assert_eq!(dialling.answer(&plain, &BOTH).unwrap_err(), BadSdp::NoAudio);
        let (plain, _) = local().answer(&plain, &BOTH).unwrap();
        assert_eq!(dialling.accept_answer(&plain, &BOTH), Err(BadSdp::NoAudio));
    }

    #[test]
    fn only_lines_that_we_can_follow_are_taken() {
        let key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd";
        for (line, taken) in [
            (format!("7 AES_CM_128_HMAC_SHA1_32 inline:{key}"), true),
            (format!("1 AES_CM_128_HMAC_SHA1_80 inline:{key}|2^31"), true),
            (format!("1 AES_CM_128_HMAC_SHA1_80 inline:{key}|2^20|1:4"), false),
            (format!("1 AES_CM_128_HMAC_SHA1_80 inline:{key} UNENCRYPTED_SRTP"), false),
            (format!("1 AES_256_CM_HMAC_SHA1_80 inline:{key}"), false),
            ("1 AES_CM_128_HMAC_SHA1_80 inline:AAAA".to_owned(), false),
            ("x".to_owned(), false),
        ] {
            let media = format!("m=audio 4000 RTP/SAVP 0\r\na=crypto:{line}\r\n");
            let offer = description("c=IN IP4 192.0.2.1\r\n", &media);
            assert_eq!(keyed(1, true).answer(&offer, &BOTH).is_ok(), taken, "{line}");
        }
    }

    #[test]
    fn an_answer_takes_what_was_offered_and_nothing_weaker() {
        let key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd";
        for (line, taken) in [
            ("1 AES_CM_128_HMAC_SHA1_80", true),
            ("1 AES_CM_128_HMAC_SHA1_32", false),
            ("2 AES_CM_128_HMAC_SHA1_80", false),
        ] {
            let media = format!("m=audio 4000 RTP/SAVP 0\r\na=crypto:{line} inline:{key}\r\n");
            let answer = description("c=IN IP4 192.0.2.1\r\n", &media);
            assert_eq!(keyed(1, true).accept_answer(&answer, &BOTH).is_ok(), taken, "{line}");
        }
    }

    #[test]
    fn a_payload_type_that_no_packet_can_carry_is_passed_over() {
        let media = "m=audio 4000 RTP/AVP 128 8 255 101\r\na=rtpmap:128 PCMU/8000\r\n\
                     a=rtpmap:255 telephone-event/8000\r\na=rtpmap:101 telephone-event/8000\r\n";
        let answer = description("c=IN IP4 192.0.2.1\r\n", media);
        let agreed = local().accept_answer(&answer, &BOTH).unwrap();
        assert_eq!((agreed.payload_type, agreed.telephone_event), (8, Some(101)));
    }

    #[test]
    fn an_offer_and_its_answer_agree_on_both_sides() {
        let offer = local().offer(&BOTH, Direction::SendRecv);
        let callee = Local { address: "[2001:db8::5]:4000".parse().unwrap(), id: 7, version: 1, keyed: None };
        let (answer, theirs) = callee.answer(&offer, &[AudioFormat::Pcma]).unwrap();
        assert_eq!(theirs.remote, local().address);
        let ours = local().accept_answer(&answer, &BOTH).unwrap();
        assert_eq!(
            ours,
            Agreed {
                format: AudioFormat::Pcma,
                payload_type: 8,
                telephone_event: Some(101),
                remote: callee.address,
                direction: Direction::SendRecv,
                secured: None,
            }
        );
    }

    #[test]
    fn hold_is_answered_in_reverse() {
        for (theirs, address, ours) in [
            ("sendonly", "192.0.2.1", Direction::RecvOnly),
            ("inactive", "192.0.2.1", Direction::Inactive),
            ("recvonly", "192.0.2.1", Direction::SendOnly),
            ("sendrecv", "192.0.2.1", Direction::SendRecv),
            ("sendrecv", "0.0.0.0", Direction::RecvOnly),
        ] {
            let connection = format!("c=IN IP4 {address}\r\n");
            let offer = description(&connection, &format!("m=audio 4000 RTP/AVP 0\r\na={theirs}\r\n"));
            let (answer, agreed) = local().answer(&offer, &BOTH).unwrap();
            assert_eq!(agreed.direction, ours, "{theirs} at {address}");
            let answer = String::from_utf8(answer).unwrap();
            assert!(answer.contains(&format!("a={}\r\n", ours.as_str())), "{answer}");
        }
    }

    #[test]
    fn other_streams_are_refused_and_dynamic_types_are_followed() {
        let offer = description(
            "",
            "m=video 5000 RTP/AVP 96\r\nc=IN IP4 192.0.2.1\r\na=rtpmap:96 VP8/90000\r\n\
             m=audio 4000 RTP/AVP 97 98\r\nc=IN IP4 192.0.2.9\r\n\
             a=rtpmap:97 PCMU/8000\r\na=rtpmap:98 telephone-event/8000\r\n",
        );
        let (answer, agreed) = local().answer(&offer, &BOTH).unwrap();
        assert_eq!((agreed.payload_type, agreed.telephone_event), (97, Some(98)));
        assert_eq!(agreed.remote, "192.0.2.9:4000".parse().unwrap());
        let answer = String::from_utf8(answer).unwrap();
        assert!(answer.contains("m=video 0 RTP/AVP 96\r\nm=audio 30000 RTP/AVP 97 98\r\n"), "{answer}");
    }

    #[test]
    fn what_cannot_be_used_says_why() {
        let c = "c=IN IP4 192.0.2.1\r\n";
        for (connection, media, why) in [
            (c, "m=audio 0 RTP/AVP 0\r\n", BadSdp::NoAudio),
            (c, "m=audio 4000 RTP/SAVP 0\r\n", BadSdp::NoAudio),
            (c, "m=video 4000 RTP/AVP 96\r\n", BadSdp::NoAudio),
            ("", "m=audio 4000 RTP/AVP 0\r\n", BadSdp::NoAudio),
            ("c=IN IP4 host.example\r\n", "m=audio 4000 RTP/AVP 0\r\n", BadSdp::NoAudio),
            (c, "m=audio 4000 RTP/AVP 18\r\n", BadSdp::NoCommonFormat),
            (c, "m=audio 4000 RTP/AVP 0\r\na=rtpmap:0 G726-32/8000\r\n", BadSdp::NoCommonFormat),
        ] {
            assert_eq!(local().accept_answer(&description(connection, media), &BOTH), Err(why), "{media}");
        }
        let lines = |count: usize| description(c, &"a=x:0123456\r\n".repeat(count));
        assert_eq!(local().accept_answer(&lines(2_000), &BOTH), Err(BadSdp::TooLong));
        let streams = description(c, &"m=audio 0 RTP/AVP 0\r\n".repeat(33));
        assert_eq!(local().answer(&streams, &BOTH), Err(BadSdp::TooLong));
        assert_eq!(local().accept_answer(b"hello", &BOTH), Err(BadSdp::Malformed));
        assert_eq!(local().accept_answer(b"", &BOTH), Err(BadSdp::Malformed));
    }
}
