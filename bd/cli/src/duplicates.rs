use serde_json::{Value, json};

use crate::context::Context;
use bd::bead::{Bead, DepKind};
use bd::change;
use bd::query::similar;
use bd::store::Snapshot;
use kit::ui::{Page, Report, counted, escape};

use kit::cli::report::CommandResult;

/// Find open beads with the same title and texts
///
/// Of each group one is suggested to stay: the one with the most edges, then the one that most
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
    let groups = similar::equal_groups(beads.iter().copied());
    let groups: Vec<DuplicateGroup> = groups
        .iter()
        .map(|group| DuplicateGroup::from_beads(&snapshot, &beads, group))
        .collect();
    let merges = args.auto_merge && !args.dry_run;
    if merges {
        ctx.check_writable("duplicates")?;
        store.transact(&ctx.author(), &ctx.clock, |tx| {
            for group in &groups {
                for source in group.sources() {
                    let reason = format!("Duplicate of {}", group.target);
                    change::replace_bead(tx, source, &group.target, DepKind::Related, &reason)?;
                }
            }
            Ok(())
        })?;
    }
    Ok(Box::new(DuplicatesReport {
        groups,
        merges,
        suggests: args.auto_merge,
    }))
}

#[derive(Debug)]
struct DuplicateMember {
    bead: Bead,
    references: usize,
    dependents: usize,
}

/// Beads with the same content.
#[derive(Debug)]
struct DuplicateGroup {
    members: Vec<DuplicateMember>,
    target: String,
}

impl DuplicateGroup {
    fn from_beads(snapshot: &Snapshot, all: &[&Bead], group: &[&Bead]) -> Self {
        let named = |id: &str| {
            let texts = all.iter().filter(|bead| {
                let texts = [&bead.description, &bead.notes, &bead.design];
                texts.iter().any(|text| text.contains(id))
            });
            texts.count()
        };
        let member = |bead: &&Bead| DuplicateMember {
            bead: (*bead).clone(),
            references: named(&bead.id),
            dependents: snapshot.dependent_count(&bead.id),
        };
        let members: Vec<DuplicateMember> = group.iter().map(member).collect();
        let best = members
            .iter()
            .rev()
            .max_by_key(|member| (member.weight(), member.references));
        let target = best
            .map(|member| member.bead.id.clone())
            .unwrap_or_default();
        Self { members, target }
    }

    fn sources(&self) -> impl Iterator<Item = &str> {
        let ids = self.members.iter().map(|member| member.bead.id.as_str());
        ids.filter(|id| *id != self.target)
    }
}

impl DuplicateMember {
    fn weight(&self) -> usize {
        self.dependents + self.bead.dependencies.len()
    }
}

#[derive(Debug)]
struct DuplicatesReport {
    groups: Vec<DuplicateGroup>,
    merges: bool,
    suggests: bool,
}

impl DuplicatesReport {
    fn commands(&self) -> Vec<String> {
        let of = |group: &DuplicateGroup| {
            let target = group.target.clone();
            let commands = group.sources();
            let commands = commands.map(move |id| format!("bd duplicate {id} --of {target}"));
            commands.collect::<Vec<_>>()
        };
        self.groups.iter().flat_map(of).collect()
    }
}

impl Report for DuplicatesReport {
    fn json(&self) -> Value {
        let member = |duplicate: &DuplicateMember, target: &str| {
            json!({
                "id": duplicate.bead.id,
                "title": duplicate.bead.title,
                "status": duplicate.bead.status.as_str(),
                "priority": duplicate.bead.priority,
                "references": duplicate.references,
                "dependents": duplicate.dependents,
                "dependencies": duplicate.bead.dependencies.len(),
                "weight": duplicate.weight(),
                "is_merge_target": duplicate.bead.id == target,
            })
        };
        let group = |duplicate_group: &DuplicateGroup| {
            let issues: Value = duplicate_group
                .members
                .iter()
                .map(|duplicate| member(duplicate, &duplicate_group.target))
                .collect();
            let sources: Vec<&str> = duplicate_group.sources().collect();
            json!({
                "title": duplicate_group.members[0].bead.title,
                "issues": issues,
                "suggested_target": duplicate_group.target,
                "suggested_sources": sources,
                "suggested_action": format!("bd duplicate {} --of {}", sources.join(" "), duplicate_group.target),
                "note": format!("Duplicate: {} same title and texts", counted(duplicate_group.members.len(), "issue")),
            })
        };
        let groups: Value = self.groups.iter().map(group).collect();
        let mut value = json!({"duplicate_groups": self.groups.len(), "groups": groups});
        if self.suggests {
            value["merge_commands"] = json!(self.commands());
        }
        if self.merges {
            let result = |duplicate_group: &DuplicateGroup| json!({"target": duplicate_group.target, "closed": duplicate_group.sources().collect::<Vec<_>>()});
            value["merge_results"] = self.groups.iter().map(result).collect();
        }
        value
    }

    fn human(&self, page: &mut Page) {
        if self.groups.is_empty() {
            page.line("No duplicates found");
            return;
        }
        page.line(format!(
            "🔍 Found {}:",
            counted(self.groups.len(), "duplicate group")
        ));
        for group in &self.groups {
            page.line(escape::escape_line(&group.members[0].bead.title));
            for member in &group.members {
                let stays = member.bead.id == group.target;
                let mark = if stays { "→" } else { " " };
                let links = counted(member.weight(), "edge");
                page.line(format!(
                    "  {mark} {} (P{}, {links})",
                    member.bead.id, member.bead.priority
                ));
            }
        }
        for command in self.commands() {
            page.line(if self.merges {
                format!("✓ done: {command}")
            } else {
                format!("  {command}")
            });
        }
    }
}
