//! Placing a call: look up, prepare, record, and only then dial; once for each idempotency key.

use std::iter;
use std::sync::Arc;

use conversation::Conversation;
use domain::assistant::filling::{FilledTooLong, Filling, ValueSource};
use domain::audio::AudioFormat;
use domain::audit::Deed;
use domain::call::{CallStatus, EndedReason, OutboundCall};
use domain::callback::CallbackUrl;
use domain::idempotency::{Earlier, Once};
use domain::ids::{AssistantId, BootId, CallId, ContactId, NewId, NumberId};
use domain::number::Destination;
use domain::ports::{
    Acceptance, Accepted, Clock, DialPlan, Directory, Dispatch, Entropy, OutboundCalls, Placeable,
    PreparedLeg, Recorded, Refused, StoreUnavailable, Telephony,
};
use domain::scope::Scope;
use domain::trunk::Trunk;
use domain::variables::Variables;

use crate::causes::causes;
use crate::crash_point::crash_point;
use crate::in_flight::InFlight;
use crate::keep_node::NodeLease;
use crate::requests::{Fault, Problem};
use crate::run_call::{RunCall, Start};
use crate::supervisor::CallSupervisor;

/// What a customer asks for, already parsed.
#[derive(Clone, Debug)]
pub struct CallRequest {
    /// The number to call.
    pub destination: Destination,
    /// Who speaks.
    pub assistant: AssistantId,
    /// The number to call from.
    pub number: NumberId,
    /// The customer's name.
    pub customer_name: Option<String>,
    /// Values for the assistant's lines.
    pub variables: Variables,
    /// Where the end is reported.
    pub callback_url: Option<CallbackUrl>,
    /// Set when the request may come again.
    pub once: Option<Once>,
    /// Set when somebody places it by hand.
    pub by: Option<Deed>,
}

/// A recorded call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Its identity.
    pub call: CallId,
    /// Its contact.
    pub contact: ContactId,
    /// `Calling`, or `Failed` when it could not be placed.
    pub status: CallStatus,
    /// Why it could not be placed.
    pub reason: Option<EndedReason>,
    /// Whether an earlier request placed it; this is how that one was answered.
    pub replayed: bool,
}

/// Why nothing was recorded.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// Assistant or number missing, out of reach, or of different organizations.
    #[error("assistant or number not found")]
    NotFound,
    /// Their organization is deleted.
    #[error("the organization is inactive")]
    OrganizationInactive,
    /// The assistant's texts become too long with these values.
    #[error("{}: {}", .0.field, .0.fault)]
    TooLong(Problem),
    /// The idempotency key came with another request before.
    #[error("the idempotency key is taken by another request")]
    KeyTaken,
    /// This node takes no calls: it is shutting down, or has lost touch with the store.
    #[error("no new calls are taken")]
    Unavailable,
    /// See [`StoreUnavailable`].
    #[error(transparent)]
    Store(#[from] StoreUnavailable),
}

/// Places outbound calls.
pub struct PlaceCall {
    /// Finds assistant, number and trunk.
    pub directory: Arc<dyn Directory>,
    /// Records the call.
    pub calls: Arc<dyn OutboundCalls>,
    /// Prepares its INVITE.
    pub telephony: Arc<dyn Telephony>,
    /// Carries it on from there.
    pub run_call: Arc<RunCall>,
    /// Knows whether this node takes calls.
    pub supervisor: Arc<CallSupervisor>,
    /// Knows whether this node may dial.
    pub lease: Arc<NodeLease>,
    /// This start of this node.
    pub boot: BootId,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes ids unpredictable.
    pub entropy: Arc<dyn Entropy>,
    /// Lets twins of a request wait for it.
    pub in_flight: InFlight,
}

impl PlaceCall {
    /// Places a call with what `scope` covers; must not be cancelled half way, so run it as a task.
    ///
    /// A request that comes again is answered as it was the first time, whatever has changed since.
    pub async fn place(&self, scope: Scope, request: CallRequest) -> Result<Placed, PlaceError> {
        let Some(once) = request.once.clone() else { return self.place_now(scope, request).await };
        loop {
            if let Some(earlier) = self.calls.earlier(&once, self.clock.now()).await? {
                return replayed(earlier);
            }
            match self.in_flight.enter(&once) {
                Ok(_first) => return self.place_now(scope, request).await,
                // It fails once the first is gone, which is what is waited for.
                Err(mut first) => _ = first.changed().await,
            }
        }
    }

