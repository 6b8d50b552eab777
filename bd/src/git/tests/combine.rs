//! Merging without a checkout.

use super::*;

#[test]
fn replay_keeps_author_and_message_and_touches_no_worktree() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    let base = head_commit(&work);
    work.switch_new_branch("topic", &base).unwrap();
    commit_file(&work, "topic", "t\n");
    let topic = commit_file(&work, "more", "u\n");
    work.switch("main").unwrap();
    let main = commit_file(&work, "main", "m\n");
    write_file(&work, "README", "dirty\n");
    let queue = work
        .clone()
        .with_env("GIT_COMMITTER_NAME", "queue")
        .with_env("GIT_COMMITTER_EMAIL", "queue@example.org");
    let tip = queue.replay(&main, &base, &topic).unwrap().unwrap();
    assert!(work.is_ancestor(&main, &tip).unwrap());
    assert_eq!(work.changed_files(&main, &tip).unwrap(), ["more", "topic"]);
    let show = |rev: &str, format: &str| {
        let format = format!("--format={format}");
        work.plumbing(["log", "-1", &format, rev]).text().unwrap()
    };
    assert_eq!(show(&tip, "%an %ae %ad %B"), show(&topic, "%an %ae %ad %B"));
    assert_eq!(show(&tip, "%cn"), "queue");
    assert_eq!(work.head_branch().unwrap().as_deref(), Some("main"));
    assert_eq!(read_file(&work, "README"), "dirty\n");
    assert_eq!(work.worktree_list().unwrap().len(), 1);
    // Existing commits are reused, and commits that `onto` already has are left out.
    assert_eq!(queue.replay(&main, &main, &tip).unwrap(), Some(tip.clone()));
    assert_eq!(queue.replay(&tip, &base, &topic).unwrap(), Some(tip));
}

#[test]
fn a_range_with_a_merge_is_not_replayed() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    let base = head_commit(&work);
    work.switch_new_branch("topic", &base).unwrap();
    commit_file(&work, "topic", "t\n");
    work.switch("main").unwrap();
    let main = commit_file(&work, "main", "m\n");
    work.switch("topic").unwrap();
    work.plumbing(["merge", "--quiet", "-m", "Merge", "main"])
        .finish_checked()
        .unwrap();
    let topic = head_commit(&work);
    assert_eq!(work.replay(&main, &main, &topic).unwrap(), None);
}

#[test]
fn trees_are_merged_in_a_bare_repository_with_the_attributes_of_the_target() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    commit_file(&work, ".gitattributes", "*.lst merge=union\n");
    let base = commit_file(&work, "a.lst", "1\n");
    work.switch_new_branch("topic", &base).unwrap();
    let topic = commit_file(&work, "a.lst", "1\n2\n");
    work.switch("main").unwrap();
    let main = commit_file(&work, "a.lst", "1\n3\n");
    let bare = place.git("bare.git");
    let url = work.folder().display().to_string();
    bare.clone_bare(&url).unwrap();
    let TreeMerge::Clean(tree) = bare.merge_tree(&main, &topic).unwrap() else {
        panic!("it conflicts");
    };
    let merged = bare.file_at(&tree, "a.lst").unwrap().unwrap();
    assert_eq!(String::from_utf8_lossy(&merged), "1\n3\n2\n");
    let left = fs::read_dir(bare.folder()).unwrap();
    let left = left.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().starts_with("attributes-")
    });
    assert_eq!(left.count(), 0);
}

#[test]
fn a_conflict_names_and_shows_the_files() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    let base = head_commit(&work);
    work.switch_new_branch("topic", &base).unwrap();
    commit_file(&work, "fits", "x\n");
    let topic = commit_file(&work, "README", "theirs\n");
    work.switch("main").unwrap();
    let main = commit_file(&work, "README", "ours\n");
    let outcome = work.merge_tree(&main, &topic).unwrap();
    let TreeMerge::Conflict { files, detail, .. } = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(files, ["README"]);
    for words in ["theirs", "ours", "CONFLICT (content)"] {
        assert!(detail.contains(words), "{detail}");
    }
    assert_eq!(work.replay(&main, &base, &topic).unwrap(), None);
}

