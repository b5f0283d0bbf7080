//! The quick start of docs/api.md, run as it stands there.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tokio::time::Instant;

use crate::support::installation::PROGRAM;
use crate::support::{Installation, PATIENCE};
use test_ports::free_port;

/// A block of commands and the answer that stands under it, if one does.
struct Step {
    commands: String,
    answer: Option<Value>,
}

#[tokio::test]
async fn the_quick_start_does_what_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let steps = steps(&std::fs::read_to_string(root.join("docs/api.md")).unwrap());
    assert_eq!(steps.iter().filter(|step| step.answer.is_some()).count(), 6, "answers to be checked");
    // A database and ports of its own; what the text sets itself stays as the text sets it.
    let installation = Installation::new(&[]).await;
    let folder = installation.data();
    std::os::unix::fs::symlink(root.join("examples"), folder.join("examples")).unwrap();
    let said = run(&installation, &script(&steps));

    let parts: Vec<&str> = said.split(MARK).collect();
    assert_eq!(parts.len(), steps.len() + 1, "it ended early:\n{said}");
    for (step, told) in steps.iter().zip(parts) {
        let Some(expected) = &step.answer else { continue };
        // The last line is the answer; before it may stand what was asked while waiting.
        let last = told.trim().lines().last().unwrap_or_default();
        let answer = serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {told}"));
        same_shape(expected, &answer, "");
    }
}

const MARK: &str = "--- next ---";

/// The commands of all blocks, in one shell.
fn script(steps: &[Step]) -> String {
    let blocks = steps.iter().map(|step| format!("{}\nprintf '\\n{MARK}\\n'\n", step.commands));
    format!("set -euo pipefail\n{}", blocks.collect::<String>())
}

/// Reads the blocks that are marked, in order.
fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut rest = text;
    while let Some((_, block)) = rest.split_once("\n```sh quickstart\n") {
        let (commands, after) = block.split_once("\n```\n").unwrap();
        let answer = after.trim_start().strip_prefix("```json\n").map(|json| {
            let (json, _) = json.split_once("\n```\n").unwrap();
            serde_json::from_str(json).unwrap()
        });
        steps.push(Step { commands: commands.to_owned(), answer });
        // The closing fence's line break may begin the next block's fence.
        rest = &block[commands.len() + 4..];
    }
    steps
}

/// Runs a script in the folder of an installation and gives what it printed.
fn run(installation: &Installation, script: &str) -> String {
    let folder = installation.data();
    let (http, phone, port) = (free_port(), free_port(), free_port());
    let path = format!(
        "{}:{}",
        Path::new(PROGRAM).parent().unwrap().display(),
        std::env::vars().find(|(name, _)| name == "PATH").unwrap().1
    );
    let printed = folder.join("printed");
    let failed = folder.join("failed");
    let mut command = Command::new("bash");
    for (name, value) in installation.command().get_envs() {
        // The text says itself what it needs of these.
        let own = ["CALLWRIGHT__DATA_DIR", "CALLWRIGHT__CALLBACKS__ALLOWED_NETWORKS"];
        match value {
            Some(value) if !own.iter().any(|own| name == *own) => command.env(name, value),
            _ => command.env_remove(name),
        };
    }
    let child = command
        .args(["-c", script])
        .current_dir(folder)
        .env("PATH", path)
        .env("CALLWRIGHT__HTTP__LISTEN", http.to_string())
        .env("BASE", format!("http://{http}"))
        .env("PHONE", phone.to_string())
        .env("PORT", port.port().to_string())
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(&printed).unwrap())
        .stderr(std::fs::File::create(&failed).unwrap())
        .process_group(0)
        .spawn()
        .unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
    let status = Group(child).wait();
    assert!(
        status.is_some_and(|status| status.success()),
        "{status:?}\n{}\n{}\nserver: {}\nphone: {}\nreceiver: {}",
        read("printed"),
        read("failed"),
        read("server.log"),
        read("phone.log"),
        read("callbacks.log"),
    );
    read("printed")
}

/// A shell with all that it started; none of them outlives it.
struct Group(Child);

impl Group {
    fn wait(mut self) -> Option<std::process::ExitStatus> {
        let deadline = Instant::now() + 2 * PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.0.try_wait().unwrap() {
                return Some(status);
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        None
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let group = rustix::process::Pid::from_child(&self.0);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        let _ = self.0.wait();
    }
}

/// Ids, times and durations may differ from those in the text, everything else may not.
fn same_shape(expected: &Value, answer: &Value, place: &str) {
    match (expected, answer) {
        (Value::Object(expected), Value::Object(answer)) => {
            let names = |object: &serde_json::Map<String, Value>| {
                let mut names: Vec<String> = object.keys().cloned().collect();
                names.sort();
                names
            };
            assert_eq!(names(expected), names(answer), "{place}");
            for (name, value) in expected {
                same_shape(value, &answer[name], &format!("{place}/{name}"));
            }
        }
        (Value::Array(expected), Value::Array(answer)) => {
            assert_eq!(expected.len(), answer.len(), "{place}");
            for (expected, answer) in expected.iter().zip(answer) {
                same_shape(expected, answer, &format!("{place}[]"));
            }
        }
        (Value::Number(_), Value::Number(answer)) if place.ends_with("/duration") => {
            assert!(answer.is_u64(), "{place}: {answer}");
        }
        (Value::String(expected), Value::String(answer)) => {
            assert_eq!(form(expected), form(answer), "{place}: {answer}");
        }
        _ => assert_eq!(expected, answer, "{place}"),
    }
}

/// What kind of text it is, or the text itself.
fn form(text: &str) -> String {
    let pattern: String =
        text.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
    let is_uuid = text.len() == 36 && text.bytes().filter(|byte| *byte == b'-').count() == 4;
    let tells_length = ["seconds.", "secondes."].iter().any(|end| text.ends_with(end));
    if let Some((address, _)) = text.split_once("?expires=") {
        let (_, file) = address.rsplit_once('/').unwrap();
        return format!("an address of {file}");
    }
    match pattern.as_str() {
        "0000-00-00T00:00:00.000Z" => "a time".to_owned(),
        "0000…" => "an id".to_owned(),
        _ if is_uuid => "an id".to_owned(),
        _ if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => "a number".to_owned(),
        _ if tells_length => text.split(|letter: char| letter.is_ascii_digit()).collect(),
        _ => text.to_owned(),
    }
}
