//! `gt completion`, and the values that a town has.

mod values;

pub(super) use bd::cli::completion::Args;
use bd::cli::completion::print_script;

use super::Answer;
use super::context::Context;

pub(super) use values::offer_values;

pub(super) fn run(_ctx: &Context, args: Args) -> Answer {
    print_script("gt", &args)
}
