//! The rules that values are held against when people write them, on the command line, in a file or in a
//! form. Each says what is allowed: in English here, and in each of its languages in the dashboard.

use domain::network::{BadEndpoint, UnfitUrl};

/// A rule that a value breaks. No words repeat the value: it may be a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rule {
    /// Text of 1 to so many characters.
    #[error("expected 1 to {0} characters of text")]
    Text(usize),
    /// Text of at most so many characters.
    #[error("expected at most {0} characters of text")]
    ShortText(usize),
    /// A name that is short where it stands, in characters.
    #[error("at most {0} characters")]
    ShortName(usize),
    /// Where a trunk's requests go.
    #[error("expected HOST or HOST:PORT, IPv6 in brackets, e.g. [2001:db8::1]:5060")]
    TrunkAddress,
    /// A host that is called at all.
    #[error("{}{}", .0.as_str(), allowed_by(*.0, "TRUNKS__ALLOWED_NETWORKS"))]
    TrunkHost(UnfitUrl),
    /// How a trunk's requests go there.
    #[error("expected udp, tcp or tls")]
    Transport,
    /// Whether a trunk's sound is encrypted.
    #[error("expected off or required")]
    Srtp,
    /// Blocks of addresses.
    #[error("expected networks such as 192.0.2.0/24 or 2001:db8::/32")]
    Networks,
    /// The host part of a From.
    #[error("expected a host name without a port")]
    DomainName,
    /// A country calling code.
    #[error("expected a country calling code such as 1 or 49")]
    CountryCode,
    /// A telephone number.
    #[error("expected an E.164 number such as +14155550123")]
    E164,
    /// A limit, from 1 to this.
    #[error("expected a whole number from 1 to {0}")]
    WholeNumber(u32),
    /// A duration, first and last that is allowed.
    #[error("expected {0} to {1} seconds")]
    Seconds(u64, u64),
    /// What may go into a header of HTTP, up to so many bytes.
    #[error("expected one line of 1 to {0} visible characters of ASCII")]
    ProviderKey(usize),
    /// One of these names.
    #[error("expected one of {}", .0.join(", "))]
    OneOf(Vec<&'static str>),
    /// Any of these names.
    #[error("expected any of {}", .0.join(", "))]
    AnyOf(Vec<&'static str>),
    /// So many and no more.
    #[error("at most {0}")]
    AtMost(usize),
    /// So many steps and no more.
    #[error("at most {0} steps")]
    AtMostSteps(usize),
    /// A name stands once.
    #[error("{0} stands there twice")]
    Twice(String),
    /// A key that has a meaning beside some values of another only.
    #[error("goes with {} only", setting(.key, .values, "or"))]
    GoesWith {
        /// The other key.
        key: &'static str,
        /// Its values.
        values: &'static [&'static str],
    },
    /// A notice of what is not done.
    #[error("nothing is recorded with record = false")]
    NothingRecorded,
    /// A message to be left has to be there.
    #[error("action = \"leave-message\" needs one")]
    VoicemailMessage,
    /// Names of outcomes, of at most so many characters.
    #[error("expected names such as quote_sent, of at most {0} characters")]
    OutcomeNames(usize),
    /// The outcomes that there always are need no naming.
    #[error("{0} is a standard outcome, known without being named")]
    StandardOutcome(String),
    /// Names of variables, of 1 to so many characters.
    #[error("expected names of 1 to {0} characters")]
    VariableNames(usize),
    /// A script begins with something to say.
    #[error("a script needs one: what is said when the callee answers?")]
    FirstMessage,
    /// How many keys a step waits for, at most.
    #[error("how many keys to wait for, 1 to {0}, ended early by #")]
    Digits(u8),
    /// What is said cannot be replied to by a script.
    #[error("speech is not recognised: wait for digits to reply to them")]
    NoRepliesToSpeech,
    /// Keys that can be pressed, 1 to so many.
    #[error("1 to {0} of the keys 0-9, *, # and A-D")]
    Keys(usize),
    /// An AI has a task.
    #[error("an AI needs them: what is its task?")]
    Instructions,
    /// Handing a call over needs people to hand it to.
    #[error("transfer_call needs [[transfer_targets]] to name")]
    TransferTargets,
    /// People to hand a call to need the tool for it.
    #[error("nobody is reached without transfer_call among the tools")]
    TransferCall,
    /// An AI is one of the two.
    #[error("needs either [realtime] or [cascade]")]
    RealtimeOrCascade,
    /// The table of the one.
    #[error("engine = \"realtime\" needs a table [realtime] with its model")]
    Realtime,
    /// The tables of the other.
    #[error(
        "engine = \"cascade\" needs [cascade] with its voice, and the tables chat, transcription and speech in it"
    )]
    Cascade,
    /// Keys are stored elsewhere.
    #[error(
        "a key has no place in a file: name a credential of the operator, or store the key with `callwright assistant key set`"
    )]
    NoKeysHere,
    /// Where a provider is, when nobody usually is.
    #[error("this dialect has no usual one: say where the provider is")]
    EndpointNeeded,
    /// Where a provider may be.
    #[error("{}{}", .0.as_str(), endpoint_allowed_by(*.0))]
    Endpoint(BadEndpoint),
    /// The credentials that the operator lets a tenant use.
    #[error("not a credential that the operator lets this tenant use (setting ENGINES__CREDENTIALS)")]
    Credential,
    /// Where the key that an assistant names may be sent.
    #[error("the key may only be sent to {}", .0.join(", "))]
    KeyOrigins(Vec<String>),
    /// One key is named once.
    #[error("goes without key_variable, which names a key too")]
    OneKey,
}

/// Where an operator lets addresses be reached that the guard refuses.
fn allowed_by(why: UnfitUrl, setting: &str) -> String {
    if why.is_of_a_network() {
        format!("; the operator can allow its network with {setting}")
    } else {
        String::new()
    }
}

fn endpoint_allowed_by(why: BadEndpoint) -> String {
    match why {
        BadEndpoint::Unfit(why) => allowed_by(why, "ENGINES__ALLOWED_NETWORKS"),
        _ => String::new(),
    }
}

/// A key with one of some values, as a file says it: `engine = "realtime" or "cascade"`.
pub fn setting(key: &str, values: &[&str], or: &str) -> String {
    let values: Vec<_> = values.iter().map(|value| format!("\"{value}\"")).collect();
    format!("{key} = {}", values.join(&format!(" {or} ")))
}
