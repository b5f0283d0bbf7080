//! What the document says of the whole interface.

use utoipa::openapi::tag::{Tag as Entry, TagBuilder};

/// A chapter of the document.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tag {
    /// Organizations and their metadata.
    Organizations,
    /// Call logs.
    Calls,
    /// Outbound calls.
    Outbound,
    /// The service about itself.
    Service,
}

impl Tag {
    const ALL: [Self; 4] = [Self::Organizations, Self::Calls, Self::Outbound, Self::Service];

    /// The chapter's title.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Organizations => "Organizations",
            Self::Calls => "Calls",
            Self::Outbound => "Outbound calls",
            Self::Service => "Service",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Organizations => {
                "The organizations of a tenant and their metadata. Tenant-level keys only."
            }
            Self::Calls => "What is kept of inbound, outbound and web calls.",
            Self::Outbound => "Placing a call, and asking where it stands.",
            Self::Service => "Probes and documentation. No key is needed.",
        }
    }
}

/// Every chapter, in order.
pub(super) fn tags() -> impl Iterator<Item = Entry> {
    Tag::ALL.into_iter().map(|tag| TagBuilder::new().name(tag.name()).description(Some(tag.words())).build())
}

/// How requests are authenticated.
pub(super) const KEYS: &str = "`Authorization: Bearer <API_KEY>`. A tenant-level key acts on all organizations of \
its tenant; an organization-level key on its one organization's calls and outbound calls. Keys carry permissions: \
`calls:read`, `outbound:read`, `outbound:create`. The roles that an operation names are what the key needs: one of \
these permissions, or `tenant` for a tenant-level key.";

/// What holds for every endpoint.
pub(super) const TEXT: &str = "Callwright places telephone calls that are handled by an AI voice assistant, and keeps \
a record of them.

**Requests.** Bodies are JSON in UTF-8, of at most 256 KiB and 64 levels, without NUL characters, and have to arrive \
within 15 seconds. Unknown fields are ignored; an optional field is left out rather than set to `null`. Whatever \
answers `GET` answers `HEAD`.

**Checks** come in this order: rate limit, key, permission, request. All that is wrong with a request's fields is told \
at once.

**Errors** have one shape, `{\"error\": …}`, whoever noticed them: a path that leads nowhere is answered 404 with \
`Route not found`, another method than a path's own 405 with `Allow`. What is not there and what is not for the key \
are answered alike. What cannot be read as HTTP is answered 400, a head that is too large 431, one that takes longer \
than 10 seconds 408; none of these is counted. Every answer carries `X-Request-Id`.

**Rate limits** count requests by client address (IPv6 by /64), all endpoints together; each request is checked \
against the limit of the endpoint that it calls. The one-minute window restarts with every request, also with a \
rejected one. After a 429, pause all requests from the address for at least `Retry-After`, then resume with growing \
waits and random jitter. A request that was answered 429 was not processed.

**Date-times** are RFC 3339 in UTC with milliseconds, e.g. `2026-03-01T09:30:58.102Z`.";
