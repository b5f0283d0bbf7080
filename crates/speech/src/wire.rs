//! The protocol between parent and child: frames of a 32-bit length and that many bytes, numbers
//! little-endian.

use domain::assistant::Language;

/// The longest frame that either side accepts.
pub(crate) const LONGEST_FRAME: usize = 12 << 20;

const WIDEBAND: u8 = 0x80;
const SPOKEN: u8 = 0;
const FAILED: u8 = 1;

/// Something to speak: 8 bytes of id, 1 of language (its highest bit asks for wideband), and the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) id: u64,
    pub(crate) language: Language,
    /// Whether 16,000 samples a second are wanted, else 8,000.
    pub(crate) wideband: bool,
    pub(crate) text: String,
}

/// What became of it: 8 bytes of id, 1 of outcome, and samples or a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) id: u64,
    pub(crate) outcome: Result<Vec<i16>, String>,
}

/// A frame that is not of this protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a frame of the speech protocol")]
pub(crate) struct Malformed;

impl Request {
    /// The whole frame.
    pub(crate) fn to_frame(&self) -> Vec<u8> {
        let language = Language::ALL.iter().position(|language| *language == self.language);
        let language = language.and_then(|place| u8::try_from(place).ok()).unwrap_or_default();
        frame(self.id, if self.wideband { language | WIDEBAND } else { language }, self.text.bytes())
    }

    /// Reads what follows the length.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, Malformed> {
        let (id, language, text) = parts(body)?;
        let wideband = language & WIDEBAND != 0;
        let language = Language::ALL.get(usize::from(language & !WIDEBAND)).copied().ok_or(Malformed)?;
        let text = str::from_utf8(text).map_err(|_| Malformed)?.to_owned();
        Ok(Self { id, language, wideband, text })
    }
}

impl Reply {
    /// The whole frame.
    pub(crate) fn to_frame(&self) -> Vec<u8> {
        match &self.outcome {
            Ok(samples) => frame(self.id, SPOKEN, samples.iter().flat_map(|sample| sample.to_le_bytes())),
            Err(message) => frame(self.id, FAILED, message.bytes()),
        }
    }

    /// Reads what follows the length.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, Malformed> {
        let (id, outcome, data) = parts(body)?;
        let outcome = match outcome {
            SPOKEN => {
                let (samples, rest) = data.as_chunks();
                if !rest.is_empty() {
                    return Err(Malformed);
                }
                Ok(samples.iter().copied().map(i16::from_le_bytes).collect())
            }
            FAILED => Err(String::from_utf8_lossy(data).into_owned()),
            _ => return Err(Malformed),
        };
        Ok(Self { id, outcome })
    }
}

/// The length that a frame announces, if it is accepted.
pub(crate) fn length(prefix: [u8; 4]) -> Result<usize, Malformed> {
    let length = usize::try_from(u32::from_le_bytes(prefix)).map_err(|_| Malformed)?;
    if length <= LONGEST_FRAME { Ok(length) } else { Err(Malformed) }
}

fn frame(id: u64, kind: u8, data: impl Iterator<Item = u8>) -> Vec<u8> {
    let mut body: Vec<u8> = id.to_le_bytes().into_iter().chain([kind]).chain(data).collect();
    // No text and no audio comes near 4 GiB; the other side would refuse it anyway.
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
    body.splice(..0, length.to_le_bytes());
    body
}

fn parts(body: &[u8]) -> Result<(u64, u8, &[u8]), Malformed> {
    let (id, rest) = body.split_first_chunk().ok_or(Malformed)?;
    let (kind, data) = rest.split_first().ok_or(Malformed)?;
    Ok((u64::from_le_bytes(*id), *kind, data))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_as_they_were_written() {
        for (language, wideband) in Language::ALL.into_iter().flat_map(|one| [(one, false), (one, true)]) {
            let request = Request { id: u64::MAX, language, wideband, text: "Grüße".into() };
            let frame = request.to_frame();
            let (prefix, body) = frame.split_first_chunk().unwrap();
            assert_eq!(length(*prefix), Ok(body.len()));
            assert_eq!(Request::parse(body), Ok(request));
        }
        for outcome in [Ok(vec![]), Ok(vec![i16::MIN, -1, 7]), Err("no".to_owned())] {
            let reply = Reply { id: 7, outcome };
            assert_eq!(Reply::parse(&reply.to_frame()[4..]), Ok(reply));
        }
    }

    #[test]
    fn other_frames_are_refused() {
        assert_eq!(length(u32::MAX.to_le_bytes()), Err(Malformed));
        let (mut short, mut odd) = (vec![0; 8], vec![0; 10]);
        assert_eq!(Reply::parse(&short), Err(Malformed));
        short.push(9);
        assert_eq!(Reply::parse(&short), Err(Malformed), "an outcome that does not exist");
        assert_eq!(Request::parse(&short), Err(Malformed), "a language that does not exist");
        assert_eq!(Reply::parse(&odd), Err(Malformed), "half a sample");
        odd[9] = 0xFF;
        assert_eq!(Request::parse(&odd), Err(Malformed), "no text");
    }
}
