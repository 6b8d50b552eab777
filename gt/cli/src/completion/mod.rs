//! `gt completion`, and the argument values that a town offers.

mod values;

pub(super) use kit::cli::completion::Args;
use kit::cli::completion::print_script;

use super::CommandResult;
use super::context::Context;

pub(super) use values::offer_values;

pub(super) fn run(_ctx: &Context, args: Args) -> CommandResult {
    print_script("gt", &args)
}
