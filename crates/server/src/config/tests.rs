//! What can be set, in which order the sources count, and what a wrong setting is told.

mod credentials;

use domain::assistant::{AllowedTenants, Credential, CredentialName};
use domain::ids::TenantId;
use domain::network::Origin;

use super::*;

fn environment(variables: &[(&str, &str)]) -> Environment {
    variables.iter().copied().collect()
}

fn load(toml: &str, variables: &[(&str, &str)]) -> Result<Settings, Problems> {
    let file = tempfile::Builder::new().suffix(".toml").tempfile().unwrap();
    std::fs::write(file.path(), toml).unwrap();
    Settings::load(Some(file.path()), &environment(variables))
}

fn origin(text: &str) -> Origin {
    Origin::parse(text).unwrap()
}

fn from_variables(variables: &[(&str, &str)]) -> Result<Settings, Problems> {
    Settings::load(None, &environment(variables))
}

/// The only problem of a bad variable.
fn problem(name: &str, value: &str) -> String {
    let Problems(problems) = from_variables(&[(name, value)]).unwrap_err();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].setting, name);
    problems[0].reason.clone()
}

#[test]
fn without_any_source_the_defaults_hold() {
    let settings = from_variables(&[]).unwrap();
    assert_eq!(settings.http.listen, "127.0.0.1:8080".parse().unwrap());
    assert!(settings.http.public_url.is_none() && settings.http.tls.is_none());
    assert!(settings.http.trusted_proxies.is_empty() && settings.callbacks.allowed_networks.is_empty());
    assert!(settings.database.url.is_none() && settings.secrets.key_file.is_none());
    assert!(settings.redis.address.is_none() && settings.s3.is_none());
    assert_eq!(settings.sip.listen, "0.0.0.0:5060".parse().unwrap());
    assert_eq!((settings.sip.max_connections, settings.sip.max_connections_per_address), (None, 32));
    assert_eq!(settings.media.ports, 20_000..=29_999);
    assert_eq!(settings.calls.ring_limit, Duration::from_mins(1));
    assert_eq!(settings.calls.drain_limit, Duration::from_mins(2));
    assert!(settings.engines.allowed_networks.is_empty() && settings.engines.credentials.is_empty());
    assert!(settings.engines.authorities.is_none() && settings.analysis.is_none());
    assert_eq!(settings.log, Log { level: "info".into(), format: LogFormat::Pretty });
    assert!(settings.data_dir.is_absolute());
}

/// A file with every setting; `path` is any file that is there, and `secret` holds a key.
fn whole_file(path: &str, secret: &str) -> String {
    format!(
        r#"
        data_dir = "/srv/callwright"
        [http]
        listen = "0.0.0.0:443"
        public_url = "https://calls.example.com/voice"
        trusted_proxies = ["10.0.0.0/8", "::1"]
        tls = {{ certificate = "{path}", key = "{path}" }}
        [secrets]
        key_file = "{path}"
        [database]
        url = "postgres://u:p@db/callwright"
        [redis]
        url = "rediss://:p@cache/2"
        tls.authorities = "{path}"
        [sip]
        listen = "192.0.2.4:5070"
        public_address = "198.51.100.7"
        max_connections = 500
        max_connections_per_address = "20"
        tls.authorities = "{path}"
        [media]
        ports = "30000-30009"
        [calls]
        ring_limit = 45
        drain_limit = 0
        [callbacks]
        allowed_networks = "127.0.0.0/8, fd00::/8"
        tls.authorities = "{path}"
        [engines]
        allowed_networks = ["10.0.0.0/8"]
        tls.authorities = "{path}"
        [engines.credentials.OpenAI]
        variable = "OPENAI_API_KEY"
        origins = ["https://api.openai.com", "wss://eu.api.openai.com:8443/"]
        tenants = ["01890a5d-ac96-774b-bcce-b302099a8057"]
        [engines.credentials.local]
        file = "{path}"
        origins = "http://10.0.0.7:8000"
        [analysis]
        endpoint = "http://10.0.0.7:8000/v1"
        model = "gpt-4o-mini"
        credential = "LOCAL"
        [artifacts.s3]
        bucket = "calls"
        region = "ca-central-1"
        endpoint = "https://store.example.com:444"
        path_style = false
        prefix = "voice/calls"
        access_key_id = "AKIA0"
        secret_access_key_file = "{secret}"
        tls.authorities = "{path}"
        [log]
        level = "warn,sip=debug"
        format = "json"
        "#
    )
}

