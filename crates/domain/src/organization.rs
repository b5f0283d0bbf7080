//! Tenants and their organizations.

use time::OffsetDateTime;

use crate::ids::{OrganizationId, TenantId};
use crate::page::PageRequest;

/// A customer of the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tenant {
    /// Its identity.
    pub id: TenantId,
    /// Its name.
    pub name: String,
    /// When it was made.
    pub created_at: OffsetDateTime,
}

/// The time zones that an organization may be in (interface, Organization).
pub const TIMEZONES: [&str; 21] = [
    "America/New_York",
    "America/Chicago",
    "America/Denver",
    "America/Los_Angeles",
    "America/Anchorage",
    "Pacific/Honolulu",
    "America/Phoenix",
    "America/Toronto",
    "America/Vancouver",
    "America/Edmonton",
    "America/Winnipeg",
    "America/Halifax",
    "America/St_Johns",
    "Europe/London",
    "Europe/Paris",
    "Europe/Helsinki",
    "Asia/Dubai",
    "Asia/Shanghai",
    "Asia/Tokyo",
    "Australia/Sydney",
    "Pacific/Auckland",
];

/// One of the allowed time zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Timezone(&'static str);

impl Timezone {
    /// Reads an exact name from the list.
    pub fn parse(name: &str) -> Option<Self> {
        TIMEZONES.into_iter().find(|allowed| *allowed == name).map(Self)
    }

    /// The IANA name.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

/// The longest email address, in bytes (RFC 5321 §4.5.3.1.3).
pub const EMAIL_MAX: usize = 254;

/// The longest part before the `@`, in bytes (RFC 5321 §4.5.3.1.1).
const EMAIL_LOCAL_MAX: usize = 64;

/// The longest label of a host name, in bytes (RFC 1035 §2.3.4).
const LABEL_MAX: usize = 63;

/// Whether a text has the form of an email address: something, an `@`, and a host name with a dot
/// in it, all without blanks. Whether mail arrives there is not known.
pub fn is_email(text: &str) -> bool {
    let formed = text.rsplit_once('@').is_some_and(|(local, host)| {
        (1..=EMAIL_LOCAL_MAX).contains(&local.len())
            && host.contains('.')
            && host.split('.').all(|label| (1..=LABEL_MAX).contains(&label.len()))
            && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte))
    });
    formed && text.len() <= EMAIL_MAX && !text.chars().any(|c| c.is_whitespace() || c.is_control())
}

/// An organization's full record (interface, Organization).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Organization {
    /// Its identity.
    pub id: OrganizationId,
    /// The tenant that it belongs to.
    pub tenant: TenantId,
    /// What can be set from outside.
    pub profile: Profile,
    /// The id of the key or user that owns it, or `operator`.
    pub owner_id: String,
    /// The id of the key or user that made it, or `operator`.
    pub created_by: String,
    /// The id of the key or user that last changed it.
    pub last_modified_by: Option<String>,
    /// When it was made.
    pub created_at: OffsetDateTime,
    /// When it was last changed.
    pub updated_at: OffsetDateTime,
    /// When it was soft-deleted; from then on it is inactive.
    pub deleted_at: Option<OffsetDateTime>,
}

impl Organization {
    /// Whether it can place calls.
    pub fn is_active(&self) -> bool {
        self.deleted_at.is_none()
    }
}

/// The fields of an organization that its owner writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// Contact address.
    pub email: String,
    /// Logo address.
    pub image: Option<String>,
    /// Street address.
    pub address: String,
    /// City.
    pub city: String,
    /// State or province.
    pub state_province: String,
    /// Postal or ZIP code.
    pub postal_code: String,
    /// Country.
    pub country: String,
    /// Contact number, free form.
    pub phone_number: String,
    /// Time zone.
    pub timezone: Timezone,
    /// The owner's own reference; stored, never shown.
    pub external_id: Option<String>,
}

/// What an update writes; what is not set stays as it is (interface, PUT /api/organization/{id}).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// Its name.
    pub name: String,
    /// Contact address.
    pub email: String,
    /// Street address.
    pub address: Option<String>,
    /// City.
    pub city: Option<String>,
    /// State or province.
    pub state_province: Option<String>,
    /// Postal or ZIP code.
    pub postal_code: Option<String>,
    /// Country.
    pub country: Option<String>,
    /// Contact number, free form.
    pub phone_number: Option<String>,
    /// Time zone.
    pub timezone: Option<Timezone>,
    /// Logo address.
    pub logo: Logo,
}

