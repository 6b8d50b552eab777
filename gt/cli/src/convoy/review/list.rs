//! `gt convoy review list`.

use kit::ui::escape;

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::work::convoy::review;

/// List the requests that wait for the user
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Also list answered requests
    #[arg(long)]
    all: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let store = ctx.open_town()?.open_town_store()?.snapshot()?;
    build_report(review::list_requests(&store, args.all), |found, page| {
        if found.is_empty() {
            page.line("no convoy waits for the user");
        }
        for request in found {
            let title = escape::escape_line(&request.new.title);
            let id = &request.id;
            let state = request.state.name();
            page.line(format!("{id}  {state:<8}  {title}"));
            if let Some(pending) = &request.pending {
                page.line(format!("  {}", escape::escape_line(&pending.reason)));
            }
        }
    })
}
