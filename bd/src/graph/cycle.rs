//! Finds a cycle in a graph of numbers.

/// Returns one cycle, with its first node repeated at the end. `dependencies[n]` are the nodes that
/// `n` depends on. Panics if one of them is not an index of the slice. The depth of the graph is
/// not limited.
pub fn find_cycle(dependencies: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut remaining: Vec<usize> = dependencies.iter().map(Vec::len).collect();
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); dependencies.len()];
    for (node, targets) in dependencies.iter().enumerate() {
        for target in targets {
            dependents[*target].push(node);
        }
    }
    // Nodes without dependencies are removed until only cycles, and the nodes that depend on them,
    // remain.
    let mut ready: Vec<usize> = (0..dependencies.len())
        .filter(|node| remaining[*node] == 0)
        .collect();
    while let Some(node) = ready.pop() {
        for dependent in &dependents[node] {
            remaining[*dependent] -= 1;
            if remaining[*dependent] == 0 {
                ready.push(*dependent);
            }
        }
    }
    // Each remaining node depends on another one, so a path along them reaches a node twice.
    let mut node = (0..dependencies.len()).find(|node| remaining[*node] > 0)?;
    let mut path: Vec<usize> = Vec::new();
    let mut position_in_path: Vec<Option<usize>> = vec![None; dependencies.len()];
    loop {
        if let Some(start) = position_in_path[node] {
            let mut cycle = path.split_off(start);
            cycle.push(node);
            return Some(cycle);
        }
        position_in_path[node] = Some(path.len());
        path.push(node);
        node = *dependencies[node]
            .iter()
            .find(|next| remaining[**next] > 0)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_is_found_and_a_diamond_is_not_a_cycle() {
        assert_eq!(find_cycle(&[vec![1, 2], vec![3], vec![3], vec![]]), None);
        assert_eq!(
            find_cycle(&[vec![1], vec![2], vec![3], vec![1]]),
            Some(vec![1, 2, 3, 1])
        );
        assert_eq!(find_cycle(&[vec![0]]), Some(vec![0, 0]));
    }
}
