mod combine;
mod saving;
mod separate;
mod user;

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// A temporary folder with its own home and git configuration.
struct TestPlace {
    root: tempfile::TempDir,
}

impl TestPlace {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::write(
            root.path().join("gitconfig"),
            "[user]\nname = Tess\nemail = tess@example.org\n[init]\ndefaultBranch = main\n",
        )
        .unwrap();
        Self { root }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn git(&self, name: &str) -> Git {
        Git::at(self.path(name))
            .with_env("HOME", self.root.path())
            .with_env("GIT_CONFIG_GLOBAL", self.path("gitconfig"))
            .with_env("GIT_CONFIG_NOSYSTEM", "1")
    }

    /// Creates a work tree with one commit, and the bare origin that it was pushed to.
    fn with_origin(&self) -> (Git, Git) {
        let (origin, work) = (self.git("origin.git"), self.git("work"));
        origin.init("main", true).unwrap();
        work.init("main", false).unwrap();
        work.add_origin(&self.path("origin.git").to_string_lossy())
            .unwrap();
        commit_file(&work, "README", "hello\n");
        let tip = head_commit(&work);
        work.push("origin", &tip, "main", PushLease::Absent, true)
            .unwrap();
        work.fetch("origin").unwrap();
        (origin, work)
    }
}

fn commit_file(git: &Git, file: &str, text: &str) -> String {
    let path = git.folder().join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    git.add_all().unwrap();
    git.commit_index(&format!("Write {file}\n\nbody")).unwrap()
}

fn head_commit(git: &Git) -> String {
    git.resolve("HEAD").unwrap().unwrap()
}

fn write_file(git: &Git, file: &str, text: &str) {
    fs::write(git.folder().join(file), text).unwrap();
}

fn read_file(git: &Git, file: &str) -> String {
    fs::read_to_string(git.folder().join(file)).unwrap()
}

fn write_hook(folder: &Path, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    let hooks = folder.join("hooks");
    fs::create_dir_all(&hooks).unwrap();
    let path = hooks.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn test_identity() -> Identity {
    Identity {
        name: "Tess".to_owned(),
        email: "tess@example.org".to_owned(),
    }
}

#[test]
fn a_folder_that_is_not_a_repository_is_reported() {
    let place = TestPlace::new();
    fs::create_dir(place.path("plain")).unwrap();
    for name in ["plain", "missing"] {
        let error = place.git(name).head_branch().unwrap_err();
        assert!(matches!(error, GitError::NotARepository { .. }), "{error}");
        let error = place.git(name).status().unwrap_err();
        assert!(matches!(error, GitError::NotARepository { .. }), "{error}");
    }
}

#[test]
fn an_empty_repository_has_a_branch_but_no_commit() {
    let place = TestPlace::new();
    let git = place.git("new");
    git.init("trunk", false).unwrap();
    assert_eq!(git.head_branch().unwrap().as_deref(), Some("trunk"));
    assert_eq!(git.resolve("HEAD").unwrap(), None);
    assert_eq!(git.default_branch().unwrap().as_deref(), Some("trunk"));
}

#[test]
fn history_is_read() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    let first = head_commit(&work);
    work.switch_new_branch("topic", &first).unwrap();
    let second = commit_file(&work, "src/a b.txt", "one\n");
    let third = commit_file(&work, "ü.txt", "two\n");
    assert!(work.is_ancestor(&first, &third).unwrap());
    assert!(work.is_ancestor(&third, &third).unwrap());
    assert!(!work.is_ancestor(&third, &first).unwrap());
    assert_eq!(
        work.merge_base("main", "topic").unwrap(),
        Some(first.clone())
    );
    let commits = work.commits("main", "topic").unwrap();
    let ids: Vec<_> = commits.iter().map(|commit| commit.id.clone()).collect();
    assert_eq!(ids, [third, second]);
    assert_eq!(commits[1].subject, "Write src/a b.txt");
    assert_eq!(commits[1].author_email, "tess@example.org");
    assert_eq!(
        work.changed_files("main", "topic").unwrap(),
        ["src/a b.txt", "ü.txt"]
    );
    assert_eq!(work.branches("*").unwrap(), ["main", "topic"]);
    work.checkout_detach(&first).unwrap();
    assert_eq!(work.head_branch().unwrap(), None);
}

