//! The same statements without us: pgbench on the same database, with the same row contents.

use std::fmt::Write;
use std::path::PathBuf;

use postgres::sql::{AUTHENTICATE, CALL as READ, CONCLUDE, CREATE_ORGANIZATION, DIAL, PLACEABLE, STATUS};

use crate::database;
use crate::desk::{Desk, dialled};
use crate::installation::Installation;

/// What stands for a parameter: SQL in which `:name` is a variable of pgbench.
type Value<'a> = &'a str;

const NOW: Value = "clock_timestamp()";
/// A call's id, rising like the real ones: round by round, one for each client.
const NEXT_CALL: &str = "\\set round :round + 1\n\\set call :round * 1000 + :client_id\n";
const CALL: Value = "lpad(:call, 32, '0')::uuid";
const TENANT: Value = ":tenant::uuid";
const ORGANIZATION: Value = ":organization::uuid";

/// A whole life: whose key, placed with what, accepted, refused with 486 at once.
pub(crate) fn lives(installation: &Installation) -> PathBuf {
    let contact = CALL;
    let authenticate = filled(AUTHENTICATE, &[":digest::bytea"]);
    let placeable = filled(PLACEABLE, &[":assistant::uuid", ":number::uuid", TENANT, ORGANIZATION]);
    #[rustfmt::skip]
    let dial = filled(DIAL, &[
        CALL, TENANT, ORGANIZATION, contact, ":assistant::uuid", ":number::uuid", ":dialled::text",
        "'Ada Lovelace'::text", "'{}'::jsonb", "NULL::text", NOW, ":boot::uuid", "NULL::bigint", ":trunk::uuid",
        ":sip_call_id::text", ":tag::text", ":branch::text", "1::bigint", ":uri::text", ":from::text", ":to::text",
        "'udp'::text", ":gateway::text",
    ]);
    #[rustfmt::skip]
    let conclude = filled(CONCLUDE, &[
        CALL, ":boot::uuid", "1::integer", "'busy'::text", "'customer-busy'::text", "NULL::timestamptz", NOW,
        "NULL::bigint", "486::integer", "'Busy Here'::text", "NULL::text", "NULL::text", "NULL::bytea",
        "NULL::timestamptz", "NULL::timestamptz",
    ]);
    let script = format!("{NEXT_CALL}{authenticate};\n{placeable};\n{dial};\n{conclude};\n");
    let path = installation.data().join("lives.sql");
    std::fs::write(&path, script).unwrap();
    path
}

/// A question for where one of these calls stands, each from a script of its own.
pub(crate) fn questions(installation: &Installation, calls: &[String]) -> Vec<PathBuf> {
    let script = |(place, call): (usize, &String)| {
        let mut text = filled(AUTHENTICATE, &[":digest::bytea"]) + ";\n";
        let call = format!("'{call}'::uuid");
        writeln!(text, "{};", filled(STATUS, &[&call, TENANT, ORGANIZATION])).unwrap();
        let path = installation.data().join(format!("status-{place}.sql"));
        std::fs::write(&path, text).unwrap();
        path
    };
    calls.iter().enumerate().map(script).collect()
}

/// A question for all that is known of one of these calls, each from a script of its own.
pub(crate) fn details(installation: &Installation, desk: &Desk, calls: &[String]) -> Vec<PathBuf> {
    let script = |(place, call): (usize, &String)| {
        let (call, tenant, own) = (quoted(call), quoted(&desk.tenant), quoted(&desk.organization));
        keyed(installation, desk, &format!("detail-{place}"), &filled(READ, &[&call, &tenant, &own]))
    };
    calls.iter().enumerate().map(script).collect()
}

/// An organization's creation by a key of its tenant.
pub(crate) fn creations(installation: &Installation) -> PathBuf {
    let asked = "SELECT id, digest FROM api_keys WHERE organization_id IS NULL";
    let key = database::query(installation, asked);
    let (by, digest) = key.split_once('|').unwrap();
    let actor = format!("'{by}'::uuid");
    let (by, digest) = (format!("'{by}'::text"), format!("'{digest}'::bytea"));
    let secret = database::query(installation, "SELECT secret FROM signing_secrets LIMIT 1");
    let secret = format!("'{secret}'::bytea");
    // Ids are unique in each table by itself.
    let id = CALL;
    #[rustfmt::skip]
    let create = filled(CREATE_ORGANIZATION, &[
        id, TENANT, "'Lakeside Clinic'::text", "'front@lakeside.example'::text", "NULL::text", "'1 Shore Road'::text",
        "'Toronto'::text", "'Ontario'::text", "'M5V 2T6'::text", "'Canada'::text", "'+14165550100'::text",
        "'America/Toronto'::text", "NULL::text", &by, &by, "NULL::text", NOW, NOW, "NULL::timestamptz",
        "'lakeside clinic'::text", id, id, &secret,
        id, NOW, "'key'::text", &actor, "NULL::text", "'192.0.2.1'::text",
    ]);
    let path = installation.data().join("creations.sql");
    let authenticate = filled(AUTHENTICATE, &[&digest]);
    std::fs::write(&path, format!("{NEXT_CALL}{authenticate};\n{create};\n")).unwrap();
    path
}

