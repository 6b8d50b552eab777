use serde::Serialize;

use super::merge;
use crate::context::Context;
use bd::git::{Identity, NETWORK};
use bd::sync::{self, SyncReport, SyncRequest};
use kit::cli::report::{CommandResult, build_confirmation, build_report, build_report_with_exit};
use kit::ui::{Page, counted, escape};

/// Write all changes to issues.jsonl; commit with --full
///
/// Without --full nothing is committed, pulled or pushed: commit the file with your own changes.
///
/// With --full the beads, their archive and history are committed to their own branch (setting
/// sync-branch, by default beads-sync), merged field by field with that branch of the remote, and
/// pushed. The branch is written without a checkout: your branch, index, work tree and hooks are
/// not involved. A commit is made only if something is new. Without a remote the beads are only
/// committed. If the remote cannot be reached they are committed as well, and the command fails.
/// `sync-branch: ""` turns all of it off.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Commit, merge and push the beads
    #[arg(long)]
    full: bool,
    /// The commit message (default: the time)
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    /// Do not push
    #[arg(long)]
    no_push: bool,
    /// Do not fetch
    #[arg(long)]
    no_pull: bool,
    /// Only show what would be done
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    old: LegacySyncArgs,
}

/// Accepted for older scripts: what they ask for is so already, or needs no command.
#[derive(Debug, clap::Args)]
struct LegacySyncArgs {
    #[arg(long, hide = true)]
    flush_only: bool,
    #[arg(long, hide = true)]
    import: bool,
    #[arg(long, hide = true)]
    import_only: bool,
    #[arg(long, hide = true)]
    from_main: bool,
    #[arg(long, hide = true)]
    squash: bool,
    #[arg(long, hide = true)]
    status: bool,
    #[arg(long, hide = true)]
    check: bool,
    #[arg(long, hide = true)]
    no_git_history: bool,
    #[arg(long, hide = true)]
    rename_on_import: bool,
    #[arg(long, hide = true)]
    accept_rebase: bool,
    #[arg(long, hide = true)]
    force: bool,
    #[arg(long, hide = true, conflicts_with = "full")]
    resolve: bool,
    #[arg(long, hide = true, conflicts_with = "full")]
    ours: bool,
    #[arg(long, hide = true, conflicts_with = "full")]
    theirs: bool,
    #[arg(long, hide = true, conflicts_with = "full")]
    manual: bool,
    #[arg(long, hide = true, conflicts_with = "full")]
    merge: bool,
    #[arg(long, hide = true, value_name = "MODE", conflicts_with = "full")]
    set_mode: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if !args.full {
        return fold_journal(ctx, &args);
    }
    let store = ctx.store()?;
    if args.dry_run {
        return preview_sync(ctx, &args);
    }
    ctx.check_writable("sync")?;
    let settings = bd::config::Config::load(Some(store.dir()), &ctx.env)?;
    let actor = Identity {
        name: ctx.author().actor,
        email: "beads@localhost".to_owned(),
    };
    let request = SyncRequest {
        network: NETWORK,
        store: &store,
        config: &settings,
        author: sync::choose_author(&settings, ctx.env.cwd(), &ctx.env, actor),
        message: args.message.as_deref(),
        pull: !args.no_pull,
        push: !args.no_push && settings.can_push(),
        clock: &ctx.clock,
        random: &ctx.random,
    };
    let synced = sync::sync_store(&request)?;
    merge::report_merge(ctx, &synced.lost, &synced.notes);
    let is_unpushed = synced.unpushed.is_some();
    let outcome = SyncOutcome {
        status: if is_unpushed { "not_pushed" } else { "synced" },
        synced,
    };
    build_report_with_exit(u8::from(is_unpushed), outcome, |outcome, page| {
        write_sync(&outcome.synced, page);
    })
}

#[derive(Serialize)]
struct SyncOutcome {
    status: &'static str,
    #[serde(flatten)]
    synced: SyncReport,
}

fn fold_journal(ctx: &Context, args: &Args) -> CommandResult {
    let store = ctx.store()?;
    if !ctx.is_readonly && !args.dry_run {
        store.fold(&ctx.clock)?;
    }
    let path = store.issues_file().display().to_string();
    build_confirmation(
        kit::report_value! { status: "exported", path },
        |report, page| {
            page.line(format!("✓ All changes are in {}", report.path));
        },
    )
}

/// Reports the steps that a sync would take, from local facts: no remote is contacted and nothing
/// is written.
fn preview_sync(ctx: &Context, args: &Args) -> CommandResult {
    let store = ctx.store()?;
    let settings = bd::config::Config::load(Some(store.dir()), &ctx.env)?;
    let place = sync::SyncPlace::for_folder(store.dir(), &settings)?;
    place.refuse_checked_out()?;
    let remote = place.remote()?;
    let beads = sync::count_unsynced(&store, &place)?;
    let push = !args.no_push && settings.can_push();
    let push = push && remote.is_some();
    let preview = kit::report_value! {
        status: "dry_run", branch: place.branch, remote, sent: beads, push
    };
    build_report(preview, |preview, page| {
        let beads = counted(preview.sent, "changed bead");
        page.line(format!("Would commit {beads} to {}", preview.branch));
        page.line(match &preview.remote {
            Some(remote) if preview.push => format!("Would merge with {remote} and push there"),
            Some(remote) => format!("Would merge with {remote}, and not push"),
            None => "There is no remote to push to".to_owned(),
        });
    })
}

fn write_sync(done: &SyncReport, page: &mut Page) {
    let branch = &done.branch;
    if done.received > 0 {
        let beads = counted(done.received, "bead");
        page.line(format!("✓ {beads} changed by what others did"));
    }
    if done.committed {
        let beads = counted(done.sent, "changed bead");
        page.line(format!("✓ Committed to {branch}: {beads}"));
    } else {
        page.line(format!("✓ Nothing new to commit to {branch}"));
    }
    match (&done.remote, &done.unpushed) {
        (None, _) => page.line("  There is no remote to push to"),
        (Some(remote), None) if done.pushed => page.line(format!("✓ {remote} has it all")),
        (Some(remote), None) => page.line(format!("  Not pushed to {remote}")),
        (Some(remote), Some(reason)) => {
            let line = format!("✗ Not pushed to {remote}: {reason}");
            page.line(escape::escape_line(&line));
            page.line("  The commit stays; run bd sync --full again to push it");
        }
    }
}
