use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::context::Context;
use bd::bead::Bead;
use kit::ui::{Page, Report, escape};

use super::args::FilterArgs;
use kit::cli::report::CommandResult;

/// Count beads, closed ones included
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    filter: FilterArgs,
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
    let filter = args.filter.to_filter(ctx)?;
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
    Ok(Box::new(CountReport { total, groups }))
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

/// The total, or one number per group.
#[derive(Debug)]
struct CountReport {
    total: usize,
    groups: Option<BTreeMap<String, usize>>,
}

impl Report for CountReport {
    fn json(&self) -> Value {
        match &self.groups {
            None => json!({"count": self.total}),
            Some(groups) => {
                let groups: Vec<Value> = groups
                    .iter()
                    .map(|(group, count)| json!({"group": group, "count": count}))
                    .collect();
                json!({"total": self.total, "groups": groups})
            }
        }
    }

    fn human(&self, page: &mut Page) {
        match &self.groups {
            None => page.line(self.total.to_string()),
            Some(groups) => {
                page.line(format!("Total: {}", self.total));
                page.blank();
                for (group, count) in groups {
                    page.line(format!("{}: {count}", escape::escape_line(group)));
                }
            }
        }
    }
}