/// A page of calls: its text with the values that the server would send.
pub(crate) fn list(installation: &Installation, desk: &Desk, name: &str, sql: &str, page: &Page) -> PathBuf {
    let own = quoted(&desk.organization);
    let tenant = quoted(&desk.tenant);
    let offset = format!("{}::bigint", page.offset);
    let cuts: Vec<String> = page.cuts.iter().map(|cut| format!("'{cut}'::timestamptz")).collect();
    #[rustfmt::skip]
    let values = [
        &own, &tenant, &own, page.types, "20::bigint", &offset, &cuts[0], &cuts[7], page.name, page.intent,
        &cuts[1], &cuts[2], &cuts[3], &cuts[4], &cuts[5], &cuts[6],
    ];
    keyed(installation, desk, name, &filled(sql, &values))
}

/// What a page is asked with, as SQL.
pub(crate) struct Page {
    pub(crate) types: Value<'static>,
    pub(crate) offset: u32,
    pub(crate) name: Value<'static>,
    pub(crate) intent: Value<'static>,
    /// From, the beginnings of whole hours, days and months, their ends the other way round, until.
    pub(crate) cuts: [&'static str; 8],
}

fn quoted(id: &str) -> String {
    format!("'{id}'::uuid")
}

/// A script of a statement and the check of its key.
fn keyed(installation: &Installation, desk: &Desk, name: &str, statement: &str) -> PathBuf {
    let digest = database::query(
        installation,
        &format!("SELECT digest FROM api_keys WHERE organization_id = '{}'", desk.organization),
    );
    let key = filled(AUTHENTICATE, &[&format!("'{digest}'::bytea")]);
    let path = installation.data().join(format!("{name}.sql"));
    std::fs::write(&path, format!("{key};\n{statement};\n")).unwrap();
    path
}

/// Puts values in the places of `$1`, `$2` …
fn filled(sql: &str, values: &[Value]) -> String {
    let mut parts = sql.split('$');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let number: usize = part[..digits].parse().unwrap();
        text += values[number - 1];
        text += &part[digits..];
    }
    // A script's statement is one line.
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs scripts with so many connections for so many seconds, and gives transactions a second.
pub(crate) fn run(
    installation: &Installation,
    desk: &Desk,
    scripts: &[PathBuf],
    connections: usize,
    seconds: u64,
    round: u64,
) -> f64 {
    let boot = database::query(installation, "SELECT id FROM boots WHERE left_at IS NULL");
    let digest = format!("SELECT digest FROM api_keys WHERE organization_id = '{}'", desk.organization);
    let digest = database::query(installation, &digest);
    // What the server's own calls have in these places.
    let sample = database::query(
        installation,
        "SELECT sip_call_id, local_tag, branch, from_header, to_header, gateway FROM call_legs LIMIT 1",
    );
    let sample: Vec<_> = sample.split('|').collect();
    let [sip_call_id, tag, branch, from, to, gateway] = sample[..] else { panic!("no call to take after") };
    let uri = to.trim_matches(['<', '>']);
    let dialled = dialled(0);
    let round = (round * 1_000_000_000).to_string();
    let variables = [
        ("round", round.as_str()),
        ("tenant", &desk.tenant),
        ("organization", &desk.organization),
        ("assistant", &desk.assistant),
        ("number", &desk.number),
        ("trunk", &desk.trunk),
        ("dialled", &dialled),
        ("boot", &boot),
        ("digest", &digest),
        ("sip_call_id", sip_call_id),
        ("tag", tag),
        ("branch", branch),
        ("uri", uri),
        ("from", from),
        ("to", to),
        ("gateway", gateway),
    ];
    rate(installation, scripts, connections, seconds, &variables)
}

/// Runs scripts with these variables, in sessions set up like those of the server.
pub(crate) fn rate(
    installation: &Installation,
    scripts: &[PathBuf],
    connections: usize,
    seconds: u64,
    variables: &[(&str, &str)],
) -> f64 {
    let mut command = database::program(installation, "pgbench");
    command.env("PGOPTIONS", "-c plan_cache_mode=force_generic_plan -c jit=off");
    command.args(["--no-vacuum", "--protocol=prepared", "--random-seed=1"]);
    command.args([format!("--client={connections}"), "--jobs=1".to_owned(), format!("--time={seconds}")]);
    for (name, value) in variables {
        command.arg(format!("--define={name}={value}"));
    }
    for script in scripts {
        command.arg("--file").arg(script);
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{complaints}");
    let rate = said.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok());
    rate.unwrap_or_else(|| panic!("{said}{complaints}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_in_their_places_beyond_nine_too() {
        let values: Vec<String> = (1..=11).map(|n| format!(":v{n}")).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        assert_eq!(filled("SELECT $1,\n $11, $1 ", &values), "SELECT :v1, :v11, :v1");
    }
}
