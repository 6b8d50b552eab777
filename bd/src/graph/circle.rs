//! Finds a cycle in a graph of numbers.

/// Returns a cycle, closed by its first node, if there is one. `waits[n]` are the nodes that `n`
/// waits for. Removes nodes that wait for nothing until only cycles, and the nodes that wait for
/// them, remain. Runs without recursion, so a chain may have any length.
pub fn find_index_cycle(waits: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut open: Vec<usize> = waits.iter().map(Vec::len).collect();
    let mut holders: Vec<Vec<usize>> = vec![Vec::new(); waits.len()];
    for (node, targets) in waits.iter().enumerate() {
        for target in targets {
            holders[*target].push(node);
        }
    }
    let mut free: Vec<usize> = (0..waits.len()).filter(|node| open[*node] == 0).collect();
    while let Some(node) = free.pop() {
        for holder in &holders[node] {
            open[*holder] -= 1;
            if open[*holder] == 0 {
                free.push(*holder);
            }
        }
    }
    let mut node = (0..waits.len()).find(|node| open[*node] > 0)?;
    let mut path: Vec<usize> = Vec::new();
    let mut place: Vec<Option<usize>> = vec![None; waits.len()];
    loop {
        if let Some(start) = place[node] {
            let mut circle = path.split_off(start);
            circle.push(node);
            return Some(circle);
        }
        place[node] = Some(path.len());
        path.push(node);
        node = *waits[node].iter().find(|next| open[**next] > 0)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_found_but_a_diamond_is_not_a_circle() {
        assert_eq!(
            find_index_cycle(&[vec![1, 2], vec![3], vec![3], vec![]]),
            None
        );
        assert_eq!(
            find_index_cycle(&[vec![1], vec![2], vec![3], vec![1]]),
            Some(vec![1, 2, 3, 1])
        );
        assert_eq!(find_index_cycle(&[vec![0]]), Some(vec![0, 0]));
    }
}
