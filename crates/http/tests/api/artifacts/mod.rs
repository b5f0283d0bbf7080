//! `GET /artifacts/…`, and the addresses that `GET /api/calls/{id}` tells.

mod addresses;
mod conditions;
mod kept;
mod streaming;

use domain::call::{ArtifactKey, ArtifactKind};
use domain::ids::CallId;
use domain::ports::{ArtifactBody, Clock};
use url::Url;
use uuid::Uuid;

use crate::support::store::{ORGANIZATION, TENANT};
use crate::support::wire::Request;
use crate::support::{App, store};

const RECORDING: ArtifactKey = ArtifactKey {
    tenant: store::TENANT,
    organization: store::ORGANIZATION,
    call: CallId::from_uuid(Uuid::from_u128(0x00A1)),
    kind: ArtifactKind::Recording,
};

/// A service that keeps "0123456789" as a recording.
async fn with_a_recording() -> App {
    let app = App::start().await;
    app.artifacts().put(&RECORDING, ArtifactBody::Text("0123456789".into())).await.unwrap();
    app
}

/// Path and query of a fresh address.
async fn target(app: &App, key: &ArtifactKey) -> String {
    target_of(&app.artifacts().sign(key, app.clock.now()).await.unwrap())
}

fn target_of(address: &Url) -> String {
    format!("{}?{}", address.path(), address.query().unwrap())
}

/// Asks for the recording by a fresh address.
async fn ask(app: &App, method: &str) -> Request {
    app.request(method, &target(app, &RECORDING).await)
}
