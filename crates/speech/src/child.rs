//! The child's side: speaks what it is asked for until its input closes.

use std::collections::HashMap;
use std::io::{self, Read, Write};

use domain::assistant::Language;

use crate::narrowband;
use crate::pico::{PicoError, Voice};
use crate::voices;
use crate::wire::{self, Reply, Request};
use crate::words;

/// Answers requests until the input ends, which it does when the parent is gone. Nothing else may
/// be written to `output`.
pub fn run(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    let mut voices = HashMap::new();
    while let Some(request) = next_request(&mut input)? {
        let outcome = speak(&mut voices, &request).map_err(|error| error.to_string());
        let written = output.write_all(&Reply { id: request.id, outcome }.to_frame());
        match written.and_then(|()| output.flush()) {
            // A parent that was killed reads no more, and its log is no place for us.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            written => written?,
        }
    }
    Ok(())
}

/// What a line sounds like, spoken in this very process, in 8,000 samples a second: for tests, which
/// have nothing to keep from Pico.
pub fn say(language: Language, text: &str) -> io::Result<Vec<i16>> {
    let mut voices = HashMap::new();
    let mut samples = Vec::new();
    for piece in words::pieces(&words::speakable(text)) {
        let request = Request { id: 0, language, wideband: false, text: piece.to_owned() };
        samples.extend(speak(&mut voices, &request).map_err(io::Error::other)?);
    }
    Ok(samples)
}

fn speak(voices: &mut HashMap<Language, Voice>, request: &Request) -> Result<Vec<i16>, PicoError> {
    let mut voice = match voices.remove(&request.language) {
        Some(voice) => voice,
        None => Voice::load(voices::of(request.language))?,
    };
    let samples = voice.speak(&request.text)?;
    // A voice that failed is not kept: the next request loads it anew.
    voices.insert(request.language, voice);
    Ok(if request.wideband { samples } else { narrowband::halve(&samples) })
}

fn next_request(input: &mut impl Read) -> io::Result<Option<Request>> {
    let mut prefix = [0; 4];
    match input.read_exact(&mut prefix) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let malformed = |_| io::Error::from(io::ErrorKind::InvalidData);
    let mut body = vec![0; wire::length(prefix).map_err(malformed)?];
    input.read_exact(&mut body)?;
    Request::parse(&body).map(Some).map_err(malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(request: &Request) -> Reply {
        let mut output = Vec::new();
        run(request.to_frame().as_slice(), &mut output).unwrap();
        Reply::parse(&output[4..]).unwrap()
    }

    #[test]
    fn every_request_is_answered_and_the_end_of_input_is_the_end() {
        let language = Language::French;
        let frames: Vec<u8> = (1..=2)
            .flat_map(|id| Request { id, language, wideband: false, text: "Bonjour.".into() }.to_frame())
            .collect();
        let mut output = Vec::new();
        run(frames.as_slice(), &mut output).unwrap();
        let length = wire::length(output[..4].try_into().unwrap()).unwrap();
        let (first, second) = output.split_at(4 + length);
        let (first, second) = (Reply::parse(&first[4..]).unwrap(), Reply::parse(&second[4..]).unwrap());
        assert_eq!((first.id, second.id), (1, 2));
        let (first, second) = (first.outcome.unwrap(), second.outcome.unwrap());
        let difference = first.iter().zip(&second).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
        assert_eq!(first.len(), second.len());
        assert!(difference < 200, "the same words differ by {difference}");
        assert!(run([1, 2].as_slice(), io::sink()).is_ok(), "half a length is an end too");
        assert!(run([9, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 99].as_slice(), io::sink()).is_err());
    }

    #[test]
    fn markup_that_would_play_a_file_is_only_words_once_it_is_stripped() {
        let folder = tempfile::tempdir().unwrap();
        let sound = folder.path().join("ten-seconds.wav");
        let data = vec![0_u8; 10 * 32_000];
        let size = u32::try_from(data.len()).unwrap();
        let mut wav = [b"RIFF".as_slice(), &(size + 36).to_le_bytes(), b"WAVEfmt "].concat();
        wav.extend([16, 0, 0, 0, 1, 0, 1, 0, 0x80, 0x3E, 0, 0, 0, 0x7D, 0, 0, 2, 0, 16, 0]);
        wav.extend([b"data".as_slice(), &size.to_le_bytes(), &data].concat());
        std::fs::write(&sound, wav).unwrap();

        let text = format!("One. <play file=\"{}\"/> Two.", sound.display());
        let seconds = |text: String| {
            let reply =
                ask(&Request { id: 1, language: Language::EnglishGreatBritain, wideband: false, text });
            reply.outcome.unwrap().len() / 8000
        };
        assert!(seconds(text.clone()) >= 10, "Pico itself plays the file");
        let spelled = text.replace(['<', '>'], "");
        assert_eq!(seconds(words::speakable(&text)), seconds(spelled));
    }
}