#[test]
fn every_setting_can_be_written_in_the_file() {
    let pem = tempfile::NamedTempFile::new().unwrap();
    let path = pem.path().display();
    let secret = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(secret.path(), "hunter2+/=\n").unwrap();
    let secret = secret.path().display();
    let settings = load(&whole_file(&path.to_string(), &secret.to_string()), &[]).unwrap();
    assert_eq!(settings.data_dir, Path::new("/srv/callwright"));
    assert_eq!(settings.http.listen.port(), 443);
    assert_eq!(settings.http.public_url.unwrap().as_str(), "https://calls.example.com/voice");
    assert_eq!(settings.http.trusted_proxies, ["10.0.0.0/8", "::1"].map(|n| Network::parse(n).unwrap()));
    let tls = Tls { certificate: pem.path().into(), key: pem.path().into() };
    assert_eq!(settings.http.tls, Some(tls));
    assert_eq!(settings.secrets.key_file.as_deref(), Some(pem.path()));
    assert_eq!(settings.database.url.unwrap().reveal(), "postgres://u:p@db/callwright");
    assert_eq!(settings.redis.address.unwrap().to_string(), "rediss://cache:6379/2");
    assert_eq!(settings.redis.authorities.as_deref(), Some(pem.path()));
    assert_eq!(settings.sip.listen, "192.0.2.4:5070".parse().unwrap());
    assert_eq!((settings.sip.max_connections, settings.sip.max_connections_per_address), (Some(500), 20));
    assert_eq!(settings.sip.public_address, Some("198.51.100.7".parse().unwrap()));
    assert_eq!(settings.sip.authorities.as_deref(), Some(pem.path()));
    assert_eq!(settings.media.ports, 30_000..=30_009);
    assert_eq!(settings.calls, Calls { ring_limit: Duration::from_secs(45), drain_limit: Duration::ZERO });
    assert_eq!(
        settings.callbacks.allowed_networks,
        ["127.0.0.0/8", "fd00::/8"].map(|n| Network::parse(n).unwrap())
    );
    assert_eq!(settings.callbacks.authorities.as_deref(), Some(pem.path()));
    let engines = Engines {
        allowed_networks: vec![Network::parse("10.0.0.0/8").unwrap()],
        credentials: settings.engines.credentials.clone(),
        authorities: Some(pem.path().into()),
    };
    assert_eq!(settings.engines, engines);
    let [local, openai] = &engines.credentials[..] else { panic!("{:?}", engines.credentials) };
    let tenant = TenantId::parse("01890a5d-ac96-774b-bcce-b302099a8057").unwrap();
    assert_eq!(
        openai.credential,
        Credential {
            name: CredentialName::parse("openai").unwrap(),
            variable: Some("OPENAI_API_KEY".to_owned()),
            origins: ["https://api.openai.com", "https://eu.api.openai.com:8443"].map(origin).into(),
            tenants: AllowedTenants::Only([tenant].into()),
        }
    );
    assert_eq!(openai.key, KeySource::Variable("OPENAI_API_KEY".to_owned(), None));
    assert_eq!(local.key, KeySource::File(pem.path().into()));
    // No tenant may use what no tenant is named for.
    assert_eq!(local.credential.tenants, AllowedTenants::Only([].into()));
    let analysis = Analysis {
        endpoint: Url::parse("http://10.0.0.7:8000/v1").unwrap(),
        model: "gpt-4o-mini".into(),
        credential: Some(local.clone()),
    };
    assert_eq!(settings.analysis, Some(analysis));
    let s3 = settings.s3.unwrap();
    assert_eq!((s3.bucket.as_str(), s3.region.as_str(), s3.path_style), ("calls", "ca-central-1", false));
    assert_eq!(s3.endpoint.unwrap().as_str(), "https://store.example.com:444/");
    assert_eq!((s3.prefix.as_deref(), s3.access_key_id.as_str()), (Some("voice/calls"), "AKIA0"));
    assert_eq!(s3.secret_access_key.reveal(), "hunter2+/=");
    assert_eq!(s3.authorities.as_deref(), Some(pem.path()));
    assert_eq!(settings.log, Log { level: "warn,sip=debug".into(), format: LogFormat::Json });
}

