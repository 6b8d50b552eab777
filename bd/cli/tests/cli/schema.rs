//! `bd schema`: what each command prints with `--json` on a real store fits its schema.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Project;
use super::recorded::words;
use super::recorded_work::{commit, git};

/// Commands that make what others look at, in order. `!commit` commits all files.
const LINES: &str = include_str!("../data/schema_lines.txt");

/// Commands whose answers are not in `LINES`: they need another rig, a worktree or a terminal.
const NOT_RUN: &[&str] = &[
    "create-form",
    "formula convert",
    "formula new",
    "gate add-waiter",
    "gate resolve",
    "gate show",
    "gate wait",
    "human",
    "human dismiss",
    "human respond",
    "merge",
    "migrate",
    "mol bond",
    "mol burn",
    "mol distill",
    "mol last-activity",
    "mol seed",
    "mol squash",
    "mol wisp create",
    "move",
    "refile",
    "rename-prefix",
    "repo add",
    "repo remove",
    "repo sync",
    "schema",
    "ship",
    "slot get",
    "uninstall",
    "worktree create",
    "worktree remove",
    "audit label",
];

/// Says where a value does not fit a schema; `None` if it fits. Knows what `bd schema` uses of JSON
/// Schema.
fn misfit(value: &Value, schema: &Value, root: &Value, at: &str) -> Option<String> {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.strip_prefix("#/$defs/").unwrap();
        return misfit(value, &root["$defs"][name], root, at);
    }
    if let Some(all) = schema["anyOf"].as_array() {
        let found: Vec<String> = all
            .iter()
            .map_while(|one| misfit(value, one, root, at))
            .collect();
        return (found.len() == all.len()).then(|| found.join(" or "));
    }
    let fits = match schema["type"].as_str() {
        None => return None,
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some("array") => {
            let Some(items) = value.as_array() else {
                return Some(format!("{at}: no list"));
            };
            let mut items = items.iter().enumerate();
            return items
                .find_map(|(n, item)| misfit(item, &schema["items"], root, &format!("{at}[{n}]")));
        }
        Some("object") => return misfit_of_object(value, schema, root, at),
        Some(other) => panic!("{other}"),
    };
    (!fits).then(|| format!("{at}: {value} is no {}", schema["type"]))
}

fn misfit_of_object(value: &Value, schema: &Value, root: &Value, at: &str) -> Option<String> {
    let Some(object) = value.as_object() else {
        return Some(format!("{at}: no object"));
    };
    for key in schema["required"].as_array().unwrap() {
        if !object.contains_key(key.as_str().unwrap()) {
            return Some(format!("{at}: {key} is missing"));
        }
    }
    object.iter().find_map(|(key, own)| {
        let at = format!("{at}.{key}");
        match (
            schema["properties"].get(key),
            &schema["additionalProperties"],
        ) {
            (Some(of), _) => misfit(own, of, root, &at),
            (None, Value::Bool(false)) => Some(format!("{at} is not in the schema")),
            (None, others) => misfit(own, others, root, &at),
        }
    })
}

/// A project in git with a formula, a batch and records to import.
fn project() -> Project {
    let project = Project::empty();
    git(&project, &["init", "-q"]);
    let out = project.ok(&["init", "--prefix", "bd", "--json"]);
    fits(&project, "init", &out);
    let formula = "formula = \"mol-work\"\ndescription = \"D\"\n[vars]\nissue = { default = \"x\" }\n[[steps]]\nid = \"one\"\ntitle = \"Do {{issue}}\"\n[[steps]]\nid = \"two\"\ntitle = \"Then\"\nneeds = [\"one\"]\n";
    project.write(".beads/formulas/mol-work.formula.toml", formula);
    project.write("batch.txt", "create task 2 Batched\n");
    project.write(
        "records.jsonl",
        "{\"id\":\"bd-i1\",\"title\":\"Imported\"}\n",
    );
    project
}

fn fits(project: &Project, command: &str, out: &str) {
    let args: Vec<&str> = ["schema"].into_iter().chain(command.split(' ')).collect();
    let schema: Value = serde_json::from_str(&project.ok(&args)).unwrap();
    let value: Value = serde_json::from_str(out).unwrap_or_else(|_| panic!("bd {command}: {out}"));
    if let Some(problem) = misfit(&value, &schema, &schema, "") {
        panic!("bd {command}: {problem}\n{out}");
    }
}

#[test]
fn command_output_matches_its_schema() {
    let project = project();
    let all: Vec<String> = serde_json::from_str(&project.ok(&["schema", "--json"])).unwrap();
    let mut run = BTreeSet::from(["init".to_owned(), "error".to_owned()]);
    for line in LINES.lines() {
        if line == "!commit" {
            commit(&project, "Work (bd-t)");
            continue;
        }
        let given = words(line);
        let longest = |n: &usize| all.contains(&given[..*n].join(" "));
        let name = (1..=given.len().min(3)).rev().find(longest);
        let name = given[..name.unwrap_or_else(|| panic!("no schema for {line}"))].join(" ");
        let args: Vec<&str> = ["--json"]
            .into_iter()
            .chain(given.iter().map(String::as_str))
            .collect();
        let ran = project.run(&args);
        assert_eq!(ran.code, 0, "bd {line}: {}{}", ran.out, ran.err);
        fits(&project, &name, &ran.out);
        run.insert(name);
    }
    let failed = project.run(&["show", "bd-nothing", "--json"]);
    fits(&project, "error", &failed.out);
    let not_run: Vec<&str> = all
        .iter()
        .map(String::as_str)
        .filter(|name| !run.contains(*name))
        .collect();
    let expected: BTreeSet<&str> = NOT_RUN.iter().copied().collect();
    assert_eq!(not_run.into_iter().collect::<BTreeSet<_>>(), expected);
}

#[test]
fn every_command_that_prints_json_has_a_schema() {
    let project = Project::new();
    assert!(
        project
            .fails(&["schema", "prime"])
            .contains("prints no JSON")
    );
    assert!(
        project
            .fails(&["schema", "nonsense"])
            .contains("unknown command")
    );
    assert!(project.ok(&["schema"]).contains("bd schema dep tree\n"));
}
