//! Renders a bead with all its details as text.

use crate::line;
use crate::report::{LinkedBead, PlainBead};
use bd::bead::{Bead, DepKind, Stamp};
use kit::sys::env::local_time_zone;
use kit::ui::{Page, escape, time};

use super::ShownBead;

pub(super) fn write_full(page: &mut Page, shown: &ShownBead) {
    let bead = &shown.bead;
    write_head(page, bead);
    for (name, text) in [
        ("DESCRIPTION", &bead.description),
        ("DESIGN", &bead.design),
        ("ACCEPTANCE CRITERIA", &bead.acceptance_criteria),
        ("NOTES", &bead.notes),
    ] {
        if !text.is_empty() {
            page.blank();
            page.line(page.style().bold(name));
            page.line(escape::escape_block(text).trim_end());
        }
    }
    if !bead.labels.is_empty() {
        page.blank();
        page.line(format!(
            "LABELS: {}",
            escape::escape_line(&bead.labels.join(", "))
        ));
    }
    write_links(page, shown);
    if !bead.comments.is_empty() {
        page.blank();
        page.line(page.style().bold("COMMENTS"));
        let zone = local_time_zone();
        for comment in &bead.comments {
            let when = time::format_local(comment.created_at.instant(), &zone);
            page.line(format!("  {when} {}", escape::escape_line(&comment.author)));
            for line in escape::escape_block(&comment.text).lines() {
                page.line(format!("    {line}"));
            }
        }
    }
}

fn write_head(page: &mut Page, bead: &Bead) {
    let style = page.style().clone();
    let kind = bead.issue_type.as_str().to_uppercase();
    let start = format!(
        "{} {} [{kind}] · ",
        line::paint_symbol(&style, &bead.status),
        style.cyan(&bead.id)
    );
    let priority = line::paint_priority(&style, bead.priority);
    let status = bead.status.as_str().to_uppercase();
    page.line(format!(
        "{start}{}   [{priority} · {status}]",
        style.bold(&escape::escape_line(&bead.title))
    ));
    let mut facts = vec![format!("Owner: {}", escape::escape_line(&bead.created_by))];
    if !bead.assignee.is_empty() {
        facts.push(format!("Assignee: {}", escape::escape_line(&bead.assignee)));
    }
    facts.push(format!("Type: {}", bead.issue_type));
    page.line(facts.join(" · "));
    let zone = local_time_zone();
    let format_day = |stamp: &Stamp| time::format_day(stamp.instant(), &zone);
    let mut times = vec![
        format!("Created: {}", format_day(&bead.created_at)),
        format!("Updated: {}", format_day(&bead.updated_at)),
    ];
    let more = [
        ("Due", &bead.due_at),
        ("Deferred until", &bead.defer_until),
        ("Closed", &bead.closed_at),
    ];
    for (name, stamp) in more {
        times.extend(
            stamp
                .as_ref()
                .map(|stamp| format!("{name}: {}", format_day(stamp))),
        );
    }
    page.line(times.join(" · "));
    let more = [
        ("Close reason", bead.close_reason.as_str()),
        ("External", bead.external_ref.as_deref().unwrap_or("")),
        ("Hook", &bead.hook_bead),
        ("State", &bead.agent_state),
    ];
    for (name, text) in more {
        if !text.is_empty() {
            page.line(format!("{name}: {}", escape::escape_line(text)));
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LinkGroup {
    Related,
    Hierarchy,
    Discovery,
    Other,
}

impl LinkGroup {
    fn for_kind(kind: &DepKind) -> Self {
        match kind {
            DepKind::Related | DepKind::RelatesTo => Self::Related,
            DepKind::ParentChild => Self::Hierarchy,
            DepKind::DiscoveredFrom => Self::Discovery,
            _ => Self::Other,
        }
    }
}

fn select_links(links: &[LinkedBead], group: LinkGroup) -> Vec<&PlainBead> {
    links
        .iter()
        .filter(|linked| LinkGroup::for_kind(&linked.kind) == group)
        .map(|linked| &linked.bead)
        .collect()
}

fn write_links(page: &mut Page, shown: &ShownBead) {
    let out = &shown.dependencies;
    let back = &shown.dependents;
    let mut related = select_links(out, LinkGroup::Related);
    for bead in select_links(back, LinkGroup::Related) {
        if !related.iter().any(|other| other.id == bead.id) {
            related.push(bead);
        }
    }
    for (name, beads) in [
        ("PARENT", select_links(out, LinkGroup::Hierarchy)),
        ("DEPENDS ON", select_links(out, LinkGroup::Other)),
        ("DISCOVERED FROM", select_links(out, LinkGroup::Discovery)),
        ("CHILDREN", select_links(back, LinkGroup::Hierarchy)),
        ("BLOCKS", select_links(back, LinkGroup::Other)),
        ("DISCOVERED", select_links(back, LinkGroup::Discovery)),
        ("RELATED", related),
    ] {
        if !beads.is_empty() {
            page.blank();
            write_linked(page, name, beads.into_iter());
        }
    }
}

pub(super) fn write_linked<'a>(
    page: &mut Page,
    name: &str,
    beads: impl Iterator<Item = &'a PlainBead>,
) {
    page.line(page.style().bold(name));
    for bead in beads {
        let style = page.style().clone();
        let symbol = line::paint_symbol(&style, &bead.status);
        let line_start = format!("  → {symbol} {}: ", style.cyan(&bead.id));
        let tail = format!(" {}", line::paint_priority(&style, bead.priority));
        line::write_fitted(page, &line_start, &bead.title, &tail);
    }
}