#[test]
fn the_environment_wins_over_the_file_and_leaves_its_neighbours_alone() {
    let toml = "http.listen = '127.0.0.1:1'\nhttp.public_url = 'http://file.example'";
    let settings = load(toml, &[("CALLWRIGHT__HTTP__LISTEN", "127.0.0.1:2"), ("LANG", "C")]).unwrap();
    assert_eq!(settings.http.listen.port(), 2);
    assert_eq!(settings.http.public_url.unwrap().as_str(), "http://file.example/");
}

#[test]
fn the_prefixed_database_address_wins_over_the_customary_variable_and_that_over_the_file() {
    let toml = "database.url = 'postgres://file/x'";
    let customary = ("DATABASE_URL", "postgres://customary/x");
    let prefixed = ("CALLWRIGHT__DATABASE__URL", "postgresql://prefixed/x");
    for (variables, winner) in [
        (vec![], "postgres://file/x"),
        (vec![customary], "postgres://customary/x"),
        (vec![customary, prefixed], "postgresql://prefixed/x"),
    ] {
        let settings = load(toml, &variables).unwrap();
        assert_eq!(settings.database.url.unwrap().reveal(), winner);
    }
}

#[test]
fn an_empty_optional_setting_counts_as_absent() {
    let settings = from_variables(&[
        ("CALLWRIGHT__DATABASE__URL", ""),
        ("DATABASE_URL", ""),
        ("CALLWRIGHT__REDIS__URL", ""),
        ("CALLWRIGHT__HTTP__TLS__KEY", ""),
        ("CALLWRIGHT__CALLBACKS__ALLOWED_NETWORKS", ""),
    ])
    .unwrap();
    assert!(settings.database.url.is_none() && settings.http.tls.is_none());
    assert!(settings.redis.address.is_none());
    assert!(settings.callbacks.allowed_networks.is_empty());
}

