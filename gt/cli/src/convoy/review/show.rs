//! `gt convoy review show`.

use kit::ui::escape;

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::work::convoy::review;

/// Show a request: beads, author, and what the hook says
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The request
    request: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let store = ctx.open_town()?.open_town_store()?.snapshot()?;
    let request = review::find_request(&store, &args.request)?;
    build_report(request, |request, page| {
        page.line(format!(
            "{}  {}  \"{}\"",
            request.id,
            request.state.name(),
            escape::escape_line(&request.new.title)
        ));
        page.line(format!("  asked by {}", escape::escape_line(&request.by)));
        page.line(format!("  beads: {}", request.new.beads.join(", ")));
        let Some(pending) = &request.pending else {
            return;
        };
        if let Some(path) = &pending.decision.adr_path {
            let rig = &pending.decision.rig;
            page.line(format!("  decision: {rig}/{}", escape::escape_line(path)));
        }
        page.line(format!("  {} says:", escape::escape_line(&pending.hook)));
        for line in pending.reason.lines() {
            page.line(format!("  > {}", escape::escape_line(line)));
        }
        page.line(format!(
            "  answer it: gt convoy review approve {0}, or reject {0} --reason ...",
            request.id
        ));
    })
}
