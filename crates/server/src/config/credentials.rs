//! Credentials of the operator: where each key is, where it may be sent, and which tenants may use it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use application::values;
use domain::assistant::{AllowedTenants, Credential, CredentialName, Credentials};
use domain::secret::Secret;

use super::known::Reader;
use super::layers::CREDENTIALS;
use super::{Problem, Problems, check};
use crate::environment::Environment;

/// A credential with the place of its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCredential {
    /// Its name, origins and tenants.
    pub credential: Credential,
    /// Where the key is.
    pub key: KeySource,
    /// How the setting that names the place was written.
    setting: String,
}

/// Where a key is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// `…__VARIABLE`: an environment variable, with its value when it is set.
    Variable(String, Option<Secret<String>>),
    /// `…__FILE`: a file that holds nothing else.
    File(PathBuf),
}

impl NamedCredential {
    /// The key. Only what sends it reads it, so that other commands run without it.
    pub fn read(&self) -> Result<Secret<String>, Problem> {
        let problem = |reason: String| Problem { setting: self.setting.clone(), reason };
        let text = match &self.key {
            KeySource::Variable(_, Some(text)) => text.clone(),
            // Its name is not repeated: somebody may have written the key there.
            KeySource::Variable(_, None) => {
                return Err(problem("the environment variable that it names is not set".to_owned()));
            }
            KeySource::File(path) => Secret::new(std::fs::read_to_string(path).map_err(|cause| {
                problem(format!("the key file {} cannot be read: {cause}", path.display()))
            })?),
        };
        values::provider_key(text.reveal())
            .map(Secret::new)
            .map_err(|rule| problem(format!("the key cannot be used: {rule}")))
    }
}

/// All credentials without their keys.
pub(crate) fn public(all: &[NamedCredential]) -> Credentials {
    Credentials::new(all.iter().map(|own| own.credential.clone()).collect())
}

/// The keys of all credentials; every one that cannot be read is a problem.
pub(crate) fn keys(all: &[NamedCredential]) -> Result<BTreeMap<CredentialName, Secret<String>>, Problems> {
    let (mut keys, mut problems) = (BTreeMap::new(), Vec::new());
    for own in all {
        match own.read() {
            Ok(key) => {
                keys.insert(own.credential.name.clone(), key);
            }
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok(keys) } else { Err(Problems(problems)) }
}

/// What replaces a setting of earlier releases.
pub(super) const NEW_FORM: &str = "write for each key where it may be sent and which tenants may use it, e.g. \
     CALLWRIGHT__ENGINES__CREDENTIALS__OPENAI__VARIABLE=OPENAI_API_KEY (or __FILE=PATH), \
     CALLWRIGHT__ENGINES__CREDENTIALS__OPENAI__ORIGINS=https://api.openai.com and \
     CALLWRIGHT__ENGINES__CREDENTIALS__OPENAI__TENANTS=* (or ids of tenants); in the file \
     [engines.credentials.openai] with variable, origins and tenants";

impl Reader<'_> {
    /// Every credential that somebody wrote, by name.
    pub(super) fn credentials(&mut self, environment: &Environment) -> Vec<NamedCredential> {
        for field in ["variable", "file", "origins", "tenants"] {
            self.knows(&format!("{CREDENTIALS}NAME.{field}"));
        }
        let paths = self.written_below(CREDENTIALS);
        let names: BTreeSet<String> = paths
            .iter()
            .filter_map(|path| path.strip_prefix(CREDENTIALS)?.split_once('.'))
            .map(|(name, _)| name.to_owned())
            .collect();
        names.iter().filter_map(|name| self.credential(name, environment)).collect()
    }

    fn credential(&mut self, written: &str, environment: &Environment) -> Option<NamedCredential> {
        let before = self.problems.len();
        let path = |field: &str| format!("{CREDENTIALS}{written}.{field}");
        let (variable, file) = (path("variable"), path("file"));
        let name = CredentialName::parse(written);
        let key_variable = self.one_or_none(&variable, &check::VARIABLE);
        let key_file = self.one_or_none(&file, &check::FILE);
        let origins: BTreeSet<_> = self.many(&path("origins"), &check::ORIGIN).into_iter().collect();
        let tenants = self.many(&path("tenants"), &check::TENANT);
        let first = self.written_below(&format!("{CREDENTIALS}{written}.")).into_iter().next();
        let first = first.unwrap_or_else(|| path("variable"));
        if name.is_none() {
            self.refuse_path(&first, NAMES.to_owned());
        }
        if self.problems.len() != before {
            return None;
        }
        let spelled = |field: &str| {
            format!("CALLWRIGHT__ENGINES__CREDENTIALS__{}__{field}", written.to_ascii_uppercase())
        };
        let (key, setting, known) = match (key_variable, key_file) {
            (Some(_), Some(_)) => {
                self.refuse_path(&file, format!("goes without {}", spelled("VARIABLE")));
                return None;
            }
            (Some(name), None) => {
                let value = environment.get(&name).map(str::trim).filter(|value| !value.is_empty());
                let value = value.map(|value| Secret::new(value.to_owned()));
                (KeySource::Variable(name.clone(), value), self.written_as(&variable), Some(name))
            }
            (None, Some(path)) => (KeySource::File(path), self.written_as(&file), None),
            (None, None) => {
                let (one, other) = (spelled("VARIABLE"), spelled("FILE"));
                self.refuse_path(&first, format!("needs {one} or {other} beside it"));
                return None;
            }
        };
        if origins.is_empty() {
            let example = spelled("ORIGINS");
            self.refuse_path(&first, format!("needs {example} beside it, e.g. https://api.openai.com"));
            return None;
        }
        let tenants = match tenants.iter().copied().collect::<Option<BTreeSet<_>>>() {
            Some(only) => AllowedTenants::Only(only),
            None => AllowedTenants::All,
        };
        let credential = Credential { name: name?, variable: known, origins, tenants };
        Some(NamedCredential { credential, key, setting })
    }
}

/// What names credentials may have.
const NAMES: &str = "a credential has a name of 1 to 64 letters, digits and single underscores that begins with a \
     letter and ends with none of the last";
