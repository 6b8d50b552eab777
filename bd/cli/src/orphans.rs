use serde::Serialize;

use super::reassign::ask_yes;
use super::{each, line};
use crate::context::Context;
use bd::bead::Status;
use bd::change;
use bd::git::Git;
use bd::query::mentions;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, counted, escape};

/// List open beads that commit messages name
///
/// A commit names a bead by its id in round brackets, as in `Fix login (bd-a1)`. Such a bead is
/// probably done and was not closed. Reads the commits of HEAD.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Close them; asks first, unless --yes or --json is given
    #[arg(short, long)]
    fix: bool,
    /// Do not ask
    #[arg(short, long, requires = "fix")]
    yes: bool,
    /// Also print all commits that name a bead
    #[arg(long)]
    details: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let messages = Git::at(ctx.env.cwd()).messages()?;
    let snapshot = ctx.store()?.snapshot()?;
    let begun = [Status::Open, Status::InProgress];
    let open = snapshot.select(|bead| begun.contains(&bead.status()) && !bead.is_ephemeral());
    let commits = mentions::group_by_id(&messages);
    let mut orphans: Vec<Orphan> = open
        .filter_map(|bead| {
            let commits = commits.get(bead.id.as_str())?;
            let commits: Vec<OrphanCommit> = commits
                .iter()
                .copied()
                .map(OrphanCommit::from_log_entry)
                .collect();
            Some(Orphan {
                id: bead.id.clone(),
                title: bead.title.clone(),
                status: bead.status.clone(),
                latest_commit: commits[0].id.clone(),
                latest_commit_message: commits[0].subject.clone(),
                commits: if args.details { commits } else { Vec::new() },
            })
        })
        .collect();
    if !args.fix || orphans.is_empty() {
        return build_report(orphans, |orphans, page| write_orphans(orphans, page));
    }
    ctx.check_writable("orphans")?;
    if !args.yes && !ctx.ui.is_json() && !is_confirmed(ctx, &orphans)? {
        kit::bail_usage!("nothing was closed");
    }
    let ids: Vec<String> = orphans.iter().map(|orphan| orphan.id.clone()).collect();
    let closed = each::change_each(ctx, "closing", &ids, |tx, id| {
        let reason = orphans
            .iter()
            .find(|orphan| orphan.id == id)
            .map_or(String::new(), Orphan::reason);
        change::close_bead(tx, id, &reason, "", false)
    })?;
    for orphan in &mut orphans {
        if let Some(bead) = closed.iter().find(|bead| bead.id == orphan.id) {
            orphan.status.clone_from(&bead.status);
        }
    }
    build_report(orphans, |orphans, page| write_orphans(orphans, page))
}

fn is_confirmed(ctx: &Context, orphans: &[Orphan]) -> anyhow::Result<bool> {
    let mut page = ctx.ui.page();
    list_orphans(orphans, &mut page);
    ctx.ui.status(page.text().trim_end());
    let question = format!("Close {}?", counted(orphans.len(), "bead"));
    ask_yes(ctx, &question)
}

/// A commit whose message names a bead.
#[derive(Serialize)]
struct OrphanCommit {
    #[serde(rename = "commit")]
    id: String,
    #[serde(rename = "message")]
    subject: String,
}

impl OrphanCommit {
    fn from_log_entry((id, message): &(String, String)) -> Self {
        let subject = message.trim_start().lines().next().unwrap_or("");
        Self {
            id: id.clone(),
            subject: subject.to_owned(),
        }
    }
}

/// A bead with the commits that name it, newest first.
#[derive(Serialize)]
struct Orphan {
    #[serde(rename = "issue_id")]
    id: String,
    title: String,
    status: Status,
    latest_commit: String,
    latest_commit_message: String,
    /// All commits, with `--details`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commits: Vec<OrphanCommit>,
}

impl Orphan {
    fn reason(&self) -> String {
        format!("Implemented in {}", self.latest_commit)
    }
}

fn list_orphans(orphans: &[Orphan], page: &mut Page) {
    for orphan in orphans {
        let style = page.style().clone();
        let mark = line::paint_symbol(&style, &orphan.status);
        let line_start = format!("{mark} {} ", style.cyan(&orphan.id));
        line::write_fitted(page, &line_start, &orphan.title, "");
        let mut commits = vec![(&orphan.latest_commit, &orphan.latest_commit_message)];
        for commit in orphan.commits.iter().skip(1) {
            commits.push((&commit.id, &commit.subject));
        }
        for (id, subject) in commits {
            page.cut_line(format!("    {id} {}", escape::escape_line(subject)));
        }
    }
}

fn write_orphans(orphans: &[Orphan], page: &mut Page) {
    if orphans.is_empty() {
        page.line("✓ No orphaned issues: no commit names an open bead");
        return;
    }
    let closed: Vec<&Orphan> = orphans
        .iter()
        .filter(|orphan| orphan.status == Status::Closed)
        .collect();
    if !closed.is_empty() {
        let mark = page.style().green("✓");
        for orphan in closed {
            page.line(format!("{mark} Closed {}: {}", orphan.id, orphan.reason()));
        }
        return;
    }
    let count = counted(orphans.len(), "open bead");
    page.line(format!("⚠ {count} named in commits:"));
    list_orphans(orphans, page);
    page.line("Close them: bd orphans --fix");
}