#[test]
fn a_bad_value_is_named_with_what_is_allowed() {
    for (name, bad, allowed) in [
        ("HTTP__LISTEN", "localhost:8080", "ADDRESS:PORT"),
        ("HTTP__LISTEN", "", "ADDRESS:PORT"),
        ("HTTP__PUBLIC_URL", "ftp://x", "https://"),
        ("HTTP__PUBLIC_URL", "https://x/?a", "without query"),
        ("HTTP__TRUSTED_PROXIES", "10.0.0.0/33", "CIDR"),
        ("HTTP__TRUSTED_PROXIES", "::ffff:10.0.0.0/90", "CIDR"),
        ("SECRETS__KEY_FILE", "/nowhere/key", "exists"),
        ("DATABASE__URL", "mysql://u:hunter2@h/d", "postgres://"),
        (
            "DATABASE__URL",
            "postgres://u:hunter2@h/d?sslmode=prefer",
            "disable, require, verify-ca or verify-full",
        ),
        ("DATABASE__URL", "postgres://u:hunter2@h/d?sslmode=verify-ca", "needs sslrootcert=FILE"),
        ("DATABASE__URL", "postgres://u:hunter2@h/d?sslrootcert=/nowhere", "/nowhere cannot be read"),
        ("DATABASE__URL", "postgres://u:hunter2@h:x/d", "invalid value for option `port`"),
        ("REDIS__URL", "http://u:hunter2@h", "redis://"),
        ("REDIS__URL", "redis://:hunter2@h/x", "redis://"),
        ("REDIS__TLS__AUTHORITIES", "/nowhere", "exists"),
        ("SIP__LISTEN", "5060", "ADDRESS:PORT"),
        ("SIP__PUBLIC_ADDRESS", "sip.example.com", "IPv4 or IPv6"),
        ("SIP__TLS__AUTHORITIES", "/nowhere", "exists"),
        ("SIP__MAX_CONNECTIONS", "0", "1 to 16384"),
        ("SIP__MAX_CONNECTIONS_PER_ADDRESS", "many", "whole number"),
        ("TRUNKS__ALLOWED_NETWORKS", "pbx.example.com", "CIDR"),
        ("PHONE__BUILT_IN", "off", "true or false"),
        ("MEDIA__PORTS", "20000", "FIRST-LAST"),
        ("MEDIA__PORTS", "20001-20002", "room for one call"),
        ("MEDIA__PORTS", "30000-20000", "FIRST-LAST"),
        ("MEDIA__PORTS", "80-90", "1024"),
        ("CALLS__RING_LIMIT", "0", "1 to 180"),
        ("CALLS__RING_LIMIT", "60s", "whole seconds"),
        ("CALLS__RING_LIMIT", "+60", "whole seconds"),
        ("CALLS__DRAIN_LIMIT", "-1", "whole seconds"),
        ("CALLBACKS__ALLOWED_NETWORKS", "127.0.0.1,example.com", "CIDR"),
        ("ENGINES__ALLOWED_NETWORKS", "localhost", "CIDR"),
        ("ENGINES__TLS__AUTHORITIES", "/nowhere", "exists"),
        ("ARTIFACTS__S3__BUCKET", "My_Calls", "lower-case letters"),
        ("ARTIFACTS__S3__REGION", "Canada!", "region"),
        ("ARTIFACTS__S3__ENDPOINT", "minio:9000", "https://"),
        ("ARTIFACTS__S3__PATH_STYLE", "yes", "true or false"),
        ("ARTIFACTS__S3__PREFIX", "calls/../x", "separated by slashes"),
        ("ARTIFACTS__S3__PREFIX", "/calls", "separated by slashes"),
        ("ARTIFACTS__S3__ACCESS_KEY_ID", "a/b", "the id of an access key"),
        ("ARTIFACTS__S3__SECRET_ACCESS_KEY", "hunter2 x", "visible characters"),
        ("ARTIFACTS__S3__SECRET_ACCESS_KEY_FILE", "/nowhere", "can be read"),
        ("ARTIFACTS__S3__TLS__AUTHORITIES", "/nowhere", "exists"),
        ("LOG__LEVEL", "loud", "error, warn, info"),
        ("LOG__FORMAT", "xml", "pretty or json"),
    ] {
        let reason = problem(&format!("CALLWRIGHT__{name}"), bad);
        assert!(reason.contains(allowed), "{name}={bad}: {reason}");
        assert!(!reason.contains("hunter2"), "{reason}");
    }
}

#[test]
fn half_a_bucket_is_refused_and_a_whole_one_has_the_customary_rest() {
    let (bucket, id) =
        (("CALLWRIGHT__ARTIFACTS__S3__BUCKET", "calls"), ("CALLWRIGHT__ARTIFACTS__S3__ACCESS_KEY_ID", "A"));
    let secret = ("CALLWRIGHT__ARTIFACTS__S3__SECRET_ACCESS_KEY", "x");
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "y").unwrap();
    let file = ("CALLWRIGHT__ARTIFACTS__S3__SECRET_ACCESS_KEY_FILE", file.path().to_str().unwrap());
    let region = ("CALLWRIGHT__ARTIFACTS__S3__REGION", "eu-west-1");
    for (set, at, missing) in [
        (vec![bucket], bucket, "ACCESS_KEY_ID"),
        (vec![bucket, id], bucket, "SECRET_ACCESS_KEY"),
        (vec![bucket, id, ("CALLWRIGHT__ARTIFACTS__S3__SECRET_ACCESS_KEY", "")], bucket, "SECRET_ACCESS_KEY"),
        (vec![id, secret], id, "S3__BUCKET"),
        (vec![region], region, "S3__BUCKET"),
        (vec![bucket, id, secret, file], file, "may not stand beside"),
    ] {
        let Problems(problems) = from_variables(&set).unwrap_err();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].setting, at.0);
        assert!(problems[0].reason.contains(missing), "{problems:?}");
    }
    let aws = from_variables(&[bucket, id, secret]).unwrap().s3.unwrap();
    assert_eq!((aws.region.as_str(), aws.path_style, aws.prefix), ("us-east-1", false, None));
    let endpoint = ("CALLWRIGHT__ARTIFACTS__S3__ENDPOINT", "http://minio:9000");
    assert!(from_variables(&[bucket, id, file, endpoint]).unwrap().s3.unwrap().path_style);
}

