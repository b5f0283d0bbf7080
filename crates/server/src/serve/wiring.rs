//! Every room meets every other here: ports get their adapters.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use application::authenticate::Authenticate;
use application::causes::causes;
use application::conclude_call::ConcludeCall;
use application::create_organization::CreateOrganization;
use application::deliver_callbacks::DeliverCallbacks;
use application::in_flight::InFlight;
use application::keep_house::KeepHouse;
use application::keep_node::{KeepNode, NodeLease};
use application::people::offer_set_up;
use application::place_call::PlaceCall;
use application::replace_metadata::ReplaceMetadata;
use application::run_call::RunCall;
use application::set_up_test_line::SetUpTestLine;
use application::supervisor::CallSupervisor;
use application::take_over::TakeOver;
use application::watch_trunks::WatchTrunks;
use dashboard::{Calling, Dashboard};
use domain::ids::{BootId, NodeId};
use domain::ports::{Analyses, Clock, Entropy, Nodes};
use http_api::{Gate, Service};
use json_schema::JsonSchemaJudge;
use passwords::Argon2Passwords;
use postgres::Store;
use sip::SipTelephony;
use tokio::task::JoinHandle;
use url::Url;

use super::afterwards::Afterwards;
use super::built_in_phone::BuiltInPhone;
use super::keys;
use super::node::{Identity, boot_id, identity};
use super::runtimes::Runtimes;
use super::shutdown::Signals;
use crate::adapters::{self, ArtifactStore};
use crate::config::Settings;
use crate::secrets::KeyFile;
use crate::spool::DiskSpool;
use crate::trust;

/// After the drain limit, calls that are left have so long to end and be recorded.
const END_LIMIT: Duration = Duration::from_secs(10);

/// Spooled conclusions and callback tries have so long to finish at the end.
const FLUSH_LIMIT: Duration = Duration::from_secs(12);

/// The running service.
pub(super) struct Wiring {
    store: Arc<Store>,
    artifacts: ArtifactStore,
    telephony: Arc<SipTelephony>,
    phone: Arc<BuiltInPhone>,
    place_call: Arc<PlaceCall>,
    conclude: Arc<ConcludeCall>,
    callbacks: Arc<DeliverCallbacks>,
    afterwards: Afterwards,
    supervisor: Arc<CallSupervisor>,
    judge: Arc<JsonSchemaJudge>,
    passwords: Arc<Argon2Passwords>,
    lease: Arc<NodeLease>,
    boot: BootId,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    control: tokio::runtime::Handle,
    loops: Vec<JoinHandle<()>>,
    keep_node: JoinHandle<()>,
    _identity: Identity,
}

impl Wiring {
    /// Builds the service, concludes what earlier starts left behind, and starts its loops.
    pub(super) async fn build(
        settings: &Settings,
        runtimes: &Runtimes,
        store: Store,
        artifacts: ArtifactStore,
        clock: &Arc<dyn Clock>,
        entropy: &Arc<dyn Entropy>,
    ) -> anyhow::Result<Self> {
        let store = Arc::new(store);
        let control = runtimes.control().handle().clone();
        let identity =
            identity(&settings.data_dir, clock.as_ref(), entropy.as_ref()).context("the node's identity")?;
        let boot = boot_id(clock.as_ref(), entropy.as_ref());
        let supervisor = Arc::new(CallSupervisor::new(control.clone(), runtimes.media()));
        let lease = Arc::new(NodeLease::new(Arc::clone(clock)));
        let speech = adapters::speech()?;
        let switched_on = settings.phone.built_in;
        let phone = BuiltInPhone::new(settings.sip.listen, speech.clone(), Arc::clone(entropy), switched_on);
        let mut sip = adapters::sip_settings(settings)?;
        sip.known_hosts.push(phone.known_host());
        let telephony = SipTelephony::start(sip, Arc::clone(entropy)).await.context("SIP__LISTEN")?;
        phone.admit(telephony.local_addr());
        let agents = adapters::engines(settings, control.clone())?;
        let recorder =
            media::DiskRecorder::open(&settings.data_dir.join("records")).context("the records' folder")?;
        let judge = Arc::new(JsonSchemaJudge::start().context("threads for metadata schemas")?);
        let passwords = Argon2Passwords::start(Arc::clone(entropy)).context("threads for passwords")?;

        let callbacks = Arc::new(DeliverCallbacks::new(
            store.clone(),
            Arc::new(callback_client(settings, clock)?),
            Arc::clone(clock),
            boot,
            control.clone(),
        ));
        let spool = Arc::new(DiskSpool::open(settings.data_dir.join("spool")).context("the spool")?);
        let conclude =
            Arc::new(ConcludeCall::new(store.clone(), spool, callbacks.clone(), Arc::clone(clock)));
        let take_over = Arc::new(TakeOver {
            nodes: store.clone(),
            callbacks: store.clone(),
            analyses: store.clone(),
            telephony: telephony.clone(),
            conclude: conclude.clone(),
            clock: Arc::clone(clock),
            boot,
        });
        let keep_node = Arc::new(KeepNode::new(
            store.clone(),
            lease.clone(),
            supervisor.clone(),
            take_over.clone(),
            Arc::clone(clock),
            boot,
        ));
        let kept = artifacts.artifacts.clone();
        let afterwards = Afterwards::build(settings, &store, recorder.clone(), kept, clock, boot)?;
        let run_call = Arc::new(RunCall {
            calls: store.clone(),
            conclude: conclude.clone(),
            speech,
            agents,
            recorder,
            supervisor: supervisor.clone(),
            lease: lease.clone(),
            clock: Arc::clone(clock),
            ring_limit: settings.calls.ring_limit,
        });

        let place_call = Arc::new(PlaceCall {
            directory: store.clone(),
            calls: store.clone(),
            telephony: telephony.clone(),
            run_call,
            supervisor: supervisor.clone(),
            lease: lease.clone(),
            boot,
            clock: Arc::clone(clock),
            entropy: Arc::clone(entropy),
            in_flight: InFlight::default(),
        });

        take_up(&store, &conclude, &take_over, identity.node, boot).await?;
        keep_node.beat().await?;

        let mut loops = start_loops(&store, &telephony, &callbacks, &keep_node, clock);
        loops.extend(afterwards.start());
        let keep_node = tokio::spawn(async move { keep_node.run().await });
        Ok(Self {
            store,
            artifacts,
            telephony,
            phone,
            place_call,
            conclude,
            callbacks,
            afterwards,
            supervisor,
            judge,
            passwords: Arc::new(passwords),
            lease,
            boot,
            clock: Arc::clone(clock),
            entropy: Arc::clone(entropy),
            control,
            loops,
            keep_node,
            _identity: identity,
        })
    }

