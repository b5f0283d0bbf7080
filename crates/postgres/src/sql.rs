//! The statements of hot paths as they are sent, for measuring them without us.

use domain::call::CallOrder;

use crate::call_log::{Listed, READ, text};

/// Whose key it is: the key's digest.
pub const AUTHENTICATE: &str = crate::access::AUTHENTICATE;

/// What a call is placed with: assistant, number, tenant, organization or null.
pub const PLACEABLE: &str = crate::directory::PLACEABLE;

/// Accepting a call: call, tenant, organization, contact, assistant, number, destination,
/// customer's name, variables, callback URL or null, time, boot, most calls or null, trunk,
/// Call-ID, From-tag, branch, `CSeq`, Request-URI, From, To, transport, gateway.
pub const DIAL: &str = crate::calls::DIAL;

/// Ending a call: call, boot, epoch, status, reason, start or null, end, seconds or null, SIP code
/// and phrase or null, then of its callback, or all null: URL, destination, body, time, lease.
pub const CONCLUDE: &str = crate::calls::CONCLUDE;

/// Where a call stands: call, tenant, organization or null.
pub const STATUS: &str = crate::calls::STATUS;

/// All that is known of a call: call, tenant, organization or null.
pub const CALL: &str = READ;

/// A page of calls, newest first. Every list takes organization, tenant, organization of the scope or
/// null, types, limit, offset, from, until (exclusive), part of a name or null, intent or null, then
/// where whole hours, days and months begin, and where whole months, days and hours end.
pub const CALLS: &str = text(Listed::All, CallOrder::Newest);

/// The same of a span of time.
pub const CALLS_IN_SPAN: &str = text(Listed::Span, CallOrder::Newest);

/// The same of one type.
pub const CALLS_OF_TYPE: &str = text(Listed::Type, CallOrder::Newest);

/// The same as [`CALLS`], far from the first page.
pub const CALLS_FAR: &str = text(Listed::AllFar, CallOrder::Newest);

/// Creating an organization: id, tenant, name, email, image or null, address, city, state, postal
/// code, country, telephone number, time zone, external id or null, owner, creator, last modifier or
/// null, times of creation, change and deletion (or null), folded name, then ids of its metadata
/// record and of its secret, the sealed secret, and of its entry in the audit log id, time, kind of
/// actor, and the actor's id, name and address, or null.
pub const CREATE_ORGANIZATION: &str = crate::organizations::CREATE;

/// A page of organizations, oldest first: tenant, size, how many to pass over.
pub const ORGANIZATIONS_PAGE: &str = crate::organizations::PAGE;

/// An organization beside all live ones: tenant, id, organization of the scope or null.
pub const READ_ORGANIZATION: &str = crate::organizations::READ;
