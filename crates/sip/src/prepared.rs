//! A call that is ready to be dialled.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use async_trait::async_trait;
use domain::audio::AudioFormat;
use domain::ports::{Detects, DialIntent, DialPlan, Leg, PreparedLeg, SendFailed};
use domain::trunk::{Srtp, Transport, Trunk, TrunkAddress};
use media::{RtpSocket, Seeds, Session};
use rsipstack::sip::Header;
use tokio::sync::mpsc;

use crate::call::{Call, State, WAITING_COMMANDS, WAITING_SIGNALS};
use crate::core::Core;
use crate::crypto::Keyed;
use crate::dialog::Dialog;
use crate::leg::SipLeg;
use crate::login::Login;
use crate::sdp;
use crate::stack::Flow;

/// An INVITE that was not sent; dropping it frees its media port.
pub(crate) struct Prepared {
    core: Arc<Core>,
    trunk: Trunk,
    formats: Vec<AudioFormat>,
    detects: Detects,
    intent: DialIntent,
    identity: Vec<Header>,
    dialog: Dialog,
    local: sdp::Local,
    flow: Flow,
    further: VecDeque<SocketAddr>,
    media: Session,
}

impl Prepared {
    /// Builds the INVITE of `plan` for the gateway that `flow` leads to.
    pub(crate) fn new(
        core: Arc<Core>,
        plan: DialPlan,
        flow: Flow,
        further: VecDeque<SocketAddr>,
        socket: RtpSocket,
    ) -> Self {
        let trunk = plan.trunk;
        let sent_by = core.sent_by(&trunk, flow.peer);
        let domain = from_domain(&trunk);
        let from = format!("<sip:{}@{domain}>", plan.from);
        let target = format!("sip:{}@{}", plan.to, trunk.address);
        let dialog = Dialog {
            call_id: core.tokens.call_id(sent_by),
            local_tag: core.tokens.tag(),
            from: from.clone(),
            to: format!("<{target}>"),
            remote_tag: None,
            target,
            route_set: Vec::new(),
            cseq: 1,
            transport: trunk.transport,
            sent_by,
        };
        let intent = DialIntent {
            trunk: trunk.id,
            call_id: dialog.call_id.clone(),
            local_tag: dialog.local_tag.clone(),
            branch: core.tokens.invite_branch(sent_by),
            cseq: dialog.cseq,
            request_uri: dialog.target.clone(),
            from: dialog.from.clone(),
            to: dialog.to.clone(),
            transport: trunk.transport.as_str().to_owned(),
            gateway: flow.peer.to_string(),
        };
        let local = sdp::Local {
            address: SocketAddr::new(sent_by.ip(), socket.port()),
            id: core.tokens.session_id(),
            version: 1,
            keyed: (trunk.srtp == Srtp::Required)
                .then(|| Keyed { ours: core.tokens.master(), required: true }),
        };
        let seeds = Seeds::draw(core.tokens.entropy());
        Self {
            trunk,
            formats: plan.formats,
            detects: plan.detects,
            intent,
            identity: vec![Header::PAssertedIdentity(from.into())],
            dialog,
            local,
            flow,
            further,
            media: Session::new(socket, seeds),
            core,
        }
    }

    /// A stream may have broken since: as no byte was sent, any gateway will do.
    async fn reach(&mut self) -> Result<(), SendFailed> {
        if !self.flow.is_broken() {
            return Ok(());
        }
        let gateways = std::iter::once(self.flow.peer).chain(self.further.drain(..)).collect();
        let host = self.trunk.address.host.clone();
        // Connections belong to our runtime, not to the caller's.
        let opening = open_first(self.core.clone(), self.flow.transport, gateways, host);
        let opened = self.core.runtime.spawn(opening).await;
        let opened = opened.unwrap_or_else(|panicked| Err(io::Error::other(panicked)));
        (self.flow, self.further) = opened.map_err(|error| SendFailed(error.into()))?;
        Ok(())
    }
}

/// A way to the first gateway that can be connected to, and the gateways after it.
pub(crate) async fn open_first(
    core: Arc<Core>,
    transport: Transport,
    mut gateways: VecDeque<SocketAddr>,
    host: String,
) -> io::Result<(Flow, VecDeque<SocketAddr>)> {
    let limit = core.timers.prepare;
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the trunk has no gateway");
    while let Some(gateway) = gateways.pop_front() {
        match tokio::time::timeout(limit, core.stack.flow(transport, gateway, &host)).await {
            Ok(Ok(flow)) => return Ok((flow, gateways)),
            Ok(Err(error)) => failure = error,
            Err(elapsed) => failure = elapsed.into(),
        }
    }
    Err(failure)
}

#[async_trait]
impl PreparedLeg for Prepared {
    fn intent(&self) -> &DialIntent {
        &self.intent
    }

    async fn send(mut self: Box<Self>) -> Result<Box<dyn Leg>, SendFailed> {
        self.reach().await?;
        let (signals, news) = mpsc::channel(WAITING_SIGNALS);
        let (orders, commands) = mpsc::channel(WAITING_COMMANDS);
        let login =
            Login::of(&self.trunk, std::iter::once(self.flow.peer).chain(self.further.iter().copied()));
        let registration = self.core.table.enter(self.trunk.id, &self.dialog.call_id, &self.dialog.local_tag);
        let runtime = self.core.runtime.clone();
        let call_id = self.intent.call_id.clone();
        let call = Box::new(Call {
            core: self.core,
            trunk: self.trunk,
            login,
            formats: self.formats,
            detects: self.detects,
            intent: self.intent,
            identity: self.identity,
            dialog: self.dialog,
            local: self.local,
            flow: self.flow,
            further: self.further,
            registration,
            signals: Some(signals),
            commands,
            state: State::default(),
        });
        runtime.spawn(call.run());
        Ok(Box::new(SipLeg::new(call_id, news, orders, self.media)))
    }
}

/// The host part of our From.
pub(crate) fn from_domain(trunk: &Trunk) -> String {
    // What is no host must not get into a header.
    let wanted = trunk.from_domain.as_deref().and_then(TrunkAddress::parse);
    let host = wanted.map_or_else(|| trunk.address.host.clone(), |wanted| wanted.host);
    TrunkAddress { host, port: None }.to_string()
}