impl Profile {
    /// The profile after a revision.
    #[must_use]
    pub fn revised(&self, revision: Revision) -> Self {
        let or = |new: Option<String>, own: &String| new.unwrap_or_else(|| own.clone());
        Self {
            name: revision.name,
            email: revision.email,
            image: match revision.logo {
                Logo::Stays => self.image.clone(),
                Logo::Goes => None,
                Logo::Becomes(image) => Some(image),
            },
            address: or(revision.address, &self.address),
            city: or(revision.city, &self.city),
            state_province: or(revision.state_province, &self.state_province),
            postal_code: or(revision.postal_code, &self.postal_code),
            country: or(revision.country, &self.country),
            phone_number: or(revision.phone_number, &self.phone_number),
            timezone: revision.timezone.unwrap_or(self.timezone),
            external_id: self.external_id.clone(),
        }
    }
}

/// What becomes of an organization's logo.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Logo {
    /// It stays as it is.
    #[default]
    Stays,
    /// It is taken away.
    Goes,
    /// It is found at this address from now on.
    Becomes(String),
}

/// What a list of organizations may be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OrganizationField {
    /// When it was made.
    CreatedAt,
    /// When it was last changed.
    UpdatedAt,
    /// Its name.
    Name,
    /// Contact address.
    Email,
    /// City.
    City,
    /// Country.
    Country,
}

impl OrganizationField {
    /// Every field, in the order in which they are shown.
    pub const ALL: [Self; 6] =
        [Self::CreatedAt, Self::UpdatedAt, Self::Name, Self::Email, Self::City, Self::Country];

    /// The field's name in the interface.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CreatedAt => "createdAt",
            Self::UpdatedAt => "updatedAt",
            Self::Name => "name",
            Self::Email => "email",
            Self::City => "city",
            Self::Country => "country",
        }
    }

    /// Reads the field's name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.as_str() == text)
    }
}

/// Which organizations are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrganizationQuery {
    /// Which page.
    pub page: PageRequest,
    /// In the order of this field's values, texts by their bytes.
    pub sort: OrganizationField,
    /// The greatest first.
    pub descending: bool,
    /// Whose name contains this, in any case; `%` and `_` stand for themselves.
    pub search: Option<String>,
}

/// A name without regard to upper and lower case, as a search compares it, whatever the store's own
/// idea of letters is.
pub fn folded(text: &str) -> String {
    // By way of the upper case, so that ß meets SS, and ς meets Σ.
    text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_texts_are_equal_whatever_their_case() {
        for (one, other) in
            [("Clinic", "cLINIC"), ("ÉCOLE Ä", "école ä"), ("Straße", "STRASSE"), ("ΟΔΟΣ", "οδος")]
        {
            assert_eq!(folded(one), folded(other));
        }
        assert_ne!(folded("ecole"), folded("école"));
        assert_eq!(folded("100 % _\\"), "100 % _\\");
    }

    #[test]
    fn an_email_address_is_something_at_a_host_name_with_a_dot() {
        let long = |local, label, last| {
            let (local, label) = ("x".repeat(local), "y".repeat(label));
            format!("{local}@{label}.{label}.{}.clinic.example", "z".repeat(last))
        };
        assert_eq!(long(64, 63, 46).len(), EMAIL_MAX);
        for good in ["desk@clinic.example", "a.b+c@x-1.example.com", "zoë@clinic.example", &long(64, 63, 46)]
        {
            assert!(is_email(good), "{good}");
        }
        for bad in [
            "",
            "desk",
            "@clinic.example",
            "desk@",
            "desk@clinic",
            "desk@.example",
            "desk@clinic.",
            "desk@clinic..example",
            "desk@clinic_1.example",
            "front desk@clinic.example",
            "desk@clinic.example\n",
            "desk\u{7}@clinic.example",
            &long(64, 63, 47),
            &long(65, 63, 1),
            &long(1, 64, 1),
        ] {
            assert!(!is_email(bad), "{bad:?}");
        }
    }
}
