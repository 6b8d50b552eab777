//! A worker that writes anything it can into its repository makes no command of the town run a
//! program, and reads and writes nothing outside of its sandbox.
//!
//! The keys are those of git's documentation that name a program or a path.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::json;
use town_tests::{Town, Worker};

/// Settings that name a program. `TRAP` is the program, `X` a driver that the attributes name.
const PROGRAM_KEYS: &[&str] = &[
    "alias.status=!TRAP",
    "browser.x.cmd=TRAP",
    "core.alternateRefsCommand=TRAP",
    "core.askPass=TRAP",
    "core.editor=TRAP",
    "core.fsmonitor=TRAP",
    "core.gitProxy=TRAP",
    "core.hooksPath=HOOKS",
    "core.pager=TRAP",
    "core.sshCommand=TRAP",
    "credential.helper=!TRAP",
    "diff.external=TRAP",
    "diff.x.command=TRAP",
    "diff.x.textconv=TRAP",
    "difftool.x.cmd=TRAP",
    "filter.x.clean=TRAP",
    "filter.x.process=TRAP",
    "filter.x.smudge=TRAP",
    "filter.lfs.process=TRAP",
    "gpg.program=TRAP",
    "gpg.ssh.program=TRAP",
    "interactive.diffFilter=TRAP",
    "merge.default=x",
    "merge.x.driver=TRAP",
    "mergetool.x.cmd=TRAP",
    "pager.status=TRAP",
    "protocol.ext.allow=always",
    "remote.origin.proxy=http://127.0.0.1:1",
    "remote.origin.receivepack=TRAP",
    "remote.origin.uploadpack=TRAP",
    "remote.origin.url=ext::TRAP",
    "remote.origin.vcs=trap",
    "sequence.editor=TRAP",
    "submodule.x.update=!TRAP",
    "tar.x.command=TRAP",
    "trailer.x.command=TRAP",
    "uploadpack.packObjectsHook=TRAP",
    "url.ext::TRAP.insteadOf=/",
];

/// Settings that name a path or change what git reads. `OUTSIDE` is a folder of the user.
const PATH_KEYS: &[&str] = &[
    "core.attributesFile=OUTSIDE/attributes",
    "core.excludesFile=OUTSIDE/excludes",
    "core.worktree=OUTSIDE",
    "commit.gpgsign=true",
    "commit.template=OUTSIDE/secret",
    "extensions.partialClone=origin",
    "extensions.worktreeConfig=true",
    "include.path=OUTSIDE/config",
    "includeIf.gitdir:/.path=OUTSIDE/config",
    "init.templateDir=OUTSIDE",
    "log.showSignature=true",
    "mailmap.file=OUTSIDE/secret",
    "blame.ignoreRevsFile=OUTSIDE/secret",
    "remote.origin.promisor=true",
    "status.submoduleSummary=true",
];

const HOOKS: [&str; 14] = [
    "applypatch-msg",
    "commit-msg",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-rewrite",
    "pre-auto-gc",
    "pre-commit",
    "pre-push",
    "pre-rebase",
    "prepare-commit-msg",
    "reference-transaction",
    "update",
];

/// A program that notes each of its runs, and a folder of the user that no one may touch.
struct Traps {
    program: PathBuf,
    runs: PathBuf,
    outside: PathBuf,
}

