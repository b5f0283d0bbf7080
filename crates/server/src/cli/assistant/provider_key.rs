//! `callwright assistant key`: providers' keys come from standard input and are never printed.

use std::io::{IsTerminal, Read};

use anyhow::{Context, bail};
use application::values::{self, PROVIDER_KEY_MAX};
use clap::{Args, Subcommand};
use domain::assistant::ProviderRole;
use domain::ids::AssistantId;
use domain::secret::Secret;

use crate::cli::parse;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ProviderKeys {
    /// Keep a key, encrypted; it is read from standard input.
    Set(Which),
    /// Forget the key.
    Remove(Which),
}

#[derive(Clone, Copy, Debug, Args)]
pub(in crate::cli) struct Which {
    /// The assistant's id.
    #[arg(value_parser = parse::assistant)]
    id: AssistantId,
    /// The provider whose key it is: realtime, chat, transcription or speech; without it, all of the
    /// assistant's.
    #[arg(long = "for", value_name = "PROVIDER", value_parser = parse::provider)]
    role: Option<ProviderRole>,
}

/// A key that was read.
pub(in crate::cli) struct NewKey {
    pub(super) assistant: AssistantId,
    pub(super) role: Option<ProviderRole>,
    /// `None` forgets the one that there is.
    pub(super) key: Option<Secret<String>>,
}

impl ProviderKeys {
    pub(super) fn read(self) -> anyhow::Result<NewKey> {
        let (Which { id, role }, key) = match self {
            Self::Set(which) => {
                let stdin = std::io::stdin();
                if stdin.is_terminal() {
                    bail!("the key is read from standard input, where a terminal would show it: pipe it in");
                }
                (which, Some(read(stdin.lock())?))
            }
            Self::Remove(which) => (which, None),
        };
        Ok(NewKey { assistant: id, role, key })
    }
}

/// Reads one line; the words about a bad one do not repeat it.
fn read(input: impl Read) -> anyhow::Result<Secret<String>> {
    let mut text = String::new();
    let most = u64::try_from(PROVIDER_KEY_MAX)? + 2;
    input.take(most).read_to_string(&mut text).context("the key cannot be read from standard input")?;
    match values::provider_key(&text) {
        Ok(key) => Ok(Secret::new(key)),
        Err(expected) => bail!("standard input must hold a key: {expected}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_is_a_key_and_nothing_else_is_nor_is_it_repeated() {
        assert_eq!(read(" sk-1_a\r\n".as_bytes()).unwrap().reveal(), "sk-1_a");
        let longest = "k".repeat(PROVIDER_KEY_MAX);
        assert_eq!(read(format!("{longest}\n").as_bytes()).unwrap().reveal(), &longest);
        for bad in ["", "\n", "sk-1\nsk-2", "sk 1", "sk-\u{e9}", &format!("{longest}k"), &longest.repeat(9)] {
            let told = read(bad.as_bytes()).unwrap_err().to_string();
            assert!(told.contains("must hold a key") && !told.contains("sk-"), "{told}");
        }
        assert!(read(&b"\xff"[..]).is_err());
    }
}