#[test]
fn the_git_command_answers_if_libgit2_cannot_open_a_repository() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    let first = head_commit(&work);
    let second = commit_file(&work, "a", "a\n");
    work.config_set("core.repositoryformatversion", "1")
        .unwrap();
    work.config_set("extensions.partialClone", "origin")
        .unwrap();
    assert!(git2::Repository::open(work.folder()).is_err());
    assert_eq!(work.head_branch().unwrap().as_deref(), Some("main"));
    assert_eq!(work.resolve("HEAD").unwrap(), Some(second.clone()));
    assert_eq!(work.resolve("nothing").unwrap(), None);
    assert!(work.is_ancestor(&first, &second).unwrap());
    assert!(!work.is_ancestor(&second, &first).unwrap());
    assert_eq!(
        work.merge_base(&first, &second).unwrap(),
        Some(first.clone())
    );
}

#[test]
fn status_distinguishes_staged_unstaged_and_untracked_files() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    commit_file(&work, "kept.jsonl", "1\n");
    write_file(&work, "README", "changed\n");
    write_file(&work, "staged", "s\n");
    work.plumbing(["add", "staged"]).finish_checked().unwrap();
    write_file(&work, "new file", "n\n");
    work.set_skip_worktree(&["kept.jsonl"]).unwrap();
    write_file(&work, "kept.jsonl", "2\n");
    work.exclude("ignored").unwrap();
    work.exclude("ignored").unwrap();
    write_file(&work, "ignored", "i\n");
    let status: Vec<_> = work
        .status()
        .unwrap()
        .into_iter()
        .map(|change| (change.display_path(), change.kind))
        .collect();
    assert_eq!(
        status,
        [
            ("README".to_owned(), ChangeKind::Unstaged),
            ("staged".to_owned(), ChangeKind::Staged),
            ("new file".to_owned(), ChangeKind::Untracked),
        ]
    );
    let exclude = fs::read_to_string(work.folder().join(".git/info/exclude")).unwrap();
    assert_eq!(exclude.matches("ignored\n").count(), 1);
}

#[test]
fn a_push_is_verified_and_respects_its_lease() {
    let place = TestPlace::new();
    let (origin, work) = place.with_origin();
    let seen = head_commit(&work);
    let next = commit_file(&work, "a", "a\n");
    work.push("origin", &next, "main", PushLease::At(&seen), false)
        .unwrap();
    assert_eq!(
        work.ls_remote("origin", "main").unwrap(),
        Some(next.clone())
    );
    assert_eq!(work.ls_remote("origin", "none").unwrap(), None);
    // A push of the current tip needs no lease, so repeating a push is safe.
    work.push("origin", &next, "main", PushLease::Absent, false)
        .unwrap();
    let other = work
        .commit_tree(
            &format!("{next}^{{tree}}"),
            &[&seen],
            "other",
            &test_identity(),
        )
        .unwrap();
    let stale = work.push("origin", &other, "main", PushLease::At(&seen), false);
    assert!(matches!(stale, Err(PushError::Refused(PushRefusal::Stale))));
    let slow = work.push("origin", &other, "main", PushLease::FastForward, false);
    assert!(matches!(slow, Err(PushError::Refused(PushRefusal::Stale))));
    assert_eq!(origin.resolve("main").unwrap(), Some(next.clone()));
    work.push("origin", &next, "gone", PushLease::Absent, false)
        .unwrap();
    let wrong = work.delete_remote_branch("origin", "gone", &seen);
    assert!(matches!(wrong, Err(PushError::Refused(PushRefusal::Stale))));
    work.delete_remote_branch("origin", "gone", &next).unwrap();
    assert_eq!(work.ls_remote("origin", "gone").unwrap(), None);
}

#[test]
fn branches_are_deleted_in_one_push_and_a_failed_one_keeps_none() {
    let place = TestPlace::new();
    let (origin, work) = place.with_origin();
    let tip = commit_file(&work, "a", "a\n");
    let wrong = work.resolve("HEAD~1").unwrap().unwrap();
    let delete = |hook: &str| {
        for branch in ["one", "two", "moved"] {
            work.push("origin", &tip, branch, PushLease::Absent, false)
                .unwrap();
        }
        write_hook(origin.folder(), "pre-receive", hook);
        let [one, two] = ["one", "two"].map(|name| RemoteBranch { name, tip: &tip });
        let [moved, gone] = ["moved", "gone"].map(|name| RemoteBranch { name, tip: &wrong });
        work.delete_remote_branches("origin", &[moved, one, gone, two])
            .unwrap_err();
        ["one", "two", "moved"].map(|name| origin.resolve(name).unwrap().is_some())
    };
    let pushes = place.path("pushes");
    let count = format!("echo >> {}", pushes.display());
    assert_eq!(delete(&count), [false, false, true]);
    assert_eq!(fs::read_to_string(&pushes).unwrap(), "\n");
    write_hook(origin.folder(), "pre-receive", "exit 0");
    let refuse = "[ $(wc -l) = 1 ] || { echo one at a time >&2; exit 1; }";
    assert_eq!(delete(refuse), [false, false, true]);
}