    /// Lets API requests in.
    pub(super) fn open(&self, gate: &Gate, settings: &Settings) {
        gate.open(Service {
            control: self.control.clone(),
            authenticate: Authenticate::new(self.store.clone(), self.clock.clone()),
            place_call: self.place_call.clone(),
            outbound_calls: self.store.clone(),
            call_records: self.store.clone(),
            artifacts: self.artifacts.artifacts.clone(),
            signed_files: self.artifacts.signed_files.clone(),
            organizations: self.store.clone(),
            create_organization: CreateOrganization {
                organizations: self.store.clone(),
                entropy: self.entropy.clone(),
            },
            replace_metadata: ReplaceMetadata { records: self.store.clone(), judge: self.judge.clone() },
            callback_addresses: adapters::addresses(settings, &settings.callbacks.allowed_networks),
        });
    }

    /// Lets people in.
    pub(super) fn open_dashboard(&self, dashboard: &Dashboard, settings: &Settings) {
        let store = Arc::new(self.store.for_pages());
        dashboard.open(dashboard::Service {
            control: self.control.clone(),
            clock: self.clock.clone(),
            entropy: self.entropy.clone(),
            sessions: store.clone(),
            organizations: store.clone(),
            create_organization: CreateOrganization {
                organizations: store.clone(),
                entropy: self.entropy.clone(),
            },
            metadata: store.clone(),
            replace_metadata: ReplaceMetadata { records: store.clone(), judge: self.judge.clone() },
            schemas: store.clone(),
            judge: self.judge.clone(),
            assistants: store.clone(),
            allowed_assistants: adapters::allowed_assistants(settings),
            numbers: store.clone(),
            trunks: store.clone(),
            trunk_addresses: adapters::addresses(settings, &settings.trunks.allowed_networks),
            trunk_reports: self.telephony.clone(),
            accounts: store.clone(),
            tries: store.clone(),
            invitations: store.clone(),
            set_up: store.clone(),
            passwords: self.passwords.clone(),
            deliveries: store.clone(),
            redeliver: self.callbacks.clone(),
            audit: store.clone(),
            board: store.clone(),
            artifacts: self.artifacts.artifacts.clone(),
            access: store.clone(),
            signing: store.clone(),
            calling: Calling {
                place_call: self.place_call.clone(),
                set_up_test_line: SetUpTestLine { lines: store.clone(), entropy: self.entropy.clone() },
                built_in_phone: settings.phone.built_in,
                callback_addresses: adapters::addresses(settings, &settings.callbacks.allowed_networks),
                nodes: store.clone(),
            },
        });
    }

