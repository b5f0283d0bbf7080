//! Seeded mutations of SIP messages.

/// A stream of numbers that a seed repeats (`SplitMix64`).
pub struct Chance(u64);

impl Chance {
    pub fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(bound).unwrap()).unwrap()
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// The call that is up while mutations arrive, as its peer names it.
#[derive(Clone, Debug)]
pub struct LiveCall {
    pub call_id: String,
    /// The value of From in its INVITE.
    pub caller: String,
    /// The value of To in the peer's answer.
    pub callee: String,
    /// The INVITE's Via.
    pub via: String,
    /// The number in its `CSeq`.
    pub cseq: u32,
}

const METHODS: [&str; 12] = [
    "INVITE", "ACK", "BYE", "CANCEL", "OPTIONS", "REFER", "NOTIFY", "PRACK", "UPDATE", "INFO", "MESSAGE",
    "REGISTER",
];

const STATUSES: [&str; 12] =
    ["100", "180", "183", "199", "200", "202", "401", "407", "422", "481", "487", "699"];

const NUMBERS: [&str; 12] = [
    "0",
    "-1",
    "1",
    "90",
    "65536",
    "2147483648",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "1e9",
    "99999999999999999999999999999999999999999999999999",
];

/// Headers that our side reads values from.
const HEADERS: [&str; 16] = [
    "Session-Expires: 18446744073709551615;refresher=uac",
    "Session-Expires: 0",
    "Min-SE: 4294967296",
    "RSeq: 4294967295",
    "RAck: 4294967295 4294967295 INVITE",
    "Require: 100rel, timer",
    "Retry-After: 18446744073709551615",
    "Expires: -1",
    "WWW-Authenticate: Digest realm=\"",
    "Proxy-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\", algorithm=SHA-512-256",
    "Record-Route: <sip:[::1]:99999;lr>, <sip:>",
    "Contact: <sip:\u{0}@127.0.0.1:0>",
    "Subscription-State: terminated;expires=18446744073709551616",
    "Content-Type: message/sipfrag",
    "Content-Encoding: gzip",
    "Refer-To: <sip:+14155550100@127.0.0.1?Replaces=1>",
];

const TOKENS: [&[u8]; 12] = [
    b"\r\n",
    b"\r\n\r\n",
    b"\n",
    b"\0",
    b";",
    b",",
    b"\"",
    b"<",
    b">",
    b"%",
    b"\xff\xfe",
    b";branch=z9hG4bK;received=",
];

/// No datagram is longer.
const LONGEST: usize = 60_000;

/// One of `samples`, changed in one to three places; a third of them name the live call.
pub fn mutated(chance: &mut Chance, samples: &[Vec<u8>], live: &LiveCall) -> Vec<u8> {
    let mut message = samples[chance.below(samples.len())].clone();
    if chance.below(3) == 0 {
        message = of_live_call(chance, &message, live);
    }
    for _ in 0..=chance.below(3) {
        change(chance, &mut message, samples);
        message.truncate(LONGEST);
    }
    message
}

/// The same message as if the live call's peer had sent it.
fn of_live_call(chance: &mut Chance, message: &[u8], live: &LiveCall) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = lines_of(message);
    lines.retain(|line| {
        let name = line.split(|byte| *byte == b':').next().unwrap().to_ascii_lowercase();
        let name = name.trim_ascii();
        !matches!(name, b"call-id" | b"i" | b"from" | b"f" | b"to" | b"t" | b"cseq" | b"via" | b"v")
    });
    let is_response = lines.first().is_some_and(|first| first.starts_with(b"SIP/"));
    let (from, to, via, cseq) = if is_response {
        lines[0] = format!("SIP/2.0 {} Mutated\r\n", chance.one_of(&STATUSES)).into_bytes();
        (&live.caller, &live.callee, live.via.clone(), format!("{} INVITE", live.cseq))
    } else {
        let method = chance.one_of(&METHODS);
        lines[0] = format!("{method} sip:callwright@127.0.0.1 SIP/2.0\r\n").into_bytes();
        let via = format!("SIP/2.0/UDP 127.0.0.1;branch=z9hG4bKm{}", chance.below(1 << 20));
        (&live.callee, &live.caller, via, format!("{} {method}", 1 + chance.below(1 << 20)))
    };
    let named = format!(
        "Via: {via}\r\nFrom: {from}\r\nTo: {to}\r\nCall-ID: {}\r\nCSeq: {cseq}\r\n{}\r\n",
        live.call_id,
        chance.one_of(&HEADERS)
    );
    lines.insert(1, named.into_bytes());
    lines.concat()
}

fn change(chance: &mut Chance, message: &mut Vec<u8>, samples: &[Vec<u8>]) {
    if message.is_empty() {
        return;
    }
    let at = chance.below(message.len());
    let end = (at + 1 + chance.below(64)).min(message.len());
    match chance.below(13) {
        0 => message[at] ^= 1 << chance.below(8),
        1 => message[at] = u8::try_from(chance.below(256)).unwrap(),
        2 => drop(message.drain(at..end)),
        3 => {
            let copy = message[at..end].to_vec();
            message.splice(at..at, copy);
        }
        4 => {
            let token = chance.one_of(&TOKENS);
            message.splice(at..at, token.iter().copied());
        }
        5 => message.truncate(at),
        // The end of another message.
        6 => {
            let other = &samples[chance.below(samples.len())];
            let from = chance.below(other.len());
            message.truncate(at);
            message.extend(&other[from..]);
        }
        7 => number(chance, message, at),
        8 => {
            let header = format!("{}\r\n", chance.one_of(&HEADERS));
            with_lines(message, |lines| lines.insert(1.min(lines.len()), header.into_bytes()));
        }
        9 => with_lines(message, |lines| {
            let (one, other) = (chance.below(lines.len()), chance.below(lines.len()));
            lines.swap(one, other);
        }),
        10 => with_lines(message, |lines| {
            lines.remove(chance.below(lines.len()));
        }),
        // One line, up to 500 times.
        11 => with_lines(message, |lines| {
            let one = chance.below(lines.len());
            let copies = vec![lines[one].clone(); chance.below(500)];
            lines.splice(one..one, copies);
        }),
        _ => {
            let method = chance.one_of(&METHODS);
            let end = message.iter().position(|byte| *byte == b' ').unwrap_or(at);
            message.splice(..end, method.bytes());
        }
    }
}

/// Puts an extreme number in the place of the first one from `at` on.
fn number(chance: &mut Chance, message: &mut Vec<u8>, at: usize) {
    let Some(start) = message[at..].iter().position(u8::is_ascii_digit).map(|offset| at + offset) else {
        return;
    };
    let digits = message[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let extreme = chance.one_of(&NUMBERS);
    message.splice(start..start + digits, extreme.bytes());
}

fn lines_of(message: &[u8]) -> Vec<Vec<u8>> {
    message.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

fn with_lines(message: &mut Vec<u8>, change: impl FnOnce(&mut Vec<Vec<u8>>)) {
    let mut lines = lines_of(message);
    change(&mut lines);
    *message = lines.concat();
}
