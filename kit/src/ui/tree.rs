//! Computes the branches that are drawn before each line of a tree.

/// Returns the nodes below `roots` in drawing order, each with its branch (`├── ` and similar).
/// Nodes are numbers; `children[n]` are the children of `n`. Every node is drawn once. A node that
/// no root reaches, as in a cycle, is drawn as a root.
pub fn walk_tree(roots: &[usize], children: &[Vec<usize>]) -> Vec<(String, usize)> {
    let mut drawn = vec![false; children.len()];
    let mut lines = Vec::new();
    let mut stack: Vec<(usize, String, &str)> = Vec::new();
    for start in roots.iter().copied().chain(0..children.len()) {
        if !drawn[start] {
            stack.push((start, String::new(), ""));
            draw_branches(&mut stack, children, &mut drawn, &mut lines);
        }
    }
    lines
}

/// Draws all descendants of the nodes on the stack.
fn draw_branches(
    stack: &mut Vec<(usize, String, &str)>,
    children: &[Vec<usize>],
    drawn: &mut [bool],
    lines: &mut Vec<(String, usize)>,
) {
    while let Some((node, indent, branch)) = stack.pop() {
        if std::mem::replace(&mut drawn[node], true) {
            continue;
        }
        let below = match branch {
            "" => indent.clone(),
            "└── " => format!("{indent}    "),
            _ => format!("{indent}│   "),
        };
        lines.push((format!("{indent}{branch}"), node));
        for (number, child) in children[node].iter().rev().enumerate() {
            let branch = if number == 0 {
                "└── "
            } else {
                "├── "
            };
            stack.push((*child, below.clone(), branch));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tree_lines_connect_parents_and_children() {
        let children = [vec![1, 3], vec![2], vec![], vec![], vec![]];
        let lines = walk_tree(&[0, 4], &children);
        let drawn: Vec<String> = lines
            .iter()
            .map(|(branch, node)| format!("{branch}{node}"))
            .collect();
        assert_eq!(drawn, ["0", "├── 1", "│   └── 2", "└── 3", "4"]);
    }

    #[test]
    fn a_cycle_does_not_repeat_forever() {
        assert_eq!(walk_tree(&[], &[vec![1], vec![0]]).len(), 2);
    }
}
