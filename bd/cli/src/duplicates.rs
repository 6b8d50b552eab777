use serde::Serialize;

use crate::context::Context;
use bd::bead::{Bead, DepKind, Status};
use bd::change;
use bd::query::similar;
use bd::store::Snapshot;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, counted, escape};

/// Find open beads with the same title and texts
///
/// Suggests the bead of each group to keep: the one with the most edges, then the one that most
/// texts name, then the smallest id.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Close the others, each with an edge to the one that stays
    #[arg(long)]
    auto_merge: bool,
    /// Report what --auto-merge would do
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let store = ctx.store()?;
    let snapshot = store.snapshot()?;
    let beads: Vec<&Bead> = snapshot.live().collect();
    let groups: Vec<DuplicateGroup> = similar::equal_groups(beads.iter().copied())
        .iter()
        .map(|group| DuplicateGroup::from_beads(&snapshot, &beads, group))
        .collect();
    let merges = args.auto_merge && !args.dry_run;
    if merges {
        ctx.check_writable("duplicates")?;
        store.transact(&ctx.author(), &ctx.clock, |tx| {
            for group in &groups {
                let target = &group.suggested_target;
                for source in &group.suggested_sources {
                    let reason = format!("Duplicate of {target}");
                    change::replace_bead(tx, source, target, DepKind::Related, &reason)?;
                }
            }
            Ok(())
        })?;
    }
    let report = DuplicatesReport {
        duplicate_groups: groups.len(),
        merge_commands: args.auto_merge.then(|| list_commands(&groups)),
        merge_results: merges.then(|| groups.iter().map(MergeResult::from_group).collect()),
        groups,
    };
    build_report(report, write_duplicates)
}

#[derive(Serialize)]
struct DuplicateMember {
    id: String,
    title: String,
    status: Status,
    priority: i64,
    references: usize,
    dependents: usize,
    dependencies: usize,
    weight: usize,
    is_merge_target: bool,
}

impl DuplicateMember {
    fn from_bead(snapshot: &Snapshot, all: &[&Bead], bead: &Bead) -> Self {
        let dependents = snapshot.dependent_count(&bead.id);
        let dependencies = bead.dependencies.len();
        Self {
            id: bead.id.clone(),
            title: bead.title.clone(),
            status: bead.status.clone(),
            priority: bead.priority,
            references: all
                .iter()
                .filter(|other| {
                    [&other.description, &other.notes, &other.design]
                        .iter()
                        .any(|text| text.contains(&bead.id))
                })
                .count(),
            dependents,
            dependencies,
            weight: dependents + dependencies,
            is_merge_target: false,
        }
    }
}

/// Beads with the same content.
#[derive(Serialize)]
struct DuplicateGroup {
    title: String,
    issues: Vec<DuplicateMember>,
    suggested_target: String,
    suggested_sources: Vec<String>,
    suggested_action: String,
    note: String,
}

impl DuplicateGroup {
    fn from_beads(snapshot: &Snapshot, all: &[&Bead], group: &[&Bead]) -> Self {
        let mut issues: Vec<DuplicateMember> = group
            .iter()
            .map(|bead| DuplicateMember::from_bead(snapshot, all, bead))
            .collect();
        let target = issues
            .iter()
            .rev()
            .max_by_key(|member| (member.weight, member.references))
            .map_or(String::new(), |member| member.id.clone());
        for member in &mut issues {
            member.is_merge_target = member.id == target;
        }
        let sources: Vec<String> = issues
            .iter()
            .filter(|member| !member.is_merge_target)
            .map(|member| member.id.clone())
            .collect();
        Self {
            title: issues[0].title.clone(),
            suggested_action: format!("bd duplicate {} --of {target}", sources.join(" ")),
            note: format!(
                "Duplicate: {} with the same title and texts",
                counted(issues.len(), "bead")
            ),
            issues,
            suggested_target: target,
            suggested_sources: sources,
        }
    }
}

#[derive(Serialize)]
struct MergeResult {
    target: String,
    closed: Vec<String>,
}

impl MergeResult {
    fn from_group(group: &DuplicateGroup) -> Self {
        Self {
            target: group.suggested_target.clone(),
            closed: group.suggested_sources.clone(),
        }
    }
}

#[derive(Serialize)]
struct DuplicatesReport {
    duplicate_groups: usize,
    groups: Vec<DuplicateGroup>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merge_commands: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merge_results: Option<Vec<MergeResult>>,
}

fn list_commands(groups: &[DuplicateGroup]) -> Vec<String> {
    groups
        .iter()
        .flat_map(|group| {
            let target = group.suggested_target.clone();
            group
                .suggested_sources
                .clone()
                .into_iter()
                .map(move |id| format!("bd duplicate {id} --of {target}"))
        })
        .collect()
}

fn write_duplicates(report: &DuplicatesReport, page: &mut Page) {
    if report.groups.is_empty() {
        page.line("No duplicates found");
        return;
    }
    page.line(format!(
        "🔍 Found {}:",
        counted(report.groups.len(), "duplicate group")
    ));
    for group in &report.groups {
        page.line(escape::escape_line(&group.title));
        for member in &group.issues {
            let mark = if member.is_merge_target { "→" } else { " " };
            let links = counted(member.weight, "edge");
            page.line(format!(
                "  {mark} {} (P{}, {links})",
                member.id, member.priority
            ));
        }
    }
    for command in list_commands(&report.groups) {
        page.line(if report.merge_results.is_some() {
            format!("✓ done: {command}")
        } else {
            format!("  {command}")
        });
    }
}
