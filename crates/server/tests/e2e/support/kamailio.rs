//! Kamailio as registrar and proxy with digest, and baresip as the telephone behind it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use test_ports::{free_port, is_bound};
use tokio::time::Instant;

use super::installation::PATIENCE;

const KAMAILIO_MODULES: [&str; 8] = ["tm", "sl", "rr", "pv", "siputils", "usrloc", "registrar", "auth"];

/// The routing script's tail: every INVITE must carry good credentials, and goes to the registered contact.
const ROUTING: &str = r#"
request_route {
  if (method=="CANCEL") { t_relay_cancel(); exit; }
  if (has_totag()) { if (loose_route() || t_check_trans()) t_relay(); exit; }
  if (method=="ACK") exit;
  t_check_trans();
  if (method=="OPTIONS") { sl_send_reply("200","OK"); exit; }
  if (method=="REGISTER") { save("location"); exit; }
  if (!pv_proxy_authenticate("test.local","secret","0")) { proxy_challenge("test.local","1"); exit; }
  consume_credentials(); record_route();
  if (!lookup("location")) { sl_send_reply("404","Not Found"); exit; }
  t_relay();
}
"#;

/// A process that ends with its owner.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // Asked first: a Kamailio that is killed leaves its children behind.
        let pid = rustix::process::Pid::from_child(&self.0);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        for _ in 0..100 {
            if !matches!(self.0.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A running Kamailio.
pub struct Kamailio {
    _process: Process,
    port: u16,
}

impl Kamailio {
    /// Starts one that challenges with `algorithm` (`MD5` or `SHA-256`).
    pub fn start(directory: &Path, algorithm: &str) -> Self {
        let port = free_port().port();
        let modules = KAMAILIO_MODULES
            .map(|name| {
                format!(
                    "loadmodule \"{name}.so\"
"
                )
            })
            .concat();
        let config = format!(
            "#!KAMAILIO\nlog_stderror=yes\nchildren=2\nauto_aliases=no\nlisten=udp:127.0.0.1:{port}\n{modules}\
             modparam(\"auth\",\"algorithm\",\"{algorithm}\")\nmodparam(\"auth\",\"qop\",\"auth\")\n{ROUTING}"
        );
        let folder = directory.join(format!("kamailio-{port}"));
        std::fs::create_dir(&folder).unwrap();
        let file = folder.join("kamailio.cfg");
        std::fs::write(&file, config).unwrap();
        let mut command = Command::new("kamailio");
        command
            .arg("-f")
            .arg(&file)
            .args(["-DD", "-E", "-m", "16", "-M", "4", "-Y"])
            .arg(&folder)
            .arg("-w")
            .arg(&folder);
        let process = quiet(&mut command, &folder.join("log"), "kamailio");
        wait_for_port(port, "kamailio");
        Self { _process: process, port }
    }

    /// Where it listens.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}

/// A running baresip that is registered and answers every call.
pub struct Baresip {
    _process: Process,
    folder: PathBuf,
}

impl Baresip {
    /// Registers `user` at `registrar` and echoes what it hears, recording both directions.
    pub fn start(directory: &Path, user: &str, registrar: &str) -> Self {
        let (port, control) = (free_port().port(), free_port().port());
        let folder = directory.join(format!("baresip-{port}"));
        std::fs::create_dir(&folder).unwrap();
        let shown = folder.display();
        let config = format!(
            "sip_listen 127.0.0.1:{port}\nnet_interface 127.0.0.1\naudio_player aubridge,x\naudio_source aubridge,x\n\
             audio_alert aubridge,x\nrtp_ports 30000-30999\nmodule_path /usr/lib/baresip/modules\nmodule g711.so\n\
             module aubridge.so\nmodule sndfile.so\nsnd_path {shown}\nmodule_tmp account.so\nmodule_app menu.so\n\
             module_app ctrl_tcp.so\nctrl_tcp_listen 127.0.0.1:{control}\n"
        );
        std::fs::write(folder.join("config"), config).unwrap();
        let account = format!(
            "<sip:{user}@{registrar}>;auth_user={user};auth_pass=secret;regint=120;answermode=auto\n"
        );
        std::fs::write(folder.join("accounts"), account).unwrap();
        let log = folder.join("log");
        let mut command = Command::new("baresip");
        command.arg("-f").arg(&folder);
        let process = quiet(&mut command, &log, "baresip");
        let deadline = Instant::now() + PATIENCE;
        while !std::fs::read_to_string(&log).unwrap_or_default().contains("200 OK") {
            let said = std::fs::read_to_string(&log).unwrap_or_default();
            assert!(Instant::now() < deadline, "baresip did not register: {said}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        Self { _process: process, folder }
    }

    /// What it heard on its last call, samples at 8 kHz; it finishes the file after the call's end.
    pub async fn heard(&self) -> Vec<i16> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let samples = self.recorded();
            if !samples.is_empty() {
                return samples;
            }
            assert!(Instant::now() < deadline, "baresip recorded nothing");
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    }

    /// The samples of the newest finished recording.
    fn recorded(&self) -> Vec<i16> {
        let files = std::fs::read_dir(&self.folder).unwrap().map(|file| file.unwrap().path());
        let file =
            files.filter(|path| path.file_name().unwrap().to_string_lossy().ends_with("-dec.wav")).max();
        // Until it is closed its head says that it is empty, or is not there.
        let Some(Ok(mut reader)) = file.map(hound::WavReader::open) else { return Vec::new() };
        assert_eq!(reader.spec().sample_rate, 8000);
        reader.samples::<i16>().map_while(Result::ok).collect()
    }
}

fn quiet(command: &mut Command, log: &Path, name: &str) -> Process {
    let log = std::fs::File::create(log).unwrap();
    let child = command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).spawn();
    Process(child.unwrap_or_else(|error| panic!("{name}: {error}; `./just test` brings it")))
}

fn wait_for_port(port: u16, name: &str) {
    let deadline = Instant::now() + PATIENCE;
    while !is_bound(port) {
        assert!(Instant::now() < deadline, "{name} does not listen");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
