//! `gt account`: several accounts of an agent program.

mod add;
mod default;
mod list;
mod status;

use serde::Serialize;

use super::CommandResult;
use crate::context::Context;
use gt::record::account::AccountBook;
use gt::town::Town;

kit::family! {
    /// Manage the accounts of an agent program
    ///
    /// Each account is a configuration folder (CLAUDE_CONFIG_DIR) in which you are logged in. New
    /// sessions use the default one, or the one that GT_ACCOUNT names.
    Args:
    Add => add,
    #[command(alias = "switch")]
    Default => default,
    #[command(alias = "ls")]
    List => list,
    Status => status,
}

/// An account, for text and JSON.
#[derive(Debug, Serialize)]
struct AccountRow {
    handle: String,
    email: String,
    description: String,
    config_dir: String,
    is_default: bool,
    /// True if the folder exists.
    is_set_up: bool,
}

fn list_rows(town: &Town, book: &AccountBook) -> Vec<AccountRow> {
    book.accounts
        .iter()
        .map(|(handle, account)| AccountRow {
            handle: handle.clone(),
            email: account.email.clone(),
            description: account.description.clone(),
            config_dir: account.config_dir.clone(),
            is_default: *handle == book.default,
            is_set_up: account.folder(&town.env).is_dir(),
        })
        .collect()
}
