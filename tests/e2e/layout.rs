//! The house rules that a compiler does not check.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn no_source_file_exceeds_the_length_limit() {
    for crate_folder in [
        "kit/src",
        "bd/src",
        "bd/cli/src",
        "gt/src",
        "gt/cli/src",
        "gtd/src",
        "plugins/keeper/src",
        "tests/src",
        "tests/e2e",
        "tests/crash",
    ] {
        for path in sources(&root().join(crate_folder)) {
            let lines = std::fs::read_to_string(&path).unwrap().lines().count();
            assert!(lines <= 800, "{} has {lines} lines", path.display());
        }
    }
}

#[test]
fn every_command_has_its_own_file_and_a_test() {
    let tests: String = sources(&root().join("tests/e2e"))
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    for command in gt_cli::build_command_line().get_subcommands() {
        let name = command.get_name().replace('-', "_");
        let cli = root().join("gt/cli/src");
        let there = cli.join(format!("{name}.rs")).is_file() || cli.join(&name).is_dir();
        assert!(there, "gt {name} has no file in {}", cli.display());
        // The wrapper and the scripted agent run in every session of every test, the restart in
        // every handoff.
        let inside = ["session_restart", "session_wrapper", "scripted"].contains(&name.as_str());
        let driven = tests.contains(&format!("\"{}\"", command.get_name()));
        assert!(inside || driven, "no end-to-end test runs gt {name}");
    }
}

#[test]
fn every_test_file_is_listed_as_a_module() {
    for (folder, list) in [
        ("tests/e2e", "main.rs"),
        ("tests/e2e/flow", "mod.rs"),
        ("tests/crash", "main.rs"),
    ] {
        let folder = root().join(folder);
        let listed = std::fs::read_to_string(folder.join(list)).unwrap();
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            if entry
                .path()
                .extension()
                .is_some_and(|ending| ending != "rs")
            {
                continue;
            }
            let stem = entry
                .path()
                .file_stem()
                .unwrap()
                .to_string_lossy()
                .into_owned();
            let known = ["main", "mod", "snapshots"].contains(&stem.as_str())
                || listed.contains(&format!("mod {stem};"));
            assert!(known, "{} is not in {list}", entry.path().display());
        }
    }
}

#[test]
fn tests_named_in_the_documentation_exist() {
    let code: String = [
        "tests",
        "bd/cli/tests",
        "bd/src/git",
        "kit/tests",
        "gt/src/flow",
        "gt/src/host",
    ]
    .iter()
    .flat_map(|folder| sources(&root().join(folder)))
    .map(|path| std::fs::read_to_string(path).unwrap())
    .collect();
    let table = std::fs::read_to_string(root().join("docs/TESTING.md")).unwrap();
    let mut shortened = 0;
    for name in table.split('`').filter_map(|part| part.strip_suffix('…')) {
        let name = name.rsplit("::").next().unwrap();
        assert!(
            code.contains(&format!("fn {name}")),
            "docs/TESTING.md: {name}"
        );
        shortened += 1;
    }
    assert!(shortened > 20, "the table is read");
    let mutants = std::fs::read_to_string(root().join("tests/mutants.py")).unwrap();
    for path in mutants.split('"').filter(|part| part.contains("::")) {
        let name = path.rsplit("::").next().unwrap();
        let is_name = name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let known = !is_name || code.contains(&format!("fn {name}("));
        assert!(known, "tests/mutants.py: {path}");
    }
}

#[test]
fn the_code_that_mutants_change_exists_once() {
    let script = "import mutants, sys\n\
        for name, (file, code, *_) in mutants.MUTANTS.items():\n\
        \x20   count = (mutants.ROOT / file).read_text().count(code)\n\
        \x20   if count != 1: print(f'{name}: {file} has the code {count} times')";
    let town = town_tests::Town::place();
    let python = town.program_on_path("python3").at(&root().join("tests"));
    let python = python.env("PYTHONDONTWRITEBYTECODE", "1");
    let stale = python.args(["-c", script]).ok().out;
    assert!(stale.trim().is_empty(), "{stale}");
}

/// The production part of a source file.
fn production(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    text[..end].to_owned()
}

#[test]
fn gt_commands_contain_no_domain_logic() {
    let of_lower_layers = [
        "transact(",
        ".host.",
        "Slot::",
        "Lock::",
        "Git::at(",
        "Store::open(",
        "SessionName::",
    ];
    let mut found = Vec::new();
    for path in sources(&root().join("gt/cli/src")) {
        let text = production(&path);
        for word in of_lower_layers.iter().filter(|word| text.contains(**word)) {
            found.push(format!("{}: {word}", path.display()));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn only_one_module_closes_beads() {
    let mut found = Vec::new();
    for folder in [
        "gt/src",
        "gt/cli/src",
        "gtd/src",
        "plugins/keeper/src",
        "bd/cli/src",
        "bd/src/sync",
    ] {
        for path in sources(&root().join(folder)) {
            let text = production(&path);
            let by_hand =
                text.contains(".status = Status::Closed") || text.contains(".closed_at = ");
            if by_hand && !path.ends_with("tests.rs") {
                found.push(path);
            }
        }
    }
    assert!(found.is_empty(), "use bd::change: {found:#?}");
}
