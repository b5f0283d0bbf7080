//! What a schema may be, and what judging may cost.

/// The largest schema, in bytes of its JSON without spaces.
pub const SCHEMA_BYTES: usize = 64 << 10;

/// The deepest nesting of objects and arrays in a schema.
pub const SCHEMA_DEPTH: usize = 32;

/// The most subschemas that one value can be held against, references followed.
pub const EXPANSION: u64 = 4_096;

/// The longest way through references and combinations that stays at one value.
pub const CHAIN: usize = 64;

/// The most patterns in a schema.
pub const PATTERNS: usize = 200;

/// The largest compiled pattern, in bytes.
pub const PATTERN_BYTES: usize = 256 << 10;

/// All compiled patterns of a schema together, in bytes.
pub const PATTERNS_BYTES: usize = 2 << 20;

/// The deepest metadata that is judged (the interface takes 64).
pub const METADATA_DEPTH: usize = 128;

/// The most steps that one judgement may take. With its counting a step takes 40 ns at most, undisturbed on
/// a core of 2024: a fifth of a second in all, and less than one on a core that is four times slower.
pub const STEPS: u64 = 5_000_000;

/// Up to so many steps the reason names every problem; beyond, finding them would cost too much.
pub const STEPS_EXPLAINED: u64 = 200_000;

/// The longest reason, in characters.
pub const REASON: usize = 500;
