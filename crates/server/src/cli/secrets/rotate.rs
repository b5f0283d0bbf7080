//! A new key takes the old one's place: made, held by all, put in force, everything sealed anew, and
//! only then may the old one go. Wherever it stops, every value opens with a key of the file, and the
//! next run goes on from what file and database say.

use anyhow::{Context, bail};
use domain::ports::KeyRing;
use postgres::{Pass, Store};
use serde_json::json;

use super::watch::{self, Until};
use crate::cli::output::Fields;
use crate::crash_point::crash_point;
use crate::secrets::{KeyFile, fresh};
use crate::system::SystemEntropy;

/// More passes than this, and somebody writes with an old key faster than it is sealed anew.
const PASSES_MAX: usize = 20;

pub(super) struct Rotation<'a> {
    pub(super) file: &'a KeyFile,
    pub(super) store: &'a Store,
}

impl Rotation<'_> {
    /// Tells what is there and what would be done.
    pub(super) async fn forecast(&self) -> anyhow::Result<Fields> {
        let keys = self.file.keys();
        let pass = self.store.check_sealed().await?;
        let mut columns = serde_json::Map::new();
        for count in self.store.sealed_values().await? {
            let column = columns.entry(format!("{}.{}", count.table, count.column)).or_insert(json!({}));
            if let Some(by_key) = column.as_object_mut() {
                by_key.insert(format!("key {}", count.key), json!(count.values));
            }
        }
        let next = if pass.unreadable > 0 {
            "nothing: values that open with no key of the file come first"
        } else if keys.is_single() {
            "a new key, and everything is encrypted anew under it"
        } else if keys.sealing() != keys.newest() {
            "the newest key is put in force, and everything is encrypted anew under it"
        } else if pass.under_others > 0 {
            "what the old keys encrypted is encrypted anew"
        } else {
            "nothing is left to encrypt anew; --forget-old takes the old keys out of the file"
        };
        let numbers: Vec<_> = keys.all().map(|key| key.number).collect();
        Ok(vec![
            ("id", json!("secrets")),
            ("keyFile", json!(self.file.path().display().to_string())),
            ("keys", json!(numbers)),
            ("encryptsWith", json!(keys.sealing().number)),
            ("values", json!(columns)),
            ("unreadable", json!(pass.places)),
            ("next", json!(next)),
        ])
    }

    /// Rotates, or goes on where an earlier run stopped.
    pub(super) async fn run(&self, forget_old: bool) -> anyhow::Result<Fields> {
        self.all_opens().await.context("nothing was changed")?;
        let keys = self.file.change("add a line with a new key and the next number", |keys| {
            // Two that come at once make one key.
            keys.is_single().then(|| keys.with_next(fresh(&SystemEntropy))).flatten()
        })?;
        crash_point("key-made");
        let number = keys.newest().number;
        self.store.remember_newest_key().await?;
        let nodes = |until| watch::all(self.store, until, number, self.file.path());
        if keys.sealing() != keys.newest() {
            nodes(Until::Opens).await?;
            self.file.change("move the line of the newest key to the top", |keys| {
                (keys.sealing() != keys.newest()).then(|| keys.newest_seals())
            })?;
        }
        crash_point("key-in-force");
        let mut resealed = self.reseal().await?;
        nodes(Until::Seals).await?;
        resealed += self.reseal().await?;
        self.nothing_under_others().await?;
        crash_point("all-resealed");
        if forget_old {
            nodes(Until::Settled).await?;
            // Whoever was not waited for, or is held up for longer, is refused; what came before is sealed anew.
            self.store.forget_old_keys().await?;
            crash_point("old-refused");
            resealed += self.reseal().await?;
            self.nothing_under_others().await?;
            self.file.change("take every line out but that of the newest key", |keys| {
                (keys.sealing() == keys.newest() && keys.newest().number == number)
                    .then(|| keys.newest_alone())
            })?;
            crash_point("old-forgotten");
        }
        let numbers: Vec<_> = self.file.keys().all().map(|key| key.number).collect();
        let next = if numbers.len() > 1 { Some("--forget-old, when no node is to go back") } else { None };
        Ok(vec![
            ("id", json!("secrets")),
            ("keyFile", json!(self.file.path().display().to_string())),
            ("keys", json!(numbers)),
            ("encryptsWith", json!(number)),
            ("resealed", json!(resealed)),
            ("next", json!(next)),
        ])
    }

    /// Passes over everything until one finds nothing to do.
    async fn reseal(&self) -> anyhow::Result<u64> {
        let mut resealed = 0;
        for _ in 0..PASSES_MAX {
            let pass = self.store.reseal(|| crash_point("batch-resealed")).await?;
            readable(&pass)?;
            resealed += pass.resealed;
            if pass.under_others == 0 {
                return Ok(resealed);
            }
        }
        bail!("somebody goes on encrypting with an old key: is a node running with another key file?")
    }

    async fn all_opens(&self) -> anyhow::Result<()> {
        readable(&self.store.check_sealed().await?)
    }

    async fn nothing_under_others(&self) -> anyhow::Result<()> {
        let pass = self.store.check_sealed().await?;
        readable(&pass)?;
        if pass.under_others > 0 {
            bail!("{} values were encrypted with an old key meanwhile: run this again", pass.under_others);
        }
        Ok(())
    }
}

fn readable(pass: &Pass) -> anyhow::Result<()> {
    if pass.unreadable > 0 {
        bail!(
            "{} values open with no key of the file: {}{}. Put the key that is missing into the file, or give \
             these values anew",
            pass.unreadable,
            pass.places.join(", "),
            if u64::try_from(pass.places.len()).unwrap_or_default() < pass.unreadable { " …" } else { "" }
        );
    }
    Ok(())
}
