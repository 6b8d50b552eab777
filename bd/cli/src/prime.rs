use crate::context::Context;
use kit::cli::report::{CommandResult, build_empty_report};
use kit::sys::file;

/// Print instructions about beads for an agent
///
/// Made for session hooks: outside a project it prints nothing and succeeds. A file
/// `.beads/PRIME.md` replaces the built-in text.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print the built-in text even if PRIME.md exists
    #[arg(long)]
    export: bool,
    #[arg(long, hide = true)]
    full: bool,
    #[arg(long, hide = true)]
    mcp: bool,
    #[arg(long, hide = true)]
    stealth: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let Ok(found) = ctx.project() else {
        return build_empty_report();
    };
    let local = ctx.env.cwd().join(".beads/PRIME.md");
    let custom_text = [local, found.dir.join("PRIME.md")]
        .iter()
        .find_map(|path| String::from_utf8(file::read_regular_file(path).ok()??).ok());
    match custom_text.filter(|_| !args.export) {
        Some(text) => ctx.ui.raw(&text),
        None => ctx.ui.raw(include_str!("../../templates/prime.md")),
    }
    build_empty_report()
}
