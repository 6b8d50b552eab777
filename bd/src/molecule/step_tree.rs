//! Draws the steps of a workflow as a tree of dependencies.

use crate::molecule::draw::{self, DrawnStep};
use kit::ui::{Page, escape, tree};

/// Draws steps, each with `mark` before its id, and with all its dependencies if there are more
/// than the step above it.
pub fn draw_step_tree(page: &mut Page, steps: &[DrawnStep], mark: impl Fn(usize) -> String) {
    let (roots, below) = draw::arrange_children(steps);
    for (branch, at) in tree::walk_tree(&roots, &below) {
        let step = &steps[at];
        let others = match step.needs.len() {
            0 | 1 => String::new(),
            _ => {
                let ids = step.needs.iter().map(|need| steps[*need].id.as_str());
                format!(" (after {})", ids.collect::<Vec<_>>().join(", "))
            }
        };
        let text = format!("{}: {}{others}", step.id, step.title);
        page.cut_line(format!(
            "{branch}{}{}",
            mark(at),
            escape::escape_line(&text)
        ));
    }
}
