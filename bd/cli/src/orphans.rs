use serde_json::{Value, json};

use crate::context::Context;
use bd::bead::{Bead, Status};
use bd::change;
use bd::git::Git;
use bd::query::mentions;
use kit::failure::UsageError;
use kit::ui::{Page, Report, counted, escape};

use super::{each, line};
use kit::cli::report::CommandResult;

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
    let named = open.filter_map(|bead| {
        let commits = commits.get(bead.id.as_str())?;
        let commits: Vec<OrphanCommit> = commits
            .iter()
            .copied()
            .map(OrphanCommit::from_log_entry)
            .collect();
        Some((bead.clone(), commits))
    });
    let found: Vec<(Bead, Vec<OrphanCommit>)> = named.collect();
    let mut orphans = OrphansReport {
        found,
        details: args.details,
        closed: Vec::new(),
    };
    if !args.fix || orphans.found.is_empty() {
        return Ok(Box::new(orphans));
    }
    ctx.check_writable("orphans")?;
    if !args.yes && !ctx.ui.is_json() && !is_confirmed(ctx, &orphans)? {
        return Err(UsageError("nothing was closed".into()).into());
    }
    let ids: Vec<String> = orphans
        .found
        .iter()
        .map(|(bead, _)| bead.id.clone())
        .collect();
    let reasons: Vec<String> = orphans
        .found
        .iter()
        .map(|(_, commits)| commits[0].reason())
        .collect();
    let closed = each::change_each(ctx, "closing", &ids, |tx, id| {
        let at = ids
            .iter()
            .position(|closed_id| closed_id == id)
            .unwrap_or_default();
        change::close_bead(tx, id, &reasons[at], "", false)
    })?;
    orphans.closed = closed.into_iter().map(|bead| bead.id).collect();
    Ok(Box::new(orphans))
}

fn is_confirmed(ctx: &Context, orphans: &OrphansReport) -> anyhow::Result<bool> {
    let mut page = ctx.ui.page();
    orphans.list(&mut page);
    ctx.ui.status(page.text().trim_end());
    ctx.ui.status(&format!(
        "Close {}? [y/N]",
        counted(orphans.found.len(), "bead")
    ));
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// A commit whose message names a bead.
#[derive(Debug)]
struct OrphanCommit {
    id: String,
    subject: String,
}

impl OrphanCommit {
    fn from_log_entry((id, message): &(String, String)) -> Self {
        let subject = message.trim_start().lines().next().unwrap_or_default();
        Self {
            id: id.clone(),
            subject: subject.to_owned(),
        }
    }

    fn reason(&self) -> String {
        format!("Implemented in {}", self.id)
    }
}

/// Open beads with the commits that name them, newest first.
#[derive(Debug)]
struct OrphansReport {
    found: Vec<(Bead, Vec<OrphanCommit>)>,
    details: bool,
    closed: Vec<String>,
}

impl OrphansReport {
    fn list(&self, page: &mut Page) {
        for (bead, commits) in &self.found {
            let style = page.style().clone();
            let mark = line::paint_symbol(&style, &bead.status);
            let line_start = format!("{mark} {} ", style.cyan(&bead.id));
            line::write_fitted(page, &line_start, &bead.title, "");
            let shown = if self.details { commits.len() } else { 1 };
            for commit in &commits[..shown.min(commits.len())] {
                let subject = escape::escape_line(&commit.subject);
                page.cut_line(format!("    {} {subject}", commit.id));
            }
        }
    }
}

impl Report for OrphansReport {
    fn json(&self) -> Value {
        let orphan_json = |(bead, commits): &(Bead, Vec<OrphanCommit>)| {
            let is_closed = self.closed.contains(&bead.id);
            let status = if is_closed {
                "closed"
            } else {
                bead.status.as_str()
            };
            let mut value = json!({
                "issue_id": bead.id,
                "title": bead.title,
                "status": status,
                "latest_commit": commits[0].id,
                "latest_commit_message": commits[0].subject,
            });
            if self.details {
                let all = commits.iter();
                let all = all.map(|commit| json!({"commit": commit.id, "message": commit.subject}));
                value["commits"] = all.collect();
            }
            value
        };
        self.found.iter().map(orphan_json).collect()
    }

    fn human(&self, page: &mut Page) {
        if self.found.is_empty() {
            page.line("✓ No orphaned issues: no commit names an open bead");
            return;
        }
        if !self.closed.is_empty() {
            let mark = page.style().green("✓");
            for (bead, commits) in &self.found {
                if self.closed.contains(&bead.id) {
                    page.line(format!(
                        "{mark} Closed {}: {}",
                        bead.id,
                        commits[0].reason()
                    ));
                }
            }
            return;
        }
        let count = counted(self.found.len(), "open bead");
        page.line(format!("⚠ {count} named in commits:"));
        self.list(page);
        page.line("Close them: bd orphans --fix");
    }
}
