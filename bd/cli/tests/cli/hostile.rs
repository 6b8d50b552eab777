//! Damaged files, unfinished merges, folders that cannot be written, a hostile environment.

use std::fs;

use std::process::Command;

use super::recorded_work::git;
use super::{Project, ids};

#[test]
fn a_damaged_line_is_reported_by_number_and_the_rest_works() {
    let project = Project::new();
    let id = project.make("T", &[]);
    let good = project.read(".beads/issues.jsonl");
    let broken = "{\"id\":\"bd-b\",\"title\":\"cut o";
    project.write(".beads/issues.jsonl", &format!("{broken}\n{good}"));
    let ran = project.run(&["list", "--json"]);
    assert_eq!(ids(&serde_json::from_str(&ran.out).unwrap()), [id.as_str()]);
    assert!(ran.err.contains("issues.jsonl, line 1:"), "{}", ran.err);
    let wrote = project.run(&["update", &id, "-p", "0"]);
    assert_eq!(wrote.code, 0);
    assert!(
        wrote.err.contains("line 1") && wrote.err.contains("damaged"),
        "{}",
        wrote.err
    );
    let kept = fs::read_dir(project.path(".beads/damaged"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    assert_eq!(fs::read_to_string(kept.path()).unwrap().trim_end(), broken);
    assert!(project.run(&["list"]).err.is_empty());
}

#[test]
fn an_unfinished_merge_is_reported_and_left_unchanged() {
    let project = Project::new();
    let id = project.make("T", &[]);
    let text = format!(
        "{}<<<<<<< HEAD\n=======\n>>>>>>> theirs\n",
        project.read(".beads/issues.jsonl")
    );
    project.write(".beads/issues.jsonl", &text);
    let error = project.fails(&["update", &id, "-p", "0"]);
    assert!(
        error.contains("line 2") && error.contains("editor"),
        "{error}"
    );
    assert_eq!(project.read(".beads/issues.jsonl"), text);
    assert!(project.ok(&["list"]).contains(&id));
    let told = project.run(&["doctor"]).out;
    assert!(
        told.contains("in an editor: keep what you want") && !told.contains("--fix brings back"),
        "{told}"
    );
    // No git has two sides of it.
    project.fails(&["merge", "--unmerged"]);
    assert_eq!(project.read(".beads/issues.jsonl"), text);
}

#[test]
fn a_read_only_folder_is_named() {
    let project = Project::empty();
    project.write(".beads", "a file where the folder would go");
    let error = project.fails(&["init"]);
    assert!(error.contains(".beads"), "{error}");
    let project = Project::new();
    fs::remove_file(project.path(".beads/.lock")).ok();
    fs::create_dir(project.path(".beads/.lock")).unwrap();
    let error = project.fails(&["create", "T"]);
    assert!(
        error.contains("cannot lock") && error.contains(".lock"),
        "{error}"
    );
    assert_eq!(project.ok(&["list", "--json"]), "[]\n");
}

#[test]
fn a_deleted_working_directory_is_tolerated() {
    let project = Project::new();
    let gone = project.path("gone");
    fs::create_dir(&gone).unwrap();
    let script = format!(
        "cd {0} && rmdir {0} && {1} version",
        gone.display(),
        env!("CARGO_BIN_EXE_bd")
    );
    let done = std::process::Command::new("sh")
        .args(["-c", &script])
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
}

#[test]
fn a_very_long_description_is_kept_in_full() {
    let project = Project::new();
    let text = "x".repeat(500_000);
    project.write("long.txt", &text);
    let id = project.make("T", &["--body-file", "long.txt"]);
    assert_eq!(
        project.shown(&id)["description"].as_str().unwrap().len(),
        500_000
    );
}

#[test]
fn unknown_keys_survive_an_update() {
    let project = Project::new();
    project.write(".beads/issues.jsonl", "{\"id\":\"bd-1\",\"title\":\"T\",\"priority\":2,\"created_at\":\"2026-03-01T09:15:30.120-08:00\",\"updated_at\":\"2026-03-01T09:15:30-08:00\",\"x_num\":1e5,\"x_obj\":{\"b\": 1.10, \"a\":123456789012345678901234567890}}\n");
    project.ok(&["update", "bd-1", "-p", "0"]);
    let after = project.read(".beads/issues.jsonl");
    assert!(
        after.contains(
            "\"x_num\":1e5,\"x_obj\":{\"b\": 1.10, \"a\":123456789012345678901234567890}"
        ),
        "{after}"
    );
    assert!(after.contains("2026-03-01T09:15:30.120-08:00"), "{after}");
}

#[test]
fn unusual_environment_variables_are_harmless() {
    let project = Project::new();
    let env = [
        ("BEADS_DIR", ""),
        ("BD_DB", ""),
        ("BD_NOW", "not a time"),
        ("COLUMNS", "0"),
        ("TERM", "dumb"),
        ("GIT_DIR", "/nowhere"),
        ("NO_COLOR", "1"),
        ("BEADS_NO_DAEMON", "1"),
    ];
    let ran = project.run_with(&env, &["create", "T", "--silent"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("bd-"));
}

#[test]
fn local_files_stay_out_of_git_in_a_project_of_another_client() {
    let project = Project::empty();
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        let done = command
            .args(args)
            .current_dir(project.dir())
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
        String::from_utf8(done.stdout).unwrap()
    };
    git(&["init", "-q", "."]);
    project.write(".beads/.gitignore", "*.db\n");
    project.write(
        ".beads/issues.jsonl",
        "{\"id\":\"old-1\",\"title\":\"Old\",\"priority\":1}\n",
    );
    project.make("New", &[]);
    project.make("Wisp", &["--ephemeral"]);
    git(&["add", "-A"]);
    let tracked = git(&["ls-files"]);
    assert_eq!(tracked, ".beads/.gitignore\n.beads/issues.jsonl\n");
}

#[test]
fn an_emptied_issues_file_is_reported_even_if_others_created_the_beads() {
    let project = Project::empty();
    project.write(
        ".beads/issues.jsonl",
        "{\"id\":\"bd-a1b\",\"title\":\"T\"}\n",
    );
    project.ok(&["create", "Own"]);
    project.write(".beads/issues.jsonl", "");
    let told = project.run(&["list"]).err;
    assert!(
        told.contains("was rolled back") && told.contains("bd-a1b"),
        "{told}"
    );
}

/// Names that a store opens in its folder.
const STORE_ENTRIES: [&str; 19] = [
    "issues.jsonl",
    "journal.jsonl",
    "wisps.jsonl",
    "config.yaml",
    "config.local.yaml",
    "metadata.json",
    "events.local.jsonl",
    "interactions.jsonl",
    "routes.jsonl",
    "rollback.jsonl",
    "index.bin",
    "issues.kept",
    "issues.found",
    "beads.db",
    "last-touched",
    ".local_version",
    "events",
    "archive",
    "damaged",
];

#[test]
fn a_link_in_the_beads_folder_is_refused_and_its_target_stays() {
    for name in STORE_ENTRIES {
        let project = Project::new();
        project.make("T", &[]);
        let entry = project.path(&format!(".beads/{name}"));
        if entry.is_dir() {
            fs::remove_dir_all(&entry).unwrap();
        } else {
            fs::remove_file(&entry).ok();
        }
        project.write("bashrc", "alias ll='ls -l'\n");
        fs::create_dir(project.path("folder")).unwrap();
        let target = match name {
            "events" | "archive" | "damaged" => "folder",
            _ => "bashrc",
        };
        std::os::unix::fs::symlink(project.path(target), &entry).unwrap();
        for args in [
            &["list"][..],
            &["create", "U"],
            &["config", "set", "a.b", "c"],
        ] {
            let error = project.run(args);
            // The settings have a file of their own.
            if args[0] != "config" || name.starts_with("config") {
                assert_eq!(error.code, 1, "{name} {args:?}: {}", error.out);
                assert!(
                    error.err.contains(&format!("/.beads/{name}"))
                        && error
                            .err
                            .contains("it is a symbolic link, not a regular file"),
                    "{name} {args:?}: {}",
                    error.err
                );
            }
        }
        assert_eq!(project.read("bashrc"), "alias ll='ls -l'\n", "{name}");
        assert_eq!(fs::read_dir(project.path("folder")).unwrap().count(), 0);
    }
}

#[test]
fn a_pipe_or_device_in_the_beads_folder_is_refused_without_waiting() {
    for name in STORE_ENTRIES {
        let project = Project::new();
        let entry = project.path(&format!(".beads/{name}"));
        fs::remove_file(&entry).ok();
        if entry.exists() {
            continue;
        }
        let made = Command::new("mkfifo").arg(&entry).status().unwrap();
        assert!(made.success());
        let error = project.fails(&["list"]);
        assert!(
            error.contains("it is a pipe, not a regular file"),
            "{name}: {error}"
        );
        fs::remove_file(&entry).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &entry).unwrap();
        project.fails(&["list"]);
    }
}

#[test]
fn a_beads_folder_may_be_a_link_unless_the_repository_tracks_it() {
    let project = Project::empty();
    git(&project, &["init", "-q"]);
    fs::create_dir(project.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink("elsewhere", project.path(".beads")).unwrap();
    project.ok(&["init", "-p", "bd"]);
    let id = project.make("T", &[]);
    assert!(project.read("elsewhere/issues.jsonl").contains(&id));
    git(&project, &["add", "-f", ".beads"]);
    let error = project.fails(&["list"]);
    assert!(
        error.contains("it is a symbolic link that the repository tracks"),
        "{error}"
    );
}

/// Runs `bd` with its standard output on a device that is full.
fn fails_on_full_device(project: &Project, args: &[&str]) -> String {
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let out = project
        .command(&project.dir(), args)
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(1), "{args:?}");
    String::from_utf8(out.stderr).unwrap()
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let project = Project::new();
    let id = project.make("T", &[]);
    for args in [
        &["export"][..],
        &["list"],
        &["show", &id, "--json"],
        &["--version"],
        &["--help"],
        &["list", "--help"],
        &["create", "U", "--silent"],
    ] {
        let error = fails_on_full_device(&project, args);
        assert!(
            error.contains("cannot write to standard output: No space left on device"),
            "{args:?}: {error}"
        );
    }
}

#[test]
fn an_export_writes_into_pipes_and_devices_and_through_links() {
    let project = Project::new();
    let id = project.make("T", &[]);
    assert!(project.ok(&["export", "-o", "-"]).contains(&id));
    assert!(!project.path("-").exists());
    project.ok(&["export", "-o", "/dev/null"]);
    let error = project.fails(&["export", "-o", "/dev/full"]);
    assert!(error.contains("cannot write /dev/full"), "{error}");
    assert!(!fs::metadata("/dev/full").unwrap().is_file());
    project.write("target", "");
    std::os::unix::fs::symlink("target", project.path("link")).unwrap();
    project.ok(&["export", "-o", "link"]);
    assert!(project.path("link").is_symlink());
    assert!(project.read("target").contains(&id));
    let pipe = project.path("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let reader = Command::new("cat")
        .arg(&pipe)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    project.ok(&["export", "-o", "pipe"]);
    let read = reader.wait_with_output().unwrap();
    assert!(String::from_utf8(read.stdout).unwrap().contains(&id));
    assert!(!fs::symlink_metadata(&pipe).unwrap().is_file());
}

#[test]
fn init_does_not_write_through_a_tracked_link() {
    let project = Project::empty();
    git(&project, &["init", "-q"]);
    project.write("private/config.yaml", "theme: dark\n");
    std::os::unix::fs::symlink("private", project.path(".beads")).unwrap();
    git(&project, &["add", "-f", ".beads"]);
    let error = project.fails(&["init", "-p", "bd"]);
    assert!(error.contains("that the repository tracks"), "{error}");
    assert_eq!(project.read("private/config.yaml"), "theme: dark\n");
    assert_eq!(fs::read_dir(project.path("private")).unwrap().count(), 1);
}

#[test]
fn links_that_no_store_opens_are_left_alone() {
    let project = Project::new();
    for name in [".#issues.jsonl", "notes.md", "formulas"] {
        let link = project.path(&format!(".beads/{name}"));
        std::os::unix::fs::symlink("nowhere", link).unwrap();
    }
    project.make("T", &[]);
}

#[test]
fn a_mail_command_that_comes_with_the_repository_does_not_run() {
    let project = Project::new();
    let refused = project.fails(&["config", "set", "mail.delegate", "touch owned"]);
    assert!(refused.contains("BD_MAIL_DELEGATE"), "{refused}");
    project.write(".beads/config.local.yaml", "mail.delegate: touch owned\n");
    let error = project.fails(&["mail", "inbox"]);
    assert!(error.contains("comes with the repository"), "{error}");
    assert!(!project.path("owned").exists());
    project.write_user_settings("mail.delegate: touch owned\n");
    project.ok(&["mail", "inbox"]);
    assert!(project.path("owned").exists());
}
