use serde_json::json;

use crate::context::Context;
use crate::error::Usage;

use super::report::{Answer, Said};

/// What the daemon of the era did; none of it is needed.
const WORDS: [&str; 8] = [
    "start", "stop", "restart", "status", "health", "list", "logs", "killall",
];

/// Accepted for older scripts; beads need no daemon.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<String>,
}

pub(super) fn run(_ctx: &Context, args: Args) -> Answer {
    let word = args.rest.first().filter(|word| !word.starts_with('-'));
    if let Some(word) = word.filter(|word| !WORDS.contains(&word.as_str())) {
        let text = format!("unknown command {word:?} for \"bd daemon\"; beads need no daemon");
        return Err(Usage(text).into());
    }
    let value = json!({"status": "not_needed", "running": false});
    Said::new(value, "bd needs no daemon").answer()
}
