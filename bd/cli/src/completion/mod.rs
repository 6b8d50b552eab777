//! `bd completion`, and the values that a project has.

mod values;

use crate::context::Context;
pub(super) use kit::cli::completion::Args;
use kit::cli::completion::print_script;
use kit::cli::report::CommandResult;

pub(super) use values::offer_values;

pub(super) fn run(_ctx: &Context, args: Args) -> CommandResult {
    print_script("bd", &args)
}
