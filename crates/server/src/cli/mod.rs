//! The command line: `serve`, the operator's commands, and a telephone for trying things out.

mod assistant;
mod call;
mod doctor;
mod key;
mod logging;
mod migrate;
mod number;
mod office;
mod organization;
mod output;
mod parse;
mod phone;
mod schema;
mod secrets;
mod tenant;
mod trunk;
mod user;
mod webhook_secret;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::adapters;
use crate::config::Settings;
use crate::environment::Environment;
use office::Office;
use output::Output;

/// Places telephone calls over SIP and lets a voice assistant talk.
#[derive(Debug, Parser)]
#[command(name = "callwright", version, max_term_width = 100)]
struct Cli {
    /// TOML file with settings; the environment (`CALLWRIGHT__…`) wins over it.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print exactly one JSON object; a telephone prints one for each event.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the service until SIGTERM.
    Serve,
    /// Bring the database's tables up to date.
    Migrate,
    /// Check database, migrations, trunks, media ports and clock; exit with 1 when one fails.
    Doctor,
    /// The operator's customers.
    #[command(subcommand)]
    Tenant(tenant::Command),
    /// The organizations of a tenant.
    #[command(subcommand)]
    Organization(organization::Command),
    /// The secrets that sign an organization's callbacks.
    #[command(subcommand)]
    WebhookSecret(webhook_secret::Command),
    /// What is encrypted where it is stored: trunk passwords, callback secrets, providers' keys.
    #[command(subcommand)]
    Secrets(secrets::Command),
    /// API keys.
    #[command(subcommand)]
    Key(key::Command),
    /// People who sign in to the dashboard.
    #[command(subcommand)]
    User(user::Command),
    /// SIP trunks.
    #[command(subcommand)]
    Trunk(trunk::Command),
    /// Telephone numbers.
    #[command(subcommand)]
    Number(number::Command),
    /// Voice assistants.
    #[command(subcommand)]
    Assistant(assistant::Command),
    /// What the metadata of organizations has to match.
    #[command(subcommand)]
    Schema(schema::Command),
    /// Live calls.
    #[command(subcommand)]
    Call(call::Command),
    /// A telephone that takes calls and does what it is told.
    Phone(phone::Arguments),
    /// The built-in voice's child process.
    #[command(hide = true)]
    Speak,
}

/// Runs the program; wrong usage exits with 2, a failure with 1.
pub fn run(environment: &Environment) -> ExitCode {
    let matches = Cli::command().get_matches();
    // What the derived command has accepted, the derived type can hold.
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let output = Output::new(cli.json);
    let outcome = match cli.command {
        Command::Speak => {
            speech::child::run(std::io::stdin().lock(), std::io::stdout().lock()).map_err(Into::into)
        }
        Command::Phone(arguments) => {
            let steps = matches.subcommand_matches("phone").map(phone::steps).unwrap_or_default();
            phone::run(&arguments, steps, output)
        }
        command => operate(command, cli.config.as_deref(), environment, output),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error);
            ExitCode::FAILURE
        }
    }
}

/// The commands that need settings.
fn operate(
    command: Command,
    config: Option<&std::path::Path>,
    environment: &Environment,
    output: Output,
) -> anyhow::Result<()> {
    let settings = Settings::load(config, environment)?;
    if matches!(command, Command::Serve) {
        let _log = logging::start(&settings.log.level, settings.log.format);
        return crate::serve::run(&settings);
    }
    // A command speaks for itself; only what is wrong is logged beside it.
    let _log = logging::start("warn", settings.log.format);
    let office = || Office::open(&settings);
    match command {
        Command::Serve | Command::Phone(_) | Command::Speak => Ok(()),
        Command::Migrate => migrate::run(&settings, output),
        Command::Doctor => doctor::run(&settings, output),
        Command::Secrets(command) => secrets::run(&command, &settings, output),
        Command::Tenant(command) => office()?.attend(async |desk| tenant::run(command, desk, output).await),
        Command::Organization(command) => {
            office()?.attend(async |desk| organization::run(command, desk, output).await)
        }
        Command::WebhookSecret(command) => {
            office()?.attend(async |desk| webhook_secret::run(command, desk, output).await)
        }
        Command::Key(command) => office()?.attend(async |desk| key::run(command, desk, output).await),
        Command::User(command) => {
            let order = command.with_password(adapters::public_url(&settings, settings.http.listen)?)?;
            office()?.attend(async |desk| user::run(order, desk, output).await)
        }
        Command::Trunk(command) => {
            let order = command.with_password(environment)?;
            office()?.attend(async |desk| trunk::run(order, desk, output).await)
        }
        Command::Call(command) => office()?.attend(async |desk| call::run(command, desk, output).await),
        Command::Number(command) => office()?.attend(async |desk| number::run(command, desk, output).await),
        Command::Assistant(command) => {
            let order = command.read(&settings)?;
            office()?.attend(async |desk| assistant::run(order, desk, output).await)
        }
        Command::Schema(command) => {
            let order = command.read_file()?;
            office()?.attend(async |desk| schema::run(order, desk, output).await)
        }
    }
}

#[cfg(test)]
mod tests;
