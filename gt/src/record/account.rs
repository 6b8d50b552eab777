//! Reads and writes `mayor/accounts.json`: the accounts of an agent program, each with a
//! configuration folder of its own.
//!
//! A session uses the account that its work was slung with, else the one that `GT_ACCOUNT` names,
//! else the default one. Without any it uses the program's own folder.

use std::collections::BTreeMap;
use std::path::PathBuf;

use kit::sys::Env;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::quota::{QuotaBook, UsageLimit};
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
        state_file::read_state_or_default(&layout.accounts_json())
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

/// Returns the account that a user named for new work: `named`, else the value of `GT_ACCOUNT`.
/// Fails if there is no such account.
pub fn check_named_account(town: &Town, named: Option<String>) -> anyhow::Result<Option<String>> {
    match named.or_else(|| town.env.get(ACCOUNT).map(str::to_owned)) {
        Some(handle) if !handle.is_empty() => {
            AccountBook::load(&town.layout)?.find(&handle)?;
            Ok(Some(handle))
        }
        _ => Ok(None),
    }
}

/// The account for a new session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenAccount {
    pub handle: String,
    pub folder: PathBuf,
    /// The account that was to be used and is at its usage limit.
    pub passed_over: Option<(String, UsageLimit)>,
}

/// Returns the account for a new session, if there is one. `wanted` is the account that was
/// recorded with the work. An account at its usage limit gives way to an available
/// one.
pub fn choose_account(town: &Town, wanted: Option<&str>) -> anyhow::Result<Option<ChosenAccount>> {
    let book = AccountBook::load(&town.layout)?;
    let Some(handle) = wanted
        .filter(|handle| !handle.is_empty())
        .map(str::to_owned)
        .or_else(|| book.chosen(&town.env))
    else {
        return Ok(None);
    };
    book.find(&handle)?;
    let now = town.clock.now();
    // A damaged file must not keep work from starting. `gt quota` reports it.
    let quota = QuotaBook::load(&town.layout).unwrap_or_else(|_| QuotaBook::default());
    let instead = quota.limit_of(&handle, now).and_then(|limit| {
        Some((
            limit,
            quota.next_available(book.accounts.keys(), &handle, now)?,
        ))
    });
    let (handle, passed_over) = match instead {
        Some((limit, other)) => (other, Some((handle, limit))),
        None => (handle, None),
    };
    let folder = book.find(&handle)?.folder(&town.env);
    Ok(Some(ChosenAccount {
        handle,
        folder,
        passed_over,
    }))
}

/// Returns the configuration folders of all accounts. Empty for a damaged file.
pub fn list_account_folders(town: &Town) -> Vec<(String, PathBuf)> {
    AccountBook::load(&town.layout)
        .into_iter()
        .flat_map(|book| book.accounts)
        .map(|(handle, account)| (handle, account.folder(&town.env)))
        .collect()
}
