//! Kamailio as registrar and proxy, which wants digest credentials of everyone.

use std::net::SocketAddr;
use std::process::Stdio;

use tempfile::TempDir;
use tokio::net::UdpSocket;
use tokio::process::{Child, Command};

use super::PATIENCE;
use super::raw::Caller;

const SCRIPT: &str = r#"
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "pv.so"
loadmodule "siputils.so"
loadmodule "usrloc.so"
loadmodule "registrar.so"
loadmodule "auth.so"
modparam("auth", "algorithm", "MD5")
modparam("auth", "qop", "auth")
request_route {
  if (method == "CANCEL") { t_relay_cancel(); exit; }
  if (has_totag()) { if (loose_route() || t_check_trans()) t_relay(); exit; }
  if (method == "ACK") exit;
  t_check_trans();
  if (method == "OPTIONS") { sl_send_reply("200", "OK"); exit; }
  if (method == "REGISTER") {
    if (!pv_www_authenticate("test.local", "secret", "0")) { www_challenge("test.local", "1"); exit; }
    save("location");
    exit;
  }
  if (!pv_proxy_authenticate("test.local", "secret", "0")) { proxy_challenge("test.local", "1"); exit; }
  consume_credentials();
  record_route();
  if (!lookup("location")) { sl_send_reply("404", "Not Found"); exit; }
  t_relay();
}
"#;

/// The password that it knows everyone by.
pub const PASSWORD: &str = "secret";

pub struct Kamailio {
    pub address: SocketAddr,
    process: Child,
    _folder: TempDir,
}

impl Drop for Kamailio {
    fn drop(&mut self) {
        // Asked, not killed: only so do its children end with it.
        if let Some(id) = self.process.id() {
            let _ = std::process::Command::new("kill").arg(id.to_string()).status();
        }
    }
}

impl Kamailio {
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = UdpSocket::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let file = folder.path().join("kamailio.cfg");
        let head = "#!KAMAILIO\nlog_stderror=yes\nchildren=2\nauto_aliases=no\n";
        std::fs::write(&file, format!("{head}listen=udp:{address}\n{SCRIPT}")).unwrap();
        let process = Command::new("kamailio")
            .args(["-DD", "-E", "-m", "16", "-M", "4", "-Y"])
            .arg(folder.path())
            .arg("-w")
            .arg(folder.path())
            .arg("-f")
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("Kamailio is installed");
        let kamailio = Self { address, process, _folder: folder };
        kamailio.ready().await;
        kamailio
    }

    /// It is up when it answers OPTIONS.
    async fn ready(&self) {
        let caller = Caller::to(self.address).await;
        let options = caller.request("OPTIONS", "1 OPTIONS", "ready", "", "");
        let asking = async {
            loop {
                caller.send(&options).await;
                let answer = caller.expect("200", "OPTIONS");
                if tokio::time::timeout(PATIENCE / 100, answer).await.is_ok() {
                    return;
                }
            }
        };
        tokio::time::timeout(PATIENCE, asking).await.expect("Kamailio answers");
    }
}