#[test]
fn half_a_certificate_is_refused() {
    let pem = tempfile::NamedTempFile::new().unwrap();
    let path = pem.path().to_str().unwrap();
    assert!(problem("CALLWRIGHT__HTTP__TLS__KEY", path).contains("HTTP__TLS__CERTIFICATE"));
    assert!(problem("CALLWRIGHT__HTTP__TLS__CERTIFICATE", path).contains("HTTP__TLS__KEY"));
}

#[test]
fn an_unknown_setting_stops_the_start_with_a_hint() {
    assert!(problem("CALLWRIGHT__HTTP__LISTN", "x").contains("did you mean CALLWRIGHT__HTTP__LISTEN?"));
    assert!(problem("CALLWRIGHT__DATA__DIR", "x").contains("did you mean CALLWRIGHT__DATA_DIR?"));
    let all = problem("CALLWRIGHT__COFFEE__STRENGTH", "9");
    assert!(all.contains("CALLWRIGHT__MEDIA__PORTS") && all.contains("CALLWRIGHT__LOG__FORMAT"), "{all}");
    problem("CALLWRIGHT__HTTP", "x");
    problem("CALLWRIGHT__HTTP__LISTEN[0]", "x");
    problem("CALLWRIGHT__", "x");
    let Problems(problems) = load("[htp]\nlisten = '127.0.0.1:1'", &[]).unwrap_err();
    assert!(problems[0].setting.starts_with("htp.listen in "), "{problems:?}");
    assert!(problems[0].reason.contains("did you mean http.listen?"), "{problems:?}");
}

#[test]
fn several_problems_are_told_at_once() {
    let text = load(
        "calls.ring_limit = 2.5\nhttp.listen = ['127.0.0.1:1']\nnope = 1",
        &[("CALLWRIGHT__LOG__FORMAT", "xml"), ("CALLWRIGHT__MEDIA__PORTS", "x")],
    )
    .unwrap_err()
    .to_string();
    for name in [
        "calls.ring_limit in ",
        "http.listen in ",
        "nope in ",
        "CALLWRIGHT__LOG__FORMAT",
        "CALLWRIGHT__MEDIA__PORTS",
    ] {
        assert!(text.contains(name), "{name} is not in {text}");
    }
}

#[test]
fn a_file_that_is_absent_or_no_toml_is_named() {
    let absent = Settings::load(Some(Path::new("/nowhere/callwright.toml")), &environment(&[])).unwrap_err();
    assert!(absent.to_string().contains("/nowhere/callwright.toml: the file cannot be read"), "{absent}");
    let broken = load("http = [", &[]).unwrap_err().to_string();
    assert!(broken.contains(".toml: "), "{broken}");
}

#[test]
fn a_setting_named_differently_from_its_variable_in_case_is_unknown() {
    load("[HTTP]\nLISTEN = '127.0.0.1:1'", &[]).unwrap_err();
}

#[test]
fn a_group_set_as_if_it_were_a_setting_is_unknown_beside_settings_of_that_group_too() {
    // Which of the two survives the merge is chance, so chance gets its turns.
    for _ in 0..32 {
        let written = [("CALLWRIGHT__HTTP", "5"), ("CALLWRIGHT__HTTP__LISTEN", "127.0.0.1:1")];
        let Problems(problems) = from_variables(&written).unwrap_err();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].setting, "CALLWRIGHT__HTTP");
    }
}
