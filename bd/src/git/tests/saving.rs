use super::*;

#[test]
fn a_clean_tree_needs_no_rescue() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    let saved = rescue::save_rescue(
        &work,
        "refs/gt/r",
        "x",
        &test_identity(),
        rescue::BigFilePolicy::Leave,
    )
    .unwrap();
    assert_eq!(saved, None);
}

#[test]
fn a_rescue_saves_everything_and_changes_nothing() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    commit_file(&work, "gone", "g\n");
    write_file(&work, ".gitignore", "ignored\n");
    write_file(&work, "README", "staged\n");
    work.plumbing(["add", "README"]).finish_checked().unwrap();
    write_file(&work, "README", "unstaged\n");
    write_file(&work, "new", "n\n");
    write_file(&work, "ignored", "i\n");
    fs::remove_file(work.folder().join("gone")).unwrap();
    let nested = place.git("work/nested");
    nested.init("main", false).unwrap();
    commit_file(&nested, "inner", "x\n");
    write_hook(&work.folder().join(".git"), "pre-commit", "exit 1");
    write_hook(
        &work.folder().join(".git"),
        "reference-transaction",
        "exit 1",
    );
    let before = work.status().unwrap();
    let name = "refs/gt/rescue/a/1";
    let saved = rescue::save_rescue(
        &work,
        name,
        "Saved\n",
        &test_identity(),
        rescue::BigFilePolicy::MoveAside,
    )
    .unwrap()
    .unwrap();
    let files = [".gitignore", "README", "gone", "nested/inner", "new"];
    assert_eq!(saved.files, files.map(PathBuf::from));
    assert_eq!(saved.nested, [PathBuf::from("nested")]);
    assert_eq!(work.status().unwrap(), before);
    assert_eq!(
        work.file_at(name, "README").unwrap().as_deref(),
        Some(&b"unstaged\n"[..])
    );
    assert_eq!(
        work.file_at("refs/gt/rescue/a/1^2", "README")
            .unwrap()
            .as_deref(),
        Some(&b"staged\n"[..])
    );
    let listed = rescue::list_rescues(&work, "refs/gt/rescue/").unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (listed[0].refname.as_str(), listed[0].subject.as_str()),
        (name, "Saved")
    );
    let again = rescue::save_rescue(
        &work,
        name,
        "Saved",
        &test_identity(),
        rescue::BigFilePolicy::Leave,
    );
    assert!(again.is_err(), "a rescue is never overwritten");
}

#[test]
fn a_rescue_is_restored_unless_files_are_in_the_way() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    commit_file(&work, "gone", "g\n");
    let base = head_commit(&work);
    write_file(&work, "README", "dirty\n");
    write_file(&work, "new", "n\n");
    fs::remove_file(work.folder().join("gone")).unwrap();
    let big = fs::File::create(work.folder().join("big.bin")).unwrap();
    big.set_len(rescue::BIG + 1).unwrap();
    let name = "refs/gt/rescue/a/2";
    let saved = rescue::save_rescue(
        &work,
        name,
        "Saved",
        &test_identity(),
        rescue::BigFilePolicy::MoveAside,
    )
    .unwrap()
    .unwrap();
    assert_eq!(saved.big[0].path, Path::new("big.bin"));
    assert!(saved.big[0].moved_to.as_ref().unwrap().is_file());
    assert!(!work.folder().join("big.bin").exists());
    work.reset_hard(&base).unwrap();
    work.clean().unwrap();
    assert!(work.status().unwrap().is_empty());
    write_file(&work, "new", "mine\n");
    let refused = rescue::restore_rescue(&work, &work, name).unwrap_err();
    assert!(
        matches!(&refused, rescue::RestoreError::InTheWay { files } if files == &[PathBuf::from("new")]),
        "{refused}"
    );
    assert_eq!(read_file(&work, "README"), "hello\n");
    write_file(&work, "new", "n\n");
    // Uncommitted changes stay, even if they equal the rescue's starting point or are removals.
    write_file(&work, "README", "newer\n");
    work.add_all().unwrap();
    work.commit_index("Newer").unwrap();
    write_file(&work, "README", "hello\n");
    let in_the_way = |work: &Git| {
        rescue::restore_rescue(work, work, name)
            .unwrap_err()
            .to_string()
    };
    assert!(in_the_way(&work).contains("README"));
    fs::remove_file(work.folder().join("README")).unwrap();
    assert!(in_the_way(&work).contains("README"));
    work.reset_hard(&base).unwrap();
    write_file(&work, "new", "n\n");
    rescue::restore_rescue(&work, &work, name).unwrap();
    assert_eq!(read_file(&work, "README"), "dirty\n");
    assert!(!work.folder().join("gone").exists());
    assert!(work.folder().join("big.bin").exists());
    rescue::drop_rescue(&work, name).unwrap();
    assert!(rescue::list_rescues(&work, "refs/gt/").unwrap().is_empty());
    assert!(rescue::drop_rescue(&work, name).is_err());
}

