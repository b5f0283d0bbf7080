//! What a request presents as its key.
#![no_main]

use application::keys::{digest_of_well_formed, may_hold_a_key, mint};
use domain::access::KeyLevel;
use domain::ports::Entropy;
use libfuzzer_sys::fuzz_target;

/// The input as randomness, over and over with a count, so that minting ends.
struct Input<'a>(&'a [u8], std::sync::atomic::AtomicU8);

impl Entropy for Input<'_> {
    fn fill(&self, bytes: &mut [u8]) {
        for byte in bytes {
            let count = self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let of_input = self.0.get(usize::from(count) % self.0.len().max(1)).copied().unwrap_or_default();
            *byte = of_input.wrapping_add(count);
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes)
        && digest_of_well_formed(text).is_some()
    {
        assert_eq!(text.len(), 43);
        assert!(may_hold_a_key(text), "a key that may be logged");
        assert!(digest_of_well_formed(&format!("{text} ")).is_none());
    }
    for level in [KeyLevel::Organization, KeyLevel::Tenant] {
        let key = mint(level, &Input(bytes, 0.into()));
        let text = key.text.reveal();
        assert_eq!(digest_of_well_formed(text), Some(key.digest));
        // One changed character is found by the checksum.
        let at = usize::from(bytes.first().copied().unwrap_or_default()) % text.len();
        let other = if text.as_bytes()[at] == b'0' { '1' } else { '0' };
        let mut changed = text.clone();
        changed.replace_range(at..=at, &other.to_string());
        assert!(digest_of_well_formed(&changed).is_none());
    }
});
