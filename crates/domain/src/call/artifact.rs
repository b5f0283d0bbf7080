//! The files that a call leaves: its recording and its transcript.

use std::fmt;

use crate::ids::{CallId, OrganizationId, TenantId};

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArtifactKind {
    /// The sound, both sides.
    Recording,
    /// What was said, as text.
    Transcript,
}

impl ArtifactKind {
    /// Every kind.
    pub const ALL: [Self; 2] = [Self::Recording, Self::Transcript];

    /// The kind's written form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Recording => "recording",
            Self::Transcript => "transcript",
        }
    }

    /// Reads the written form.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// The name of its file within the call's folder.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Recording => "recording.wav",
            Self::Transcript => "transcript.txt",
        }
    }

    /// Its media type.
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Recording => "audio/wav",
            Self::Transcript => "text/plain; charset=utf-8",
        }
    }
}

/// Where a file is in the artifact store: `TENANT/ORGANIZATION/CALL/recording.wav`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArtifactKey {
    /// The tenant.
    pub tenant: TenantId,
    /// The organization.
    pub organization: OrganizationId,
    /// The call.
    pub call: CallId,
    /// What it is.
    pub kind: ArtifactKind,
}

impl ArtifactKey {
    /// Reads the written form; anything else is no key, so that no path leads out of the store.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('/');
        let key = Self {
            tenant: TenantId::parse(parts.next()?)?,
            organization: OrganizationId::parse(parts.next()?)?,
            call: CallId::parse(parts.next()?)?,
            kind: {
                let name = parts.next()?;
                ArtifactKind::ALL.into_iter().find(|kind| kind.file_name() == name)?
            },
        };
        // Only the form that is written: a UUID in capitals would be another file.
        (parts.next().is_none() && key.to_string() == text).then_some(key)
    }
}

impl fmt::Display for ArtifactKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tenant, organization, call, kind } = self;
        write!(f, "{tenant}/{organization}/{call}/{}", kind.file_name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_written_form_is_a_key() {
        let id = "0199a5c0-0000-7000-8000-00000000000a";
        let text = format!("{id}/{id}/{id}/recording.wav");
        assert_eq!(ArtifactKey::parse(&text).unwrap().to_string(), text);
        for bad in [
            text.to_uppercase(),
            format!("{text}/"),
            format!("/{text}"),
            format!("{id}/{id}/{id}/../x"),
            format!("{id}/{id}/{id}/recording.wav/.."),
            format!("{id}/{id}/{id}"),
            format!("{id}/{id}/{}/recording.wav", id.to_uppercase()),
        ] {
            assert_eq!(ArtifactKey::parse(&bad), None, "{bad}");
        }
    }
}
