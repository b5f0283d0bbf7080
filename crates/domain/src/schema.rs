//! Why a document is no schema, and why data does not match one (JSON Schema 2020-12).

/// Why a document may not become a schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{flaw}", at(.place.as_deref()))]
pub struct UnsafeSchema {
    /// Where, as a JSON pointer of bounded length; empty for the top, none for the document itself.
    pub place: Option<String>,
    /// What.
    pub flaw: Flaw,
}

fn at(place: Option<&str>) -> String {
    match place {
        None => String::new(),
        Some("") => "at the top: ".to_owned(),
        Some(place) => format!("at {place}: "),
    }
}

/// What is wrong with a document that was to be a schema. Texts are quoted in bounded length.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// It is another value.
    #[error("a schema is a JSON object")]
    NoObject,
    /// So many bytes, and so many allowed.
    #[error("the schema has {0} bytes, and at most {1} are allowed")]
    TooLarge(usize, usize),
    /// Deeper than this.
    #[error("the schema is nested more than {0} levels deep")]
    TooDeep(usize),
    /// In a member's name.
    #[error("a name with a NUL character cannot be stored")]
    NulInName,
    /// In a text.
    #[error("a NUL character cannot be stored")]
    Nul,
    /// Beyond an IEEE 754 double.
    #[error("the number is too large")]
    NumberTooLarge,
    /// The only one that is understood.
    #[error("the dialect must be {0}")]
    Dialect(&'static str),
    /// `$vocabulary`.
    #[error("vocabularies cannot be chosen: leave $vocabulary out")]
    Vocabulary,
    /// `$recursiveRef`.
    #[error("$recursiveRef is of an earlier dialect: use $dynamicRef or $ref")]
    RecursiveRef,
    /// `$recursiveAnchor`.
    #[error("$recursiveAnchor is of an earlier dialect: use $dynamicAnchor")]
    RecursiveAnchor,
    /// `dependencies`.
    #[error("dependencies is of an earlier dialect: use dependentSchemas or dependentRequired")]
    Dependencies,
    /// `additionalItems`.
    #[error("additionalItems is of an earlier dialect: use prefixItems and items")]
    AdditionalItems,
    /// A keyword in the wrong place.
    #[error("{0} may stand at the top only")]
    AtTheTopOnly(&'static str),
    /// Two subschemas with one name.
    #[error("another subschema has the same anchor")]
    SameAnchor,
    /// This reference is no way inside the document.
    #[error("the reference \"{0}\" leads out of the schema: only #… is allowed")]
    LeadsOut(String),
    /// This reference is no text.
    #[error("the reference \"{0}\" is not UTF-8")]
    NotUtf8(String),
    /// This reference has no end.
    #[error("the reference \"{0}\" leads to no subschema")]
    LeadsNowhere(String),
    /// References that take nothing from the data.
    #[error("the references go round in a circle without going into the data")]
    Circle,
    /// A longer way than this.
    #[error("more than {0} references and combinations follow one another")]
    LongChain(usize),
    /// More work for one value than this.
    #[error("with its references followed, one value would be held against more than {0} subschemas")]
    Avalanche(u64),
    /// More than this.
    #[error("the schema has more than {0} patterns")]
    ManyPatterns(usize),
    /// More than this, all together.
    #[error("the schema's patterns take more than {0} bytes when compiled")]
    LargePatterns(usize),
    /// A pattern that no linear engine takes.
    #[error("patterns cannot look around, since that takes unbounded time")]
    LooksAround,
    /// The same.
    #[error("patterns cannot refer back, since that takes unbounded time")]
    RefersBack,
    /// No pattern, or a larger one than this.
    #[error("the pattern is not a regular expression, or takes more than {0} bytes when compiled")]
    BadPattern(usize),
    /// Not what the dialect says a schema is.
    #[error("{words}")]
    Unfit {
        /// What it breaks.
        broken: Broken,
        /// The same in the words of the library.
        words: String,
    },
    /// It could not be judged.
    #[error("{0}")]
    Unjudged(String),
}

/// Why data does not match a schema. Its `Display` is in words of bounded length.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{words}")]
pub struct Mismatch {
    /// Why.
    pub reason: Reason,
    /// The same in English.
    pub words: String,
}

/// What is known of why data does not match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Objects and arrays are nested too deep.
    TooDeep,
    /// Judging it would cost too much.
    TooLarge,
    /// It does not match, and finding out where would cost too much.
    Somewhere,
    /// The first few problems.
    At {
        /// Where, as JSON pointers of bounded length that are empty for the top, and what is broken there.
        problems: Vec<(String, Broken)>,
        /// How many others there are.
        more: usize,
    },
}

/// What a value breaks. Values and names of the schema and the data are quoted in bounded length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// It has none of these types.
    Type(Vec<DataType>),
    /// It is none of these.
    Enum(String),
    /// It is not this.
    Const(String),
    /// This member is missing.
    Required(String),
    /// It has members that nobody expects.
    UnexpectedMembers(Vec<String>),
    /// It has items that nobody expects.
    UnexpectedItems,
    /// It is less than this.
    Minimum(String),
    /// It is no more than this.
    ExclusiveMinimum(String),
    /// It is more than this.
    Maximum(String),
    /// It is no less than this.
    ExclusiveMaximum(String),
    /// It is no multiple of this.
    MultipleOf(String),
    /// It has fewer characters.
    MinLength(u64),
    /// It has more characters.
    MaxLength(u64),
    /// It has fewer items.
    MinItems(u64),
    /// It has more items.
    MaxItems(u64),
    /// It has fewer members.
    MinProperties(u64),
    /// It has more members.
    MaxProperties(u64),
    /// It does not match this pattern.
    Pattern(String),
    /// Some of its items are alike.
    UniqueItems,
    /// None of its items is as one has to be.
    Contains,
    /// None of several schemas fits.
    NoneFits,
    /// More than the one schema fits that may.
    SeveralFit,
    /// Nothing is allowed there, or nothing like it.
    Forbidden,
    /// Something else, in the words of the library.
    Other(String),
}

/// The types of data that schemas tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataType {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// A text.
    String,
    /// A list.
    Array,
    /// An object.
    Object,
}
