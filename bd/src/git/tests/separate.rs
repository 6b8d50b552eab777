//! Work trees whose `.git` someone else writes.

use std::os::unix::fs::symlink;

use super::*;

/// A bare repository of a town, the repository of one of its work trees, and that work tree with a
/// `.git` of its own.
struct SeparateTree {
    place: TestPlace,
    base: String,
}

impl SeparateTree {
    fn new() -> Self {
        let place = TestPlace::new();
        let (_, work) = place.with_origin();
        let base = commit_file(&work, "sub/file", "one\n");
        work.push("origin", &base, "main", PushLease::FastForward, true)
            .unwrap();
        let shared = place.git("shared.git");
        shared
            .clone_bare(&place.path("origin.git").to_string_lossy())
            .unwrap();
        let tree = place.path("tree");
        shared
            .worktree_add(&tree, "polecat/nux/w-1@a", &base)
            .unwrap();
        let own = place.path("shared.git/worktrees/own");
        fs::rename(place.path("shared.git/worktrees/tree"), own).unwrap();
        let separate = Self { place, base };
        separate.hand_over();
        separate
    }

    /// The work tree through the town's repository.
    fn town(&self) -> Git {
        let mut git = Git::with_repository(
            &self.place.path("tree"),
            &self.place.path("shared.git/worktrees/own"),
            Some("nux"),
        );
        git.env = self.place.git("tree").env;
        git
    }

    /// The work tree through its own repository.
    fn worker(&self) -> Git {
        self.place.git("tree")
    }

    fn take_over(&self) -> Result<(), GitError> {
        self.town().take_over()
    }

    fn hand_over(&self) {
        let with = HandOver {
            workshop: self.place.root.path(),
            readable: "",
            own_hooks: "# Ours",
        };
        drop(self.town().hand_over(with).unwrap());
    }
}

/// Saves the uncommitted work of a tree on `refs/gt/rescue/x`.
fn save(git: &Git) -> rescue::SavedRescue {
    let author = Identity {
        name: "T".to_owned(),
        email: "t@e.org".to_owned(),
    };
    let policy = rescue::BigFilePolicy::Leave;
    rescue::save_rescue(git, "refs/gt/rescue/x", "Work", &author, policy)
        .unwrap()
        .unwrap()
}

#[test]
fn a_handed_over_tree_is_a_repository_of_its_own_with_the_state_of_the_towns() {
    let tree = SeparateTree::new();
    let worker = tree.worker();
    assert!(worker.folder().join(".git").is_dir());
    assert!(!worker.is_linked_worktree().unwrap());
    assert_eq!(head_commit(&worker), tree.base);
    assert_eq!(
        worker.head_branch().unwrap().as_deref(),
        Some("polecat/nux/w-1@a")
    );
    assert_eq!(worker.status().unwrap(), []);
    assert_eq!(
        worker.resolve("origin/main").unwrap().as_ref(),
        Some(&tree.base)
    );
    worker.fetch("origin").unwrap();
    worker.plumbing(["fsck"]).run().unwrap();
    // The tree has settings of its own.
    worker.config_set("core.pager", "mine").unwrap();
    let shared = tree.place.git("shared.git");
    assert_eq!(shared.config_get("core.pager").unwrap(), None);
    assert_eq!(tree.town().status().unwrap(), []);
}

#[test]
fn commits_branches_stashes_and_staged_files_are_taken_over() {
    let tree = SeparateTree::new();
    let (worker, town) = (tree.worker(), tree.town());
    let tip = commit_file(&worker, "new", "text\n");
    worker.plumbing(["branch", "topic"]).run().unwrap();
    write_file(&worker, "new", "stashed\n");
    worker.plumbing(["stash"]).run().unwrap();
    write_file(&worker, "sub/file", "two\n");
    worker.add_all().unwrap();
    write_file(&worker, "untracked", "x");
    tree.take_over().unwrap();
    assert_eq!(head_commit(&town), tip);
    assert_eq!(
        town.resolve("refs/heads/polecat/nux/w-1@a").unwrap(),
        Some(tip.clone())
    );
    assert_eq!(town.status().unwrap(), worker.status().unwrap());
    let stashes = town.stashes().unwrap();
    assert_eq!(stashes.len(), 1);
    assert_eq!(stashes[0].branch(), Some("polecat/nux/w-1@a"));
    let branches = town.taken_branches().unwrap().unwrap();
    let names: Vec<&str> = branches.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["polecat/nux/w-1@a", "topic"]);
    // Only the worker's namespace reaches the shared branches.
    assert_eq!(town.resolve("refs/heads/topic").unwrap(), None);
    // Refs that the worker drops are dropped.
    worker.plumbing(["stash", "drop"]).run().unwrap();
    worker.plumbing(["branch", "-D", "topic"]).run().unwrap();
    worker.switch_new_branch("main", "HEAD").unwrap();
    tree.take_over().unwrap();
    assert!(town.stashes().unwrap().is_empty());
    assert_eq!(town.head_branch().unwrap().as_deref(), Some("main"));
    assert_eq!(town.resolve("refs/heads/main").unwrap(), None);
    assert_eq!(head_commit(&town), tip);
}

