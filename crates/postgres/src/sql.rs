//! The statements of a call's hot path as they are sent, for measuring them without us.

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
