//! Server-sent events (WHATWG HTML §9.2), from bytes that are cut anywhere.

use super::Fault;

/// The longest line, and the most data of one event, in bytes.
const LONGEST: usize = 256 * 1024;

/// Reads a stream of events; of an event only its data is told.
#[derive(Debug, Default)]
pub(crate) struct Events {
    line: Vec<u8>,
    data: Option<String>,
    /// The last byte was a carriage return, whose line feed may follow.
    after_return: bool,
    begun: bool,
}

impl Events {
    /// Takes more bytes, and appends the data of each event that is complete to `events`.
    pub(crate) fn push(&mut self, bytes: &[u8], events: &mut Vec<String>) -> Result<(), Fault> {
        for byte in bytes {
            let after_return = std::mem::replace(&mut self.after_return, *byte == b'\r');
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => self.end_line(events)?,
                _ if self.line.len() == LONGEST => return Err(too_long()),
                byte => self.line.push(*byte),
            }
        }
        Ok(())
    }

    /// The stream ended in good order: what is left counts, though its empty line is missing.
    pub(crate) fn finish(mut self, events: &mut Vec<String>) -> Result<(), Fault> {
        if !self.line.is_empty() {
            self.end_line(events)?;
        }
        events.extend(self.data);
        Ok(())
    }

    fn end_line(&mut self, events: &mut Vec<String>) -> Result<(), Fault> {
        let mut line = self.line.as_slice();
        if !self.begun {
            line = line.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(line);
            self.begun = true;
        }
        if line.is_empty() {
            events.extend(self.data.take());
        } else if let Some(value) = value(line, b"data") {
            let value = String::from_utf8_lossy(value);
            match &mut self.data {
                None => self.data = Some(value.into_owned()),
                Some(data) if data.len() + value.len() < LONGEST => {
                    data.push('\n');
                    data.push_str(&value);
                }
                Some(_) => return Err(too_long()),
            }
        }
        self.line.clear();
        Ok(())
    }
}

/// The value of a field, if the line is of that name.
fn value<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let rest = line.strip_prefix(name)?;
    match rest.strip_prefix(b":") {
        Some(value) => Some(value.strip_prefix(b" ").unwrap_or(value)),
        None => rest.is_empty().then_some(rest),
    }
}

const fn too_long() -> Fault {
    Fault::Malformed("a line of the answer is too long")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(pieces: &[&[u8]]) -> Result<Vec<String>, Fault> {
        let (mut stream, mut events) = (Events::default(), Vec::new());
        for piece in pieces {
            stream.push(piece, &mut events)?;
        }
        stream.finish(&mut events)?;
        Ok(events)
    }

    #[test]
    fn data_is_told_and_nothing_else_whatever_ends_the_lines() {
        let stream = "\u{FEFF}data: a\n\n: note\r\nevent: x\r\nid: 1\r\ndata:b\r\ndata:  c\r\n\r\ndatum: no\r\rdata\r\rdata: end";
        assert_eq!(read(&[stream.as_bytes()]).unwrap(), ["a", "b\n c", "", "end"]);
        assert_eq!(read(&[b"\n\n\r\n"]).unwrap(), [""; 0]);
    }

    #[test]
    fn a_line_and_an_event_have_a_longest_length() {
        let line = vec![b'x'; LONGEST + 1];
        assert_eq!(read(&[b"data: ", &line]), Err(too_long()));
        let half = [b"data: ".as_slice(), &line[..LONGEST / 2], b"\n"].concat();
        assert!(read(&[&half]).is_ok());
        assert_eq!(read(&[&half, &half]), Err(too_long()));
    }

    proptest! {
        #[test]
        fn where_the_bytes_are_cut_makes_no_difference(
            lines in proptest::collection::vec("(data: ?|: |event: )?[a-zäé🎉 {}\"]{0,12}(\n|\r\n|\r|\n\n|\r\n\r\n)", 0..20),
            cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..20),
        ) {
            let whole = lines.concat().into_bytes();
            let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(whole.len() + 1)).collect();
            at.extend([0, whole.len()]);
            at.sort_unstable();
            let pieces: Vec<&[u8]> = at.windows(2).map(|pair| &whole[pair[0]..pair[1]]).collect();
            prop_assert_eq!(read(&pieces).unwrap(), read(&[&whole]).unwrap());
        }
    }
}