#[test]
fn nothing_that_the_shared_repository_drops_breaks_a_tree() {
    let tree = SeparateTree::new();
    let work = tree.place.git("work");
    work.switch_new_branch("gone", "HEAD").unwrap();
    let gone = commit_file(&work, "gone", "x");
    work.push("origin", &gone, "gone", PushLease::Absent, true)
        .unwrap();
    let shared = tree.place.git("shared.git");
    shared.fetch("origin").unwrap();
    tree.hand_over();
    let worker = tree.worker();
    let tip = commit_file(&worker, "new", "text\n");
    assert_eq!(worker.resolve("origin/gone").unwrap(), Some(gone));
    for (name, id) in shared.refs_below("refs/").unwrap() {
        if name != "refs/remotes/origin/HEAD" {
            shared.delete_ref(&name, &id).unwrap();
        }
    }
    for command in [
        &["repack", "-a", "-d", "-q"][..],
        &["gc", "-q", "--prune=now"],
    ] {
        shared.plumbing(command).run().unwrap();
        worker.plumbing(["fsck"]).run().unwrap();
        worker.fetch("origin").unwrap();
    }
    assert_eq!(head_commit(&worker), tip);
    tree.take_over().unwrap();
    assert_eq!(head_commit(&tree.town()), tip);
}

#[test]
fn commits_of_any_form_are_taken_over() {
    let tree = SeparateTree::new();
    let (worker, town) = (tree.worker(), tree.town());
    for number in 0..3 {
        commit_file(&worker, &format!("file{number}"), "text\n");
    }
    worker.plumbing(["gc", "--quiet"]).run().unwrap();
    let tip = head_commit(&worker);
    tree.take_over().unwrap();
    assert_eq!(head_commit(&town), tip);
    // On no branch, and then left.
    worker.checkout_detach(&tree.base).unwrap();
    let left = commit_file(&worker, "left", "x");
    worker.switch("polecat/nux/w-1@a").unwrap();
    tree.take_over().unwrap();
    assert!(town.resolve(&left).unwrap().is_some());
    assert_eq!(
        town.unreached_commits(&[&left]).unwrap(),
        std::slice::from_ref(&left)
    );
    let log = town.head_reflog().unwrap();
    assert!(
        log.iter()
            .any(|(_, how)| how.contains(&format!("from {left} to")))
    );
    town.plumbing(["fsck"]).run().unwrap();
}

