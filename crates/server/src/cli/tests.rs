//! Which command lines are understood, without running them.

use ::phone::Step::{Press, Say, Wait};

use super::*;

fn parses(line: &str) -> Result<Cli, clap::error::ErrorKind> {
    Cli::try_parse_from(line.split(' ')).map_err(|error| error.kind())
}

const ID: &str = "0190a6e0-7e6b-7cc0-98b7-2f7c1c2f4a11";

#[test]
fn the_command_line_is_consistent() {
    Cli::command().debug_assert();
}

#[test]
fn every_command_of_the_operator_is_understood() {
    for line in [
        "serve",
        "serve --config /etc/callwright.toml",
        "migrate --json",
        "--json doctor",
        "tenant create --name N",
        "organization create --tenant ID --name N --email a@b.example --timezone Europe/Paris --city X",
        "organization delete ID",
        "organization list --tenant ID",
        "trunk list --tenant ID",
        "webhook-secret show --organization ID",
        "webhook-secret rotate --organization ID --json",
        "key create --tenant ID --name N --permission calls:read --permission outbound:create",
        "key create --tenant ID --organization ID --name N",
        "key list --tenant ID",
        "key revoke ID",
        "trunk create --tenant ID --name N --address sip.example.com:5061 --transport tls --username u \
         --password-env P --register --from-domain d.example --default-country 49 --max-calls 5 --calls-per-second 2",
        "trunk create --tenant ID --name N --address h --nat --media-networks 192.0.2.0/24,2001:db8::/32 \
         --media-networks 10.0.0.1 --inbound-from 198.51.100.0/24 --realm a --realm b",
        "trunk update ID --no-nat",
        "trunk update ID --nat --media-networks 192.0.2.0/24 --no-inbound-from --realm a --realm b",
        "trunk update ID --no-media-networks --inbound-from 192.0.2.0/24 --any-realm",
        "number create --organization ID --trunk ID --number +14155550100",
        "assistant create --organization ID --file a.toml",
        "assistant update ID --file a.toml",
        "assistant list --organization ID",
        "assistant show ID --json",
        "assistant key set ID",
        "assistant key set ID --for chat",
        "assistant key remove ID --for realtime",
        "schema set --tenant ID --file a.json",
        "schema show --organization ID --json",
        "phone --busy",
    ] {
        let line = format!("callwright {}", line.replace("ID", ID));
        parses(&line.split_whitespace().collect::<Vec<_>>().join(" "))
            .unwrap_or_else(|kind| panic!("{line}: {kind}"));
    }
}

#[test]
fn wrong_usage_is_refused_before_anything_happens() {
    for line in [
        "organization delete 123",
        "organization create --tenant ID --name N --email nobody",
        "organization create --tenant ID --name N --email a@b.example --timezone Mars/Olympus",
        "key create --tenant ID --name N --permission everything",
        "trunk create --tenant ID --name N --address host:0",
        "trunk create --tenant ID --name N --address h --username u",
        "trunk create --tenant ID --name N --address h --register",
        "trunk create --tenant ID --name N --address h --max-calls 0",
        "trunk create --tenant ID --name N --address h --media-networks 192.0.2.0/33",
        "trunk create --tenant ID --name N --address h --inbound-from pbx.example.com",
        "trunk update ID",
        "trunk update --nat",
        "trunk update ID --nat --no-nat",
        "trunk update ID --no-media-networks --media-networks 192.0.2.0/24",
        "trunk update ID --no-inbound-from --inbound-from 192.0.2.0/24",
        "trunk update ID --any-realm --realm a",
        "number create --organization ID --trunk ID --number 4155550100",
        "assistant create --file a.toml",
        "assistant update --file a.toml",
        "assistant update ID",
        "assistant list",
        "assistant key set",
        "assistant key set ID sk-secret",
        "assistant key set ID --for telepathy",
        "schema set --file a.json",
        "schema set --tenant ID",
        "schema set --tenant ID --organization ID --file a.json",
        "schema show",
        "schema show --tenant ID --organization ID",
        "phone --busy --decline",
        "tenant create",
        "sing",
    ] {
        let line = format!("callwright {}", line.replace("ID", ID));
        assert!(parses(&line).is_err(), "{line}");
    }
}

#[test]
fn a_telephones_steps_keep_the_order_in_which_they_were_written() {
    let line = ["callwright", "phone", "--say", "a", "--press", "1", "--say", "b", "--wait", "2"];
    let matches = Cli::command().try_get_matches_from(line).unwrap();
    let steps = phone::steps(matches.subcommand_matches("phone").unwrap());
    assert_eq!(steps, [Say("a".into()), Press("1".into()), Say("b".into()), Wait(2.0)]);
}

#[test]
fn a_failure_is_told_once_even_when_its_text_already_quotes_the_cause() {
    let cause = || anyhow::anyhow!("missing field `name`\n");
    let quoting = cause().context("a.toml: missing field `name`\n");
    assert_eq!(output::reasons(&quoting), "a.toml: missing field `name`");
    assert_eq!(output::reasons(&cause().context("a.toml")), "a.toml: missing field `name`");
}
