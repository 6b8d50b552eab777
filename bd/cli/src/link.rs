use super::dep;
use crate::context::Context;
use bd::bead::DepKind;
use kit::cli::offer;
use kit::cli::report::{CommandResult, build_confirmation};

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
    if args.other.contains("://") {
        let line = ["bd", "update", &args.one, "--external-ref", &args.other];
        let line = offer::write_line(&line.map(str::to_owned));
        kit::bail_usage!("bd link links beads; a bead keeps a link as its reference:\n  {line}");
    }
    let kind = DepKind::from(args.kind.as_str());
    let (issue_id, depends_on_id) = dep::link_beads(ctx, &args.one, &args.other, kind)?;
    let edge = kit::report_value! { status: "added", issue_id, depends_on_id, r#type: args.kind };
    build_confirmation(edge, |edge, page| {
        let ends = format!("{} → {}", edge.issue_id, edge.depends_on_id);
        page.line(format!("✓ Linked {ends} ({})", edge.r#type));
    })
}
