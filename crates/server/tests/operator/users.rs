//! People of the dashboard: the first set-up that `serve` tells, and `callwright user`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::thread::JoinHandle;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::installation::{Installation, provision};

/// A running server whose log is read.
struct Serving {
    child: Child,
    /// `host:port`.
    address: String,
    lines: Box<dyn Iterator<Item = String> + Send>,
}

impl Serving {
    /// Starts one and waits until it is ready.
    fn start(installation: &Installation) -> Self {
        let mut child = installation.command("serve").stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let mut address = None;
        for line in lines.by_ref() {
            let told: Value = serde_json::from_str(&line).unwrap();
            let own = told["http.address"].as_str().or(told["fields"]["http.address"].as_str());
            address = address.or(own.map(str::to_owned));
            if line.contains(r#""message":"ready""#) {
                break;
            }
        }
        Self { child, address: address.unwrap(), lines: Box::new(lines) }
    }

    /// Waits for the path of the set-up that is offered.
    fn offered(&mut self) -> String {
        let start = format!("http://{}/set-up/", self.address);
        let mut found =
            self.lines.by_ref().filter_map(|line| line.split_once(&start).map(|(_, rest)| rest.to_owned()));
        let rest = found.next().unwrap();
        format!("/set-up/{}", rest.split([' ', '"']).next().unwrap())
    }

    /// Reads on, so that the log blocks nobody, and gives what was told by the end.
    fn read_on(self) -> (Child, String, JoinHandle<Vec<String>>) {
        (self.child, self.address, std::thread::spawn(move || self.lines.collect()))
    }
}

fn end(mut child: Child, told: JoinHandle<Vec<String>>) -> Vec<String> {
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert!(child.wait().unwrap().success());
    told.join().unwrap()
}

/// Sends a form as a browser without scripts does, and gives the answer as it came.
fn post(address: &str, path: &str, form: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = form.len();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nConnection: close\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\n\r\n{form}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap()
}

#[test]
fn an_empty_installation_is_set_up_by_the_link_that_serve_tells_and_by_no_later_one() {
    let installation = Installation::new();
    let mut serving = Serving::start(&installation);
    let path = serving.offered();
    let (child, address, told) = serving.read_on();
    let form = "company=Acme&email=ada%40acme.example&password=correct+horse+battery\
                &organization=Clinic&timezone=Europe%2FParis";
    let done = post(&address, &path, form);
    assert_eq!(status(&done), "303", "{done}");
    assert!(done.contains("__Host-callwright=") && done.contains("/first-steps"), "{done}");
    assert_eq!(status(&post(&address, &path, form)), "404");
    for (password, expected) in [("correct+horse+battery", "303"), ("wrong+horse+battery", "422")] {
        let form = format!("email=ada%40acme.example&password={password}");
        assert_eq!(status(&post(&address, "/sign-in", &form)), expected);
    }
    for line in end(child, told) {
        assert!(!line.contains("horse") && !line.contains(&path), "{line}");
    }
    let (child, _, told) = Serving::start(&installation).read_on();
    for line in end(child, told) {
        assert!(!line.contains("set-up"), "{line}");
    }
}

#[test]
fn users_are_added_invited_and_removed_from_the_command_line() {
    let installation = Installation::new();
    let (tenant, organization) = provision(&installation);
    let add = format!("user create --tenant {tenant} --json");
    let added = installation
        .run_with(&format!("{add} --email Ada@acme.example --password-stdin"), "correct horse battery\n");
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    let admin: Value = serde_json::from_slice(&added.stdout).unwrap();
    assert_eq!((&admin["role"], &admin["active"]), (&json!("admin"), &json!(true)));
    assert!(!admin.to_string().contains("horse") && admin["invitation"].is_null());
    for (email, password, why) in [
        ("bob@acme.example", "short\n", "at least 12 characters"),
        ("bob@acme.example", "correct horse\nbattery staple\n", "more than one line"),
        ("ADA@acme.example", "correct horse battery\n", "somebody has this e-mail address already"),
    ] {
        let refused = installation.run_with(&format!("{add} --email {email} --password-stdin"), password);
        let words = String::from_utf8(refused.stderr).unwrap();
        assert!(refused.status.code() == Some(1) && words.contains(why), "{words}");
        assert!(!words.contains("horse"));
    }
    let invited = installation.object(&format!(
        "user create --tenant {tenant} --organization {organization} --email bob@acme.example --role viewer"
    ));
    let link = invited["invitation"].as_str().unwrap();
    assert!(link.starts_with("http://127.0.0.1:") && link.contains("/invitation/"), "{link}");
    let again = installation.object("user invite --email bob@acme.example");
    assert_ne!(again["invitation"], invited["invitation"]);
    let changed = installation.object("user role --email BOB@acme.example --role member");
    assert_eq!(changed["role"], "member");
    let listed = installation.object(&format!("user list --tenant {tenant}"));
    let emails: Vec<_> = listed["users"].as_array().unwrap().iter().map(|user| &user["email"]).collect();
    assert_eq!(emails, ["Ada@acme.example", "bob@acme.example"]);
    for command in ["remove", "role --role viewer"] {
        let words = installation.failure(&format!("user {command} --email ada@acme.example"), 1);
        assert!(words.contains("is the tenant's last admin"), "{words}");
    }
    let other = installation.object("tenant create --name Other")["id"].as_str().unwrap().to_owned();
    installation.object(&format!("user create --tenant {other} --email BOB@acme.example"));
    let words = installation.failure("user invite --email bob@acme.example", 1);
    assert!(words.contains("name one by --tenant") && words.contains(&other), "{words}");
    let theirs = format!("user remove --email bob@acme.example --tenant {other}");
    assert_eq!(installation.object(&theirs)["email"], "BOB@acme.example");
    assert_eq!(installation.object("user remove --email bob@acme.example")["removed"], true);
    let words = installation.failure("user invite --email bob@acme.example", 1);
    assert!(words.contains("nobody signs in as bob@acme.example"), "{words}");

    let (child, address, told) = Serving::start(&installation).read_on();
    let form = "email=ada%40acme.example&password=correct+horse+battery";
    assert_eq!(status(&post(&address, "/sign-in", form)), "303");
    for line in end(child, told) {
        assert!(!line.contains("/set-up/"), "there is a user already: {line}");
    }
}
