//! Formats a bead on one line.

use unicode_width::UnicodeWidthStr;

use bd::bead::{Bead, DepKind, Status};
use bd::store::Snapshot;
use kit::ui::{Page, Style, cut, escape};

/// The minimum width of a title before the rest of the line is dropped.
const TITLE_ROOM: usize = 20;

pub(crate) fn status_symbol(status: &Status) -> &'static str {
    match status {
        Status::Open => "○",
        Status::InProgress => "◐",
        Status::Blocked => "●",
        Status::Closed => "✓",
        Status::Deferred => "❄",
        Status::Pinned => "📌",
        Status::Hooked => "◆",
        _ => "?",
    }
}

pub(crate) fn paint_symbol(style: &Style, status: &Status) -> String {
    let symbol = status_symbol(status);
    match status {
        Status::InProgress | Status::Hooked => style.yellow(symbol),
        Status::Blocked => style.red(symbol),
        Status::Closed => style.green(symbol),
        Status::Deferred => style.dim(symbol),
        _ => symbol.to_owned(),
    }
}

/// Formats `● P1`, coloured by urgency.
pub(crate) fn paint_priority(style: &Style, priority: i64) -> String {
    let text = format!("● P{priority}");
    match priority {
        0 => style.red(&text),
        1 => style.yellow(&text),
        _ => text,
    }
}

/// Writes a line with a head that is always shown, a title that is cut to the available width, and
/// a tail that is shown if enough width remains for the title.
pub(crate) fn write_fitted(page: &mut Page, prefix: &str, title: &str, suffix: &str) {
    let title = escape::escape_line(title);
    let Some(width) = page.known_width() else {
        page.line(format!("{prefix}{title}{suffix}"));
        return;
    };
    let room = width.saturating_sub(visible_width(prefix));
    let with_tail = room.saturating_sub(visible_width(suffix));
    if with_tail >= TITLE_ROOM.min(title.width()) {
        let title = cut::cut_to_width(&title, with_tail);
        page.line(format!("{prefix}{title}{suffix}"));
    } else {
        page.cut_line(format!("{prefix}{title}{suffix}"));
    }
}

/// Returns the width of a text without its colour codes.
fn visible_width(text: &str) -> usize {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        plain.push_str(&rest[..at]);
        rest = rest[at..].find('m').map_or("", |end| &rest[at + end + 1..]);
    }
    plain.push_str(rest);
    plain.width()
}

/// The widths of the columns of a list. If the width of the page is unknown, as for a pipe, nothing
/// is aligned.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ColumnWidths {
    id: usize,
    kind: usize,
}

impl ColumnWidths {
    /// Computes the widths for a list of beads. A few long ids do not widen the column.
    pub(crate) fn for_beads<'a>(page: &Page, beads: impl Iterator<Item = &'a Bead>) -> Self {
        let Some(width) = page.known_width() else {
            return Self::default();
        };
        beads.fold(Self::default(), |widths, bead| Self {
            id: widths
                .id
                .max(escape::escape_line(&bead.id).width())
                .min(width / 4),
            kind: widths
                .kind
                .max(bead.issue_type.as_str().width())
                .min(width / 8),
        })
    }
}

/// Writes a line of a list: `○ bd-k3f [● P1] [bug] @dana [auth] - Title (blocked by: bd-a, blocks:
/// bd-b)`.
pub(crate) fn write_list_line(page: &mut Page, bead: &Bead, links: &str) {
    write_aligned_line(page, bead, links, ColumnWidths::default());
}

/// Like [`write_list_line`], with ids and types in columns.
pub(crate) fn write_aligned_line(page: &mut Page, bead: &Bead, links: &str, widths: ColumnWidths) {
    let style = page.style().clone();
    let kind = format!("[{}]", escape::escape_line(bead.issue_type.as_str()));
    let id = escape::escape_line(&bead.id);
    let gap = " ".repeat(widths.id.saturating_sub(id.width()));
    let mut prefix = format!(
        "{} {}{gap} [{}] {} ",
        paint_symbol(&style, &bead.status),
        style.cyan(&id),
        paint_priority(&style, bead.priority),
        cut::pad_to_width(&kind, widths.kind + 2),
    );
    if bead.pinned {
        prefix.insert_str(0, "📌 ");
    }
    if !bead.assignee.is_empty() {
        prefix.push_str(&format!("@{} ", escape::escape_line(&bead.assignee)));
    }
    if !bead.labels.is_empty() {
        let labels = escape::escape_line(&bead.labels.join(" "));
        prefix.push_str(&style.dim(&format!("[{labels}] ")));
    }
    prefix.push_str("- ");
    write_fitted(page, &prefix, &bead.title, &style.dim(links));
}

/// Returns true for a dependency that a bead waits for. An open parent does not block its children.
fn is_waited_for(kind: &DepKind) -> bool {
    kind.affects_ready() && *kind != DepKind::ParentChild
}

/// Formats the open blockers of a bead and the beads that it blocks, in parentheses. A bead without
/// any gets no parentheses.
pub(crate) fn format_links(snapshot: &Snapshot, bead: &Bead) -> String {
    let by: Vec<String> = bead
        .dependencies
        .iter()
        .filter(|edge| is_waited_for(&edge.kind))
        .map(|edge| edge.depends_on_id.as_str())
        .filter(|id| snapshot.bead_ref(id).is_none_or(|target| target.is_open()))
        .map(escape::escape_line)
        .collect();
    let blocks: Vec<String> = snapshot
        .dependents(&bead.id)
        .into_iter()
        .filter(|_| bead.is_open())
        .filter(|(_, code)| DepKind::from_code(*code).is_some_and(|kind| is_waited_for(&kind)))
        .filter(|(holder, _)| holder.is_open())
        .map(|(holder, _)| escape::escape_line(holder.id()))
        .collect();
    let parts: Vec<String> = [("blocked by", by), ("blocks", blocks)]
        .into_iter()
        .filter(|(_, ids)| !ids.is_empty())
        .map(|(name, ids)| format!("{name}: {}", ids.join(", ")))
        .collect();
    if parts.is_empty() {
        String::new()
    } else {
        format!(" ({})", parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(width: Option<usize>, labels: &[&str]) -> String {
        let bead = Bead {
            id: "bd-k3f".into(),
            title: "Login form rejects plus signs in e-mail addresses".into(),
            labels: labels.iter().map(|&label| label.into()).collect(),
            ..Bead::default()
        };
        let mut page = Page::new(width, Style::plain());
        write_list_line(&mut page, &bead, " (blocks: bd-b)");
        page.text().to_owned()
    }

    #[test]
    fn a_line_fits_the_screen_and_keeps_its_important_parts() {
        let line = shown(Some(60), &[]);
        assert!(
            line.starts_with("○ bd-k3f [● P2] [task] - Login form"),
            "{line}"
        );
        assert!(line.ends_with("… (blocks: bd-b)\n"), "{line}");
        for width in [30, 60, 80] {
            for line in shown(Some(width), &["a-long-label", "another"]).lines() {
                assert!(line.width() <= width, "{line}");
            }
        }
        assert!(shown(None, &[]).contains("addresses (blocks: bd-b)"));
    }
}
