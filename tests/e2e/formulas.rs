//! Built-in formulas: they validate, and what they and the role texts tell an agent to run exists.

use std::path::{Path, PathBuf};

use clap::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// The files in a folder, with their texts.
fn texts(folder: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = std::fs::read_dir(root().join(folder))
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = format!("{folder}/{}", path.file_name().unwrap().display());
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    found.sort();
    found
}

/// The command lines in a text: in backticks, behind a colon, or a line of their own.
fn command_lines(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let quoted = line.split('`').skip(1).step_by(2).map(str::to_owned);
        found.extend(quoted);
        let behind = [": gt ", ": bd ", "Then: gt "].iter().find_map(|mark| {
            let at = line.find(mark)?;
            Some(line[at + 2..].to_owned())
        });
        let line = line
            .trim()
            .trim_start_matches("description = ")
            .trim_start_matches(['\'', '"']);
        found.extend(behind.or_else(|| Some(line.to_owned())));
    }
    found.retain(|line| line.starts_with("gt ") || line.starts_with("bd "));
    found
}

/// What is wrong with a command line, if something is: a word that is no command, a flag that it does not have.
fn problem(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let mut command: Command = match words.next()? {
        "gt" => gt::cli::command(),
        _ => bd::cli::command(),
    };
    command.build();
    let mut here = &command;
    for word in words {
        let word = word.trim_end_matches(['.', ',', ';', ')', '`', '"', '\'']);
        if let Some(flag) = word.strip_prefix("--") {
            let name = flag.split('=').next().unwrap();
            let known = |command: &Command| {
                command.get_arguments().any(|arg| {
                    let aliases = arg.get_all_aliases().unwrap_or_default();
                    arg.get_long() == Some(name) || aliases.contains(&name)
                })
            };
            if !name.is_empty() && !known(here) && !known(&command) {
                return Some(format!("{line}: {} has no flag --{name}", here.get_name()));
            }
            continue;
        }
        let is_plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        if !is_plain || word.starts_with('-') {
            continue;
        }
        match here.find_subcommand(word) {
            Some(found) => here = found,
            None if here.get_name() == command.get_name() => {
                return Some(format!("{line}: there is no command {word}"));
            }
            None if here.is_subcommand_required_set() => {
                return Some(format!("{line}: {} has no command {word}", here.get_name()));
            }
            None => {}
        }
    }
    None
}

#[test]
fn every_command_that_a_formula_or_a_role_text_names_exists() {
    let mut seen = 0;
    let mut problems = Vec::new();
    for (name, text) in [
        texts("formulas"),
        texts("gt/templates/role"),
        texts("gt/templates/prompt"),
    ]
    .concat()
    {
        for line in command_lines(&text) {
            seen += 1;
            problems.extend(problem(&line).map(|problem| format!("{name}: {problem}")));
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
    assert!(
        seen > 60,
        "only {seen} commands were found: the reader is broken"
    );
}

#[test]
fn the_reader_of_commands_sees_what_is_wrong() {
    for bad in [
        "gt dance",
        "bd mol dance",
        "gt done --moon",
        "bd close ID --moon",
    ] {
        assert!(problem(bad).is_some(), "{bad}");
    }
    for good in [
        "gt done --summary \"x\"",
        "bd mol wisp gc --age 24h",
        "bd create \"What\" --priority 1",
    ] {
        assert_eq!(problem(good), None);
    }
    assert_eq!(
        command_lines("Run `gt done`.\n    bd list\nHand it over: gt handoff"),
        ["gt done", "bd list", "gt handoff"]
    );
}

#[test]
fn every_built_in_formula_validates_and_none_is_odd() {
    let shelf = bd::formula::Shelf {
        has_built_in: true,
        ..bd::formula::Shelf::default()
    };
    let names = shelf.names();
    let files = texts("formulas")
        .iter()
        .filter(|(name, _)| !name.ends_with("README.md"))
        .count();
    assert_eq!(names.len(), files, "each file is embedded");
    for name in names {
        let loaded = shelf.load(&name).unwrap();
        assert_eq!(loaded.formula.name, name);
        assert_eq!(bd::formula::check::own(&loaded), (vec![], vec![]), "{name}");
        let values = bd::formula::vars::Values::new();
        bd::formula::cook(&shelf, &loaded, &values)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!loaded.formula.description.is_empty(), "{name}");
    }
}
