//! `bd uninstall`: the repository is as it was before `bd init`, apart from the beads.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::Project;

fn git(project: &Project, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(args)
        .current_dir(project.dir())
        .env("HOME", project.dir().parent().unwrap())
        .env("GIT_AUTHOR_NAME", "t")
        .env("GIT_AUTHOR_EMAIL", "t@example.com")
        .env("GIT_COMMITTER_NAME", "t")
        .env("GIT_COMMITTER_EMAIL", "t@example.com")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The files of the work tree, and those of git that people and programs edit.
fn files(project: &Project) -> BTreeMap<String, Vec<u8>> {
    fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if [".beads", ".git/objects", ".git/logs", ".git/refs"].contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                files.insert(format!("{name}/"), Vec::new());
                collect(root, &path, files);
            } else {
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    let mut all = BTreeMap::new();
    collect(&project.dir(), &project.dir(), &mut all);
    all.remove(".git/index");
    all
}

fn repository() -> Project {
    let project = Project::empty();
    git(&project, &["init", "-q", "-b", "main"]);
    project
}

#[test]
fn uninstall_restores_the_repository_byte_for_byte() {
    let project = repository();
    project.write(".git/info/exclude", "# own");
    project.write(".git/info/attributes", "*.bin binary");
    project.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n");
    project.write("CLAUDE.md", "@AGENTS.md");
    project.write("AGENTS.md", "# Rules\n\nBe kind.");
    project.write(".aider.conf.yml", "model: x\n");
    git(&project, &["config", "merge.conflictStyle", "diff3"]);
    let before = files(&project);
    project.ok(&["init", "--prefix", "bd"]);
    project.make("One", &[]);
    for args in [
        &["setup", "codex"][..],
        &["setup", "cursor"],
        &["setup", "aider"],
        &["setup", "claude", "--project"],
        &["setup", "junie"],
    ] {
        project.ok(args);
    }
    project.ok(&["merge", "--install"]);
    assert_ne!(files(&project), before);
    let out = project.ok(&["uninstall"]);
    assert_eq!(files(&project), before);
    let stays = format!(
        "{} with 1 bead stays; remove it with: bd uninstall --beads",
        project.path(".beads").display()
    );
    assert!(out.contains(&stays), "{out}");
    assert!(out.contains("git hook pre-commit"), "{out}");
    // Everything comes back, and goes again.
    project.ok(&["init", "--force"]);
    project.ok(&["uninstall"]);
    assert_eq!(files(&project), before);
    let again = project.ok(&["uninstall"]);
    assert!(again.contains("Nothing of bd is installed"), "{again}");
}

#[test]
fn an_edited_hook_is_named_and_stays() {
    let project = repository();
    project.ok(&["init", "--prefix", "bd"]);
    let path = ".git/hooks/pre-commit";
    let edited = project.read(path).replace("exec bd", "make check\nexec bd");
    fs::write(project.path(path), &edited).unwrap();
    let report = project.json(&["uninstall"]);
    assert_eq!(report["edited"].as_array().unwrap().len(), 1, "{report}");
    assert_eq!(project.read(path), edited);
    assert!(!project.path(".git/hooks/post-merge").exists());
}

#[test]
fn beads_in_no_commit_are_removed_only_with_force() {
    let project = repository();
    project.ok(&["init", "--prefix", "bd"]);
    project.make("One", &[]);
    project.make("Two", &[]);
    let error = project.fails(&["uninstall", "--beads"]);
    assert!(error.contains("2 beads of "), "{error}");
    assert!(error.contains("would be lost"), "{error}");
    assert!(project.path(".git/hooks/pre-commit").exists());
    git(&project, &["add", "."]);
    git(&project, &["commit", "-qm", "Beads", "--no-verify"]);
    project.make("Three", &[]);
    let error = project.fails(&["uninstall", "--beads"]);
    assert!(error.contains("1 bead of "), "{error}");
    let report = project.json(&["uninstall", "--beads", "--force"]);
    assert_eq!(report["uncommitted"], 1, "{report}");
    assert!(!project.path(".beads").exists());
    assert!(git(&project, &["status", "--short"]).contains(" D .beads/issues.jsonl"));
}

#[test]
fn committed_beads_are_removed_and_git_is_named_for_the_rest() {
    let project = repository();
    project.ok(&["init", "--prefix", "bd"]);
    project.ok(&["setup", "codex"]);
    project.make("One", &[]);
    git(&project, &["add", "."]);
    git(&project, &["commit", "-qm", "Beads", "--no-verify"]);
    let out = project.ok(&["uninstall", "--beads"]);
    assert!(
        out.contains("Commit their removal:\n  git add -A -- "),
        "{out}"
    );
    assert!(out.contains("AGENTS.md"), "{out}");
    assert!(!project.path(".beads").exists());
    assert_eq!(
        git(&project, &["status", "--short", "AGENTS.md"]),
        " D AGENTS.md\n"
    );
}

#[test]
fn files_of_the_user_that_no_commit_has_are_not_removed() {
    let project = repository();
    project.ok(&["init", "--prefix", "web"]);
    project.write(".beads/formulas/a.toml", "a");
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-qm", "beads"]);
    project.write(".beads/formulas/b.toml", "b");
    let refused = project.fails(&["uninstall", "--beads"]);
    assert!(refused.contains("formulas/b.toml"), "{refused}");
    assert!(!refused.contains("a.toml"), "{refused}");
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-qm", "more"]);
    project.write(".beads/formulas/a.toml", "changed");
    let refused = project.fails(&["uninstall", "--beads"]);
    assert!(refused.contains("formulas/a.toml"), "{refused}");
    assert!(project.dir().join(".beads/formulas/b.toml").is_file());
}
