use crate::context::Context;
use kit::failure::UsageError;

use kit::cli::report::{CommandResult, EmptyReport};

/// Accepts the migrations of earlier versions. None of them is needed.
const WORDS: [&str; 5] = ["hash-ids", "issues", "sync", "tombstones", "schema"];

/// Accepted for older scripts; there is nothing to migrate.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<String>,
}

pub(super) fn run(_ctx: &Context, args: Args) -> CommandResult {
    let word = args.rest.first().filter(|word| !word.starts_with('-'));
    if let Some(word) = word.filter(|word| !WORDS.contains(&word.as_str())) {
        let text =
            format!("unknown command {word:?} for \"bd migrate\"; there is nothing to migrate");
        return Err(UsageError(text).into());
    }
    Ok(Box::new(EmptyReport))
}
