mod server;
mod tool;

use crate::context::Context;
use kit::cli::report::{CommandResult, build_empty_report};

/// Serve beads to an MCP client on standard input and output
///
/// A client starts this command and speaks the Model Context Protocol with it. Each tool runs one
/// `bd` command in the folder in which the client started it, or in the `workspace_root` of the
/// call. To try it with Claude Code: `claude mcp add beads -- bd mcp`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    server::serve_client(ctx)?;
    build_empty_report()
}
