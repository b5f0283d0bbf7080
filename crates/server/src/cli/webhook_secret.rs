//! `callwright webhook-secret`.

use std::time::Duration;

use anyhow::Context;
use application::create_organization::signing_secret;
use clap::Subcommand;
use domain::ids::OrganizationId;
use domain::scope::Reach;
use domain::secret::Secret;
use domain::timestamp::rfc3339;
use serde_json::json;
use webhooks::secret_text;

use super::office::Desk;
use super::output::{Fields, Output};
use super::parse;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Show the secret in force.
    Show {
        /// The organization whose callbacks it signs.
        #[arg(long, value_parser = parse::organization)]
        organization: OrganizationId,
    },
    /// Put a new secret in force; the old one signs beside it for a while.
    Rotate {
        /// The organization whose callbacks it signs.
        #[arg(long, value_parser = parse::organization)]
        organization: OrganizationId,
        /// How many hours the old secret signs beside the new one, 0 to 720.
        #[arg(long, value_name = "HOURS", default_value_t = 24, value_parser = clap::value_parser!(u32).range(0..=720))]
        overlap: u32,
    },
}

pub(super) async fn run(command: Command, desk: &Desk, output: Output) -> anyhow::Result<()> {
    let fields = match command {
        Command::Show { organization } => {
            let secrets =
                desk.signing.show_signing_secrets(Reach::Everything, organization, desk.deed()).await;
            let secrets = secrets.with_context(|| format!("organization {organization}"))?;
            let mut fields = shown(organization, &secrets.current);
            let previous = secrets.previous.map(|previous| secret_text::encode(previous.reveal()));
            fields.push(("previous", json!(previous)));
            fields
        }
        Command::Rotate { organization, overlap } => {
            let fresh = signing_secret(desk.entropy.as_ref());
            let until = desk.now() + Duration::from_hours(overlap.into());
            let (reach, deed) = (Reach::Everything, desk.deed());
            let (signing, secret) = (&desk.signing, fresh.clone());
            let rotated = signing.rotate_signing_secret(reach, organization, None, secret, until, deed).await;
            rotated.with_context(|| format!("organization {organization}"))?;
            let mut fields = shown(organization, &fresh);
            fields.push(("previousSignsUntil", json!(rfc3339(until))));
            fields
        }
    };
    output.object(&fields)?;
    Ok(())
}

fn shown(organization: OrganizationId, secret: &Secret<Vec<u8>>) -> Fields {
    vec![("id", json!(organization.to_string())), ("secret", json!(secret_text::encode(secret.reveal())))]
}
