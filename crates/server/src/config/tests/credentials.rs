//! Credentials of the operator.

use super::*;
use crate::config::credentials::keys;

const VARIABLE: (&str, &str) = ("CALLWRIGHT__ENGINES__CREDENTIALS__OPENAI__VARIABLE", "OPENAI_API_KEY");
const ORIGINS: (&str, &str) = ("CALLWRIGHT__ENGINES__CREDENTIALS__OPENAI__ORIGINS", "https://api.openai.com");
const TENANTS: (&str, &str) = ("CALLWRIGHT__ENGINES__CREDENTIALS__OPENAI__TENANTS", "*");

/// What is told of settings that cannot be used.
fn told(variables: &[(&str, &str)]) -> String {
    from_variables(variables).unwrap_err().to_string()
}

#[test]
fn credential_is_written_in_the_environment() {
    let key = ("OPENAI_API_KEY", " sk-first\n");
    let settings = from_variables(&[VARIABLE, ORIGINS, TENANTS, key]).unwrap();
    let [own] = &settings.engines.credentials[..] else { panic!("{:?}", settings.engines) };
    assert_eq!(own.credential.name.as_str(), "openai");
    assert_eq!(own.credential.origins, [origin("https://api.openai.com")].into());
    assert_eq!(own.credential.tenants, AllowedTenants::All);
    let keys = keys(&settings.engines.credentials).unwrap();
    assert_eq!(keys[&own.credential.name].reveal(), "sk-first");
    assert!(!format!("{settings:?}").contains("sk-"));

    let two = "01890a5d-ac96-774b-bcce-b302099a8057, 01890a5d-ac96-774b-bcce-b302099a8058";
    let settings = from_variables(&[VARIABLE, ORIGINS, (TENANTS.0, two)]).unwrap();
    let AllowedTenants::Only(only) = &settings.engines.credentials[0].credential.tenants else {
        panic!("{settings:?}")
    };
    assert_eq!(only.len(), 2);
    // Without a tenant it is for none.
    let settings = from_variables(&[VARIABLE, ORIGINS]).unwrap();
    assert_eq!(settings.engines.credentials[0].credential.tenants, AllowedTenants::default());
}

#[test]
fn environment_and_file_name_the_same_credential_in_any_case() {
    let file = "[engines.credentials.OpenAI]\nvariable = 'A_KEY'\norigins = 'https://a.example'\n";
    let settings = load(file, &[ORIGINS]).unwrap();
    let [own] = &settings.engines.credentials[..] else { panic!("{:?}", settings.engines) };
    assert_eq!(own.credential.variable.as_deref(), Some("A_KEY"));
    assert_eq!(own.credential.origins, [origin("https://api.openai.com")].into());
    let twice = format!("{file}[engines.credentials.openai]\nvariable = 'A_KEY'\n");
    assert!(load(&twice, &[]).unwrap_err().to_string().contains("names of credentials have no case"));
}

#[test]
fn bad_credential_stops_the_start_with_what_is_allowed() {
    let (file, missing) = ("CALLWRIGHT__ENGINES__CREDENTIALS__OPENAI__FILE", "/nowhere");
    let here = tempfile::NamedTempFile::new().unwrap();
    let here = here.path().to_str().unwrap();
    for (variables, allowed) in [
        (vec![ORIGINS], "needs CALLWRIGHT__ENGINES__CREDENTIALS__OPENAI__VARIABLE or"),
        (vec![VARIABLE], "needs CALLWRIGHT__ENGINES__CREDENTIALS__OPENAI__ORIGINS beside it"),
        (vec![VARIABLE, ORIGINS, (file, here)], "goes without CALLWRIGHT__ENGINES__CREDENTIALS__OPENAI__"),
        (vec![ORIGINS, (file, missing)], "OPENAI__FILE: must be the path of a file that exists"),
        (vec![ORIGINS, (VARIABLE.0, "sk-hunter2")], "OPENAI__VARIABLE: must be the name of an environment"),
        (vec![ORIGINS, (VARIABLE.0, "DATABASE_URL")], "none of Callwright's own"),
        (vec![ORIGINS, (VARIABLE.0, "CALLWRIGHT__DATABASE__URL")], "none of Callwright's own"),
        (vec![ORIGINS, (VARIABLE.0, "1KEY")], "the name of an environment variable"),
        (vec![VARIABLE, (ORIGINS.0, "https://api.openai.com/v1")], "ORIGINS: must be origins such as"),
        (vec![VARIABLE, (ORIGINS.0, "api.openai.com")], "ORIGINS: must be origins such as"),
        (vec![VARIABLE, (ORIGINS.0, "https://*.openai.com")], "ORIGINS: must be origins such as"),
        (vec![VARIABLE, ORIGINS, (TENANTS.0, "clinic")], "TENANTS: must be ids of tenants"),
        (vec![("CALLWRIGHT__ENGINES__CREDENTIALS__1A__VARIABLE", "A"), ORIGINS], "has a name of 1 to 64"),
        (vec![("CALLWRIGHT__ENGINES__CREDENTIALS__OPENAI__KEY", "hunter2")], "unknown setting"),
        (vec![("CALLWRIGHT__ENGINES__CREDENTIALS__OPENAI", "hunter2")], "unknown setting"),
    ] {
        let told = told(&variables);
        assert!(told.contains(allowed) && !told.contains("hunter2"), "{variables:?}: {told}");
    }
}

