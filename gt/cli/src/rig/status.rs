//! `gt rig status`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::town::identity::detect_caller;
use gt::town::{Rig, Town};
use gt::view::rig;
use gt::view::rig::RigStatus;

/// Show a rig: repository, merge queue, workers and crew
///
/// With `--json` {name, path, prefix, remote, polecats, working, crew, problem, held?, branch,
/// queue, workers, members}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rig (default: the one around the working directory)
    rig: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rig = resolve_rig(ctx, &town, args.rig.as_deref())?;
    build_report(rig::rig_status(&town, &rig)?, write_status)
}

pub(crate) fn write_status(status: &RigStatus, page: &mut kit::ui::Page) {
    let remote = status.rig.remote.as_deref().unwrap_or("local only");
    page.line(format!(
        "{} at {}",
        status.rig.name,
        status.rig.path.display()
    ));
    page.line(format!("  remote  {remote}"));
    page.line(format!("  branch  {}", status.branch));
    page.line(format!("  beads   {}-", status.rig.prefix));
    page.line(format!("  queue   {} waiting", status.queue));
    if let Some(problem) = &status.rig.problem {
        page.line(format!(
            "  problem {}",
            kit::ui::escape::escape_line(problem)
        ));
    }
    if let Some(hold) = &status.rig.held {
        page.line(format!("  held    {}", hold.reason));
        page.line(format!("    → {}", hold.next));
    }
    for worker in &status.workers {
        let dot = if worker.session_running { "●" } else { "○" };
        let issue = worker.issue.as_deref().unwrap_or("-");
        let state = worker.word;
        page.cut_line(format!(
            "  {dot} {:<12} {state:<8} {issue}  {}",
            worker.name, worker.why
        ));
    }
    for member in &status.members {
        let dot = if member.has_session { "●" } else { "○" };
        let clean = if member.git_clean { "clean" } else { "dirty" };
        page.cut_line(format!(
            "  {dot} {:<12} crew     {} ({clean})",
            member.name,
            member.branch.as_deref().unwrap_or("")
        ));
    }
}

/// Returns the named rig, otherwise the rig around the caller, otherwise the only one.
pub(crate) fn resolve_rig<'t>(
    ctx: &Context,
    town: &'t Town,
    named: Option<&str>,
) -> anyhow::Result<Rig<'t>> {
    if let Some(name) = named {
        return town.find_rig(name);
    }
    if let Some(rig) = rig_of_caller(ctx, town) {
        return Ok(rig);
    }
    let mut rigs = town.list_rigs()?;
    anyhow::ensure!(rigs.len() == 1, "say which rig: gt rig list shows them");
    Ok(rigs.remove(0))
}

/// Returns the rig that the caller belongs to, otherwise the rig of the working directory.
pub(crate) fn rig_of_caller<'t>(ctx: &Context, town: &'t Town) -> Option<Rig<'t>> {
    let caller = detect_caller(&ctx.env, &town.layout, ctx.session.as_ref()).address;
    let caller_rig = caller.as_ref().and_then(|address| address.rig());
    let folder = ctx
        .env
        .cwd()
        .strip_prefix(town.layout.root())
        .ok()
        .and_then(|path| path.components().next()?.as_os_str().to_str());
    caller_rig
        .into_iter()
        .chain(folder)
        .find_map(|name| town.find_rig(name).ok())
}
