//! Renders a list of beads as text.

use std::collections::HashMap;

use crate::line;
use bd::bead::{Bead, Status};
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
///
/// `parents` are the beads above those of the list that the list itself leaves out; only a tree
/// shows them.
pub(super) fn write_list(rows: &[DrawnRow], parents: &[Bead], form: &ListForm, page: &mut Page) {
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
        ListForm::Tree => draw_tree(page, rows, parents),
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

fn draw_tree(page: &mut Page, rows: &[DrawnRow], parents: &[Bead]) {
    let listed = rows.iter().map(|row| &row.bead);
    let beads: Vec<&Bead> = listed.chain(parents).collect();
    let places: HashMap<&str, usize> = beads
        .iter()
        .enumerate()
        .map(|(at, bead)| (bead.id.as_str(), at))
        .collect();
    let find_parent = |at: usize| {
        let parent = beads[at].parent()?;
        places.get(parent).copied()
    };
    let order = order_by_first_row(rows.len(), beads.len(), find_parent);
    let mut children = vec![Vec::new(); beads.len()];
    let mut roots = Vec::new();
    for at in order {
        match find_parent(at) {
            Some(parent) => children[parent].push(at),
            None => roots.push(at),
        }
    }
    for (branch, at) in tree::walk_tree(&roots, &children) {
        let bead = beads[at];
        let style = page.style().clone();
        let symbol = line::paint_symbol(&style, &bead.status);
        let id = style.cyan(&escape::escape_line(&bead.id));
        let priority = line::paint_priority(&style, bead.priority);
        let is_listed = at < rows.len();
        line::write_fitted(
            page,
            &format!("{branch}{symbol} {id} [{priority}] "),
            &bead.title,
            &if is_listed {
                String::new()
            } else {
                style.dim(" (not in the list)")
            },
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

/// Returns all nodes, each at the place of the first row at or below it. The first `rows` nodes are
/// rows; the others have a row below them.
fn order_by_first_row(
    rows: usize,
    nodes: usize,
    find_parent: impl Fn(usize) -> Option<usize>,
) -> Vec<usize> {
    let mut first: Vec<usize> = (0..nodes).collect();
    for row in 0..rows {
        let mut at = row;
        // A node that an earlier row reached has an earlier place, and so have all above it.
        while let Some(parent) = find_parent(at).filter(|parent| first[*parent] > row) {
            first[parent] = row;
            at = parent;
        }
    }
    let mut order: Vec<usize> = (0..nodes).collect();
    order.sort_by_key(|at| first[*at]);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_outside_the_list_takes_the_place_of_its_first_row() {
        // Row 0 is alone, rows 1 and 2 are below node 3, which is below node 4.
        let parents = [None, Some(3), Some(3), Some(4), None];
        let order = order_by_first_row(3, 5, |at| parents[at]);
        assert_eq!(order, [0, 1, 3, 4, 2]);
        let circle = [Some(1), Some(0)];
        assert_eq!(order_by_first_row(2, 2, |at| circle[at]), [0, 1]);
    }
}
