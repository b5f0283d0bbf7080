//! The media of one call: what was agreed, and the session that runs by it.

use std::future::poll_fn;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use domain::audio::AudioFormat;
use domain::ports::{Detects, Entropy};
use media::srtp::Master;
use media::{Direction, MediaEvent, Negotiated, RtpSocket, Seeds, Session, SourcePolicy};
use sip::crypto::Keyed;
use sip::sdp::{self, Agreed, BadSdp, Local};

/// One call's media, silent until it is started.
pub(crate) struct Line {
    pub(crate) session: Session,
    local: Local,
    formats: Arc<[AudioFormat]>,
    agreed: Option<Agreed>,
    nat: bool,
}

impl Line {
    /// A line on these sockets; `ip` is our address as the caller sees it. With `nat` the caller's audio
    /// may come from another address than its description names.
    pub(crate) fn new(
        socket: RtpSocket,
        ip: IpAddr,
        formats: Arc<[AudioFormat]>,
        nat: bool,
        entropy: &dyn Entropy,
    ) -> Self {
        let mut id = [0; 8];
        entropy.fill(&mut id);
        // Some peers keep the id in a signed 64-bit number.
        let id = u64::from_be_bytes(id) >> 1;
        let mut key = [0; 30];
        entropy.fill(&mut key);
        let address = SocketAddr::new(ip, socket.port());
        let session = Session::new(socket, Seeds::draw(entropy));
        Self {
            session,
            local: Local {
                address,
                id,
                version: 1,
                keyed: Some(Keyed { ours: Master::new(&key), required: false }),
            },
            formats,
            agreed: None,
            nat,
        }
    }

    /// The answer to the caller's offer; takes effect with [`Line::start`].
    pub(crate) fn answer(&mut self, offer: &[u8]) -> Result<Vec<u8>, BadSdp> {
        let (answer, agreed) = self.local.answer(offer, &self.formats)?;
        self.agreed = Some(agreed);
        Ok(answer)
    }

    /// The answer to a later offer, or an offer when the caller asks for one.
    pub(crate) fn renew(&mut self, offer: Option<&[u8]>) -> Result<Vec<u8>, BadSdp> {
        self.local.version += 1;
        match offer {
            Some(offer) => self.answer(offer),
            None => Ok(self.offer()),
        }
    }

    /// Our offer, when the caller made none.
    pub(crate) fn offer(&self) -> Vec<u8> {
        self.local.offer(&self.formats, sdp::Direction::SendRecv)
    }

    /// Takes the caller's answer to our offer.
    pub(crate) fn answered(&mut self, answer: &[u8]) -> Result<(), BadSdp> {
        self.agreed = Some(self.local.accept_answer(answer, &self.formats)?);
        Ok(())
    }

    /// The agreed format, once there is one.
    pub(crate) fn format(&self) -> Option<AudioFormat> {
        self.agreed.map(|agreed| agreed.format)
    }

    /// Starts to send and hear by what was agreed last, or goes on by it.
    pub(crate) fn start(&mut self) {
        if let Some(agreed) = self.agreed {
            self.session.start(Negotiated {
                format: agreed.format,
                payload_type: agreed.payload_type,
                telephone_event: agreed.telephone_event,
                remote: agreed.remote,
                direction: direction(agreed.direction),
                sources: SourcePolicy { nat: self.nat, ..SourcePolicy::default() },
                detects: Detects { speech: true, tones: false },
                protection: agreed.protection(&self.local),
            });
        }
    }

    /// The next thing heard; never comes before [`Line::start`]. Cancel-safe.
    pub(crate) async fn next(&mut self) -> MediaEvent {
        poll_fn(|context| self.session.poll_event(context)).await
    }
}

fn direction(agreed: sdp::Direction) -> Direction {
    match agreed {
        sdp::Direction::SendRecv => Direction::SendReceive,
        sdp::Direction::SendOnly => Direction::SendOnly,
        sdp::Direction::RecvOnly => Direction::ReceiveOnly,
        sdp::Direction::Inactive => Direction::Inactive,
    }
}
