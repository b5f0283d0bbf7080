//! The telephone inside the service, on which assistants are tried without a trunk: which numbers it
//! has, and the trunk that leads to it.

use time::OffsetDateTime;

use crate::ids::{TenantId, TrunkId};
use crate::number::E164;
use crate::trunk::{BUILT_IN_PHONE, Srtp, Transport, Trunk, TrunkAddress};

/// The most calls of one tenant to the built-in phone at a time.
const MAX_CALLS: u32 = 5;

/// What the built-in phone does with a call: each has a number of its own, out of those that are kept
/// for stories (555-01xx) in an area that does not exist, so that nobody else is ever meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TestCallee {
    /// Answers, has a short talk, and hangs up after the goodbye.
    Answers,
    /// Is busy.
    Busy,
    /// Rings until the caller gives up.
    NeverAnswers,
    /// Answers, and presses keys: 1, 2 and then #, one after each thing it is told.
    PressesKeys,
    /// Is a voicemail: a greeting, a beep, and silence.
    Voicemail,
    /// Declines the call.
    Declines,
}

impl TestCallee {
    /// Every one, the most useful first.
    pub const ALL: [Self; 6] =
        [Self::Answers, Self::PressesKeys, Self::Voicemail, Self::Busy, Self::NeverAnswers, Self::Declines];

    /// Its number, as it is dialled.
    pub const fn number(self) -> &'static str {
        match self {
            Self::Answers => "+15555550100",
            Self::Busy => "+15555550101",
            Self::NeverAnswers => "+15555550102",
            Self::PressesKeys => "+15555550103",
            Self::Voicemail => "+15555550104",
            Self::Declines => "+15555550105",
        }
    }

    /// The written form of the choice.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Answers => "answers",
            Self::Busy => "busy",
            Self::NeverAnswers => "never-answers",
            Self::PressesKeys => "presses-keys",
            Self::Voicemail => "voicemail",
            Self::Declines => "declines",
        }
    }

    /// Reads the written form.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|callee| callee.as_str() == text)
    }

    /// Who has this number.
    pub fn of_number(number: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|callee| callee.number() == number)
    }
}

/// The number from which organizations call the built-in phone.
pub fn calling_number() -> Option<E164> {
    E164::parse("+15555550199")
}

impl Trunk {
    /// The trunk that leads to the built-in phone. It is guarded like every trunk that the operator
    /// did not set up: should its host ever be changed, the new one is judged.
    pub fn to_built_in_phone(id: TrunkId, tenant: TenantId, at: OffsetDateTime) -> Self {
        Self {
            id,
            tenant,
            name: "Built-in phone".to_owned(),
            address: TrunkAddress { host: BUILT_IN_PHONE.to_owned(), port: None },
            transport: Transport::Udp,
            credentials: None,
            register: false,
            from_domain: None,
            default_country: None,
            wideband: false,
            srtp: Srtp::Off,
            guarded: true,
            nat: false,
            media_networks: Vec::new(),
            inbound_from: Vec::new(),
            realms: Vec::new(),
            max_calls: Some(MAX_CALLS),
            calls_per_second: None,
            created_at: at,
        }
    }

    /// Whether it leads to the built-in phone.
    pub fn leads_to_built_in_phone(&self) -> bool {
        self.address.host.eq_ignore_ascii_case(BUILT_IN_PHONE)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::number::Destination;

    #[test]
    fn each_callee_has_a_number_of_its_own_that_can_be_dialled() {
        let mut numbers = HashSet::new();
        for callee in TestCallee::ALL {
            let dialled = Destination::parse(callee.number()).unwrap().dialled(None);
            assert_eq!(dialled.map(|number| number.to_string()).as_deref(), Some(callee.number()));
            assert_eq!(TestCallee::of_number(callee.number()), Some(callee));
            assert_eq!(TestCallee::parse(callee.as_str()), Some(callee));
            numbers.insert(callee.number());
        }
        assert_eq!(numbers.len(), TestCallee::ALL.len());
        let ours = calling_number().unwrap();
        assert_eq!(TestCallee::of_number(ours.as_str()), None);
    }
}
