use crate::context::Context;

use super::report::{Answer, Nothing};

/// Accepted for older scripts; there is nothing to migrate.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<String>,
}

pub(super) fn run(_ctx: &Context, _args: Args) -> Answer {
    Ok(Box::new(Nothing))
}
