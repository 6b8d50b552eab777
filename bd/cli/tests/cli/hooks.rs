//! `bd hooks`: git runs them, and what was there before comes back byte for byte.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::Project;

/// Runs git as a user would, with bd on the path.
pub(crate) fn git(project: &Project, args: &[&str]) -> String {
    let bd = Path::new(env!("CARGO_BIN_EXE_bd")).parent().unwrap();
    let path = format!("{}:{}", bd.display(), std::env::var("PATH").unwrap());
    let names = [
        "GIT_AUTHOR_NAME",
        "GIT_COMMITTER_NAME",
        "GIT_COMMITTER_EMAIL",
    ];
    let mut command = Command::new("git");
    command
        .args(args)
        .current_dir(project.dir())
        .env_clear()
        .env("PATH", path)
        .env("HOME", project.dir().parent().unwrap())
        .env("GIT_AUTHOR_EMAIL", "t@example.com");
    let output = command
        .envs(names.map(|name| (name, "tester")))
        .output()
        .unwrap();
    let said =
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "git {args:?}: {said}");
    said
}

fn repository() -> Project {
    let project = Project::empty();
    git(&project, &["init", "-q", "-b", "main"]);
    project
}

fn write_hook(project: &Project, name: &str, text: &str) {
    let path = project.path(&format!(".git/hooks/{name}"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_commit_includes_pending_changes_of_tracked_beads() {
    let project = repository();
    let said = project.json(&["init", "--prefix", "bd"]);
    assert_eq!(said["hooks"], true);
    git(&project, &["add", ".beads"]);
    git(&project, &["commit", "-qm", "Begin"]);
    let id = project.make("One", &[]);
    project.write("README", "x");
    git(&project, &["add", "README"]);
    git(&project, &["commit", "-qm", "More"]);
    let committed = git(&project, &["show", "HEAD:.beads/issues.jsonl"]);
    assert!(committed.contains(&id), "{committed}");
    // A commit of named files is of these alone; one of all takes the beads along.
    let other = project.make("Two", &[]);
    project.write("README", "longer");
    git(&project, &["commit", "-qm", "Only", "README"]);
    let committed = || git(&project, &["show", "HEAD:.beads/issues.jsonl"]);
    assert!(!committed().contains(&other), "{}", committed());
    project.write("README", "even longer");
    git(&project, &["commit", "-qam", "All"]);
    assert!(committed().contains(&other), "{}", committed());
    git(&project, &["checkout", "-q", "-b", "other"]);
    assert_eq!(
        git(&project, &["status", "--short", ".beads/issues.jsonl"]),
        ""
    );
    // Without staging it says what is missing, and the commit is stopped.
    project.make("Three", &[]);
    let ran = project.run_with(
        &[("BEADS_NO_AUTO_STAGE", "1")],
        &["hooks", "run", "pre-commit"],
    );
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("not staged"), "{}", ran.err);
}

#[test]
fn user_hooks_run_first_and_are_restored_byte_for_byte() {
    let project = repository();
    let own = "#!/bin/sh\necho own >> ran\n";
    write_hook(&project, "pre-commit", own);
    project.ok(&["init", "--prefix", "bd", "--skip-hooks"]);
    let status = project.json(&["hooks", "status"]);
    assert_eq!(status["hooks"][0]["Installed"], false);
    assert!(
        project
            .ok(&["hooks", "list"])
            .contains("✗ pre-commit is a hook of your own")
    );
    let done = project.json(&["hooks", "install"]);
    assert_eq!(
        (&done["success"], &done["chained"]),
        (&true.into(), &true.into())
    );
    // Twice is once.
    project.ok(&["hooks", "install"]);
    let status = project.json(&["hooks", "status"]);
    let hook = &status["hooks"][0];
    assert_eq!(
        (&hook["Name"], &hook["Installed"], &hook["Chained"]),
        (&"pre-commit".into(), &true.into(), &true.into())
    );
    git(&project, &["commit", "-q", "--allow-empty", "-m", "Begin"]);
    assert_eq!(project.read("ran"), "own\n");
    assert!(
        git(&project, &["config", "--list"])
            .lines()
            .all(|line| !line.starts_with("core.hookspath"))
    );
    let removed = project.json(&["hooks", "uninstall"]);
    assert_eq!(removed["removed"].as_array().unwrap().len(), 3);
    assert_eq!(project.read(".git/hooks/pre-commit"), own);
    assert!(!project.path(".git/hooks/post-merge").exists());
    assert!(!project.path(".git/hooks/pre-commit.before-bd").exists());
    assert!(
        project
            .ok(&["hooks", "uninstall"])
            .contains("No hooks of bd")
    );
}

#[test]
fn a_failing_hook_stops_the_commit_and_unsupported_hook_paths_are_refused() {
    let project = repository();
    project.ok(&["init", "--prefix", "bd", "--skip-hooks"]);
    write_hook(&project, "pre-commit", "#!/bin/sh\n");
    write_hook(&project, "pre-commit.before-bd", "#!/bin/sh\n");
    let error = project.fails(&["hooks", "install"]);
    assert!(error.contains("move one of them away"), "{error}");
    assert!(!project.path(".git/hooks/post-merge").exists());
    assert!(
        project
            .fails(&["hooks", "install", "--shared"])
            .contains("core.hooksPath")
    );
    assert!(
        project
            .fails(&["hooks", "run", "nosuch"])
            .contains("unknown hook")
    );
    project.ok(&["hook", "post-merge", "0"]);
    assert_eq!(Project::new().run(&["hooks", "install"]).code, 1);
}

/// Commits, checks out, merges and pulls as a colleague without bd does, and returns all output.
fn work_without_bd(project: &Project) -> String {
    let folder = project.dir();
    let parent = folder.parent().unwrap().to_owned();
    let tools = parent.join("tools");
    fs::create_dir_all(&tools).unwrap();
    for name in ["git", "sh", "env", "cat", "basename", "dirname"] {
        let found = ["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(name));
        let found = found.iter().find(|path| path.exists()).unwrap();
        std::os::unix::fs::symlink(found, tools.join(name)).ok();
    }
    let script = "set -e
        git clone -q work other && cd other
        if [ -d .husky ]; then git config core.hooksPath .husky; fi
        git checkout -q -b side
        echo '{\"id\":\"bd-1\",\"title\":\"One\"}' >> .beads/issues.jsonl
        git commit -qam Side
        git checkout -q main
        echo '{\"id\":\"bd-0\",\"title\":\"Zero\"}' > .beads/new.jsonl
        git add . && git commit -qm Main
        git merge -q -m Merge side
        git pull -q --no-rebase";
    let output = Command::new("sh")
        .args(["-c", script])
        .current_dir(&parent)
        .env_clear()
        .env("PATH", &tools)
        .env("HOME", &parent)
        .env("GIT_AUTHOR_NAME", "colleague")
        .env("GIT_AUTHOR_EMAIL", "c@example.com")
        .env("GIT_COMMITTER_NAME", "colleague")
        .env("GIT_COMMITTER_EMAIL", "c@example.com")
        .output()
        .unwrap();
    let text =
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{text}");
    text
}

/// A repository with hooks in its work tree, as husky 9 makes it.
fn husky() -> Project {
    let project = repository();
    project.write(".husky/pre-commit", "echo own >> ran\n");
    let path = project.path(".husky/pre-commit");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    git(&project, &["config", "core.hooksPath", ".husky"]);
    project.write(".gitignore", "ran\n");
    git(&project, &["add", "."]);
    git(&project, &["commit", "-qm", "Begin"]);
    project
}

#[test]
fn init_leaves_tracked_hook_scripts_unchanged_and_prints_the_line_to_add() {
    let project = husky();
    let ran = project.run(&["init", "--prefix", "bd"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(project.read(".husky/pre-commit"), "echo own >> ran\n");
    assert_eq!(fs::read_dir(project.path(".husky")).unwrap().count(), 1);
    assert_eq!(git(&project, &["status", "--short", "--", ".husky"]), "");
    for text in [
        "not installed, because git runs the hooks in .husky for everyone",
        "a commit takes the beads along only if you stage them",
        "add to .husky/pre-commit:",
        "if command -v bd >/dev/null 2>&1; then bd hook pre-commit",
        "bd hooks install --tracked",
    ] {
        assert!(ran.out.contains(text), "{text}: {}", ran.out);
    }
    assert!(ran.err.contains("Setting merge.beads in "), "{}", ran.err);
    let refused = project.fails(&["hooks", "install"]);
    assert!(refused.contains("for everyone"), "{refused}");
    git(&project, &["add", "."]);
    git(&project, &["commit", "-qm", "Beads"]);
    assert_eq!(work_without_bd(&project), "");
}

#[test]
fn a_tracked_hook_runs_bd_on_request_and_is_silent_without_bd() {
    let project = husky();
    let ran = project.run(&["init", "--prefix", "bd", "--tracked-hooks"]);
    assert!(ran.err.contains("Writing .husky/pre-commit"), "{}", ran.err);
    git(&project, &["add", "."]);
    git(&project, &["commit", "-qm", "Beads"]);
    let id = project.make("One", &[]);
    git(&project, &["commit", "-q", "--allow-empty", "-m", "More"]);
    let committed = git(&project, &["show", "HEAD:.beads/issues.jsonl"]);
    assert!(committed.contains(&id), "{committed}");
    assert_eq!(project.read("ran"), "own\nown\nown\n");
    assert_eq!(work_without_bd(&project), "");
    project.ok(&["hooks", "install", "--tracked"]);
    let script = project.read(".husky/pre-commit");
    assert_eq!(script.matches("bd hook").count(), 1, "{script}");
    project.ok(&["hooks", "uninstall"]);
    assert_eq!(project.read(".husky/pre-commit"), "echo own >> ran\n");
}

#[test]
fn hooks_of_lefthook_and_of_all_repositories_are_left_unchanged() {
    let project = repository();
    project.write("lefthook.yml", "pre-commit:\n  commands: {}\n");
    let out = project.ok(&["init", "--prefix", "bd"]);
    assert!(out.contains("add to lefthook.yml:"), "{out}");
    assert!(!project.path(".git/hooks/pre-commit").exists());
    let project = repository();
    let shared = project.dir().parent().unwrap().join("shared-hooks");
    fs::create_dir(&shared).unwrap();
    let path = shared.display().to_string();
    git(&project, &["config", "core.hooksPath", &path]);
    let out = project.ok(&["init", "--prefix", "bd"]);
    assert!(out.contains("for other repositories too"), "{out}");
    assert_eq!(fs::read_dir(&shared).unwrap().count(), 0);
}

#[test]
fn init_names_each_hook_before_it_changes_it() {
    let project = repository();
    write_hook(&project, "pre-commit", "#!/bin/sh\n");
    let ran = project.run(&["init", "--prefix", "bd"]);
    let lines = "Writing .git/hooks/pre-commit (your own hook moves to pre-commit.before-bd and runs first)\nWriting .git/hooks/post-merge\nWriting .git/hooks/post-checkout\n";
    assert!(ran.err.contains(lines), "{}", ran.err);
    git(&project, &["add", "."]);
    git(&project, &["commit", "-qm", "Beads"]);
    assert_eq!(work_without_bd(&project), "");
}
