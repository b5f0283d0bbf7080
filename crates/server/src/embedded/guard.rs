//! Starts programs so that they die with us, and as the right user.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};

use super::account::Account;

/// Becomes the program, leaving a watcher behind that interrupts it when the pipe on standard
/// input ends without a word, which happens when we die in whatever way.
const WATCHDOG: &str = r#"
exec 3<&0
( { read -r _ <&3 || kill -INT $$; } >/dev/null 2>&1 & )
exec "$@" </dev/null 3<&-
"#;

/// How programs are tied to our life on this machine.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    account: Option<Account>,
    /// `setpriv` of util-linux, when it knows parent-death signals.
    setpriv: Option<PathBuf>,
}

impl Guard {
    /// Uses the kernel's parent-death signal where there is one, else a watchdog process.
    pub(super) fn of_this_machine(account: Option<Account>) -> Self {
        let knows_signal = |program: &&str| {
            let tried = Command::new(program)
                .args(["--pdeathsig", "INT", "true"])
                .stdin(Stdio::null())
                .stderr(Stdio::null())
                .status();
            tried.is_ok_and(|status| status.success())
        };
        let setpriv = ["/usr/bin/setpriv", "/bin/setpriv"].into_iter().find(knows_signal);
        Self { account, setpriv: setpriv.map(PathBuf::from) }
    }

    /// The same without the kernel's help.
    #[cfg(test)]
    pub(super) fn with_watchdog(account: Option<Account>) -> Self {
        Self { account, setpriv: None }
    }

    /// The user that programs run as, when it is not us.
    pub(super) fn account(&self) -> Option<&Account> {
        self.account.as_ref()
    }

    /// A command for `program` that gets SIGINT when the *thread* that starts it ends (so start it
    /// from one that lives long enough), or, with the watchdog, when its piped standard input is
    /// closed without [`dismiss`]. It has a process group of its own, so that a Ctrl-C in our terminal passes it by.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = if let Some(setpriv) = &self.setpriv {
            let mut command = Command::new(setpriv);
            command.args(["--pdeathsig", "INT", "--"]).arg(program).stdin(Stdio::null());
            command
        } else {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", WATCHDOG, "watchdog"]).arg(program).stdin(Stdio::piped());
            command
        };
        self.as_account(&mut command);
        command
    }

    /// A command for `program` that needs its standard input and ends soon by itself.
    pub(super) fn short(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        self.as_account(&mut command);
        command
    }

    fn as_account(&self, command: &mut Command) {
        if let Some(account) = &self.account {
            // Supplementary groups are cleared along with it.
            command.uid(account.uid).gid(account.gid);
        }
        // Variables like PGPORT or PGDATA of our own surroundings are not meant for this cluster.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("PG") {
                command.env_remove(name);
            }
        }
        command.current_dir("/").process_group(0);
    }
}

/// Tells the watchdog, when there is one, that the program has ended in an orderly way; to be
/// called before the program is reaped, as its process id may go to somebody else then.
pub(super) fn dismiss(stdin: Option<ChildStdin>) {
    if let Some(mut stdin) = stdin {
        // A watcher that is gone already needs no word.
        let _ = stdin.write_all(b"done\n");
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::ChildStdout;

    use super::*;

    /// Reports its start, then the signal that ended it.
    const PATIENT: &str = "trap 'echo interrupted; exit 3' INT; trap 'echo asked' USR1; echo started; \
                           for i in $(seq 200); do sleep 0.05; done";

    fn start(guard: &Guard) -> (std::process::Child, BufReader<ChildStdout>) {
        let mut command = guard.command(Path::new("/bin/bash"));
        let mut child = command.args(["-c", PATIENT]).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        assert_eq!(line(&mut output), "started");
        (child, output)
    }

    fn line(output: &mut impl BufRead) -> String {
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    #[test]
    fn the_watchdog_interrupts_its_program_when_we_are_gone() {
        let (mut child, mut output) = start(&Guard::with_watchdog(None));
        drop(child.stdin.take());
        assert_eq!(line(&mut output), "interrupted");
        assert_eq!(child.wait().unwrap().code(), Some(3));
    }

    #[test]
    fn a_dismissed_watchdog_leaves_the_program_alone() {
        let (mut child, mut output) = start(&Guard::with_watchdog(None));
        dismiss(child.stdin.take());
        // The program goes on, and still answers to its own process id.
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::USR1).unwrap();
        assert_eq!(line(&mut output), "asked");
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn the_kernel_interrupts_a_program_when_its_thread_ends() {
        let guard = Guard::of_this_machine(None);
        assert!(guard.setpriv.is_some(), "setpriv of util-linux is needed for this test");
        let (mut child, mut output) = std::thread::spawn(move || start(&guard)).join().unwrap();
        assert_eq!(line(&mut output), "interrupted");
        assert_eq!(child.wait().unwrap().code(), Some(3));
    }
}
