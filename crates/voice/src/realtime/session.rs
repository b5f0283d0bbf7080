//! The life of a session: connect, talk, and connect again with all that was said when that is lost.

use std::time::Duration;

use bytes::Bytes;
use domain::assistant::Realtime;
use domain::audio::AudioFormat;
use domain::ports::AgentSpec;
use egress::WayOut;
use tokio::time::{Instant, sleep_until, timeout};

use super::client_event::{self, AppendWriter};
use super::complaint::SESSION;
use super::connecting::connect;
use super::dialect;
use super::dialogue::{Character, Dialogue, Output, Trouble};
use super::echo::Echo;
use super::handshake::Door;
use super::pulse::{Due, Pulse};
use super::reconnects::Reconnects;
use super::server_event::ServerEvent;
use super::socket::{Incoming, Socket};
use crate::link::{Ends, Overflow, Told};
use crate::settings::Timeouts;
use crate::sound::{FromProvider, ToProvider};

/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_secs(1);

/// Why a session ends.
#[derive(Debug)]
enum End {
    /// Nobody wants it any more.
    Dropped,
    /// It cannot go on.
    Broken(String),
    /// That was told already.
    Told,
}

impl From<Overflow> for End {
    fn from(_: Overflow) -> Self {
        Self::Told
    }
}

/// What there is of a connection.
#[derive(Debug)]
struct Line {
    socket: Socket,
    pulse: Pulse,
    /// The callee's sound to the provider; none before the provider confirmed how it is configured.
    sound: Option<ToProvider>,
}

/// A session.
#[derive(Debug)]
pub(super) struct Session {
    ends: Ends,
    spec: AgentSpec,
    realtime: Realtime,
    way_out: WayOut,
    door: Door,
    timeouts: Timeouts,
    dialogue: Dialogue,
    /// The call's format, once it was answered.
    call: Option<AudioFormat>,
    reconnects: Reconnects,
    heard: Vec<u8>,
    encoded: Vec<u8>,
    append: AppendWriter,
}

impl Session {
    pub(super) fn new(
        ends: Ends,
        spec: AgentSpec,
        realtime: Realtime,
        character: Character,
        way_out: WayOut,
        door: Door,
        timeouts: Timeouts,
    ) -> Self {
        Self {
            ends,
            spec,
            realtime,
            way_out,
            door,
            timeouts,
            dialogue: Dialogue::new(character),
            call: None,
            reconnects: Reconnects::default(),
            heard: Vec::new(),
            encoded: Vec::new(),
            append: AppendWriter::default(),
        }
    }

    /// Lives until the handle is dropped or nothing helps any more.
    pub(super) async fn run(mut self) {
        match self.live().await {
            End::Dropped | End::Told => {}
            // Whoever has the handle logs it.
            End::Broken(cause) => self.ends.teller.broken(cause),
        }
        let dropped = self.ends.ear.dropped();
        if dropped > 0 {
            tracing::warn!(frames = dropped, "the provider did not hear all of the callee");
        }
    }

    async fn live(&mut self) -> End {
        loop {
            let socket = match self.connect().await {
                Ok(socket) => socket,
                Err(end) => return end,
            };
            let connected = Instant::now();
            let pulse = Pulse::new(self.timeouts, connected);
            let cause = match self.talk(Line { socket, pulse, sound: None }).await {
                Ok(cause) => cause,
                Err(end) => return end,
            };
            self.dialogue.lost();
            if let Err(Overflow) = self.tell_all() {
                return End::Told;
            }
            if !self.reconnects.may_follow(connected.elapsed(), self.timeouts.between_reconnects) {
                return End::Broken(cause);
            }
            tracing::warn!(cause, "a connection to a provider is lost and made anew");
        }
    }

    /// Connects, while orders are still taken.
    async fn connect(&mut self) -> Result<Socket, End> {
        let Self { way_out, door, timeouts, .. } = &*self;
        let (way_out, door, limit) = (way_out.clone(), door.clone(), timeouts.connect);
        let mut connecting = std::pin::pin!(connect(&way_out, &door, limit));
        loop {
            tokio::select! {
                biased;
                told = self.ends.orders.recv() => self.take(told)?,
                connected = &mut connecting => return connected.map_err(End::Broken),
            }
        }
    }