    /// Tells how the first person gets in, as long as there never was a user. It is a warning, so
    /// that it is seen however little is logged.
    pub(super) async fn offer_set_up(&self, public_url: &Url) {
        let (clock, entropy) = (self.clock.as_ref(), self.entropy.as_ref());
        match offer_set_up::offer(self.store.as_ref(), clock, entropy).await {
            Ok(Some(path)) => match public_url.join(path.reveal()) {
                Ok(link) => tracing::warn!(
                    "nobody can sign in to the dashboard yet: set it up within 24 hours at {link} \
                     (or add somebody to a tenant that is there already: `callwright user create`)"
                ),
                Err(error) => tracing::error!(%error, "the set-up has no address"),
            },
            Ok(None) => {}
            Err(error) => tracing::error!(error = causes(&error), "the set-up could not be offered"),
        }
    }

    pub(super) fn lease(&self) -> Arc<NodeLease> {
        self.lease.clone()
    }

    pub(super) fn running_calls(&self) -> usize {
        self.supervisor.running()
    }

    /// Lets live calls finish, at most for `limit` or until another signal; then hangs up.
    pub(super) async fn drain(&self, limit: Duration, signals: &mut Signals) {
        self.supervisor.close();
        tokio::select! {
            () = self.supervisor.drained() => {}
            () = tokio::time::sleep(limit) => {}
            () = signals.next() => tracing::info!("a second signal: live calls are hung up"),
        }
        self.supervisor.end_all(END_LIMIT).await;
        self.conclude.settled(FLUSH_LIMIT).await;
        self.callbacks.flushed(FLUSH_LIMIT).await;
        self.afterwards.filed(FLUSH_LIMIT).await;
    }

    /// Follows the key file, until the end.
    pub(super) fn follow_keys(&mut self, keys: Arc<KeyFile>) {
        self.loops.push(tokio::spawn(keys::follow(keys, self.store.clone(), self.boot)));
    }

    /// Says goodbye to trunks and peers; the heart beats until then.
    pub(super) async fn leave(self) {
        self.loops.iter().for_each(JoinHandle::abort);
        for task in self.loops {
            // It was told to end.
            let _ = task.await;
        }
        self.phone.close().await;
        self.telephony.shutdown().await;
        self.keep_node.abort();
        // Nobody looks for the claims of one that left: what was being analysed would wait for its lease.
        let freed = self.store.release_analyses(&[self.boot]).await.map(|_| ());
        if let Err(error) = freed.and(self.store.leave(self.boot).await) {
            tracing::warn!(
                error = application::causes::causes(&error),
                "the store was not told that this node left; its next start tidies up"
            );
        }
    }
}

/// Concludes what earlier starts of this node left behind.
async fn take_up(
    store: &Store,
    conclude: &ConcludeCall,
    take_over: &TakeOver,
    node: NodeId,
    boot: BootId,
) -> anyhow::Result<()> {
    // What was spooled still holds its fence; taking over first would supersede it.
    let replayed = conclude.replay().await.context("the spool could not be replayed")?;
    let earlier = store.join(node, boot).await?;
    if replayed + earlier.len() > 0 {
        tracing::info!(
            spooled = replayed,
            earlier_boots = earlier.len(),
            "taking up what an earlier start left"
        );
    }
    for dead in earlier {
        take_over.take_over(dead, None).await?;
    }
    Ok(())
}

/// What runs beside the calls until the end.
fn start_loops(
    store: &Arc<Store>,
    telephony: &Arc<SipTelephony>,
    callbacks: &Arc<DeliverCallbacks>,
    keep_node: &KeepNode,
    clock: &Arc<dyn Clock>,
) -> Vec<JoinHandle<()>> {
    let watch = WatchTrunks { directory: store.clone(), telephony: telephony.clone() };
    let (delivering, paced) = (callbacks.clone(), telephony.clone());
    let keep_house = KeepHouse { housekeeping: store.clone(), clock: Arc::clone(clock) };
    let mut live_nodes = keep_node.live_nodes();
    vec![
        tokio::spawn(async move { watch.run().await }),
        tokio::spawn(async move { delivering.run().await }),
        tokio::spawn(async move { keep_house.run().await }),
        tokio::spawn(async move {
            while live_nodes.changed().await.is_ok() {
                paced.set_live_nodes(*live_nodes.borrow_and_update());
            }
        }),
    ]
}

fn callback_client(settings: &Settings, clock: &Arc<dyn Clock>) -> anyhow::Result<webhooks::CallbackClient> {
    let settings = webhooks::Settings {
        policy: adapters::addresses(settings, &settings.callbacks.allowed_networks),
        tls: trust::client_config(settings.callbacks.authorities.as_deref())
            .context("CALLBACKS__TLS__AUTHORITIES")?,
        user_agent: concat!("Callwright/", env!("CARGO_PKG_VERSION")).to_owned(),
        try_limit: domain::callback::TRY_LIMIT,
    };
    Ok(webhooks::CallbackClient::new(settings, clock.clone())?)
}