#[test]
fn a_rescue_is_restored_in_another_clone_and_leaves_no_ref() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    write_file(&work, "new", "n\n");
    let big = fs::File::create(work.folder().join("big.bin")).unwrap();
    big.set_len(rescue::BIG + 1).unwrap();
    let name = "refs/gt/rescue/a/3";
    rescue::save_rescue(
        &work,
        name,
        "Saved",
        &test_identity(),
        rescue::BigFilePolicy::MoveAside,
    )
    .unwrap();
    let other = place.git("other");
    other.init("main", false).unwrap();
    commit_file(&other, "own", "o\n");
    let back = rescue::restore_rescue(&work, &other, name).unwrap();
    assert_eq!(back, ["new", "big.bin"].map(PathBuf::from));
    assert_eq!(read_file(&other, "new"), "n\n");
    let size = fs::metadata(other.folder().join("big.bin")).unwrap().len();
    assert_eq!(size, rescue::BIG + 1);
    assert!(rescue::list_rescues(&other, "refs/gt/").unwrap().is_empty());
    assert_eq!(rescue::list_rescues(&work, "refs/gt/").unwrap().len(), 1);
    let missing = rescue::restore_rescue(&work, &other, "refs/gt/rescue/a/4");
    assert!(missing.unwrap_err().to_string().contains("a/4"));
}

#[test]
fn a_change_in_the_racy_window_of_the_index_is_saved() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    // Such a change differs neither in size nor in time. The change of the inode is ignored here.
    work.plumbing(["config", "core.trustctime", "false"])
        .finish_checked()
        .unwrap();
    let instant = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let stamp = |path: &str| {
        let file = fs::File::options()
            .append(true)
            .open(work.folder().join(path));
        file.unwrap().set_modified(instant).unwrap();
    };
    stamp("README");
    work.plumbing(["update-index", "--refresh"])
        .finish_checked()
        .unwrap();
    stamp(".git/index");
    write_file(&work, "README", "dirty\n");
    stamp("README");
    let saved = rescue::save_rescue(
        &work,
        "refs/gt/r",
        "x",
        &test_identity(),
        rescue::BigFilePolicy::Leave,
    )
    .unwrap();
    assert_eq!(saved.unwrap().files, [PathBuf::from("README")]);
}

#[test]
fn a_rescue_works_before_the_first_commit() {
    let place = TestPlace::new();
    let git = place.git("new");
    git.init("main", false).unwrap();
    write_file(&git, "a", "a\n");
    let saved = rescue::save_rescue(
        &git,
        "refs/gt/r",
        "x",
        &test_identity(),
        rescue::BigFilePolicy::Leave,
    )
    .unwrap()
    .unwrap();
    assert_eq!(saved.files, [PathBuf::from("a")]);
}

