//! Reads the test messages in the notation of RFC 4475 section 2.

/// A message of the RFC.
pub struct Sample {
    /// The RFC's name for it, such as `wsinv`.
    pub name: &'static str,
    /// What goes on the wire.
    pub bytes: Vec<u8>,
}

/// All messages, in the order of the RFC.
pub fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    let mut joining = false;
    for line in include_str!("rfc4475.txt").lines() {
        if let Some(title) = line.strip_prefix("@ ") {
            let name = title.split(' ').nth(1).unwrap();
            samples.push(Sample { name, bytes: Vec::new() });
            continue;
        }
        let Some(Sample { bytes, .. }) = samples.last_mut() else { continue };
        match line {
            "<allOneLine>" => joining = true,
            "</allOneLine>" => {
                joining = false;
                bytes.extend(b"\r\n");
            }
            _ => {
                bytes.extend(expanded(line));
                bytes.extend(if joining { &b""[..] } else { b"\r\n" });
            }
        }
    }
    samples
}

/// Expands `<hex>` and `<repeat count=N>`, which do not nest.
fn expanded(line: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = line;
    while let Some(tag) = rest.find("<hex>").into_iter().chain(rest.find("<repeat count=")).min() {
        bytes.extend(&rest.as_bytes()[..tag]);
        let (opening, after) = rest[tag..].split_once('>').unwrap();
        if let Some(count) = opening.strip_prefix("<repeat count=") {
            let (text, after) = after.split_once("</repeat>").unwrap();
            bytes.extend(text.repeat(count.parse().unwrap()).as_bytes());
            rest = after;
        } else {
            let (digits, after) = after.split_once("</hex>").unwrap();
            bytes.extend(
                (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()),
            );
            rest = after;
        }
    }
    bytes.extend(rest.as_bytes());
    bytes
}

/// The RFC's lengths tell whether a message was written down right.
#[test]
fn samples_have_the_lengths_that_the_rfc_gives() {
    let samples = samples();
    assert_eq!(samples.len(), 49);
    // Their Content-Length is wrong or absent on purpose.
    let wrong = ["clerr", "ncl", "dblreq", "mcl01", "multi01", "inv2543"];
    for Sample { name, bytes } in samples.iter().filter(|sample| !wrong.contains(&sample.name)) {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let length = head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            matches!(key.trim(), "content-length" | "l").then(|| value.trim().parse::<usize>().unwrap())
        });
        assert_eq!(length, Some(bytes.len() - end - 4), "{name}");
    }
    let named = |name: &str| &samples.iter().find(|sample| sample.name == name).unwrap().bytes;
    assert!(named("intmeth").windows(13).any(|window| window == b"BEL:\\\x07 NUL:\\\0"));
    assert!(
        named("longreq").windows(204).any(|window| window == [b"long".repeat(50), b"bran".to_vec()].concat())
    );
    assert!(named("trws").starts_with(b"OPTIONS sip:remote-target@example.com SIP/2.0  \r\n"));
}