    /// Talks until the connection is lost, and tells why.
    async fn talk(&mut self, mut line: Line) -> Result<String, End> {
        if let Some(call) = self.call {
            self.configure(&mut line, call);
        }
        loop {
            let listens = line.sound.is_some() && !line.socket.is_congested();
            let done = tokio::select! {
                incoming = line.socket.next() => self.incoming(&mut line, incoming),
                told = self.ends.orders.recv() => {
                    let begun = self.call.is_some();
                    if let Err(end) = self.take(told) {
                        let _ = timeout(GOODBYE, line.socket.close()).await;
                        return Err(end);
                    }
                    if let (false, Some(call)) = (begun, self.call) {
                        self.configure(&mut line, call);
                    }
                    line.pulse.ordered(Instant::now(), self.dialogue.is_owed());
                    Ok(())
                }
                () = self.ends.ear.heard(), if listens => {
                    self.pass_on(&mut line);
                    Ok(())
                }
                () = sleep_until(line.pulse.next()) => match line.pulse.look(Instant::now()) {
                    Due::GiveUp(trouble) => Err(trouble),
                    Due::Ping => {
                        line.socket.ping();
                        Ok(())
                    }
                    Due::Nothing => Ok(()),
                },
            };
            self.put_out(&mut line)?;
            match done {
                Ok(()) => {}
                Err(Trouble::Lost(cause)) => return Ok(cause),
                Err(Trouble::Broken(cause)) => return Err(End::Broken(cause)),
            }
        }
    }

    fn incoming(&mut self, line: &mut Line, incoming: Incoming) -> Result<(), Trouble> {
        let now = Instant::now();
        if !matches!(incoming, Incoming::Room) {
            line.pulse.beat(now);
        }
        match incoming {
            Incoming::SignOfLife | Incoming::Room => Ok(()),
            Incoming::Closed(code) => Err(Trouble::Lost(match code {
                Some(code) => format!("the provider closed the connection ({code})"),
                None => "the connection broke".to_owned(),
            })),
            Incoming::Event(text) => {
                let event = ServerEvent::parse(&text)
                    .map_err(|not_an_event| Trouble::Broken(not_an_event.to_string()))?;
                let heard = match event {
                    ServerEvent::SessionUpdated(echo) => self.confirmed(line, echo),
                    event => self.dialogue.hear(event),
                };
                line.pulse.event(now, self.dialogue.is_owed());
                heard
            }
        }
    }

    /// Tells the provider who it is and in which format the call is.
    fn configure(&self, line: &mut Line, call: AudioFormat) {
        let session = dialect::session(self.realtime.dialect, &self.realtime, &self.spec, call);
        send(&mut line.socket, &client_event::session_update(SESSION, &session));
        line.pulse.configured(Instant::now());
    }

    /// The provider's word on how it is configured; only its first counts.
    fn confirmed(&mut self, line: &mut Line, echo: Echo) -> Result<(), Trouble> {
        let Some(call) = self.call.filter(|_| line.sound.is_none()) else { return Ok(()) };
        let unknown = || Trouble::Broken("the provider speaks or hears in an unknown format".to_owned());
        let (input, output) = echo.input.zip(echo.output).ok_or_else(unknown)?;
        let to = ToProvider::new(call, input).map_err(|error| Trouble::Broken(error.to_string()))?;
        let from = FromProvider::new(output, call).map_err(|error| Trouble::Broken(error.to_string()))?;
        tracing::debug!(?input, ?output, ?call, "a session stands");
        line.sound = Some(to);
        line.pulse.confirmed();
        // What was ordered while there was no connection has to be known before it is back.
        while let Ok(told) = self.ends.orders.try_recv() {
            let _ = self.take(Some(told));
        }
        self.dialogue.opened(from, output);
        Ok(())
    }

    /// Takes what the handle says; it is gone when it says nothing more.
    fn take(&mut self, told: Option<Told>) -> Result<(), End> {
        match told {
            None => Err(End::Dropped),
            Some(Told::Begin(format)) => {
                self.call = self.call.or(Some(format));
                Ok(())
            }
            Some(Told::Restored) => {
                self.dialogue.restored();
                Ok(())
            }
            Some(Told::Order(order)) => self.dialogue.order(order).map_err(|trouble| match trouble {
                Trouble::Broken(cause) | Trouble::Lost(cause) => End::Broken(cause),
            }),
        }
    }

    /// Lets the provider hear what the callee said.
    fn pass_on(&mut self, line: &mut Line) {
        let Some(sound) = &mut line.sound else { return };
        self.heard.clear();
        self.ends.ear.take(&mut self.heard);
        self.encoded.clear();
        sound.push(&self.heard, &mut self.encoded);
        if !self.encoded.is_empty() {
            line.socket.send(self.append.write(&self.encoded));
        }
    }

    fn put_out(&mut self, line: &mut Line) -> Result<(), Overflow> {
        while let Some(output) = self.dialogue.next_output() {
            match output {
                Output::Send(event) => send(&mut line.socket, &event),
                Output::Tell(event) => self.ends.teller.tell(event)?,
            }
        }
        Ok(())
    }

    /// Tells what is left to tell; there is nobody to send anything to.
    fn tell_all(&mut self) -> Result<(), Overflow> {
        while let Some(output) = self.dialogue.next_output() {
            if let Output::Tell(event) = output {
                self.ends.teller.tell(event)?;
            }
        }
        Ok(())
    }
}

fn send(socket: &mut Socket, event: &client_event::ClientEvent) {
    socket.send(Bytes::from(event.to_string()));
}
