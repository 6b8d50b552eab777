//! `bd hooks`: git runs them, and what was there before comes back byte for byte.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::Project;

/// Runs git as a user would, with bd on the path.
fn git(project: &Project, args: &[&str]) -> String {
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
