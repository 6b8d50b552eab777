//! `docs/CONTEXT-TEXTS.md` names tests that exist.

use std::path::Path;

/// The names and paths in a cell: `` `name` (path) ``.
fn named(cell: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = cell;
    while let Some((name, after)) = rest.split_once("` (") {
        let name = name.rsplit('`').next().unwrap();
        let (path, after) = after.split_once(')').unwrap();
        found.push((name, path));
        rest = after;
    }
    found
}

#[test]
fn each_sentence_of_the_context_texts_names_a_test_that_exists() {
    let page = include_str!("../../docs/CONTEXT-TEXTS.md");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let rows = page
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| ---"))
        .filter(|line| !line.contains("| Held by |"));
    let mut count = 0;
    for row in rows {
        let tests = named(row);
        assert!(!tests.is_empty(), "no test: {row}");
        for (name, path) in tests {
            let text = town_tests::read_text(root.join(path));
            let line = format!("fn {name}()");
            let at = text.find(&line);
            let before = at.map(|at| &text[..at]).unwrap_or_default();
            let is_test = before.rsplit("fn ").next().unwrap().contains("#[test]");
            assert!(is_test, "{path} has no test {name}");
        }
        count += 1;
    }
    assert!(count > 70, "{count}");
}
