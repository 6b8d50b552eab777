use serde_json::json;

use crate::context::Context;
use bd::bead::DepKind;

use super::dep;
use kit::cli::report::{CommandResult, TextReport};

/// Make one bead wait for another
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bead that waits
    #[arg(value_name = "ID")]
    one: String,
    /// The bead it waits for
    #[arg(value_name = "OTHER")]
    other: String,
    /// The kind of the edge
    #[arg(
        short = 't',
        long = "type",
        value_name = "KIND",
        default_value = "blocks"
    )]
    kind: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("link")?;
    let kind = DepKind::from(args.kind.as_str());
    let (from, to) = dep::link_beads(ctx, &args.one, &args.other, kind)?;
    let value =
        json!({"status": "added", "issue_id": from, "depends_on_id": to, "type": args.kind});
    TextReport::new(value, format!("✓ Linked {from} → {to} ({})", args.kind)).into_answer()
}
