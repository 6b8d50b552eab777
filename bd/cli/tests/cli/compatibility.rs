//! `docs/COMPATIBILITY.md` says of each flag whether it is accepted: the program has to agree.

use std::collections::BTreeSet;

use super::Project;

const TABLE: &str = include_str!("../../../../docs/COMPATIBILITY.md");
const HINTS: &str = include_str!("../../../templates/vocabulary/flags.txt");

/// The texts in backticks.
fn spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// All flags of a command, hidden ones and other names too.
fn flags(command: &clap::Command) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for arg in command.get_arguments() {
        let names = arg.get_long_and_visible_aliases().unwrap_or_default();
        let hidden = arg.get_all_aliases().unwrap_or_default();
        found.extend(
            names
                .into_iter()
                .chain(hidden)
                .map(|name| format!("--{name}")),
        );
    }
    found
}

#[test]
fn the_compatibility_table_matches_the_commands() {
    let mut root = bd_cli::build_command_line();
    root.build();
    let everywhere = flags(&root);
    let (mut rows, mut problems) = (0, Vec::new());
    for row in TABLE.lines().filter(|line| line.starts_with("| `bd")) {
        rows += 1;
        let cells: Vec<&str> = row.split(" | ").collect();
        let [command, same, kinder, missing] = cells[..] else {
            panic!("not four cells: {row}");
        };
        let path = spans(command).next().unwrap();
        let mut found = &root;
        for word in path.split(' ').skip(1) {
            found = found
                .find_subcommand(word)
                .unwrap_or_else(|| panic!("no {path}"));
        }
        let own = flags(found);
        let is_known = |flag: &str| own.contains(flag) || everywhere.contains(flag);
        let flags = |cell| spans(cell).filter(|span| span.starts_with("--") && !span.contains(' '));
        for flag in flags(same).chain(flags(kinder)) {
            if !is_known(flag) {
                problems.push(format!("{path} does not take {flag}"));
            }
        }
        let flags_of = |part: &'static str| spans(part.split(':').next().unwrap_or(""));
        let refused = missing.split("; ").flat_map(flags_of);
        for flag in refused.filter(|span| span.starts_with("--")) {
            if is_known(flag) {
                problems.push(format!("{path} takes {flag}"));
            }
            let command = path.strip_prefix("bd ").unwrap_or("-");
            let has_hint = kit::table::read_rows(HINTS).any(|[row, spellings, _]| {
                row == command && kit::table::split_list(spellings, ',').any(|name| name == flag)
            });
            if !has_hint {
                problems.push(format!("{path} has no hint for {flag}"));
            }
        }
    }
    assert!(rows > 150, "{rows}");
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
fn commands_of_the_compatibility_table_have_help() {
    let project = Project::empty();
    for row in TABLE.lines().filter(|line| line.starts_with("| `bd ")) {
        let path = spans(row).next().unwrap();
        let args: Vec<&str> = path.split(' ').skip(1).chain(["--help"]).collect();
        assert_eq!(project.run(&args).code, 0, "{path}");
    }
}
