//! `realtime-double --listen ADDRESS [--mode MODE] [--key KEY] [--language TAG] [--reply LINE]…`: a
//! double of a Realtime server, for the demonstration and for measurements.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use domain::assistant::{Dialect, Language};
use test_realtime::{Double, Fault, Options, Recogniser, Replies};

const USAGE: &str = "realtime-double --listen ADDRESS [--key KEY] [--language TAG] [--dialect NAME] [--reply LINE]…
    [--heard LINE]… [--speed FACTOR] [--mode pcm-only|beta-names|late-transcript|slow|stall|drop|freeze|fail|expire=SECONDS]

Each --heard line is what the next turn of the caller is taken for; each --reply line is said in turn.";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let (address, options) = match read(std::env::args().skip(1)) {
        Ok(read) => read,
        Err(wrong) => {
            eprint(&format!("{wrong}\n\n{USAGE}"));
            return ExitCode::from(2);
        }
    };
    match Double::listen(address, options).await {
        Ok(double) => {
            print(double.url().as_str());
            std::future::pending().await
        }
        Err(error) => {
            eprint(&format!("{address}: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn read(mut arguments: impl Iterator<Item = String>) -> Result<(SocketAddr, Options), String> {
    let mut address = None;
    let (mut options, mut replies, mut heard) = (Options::default(), Vec::new(), Vec::new());
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
        let wrong = || format!("{name} cannot be {value}");
        match name.as_str() {
            "--listen" => address = Some(value.parse().map_err(|_| wrong())?),
            "--key" => options.key = Some(value),
            "--language" => options.language = Language::parse(&value).ok_or_else(wrong)?,
            "--dialect" => options.dialect = Dialect::parse(&value).ok_or_else(wrong)?,
            "--reply" => replies.push(value),
            "--heard" => heard.push(value),
            "--speed" => options.speed = value.parse().ok().filter(|speed| *speed > 0.0).ok_or_else(wrong)?,
            "--mode" => mode(&value, &mut options).ok_or_else(wrong)?,
            _ => return Err(format!("there is no {name}")),
        }
    }
    if !replies.is_empty() {
        options.replies = Replies::lines(&replies.iter().map(String::as_str).collect::<Vec<_>>());
    }
    options.recogniser = Recogniser::script(heard.iter().map(|line| Some(line.as_str())));
    Ok((address.ok_or("--listen is missing")?, options))
}

fn mode(name: &str, options: &mut Options) -> Option<()> {
    if let Some(seconds) = name.strip_prefix("expire=") {
        options.faults = vec![Fault::Expire(Duration::from_secs(seconds.parse().ok()?))];
        return Some(());
    }
    match name {
        "pcm-only" => options.pcm_only = true,
        "beta-names" => options.beta_names = true,
        "late-transcript" => options.transcript_after = Duration::from_secs(3),
        "slow" => options.speed = 0.5,
        "stall" => options.faults = vec![Fault::Stall],
        "drop" => options.faults = vec![Fault::DropInResponse(1)],
        "freeze" => options.faults = vec![Fault::Freeze],
        "fail" => options.faults = vec![Fault::Fail(u32::MAX)],
        _ => return None,
    }
    Some(())
}

#[expect(clippy::print_stdout, reason = "a program says where it listens")]
fn print(line: &str) {
    println!("{line}");
}

#[expect(clippy::print_stderr, reason = "a program says what is wrong")]
fn eprint(line: &str) {
    eprintln!("{line}");
}
