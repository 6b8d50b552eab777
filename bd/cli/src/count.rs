use std::collections::BTreeMap;

use super::args::{FilterArgs, InternalArgs};
use crate::context::Context;
use bd::bead::Bead;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::escape;

/// Count beads, closed ones included
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    internal: InternalArgs,
    #[command(flatten)]
    by: CountGrouping,
}

#[derive(Debug, clap::Args)]
#[group(multiple = false)]
struct CountGrouping {
    /// Count per status
    #[arg(id = "by-status", long)]
    status: bool,
    /// Count per priority
    #[arg(id = "by-priority", long)]
    priority: bool,
    /// Count per type
    #[arg(id = "by-type", long)]
    kind: bool,
    /// Count per assignee
    #[arg(id = "by-assignee", long)]
    assignee: bool,
    /// Count per label
    #[arg(id = "by-label", long)]
    label: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = ctx.store()?.snapshot()?;
    let mut filter = args.filter.to_filter(ctx)?;
    filter.no_internal = args.internal.are_hidden(ctx) && !args.filter.names_beads();
    let (total, groups) = match choose_group_key(&args.by) {
        None => (filter.count(&snapshot), None),
        Some(key) => {
            let found = filter.apply(&snapshot);
            let mut groups: BTreeMap<String, usize> = BTreeMap::new();
            for name in found.iter().flat_map(|bead| key(bead)) {
                *groups.entry(name).or_default() += 1;
            }
            (found.len(), Some(groups))
        }
    };
    if total == 0 {
        let words = snapshot.config().vocabulary();
        args.filter.explain_empty_result(ctx, &words);
    }
    let Some(groups) = groups else {
        return build_report(kit::report_value! { count: total }, |report, page| {
            page.line(report.count.to_string());
        });
    };
    let groups: Vec<_> = groups
        .into_iter()
        .map(|(group, count)| kit::report_value! { group, count })
        .collect();
    build_report(kit::report_value! { total, groups }, |report, page| {
        page.line(format!("Total: {}", report.total));
        page.blank();
        for row in &report.groups {
            page.line(format!(
                "{}: {}",
                escape::escape_line(&row.group),
                row.count
            ));
        }
    })
}

type GroupKey = fn(&Bead) -> Vec<String>;

/// Returns the function that lists the groups of a bead.
fn choose_group_key(by: &CountGrouping) -> Option<GroupKey> {
    let keys: [(bool, GroupKey); 5] = [
        (by.status, |bead| vec![bead.status.to_string()]),
        (by.priority, |bead| vec![format!("P{}", bead.priority)]),
        (by.kind, |bead| vec![bead.issue_type.to_string()]),
        (by.assignee, |bead| {
            vec![or_placeholder(&bead.assignee, "(unassigned)")]
        }),
        (by.label, |bead| {
            if bead.labels.is_empty() {
                vec!["(no labels)".to_owned()]
            } else {
                bead.labels.clone()
            }
        }),
    ];
    keys.into_iter()
        .find(|(wanted, _)| *wanted)
        .map(|(_, key)| key)
}

fn or_placeholder(text: &str, none: &str) -> String {
    if text.is_empty() { none } else { text }.to_owned()
}
