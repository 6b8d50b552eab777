use serde_json::json;

use crate::context::Context;

use super::report::{Answer, Said};

/// Accepted for older scripts; beads need no daemon.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<String>,
}

pub(super) fn run(_ctx: &Context, _args: Args) -> Answer {
    let value = json!({"status": "not_needed", "running": false});
    Said::new(value, "bd needs no daemon").answer()
}
