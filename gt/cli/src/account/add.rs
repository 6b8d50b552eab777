//! `gt account add`.

use kit::sys::file;
use kit::ui::escape::escape_line;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::account::AccountBook;
use gt::town::identity::is_name;

/// Add an account, or change an existing one
///
/// Makes its configuration folder. What is not given stays unchanged. The first account becomes the
/// default. With `--json` {handle,
/// email, description, config_dir, is_default, is_set_up}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name
    handle: String,
    /// The account's e-mail address
    #[arg(long)]
    email: Option<String>,
    /// A note about it
    #[arg(long, visible_alias = "desc")]
    description: Option<String>,
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
    let folder = args.config_dir.map(|folder| match folder {
        folder if folder.starts_with("~/") => folder,
        folder => ctx.env.make_absolute(&folder).display().to_string(),
    });
    let book = AccountBook::change(&town.layout, |book| {
        let account = book.accounts.entry(args.handle.clone()).or_default();
        account.config_dir = match folder {
            Some(folder) => folder,
            None if account.config_dir.is_empty() => {
                format!("~/.claude-accounts/{}", args.handle)
            }
            None => std::mem::take(&mut account.config_dir),
        };
        account.email = args.email.unwrap_or(std::mem::take(&mut account.email));
        let description = std::mem::take(&mut account.description);
        account.description = args.description.unwrap_or(description);
        if book.default.is_empty() {
            book.default.clone_from(&args.handle);
        }
        Ok(())
    })?;
    let account = book.find(&args.handle)?;
    file::create_folder(&account.folder(&town.env), 0o700)?;
    let mut rows = super::list_rows(&town, &book);
    rows.retain(|row| row.handle == args.handle);
    build_report(rows.swap_remove(0), |row, page| {
        let default = if row.is_default { " (default)" } else { "" };
        page.line(format!("✓ {}{default}: {}", row.handle, row.config_dir));
        page.line("Log in there once, for example:");
        page.line(format!("  CLAUDE_CONFIG_DIR={} claude", row.config_dir));
    })
}