#[test]
fn key_that_cannot_be_read_is_named_without_its_text() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    let of_file = ("CALLWRIGHT__ENGINES__CREDENTIALS__OPENAI__FILE", path);
    let read = |variables: &[(&str, &str)]| {
        let settings = from_variables(variables).unwrap();
        keys(&settings.engines.credentials).map(|keys| keys.into_values().next().unwrap())
    };
    for bad in ["", " \n", "sk-1\nsk-2", "sk-\u{e9}"] {
        std::fs::write(path, bad).unwrap();
        let told = read(&[ORIGINS, of_file]).unwrap_err().to_string();
        assert!(told.contains("OPENAI__FILE: the key cannot be used") && !told.contains("sk-"), "{told}");
    }
    std::fs::write(path, "sk-file\n").unwrap();
    assert_eq!(read(&[ORIGINS, of_file]).unwrap().reveal(), "sk-file");
    for unset in [vec![VARIABLE, ORIGINS], vec![VARIABLE, ORIGINS, ("OPENAI_API_KEY", "")]] {
        let told = read(&unset).unwrap_err().to_string();
        assert!(
            told.contains("OPENAI__VARIABLE: the environment variable that it names is not set"),
            "{told}"
        );
    }
}

#[test]
fn former_settings_stop_the_start_with_the_new_form() {
    let model = ("CALLWRIGHT__ANALYSIS__MODEL", "gpt-4o-mini");
    for (former, also) in [
        (("CALLWRIGHT__ENGINES__KEY_VARIABLES", "sk_hunter2"), None),
        (("CALLWRIGHT__ANALYSIS__KEY_VARIABLE", "sk_hunter2"), Some("CALLWRIGHT__ANALYSIS__CREDENTIAL=")),
        (("CALLWRIGHT__ANALYSIS__KEY_FILE", "/etc/key"), Some("CALLWRIGHT__ANALYSIS__CREDENTIAL=")),
    ] {
        let told = told(&[model, former]);
        assert!(told.contains(&format!("{}: is replaced by named credentials", former.0)), "{told}");
        for part in ["VARIABLE=OPENAI_API_KEY", "ORIGINS=https://api.openai.com", "TENANTS=*"] {
            assert!(told.contains(&format!("CALLWRIGHT__ENGINES__CREDENTIALS__OPENAI__{part}")), "{told}");
        }
        assert!(told.contains("[engines.credentials.openai]") && !told.contains("hunter2"), "{told}");
        assert!(also.is_none_or(|also| told.contains(also)), "{told}");
    }
    let told = load("engines.key_variables = ['OPENAI_API_KEY']", &[]).unwrap_err().to_string();
    assert!(told.contains("engines.key_variables in ") && told.contains("[engines.credentials."), "{told}");
    // Set to nothing it says nothing.
    from_variables(&[("CALLWRIGHT__ENGINES__KEY_VARIABLES", "")]).unwrap();
}

#[test]
fn analysis_names_a_credential_that_covers_its_endpoint() {
    let model = ("CALLWRIGHT__ANALYSIS__MODEL", "gpt-4o-mini");
    let named = ("CALLWRIGHT__ANALYSIS__CREDENTIAL", "OPENAI");
    let alone = from_variables(&[model]).unwrap().analysis.unwrap();
    assert_eq!((alone.endpoint.as_str(), alone.credential), ("https://api.openai.com/v1", None));

    // Its tenants do not matter: the operator chose the endpoint.
    let settings = from_variables(&[model, named, VARIABLE, ORIGINS, ("OPENAI_API_KEY", "sk-1")]).unwrap();
    let own = settings.analysis.unwrap().credential.unwrap();
    assert_eq!(own.read().unwrap().reveal(), "sk-1");

    let elsewhere = ("CALLWRIGHT__ANALYSIS__ENDPOINT", "https://api.example.com/v1");
    let refused = told(&[model, named, VARIABLE, ORIGINS, elsewhere]);
    assert!(
        refused
            .contains("ANALYSIS__ENDPOINT: the credential openai may only be sent to https://api.openai.com"),
        "{refused}"
    );
    let usual = told(&[model, named, VARIABLE, (ORIGINS.0, "https://a.example")]);
    assert!(usual.contains("ANALYSIS__CREDENTIAL: the credential openai may only be sent to"), "{usual}");
    let unknown = told(&[model, named]);
    assert!(unknown.contains("CREDENTIAL: names no credential of"), "{unknown}");
    let broken = told(&[model, named, VARIABLE]);
    assert!(!broken.contains("names no credential of"), "{broken}");
    // Somebody may have written the key itself.
    for key in ["sk-hunter2", "hunter2"] {
        let told = told(&[model, ("CALLWRIGHT__ANALYSIS__CREDENTIAL", key)]);
        assert!(told.contains("ANALYSIS__CREDENTIAL: ") && !told.contains("hunter2"), "{told}");
    }

    for (name, value) in [("ENDPOINT", "https://api.example.com/v1"), ("CREDENTIAL", "openai")] {
        let told = problem(&format!("CALLWRIGHT__ANALYSIS__{name}"), value);
        assert!(told.contains("CALLWRIGHT__ANALYSIS__MODEL"), "{told}");
    }
    for endpoint in
        ["http://api.example.com/v1", "https://10.0.0.7/v1", "https://u:hunter2@example.com/", "x"]
    {
        let told = told(&[model, ("CALLWRIGHT__ANALYSIS__ENDPOINT", endpoint)]);
        assert!(
            told.contains("ANALYSIS__ENDPOINT: must be an address") && !told.contains("hunter2"),
            "{told}"
        );
    }
}
