//! A thread: a message with the messages that it replies to and the replies to it.

use std::collections::{BTreeSet, HashMap};

use crate::report::PlainBead;
use bd::bead::{Bead, DepKind};
use bd::store::Snapshot;
use kit::ui::{Page, escape};

/// The maximum indentation level of a reply.
const MAX_INDENTATION: usize = 8;

/// Returns the thread of a bead, oldest message first.
pub(super) fn collect_thread(snapshot: &Snapshot, bead: &Bead) -> Vec<PlainBead> {
    let mut seen = BTreeSet::from([bead.id.clone()]);
    let mut open = vec![bead.id.clone()];
    let mut thread = vec![PlainBead(bead.clone())];
    while let Some(id) = open.pop() {
        let mut linked: Vec<&Bead> = Vec::new();
        if let Some(bead) = snapshot.get_live(&id) {
            linked.extend(
                bead.edges(&DepKind::RepliesTo)
                    .filter_map(|edge| snapshot.get_live(&edge.depends_on_id)),
            );
        }
        for (bead, edge) in snapshot.dependents_of(&id) {
            if edge.kind == DepKind::RepliesTo {
                linked.push(bead);
            }
        }
        for next in linked {
            if seen.insert(next.id.clone()) {
                open.push(next.id.clone());
                thread.push(PlainBead(next.clone()));
            }
        }
    }
    thread.sort_by(|a, b| {
        a.created_at
            .cmp(&b.created_at)
            .then_with(|| a.id.cmp(&b.id))
    });
    thread
}

/// Writes each message below the one that it replies to.
pub(super) fn write_thread(page: &mut Page, thread: &[PlainBead]) {
    let above: HashMap<&str, Option<&str>> = thread
        .iter()
        .map(|bead| {
            let edge = bead.edges(&DepKind::RepliesTo).next();
            (
                bead.id.as_str(),
                edge.map(|edge| edge.depends_on_id.as_str()),
            )
        })
        .collect();
    for bead in thread {
        let depth = std::iter::successors(above[bead.id.as_str()], |id| *above.get(id)?)
            .take(MAX_INDENTATION)
            .take_while(|id| above.contains_key(id))
            .count();
        let indent = "  ".repeat(depth);
        let style = page.style().clone();
        let from = if bead.sender.is_empty() {
            &bead.created_by
        } else {
            &bead.sender
        };
        let to = match bead.assignee.as_str() {
            "" => String::new(),
            to => format!(" → {}", escape::escape_line(to)),
        };
        let when = page.relative_time(bead.created_at.as_str());
        page.blank();
        page.line(format!(
            "{indent}{} {}{to}, {when}",
            style.cyan(&escape::escape_line(&bead.id)),
            escape::escape_line(from)
        ));
        page.line(format!(
            "{indent}{}",
            style.bold(&escape::escape_line(&bead.title))
        ));
        for line in escape::escape_block(&bead.description).lines() {
            page.line(format!("{indent}{line}"));
        }
    }
}
