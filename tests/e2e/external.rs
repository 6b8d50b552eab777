//! `gt <name>` for programs `gt-<name>` that are not ours.

use town_tests::Town;

fn program(path: &std::path::Path, body: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn an_unknown_word_runs_the_external_program_of_that_name() {
    let town = Town::new();
    program(&town.path("bin/gt-hello"), "printf '%s|' \"$@\"; exit 7");
    let said = town.gt(["--json", "hello", "a b", "--help", "$(x)"]).run();
    assert_eq!(
        (said.out.as_str(), said.code),
        ("--json|a b|--help|$(x)|", 7)
    );
    program(&town.root().join("plugins/bye/gt-bye"), "echo bye");
    assert_eq!(town.gt(["bye"]).ok().text(), "bye");
    // Ours come first, shortened ones too; a wrong verb of ours is not looked for elsewhere.
    program(&town.path("bin/gt-status"), "echo not ours");
    program(&town.path("bin/gt-stat"), "echo not ours");
    program(&town.path("bin/gt-nosuch"), "echo not ours");
    assert!(!town.gt(["status"]).ok().out.contains("not ours"));
    assert!(!town.gt(["stat"]).ok().out.contains("not ours"));
    let said = town.gt(["convoy", "nosuch"]).run();
    assert_eq!((said.code, said.out.as_str()), (2, ""));
}

#[test]
fn an_unknown_command_is_a_usage_error_and_paths_are_not_run() {
    let town = Town::new();
    program(&town.path("outside"), "echo outside");
    std::fs::create_dir_all(town.root().join("plugins/out")).unwrap();
    std::os::unix::fs::symlink(town.path("outside"), town.root().join("plugins/out/gt-out"))
        .unwrap();
    std::fs::create_dir_all(town.root().join("plugins/flat")).unwrap();
    std::fs::write(town.root().join("plugins/flat/gt-flat"), "echo flat").unwrap();
    for word in ["nosuch", "out", "flat", "../outside", "/bin/true", "a b"] {
        let said = town.gt([word]).run();
        assert_eq!(
            (said.code, said.out.as_str()),
            (2, ""),
            "{word}: {}",
            said.err
        );
        assert!(said.err.contains("unknown command"), "{}", said.err);
    }
}
