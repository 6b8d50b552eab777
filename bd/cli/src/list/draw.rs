//! Renders a list of beads as text.

use std::collections::HashMap;

use crate::line;
use bd::bead::Status;
use kit::ui::{Page, counted, escape, tree};

use super::format::ListFormat;
use super::row::DrawnRow;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ListForm {
    Lines,
    Long,
    Tree,
    Format(ListFormat),
}

/// Writes a list of beads as text.
pub(super) fn write_list(rows: &[DrawnRow], form: &ListForm, page: &mut Page) {
    match form {
        ListForm::Lines if rows.is_empty() => page.line("No issues found"),
        ListForm::Lines => {
            let widths = line::ColumnWidths::for_beads(page, rows.iter().map(|row| &row.bead));
            for row in rows {
                line::write_aligned_line(page, &row.bead, &row.links, widths);
            }
        }
        ListForm::Long => {
            page.line(format!("Found {}:", counted(rows.len(), "issue")));
            draw_long(page, rows);
        }
        ListForm::Tree => draw_tree(page, rows),
        ListForm::Format(format) => format.print(page, rows),
    }
}

/// Writes several lines per bead.
pub(crate) fn draw_long(page: &mut Page, rows: &[DrawnRow]) {
    for DrawnRow { bead, links, .. } in rows {
        page.blank();
        line::write_list_line(page, bead, "");
        if !bead.description.is_empty() {
            let first = bead.description.lines().next().unwrap_or("");
            page.cut_line(format!("  {}", escape::escape_line(first)));
        }
        if !links.is_empty() {
            page.cut_line(format!(" {links}"));
        }
    }
}

fn draw_tree(page: &mut Page, rows: &[DrawnRow]) {
    let place: HashMap<&str, usize> = rows
        .iter()
        .enumerate()
        .map(|(at, row)| (row.bead.id.as_str(), at))
        .collect();
    let mut children = vec![Vec::new(); rows.len()];
    let mut roots = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        match row.bead.parent().and_then(|parent| place.get(parent)) {
            Some(parent) => children[*parent].push(at),
            None => roots.push(at),
        }
    }
    for (branch, at) in tree::walk_tree(&roots, &children) {
        let bead = &rows[at].bead;
        let style = page.style().clone();
        let symbol = line::paint_symbol(&style, &bead.status);
        let id = style.cyan(&escape::escape_line(&bead.id));
        let priority = line::paint_priority(&style, bead.priority);
        line::write_fitted(
            page,
            &format!("{branch}{symbol} {id} [{priority}] "),
            &bead.title,
            "",
        );
    }
    let [open, in_progress] = [Status::Open, Status::InProgress]
        .map(|status| rows.iter().filter(|row| row.bead.status == status).count());
    page.blank();
    page.line(format!(
        "Total: {} ({open} open, {in_progress} in progress)",
        counted(rows.len(), "issue")
    ));
}
