//! `gt shell install`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::shell::{self, Shell};

/// Add the integration to the start file of a shell
///
/// Shells that start from then on have it. With `--json` {shell, file, installed, changed}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The shell (default: yours)
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(Shell::WORDS))]
    shell: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let named = args.shell.as_deref().and_then(Shell::parse);
    let Some(shell) = named.or_else(|| Shell::of_user(&ctx.env)) else {
        anyhow::bail!("your shell is none of bash, zsh and fish: name one with --shell");
    };
    let installed = shell::install_block(&ctx.env, shell)?;
    let is_enabled = shell::is_enabled(&ctx.env);
    build_report(installed, move |installed, page| {
        let file = installed.file.display();
        if installed.changed {
            page.line(format!("✓ added lines to {file}"));
            page.line("  `gt shell remove` restores it");
        } else {
            page.line(format!("{file} has the lines already"));
        }
        if !is_enabled {
            page.line("! the integration is disabled: gt enable");
        }
    })
}
