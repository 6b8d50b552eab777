//! The language of help, messages and documentation: literal, one idea per sentence, plurals that
//! agree. The lists are habits that this project had. Add every other one that you find.

use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use town_tests::{files_below, programs};

/// Phrases, and what to write instead. Whole words, in any case.
const HABITS: &[(&str, &str)] = &[
    ("is told", "is reported"),
    ("are told", "are reported"),
    ("was told", "was reported"),
    ("were told", "were reported"),
    ("tells", "reports, shows"),
    ("by itself", "automatically"),
    ("by themselves", "automatically"),
    ("anew", "again"),
    ("thereby", "so"),
    ("as it is", "unchanged"),
    ("as they are", "unchanged"),
    ("letter", "message"),
    ("in line", "queued"),
    ("way out", "fix, next step"),
    ("ways out", "fixes, next steps"),
    ("people", "users"),
    ("is held", "is blocked"),
    ("held back", "blocked"),
    ("none but", "only"),
    ("nothing but", "only"),
    ("where that is so", "if so"),
    ("a rig each", "per rig"),
    ("each for itself", "separately"),
    ("for good", "permanently"),
    ("gives way", "yields"),
    ("went back", "was rolled back"),
    ("of these", "name them"),
    ("says so", "name the text"),
    ("mend", "fix, repair"),
    ("mends", "fixes, repairs"),
    ("mended", "fixed, repaired"),
    ("mending", "fixing, repairing"),
    ("nobody", "no one"),
    ("nobody's", "no one's"),
    ("whoever", "name the subject"),
    ("where not set", "the default, in the column of defaults"),
    ("so often in a row", "a number of times in a row"),
    ("a person", "the user"),
    ("the person", "the user"),
    ("who gets it", "name the recipient"),
    ("what that is", "name it"),
    ("1 commits", "plural"),
    ("1 messages", "plural"),
    ("1 beads", "plural"),
    ("the the", "the"),
    ("a a", "a"),
    ("to to", "to"),
    ("of of", "of"),
    ("is is", "is"),
];

/// Misspellings that tools for spelling list first.
const MISSPELLED: &[&str] = &[
    "accomodate",
    "acheive",
    "adress",
    "agressive",
    "appearence",
    "arguement",
    "becuase",
    "begining",
    "commited",
    "commiting",
    "comming",
    "concious",
    "definately",
    "dependancy",
    "dependant",
    "desparate",
    "dissapear",
    "enviroment",
    "existance",
    "explaination",
    "foward",
    "futher",
    "gaurantee",
    "grammer",
    "happend",
    "immediatly",
    "independant",
    "interupt",
    "knowlege",
    "lenght",
    "maintainance",
    "neccessary",
    "noticable",
    "occassion",
    "occured",
    "occurence",
    "ommit",
    "paramter",
    "persistant",
    "posession",
    "preceed",
    "prefered",
    "proccess",
    "publically",
    "recieve",
    "reccomend",
    "refered",
    "relevent",
    "repositry",
    "seperate",
    "succesful",
    "successfull",
    "supercede",
    "teh",
    "thier",
    "threshhold",
    "tommorow",
    "transfered",
    "truely",
    "unneccessary",
    "untill",
    "wich",
    "writeable",
];

fn words(text: &str) -> Vec<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '\'' | '-' | '_');
    text.split(|letter: char| {
        !is_part(letter) && !matches!(letter, '.' | ':' | ';' | ',' | '`' | '"')
    })
    .filter(|word| !word.is_empty())
    .map(str::to_lowercase)
    .collect()
}

/// The habits and misspellings in a text.
fn findings(place: &str, text: &str) -> Vec<String> {
    let words = words(text);
    let has = |phrase: &str| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        let plain = |word: &String| word.trim_end_matches(['.', ':', ';', ',']).to_owned();
        let (last, start) = phrase.split_last().unwrap();
        words.windows(phrase.len()).any(|found| {
            let (end, begin) = found.split_last().unwrap();
            begin.iter().eq(start.iter()) && plain(end) == *last
        })
    };
    let habits = HABITS
        .iter()
        .filter(|(habit, _)| has(habit))
        .map(|(habit, instead)| format!("{place}: \"{habit}\" (write: {instead})"));
    let spelling = MISSPELLED
        .iter()
        .filter(|word| has(word))
        .map(|word| format!("{place}: \"{word}\" is misspelled"));
    habits.chain(spelling).collect()
}

