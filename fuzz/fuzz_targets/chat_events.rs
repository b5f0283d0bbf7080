//! The stream of a language model's answer: server-sent events, and the pieces of a chat completion.
#![no_main]

use libfuzzer_sys::fuzz_target;
use voice::fuzzing::{MOST_ARGUMENTS, MOST_USES, MOST_WORDS, read_pieces, sse_data};

fuzz_target!(|stream: &[u8]| {
    let whole = sse_data(stream, &[]);
    // Where the network cuts makes no difference.
    let bytewise = vec![1; stream.len()];
    assert_eq!(sse_data(stream, &bytewise), whole);
    let Some(data) = whole else { return };
    assert!(data.iter().map(String::len).sum::<usize>() <= 3 * stream.len(), "more than was sent");
    let Some(read) = read_pieces(&data) else { return };
    let longest = data.iter().map(String::len).max().unwrap_or_default();
    assert!(read.words.len() <= MOST_WORDS + longest, "{} bytes of words", read.words.len());
    assert!(read.tools.len() <= MOST_USES);
    assert!(read.tools.iter().all(|[_, _, arguments]| arguments.len() <= MOST_ARGUMENTS));
});