#[test]
fn a_refusal_of_the_remote_is_quoted() {
    let place = TestPlace::new();
    let (origin, work) = place.with_origin();
    let next = commit_file(&work, "a", "a\n");
    write_hook(
        origin.folder(),
        "pre-receive",
        "echo main is protected >&2; exit 1",
    );
    let declined = work
        .push("origin", &next, "main", PushLease::FastForward, false)
        .unwrap_err();
    let PushError::Refused(PushRefusal::Declined(text)) = declined else {
        panic!("{declined:?}");
    };
    assert!(text.contains("main is protected"), "{text}");
}

#[test]
fn local_hooks_run_only_on_request() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    let next = commit_file(&work, "a", "a\n");
    write_hook(
        &work.folder().join(".git"),
        "pre-push",
        "echo tests fail >&2; exit 1",
    );
    let declined = work
        .push("origin", &next, "main", PushLease::FastForward, true)
        .unwrap_err();
    let PushError::Refused(PushRefusal::Declined(text)) = declined else {
        panic!("{declined:?}");
    };
    assert!(text.contains("tests fail"), "{text}");
    work.push("origin", &next, "main", PushLease::FastForward, false)
        .unwrap();
}

#[test]
fn an_unreachable_remote_is_distinguished_from_a_refusal() {
    let place = TestPlace::new();
    let (origin, work) = place.with_origin();
    let next = commit_file(&work, "a", "a\n");
    fs::remove_dir_all(origin.folder()).unwrap();
    let away = work.push("origin", &next, "main", PushLease::FastForward, false);
    assert!(
        matches!(away, Err(PushError::Refused(PushRefusal::Unreachable(_)))),
        "{away:?}"
    );
}

#[test]
fn the_url_of_a_remote_is_the_one_that_the_git_command_reads() {
    let folder = tempfile::tempdir().unwrap();
    let git = Git::at(folder.path());
    assert_eq!(git.remote_url("origin").unwrap(), None, "no repository");
    git.plumbing(["init", "-q"]).run().unwrap();
    assert_eq!(git.remote_url("origin").unwrap(), None);
    let included = folder.path().join("included");
    std::fs::write(&included, "[remote \"fork\"]\n\turl = /fork\n").unwrap();
    let add = |key: &str, value: &str| git.plumbing(["config", "--add", key, value]).run().unwrap();
    add("remote.origin.url", "/first");
    add("remote.origin.url", "/second one");
    add("remote.a.b/c.url", "");
    add("url./real/.insteadOf", "/second");
    add("include.path", &included.to_string_lossy());
    for (remote, url) in [
        ("origin", Some("/second one")),
        ("fork", Some("/fork")),
        ("a.b/c", Some("")),
        ("none", None),
    ] {
        let by_command = git.config_get(&format!("remote.{remote}.url")).unwrap();
        assert_eq!(by_command.as_deref(), url, "{remote}");
        assert_eq!(git.remote_url(remote).unwrap(), by_command, "{remote}");
    }
}

#[test]
fn a_bare_clone_keeps_remote_branches_separate_and_finds_the_default() {
    let place = TestPlace::new();
    let (origin, work) = place.with_origin();
    origin
        .plumbing(["branch", "trunk", "main"])
        .finish_checked()
        .unwrap();
    origin
        .plumbing(["symbolic-ref", "HEAD", "refs/heads/trunk"])
        .finish_checked()
        .unwrap();
    let bare = place.git("rig/.repo.git");
    let url = place.path("origin.git").to_string_lossy().into_owned();
    bare.clone_bare(&url).unwrap();
    assert!(bare.is_bare().unwrap());
    assert_eq!(bare.default_branch().unwrap().as_deref(), Some("trunk"));
    assert_eq!(bare.branches("*").unwrap(), Vec::<String>::new());
    assert_eq!(bare.remote_url("origin").unwrap(), Some(url.clone()));
    assert_eq!(
        bare.config_get("remote.origin.fetch").unwrap().as_deref(),
        Some("+refs/heads/*:refs/remotes/origin/*")
    );
    let tree = place.path("rig/polecats/a");
    bare.worktree_add(&tree, "polecat/a", "origin/trunk")
        .unwrap();
    let listed = bare.worktree_list().unwrap();
    assert_eq!(listed.len(), 2);
    assert!(listed[0].bare);
    assert_eq!(listed[1].branch.as_deref(), Some("polecat/a"));
    assert_eq!(listed[1].head, Some(head_commit(&work)));
    fs::write(tree.join("dirt"), "x").unwrap();
    assert!(bare.worktree_remove(&tree, false).is_err());
    bare.worktree_remove(&tree, true).unwrap();
    assert_eq!(bare.worktree_list().unwrap().len(), 1);
    let failed = place.git("rig/other.git");
    assert!(
        failed
            .clone_bare(&place.path("nowhere").to_string_lossy())
            .is_err()
    );
    assert!(!failed.folder().exists());
}

