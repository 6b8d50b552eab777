//! `gt rig add`.

use super::super::{CommandResult, build_report};
use crate::ask;
use crate::context::Context;
use gt::flow::place::rig::{self, AddRigRequest};
use gt::town::Town;
use gt::town::config::SettingsLayers;

/// Add a repository to the town
///
/// The name has only letters, digits and _. Work is pushed to the URL and merged into its default
/// branch, or into --branch. Without a URL the rig has its own repository; with --no-remote it is a
/// copy that pushes nowhere. The name of a removed rig takes its folder back. Beads that the
/// repository tracks are used; else the rig gets its own, with --prefix or a prefix made from its
/// name. Own beads stay on this machine, unless you say yes when asked, or give --push-beads. With
/// `--json` {name, path, prefix, remote, branch, tracked_beads, pushed_beads, push_problem?,
/// adopted?, suggested_gate?, jail}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rig's name
    name: String,
    /// The repository: a URL or a path
    url: Option<String>,
    /// The prefix of its beads
    #[arg(long)]
    prefix: Option<String>,
    /// The branch that work is merged into
    #[arg(long)]
    branch: Option<String>,
    /// Copy the repository and push nowhere
    #[arg(long, requires = "url")]
    no_remote: bool,
    /// Push the rig's own beads to the branch beads-sync of the repository
    #[arg(long, requires = "url", conflicts_with_all = ["no_remote", "no_push_beads"])]
    push_beads: bool,
    /// Keep the rig's own beads on this machine, without a question
    #[arg(long)]
    no_push_beads: bool,
    /// Run the repository's gates and setup commands in a jail
    #[arg(long)]
    jail: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let request = AddRigRequest {
        name: args.name.clone(),
        url: args.url.clone(),
        prefix: args.prefix.clone(),
        branch: args.branch.clone(),
        no_remote: args.no_remote,
        push_beads: match (args.push_beads, args.no_push_beads) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => is_push_wanted(ctx, &args)?.then_some(true),
        },
        jail: args.jail || is_jail_wanted(ctx, &town)?,
    };
    let added = rig::add_rig(&town, &request, &|text| ctx.ui.status(text))?;
    build_report(added, |added, page| {
        let remote = added.remote.as_deref().unwrap_or("none: local only");
        let beads = if added.tracked_beads {
            "tracked by the repository"
        } else {
            "the rig's own"
        };
        let verb = if added.adopted { "Took back" } else { "Added" };
        page.line(format!(
            "{verb} rig {} at {}",
            added.name,
            added.path.display()
        ));
        if added.adopted {
            page.line("  with the repository, beads and saved work of the removed rig");
        }
        page.line(format!("  remote  {remote}"));
        page.line(format!("  branch  {}", added.branch));
        page.line(format!("  beads   {}-, {beads}", added.prefix));
        if added.remote.is_some() {
            page.line("  pushed  branches of finished work, and merges");
            page.line(if added.pushed_beads {
                "          beads, to the branch beads-sync"
            } else {
                "          no beads: they stay on this machine"
            });
        }
        if added.jail {
            page.line("  jail    workers, gates and setup commands (gt doctor jail tries it)");
        }
        if let Some(problem) = &added.push_problem {
            let problem = kit::ui::escape::escape_line(problem);
            page.line(format!("  ! work cannot be pushed: {problem}"));
        }
        page.blank();
        page.line("Next:");
        if let Some(gate) = added.suggested_gate {
            page.line("  # Nothing is tested before it is merged. To set a gate:");
            page.line(format!(
                "  gt config set --rig {} merge_queue.test_command '{gate}'",
                added.name
            ));
        }
        if !added.jail {
            page.line(
                "  # Gates and setup commands run with all your rights. To put them in a jail:",
            );
            page.line(format!(
                "  gt config set --rig {} sandbox.jail on",
                added.name
            ));
        }
        if added.remote.is_some() && !added.pushed_beads {
            page.line("  bd config set daemon.auto-push true   # in the rig, to push its beads");
        }
        page.line(format!("  cd {}", added.path.display()));
        page.line("  bd create \"...\"");
        page.line(format!("  gt sling BEAD {}", added.name));
    })
}

/// Asks on a terminal whether the commands of the repository run in a jail, unless the town's
/// settings answer.
fn is_jail_wanted(ctx: &Context, town: &Town) -> anyhow::Result<bool> {
    if !ask::can_ask(ctx) {
        return Ok(false);
    }
    let mode = SettingsLayers::load(town, None)?.text("sandbox.jail");
    if mode.is_some_and(|mode| mode != "off") {
        return Ok(false);
    }
    ask::ask_jail(ctx)
}

/// Asks on a terminal whether the rig's own beads are pushed.
fn is_push_wanted(ctx: &Context, args: &Args) -> anyhow::Result<bool> {
    let is_asked = args.url.is_some() && !args.no_remote && !args.no_push_beads;
    if !is_asked || !ask::can_ask(ctx) {
        return Ok(false);
    }
    let question = "If the repository has no beads yet, the rig gets its own. Everyone who can read the repository \
                    could read them on its branch beads-sync. Push them there?";
    ask::ask_yes_no(ctx, question, false)
}