#[test]
fn a_tree_with_the_state_of_a_stranger_is_refused() {
    type Attack = fn(&SeparateTree, &Path);
    let attacks: [(&str, Attack); 8] = [
        ("a link in place of the repository", |tree, git| {
            fs::rename(git, tree.place.path("moved")).unwrap();
            symlink(tree.place.path("moved"), git).unwrap();
        }),
        ("a file in place of the repository", |tree, git| {
            fs::rename(git, tree.place.path("moved")).unwrap();
            let text = format!("gitdir: {}\n", tree.place.path("work/.git").display());
            fs::write(git, text).unwrap();
        }),
        ("a link in place of HEAD", |tree, git| {
            fs::remove_file(git.join("HEAD")).unwrap();
            symlink(tree.place.path("work/.git/HEAD"), git.join("HEAD")).unwrap();
        }),
        ("a HEAD outside of the branches", |_, git| {
            fs::write(git.join("HEAD"), "ref: refs/remotes/origin/main\n").unwrap();
        }),
        ("a commit of another repository", |tree, git| {
            let secret = commit_file(&tree.place.git("work"), "secret", "secret\n");
            let objects = tree.place.path("work/.git/objects");
            let text = format!("{}\n", objects.display());
            fs::write(git.join("objects/info/alternates"), text).unwrap();
            fs::write(git.join("HEAD"), format!("{secret}\n")).unwrap();
        }),
        ("objects behind a link", |tree, git| {
            let secret = commit_file(&tree.place.git("work"), "secret", "secret\n");
            fs::remove_dir_all(git.join("objects")).unwrap();
            symlink(tree.place.path("work/.git/objects"), git.join("objects")).unwrap();
            fs::write(git.join("HEAD"), format!("{secret}\n")).unwrap();
        }),
        ("an object with another name", |tree, git| {
            let worker = tree.worker();
            let tip = commit_file(&worker, "a", "a\n");
            let false_id = "a".repeat(40);
            let object = |id: &str| git.join("objects").join(&id[..2]).join(&id[2..]);
            fs::create_dir_all(object(&false_id).parent().unwrap()).unwrap();
            fs::copy(object(&tip), object(&false_id)).unwrap();
            fs::write(git.join("HEAD"), format!("{false_id}\n")).unwrap();
        }),
        ("an index that leads out of the tree", |tree, git| {
            let path = git.join("index");
            let mut bytes = fs::read(&path).unwrap();
            let at = bytes
                .windows(8)
                .position(|piece| piece == b"sub/file")
                .unwrap();
            bytes[at..at + 8].copy_from_slice(b"../filex");
            let body = bytes.len() - 20;
            fs::write(tree.place.path("body"), &bytes[..body]).unwrap();
            let sum = kit::sys::ChildCommand::new("sha1sum").arg(tree.place.path("body"));
            let sum = sum.run().unwrap().text();
            for (number, byte) in bytes[body..].iter_mut().enumerate() {
                *byte = u8::from_str_radix(&sum[2 * number..2 * number + 2], 16).unwrap();
            }
            fs::write(&path, bytes).unwrap();
        }),
    ];
    for (name, attack) in attacks {
        let tree = SeparateTree::new();
        attack(&tree, &tree.place.path("tree/.git"));
        let refused = tree.take_over();
        assert!(refused.is_err(), "{name}");
        let town = tree.town();
        let objects = town.plumbing(["cat-file", "--batch-all-objects"]);
        let objects = objects.args(["--batch-check"]).text().unwrap();
        assert!(
            !objects.lines().any(|line| line.starts_with("aaaaaaaa")),
            "{name}"
        );
        // The next repository is whole again.
        tree.hand_over();
        tree.take_over().unwrap();
        assert_eq!(head_commit(&tree.worker()), tree.base, "{name}");
    }
}

#[test]
fn staged_files_and_commits_behind_packs_are_taken_over() {
    let tree = SeparateTree::new();
    let (worker, town) = (tree.worker(), tree.town());
    for number in 0..3 {
        commit_file(&worker, &format!("file{number}"), "text\n");
    }
    worker
        .plumbing(["repack", "-a", "-d", "-l", "-q"])
        .run()
        .unwrap();
    let tip = commit_file(&worker, "loose", "text\n");
    write_file(&worker, "staged", "first\n");
    worker.add_all().unwrap();
    write_file(&worker, "staged", "second\n");
    tree.take_over().unwrap();
    assert_eq!(head_commit(&town), tip);
    let saved = save(&town);
    let text = |rev: &str| town.file_at(rev, "staged").unwrap().unwrap();
    assert_eq!(text(&saved.commit), b"second\n");
    assert_eq!(text(&format!("{}^2", saved.commit)), b"first\n");
    // A new repository in the same state has the staged file, too.
    tree.hand_over();
    let staged = worker.plumbing(["show", ":staged"]).text().unwrap();
    assert_eq!(staged, "first");
}

#[test]
fn branches_that_do_not_fit_together_keep_back_no_work() {
    let tree = SeparateTree::new();
    let (worker, town) = (tree.worker(), tree.town());
    let tip = commit_file(&worker, "work", "text\n");
    worker.checkout_detach(&tree.base).unwrap();
    let first = commit_file(&worker, "first", "x");
    let second = commit_file(&worker, "second", "x");
    worker.switch("polecat/nux/w-1@a").unwrap();
    let git = tree.place.path("tree/.git");
    let packed = fs::read_to_string(git.join("packed-refs")).unwrap();
    let both = format!("{packed}{first} refs/heads/x\n{second} refs/heads/x/y\n");
    fs::write(git.join("packed-refs"), both).unwrap();
    fs::remove_file(git.join("logs/HEAD")).unwrap();
    tree.take_over().unwrap();
    assert_eq!(head_commit(&town), tip);
    let branches = town.taken_branches().unwrap().unwrap();
    for commit in [first, second] {
        assert!(
            branches.iter().any(|(_, tip)| *tip == commit),
            "{branches:?}"
        );
    }
}

