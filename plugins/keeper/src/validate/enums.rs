//! Compares enums before and after a change: values may only be appended.

use super::{ChangedFile, Finding, build_finding};
use crate::code::{Definition, DefinitionKind, find_definitions};

/// An enum with its values and their lines.
struct EnumDefinition {
    name: String,
    line: usize,
    values: Vec<(String, usize)>,
}

/// Returns a finding for each enum that a change modifies other than by appending.
pub(super) fn find_changed_enums(files: &[ChangedFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        let new = find_enums(&file.path, &file.new);
        for old in find_enums(&file.path, &file.old) {
            let what = if let Some(now) = new.iter().find(|candidate| candidate.name == old.name) {
                find_first_change(&old, now)
            } else {
                // The enum may have moved to another file of the change.
                let moved = files
                    .iter()
                    .filter(|other| other.path != file.path)
                    .flat_map(|other| find_enums(&other.path, &other.new))
                    .find(|candidate| candidate.name == old.name);
                match moved {
                    Some(now) => find_first_change(&old, &now).map(|(_, what)| (1, what)),
                    None => Some((1, format!("removes enum {}", old.name))),
                }
            };
            if let Some((line, what)) = what {
                findings.push(build_finding("data-append", &file.path, line, what));
            }
        }
    }
    findings
}

/// Returns the first value that is not in its old position.
fn find_first_change(old: &EnumDefinition, now: &EnumDefinition) -> Option<(usize, String)> {
    for (at, (value, _)) in old.values.iter().enumerate() {
        match now.values.get(at) {
            Some((new_value, _)) if new_value == value => {}
            Some((new_value, line)) => {
                let what = format!("has {new_value} where enum {} had {value}", old.name);
                return Some((*line, what));
            }
            None => {
                let what = format!("takes {value} from enum {}", old.name);
                return Some((now.line, what));
            }
        }
    }
    None
}

fn find_enums(path: &str, text: &str) -> Vec<EnumDefinition> {
    let lines: Vec<&str> = text.lines().collect();
    find_definitions(path, text)
        .into_iter()
        .filter(|definition| definition.kind == DefinitionKind::Enum)
        .map(|definition| parse_enum(path, &lines, definition))
        .collect()
}

fn parse_enum(path: &str, lines: &[&str], definition: Definition) -> EnumDefinition {
    let begin = definition.line - 1;
    let values = match path.rsplit('.').next() {
        Some("py") => parse_python_values(lines, begin),
        Some("sql") => parse_sql_values(lines, begin),
        _ => parse_braced_values(lines, begin),
    };
    EnumDefinition {
        name: definition.name,
        line: definition.line,
        values,
    }
}

/// Parses `NAME = value` lines below the class, as long as they are indented.
fn parse_python_values(lines: &[&str], begin: usize) -> Vec<(String, usize)> {
    let mut values = Vec::new();
    for (at, line) in lines[begin + 1..].iter().enumerate() {
        if !line.trim().is_empty() && !line.starts_with([' ', '\t']) {
            break;
        }
        let Some((name, _)) = line.split_once('=') else {
            continue;
        };
        let name = name.trim();
        if !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            values.push((name.to_owned(), begin + 2 + at));
        }
    }
    values
}

/// Parses the quoted words up to the end of the statement.
fn parse_sql_values(lines: &[&str], begin: usize) -> Vec<(String, usize)> {
    let mut values = Vec::new();
    for (at, line) in lines[begin..].iter().enumerate() {
        let words = line.split('\'').skip(1).step_by(2);
        values.extend(words.map(|word| (word.to_owned(), begin + 1 + at)));
        if line.contains(';') {
            break;
        }
    }
    values
}

/// Parses the names between braces: the first word after `{` and after each comma of the same
/// depth.
fn parse_braced_values(lines: &[&str], begin: usize) -> Vec<(String, usize)> {
    let mut values: Vec<(String, usize)> = Vec::new();
    let mut depth = 0_usize;
    let mut expects = false;
    let mut name = String::new();
    for (at, line) in lines[begin..].iter().enumerate() {
        let code = line.split_once("//").map_or(*line, |(code, _)| code);
        if code.trim_start().starts_with(['#', '*', '@']) || code.trim_start().starts_with("/*") {
            continue;
        }
        for c in code.chars().chain(['\n']) {
            if depth == 1 && expects && (c.is_alphanumeric() || c == '_') {
                name.push(c);
                continue;
            }
            if !name.is_empty() {
                values.push((std::mem::take(&mut name), begin + 1 + at));
                expects = false;
            }
            match c {
                '{' | '(' | '[' => {
                    expects = depth == 0 && c == '{' || (expects && depth > 0);
                    depth += 1;
                }
                '}' | ')' | ']' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 && c == '}' {
                        return values;
                    }
                }
                ',' if depth == 1 => expects = true,
                // The values of a class-like enum end here.
                ';' if depth == 1 => return values,
                _ => {}
            }
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(path: &str, old: &str, new: &str) -> String {
        let file = ChangedFile {
            path: path.to_owned(),
            old: old.to_owned(),
            new: new.to_owned(),
        };
        let all: Vec<String> = find_changed_enums(&[file])
            .iter()
            .map(|one| format!("{}: {}", one.line, one.what))
            .collect();
        all.join("; ")
    }

    #[test]
    fn only_appending_to_an_enum_passes_and_other_changes_name_their_line() {
        let old = "pub enum Tier {\n    /// Free, for all.\n    Free,\n    Pro { seats: u32, x: (u8, u8) },\n}\n";
        let more = old.replace("}\n", "    Team,\n}\n");
        assert_eq!(said("a.rs", old, &more), "");
        let first = old.replace("    Free,", "    Team,\n    Free,");
        assert_eq!(
            said("a.rs", old, &first),
            "3: has Team where enum Tier had Free"
        );
        let gone = old.replace("    Pro { seats: u32, x: (u8, u8) },\n", "");
        assert_eq!(said("a.rs", old, &gone), "1: takes Pro from enum Tier");
        assert_eq!(said("a.rs", old, ""), "1: removes enum Tier");
        assert_eq!(
            said(
                "a.py",
                "class T(Enum):\n    A = 1\n    B = 2\n",
                "class T(Enum):\n    B = 2\n"
            ),
            "2: has B where enum T had A"
        );
        let sql = "CREATE TYPE tier AS ENUM ('free', 'pro');\n";
        assert_eq!(
            said("a.sql", sql, &sql.replace("'pro'", "'pro', 'team'")),
            ""
        );
        assert_eq!(
            said("a.sql", sql, &sql.replace("'free', ", "")),
            "1: has pro where enum tier had free"
        );
        assert_eq!(
            said(
                "a.ts",
                "export enum S { A = 'a', B }\n",
                "export enum S { A = 'a', B, C }\n"
            ),
            ""
        );
    }
}