#[test]
fn a_ref_is_updated_only_from_its_expected_value() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    let first = head_commit(&work);
    let second = commit_file(&work, "a", "a\n");
    work.update_ref("refs/gt/x", &first, None).unwrap();
    assert!(work.update_ref("refs/gt/x", &second, None).is_err());
    assert!(
        work.update_ref("refs/gt/x", &second, Some(&second))
            .is_err()
    );
    work.update_ref("refs/gt/x", &second, Some(&first)).unwrap();
    assert!(work.delete_ref("refs/gt/x", &first).is_err());
    work.delete_ref("refs/gt/x", &second).unwrap();
    assert_eq!(work.resolve("refs/gt/x").unwrap(), None);
}

#[test]
fn stashes_belong_to_the_branch_in_their_message() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    write_file(&work, "README", "dirty\n");
    work.plumbing(["stash", "push", "-m", "keep this"])
        .finish_checked()
        .unwrap();
    let mine = work.stashes_on_branch("main").unwrap();
    assert_eq!(mine.len(), 1);
    assert_eq!(mine[0].name, "stash@{0}");
    assert_eq!(mine[0].message, "On main: keep this");
    assert!(work.stashes_on_branch("mai").unwrap().is_empty());
}

#[test]
fn files_of_lfs_are_detected_in_any_folder() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    assert!(!work.uses_lfs("HEAD").unwrap());
    commit_file(&work, "media/.gitattributes", "*.png filter=lfs diff=lfs\n");
    assert!(work.uses_lfs("HEAD").unwrap());
}

#[test]
fn a_repository_without_origin_starts_empty_or_as_a_copy() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    work.plumbing(["tag", "v1"]).finish_checked().unwrap();
    let copy = place.git("a/.repo.git");
    copy.import_bare(Some(work.folder()), "main", &test_identity())
        .unwrap();
    assert_eq!(copy.resolve("main").unwrap(), work.resolve("HEAD").unwrap());
    assert!(copy.resolve("v1").unwrap().is_some());
    assert!(copy.remotes().unwrap().is_empty());
    let fresh = place.git("b/.repo.git");
    fresh.import_bare(None, "trunk", &test_identity()).unwrap();
    assert_eq!(fresh.default_branch().unwrap().as_deref(), Some("trunk"));
    assert!(fresh.resolve("trunk").unwrap().is_some());
    let tree = place.git("b/tree");
    let url = fresh.folder().to_string_lossy().into_owned();
    tree.clone_tree(&url, Some("trunk"), Some(copy.folder()))
        .unwrap();
    assert_eq!(head_commit(&tree), fresh.resolve("trunk").unwrap().unwrap());
    assert!(tree.clone_tree(&url, None, None).is_err());
}

#[test]
fn a_tree_with_a_foreign_folder_can_be_built_in_a_bare_repository() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    let before = head_commit(&work);
    commit_file(&work, ".beads/issues.jsonl", "1\n");
    let earlier = commit_file(&work, ".beads/kept", "k\n");
    commit_file(&work, ".beads/issues.jsonl", "2\n");
    commit_file(&work, ".beads/more", "m\n");
    let tip = commit_file(&work, "code", "c\n");
    let bare = place.git("copy.git");
    bare.import_bare(Some(work.folder()), "main", &test_identity())
        .unwrap();
    let names = |tree: &str| {
        let call = bare.plumbing(["ls-tree", "-r", "-z", "--name-only", tree]);
        call.records().unwrap()
    };
    let tree = bare.tree_with(&tip, ".beads", &earlier).unwrap();
    assert_eq!(
        names(&tree),
        [".beads/issues.jsonl", ".beads/kept", "README", "code"]
    );
    let issues = bare.file_at(&tree, ".beads/issues.jsonl").unwrap();
    assert_eq!(issues.as_deref(), Some(&b"1\n"[..]));
    let without = bare.tree_with(&tip, ".beads", &before).unwrap();
    assert_eq!(names(&without), ["README", "code"]);
}