#[test]
fn nothing_behind_a_link_in_place_of_a_submodule_is_read_or_removed() {
    let tree = SeparateTree::new();
    let (worker, town) = (tree.worker(), tree.town());
    let outside = tree.place.git("work");
    write_file(&outside, "secret", "secret\n");
    let id = "1".repeat(40);
    for name in ["linked", "declared"] {
        let info = format!("160000,{id},{name}");
        worker
            .plumbing(["update-index", "--add", "--cacheinfo", &info])
            .run()
            .unwrap();
        symlink(outside.folder(), worker.folder().join(name)).unwrap();
    }
    let declared = "[submodule \"declared\"]\n\tpath = declared\n\turl = /nowhere\n";
    write_file(&worker, ".gitmodules", declared);
    let module = tree.place.path("tree/.git/modules/declared");
    fs::create_dir_all(module.parent().unwrap()).unwrap();
    let copy = kit::sys::ChildCommand::new("cp").args([
        "-r".as_ref(),
        outside.folder().join(".git").as_os_str(),
        module.as_os_str(),
    ]);
    copy.run().unwrap();
    tree.take_over().unwrap();
    let saved = save(&town);
    let files = town.plumbing(["ls-tree", "-r", "--name-only", &saved.commit]);
    assert!(!files.text().unwrap().contains("secret"));
    town.empty_submodule_folders().unwrap();
    assert_eq!(read_file(&outside, "secret"), "secret\n");
}

#[test]
fn a_submodule_that_only_the_worker_knows_runs_none_of_its_programs() {
    let tree = SeparateTree::new();
    let (worker, town) = (tree.worker(), tree.town());
    let inner = tree.place.git("tree/inner");
    inner.init("main", false).unwrap();
    commit_file(&inner, "code", "one\n");
    write_file(
        &worker,
        ".gitmodules",
        "[submodule \"x\"]\n\tpath = inner\n\turl = /nowhere\n",
    );
    worker
        .plumbing(["add", ".gitmodules", "inner"])
        .run()
        .unwrap();
    worker.commit_index("Add").unwrap();
    let trap = tree.place.path("trapped");
    inner
        .config_set("filter.x.clean", &format!("touch {}; cat", trap.display()))
        .unwrap();
    fs::write(inner.folder().join(".git/info/attributes"), "* filter=x\n").unwrap();
    write_file(&inner, "code", "two\n");
    write_file(&inner, "more", "more\n");
    write_file(&worker, "sub/file", "changed\n");
    tree.take_over().unwrap();
    let saved = save(&town);
    assert_eq!(saved.nested, [Path::new("inner")]);
    let kept = town.file_at(&saved.commit, "inner/more").unwrap();
    assert_eq!(kept.as_deref(), Some(&b"more\n"[..]));
    assert!(!trap.exists());
}

#[test]
fn commits_of_a_repository_with_a_broken_head_are_taken_over_nevertheless() {
    let tree = SeparateTree::new();
    let tip = commit_file(&tree.worker(), "new", "text\n");
    let git = tree.place.path("tree/.git");
    fs::write(git.join("HEAD"), "garbage\n").unwrap();
    fs::write(
        git.join("refs/heads/broken"),
        format!("{}\n", "b".repeat(40)),
    )
    .unwrap();
    assert!(tree.take_over().is_err());
    let shared = tree.place.git("shared.git");
    assert_eq!(
        shared.resolve("refs/heads/polecat/nux/w-1@a").unwrap(),
        Some(tip)
    );
}

