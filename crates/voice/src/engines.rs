//! Which engine speaks for an assistant.

use std::sync::Arc;

use domain::assistant::{Brain, Realtime};
use domain::ports::{AgentSession, AgentSpec, VoiceAgent};
use egress::{Resolve, SystemResolver, WayOut};
use tokio::runtime::Handle;

use crate::cascade;
use crate::keys::Keys;
use crate::link::{self, Ends};
use crate::provider::{Client, Limits};
use crate::realtime;
use crate::settings::{Settings, Timeouts};

/// The AI engines.
#[derive(Clone, Debug)]
pub struct Engines {
    control: Handle,
    way_out: WayOut,
    client: Client,
    keys: Keys,
    timeouts: Timeouts,
}

impl Engines {
    /// Makes them ready, with the system's resolver; nothing is connected before a session is opened.
    pub fn new(settings: Settings) -> Self {
        Self::with_resolver(settings, Arc::new(SystemResolver::default()))
    }

    /// Makes them ready with a resolver of one's own.
    pub fn with_resolver(settings: Settings, resolver: Arc<dyn Resolve>) -> Self {
        let way_out = WayOut::new(settings.policy, &settings.tls, resolver);
        let Timeouts { connect, stall, .. } = settings.timeouts;
        // A stream that stops is begun anew while the conversation still waits for it, as long as `stall`.
        let limits = Limits { connect, head: stall, piece: stall / 2 };
        Self {
            control: settings.control,
            client: Client::new(way_out.clone(), limits),
            way_out,
            keys: Keys::new(settings.credentials, settings.secrets),
            timeouts: settings.timeouts,
        }
    }
}

impl VoiceAgent for Engines {
    fn open(&self, spec: AgentSpec) -> Box<dyn AgentSession> {
        let (handle, ends) = link::pair();
        match &spec.brain {
            Brain::Realtime(realtime) => self.open_realtime(ends, realtime.clone(), spec),
            Brain::Cascade(cascade) => {
                let cascade = cascade.clone();
                let session = cascade::session(ends, spec, cascade, &self.client, &self.keys);
                // It ends by itself when the handle is dropped.
                drop(session.map(|session| self.control.spawn(session.run())));
            }
        }
        Box::new(handle)
    }
}

impl Engines {
    fn open_realtime(&self, ends: Ends, realtime: Realtime, spec: AgentSpec) {
        let door = match realtime::door(&realtime, spec.tenant, &self.keys) {
            Ok(door) => door,
            Err(failure) => return ends.teller.broken(failure),
        };
        let session = realtime::run(ends, spec, realtime, door, self.way_out.clone(), self.timeouts);
        // It ends by itself when the handle is dropped.
        drop(self.control.spawn(session));
    }
}