#[test]
fn the_files_of_inner_repositories_are_saved_and_restored() {
    // Not added, and added as a commit.
    for is_added in [false, true] {
        let place = TestPlace::new();
        let (_, work) = place.with_origin();
        let base = head_commit(&work);
        let inner = place.git("work/tool");
        inner.init("main", false).unwrap();
        commit_file(&inner, "main.rs", "fn main() {}\n");
        write_file(&inner, "draft", "d\n");
        place.git("work/tool/deep").init("main", false).unwrap();
        write_file(&place.git("work/tool/deep"), "d.rs", "deep\n");
        if is_added {
            work.add_all().unwrap();
            work.commit_index("A tool\n").unwrap();
        }
        assert!(work.has_unsaved_files().unwrap());
        let saved = rescue::save_rescue(
            &work,
            "refs/gt/rescue/a/3",
            "Saved",
            &test_identity(),
            rescue::BigFilePolicy::Leave,
        )
        .unwrap()
        .unwrap();
        let files = ["tool/deep/d.rs", "tool/draft", "tool/main.rs"];
        assert_eq!(saved.files, files.map(PathBuf::from));
        fs::rename(inner.folder(), place.git("gone").folder()).unwrap();
        work.reset_hard(&base).unwrap();
        let restored = rescue::restore_rescue(&work, &work, &saved.refname).unwrap();
        assert_eq!(restored, files.map(PathBuf::from));
        assert_eq!(read_file(&work, "tool/draft"), "d\n");
        assert_eq!(read_file(&work, "tool/deep/d.rs"), "deep\n");
    }
}

#[test]
fn changes_that_git_hides_are_saved_and_restored() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    for file in ["a", "b", "gone", "same", "two\nlines"] {
        commit_file(&work, file, "old\n");
    }
    let link = work.folder().join("link");
    std::os::unix::fs::symlink("a", &link).unwrap();
    work.add_all().unwrap();
    work.commit_index("A link\n").unwrap();
    let mark = |flag: &str, files: &[&str]| {
        let call = work.plumbing(["update-index", flag, "--"]).args(files);
        call.finish_checked().unwrap();
    };
    let assumed = ["a", "gone", "link", "same", "two\nlines"];
    mark("--assume-unchanged", &assumed);
    mark("--skip-worktree", &["b"]);
    assert!(!work.has_unsaved_files().unwrap());
    write_file(&work, "a", "new\n");
    write_file(&work, "b", "new\n");
    write_file(&work, "two\nlines", "new\n");
    fs::remove_file(work.folder().join("gone")).unwrap();
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("b", &link).unwrap();
    assert!(work.status().unwrap().is_empty(), "git hides them");
    let hidden = ["a", "b", "gone", "link", "two\nlines"].map(PathBuf::from);
    assert_eq!(work.hidden_changes().unwrap(), hidden);
    let saved = rescue::save_rescue(
        &work,
        "refs/gt/rescue/a/4",
        "Saved",
        &test_identity(),
        rescue::BigFilePolicy::Leave,
    )
    .unwrap()
    .unwrap();
    assert_eq!(saved.files, hidden);
    let saved = work.file_at(&saved.refname, "b").unwrap();
    assert_eq!(saved.as_deref(), Some(&b"new\n"[..]));
    assert_eq!(work.hidden_changes().unwrap(), hidden);
}

#[test]
fn commits_that_no_ref_reaches_are_found() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    let base = head_commit(&work);
    work.checkout_detach(&base).unwrap();
    let lost = commit_file(&work, "lost", "l\n");
    let gone = "1".repeat(40);
    let unreached = || {
        let commits = [base.as_str(), &lost, &gone];
        work.unreached_commits(&commits).unwrap()
    };
    assert!(unreached().is_empty(), "HEAD is there");
    work.switch("main").unwrap();
    assert_eq!(unreached(), std::slice::from_ref(&lost));
    work.update_ref("refs/gt/rescue/a/5", &lost, None).unwrap();
    assert!(unreached().is_empty());
}

