use serde_json::{Value, json};

use crate::bead::{Bead, DepKind, Status};
use crate::context::Context;
use crate::graph::external::Capabilities;
use crate::graph::ready;
use crate::ui::{Page, Report, escape};

use super::line;
use super::report::{Answer, plain_json};

/// Show what waits for something, and for what.
///
/// As JSON an array of beads with `blocked_by_count` and `blocked_by`; `[]` where there are none.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only below this bead
    #[arg(long, value_name = "ID")]
    parent: Option<String>,
}

pub(super) fn run(ctx: &Context, args: &Args) -> Answer {
    let store = ctx.store()?;
    let snapshot = store.snapshot()?;
    let below = match &args.parent {
        Some(parent) => Some(ready::descendants(&snapshot, &snapshot.resolve(parent)?.id)),
        None => None,
    };
    let mut outside = Capabilities::new(&snapshot, store.dir());
    let mut items: Vec<(Bead, Vec<String>)> = Vec::new();
    for bead in snapshot.live() {
        let inside = below
            .as_ref()
            .is_none_or(|below| below.contains(bead.id.as_str()));
        if !inside || bead.pinned || !bead.status.holds_up() {
            continue;
        }
        let mut by: Vec<String> = ready::blockers(&snapshot, &bead.id)
            .into_iter()
            .map(str::to_owned)
            .collect();
        by.extend(outside.missing(bead));
        let external = bead
            .edges(&DepKind::Blocks)
            .any(crate::bead::Dep::is_external);
        let says_so = matches!(bead.status, Status::Blocked | Status::Deferred);
        if !by.is_empty() || says_so || (external && !outside.are_checked()) {
            items.push((bead.clone(), by));
        }
    }
    items.sort_by(|(a, _), (b, _)| a.priority.cmp(&b.priority).then_with(|| a.id.cmp(&b.id)));
    Ok(Box::new(Blocked { items }))
}

/// Blocked beads and what they wait for.
#[derive(Debug)]
struct Blocked {
    items: Vec<(Bead, Vec<String>)>,
}

impl Report for Blocked {
    fn json(&self) -> Value {
        let one = |(bead, by): &(Bead, Vec<String>)| {
            let mut value = plain_json(bead);
            value["blocked_by_count"] = json!(by.len());
            value["blocked_by"] = json!(by);
            value
        };
        self.items.iter().map(one).collect()
    }

    fn human(&self, page: &mut Page) {
        if self.items.is_empty() {
            page.line("✨ No blocked issues");
            return;
        }
        page.line(format!("🚫 Blocked issues ({}):", self.items.len()));
        for (bead, by) in &self.items {
            let style = page.style().clone();
            page.blank();
            let head = format!(
                "[{}] {}: ",
                line::priority(&style, bead.priority),
                style.cyan(&escape::line(&bead.id))
            );
            line::fitted(page, &head, &bead.title, "");
            if by.is_empty() {
                page.line(format!("  Status: {}", bead.status));
            } else {
                let list = escape::line(&by.join(" "));
                page.cut_line(format!(
                    "  Blocked by {} open dependencies: [{list}]",
                    by.len()
                ));
            }
        }
    }
}
