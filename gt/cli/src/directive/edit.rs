//! `gt directive edit`.

use std::io::IsTerminal as _;

use bd::git::editor;
use kit::sys::{ChildCommand, file};

use super::super::{CommandResult, build_report};
use crate::context::Context;

/// Edit the directives of a role in your editor
///
/// The editor is the one that git uses. Agents read the change at their next start.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    which: super::DirectiveSelector,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let path = args.which.path(&town)?;
    if let Some(folder) = path.parent() {
        file::create_folder(folder, 0o755)?;
    }
    let editor = editor::choose_editor(&ctx.env);
    if editor::needs_terminal(&editor) && !std::io::stdin().is_terminal() {
        kit::bail_usage!(
            "the editor {editor} needs a terminal, and there is none; write the file instead:\n  {}",
            path.display()
        );
    }
    // The editor may have arguments, as for git.
    ChildCommand::new("sh")
        .args(["-c", &format!("{editor} \"$@\""), "editor"])
        .arg(&path)
        .run_attached()?;
    let is_there = path.is_file();
    build_report(serde_json::json!({ "path": path }), move |_, page| {
        if is_there {
            page.line(format!("✓ {}", path.display()));
        } else {
            page.line("nothing was written");
        }
    })
}
