//! Kamailio as a trunk's proxy and registrar, and baresip as a telephone behind it.

use std::net::SocketAddr;
use std::process::Stdio;

use tempfile::TempDir;
use tokio::process::{Child, Command};

use test_ports::free_port;

use super::until_bound;

/// A proxy that challenges every caller (user name of choice, password `secret`), records its route,
/// and forwards to whoever registered.
pub struct Kamailio {
    child: Child,
    pub address: SocketAddr,
    _folder: TempDir,
}

impl Kamailio {
    pub async fn start(algorithm: &str) -> Self {
        let (folder, address) = (TempDir::new().unwrap(), free_port());
        let config = CONFIG.replace("ADDRESS", &address.to_string()).replace("ALGORITHM", algorithm);
        let file = folder.path().join("kamailio.cfg");
        std::fs::write(&file, config).unwrap();
        let child = Command::new("kamailio")
            .arg("-f")
            .arg(&file)
            .args(["-DD", "-E", "-m", "16", "-M", "4"])
            .arg("-Y")
            .arg(folder.path())
            .arg("-w")
            .arg(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("kamailio (Debian package kamailio) must be installed");
        let kamailio = Self { child, address, _folder: folder };
        until_bound(address).await;
        kamailio
    }
}

impl Drop for Kamailio {
    fn drop(&mut self) {
        // Its children only end when it is asked kindly.
        if let Some(id) = self.child.id() {
            let _ = std::process::Command::new("kill").arg(id.to_string()).status();
        }
    }
}

/// A telephone that answers at once and echoes what it hears.
pub struct Baresip {
    _child: Child,
    pub address: SocketAddr,
    _folder: TempDir,
}

impl Baresip {
    /// One that registers as `user`.
    pub fn start(proxy: SocketAddr, user: &str) -> Self {
        Self::with(&format!("<sip:{user}@{proxy}>;auth_user=phone;auth_pass=secret;regint=60"))
    }

    /// One that is called where it is, as `user`, with further options of its account.
    pub async fn standing(user: &str, options: &str) -> Self {
        let telephone = Self::with(&format!("<sip:{user}@127.0.0.1>;regint=0{options}"));
        until_bound(telephone.address).await;
        telephone
    }

    fn with(account: &str) -> Self {
        let (folder, address) = (TempDir::new().unwrap(), free_port());
        std::fs::write(folder.path().join("accounts"), format!("{account};answermode=auto\n")).unwrap();
        std::fs::write(folder.path().join("contacts"), "").unwrap();
        let config = BARESIP.replace("LISTEN", &address.to_string());
        std::fs::write(folder.path().join("config"), config).unwrap();
        let child = Command::new("baresip")
            .arg("-f")
            .arg(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("baresip (Debian package baresip-core) must be installed");
        Self { _child: child, address, _folder: folder }
    }
}

const CONFIG: &str = r#"#!KAMAILIO
log_stderror=yes
children=2
auto_aliases=no
listen=udp:ADDRESS
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "pv.so"
loadmodule "siputils.so"
loadmodule "usrloc.so"
loadmodule "registrar.so"
loadmodule "auth.so"
modparam("auth", "algorithm", "ALGORITHM")
modparam("auth", "qop", "auth")
request_route {
  if (method=="CANCEL") { t_relay_cancel(); exit; }
  if (has_totag()) { if (loose_route() || t_check_trans()) t_relay(); exit; }
  if (method=="ACK") exit;
  t_check_trans();
  if (method=="OPTIONS") { sl_send_reply("200", "OK"); exit; }
  if (method=="REGISTER") {
    # The telephone knows MD5 only.
    if (!($ua =~ "baresip") && !pv_www_authenticate("test.local", "secret", "0")) {
      www_challenge("test.local", "1");
      exit;
    }
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

const BARESIP: &str = "\
sip_listen LISTEN
net_interface 127.0.0.1
audio_player aubridge,x
audio_source aubridge,x
audio_alert aubridge,x
rtp_ports 46000-49000
module_path /usr/lib/baresip/modules
module g711.so
module g722.so
module srtp.so
module aubridge.so
module_tmp account.so
module_app menu.so
";
