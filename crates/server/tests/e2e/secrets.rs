//! A change of the key that encrypts secrets at rest: under running nodes, killed anywhere, and where it
//! must not be made.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::dashboard::people::{Standing, enter, session_of};
use crate::dashboard::person::Person;
use crate::support::{Desk, Installation, LISTENER, PATIENCE};

const TRUNK: [&str; 6] = ["--address", "127.0.0.1:9", "--username", "u", "--password-env", "TRUNK_PASSWORD"];

fn key_file(installation: &Installation) -> PathBuf {
    installation.data().join("secret.key")
}

fn lines(file: &Path) -> Vec<String> {
    std::fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect()
}

/// Runs `secrets rotate`, and gives whether it went well, and what it said.
fn rotate(installation: &Installation, arguments: &[&str], environment: &[(&str, &str)]) -> (bool, String) {
    let mut command = installation.command();
    command.args(["secrets", "rotate", "--json"]).args(arguments).envs(environment.iter().copied());
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

fn rotated(installation: &Installation, arguments: &[&str]) -> Value {
    let (well, said) = rotate(installation, arguments, &[]);
    assert!(well, "{said}");
    // What it warns of comes after it.
    serde_json::from_str(said.lines().next().unwrap()).unwrap()
}

/// The callback secret as the command line reads it, with the key file as it is now.
fn secret(installation: &Installation, desk: &Desk) -> Value {
    installation.operator(&["webhook-secret", "show", "--organization", &desk.organization])["secret"].clone()
}

#[tokio::test]
async fn everything_is_encrypted_anew_under_running_nodes_and_the_old_key_goes() {
    let first = Installation::serving(&[]).await;
    let mut second = Installation::beside(&first);
    second.start(&[]);
    second.ready().await;
    let desk = Desk::provision(&first, LISTENER, &TRUNK);
    let file = key_file(&first);
    let old = lines(&file);

    let told = rotated(&first, &["--dry-run"]);
    assert_eq!((&told["keys"], &told["encryptsWith"]), (&json!([1]), &json!(1)));
    assert_eq!(told["values"]["trunks.password"], json!({"key 1": 1}));
    assert_eq!(lines(&file), old, "a dry run changes nothing");

    let done = rotated(&first, &[]);
    assert_eq!((&done["keys"], &done["encryptsWith"]), (&json!([2, 1]), &json!(2)), "{done}");
    assert_eq!(done["resealed"], 2, "{done}");
    assert_eq!(secret(&first, &desk), json!(desk.secret));
    // The second finds nothing to do and makes no third key.
    assert_eq!(rotated(&first, &[])["resealed"], 0);

    // Nothing under the old key can be on its way: as if time had passed.
    first.sql("UPDATE boots SET keys_since = now() - interval '1 minute'").await;
    let done = rotated(&first, &["--forget-old"]);
    assert_eq!((&done["keys"], &done["next"]), (&json!([2]), &Value::Null));
    let new = lines(&file);
    assert!(new.len() == 1 && new[0].starts_with("2 ") && !new[0].contains(&old[0]));
    assert_eq!(secret(&first, &desk), json!(desk.secret));
    assert_eq!(first.rows("SELECT number FROM forgotten_keys").await, [[Some("1".to_owned())]]);
    // Both nodes go on: their trunks' passwords open, and new secrets are made and read.
    for node in [&first, &second] {
        node.logs("the key file has changed").await;
        assert!(!node.log().contains("does not open"), "{}", node.log());
    }
    let other = Desk::provision(&first, LISTENER, &TRUNK);
    assert_eq!(secret(&second, &other), json!(other.secret));
    let doctor = first.command().args(["doctor"]).output().unwrap();
    let doctor = String::from_utf8(doctor.stdout).unwrap();
    assert!(doctor.contains("opens the database's secrets"), "{doctor}");
}

#[tokio::test]
async fn killed_anywhere_it_loses_nothing_and_is_taken_up_by_the_next_run() {
    for point in ["key-made", "key-in-force", "batch-resealed", "all-resealed"] {
        let installation = Installation::serving(&[]).await;
        let desk = Desk::provision(&installation, LISTENER, &TRUNK);
        // Of two columns one is done.
        let dying = format!("{point}=return");
        let (well, said) = rotate(&installation, &[], &[("FAILPOINTS", &dying)]);
        assert!(!well && said.is_empty(), "{point}: {said}");
        assert_eq!(lines(&key_file(&installation)).len(), 2, "{point}");
        let told = rotated(&installation, &["--dry-run"]);
        assert_eq!(told["unreadable"], json!([]), "{point}: {told}");
        assert_eq!(secret(&installation, &desk), json!(desk.secret), "{point}");
        // Two at once take it up, and get in nobody's way.
        std::thread::scope(|scope| {
            let runs = [(); 2].map(|()| scope.spawn(|| rotated(&installation, &[])));
            for run in runs {
                assert_eq!(run.join().unwrap()["keys"], json!([2, 1]), "{point}");
            }
        });
        let told = rotated(&installation, &["--dry-run"]);
        assert_eq!(told["values"]["signing_secrets.secret"], json!({"key 2": 1}), "{point}: {told}");
        assert_eq!(told["values"]["trunks.password"], json!({"key 2": 1}), "{point}: {told}");
        assert_eq!(secret(&installation, &desk), json!(desk.secret), "{point}");
    }
}

#[tokio::test]
async fn killed_when_the_old_key_is_gone_all_opens_with_the_new_one() {
    // Without a running node nobody is waited for.
    let mut installation = Installation::serving(&[]).await;
    let desk = Desk::provision(&installation, LISTENER, &TRUNK);
    installation.terminate();
    installation.wait_for_end().await;
    // And before, when nothing is taken under the old one any more.
    let (well, _) = rotate(&installation, &["--forget-old"], &[("FAILPOINTS", "old-refused=return")]);
    assert!(!well);
    assert_eq!(lines(&key_file(&installation)).len(), 2);
    assert_eq!(secret(&installation, &desk), json!(desk.secret));
    let (well, _) = rotate(&installation, &["--forget-old"], &[("FAILPOINTS", "old-forgotten=return")]);
    assert!(!well);
    assert_eq!(lines(&key_file(&installation)).len(), 1);
    assert_eq!(secret(&installation, &desk), json!(desk.secret));
    installation.start(&[]);
    installation.ready().await;
    assert!(!installation.log().contains("does not open"), "{}", installation.log());
}

#[tokio::test]
async fn a_node_with_a_copy_of_the_file_is_waited_for_until_it_has_each_change() {
    let first = Installation::serving(&[]).await;
    let mut second = Installation::beside(&first);
    // A copy of its own, as on another machine.
    let copy = second.data().join("copied.key");
    std::fs::copy(key_file(&first), &copy).unwrap();
    second.start(&[("CALLWRIGHT__SECRETS__KEY_FILE", copy.to_str().unwrap())]);
    second.ready().await;
    let node = std::fs::read_to_string(second.data().join("node-id")).unwrap().trim().to_owned();
    let desk = Desk::provision(&first, LISTENER, &TRUNK);

    let (well, said) = rotate(&first, &[], &[]);
    assert!(!well && said.contains("do not hold key 2") && said.contains(&node), "{said}");
    let told = rotated(&first, &["--dry-run"]);
    assert_eq!((&told["keys"], &told["encryptsWith"]), (&json!([1, 2]), &json!(1)), "{told}");

    std::fs::copy(key_file(&first), &copy).unwrap();
    let (well, said) = rotate(&first, &[], &[]);
    assert!(!well && said.contains("do not encrypt with key 2") && said.contains(&node), "{said}");
    assert_eq!(secret(&first, &desk), json!(desk.secret));

    std::fs::copy(key_file(&first), &copy).unwrap();
    assert_eq!(rotated(&first, &[])["keys"], json!([2, 1]));
    assert_eq!(secret(&first, &desk), json!(desk.secret));
}

/// A file that this process may read and not replace, also when it is root: what root may do beyond its
/// permissions is taken from it.
fn rotate_unable_to_write(installation: &Installation, arguments: &[&str]) -> (bool, String) {
    let own = installation.command();
    let root = rustix::process::geteuid().is_root();
    let mut command = if root { Command::new("setpriv") } else { installation.command() };
    if root {
        command.args(["--bounding-set=-dac_override", "--inh-caps=-dac_override"]).arg(own.get_program());
        for (name, value) in own.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
    }
    let output = command.args(["secrets", "rotate", "--json"]).args(arguments).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

#[tokio::test]
async fn a_file_that_cannot_be_written_is_changed_by_hand_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("callwright.key");
    std::fs::write(&file, "3q2+796tvu/erb7v3q2+796tvu/erb7v3q2+796tvu8=\n").unwrap();
    let installation = Installation::serving(&[("SECRETS__KEY_FILE", file.to_str().unwrap())]).await;
    let desk = Desk::provision(&installation, LISTENER, &TRUNK);
    let permit = |mode| std::fs::set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
    let refused = |arguments: &[&str], wanted: &str| {
        permit(0o500);
        let before = lines(&file);
        let (well, said) = rotate_unable_to_write(&installation, arguments);
        permit(0o700);
        assert!(!well && said.contains("cannot be changed") && said.contains(wanted), "{said}");
        assert_eq!(lines(&file), before);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left lying about");
        assert_eq!(secret(&installation, &desk), json!(desk.secret));
    };
    let write = |lines: &[&str]| std::fs::write(&file, format!("{}\n", lines.join("\n"))).unwrap();
    let (old, new) =
        ("1 3q2+796tvu/erb7v3q2+796tvu/erb7v3q2+796tvu8=", "2 AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=");
    refused(&[], "add a line with a new key and the next number");
    let told = rotated(&installation, &["--dry-run"]);
    assert_eq!((&told["keys"], &told["encryptsWith"]), (&json!([1]), &json!(1)), "{told}");
    assert_eq!(told["values"]["trunks.password"], json!({"key 1": 1}), "{told}");
    write(&[old, new]);
    refused(&[], "move the line of the newest key to the top");
    write(&[new, old]);
    let (well, said) = rotate_unable_to_write(&installation, &[]);
    assert!(well, "{said}");
    assert_eq!(rotated(&installation, &["--dry-run"])["values"]["trunks.password"], json!({"key 2": 1}));
    installation.sql("UPDATE boots SET keys_since = now() - interval '1 minute'").await;
    refused(&["--forget-old"], "take every line out but that of the newest key");
    write(&[new]);
    assert_eq!(secret(&installation, &desk), json!(desk.secret));
}

#[tokio::test]
async fn anothers_key_put_over_the_file_of_a_running_node_encrypts_nothing() {
    let first = Installation::serving(&[]).await;
    let mut second = Installation::beside(&first);
    let copy = second.data().join("copied.key");
    std::fs::copy(key_file(&first), &copy).unwrap();
    second.start(&[("CALLWRIGHT__SECRETS__KEY_FILE", copy.to_str().unwrap())]);
    second.ready().await;
    let desk = Desk::provision(&first, LISTENER, &TRUNK);
    let tenant = second.rows("SELECT id FROM tenants").await[0][0].clone().unwrap();
    let standing = Standing { role: "admin", tenant: &tenant, organization: None };
    let user = enter(&second, standing, "ada@clinic.example").await;
    let person = Person::with_session(second.base(), &session_of(&second, &user).await);
    let page = format!("/o/{}/settings/callback-secret", desk.organization);
    let replace = async || {
        let shown = person.get(&format!("{page}/rotate")).await;
        let replacing = shown.hidden("replacing").unwrap_or_else(|| panic!("{shown:?}"));
        let fields = [("overlap", "24"), ("replacing", replacing.as_str())];
        person.post(&format!("{page}/rotate"), &fields).await.status
    };
    let sealed = "SELECT id, secret FROM signing_secrets ORDER BY id";
    let before = second.rows(sealed).await;
    assert_eq!(replace().await, 303);
    let after = second.rows(sealed).await;
    assert_ne!(after, before);

    std::fs::write(&copy, "3q2+796tvu/erb7v3q2+796tvu/erb7v3q2+796tvu8=\n").unwrap();
    second.logs("none of its keys was there before").await;
    assert_eq!(replace().await, 503);
    assert_eq!(second.rows(sealed).await, after);

    // Its own file put back, it goes on.
    std::fs::copy(key_file(&first), &copy).unwrap();
    let goes_on = async { while replace().await != 303 {} };
    tokio::time::timeout(PATIENCE, goes_on).await.expect("the file is not followed");
    assert_ne!(secret(&first, &desk), json!(desk.secret));
}

#[tokio::test]
async fn with_a_key_that_is_not_the_databases_nothing_is_changed() {
    let installation = Installation::serving(&[]).await;
    let desk = Desk::provision(&installation, LISTENER, &TRUNK);
    let stranger = installation.data().join("stranger.key");
    std::fs::write(&stranger, "3q2+796tvu/erb7v3q2+796tvu/erb7v3q2+796tvu8=\n").unwrap();
    let environment = [("CALLWRIGHT__SECRETS__KEY_FILE", stranger.to_str().unwrap())];
    let (well, said) = rotate(&installation, &[], &environment);
    assert!(!well && said.contains("nothing was changed"), "{said}");
    assert!(said.contains("trunks.password") && said.contains("signing_secrets.secret"), "{said}");
    assert_eq!(lines(&stranger).len(), 1);
    assert_eq!(secret(&installation, &desk), json!(desk.secret));
}
