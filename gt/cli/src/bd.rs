//! `gt bd`.

use std::ffi::OsString;

use super::{CommandResult, vocabulary};
use crate::context::Context;

/// Run `bd` with the same arguments
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(super) struct Args {
    /// The arguments of `bd`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let mut line = args.args;
    if ctx.ui.is_json() && !line.iter().any(|word| word == "--json") {
        line.push("--json".into());
    }
    Err(vocabulary::answer::replace_with_bd(&ctx.env, line).into())
}
