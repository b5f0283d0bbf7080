//! The file of an assistant, which the dashboard takes from members of a tenant.
#![no_main]

use application::assistant_file::{Allowed, parse, write};
use domain::ids::{AssistantId, NewId, OrganizationId, TenantId};
use libfuzzer_sys::fuzz_target;
use time::OffsetDateTime;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let allowed = Allowed::default();
    let draft = match parse(text, &allowed) {
        Ok(draft) => draft,
        // It has words for people.
        Err(bad) => {
            assert!(!bad.to_string().is_empty());
            return;
        }
    };
    let id = || NewId::at(OffsetDateTime::UNIX_EPOCH, [0; 10]);
    let (assistant, tenant, organization) =
        (AssistantId::from(id()), TenantId::from(id()), OrganizationId::from(id()));
    // Its tenant may use no credential here.
    let Ok(owned) = draft.of_tenant(tenant, &allowed.credentials) else { return };
    let assistant = owned.into_assistant(assistant, organization, OffsetDateTime::UNIX_EPOCH);
    // The dashboard shows it as a file again, which is taken back as it is.
    let written = write(&assistant);
    let again = parse(&written, &allowed).unwrap_or_else(|bad| panic!("{bad}\n{written}"));
    let again =
        again.of_tenant(tenant, &allowed.credentials).unwrap_or_else(|bad| panic!("{bad}\n{written}"));
    let again = again.into_assistant(assistant.id, organization, OffsetDateTime::UNIX_EPOCH);
    assert_eq!(again, assistant, "{written}");
});