#[test]
fn a_submodule_has_a_repository_of_its_own_too() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    let library = place.git("library");
    library.init("main", false).unwrap();
    let first = commit_file(&library, "code", "one\n");
    let allowed = ["-c", "protocol.file.allow=always", "submodule", "--quiet"];
    work.plumbing(allowed)
        .args(["add", "--name", "lib"])
        .args([library.folder().as_os_str(), "third".as_ref()])
        .run()
        .unwrap();
    let base = work.commit_index("Add the library").unwrap();
    work.push("origin", &base, "main", PushLease::FastForward, true)
        .unwrap();
    fs::write(
        place.path("gitconfig"),
        "[user]\nname = Tess\nemail = t@e.org\n[protocol \"file\"]\nallow = always\n",
    )
    .unwrap();
    let shared = place.git("shared.git");
    shared
        .clone_bare(&place.path("origin.git").to_string_lossy())
        .unwrap();
    shared
        .worktree_add(&place.path("tree"), "polecat/nux/w-1@a", &base)
        .unwrap();
    let own = place.path("shared.git/worktrees/own");
    fs::rename(place.path("shared.git/worktrees/tree"), own).unwrap();
    let tree = SeparateTree { place, base };
    tree.town().complete_checkout().unwrap();
    tree.hand_over();
    let inner = tree.worker().in_folder(tree.place.path("tree/third"));
    assert_eq!(head_commit(&inner), first);
    assert_eq!(inner.status().unwrap(), []);
    let git_dir = inner.plumbing(["rev-parse", "--absolute-git-dir"]).text();
    assert!(git_dir.unwrap().ends_with("/tree/.git/modules/lib"));
    tree.take_over().unwrap();
    assert_eq!(tree.town().status().unwrap(), []);
    assert!(!tree.town().has_unsaved_files().unwrap());
    // The work in the submodule is noticed, and its settings are not obeyed.
    let trap = tree.place.path("trapped");
    let program = tree.place.path("trap");
    fs::write(&program, format!("#!/bin/sh\ntouch {}\n", trap.display())).unwrap();
    inner
        .config_set("core.fsmonitor", &program.to_string_lossy())
        .unwrap();
    inner.config_set("core.hooksPath", "/tmp/none").unwrap();
    let second = {
        fs::write(inner.folder().join("code"), "two\n").unwrap();
        let quiet = |args: &[&str]| {
            let call = inner.plumbing(args);
            call.text().unwrap()
        };
        quiet(&["commit", "--quiet", "-a", "-m", "Two"]);
        quiet(&["rev-parse", "HEAD"])
    };
    fs::remove_file(&trap).ok();
    tree.take_over().unwrap();
    let town = tree.town();
    let changed = town.status().unwrap();
    assert_eq!(changed.len(), 1);
    assert_eq!(changed[0].path, Path::new("third"));
    let work = town.submodules_with_work().unwrap();
    assert_eq!(work[0].own_commits, [second]);
    save(&town);
    assert_eq!(
        rescue::list_submodule_commits(&town, "refs/gt/rescue/x")
            .unwrap()
            .len(),
        1
    );
    assert!(!trap.exists());
}

#[test]
fn a_state_that_cannot_be_taken_over_is_not_tried_at_each_opening() {
    let tree = SeparateTree::new();
    let missing = "1".repeat(40);
    let head = tree.place.path("tree/.git/HEAD");
    let good = fs::read(&head).unwrap();
    fs::write(&head, format!("{missing}\n")).unwrap();
    let first = tree.take_over().unwrap_err().to_string();
    assert!(first.contains(&missing), "{first}");
    // The image of the refs is made once. Without the objects, a second try would fail for another
    // reason.
    let objects = tree.place.path("shared.git/objects");
    let aside = tree.place.path("objects-aside");
    fs::rename(&objects, &aside).unwrap();
    let second = tree.take_over().unwrap_err().to_string();
    let wanted = format!("{first} (the same state is tried again 60s after ");
    assert!(second.starts_with(&wanted), "{second}");
    fs::rename(&aside, &objects).unwrap();
    // Another state is taken over at once.
    fs::write(&head, good).unwrap();
    tree.take_over().unwrap();
    let record = tree
        .place
        .path("shared.git/worktrees/own/gt-taking-failed.json");
    assert!(!record.exists());
}

#[test]
fn a_pipe_that_git_waits_for_is_named_and_git_runs_again_when_it_is_gone() {
    let tree = SeparateTree::new();
    let pipe = tree.place.path("tree/sub/.gitignore");
    let made = kit::sys::ChildCommand::new("mkfifo").arg(&pipe).run();
    assert!(made.unwrap().is_success());
    fs::write(tree.place.path("tree/sub/new"), "x").unwrap();
    let git = tree.town();
    let status = git.plumbing(["status", "--porcelain", "--untracked-files=all"]);
    let error = status
        .limit(std::time::Duration::from_secs(2))
        .finish()
        .unwrap_err();
    let named = format!("git would wait for {}", pipe.display());
    assert!(error.to_string().starts_with(&named), "{error}");
    assert!(git.check_stalling_file().is_err());
    fs::remove_file(&pipe).unwrap();
    git.check_stalling_file().unwrap();
    assert!(!git.status().unwrap().is_empty());
}

#[test]
fn an_unfinished_rebase_of_a_worker_is_seen() {
    let tree = SeparateTree::new();
    assert!(!tree.town().is_in_the_middle().unwrap());
    fs::create_dir(tree.place.path("tree/.git/rebase-merge")).unwrap();
    assert!(tree.town().is_in_the_middle().unwrap());
    assert!(tree.worker().is_in_the_middle().unwrap());
}