#[test]
fn a_change_is_contained_or_reverted_or_rewritten() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    let base = head_commit(&work);
    let change = commit_file(&work, "call", "if x {\n    call();\n}\n");
    let later = commit_file(&work, "other", "y\n");
    let contained = |tree: &str| work.contains_change(&base, &change, tree).unwrap();
    assert_eq!(contained(&later), Containment::All);
    assert_eq!(
        contained(&base),
        Containment::Missing(vec!["call".to_owned()])
    );
    // The same text with other white space is a different change.
    let moved = commit_file(&work, "call", "if x {\n}\ncall();\n");
    assert_eq!(
        contained(&moved),
        Containment::Rewritten(vec!["call".to_owned()])
    );
    fs::remove_file(work.folder().join("call")).unwrap();
    let reverted = commit_file(&work, "other", "z\n");
    assert_eq!(
        contained(&reverted),
        Containment::Missing(vec!["call".to_owned()])
    );
    // The change was reverted and then replaced by different text, which the final state alone does
    // not show.
    let again = commit_file(&work, "call", "called();\n");
    let files = vec!["call".to_owned()];
    assert_eq!(contained(&again), Containment::Rewritten(files.clone()));
    let taken_back = |tip: &str| work.find_revert(&base, &change, tip, &files).unwrap();
    assert_eq!(taken_back(&again), Some((reverted, files.clone())));
    assert_eq!(taken_back(&moved), None);
}

#[test]
fn a_merge_driver_does_not_decide_what_a_tree_contains() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    work.config_set("merge.keep.driver", "true").unwrap();
    commit_file(&work, ".gitattributes", "*.lst merge=keep\n");
    let base = commit_file(&work, "a.lst", "1\n");
    work.switch_new_branch("topic", &base).unwrap();
    let topic = commit_file(&work, "a.lst", "1\n2\n");
    work.switch("main").unwrap();
    let main = commit_file(&work, "a.lst", "0\n1\n");
    let TreeMerge::Clean(merged) = work.merge_tree(&main, &topic).unwrap() else {
        panic!("it conflicts");
    };
    let lists = vec!["a.lst".to_owned()];
    let contained = work.contains_change(&base, &topic, &merged).unwrap();
    assert_eq!(contained, Containment::Missing(lists));
    let driven = work.find_driven_files(&base, &topic, &main, &merged);
    let [file] = <[_; 1]>::try_from(driven.unwrap()).unwrap();
    assert_eq!((file.driver.as_str(), file.holds_change), ("keep", false));
}

#[test]
fn a_driver_of_a_renamed_file_is_found() {
    let place = TestPlace::new();
    let (_, work) = place.with_origin();
    work.config_set("merge.keep.driver", "true").unwrap();
    commit_file(&work, ".gitattributes", "* merge=keep\n");
    let text: String = (0..20).map(|line| format!("line {line}\n")).collect();
    let base = commit_file(&work, "old", &text);
    work.switch_new_branch("topic", &base).unwrap();
    work.plumbing(["mv", "old", "new"])
        .finish_checked()
        .unwrap();
    let topic = commit_file(&work, "new", &format!("{text}work\n"));
    work.switch("main").unwrap();
    let main = commit_file(&work, "old", &format!("person\n{text}"));
    let TreeMerge::Clean(merged) = work.merge_tree(&main, &topic).unwrap() else {
        panic!("it conflicts");
    };
    let driven = work.find_driven_files(&base, &topic, &main, &merged);
    let [file] = <[_; 1]>::try_from(driven.unwrap()).unwrap();
    assert_eq!((file.path.as_str(), file.holds_change), ("new", false));
}
