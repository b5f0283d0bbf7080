//! One store behind all its ports, as the contracts see it.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use super::fixtures::{TestResult, fresh, moment};
use super::laid::{LaidCall, LaysCalls};
use crate::ports::{
    Access, Accounts, Analyses, Assistants, AuditLog, CallBoard, CallRecords, Callbacks, Deliveries,
    Directory, Filing, Housekeeping, Invitations, MetadataRecords, Nodes, Numbers, Organizations,
    OutboundCalls, Sessions, SetUp, SignInTries, Signing, StoredSchemas, Tenants, TestLines, Trunks,
};

/// The ports of one empty store.
#[derive(Clone)]
pub struct World {
    /// The life of calls.
    pub calls: Arc<dyn OutboundCalls>,
    /// The queue of callbacks.
    pub callbacks: Arc<dyn Callbacks>,
    /// What became of callbacks.
    pub deliveries: Arc<dyn Deliveries>,
    /// Assistants, numbers, trunks.
    pub directory: Arc<dyn Directory>,
    /// Keys.
    pub access: Arc<dyn Access>,
    /// Nodes and boots.
    pub nodes: Arc<dyn Nodes>,
    /// Organizations.
    pub organizations: Arc<dyn Organizations>,
    /// Their metadata.
    pub metadata: Arc<dyn MetadataRecords>,
    /// The schemas that judge it.
    pub schemas: Arc<dyn StoredSchemas>,
    /// The operator's customers.
    pub tenants: Arc<dyn Tenants>,
    /// Their trunks.
    pub trunks: Arc<dyn Trunks>,
    /// Their lines to the built-in phone.
    pub test_lines: Arc<dyn TestLines>,
    /// Numbers of organizations.
    pub numbers: Arc<dyn Numbers>,
    /// Assistants of organizations.
    pub assistants: Arc<dyn Assistants>,
    /// What signs their callbacks.
    pub signing: Arc<dyn Signing>,
    /// Call logs.
    pub records: Arc<dyn CallRecords>,
    /// What people see of calls.
    pub board: Arc<dyn CallBoard>,
    /// Filing what calls leave.
    pub filing: Arc<dyn Filing>,
    /// Analyses of calls.
    pub analyses: Arc<dyn Analyses>,
    /// Users.
    pub accounts: Arc<dyn Accounts>,
    /// Their sessions.
    pub sessions: Arc<dyn Sessions>,
    /// Tries to sign in.
    pub tries: Arc<dyn SignInTries>,
    /// Invitations of users.
    pub invitations: Arc<dyn Invitations>,
    /// The first set-up.
    pub set_up: Arc<dyn SetUp>,
    /// Who changed what.
    pub audit: Arc<dyn AuditLog>,
    /// Upkeep.
    pub housekeeping: Arc<dyn Housekeeping>,
    /// Lays calls down, if [`World::laying`] said how.
    lays: Option<Arc<dyn LaysCalls>>,
    /// Whatever must live as long as the store, e.g. its database.
    _ground: Arc<dyn Any + Send + Sync>,
}

impl World {
    /// Wraps a store; `keep` is dropped with the last clone.
    pub fn new<S>(store: S, keep: impl Any + Send + Sync) -> Self
    where
        S: OutboundCalls
            + Callbacks
            + Deliveries
            + Directory
            + Access
            + Nodes
            + Organizations
            + MetadataRecords
            + StoredSchemas
            + Tenants
            + Trunks
            + TestLines
            + Numbers
            + Assistants
            + Signing
            + CallRecords
            + CallBoard
            + Filing
            + Analyses
            + Accounts
            + Sessions
            + SignInTries
            + Invitations
            + SetUp
            + AuditLog
            + Housekeeping
            + 'static,
    {
        let store = Arc::new(store);
        Self {
            calls: store.clone(),
            callbacks: store.clone(),
            deliveries: store.clone(),
            directory: store.clone(),
            access: store.clone(),
            nodes: store.clone(),
            organizations: store.clone(),
            metadata: store.clone(),
            schemas: store.clone(),
            tenants: store.clone(),
            trunks: store.clone(),
            test_lines: store.clone(),
            numbers: store.clone(),
            assistants: store.clone(),
            signing: store.clone(),
            records: store.clone(),
            board: store.clone(),
            filing: store.clone(),
            analyses: store.clone(),
            accounts: store.clone(),
            sessions: store.clone(),
            tries: store.clone(),
            invitations: store.clone(),
            set_up: store.clone(),
            audit: store.clone(),
            housekeeping: store,
            lays: None,
            _ground: Arc::new(keep),
        }
    }

    /// The same world, in which calls can be laid down.
    #[must_use]
    pub fn laying(self, lays: impl LaysCalls + 'static) -> Self {
        Self { lays: Some(Arc::new(lays)), ..self }
    }

    /// Lays calls down.
    pub(super) async fn lay(&self, calls: &[LaidCall]) -> TestResult {
        self.lays.as_ref().ok_or("nobody lays calls down in this world")?.lay(calls).await
    }

    /// Whether no callback waits, now or later.
    pub(super) async fn owes_nothing(&self) -> TestResult<bool> {
        let far_ahead = moment(99_999);
        let waiting = self.callbacks.claim(fresh().into(), far_ahead, Duration::from_secs(1), &[], 1).await?;
        Ok(waiting.is_empty())
    }
}

/// Runs futures side by side and returns their results in order.
pub(super) async fn together<F>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output>
where
    F: Future,
{
    let running = futures.into_iter().map(|future| (Box::pin(future), None)).collect();
    Together { running }.await
}

type Slot<F> = (Pin<Box<F>>, Option<<F as Future>::Output>);

struct Together<F: Future> {
    running: Vec<Slot<F>>,
}

// The futures themselves are pinned in their boxes.
impl<F: Future> Unpin for Together<F> {}

impl<F: Future> Future for Together<F> {
    type Output = Vec<F::Output>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut waiting = false;
        for (future, output) in &mut self.running {
            if output.is_none() {
                match future.as_mut().poll(cx) {
                    Poll::Ready(value) => *output = Some(value),
                    Poll::Pending => waiting = true,
                }
            }
        }
        if waiting {
            return Poll::Pending;
        }
        Poll::Ready(self.running.drain(..).filter_map(|(_, output)| output).collect())
    }
}
