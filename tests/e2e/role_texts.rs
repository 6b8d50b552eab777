//! Role texts and formulas name only commands and addresses that work.

use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use gt::town::identity::Address;
use town_tests::programs;

/// The texts that agents read, with their names.
fn texts() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let folders = [
        "gt/templates/role",
        "gt/templates/message",
        "gt/templates/prompt",
        "gt/templates/formula",
        "formulas",
    ];
    let mut files: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap().flatten())
        .map(|entry| entry.path())
        .filter(|path| !path.ends_with("README.md"))
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            (path.strip_prefix(root).unwrap().to_owned(), text)
        })
        .collect()
}

/// The command lines in a text: between backticks, and from `gt` or `bd` to the end of a line of a
/// formula.
fn command_lines(path: &Path, text: &str) -> Vec<String> {
    let starts = |text: &str| text.starts_with("gt ") || text.starts_with("bd ");
    let mut found = Vec::new();
    for line in text.lines() {
        let spans = line.split('`').skip(1).step_by(2);
        found.extend(spans.filter(|span| starts(span)).map(str::to_owned));
        if path.extension().is_none_or(|ending| ending != "toml") || line.contains('`') {
            continue;
        }
        let mut text = line.trim();
        for opening in ["description = \"", "description = '"] {
            if let Some(rest) = text.strip_prefix(opening) {
                text = rest.trim_end_matches(['"', '\'']);
            }
        }
        let after_colon = text
            .find(": gt ")
            .or_else(|| text.find(": bd "))
            .map(|at| &text[at + 2..]);
        let command = if starts(text) {
            Some(text)
        } else {
            after_colon
        };
        if let Some(command) = command {
            let end = ["  ", ". ", ", ", "; ", " # "]
                .iter()
                .filter_map(|end| command.find(end))
                .min();
            let command = &command[..end.unwrap_or(command.len())];
            found.push(command.trim_end_matches(['.', ':', ',']).to_owned());
        }
    }
    found
}

/// The words of a command line, as a shell splits them.
fn split_words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in line.chars() {
        match quote {
            Some('>') if letter == '>' => {
                quote = None;
                word.get_or_insert_default().push(letter);
            }
            Some(end) if letter == end => quote = None,
            Some(_) => word.get_or_insert_default().push(letter),
            None if letter == '"' || letter == '\'' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            // A placeholder may have spaces: <your bead>.
            None if letter == '<' => {
                quote = Some('>');
                word.get_or_insert_default().push(letter);
            }
            None if letter == ' ' => words.extend(word.take()),
            None => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// Returns true for a word that stands for another one.
fn is_placeholder(word: &str) -> bool {
    let is_capital = |letter: char| letter.is_ascii_uppercase() || "-_/".contains(letter);
    word.contains(['<', '{', '…']) || word.contains("...") || word.chars().all(is_capital)
}

/// The reason why a command line does not work. None if it does.
fn find_fault(line: &str) -> Option<String> {
    let words = split_words(line);
    let (_, program) = programs().into_iter().find(|(name, _)| *name == words[0])?;
    let has_placeholder = words.iter().any(|word| is_placeholder(word));
    // A mention of a command need not have its arguments.
    let fault = program
        .try_get_matches_from(&words)
        .err()
        .filter(|error| match error.kind() {
            ErrorKind::MissingRequiredArgument
            | ErrorKind::MissingSubcommand
            | ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => false,
            ErrorKind::InvalidValue | ErrorKind::ValueValidation => !has_placeholder,
            _ => true,
        });
    if let Some(fault) = fault {
        return Some(fault.to_string());
    }
    let addressed = [
        ["gt", "nudge"].as_slice(),
        &["gt", "mail", "send"],
        &["gt", "peek"],
    ];
    let is_addressed = |start: &&[&str]| words.iter().take(start.len()).eq(start.iter());
    let start = addressed.iter().find(|start| is_addressed(start))?;
    let address = words
        .get(start.len())
        .filter(|word| !is_placeholder(word))?;
    let is_group = address.starts_with('@') || address.contains(':');
    let parsed = address.parse::<Address>();
    (!is_group && parsed.is_err()).then(|| format!("`{address}` is not an address"))
}

#[test]
fn every_command_of_a_role_text_or_formula_is_accepted_by_the_command_line() {
    let mut count = 0;
    let mut faults = Vec::new();
    for (path, text) in texts() {
        for line in command_lines(&path, &text) {
            count += 1;
            if let Some(fault) = find_fault(&line) {
                faults.push(format!("{}: {line}\n  {fault}", path.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count > 100, "{count}");
}

#[test]
fn a_command_that_does_not_exist_and_a_wrong_address_are_found() {
    for line in [
        "gt nonsense",
        "gt mail sendd mayor/ -s x",
        "gt mail send mayor/ --subjekt x",
        "gt mail send a/b/c/d -s x -m y",
        "bd list --statuss open",
    ] {
        assert!(find_fault(line).is_some(), "{line}");
    }
    for line in [
        "gt escalate",
        "gt sling <bead> <rig>",
        "bd show ID",
        "gt mail send @crew -s x",
    ] {
        assert_eq!(find_fault(line), None, "{line}");
    }
}
