//! The hooks of a rig's shared repository.
//!
//! `reference-transaction` refuses stashes in the linked worktrees: those of dogs, and sandboxes that
//! an older version made. A sandbox with a repository of its own has its own list.
//!
//! `pre-receive` refuses pushes from the session of a worker. A push from a local folder runs as a
//! program of the worker, which can be told to run no hooks. So the hook stops mistakes; the jail
//! keeps the repository unwritable, and a fetch notices what came to a target nevertheless
//! ([`crate::flow::place::target_history`]).
//!
//! The hooks do not run if the repository has a `core.hooksPath` of its own. There, the stashes of a
//! worker are saved to rescue refs before its sandbox is reused.

use std::io;

use kit::sys::file;

use crate::town::RigLayout;
use crate::town::sandbox_git::OWN_HOOK_MARK;

/// The hooks by their names. The second line of each has the mark of the town, by which an older
/// version of it is recognized.
const HOOKS: [(&str, &str); 2] = [
    (
        "reference-transaction",
        include_str!("../../../../templates/hook/reference-transaction.sh"),
    ),
    (
        "pre-receive",
        include_str!("../../../../templates/hook/pre-receive.sh"),
    ),
];

/// Writes the hooks. A hook of the same name that someone else wrote stays.
pub(super) fn install_shared_hooks(rig: &RigLayout) -> io::Result<()> {
    HOOKS
        .iter()
        .try_for_each(|(name, script)| install_hook(rig, name, script))
}

fn install_hook(rig: &RigLayout, name: &str, script: &str) -> io::Result<()> {
    let path = rig.repo().join("hooks").join(name);
    let there = file::read_file_if_exists(&path)?;
    if let Some(there) = &there {
        let text = String::from_utf8_lossy(there);
        if text == script || !text.contains(OWN_HOOK_MARK) {
            return Ok(());
        }
    }
    if let Some(folder) = path.parent() {
        file::create_folder(folder, 0o755)?;
    }
    file::replace_file_relaxed(&path, script.as_bytes(), 0o755)
}

#[cfg(test)]
mod tests {
    use bd::git::Git;
    use kit::sys::ChildCommand;

    use super::*;
    use crate::testing::TestTown;

    /// Pushes to the shared repository of a rig in a process below a session with these variables,
    /// which it has dropped itself. Returns the output of git.
    fn push_in_session(
        tree: &Git,
        rig: &RigLayout,
        branch: &str,
        variables: &[(&str, &str)],
    ) -> String {
        let push = format!(
            "env -u GT_ROLE -u GT_TOWN_ROOT git push {} HEAD:{branch} 2>&1; true",
            rig.repo().display()
        );
        let mut session = ChildCommand::new("sh")
            .args(["-c", &push])
            .cwd(tree.folder());
        for (name, value) in variables {
            session = session.env(*name, *value);
        }
        String::from_utf8_lossy(&session.run().unwrap().stdout).into_owned()
    }

    #[test]
    fn a_push_from_the_session_of_a_worker_is_refused_and_that_of_the_user_is_not() {
        let place = TestTown::new();
        let url = place.create_origin(&[("a", "a\n")]);
        place.add_rig("web", Some(&url)).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        install_shared_hooks(&rig).unwrap();
        let tree = place.create_tree("clone", &[("b", "b\n")]);
        let root = place.town.layout.root().to_string_lossy().into_owned();
        let worker = [("GT_ROLE", "web/polecats/nux"), ("GT_TOWN_ROOT", &*root)];
        let refused = push_in_session(&tree, &rig, "refs/heads/main", &worker);
        assert!(refused.contains("gt done"), "{refused}");
        assert!(refused.contains("pre-receive hook declined"), "{refused}");
        let crew = [("GT_ROLE", "web/crew/max"), ("GT_TOWN_ROOT", &*root)];
        // A worker of another town tests this one.
        let other = [("GT_ROLE", "web/polecats/nux"), ("GT_TOWN_ROOT", "/")];
        for (branch, variables) in [("one", &crew[..]), ("two", &other), ("three", &[])] {
            let branch = format!("refs/heads/{branch}");
            let pushed = push_in_session(&tree, &rig, &branch, variables);
            assert!(pushed.contains("[new branch]"), "{pushed}");
        }
    }
}