/// The help of a command and of all its subcommands, those left out that nobody types.
fn helps(name: &str, command: &clap::Command, found: &mut Vec<(String, String)>) {
    found.push((
        format!("{name} --help"),
        command.clone().render_long_help().to_string(),
    ));
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        helps(&format!("{name} {}", sub.get_name()), sub, found);
    }
}

fn all_helps() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, command) in programs() {
        helps(name, &command, &mut found);
    }
    found
}

#[test]
fn help_texts_use_no_unidiomatic_phrases() {
    let found: Vec<String> = all_helps()
        .iter()
        .flat_map(|(name, text)| findings(name, text))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn documents_use_no_unidiomatic_phrases() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths: Vec<PathBuf> = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    ]
    .map(|name| root.join(name))
    .into();
    let docs = std::fs::read_dir(root.join("docs")).unwrap();
    paths.extend(docs.flatten().map(|entry| entry.path()));
    let found: Vec<String> = paths
        .iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .flat_map(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            findings(&path.file_name().unwrap().to_string_lossy(), &text)
        })
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Habits that are plain words in a message: the letters of a name, a line of a file, a lock, `to
/// {to}`.
const PLAIN_IN_MESSAGES: &[&str] = &["letter", "in line", "is held", "nothing but", "to to"];

/// The texts of a source file, those of its unit tests left out. Of attributes only error messages
/// count: helps are read in whole, and other attributes are not shown to users.
fn texts_of_source(tokens: TokenStream, found: &mut Vec<String>) {
    let mut is_attribute = false;
    for token in tokens {
        match token {
            TokenTree::Punct(mark) if matches!(mark.as_char(), '#' | '!') => {
                is_attribute |= mark.as_char() == '#';
                continue;
            }
            TokenTree::Group(group) => {
                let inner = group.stream();
                let is_error = matches!(
                    inner.clone().into_iter().next(),
                    Some(TokenTree::Ident(name)) if name == "error"
                );
                if !is_attribute || is_error {
                    texts_of_source(inner, found);
                }
            }
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    found.push(text.value());
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
        is_attribute = false;
    }
}

#[test]
fn messages_use_no_unidiomatic_phrases() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for folder in [
        "kit",
        "bd",
        "bd/cli",
        "gt",
        "gt/cli",
        "gtd",
        "plugins/keeper",
    ] {
        for path in files_below(&root.join(folder).join("src")) {
            let source = std::fs::read_to_string(&path).unwrap();
            let production = match source.find("\n#[cfg(test)]\nmod ") {
                Some(end) => &source[..end],
                None => &source,
            };
            let mut texts = Vec::new();
            texts_of_source(production.parse().unwrap(), &mut texts);
            found.extend(
                texts
                    .iter()
                    .flat_map(|text| findings(&format!("{} in {text:?}", path.display()), text)),
            );
        }
    }
    for folder in ["gt/templates", "bd/templates"] {
        for path in files_with_ending(&root.join(folder), &["md", "txt", "yaml"]) {
            let text = std::fs::read_to_string(&path).unwrap();
            // A key of the JSON of `bd doctor`.
            let text = text.replace(" mended: ", " ");
            found.extend(findings(&path.display().to_string(), &text));
        }
    }
    found.retain(|line| {
        !PLAIN_IN_MESSAGES
            .iter()
            .any(|plain| line.contains(&format!(": \"{plain}\" (write")))
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The files below a folder whose names have one of the endings.
fn files_with_ending(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with_ending(&path, endings));
        } else if path
            .extension()
            .is_some_and(|ending| endings.iter().any(|known| ending == *known))
        {
            found.push(path);
        }
    }
    found
}

#[test]
fn the_first_line_of_each_help_is_self_contained() {
    let mut found = Vec::new();
    for (name, text) in all_helps() {
        let first = text.lines().next().unwrap_or_default().to_owned();
        if first.chars().count() > 60 || first.starts_with("Usage") {
            found.push(format!("{name}: {first}"));
        }
    }
    assert!(
        found.is_empty(),
        "at most 60 characters:\n{}",
        found.join("\n")
    );
}

#[test]
fn an_unidiomatic_phrase_and_a_misspelling_are_found() {
    let found = findings(
        "here",
        "The overseer is told, untill it goes on by\nitself.",
    );
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(findings("here", "It is. Told once more.").is_empty());
}
