//! `gt account add`.

use kit::sys::file;
use kit::ui::escape::escape_line;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::account::{Account, AccountBook};
use gt::town::identity::is_name;

/// Add an account, or change an existing one
///
/// Makes its configuration folder. The first account becomes the default. With `--json` {handle,
/// email, description, config_dir, is_default, is_set_up}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name
    handle: String,
    /// The account's e-mail address
    #[arg(long, default_value = "")]
    email: String,
    /// A note about it
    #[arg(long, visible_alias = "desc", default_value = "")]
    description: String,
    /// The configuration folder (default: ~/.claude-accounts/NAME)
    #[arg(long, value_name = "FOLDER")]
    config_dir: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    anyhow::ensure!(
        is_name(&args.handle),
        "`{}` cannot be the name of an account: use letters, digits, - and _",
        escape_line(&args.handle)
    );
    let folder = match args.config_dir {
        Some(folder) if folder.starts_with("~/") => folder,
        Some(folder) => ctx.env.make_absolute(&folder).display().to_string(),
        None => format!("~/.claude-accounts/{}", args.handle),
    };
    let mut book = AccountBook::load(&town.layout)?;
    let account = Account::new(&folder, &args.email, &args.description);
    file::create_folder(&account.folder(&town.env), 0o700)?;
    book.accounts.insert(args.handle.clone(), account);
    if book.default.is_empty() {
        book.default.clone_from(&args.handle);
    }
    book.save(&town.layout.accounts_json())?;
    let mut rows = super::list_rows(&town, &book);
    rows.retain(|row| row.handle == args.handle);
    build_report(rows.swap_remove(0), |row, page| {
        let default = if row.is_default { " (default)" } else { "" };
        page.line(format!("✓ {}{default}: {}", row.handle, row.config_dir));
        page.line("Log in there once, for example:");
        page.line(format!("  CLAUDE_CONFIG_DIR={} claude", row.config_dir));
    })
}
