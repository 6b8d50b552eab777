//! Reads where a worker's HEAD was, from the worktree's own log of HEAD.

use bd::git::{Git, GitError};

/// Returns the branch of the last sling of a polecat's sandbox.
pub(crate) fn last_sling_branch(git: &Git, name: &str) -> Result<Option<String>, GitError> {
    let own_prefix = format!("polecat/{name}/");
    let is_own = |branch: &String| branch.starts_with(&own_prefix);
    if let Some(branch) = git.head_branch()?.filter(is_own) {
        return Ok(Some(branch));
    }
    let visits = git.head_reflog()?;
    Ok(visits
        .iter()
        .filter_map(|(_, how)| {
            let (_, onto) = how.rsplit_once(" to ")?;
            Some(onto.to_owned())
        })
        .find(is_own))
}

/// Returns the log entries since the sling switched to the branch, newest first. All of them in a
/// fresh worktree, where the sling did not switch.
pub(crate) fn visits_since_sling(
    mut visits: Vec<(String, String)>,
    branch: &str,
) -> Vec<(String, String)> {
    let onto = format!(" to {branch}");
    let off = format!(" from {branch} to ");
    if let Some(sling) = visits.iter().rposition(|(_, how)| how.ends_with(&onto))
        && !visits[sling + 1..]
            .iter()
            .any(|(_, how)| how.contains(&off))
    {
        visits.truncate(sling);
    }
    visits
}

/// Returns the commits from which HEAD moved on while it was on no branch.
pub(crate) fn commits_left_detached(visits: &[(String, String)]) -> Vec<&str> {
    visits
        .iter()
        .filter_map(|(_, how)| {
            let moved = how.strip_prefix("checkout: moving from ")?;
            moved.split_once(" to ").map(|(from, _)| from)
        })
        .filter(|from| from.len() >= 40 && from.bytes().all(|b| b.is_ascii_hexdigit()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commits_that_were_left_on_no_branch_since_the_sling_count() {
        let commit = |digit: &str| digit.repeat(40);
        let entry = |how: String| (commit("0"), how);
        let move_from =
            |from: &str, to: &str| entry(format!("checkout: moving from {from} to {to}"));
        let visits = vec![
            move_from(&commit("a"), "polecat/nux/web-2"),
            entry("commit: Tried".to_owned()),
            move_from("polecat/nux/web-2", &commit("b")),
            move_from("topic", "polecat/nux/web-2"),
            move_from("polecat/nux/web-2", "topic"),
            move_from(&commit("c"), "polecat/nux/web-2"),
            move_from(&commit("d"), &commit("c")),
        ];
        let visits = visits_since_sling(visits, "polecat/nux/web-2");
        assert_eq!(commits_left_detached(&visits), [commit("a")]);
    }
}
