//! Outbound calls as they were accepted.

use domain::call::OutboundCall;
use domain::callback::CallbackUrl;
use domain::ids::{AssistantId, CallId, ContactId, NumberId, OrganizationId, TenantId, TrunkId};
use domain::number::Destination;
use domain::variables::Variables;
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::failure::Failure;
use crate::statement::row;

row! {
    OutboundRow {
        call_id: Uuid,
        tenant_id: Uuid,
        organization_id: Uuid,
        assistant_id: Option<Uuid>,
        number_id: Option<Uuid>,
        user_phone_number: Option<String>,
        user_name: Option<String>,
        created_at: OffsetDateTime,
        contact_id: Uuid,
        outbound_trunk_id: Uuid,
        variables: Value,
        callback_url: Option<String>,
    }
}

impl OutboundRow {
    pub(crate) fn into_call(self) -> Result<OutboundCall, Failure> {
        let broken = |why| Failure::impossible("outbound_calls", self.call_id, why);
        let destination = self
            .user_phone_number
            .as_deref()
            .and_then(|number| Destination::parse(number).ok())
            .ok_or_else(|| broken("the destination is no telephone number"))?;
        let callback_url = match &self.callback_url {
            Some(url) => {
                Some(CallbackUrl::from_stored(url).ok_or_else(|| broken("the callback URL cannot be read"))?)
            }
            None => None,
        };
        let variables = text_values(&self.variables).ok_or_else(|| broken("the variables are not texts"))?;
        Ok(OutboundCall {
            id: CallId::from_uuid(self.call_id),
            contact: ContactId::from_uuid(self.contact_id),
            tenant: TenantId::from_uuid(self.tenant_id),
            organization: OrganizationId::from_uuid(self.organization_id),
            assistant: AssistantId::from_uuid(
                self.assistant_id.ok_or_else(|| broken("an outbound call without an assistant"))?,
            ),
            number: NumberId::from_uuid(
                self.number_id.ok_or_else(|| broken("an outbound call without a number"))?,
            ),
            trunk: TrunkId::from_uuid(self.outbound_trunk_id),
            destination,
            customer_name: self.user_name,
            variables,
            callback_url,
            created_at: self.created_at,
        })
    }
}

/// An object whose values are all texts.
fn text_values(value: &Value) -> Option<Variables> {
    value.as_object()?.iter().map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}