    async fn place_now(&self, scope: Scope, request: CallRequest) -> Result<Placed, PlaceError> {
        let found = self.directory.placeable(scope, request.assistant, request.number).await?;
        let placeable = found.ok_or(PlaceError::NotFound)?;
        if !placeable.organization_active {
            return Err(PlaceError::OrganizationInactive);
        }
        let filling =
            Filling::for_call(&placeable.assistant, request.customer_name.as_deref(), &request.variables)
                .map_err(|error| PlaceError::TooLong(problem(error)))?;
        let admission =
            self.supervisor.admit().filter(|_| self.lease.may_dial()).ok_or(PlaceError::Unavailable)?;
        let (once, by) = (request.once.clone(), request.by.clone());
        let call = self.record_of(&placeable, request);
        let prepared = self.prepare(&call, &placeable).await;
        crash_point("prepared");
        let (dispatch, prepared) = match prepared {
            Ok(leg) => {
                let intent = Box::new(leg.intent().clone());
                let max_calls = placeable.trunk.max_calls;
                (Dispatch::Dial { owner: self.boot, intent, max_calls }, Some(leg))
            }
            Err(reason) => (Dispatch::Refuse { reason }, None),
        };
        let accepted = self.calls.accept(Acceptance { call: call.clone(), dispatch, once, by }).await?;
        crash_point("accepted");
        let (placed, contact) = (call.id, call.contact);
        let reason = match (accepted, prepared) {
            (Accepted::Calling(fence), Some(leg)) => {
                let (assistant, format) = (placeable.assistant, first_format(&placeable.trunk));
                self.run_call.start(Start { call, assistant, filling, fence, leg, format, admission });
                None
            }
            (Accepted::Failed(reason), _) => Some(reason),
            // The store answers `Calling` only for a call that was to be dialled.
            (Accepted::Calling(_), None) => Some(EndedReason::TrunkUnreachable),
            // A twin on another node was faster; the leg is dropped, nothing was sent.
            (Accepted::Earlier(earlier), _) => return replayed(earlier),
        };
        let status = if reason.is_some() { CallStatus::Failed } else { CallStatus::Calling };
        tracing::info!(call = %placed, status = status.as_str(), reason = reason.map(EndedReason::as_str), "call accepted");
        Ok(Placed { call: placed, contact, status, reason, replayed: false })
    }

    fn record_of(&self, placeable: &Placeable, request: CallRequest) -> OutboundCall {
        let now = self.clock.now();
        let fresh = || {
            let mut random = [0; 10];
            self.entropy.fill(&mut random);
            NewId::at(now, random)
        };
        OutboundCall {
            id: fresh().into(),
            contact: fresh().into(),
            tenant: placeable.number.tenant,
            organization: placeable.number.organization,
            assistant: placeable.assistant.id,
            number: placeable.number.id,
            trunk: placeable.trunk.id,
            destination: request.destination,
            customer_name: request.customer_name,
            variables: request.variables,
            callback_url: request.callback_url,
            created_at: now,
        }
    }

    async fn prepare(
        &self,
        call: &OutboundCall,
        placeable: &Placeable,
    ) -> Result<Box<dyn PreparedLeg>, EndedReason> {
        let trunk = &placeable.trunk;
        let to =
            call.destination.dialled(trunk.default_country.as_ref()).ok_or(EndedReason::InvalidNumber)?;
        let plan = DialPlan {
            call: call.id,
            trunk: trunk.clone(),
            from: placeable.number.number.clone(),
            to,
            formats: formats(trunk),
            detects: Conversation::detects(&placeable.assistant),
        };
        self.telephony.prepare(plan).await.map_err(|refused| match refused {
            Refused::Unreachable(cause) => {
                tracing::warn!(call = %call.id, trunk = %trunk.id, cause = cause.map(|cause| causes(cause.as_ref())), "the trunk cannot take the call");
                EndedReason::TrunkUnreachable
            }
            Refused::NoCapacity => EndedReason::CapacityExceeded,
        })
    }
}

/// The problem at the field of the request that brings the values.
fn problem(error: FilledTooLong) -> Problem {
    let field = match error.values {
        ValueSource::Assistant => "assistantId",
        ValueSource::CustomerName => "customerName",
        ValueSource::Variables => "dynamicVariables",
    };
    Fault::FilledTooLong(error.text, error.most).at(field)
}

/// What is offered, best first.
fn formats(trunk: &Trunk) -> Vec<AudioFormat> {
    let narrow = [AudioFormat::Pcmu, AudioFormat::Pcma];
    let first = first_format(trunk);
    iter::once(first).chain(narrow.into_iter().filter(|format| *format != first)).collect()
}

fn first_format(trunk: &Trunk) -> AudioFormat {
    if trunk.wideband { AudioFormat::G722 } else { AudioFormat::Pcmu }
}

fn replayed(earlier: Earlier<Recorded>) -> Result<Placed, PlaceError> {
    let Earlier::Same(Recorded { call, contact, failed: reason }) = earlier else {
        return Err(PlaceError::KeyTaken);
    };
    let status = if reason.is_some() { CallStatus::Failed } else { CallStatus::Calling };
    tracing::info!(%call, "call told again");
    Ok(Placed { call, contact, status, reason, replayed: true })
}