#[test]
fn a_clone_without_own_work_is_not_copied_into_a_rescue() {
    let place = TestPlace::new();
    let (origin, work) = place.with_origin();
    let clone = place.git("work/reference");
    clone
        .clone_tree(&origin.folder().display().to_string(), None, None)
        .unwrap();
    write_file(&work, "draft", "d\n");
    let save = |name: &str| {
        let author = test_identity();
        let leave = rescue::BigFilePolicy::Leave;
        let saved = rescue::save_rescue(&work, name, "Saved", &author, leave);
        saved.unwrap().unwrap().files
    };
    assert_eq!(save("refs/gt/rescue/a/6"), [PathBuf::from("draft")]);
    write_file(&clone, "note", "n\n");
    assert!(save("refs/gt/rescue/a/7").contains(&PathBuf::from("reference/note")));
}

#[test]
fn names_that_are_not_utf8_are_saved_and_restored_like_all_others() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    let name = |bytes: &[u8]| work.folder().join(OsStr::from_bytes(bytes));
    let files = [&b"caf\xe9.txt"[..], b"plain.txt", b"hidden-\xff"].map(name);
    fs::write(&files[2], "old\n").unwrap();
    work.add_all().unwrap();
    work.commit_index("Add a file").unwrap();
    for file in &files {
        fs::write(file, "work\n").unwrap();
    }
    let hide = ["update-index", "--assume-unchanged", "--"];
    work.plumbing(hide).args([&files[2]]).run().unwrap();
    let inner = work.in_folder(name(b"inner-\xe9"));
    inner.init("main", false).unwrap();
    fs::write(
        inner.folder().join(OsStr::from_bytes(b"deep-\xe9")),
        "deep\n",
    )
    .unwrap();
    let policy = rescue::BigFilePolicy::Leave;
    let save = |refname: &str| {
        let saved = rescue::save_rescue(&work, refname, "x", &test_identity(), policy);
        saved.unwrap().unwrap()
    };
    assert_eq!(save("refs/gt/r/1").files.len(), 4);
    fs::remove_dir_all(inner.folder()).unwrap();
    work.clear_hiding_marks(
        Some(&work.folder().join(".git/index")),
        [Path::new("README"), &files[2]],
    )
    .unwrap();
    work.reset_hard("HEAD").unwrap();
    work.clean().unwrap();
    let back = rescue::restore_rescue(&work, &work, "refs/gt/r/1").unwrap();
    assert_eq!(back.len(), 4);
    for file in &files {
        assert_eq!(fs::read_to_string(file).unwrap(), "work\n");
    }
    // A differing file is found whatever its name is.
    fs::write(&files[0], "other\n").unwrap();
    let refused = rescue::restore_rescue(&work, &work, "refs/gt/r/1").unwrap_err();
    assert!(matches!(&refused, rescue::RestoreError::InTheWay { files } if files.len() == 1));
}

#[test]
fn a_file_in_the_place_of_a_folder_is_in_the_way_unless_the_rescue_removes_it() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    commit_file(&work, "tracked", "old\n");
    for folder in ["new", "tracked"] {
        fs::remove_file(work.folder().join(folder)).ok();
        fs::create_dir(work.folder().join(folder)).unwrap();
        write_file(&work, &format!("{folder}/file"), "work\n");
    }
    let policy = rescue::BigFilePolicy::Leave;
    let saved = rescue::save_rescue(&work, "refs/gt/r/1", "x", &test_identity(), policy);
    saved.unwrap().unwrap();
    work.reset_hard("HEAD").unwrap();
    work.clean().unwrap();
    work.exclude("/new").unwrap();
    write_file(&work, "new", "ignored\n");
    let refused = rescue::restore_rescue(&work, &work, "refs/gt/r/1").unwrap_err();
    let found = [PathBuf::from("new/file")];
    assert!(matches!(&refused, rescue::RestoreError::InTheWay { files } if files == &found));
    assert_eq!(read_file(&work, "new"), "ignored\n");
    fs::remove_file(work.folder().join("new")).unwrap();
    rescue::restore_rescue(&work, &work, "refs/gt/r/1").unwrap();
    for folder in ["new", "tracked"] {
        assert_eq!(read_file(&work, &format!("{folder}/file")), "work\n");
    }
}
