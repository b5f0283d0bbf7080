//! Measures a running `callwright serve` and says how each figure stands to its limit:
//!
//! `bench calls|api-place|api-status|api-create|api-calls|rate-limit|media|media-realtime|voice|memory|dashboard|flood|flood-peer PROGRAM [FOLDER]`
//!
//! The database lies in the folder, on the disk that it is to be measured with: `/var/tmp`, which
//! is no memory disk, when not given.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a measuring tool: it prints, reads clocks and environment, and stops at the first surprise"
)]
#![allow(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "statistics: counts and nanoseconds become floating-point numbers"
)]

mod api;
mod board;
mod calls;
mod database;
mod desk;
mod dialler;
mod figure;
mod flood;
mod floor;
mod http;
mod installation;
mod lists;
mod machine;
mod media;
mod memory;
mod organizations;
mod pages;
mod peer;
mod pgbench;
mod provider;
mod rate_limit;
mod receiver;
mod sip;
mod talker;
mod telephone;
mod voice;

use std::path::PathBuf;
use std::process::ExitCode;

use figure::Report;
use installation::Installation;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (bench, program) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
    let folder = arguments.next().map_or_else(|| "/var/tmp".into(), PathBuf::from);
    let mut report = Report::default();
    if bench == "rate-limit" {
        // One function of the server: it is measured without the rest.
        println!("{}", machine::describe());
        rate_limit::run(&mut report);
        return report.print();
    }
    let run: fn(&Installation, &mut Report) = match bench.as_str() {
        "calls" => calls::run,
        "api-place" => api::place,
        "api-status" => api::status,
        "api-create" => organizations::create,
        "api-calls" => lists::run,
        "media" => media::builtin,
        "media-realtime" => media::realtime,
        "voice" => voice::run,
        "memory" => memory::run,
        "dashboard" => pages::run,
        "flood" => flood::strangers,
        "flood-peer" => flood::peer,
        _ => {
            println!(
                "usage: bench calls|api-place|api-status|api-create|api-calls|rate-limit|media|media-realtime|voice|memory|dashboard|flood|flood-peer PROGRAM [FOLDER]"
            );
            return ExitCode::FAILURE;
        }
    };
    let log_level = if bench.starts_with("media") { "info,sip::leg=debug" } else { "info" };
    let installation = Installation::serving(PathBuf::from(program), &folder, log_level);
    println!("{}", machine::describe());
    println!("database: {}", database::settings(&installation));
    run(&installation, &mut report);
    report.print()
}