impl Traps {
    fn new(town: &Town) -> Self {
        let (program, runs) = (town.path("trap"), town.path("trapped"));
        let text = format!(
            "#!/bin/sh\nps -o args= -p $PPID >>'{}'\ncat\n",
            runs.display()
        );
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let outside = town.path("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("secret"), "secret\n").unwrap();
        let config = format!("[core]\n\tfsmonitor = {}\n", program.display());
        fs::write(outside.join("config"), config).unwrap();
        fs::write(outside.join("attributes"), "* filter=x\n").unwrap();
        fs::write(outside.join("excludes"), "*\n").unwrap();
        Self {
            program,
            runs,
            outside,
        }
    }

    /// Writes settings into a file of git's.
    fn write_settings(&self, town: &Town, file: &Path, settings: &[&str]) {
        for setting in settings {
            let (key, value) = setting.split_once('=').unwrap();
            let fill = |text: &str| {
                text.replace("TRAP", self.program.to_str().unwrap())
                    .replace("OUTSIDE", self.outside.to_str().unwrap())
                    .replace(
                        "HOOKS",
                        self.outside
                            .parent()
                            .unwrap()
                            .join("hooks")
                            .to_str()
                            .unwrap(),
                    )
            };
            let (key, value) = (fill(key), fill(value));
            let file = file.to_str().unwrap();
            let args = ["config", "-f", file, "--replace-all", &key, &value];
            town.git_at(Path::new("/"), args).ok();
        }
    }

    /// Plants programs in a repository that stays usable.
    fn plant_programs(&self, town: &Town, git: &Path) {
        self.write_settings(town, &git.join("config"), PROGRAM_KEYS);
        self.write_settings(town, &git.join("config.worktree"), PROGRAM_KEYS);
        for folder in [git.join("hooks"), town.path("hooks")] {
            fs::create_dir_all(&folder).unwrap();
            for hook in HOOKS {
                fs::copy(&self.program, folder.join(hook)).unwrap();
            }
        }
        let attributes = "* filter=x diff=x merge=x\n";
        fs::create_dir_all(git.join("info")).unwrap();
        fs::write(git.join("info/attributes"), attributes).unwrap();
    }

    /// Plants paths that lead out of a repository. Git itself may refuse the repository then.
    fn plant_paths(&self, town: &Town, git: &Path) {
        self.write_settings(town, &git.join("config"), PATH_KEYS);
        fs::write(git.join("info/grafts"), "junk\n").unwrap();
        let outside = format!("{}\n", self.outside.display());
        for name in ["commondir", "gitdir"] {
            fs::write(git.join(name), &outside).unwrap();
        }
        for name in ["FETCH_HEAD", "ORIG_HEAD", "COMMIT_EDITMSG", "MERGE_HEAD"] {
            fs::remove_file(git.join(name)).ok();
            symlink(self.outside.join("secret"), git.join(name)).unwrap();
        }
        let alternates = git.join("objects/info/alternates");
        let before = fs::read_to_string(&alternates).unwrap_or_else(|_| String::new());
        fs::write(&alternates, format!("{before}{outside}")).unwrap();
    }

    fn check(&self, what: &str) {
        let runs = fs::read_to_string(&self.runs).unwrap_or_else(|_| String::new());
        assert_eq!(runs, "", "{what}");
        let mut names: Vec<_> = fs::read_dir(&self.outside)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(
            names,
            ["attributes", "config", "excludes", "secret"],
            "{what}"
        );
        let secret = fs::read_to_string(self.outside.join("secret")).unwrap();
        assert_eq!(secret, "secret\n", "{what}");
    }
}

#[test]
fn nothing_that_a_worker_writes_into_its_repository_runs_in_a_command_of_the_town() {
    let mut worker = Worker::new();
    worker
        .town
        .set_rig_setting("web", "merge_queue", json!({ "test_command": "true" }));
    worker.commit_text(".gitattributes", "* filter=x diff=x merge=x\n");
    worker.commit_text("a.txt", "a\n");
    // A repository in the tree that the index has as a submodule.
    let inner = worker.sandbox.join("inner");
    let town = &worker.town;
    for args in [
        &["init", "-q"][..],
        &[
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@y",
            "commit",
            "-qm",
            "x",
            "--allow-empty",
        ],
    ] {
        fs::create_dir_all(&inner).unwrap();
        town.git_at(&inner, args.iter().copied()).ok();
    }
    worker.git(["add", "inner"]);
    fs::write(worker.sandbox.join("a.txt"), "changed\n").unwrap();
    fs::write(worker.sandbox.join("new.txt"), "new\n").unwrap();
    let traps = Traps::new(town);
    let name = worker.name.clone();
    let repositories = [worker.sandbox.join(".git"), inner.join(".git")];
    for git in &repositories {
        traps.plant_programs(town, git);
    }
    fs::remove_file(&traps.runs).ok();
    run_commands(&worker, &traps);
    for git in &repositories {
        traps.plant_paths(town, git);
    }
    fs::remove_file(&traps.runs).ok();
    run_commands(&worker, &traps);

    // The worker tidies up with its own hands, without git, and hands in.
    fs::write(worker.sandbox.join("a.txt"), "a\n").unwrap();
    fs::remove_file(worker.sandbox.join("new.txt")).unwrap();
    fs::remove_dir_all(&inner).unwrap();
    worker.hand_in();
    traps.check("gt done");
    let kept = town.gt(["rescue", "list", "--json"]).ok().json();
    for saved in kept.as_array().unwrap() {
        town.gt(["rescue", "show", saved["ref"].as_str().unwrap()])
            .run();
    }
    traps.check("rescue show");
    assert_eq!(worker.merge()["outcome"], "merged");
    traps.check("the first merge");
    town.patrol();
    town.quiet();
    let next = town.bead("web", "Next");
    town.gt(["sling", &next, &name]).ok();
    traps.check("sling");
    worker.git(["status"]);
    worker.git(["fetch", "-q", "origin"]);
    traps.check("git in the next worker's sandbox");
    worker.bead = next;
    worker.commit_text("b.txt", "b\n");
    worker.hand_in();
    assert_eq!(worker.merge()["outcome"], "merged");
    traps.check("merge");
    town_nuke(&worker);
    traps.check("nuke");
}

/// Runs commands that read the sandbox, and a `gt done` that refuses its files.
fn run_commands(worker: &Worker, traps: &Traps) {
    let (town, name) = (&worker.town, &worker.name);
    let backup = town.path("backup");
    for args in [
        &["status"][..],
        &["polecat", "status", name],
        &["polecat", "git-state", name],
        &["polecat", "check-recovery", name],
        &["polecat", "list", "--all"],
        &["why", name],
        &["doctor"],
        &["backup", backup.to_str().unwrap()],
        &["top", "--json"],
    ] {
        town.gt(args.iter().copied()).run();
        traps.check(&args.join(" "));
    }
    town.patrol();
    traps.check("patrol");
    worker.done(["--summary", "done"]).fails("a.txt");
    traps.check("a refused gt done");
}

fn town_nuke(worker: &Worker) {
    let town = &worker.town;
    town.gt(["polecat", "nuke", &worker.name, "--force"]).ok();
    assert!(!worker.sandbox.exists());
}