#[test]
fn a_remote_that_does_not_respond_times_out() {
    let place = tempfile::tempdir().unwrap();
    let git = Git::at(place.path())
        .with_env("GIT_ALLOW_PROTOCOL", "ext")
        .with_network(std::time::Duration::from_millis(300));
    git.init("main", false).unwrap();
    let error = git.ls_remote("ext::sleep 3600", "main").unwrap_err();
    let words = "ext::sleep 3600 did not answer `git ls-remote ext::sleep 3600 refs/heads/main` within 0.3s";
    assert_eq!(error.to_string(), words);
}

#[test]
fn concurrent_fetches_do_not_fail() {
    let place = TestPlace::new();
    let (origin, work) = place.with_origin();
    let bare = Git::at(place.path("bare"));
    bare.init("main", true).unwrap();
    bare.add_origin(origin.folder().to_str().unwrap()).unwrap();
    let first = head_commit(&work);
    for round in 0..6 {
        let next = commit_file(&work, "a", &format!("{round}\n"));
        work.push("origin", &next, "main", PushLease::FastForward, false)
            .unwrap();
        for number in 0..20 {
            let (at, gone) = (format!("refs/heads/b{number}-{round}"), round.max(1) - 1);
            origin.update_ref(&at, &first, None).unwrap();
            let before = format!("b{number}-{gone}");
            if round > 0 {
                origin.delete_branch(&before, &first).unwrap();
            }
        }
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| bare.fetch("origin").unwrap());
            }
        });
        assert_eq!(
            bare.resolve("refs/remotes/origin/main").unwrap(),
            Some(next)
        );
    }
}

#[test]
fn a_password_in_a_url_never_appears_in_errors_or_readable_files() {
    use std::os::unix::fs::PermissionsExt;
    let place = TestPlace::new();
    let git = place.git("bare");
    git.init("main", true).unwrap();
    let url = "https://dana:s3cret@127.0.0.1:1/x.git";
    git.add_origin(url).unwrap();
    let config = fs::metadata(place.path("bare/config")).unwrap();
    assert_eq!(config.permissions().mode() & 0o777, 0o600);
    assert_eq!(git.remote_url("origin").unwrap().as_deref(), Some(url));
    let errors = [
        git.fetch("origin").unwrap_err(),
        git.remote_head(url).unwrap_err(),
        place.git("tree").clone_tree(url, None, None).unwrap_err(),
    ];
    for error in errors {
        assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
    }
}

#[test]
fn a_fetch_beside_a_worktree_that_is_being_added_is_retried() {
    let place = TestPlace::new();
    let (_origin, work) = place.with_origin();
    let half_made = work.folder().join(".git/worktrees/half");
    fs::create_dir_all(&half_made).unwrap();
    fs::write(half_made.join("HEAD"), format!("{}\n", "0".repeat(40))).unwrap();
    fs::write(half_made.join("commondir"), "../..\n").unwrap();
    let gitdir = place.path("half/.git");
    fs::write(half_made.join("gitdir"), format!("{}\n", gitdir.display())).unwrap();
    // The second contact finds the worktree gone, as a finished one would be.
    let script = place.path("upload-pack");
    let body = format!(
        "if [ -e '{0}' ]; then rm -rf '{1}'; fi\ntouch '{0}'\nexec git-upload-pack \"$@\"",
        place.path("asked").display(),
        half_made.display()
    );
    write_hook(&place.path(""), "upload-pack", &body);
    fs::rename(place.path("hooks/upload-pack"), &script).unwrap();
    work.config_set("remote.origin.uploadpack", &script.to_string_lossy())
        .unwrap();
    work.fetch("origin").unwrap();
    assert!(!half_made.exists(), "it was contacted twice");
}

#[test]
fn an_unreachable_remote_is_reported_by_its_reason_alone() {
    let place = TestPlace::new();
    let (origin, work) = place.with_origin();
    fs::remove_dir_all(origin.folder()).unwrap();
    let error = work.fetch("origin").unwrap_err().to_string();
    let reason = format!(
        ": fatal: '{}' does not appear to be a git repository",
        origin.folder().display()
    );
    assert!(error.ends_with(&reason), "{error}");
    assert!(!error.contains("--quiet"), "{error}");
}
