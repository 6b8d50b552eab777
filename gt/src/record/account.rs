//! Reads and writes `mayor/accounts.json`: the accounts of an agent program, each with a
//! configuration folder of its own.
//!
//! A session uses the account that `GT_ACCOUNT` names, else the default one. Without either it uses
//! the program's own folder.

use std::collections::BTreeMap;
use std::path::PathBuf;

use kit::sys::Env;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::state_file;
use crate::town::{Town, TownLayout};

/// The variable that chooses an account.
pub const ACCOUNT: &str = "GT_ACCOUNT";

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AccountBook {
    #[serde(default = "first_version")]
    version: u32,
    #[serde(default)]
    pub accounts: BTreeMap<String, Account>,
    /// The account of sessions that ask for none. Empty for none.
    #[serde(default)]
    pub default: String,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Account {
    #[serde(default)]
    pub email: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The configuration folder of the agent program. May begin with `~/`.
    pub config_dir: String,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "there is no account `{handle}` in mayor/accounts.json: not found ({})",
    describe(known)
)]
pub struct UnknownAccount {
    pub handle: String,
    pub known: Vec<String>,
}

fn describe(known: &[String]) -> String {
    match known {
        [] => "none is there yet".to_owned(),
        known => format!("there are: {}", known.join(", ")),
    }
}

fn first_version() -> u32 {
    1
}

impl Account {
    /// Returns the configuration folder.
    pub fn folder(&self, env: &Env) -> PathBuf {
        match (self.config_dir.strip_prefix("~/"), env.home()) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(&self.config_dir),
        }
    }
}

impl AccountBook {
    /// Reads the accounts of a town.
    pub fn load(layout: &TownLayout) -> anyhow::Result<Self> {
        Ok(state_file::read_state(&layout.accounts_json())?.unwrap_or_default())
    }

    /// Changes the accounts of a town under their lock, and returns them.
    pub fn change(
        layout: &TownLayout,
        change: impl FnOnce(&mut Self) -> Result<(), UnknownAccount>,
    ) -> anyhow::Result<Self> {
        let path = layout.accounts_json();
        let changed = state_file::change_state(layout, &path, |book: &mut Self| {
            book.version = book.version.max(first_version());
            let before = book.clone();
            let result = change(book);
            if result.is_err() {
                *book = before;
            }
            result.map(|()| book.clone())
        })?;
        Ok(changed?)
    }

    pub fn find(&self, handle: &str) -> Result<&Account, UnknownAccount> {
        self.accounts.get(handle).ok_or_else(|| UnknownAccount {
            handle: handle.to_owned(),
            known: self.accounts.keys().cloned().collect(),
        })
    }

    /// Returns the handle of the account that new sessions use. None without an account.
    pub fn chosen(&self, env: &Env) -> Option<String> {
        let wanted = env.get(ACCOUNT).unwrap_or(&self.default);
        Some(wanted.to_owned()).filter(|handle| !handle.is_empty())
    }
}

/// Returns the configuration folder for a new session, if an account is chosen.
pub fn find_account_folder(town: &Town) -> anyhow::Result<Option<PathBuf>> {
    let book = AccountBook::load(&town.layout)?;
    let Some(handle) = book.chosen(&town.env) else {
        return Ok(None);
    };
    Ok(Some(book.find(&handle)?.folder(&town.env)))
}

/// Returns the configuration folders of all accounts. Empty for a damaged file.
pub fn list_account_folders(town: &Town) -> Vec<PathBuf> {
    let book = AccountBook::load(&town.layout).unwrap_or_default();
    let accounts = book.accounts.values();
    accounts.map(|account| account.folder(&town.env)).collect()
}
