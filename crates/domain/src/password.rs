//! Passwords: which are taken, and the form in which they are stored.

use crate::organization::folded;
use crate::secret::Secret;

/// The fewest characters of a password.
pub const PASSWORD_MIN: usize = 12;

/// The most characters of a password.
pub const PASSWORD_MAX: usize = 128;

/// What is tried first, as far as it is long enough, folded.
const COMMONEST: [&str; 48] = [
    "012345678910",
    "0123456789ab",
    "112233445566",
    "121212121212",
    "123123123123",
    "1234567890-=",
    "123456789012",
    "1234567890123",
    "12345678901234",
    "123456789abc",
    "1234qwerasdf",
    "1q2w3e4r5t6y",
    "1q2w3e4r5t6y7u",
    "1qaz2wsx3edc",
    "1qaz2wsx3edc4rfv",
    "987654321098",
    "abcd1234abcd",
    "abcdefghijkl",
    "abcdefghijklm",
    "administrator",
    "administrator1",
    "asdfghjkl123",
    "asdfghjkl;'\\",
    "azertyuiop12",
    "azertyuiop123",
    "callwright123",
    "changemechangeme",
    "changeme1234",
    "iloveyou1234",
    "letmeinletmein",
    "letmein12345",
    "motdepasse12",
    "motdepasse123",
    "motdepasse1234",
    "mypassword123",
    "p@ssw0rd1234",
    "passw0rd1234",
    "password1234",
    "password12345",
    "password123456",
    "password2026",
    "passwordpassword",
    "qazwsxedcrfv",
    "qwerty123456",
    "qwertyqwerty",
    "qwertyuiop12",
    "qwertyuiop123",
    "welcome12345",
];

/// A password's Argon2id hash in PHC form: the only form in which passwords are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PasswordHash(Secret<String>);

impl PasswordHash {
    /// Takes a hash that was made elsewhere.
    pub const fn from_phc(text: String) -> Self {
        Self(Secret::new(text))
    }

    /// The PHC form, for adapters.
    pub const fn reveal(&self) -> &String {
        self.0.reveal()
    }
}

/// Why a password is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeakPassword {
    /// Fewer than [`PASSWORD_MIN`] characters.
    TooShort,
    /// More than [`PASSWORD_MAX`] characters.
    TooLong,
    /// It is the e-mail address, or the part before the `@`.
    IsEmail,
    /// It is among those that are tried first.
    Common,
}

impl WeakPassword {
    /// Says it in one sentence, in English.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TooShort => "A password has at least 12 characters.",
            Self::TooLong => "A password has at most 128 characters.",
            Self::IsEmail => "The password must not be the e-mail address.",
            Self::Common => "This password is one of the first that are tried. Choose another one.",
        }
    }
}

/// Whether a password is good enough for the user with this e-mail address. Length is what counts
/// (NIST SP 800-63B-4 §3.1.1.2): no rule asks for digits or signs.
pub fn judge(password: &str, email: &str) -> Result<(), WeakPassword> {
    let length = password.chars().count();
    if length < PASSWORD_MIN {
        return Err(WeakPassword::TooShort);
    }
    if length > PASSWORD_MAX {
        return Err(WeakPassword::TooLong);
    }
    let (password, email) = (folded(password), folded(email));
    if password == email || email.rsplit_once('@').is_some_and(|(local, _)| local == password) {
        return Err(WeakPassword::IsEmail);
    }
    let first = password.chars().next();
    if COMMONEST.contains(&password.as_str()) || password.chars().all(|c| Some(c) == first) {
        return Err(WeakPassword::Common);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_has_12_to_128_characters_of_any_script() {
        let email = "ada@clinic.example";
        for good in ["korrekt-hest", "лошадь батарея", "🐎🔋📎✅🐎🔋📎✅🐎🔋📎✅", &"xy".repeat(64)]
        {
            assert_eq!(judge(good, email), Ok(()), "{good}");
        }
        for (bad, why) in [
            ("", WeakPassword::TooShort),
            ("elf Zeichen", WeakPassword::TooShort),
            ("éééééééééé", WeakPassword::TooShort),
            (&"xyz".repeat(43), WeakPassword::TooLong),
        ] {
            assert_eq!(judge(bad, email), Err(why), "{bad}");
        }
    }

    #[test]
    fn neither_the_address_nor_what_is_tried_first_is_a_password() {
        let email = "ada.lovelace.1815@clinic.example";
        for (bad, why) in [
            ("Ada.Lovelace.1815@Clinic.Example", WeakPassword::IsEmail),
            ("ADA.lovelace.1815", WeakPassword::IsEmail),
            ("Password1234", WeakPassword::Common),
            ("MOTDEPASSE123", WeakPassword::Common),
            ("éÉéÉéÉéÉéÉéÉ", WeakPassword::Common),
        ] {
            assert_eq!(judge(bad, email), Err(why), "{bad}");
        }
    }

    #[test]
    fn every_common_password_is_long_enough_to_be_worth_its_place() {
        for each in COMMONEST {
            assert_eq!(judge(each, ""), Err(WeakPassword::Common), "{each}");
        }
    }

    #[test]
    fn a_hash_shows_in_no_message() {
        let hash = PasswordHash::from_phc("$argon2id$v=19$m=1,t=1,p=1$c2FsdA$aGFzaA".to_owned());
        assert!(!format!("{hash:?}").contains("argon2"));
    }
}
