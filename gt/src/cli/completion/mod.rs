//! `gt completion`, and the values that a town has.

mod values;

use bd::cli::completion::{Args, print_script};

use super::Answer;

pub(super) use values::offer_values;

pub(super) fn run(args: &Args) -> Answer {
    print_script("gt", args)
}
