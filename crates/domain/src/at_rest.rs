//! The keys that secrets are sealed with where they are stored, and how one takes another's place.

use crate::secret::Secret;

/// As many keys are held at a time: one in force, one on its way, and what a change left behind.
pub const KEYS_MAX: usize = 8;

/// One key, with the number that every value sealed with it carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtRestKey {
    /// 1–255; a later key has the next number, and 1 comes after 255.
    pub number: u8,
    /// 256 random bits.
    pub bytes: Secret<[u8; 32]>,
}

/// The keys that a node holds: the first seals, all of them open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtRestKeys {
    sealing: AtRestKey,
    others: Vec<AtRestKey>,
}

impl AtRestKeys {
    /// A single key, the first of an installation.
    pub const fn first(bytes: Secret<[u8; 32]>) -> Self {
        Self { sealing: AtRestKey { number: 1, bytes }, others: Vec::new() }
    }

    /// Takes keys in order; none when there is no key, a number is 0 or given twice, or there are too many.
    pub fn new(keys: Vec<AtRestKey>) -> Option<Self> {
        let distinct = |keys: &[AtRestKey]| {
            let mut numbers: Vec<_> = keys.iter().map(|key| key.number).collect();
            numbers.sort_unstable();
            numbers.first() != Some(&0) && numbers.is_sorted_by(|a, b| a < b)
        };
        if keys.len() > KEYS_MAX || !distinct(&keys) {
            return None;
        }
        let mut keys = keys.into_iter();
        Some(Self { sealing: keys.next()?, others: keys.collect() })
    }

    /// The key that seals.
    pub const fn sealing(&self) -> &AtRestKey {
        &self.sealing
    }

    /// Every key, the sealing one first.
    pub fn all(&self) -> impl Iterator<Item = &AtRestKey> {
        std::iter::once(&self.sealing).chain(&self.others)
    }

    /// Whether there is just one.
    pub const fn is_single(&self) -> bool {
        self.others.is_empty()
    }

    /// The key with this number.
    pub fn numbered(&self, number: u8) -> Option<&AtRestKey> {
        self.all().find(|key| key.number == number)
    }

    /// The key that was made last.
    pub fn newest(&self) -> &AtRestKey {
        self.others.iter().fold(&self.sealing, |newest, key| {
            // Numbers go round (RFC 1982): the later one is less than half the circle ahead.
            let ahead = (u16::from(key.number) + 255 - u16::from(newest.number)) % 255;
            if (1..128).contains(&ahead) { key } else { newest }
        })
    }

    /// The same with a further key, which opens and does not seal yet; none when there are too many.
    pub fn with_next(&self, bytes: Secret<[u8; 32]>) -> Option<Self> {
        let number = match self.newest().number {
            255 => 1,
            newest => newest + 1,
        };
        let next = AtRestKey { number, bytes };
        Self::new(self.all().cloned().chain([next]).collect())
    }

    /// The same, with the newest key in force.
    #[must_use]
    pub fn newest_seals(&self) -> Self {
        let newest = self.newest().clone();
        let others = self.all().filter(|key| key.number != newest.number).cloned().collect();
        Self { sealing: newest, others }
    }

    /// The newest key alone.
    #[must_use]
    pub fn newest_alone(&self) -> Self {
        Self { sealing: self.newest().clone(), others: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u8) -> AtRestKey {
        AtRestKey { number, bytes: Secret::new([number; 32]) }
    }

    fn numbers(keys: &AtRestKeys) -> Vec<u8> {
        keys.all().map(|key| key.number).collect()
    }

    #[test]
    fn a_next_key_opens_then_seals_and_then_stands_alone() {
        let first = AtRestKeys::first(Secret::new([1; 32]));
        let two = first.with_next(Secret::new([2; 32])).unwrap();
        assert_eq!((numbers(&two), two.newest().number, two.sealing().number), (vec![1, 2], 2, 1));
        let turned = two.newest_seals();
        assert_eq!((numbers(&turned), turned.newest().number), (vec![2, 1], 2));
        assert_eq!(turned.newest_seals(), turned);
        assert_eq!(numbers(&turned.newest_alone()), [2]);
        assert!(first.is_single() && !two.is_single());
        assert_eq!(two.numbered(2), Some(&key(2)));
        assert_eq!(two.numbered(3), None);
    }

    #[test]
    fn numbers_go_round() {
        let last = AtRestKeys::new(vec![key(255)]).unwrap();
        let next = last.with_next(Secret::new([1; 32])).unwrap();
        assert_eq!((numbers(&next), next.newest().number), (vec![255, 1], 1));
        assert_eq!(next.newest_seals().newest().number, 1);
    }

    #[test]
    fn keys_that_cannot_be_told_apart_are_none() {
        for bad in [vec![], vec![0], vec![1, 1], (1..=9).collect()] {
            assert_eq!(AtRestKeys::new(bad.iter().copied().map(key).collect()), None, "{bad:?}");
        }
    }
}
