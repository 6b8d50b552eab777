//! `gt uninstall`.

use town_tests::Worker;

#[test]
fn only_what_is_outside_of_the_town_is_removed_and_all_work_stays() {
    let worker = Worker::new();
    let town = &worker.town;
    std::fs::write(worker.sandbox.join("draft.txt"), "draft").unwrap();
    town.gt(["crew", "add", "max", "--rig", "web"]).ok();
    let clone = town.root().join("web/crew/max");
    let hide = ["update-index", "--assume-unchanged", "README.md"];
    town.git_at(&clone, hide).ok();
    std::fs::write(clone.join("README.md"), "hidden").unwrap();
    let home = town.path("home");
    let write = |path: &str, text: &str| {
        let path = home.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    town.gt(["daemon", "install"]).ok();
    let script = town.gt(["completion", "bash"]).ok().out;
    write(".local/share/bash-completion/completions/gt", &script);
    write(".local/share/bash-completion/completions/bd", "another bd");
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../man/gt-rig.1");
    let page = std::fs::read_to_string(source).unwrap();
    write(".local/share/man/man1/gt-rig.1", &page);
    write(".local/share/man/man1/bd.1", ".TH BD 1 \"another bd\"");
    write(".local/share/man/man1/gt-other.1", ".TH GT-OTHER 1");
    write(".local/share/man/man1/git.1", ".TH git 1");
    write(".config/gastown/shell-hook.sh", "true");
    write(".cache/gastown/rigs.cache", "");
    write(".cache/gastown/notes.txt", "of the user");
    let block =
        "mine\n# --- Gas Town Integration (managed by gt) ---\nsource x\n# --- End Gas Town ---\n";
    write(".bashrc", block);
    let preview = town.gt(["uninstall", "-n"]).ok().out;
    for words in [
        "gtd-town.service",
        "completions/gt",
        "gt-rig.1",
        ".bashrc",
        &worker.bead,
        &worker.name.replacen('/', "/polecats/", 1),
        ": 1 uncommitted file",
        "web/crew/max: changes that git hides: README.md",
    ] {
        assert!(preview.contains(words), "{words}: {preview}");
    }
    assert!(!preview.contains("man1/git.1"), "{preview}");
    town.gt(["uninstall"]).fails("--force");
    let done = town.gt(["uninstall", "--force"]).ok().out;
    assert!(done.contains("the town stays"), "{done}");
    assert!(!home.join(".config/systemd/user/gtd-town.service").exists());
    assert!(
        !home
            .join(".local/share/bash-completion/completions/gt")
            .exists()
    );
    for other in ["git.1", "bd.1", "gt-other.1"] {
        assert!(home.join(".local/share/man/man1").join(other).exists());
    }
    assert!(!home.join(".local/share/man/man1/gt-rig.1").exists());
    let other = home.join(".local/share/bash-completion/completions/bd");
    assert!(other.exists(), "it is another program's");
    assert!(!home.join(".config/gastown").exists());
    assert!(!home.join(".cache/gastown/rigs.cache").exists());
    assert!(home.join(".cache/gastown/notes.txt").exists());
    let rest = std::fs::read_to_string(home.join(".bashrc")).unwrap();
    assert_eq!(rest, "mine\n");
    assert!(town.sessions().is_empty());
    let draft = std::fs::read_to_string(worker.sandbox.join("draft.txt")).unwrap();
    assert_eq!(draft, "draft");
    assert_eq!(worker.shown()["status"], "hooked");
    let again = town.gt(["uninstall", "--force"]).ok().out;
    assert!(again.contains("nothing of Gas Town is outside"), "{again}");
}
