//! Built-in formulas: they validate, and what they and the role texts tell an agent to run exists.

use std::path::{Path, PathBuf};

use clap::Command;
use clap::error::ErrorKind;

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

/// The words of a command line, as a shell splits them: quoted text is one word, `{{name}}` and
/// `{n}` stand for one.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            // A placeholder such as <your bead> is part of a word.
            ('<', None) => quote = Some('>'),
            (c, Some(open)) if c == open => quote = None,
            (' ', None) => words.push(String::new()),
            (c, _) => words.last_mut().unwrap().push(c),
        }
    }
    let filled = words.into_iter().map(|word| word.replace("{n}", "1"));
    filled.filter(|word| !word.is_empty()).collect()
}

/// What is wrong with a command line, if something is: it is read as the program reads it. What it
/// leaves out is the reader's to fill in.
fn problem(line: &str) -> Option<String> {
    let words = words(line);
    let command: Command = match words.first()?.as_str() {
        "gt" => gt_cli::build_command_line(),
        _ => bd_cli::build_command_line(),
    };
    let error = command.try_get_matches_from(&words).err()?;
    let is_shortened = matches!(
        error.kind(),
        ErrorKind::MissingRequiredArgument
            | ErrorKind::MissingSubcommand
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    );
    (!is_shortened).then(|| format!("{line}: {error}"))
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
fn the_command_parser_detects_invalid_commands() {
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
fn every_built_in_formula_validates_without_warnings() {
    let shelf = bd::formula::FormulaSearchPath {
        has_built_in: true,
        ..bd::formula::FormulaSearchPath::default()
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
        assert_eq!(
            bd::formula::check::check_own_file(&loaded),
            (vec![], vec![]),
            "{name}"
        );
        let values = bd::formula::vars::VarValues::new();
        bd::formula::cook_formula(&shelf, &loaded, &values)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!loaded.formula.description.is_empty(), "{name}");
    }
}
