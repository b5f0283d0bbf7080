//! Readers of arguments that say what is allowed.

pub(super) use application::values::{
    address, country, domain_name, name, networks, number, srtp, transport,
};
use domain::access::Permission;
use domain::assistant::ProviderRole;
use domain::ids::{AssistantId, CallId, KeyId, NumberId, OrganizationId, TenantId, TrunkId};
use domain::organization::{TIMEZONES, Timezone, is_email};
use domain::user::Role;

/// The longest name of anything, in characters.
const NAME_MAX: usize = 200;

fn id<T>(parsed: Option<T>) -> Result<T, String> {
    parsed.ok_or_else(|| "expected an id such as 0190a6e0-7e6b-7cc0-98b7-2f7c1c2f4a11".to_owned())
}

pub(super) fn tenant(text: &str) -> Result<TenantId, String> {
    id(TenantId::parse(text))
}

pub(super) fn organization(text: &str) -> Result<OrganizationId, String> {
    id(OrganizationId::parse(text))
}

pub(super) fn trunk(text: &str) -> Result<TrunkId, String> {
    id(TrunkId::parse(text))
}

pub(super) fn number_id(text: &str) -> Result<NumberId, String> {
    id(NumberId::parse(text))
}

pub(super) fn key(text: &str) -> Result<KeyId, String> {
    id(KeyId::parse(text))
}

pub(super) fn assistant(text: &str) -> Result<AssistantId, String> {
    id(AssistantId::parse(text))
}

pub(super) fn provider(text: &str) -> Result<ProviderRole, String> {
    let all = ProviderRole::ALL.map(ProviderRole::as_str).join(", ");
    ProviderRole::parse(text).ok_or_else(|| format!("expected one of {all}"))
}

pub(super) fn call(text: &str) -> Result<CallId, String> {
    id(CallId::parse(text))
}

/// Text that may be empty, on one line.
pub(super) fn free(text: &str) -> Result<String, String> {
    let fits = text.chars().count() <= NAME_MAX && !text.chars().any(char::is_control);
    fits.then(|| text.to_owned()).ok_or_else(|| format!("expected at most {NAME_MAX} characters of text"))
}

pub(super) fn email(text: &str) -> Result<String, String> {
    is_email(text)
        .then(|| text.to_owned())
        .ok_or_else(|| "expected an address such as desk@example.com".to_owned())
}

pub(super) fn timezone(text: &str) -> Result<Timezone, String> {
    Timezone::parse(text).ok_or_else(|| format!("expected one of {}", TIMEZONES.join(", ")))
}

pub(super) fn permission(text: &str) -> Result<Permission, String> {
    let all = Permission::ALL.map(Permission::as_str).join(", ");
    Permission::parse(text).ok_or_else(|| format!("expected one of {all}"))
}

pub(super) fn role(text: &str) -> Result<Role, String> {
    let all = Role::ALL.map(Role::as_str).join(", ");
    Role::parse(text).ok_or_else(|| format!("expected one of {all}"))
}
