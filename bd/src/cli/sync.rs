use serde_json::json;

use crate::context::Context;

use super::report::{Answer, Said};

/// Put every acknowledged change into issues.jsonl.
///
/// Nothing is committed, pulled or pushed: what is in the file goes with your own commits.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: &Args) -> Answer {
    let store = ctx.store()?;
    if args.rest.iter().any(|flag| flag == "--full") {
        return Err(crate::error::Usage(
            "bd sync --full is not available yet: commit and push issues.jsonl with git".into(),
        )
        .into());
    }
    if !ctx.readonly {
        store.fold(&ctx.clock)?;
        ctx.tell_notices(&store);
    }
    let path = store.issues_file().display().to_string();
    Said::new(
        json!({"status": "exported", "path": path}),
        format!("✓ All changes are in {path}"),
    )
    .answer()
}
