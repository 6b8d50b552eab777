//! Random stores of other programs: values of other types in every field, doubled ids, text ids,
//! unknown keys, elements and lines. Commands change only what they name.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};

use super::Project;

/// The cases of a short run; `PROPTEST_CASES` sets another number.
const CASES: u32 = 24;

/// The ids of random lines. Few, so that ids are doubled and commands meet them.
const IDS: [&str; 7] = [
    "bd-a",
    "bd-b",
    "bd-c3f",
    "bd-c3f.1",
    "bd-long-word",
    "other-x1y",
    "bd-D_9",
];

/// The keys of the lists, which keep elements that are not understood.
const LISTS: [&str; 3] = ["labels", "dependencies", "comments"];

/// One line of a file: another kind of record, or a bead.
#[derive(Debug, Clone)]
struct ForeignLine(Value);

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..99).prop_map(Value::from),
        Just(json!(1.5)),
        select(&["", "x", "2026-01-05T00:00:00Z", "5", "\u{e4}\u{1f600}\n"][..])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((select(&["k", "id", "text"][..]), inner), 0..3).prop_map(
                |pairs| pairs
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect()
            ),
        ]
    })
}

/// The usual value of a key.
fn usual_value(key: &str) -> Option<Value> {
    Some(match key {
        "title" | "description" | "notes" | "design" | "assignee" | "external_ref" | "owner" => {
            json!("Text")
        }
        "status" => json!("open"),
        "priority" => json!(1),
        "issue_type" => json!("task"),
        "created_at" | "updated_at" => json!("2026-01-02T00:00:00Z"),
        "created_by" => json!("dana"),
        "estimated_minutes" => json!(30),
        "pinned" => json!(false),
        "metadata" => json!({"k": 1.5}),
        _ => return None,
    })
}

const KEYS: [&str; 18] = [
    "title",
    "description",
    "notes",
    "design",
    "assignee",
    "external_ref",
    "owner",
    "status",
    "priority",
    "issue_type",
    "created_at",
    "updated_at",
    "created_by",
    "estimated_minutes",
    "pinned",
    "metadata",
    "zz_unknown",
    "aa unknown",
];

fn any_element(list: &'static str) -> BoxedStrategy<Value> {
    let usual = match list {
        "labels" => select(&["one", "two", "a:b"][..])
            .prop_map(Value::from)
            .boxed(),
        "dependencies" => (
            select(&IDS[..]),
            select(&["related", "blocks", "mine"][..]),
            any_json(),
        )
            .prop_map(|(to, kind, odd)| {
                json!({"issue_id": "bd-a", "depends_on_id": to, "type": kind,
                       "created_at": "2026-01-02T00:00:00Z", "metadata": odd})
            })
            .boxed(),
        _ => (any_json(), select(&["First", "Second"][..]))
            .prop_map(|(id, text)| {
                json!({"id": id, "author": "kim", "text": text,
                       "created_at": "2026-01-02T00:00:00Z", "zz": [1.5]})
            })
            .boxed(),
    };
    prop_oneof![3 => usual, 2 => any_json()].boxed()
}

fn any_list(list: &'static str) -> impl Strategy<Value = Option<Value>> {
    prop_oneof![
        2 => Just(None),
        4 => prop::collection::vec(any_element(list), 1..4).prop_map(|list| Some(Value::from(list))),
        1 => any_json().prop_map(Some),
    ]
}

fn any_line() -> impl Strategy<Value = ForeignLine> {
    let values = KEYS.map(|key| {
        let usual = usual_value(key);
        prop_oneof![
            6 => Just(usual),
            2 => any_json().prop_map(Some),
            1 => Just(None),
        ]
    });
    let lists = LISTS.map(any_list);
    let bead = (select(&IDS[..]), values, lists).prop_map(|(id, values, lists)| {
        let mut bead = Map::new();
        bead.insert("id".to_owned(), json!(id));
        let values = KEYS
            .into_iter()
            .zip(values)
            .chain(LISTS.into_iter().zip(lists));
        for (key, value) in values {
            bead.extend(value.map(|value| (key.to_owned(), value)));
        }
        ForeignLine(Value::Object(bead))
    });
    let other =
        any_json().prop_map(|value| ForeignLine(json!({"_type": "memory", "value": value})));
    prop_oneof![9 => bead, 1 => other]
}

/// A command, with the keys that it may change in the bead that it names.
#[derive(Debug, Clone)]
struct RandomCommand {
    args: Vec<&'static str>,
    id: Option<&'static str>,
    keys: &'static [&'static str],
}

fn any_command() -> impl Strategy<Value = RandomCommand> {
    let commands: Vec<(&[&str], &'static [&'static str])> = vec![
        (&["update", "ID", "-p", "3"], &["priority", "updated_at"]),
        (
            &["update", "ID", "--title", "New"],
            &["title", "updated_at"],
        ),
        (&["update", "ID", "--notes", "N"], &["notes", "updated_at"]),
        (&["label", "add", "ID", "new"], &["labels"]),
        (&["label", "remove", "ID", "one"], &["labels"]),
        (
            &["comments", "add", "ID", "Hello"],
            &["comments", "updated_at"],
        ),
        (
            &["dep", "add", "ID", "bd-b", "--type", "related"],
            &["dependencies", "updated_at"],
        ),
        (
            &["close", "ID", "--force"],
            &[
                "status",
                "closed_at",
                "close_reason",
                "closed_by_session",
                "updated_at",
                "metadata",
            ],
        ),
        (&["create", "Another"], &[]),
        (&["list", "--all"], &[]),
        (&["ready"], &[]),
        (&["blocked"], &[]),
        (&["export"], &[]),
        (&["doctor"], &[]),
        (&["sync"], &[]),
    ];
    (select(commands), select(&IDS[..])).prop_map(|((args, keys), id)| {
        let is_addressed = args.contains(&"ID");
        let args = args.iter().map(|arg| if *arg == "ID" { id } else { arg });
        RandomCommand {
            args: args.collect(),
            id: is_addressed.then_some(id),
            keys,
        }
    })
}

/// The lines of the issues by id, and those without one.
fn read_lines(project: &Project) -> (BTreeMap<String, String>, Vec<String>) {
    let (mut beads, mut others) = (BTreeMap::new(), Vec::new());
    for line in project.read(".beads/issues.jsonl").lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        match value["id"].as_str().filter(|_| value["_type"].is_null()) {
            Some(id) => {
                let old = beads.insert(id.to_owned(), line.to_owned());
                assert_eq!(old, None, "{id} has two lines");
            }
            None => others.push(line.to_owned()),
        }
    }
    (beads, others)
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(is_set) => !is_set,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(object) => object.is_empty(),
    }
}

/// Returns true if an element of a list is still as it was, but for keys that were absent.
fn is_kept(before: &Value, after: &Value) -> bool {
    match (before.as_object(), after.as_object()) {
        (Some(before), Some(after)) => before
            .iter()
            .filter(|(_, value)| !is_blank(value))
            .all(|(key, value)| after.get(key) == Some(value)),
        _ => before == after,
    }
}

/// Compares a bead that a command named: other keys, and elements of lists, are as they were.
fn check_addressed(before: &str, after: &str, command: &RandomCommand) {
    let [before, after]: [Value; 2] =
        [before, after].map(|line| serde_json::from_str(line).unwrap());
    let object = before.as_object().unwrap();
    for (key, value) in object.iter().filter(|(_, value)| !is_blank(value)) {
        let now = &after[key];
        let is_named = command.keys.contains(&key.as_str());
        if LISTS.contains(&key.as_str()) && value.is_array() {
            let elements = value.as_array().unwrap().iter();
            for element in elements.filter(|element| **element != json!("one") || !is_named) {
                let is_there = now
                    .as_array()
                    .is_some_and(|now| now.iter().any(|now| is_kept(element, now)));
                assert!(is_there, "{command:?} dropped {element} of {key}: {after}");
            }
        } else if !is_named {
            assert_eq!(now, value, "{command:?} changed {key}");
        }
    }
}

fn check_store(lines: &[ForeignLine], commands: &[RandomCommand]) {
    let project = Project::new();
    let texts: Vec<String> = lines.iter().map(|line| line.0.to_string()).collect();
    project.write(".beads/issues.jsonl", &(texts.join("\n") + "\n"));
    // The first write merges the lines of one bead, and leaves all others alone.
    project.ok(&["create", "First"]);
    assert!(!project.path(".beads/damaged").exists());
    let (mut beads, mut others) = read_lines(&project);
    for (line, text) in lines.iter().zip(&texts) {
        let of_id = |other: &&ForeignLine| other.0["id"] == line.0["id"];
        let id = line.0["id"].as_str().unwrap_or_default();
        match (id, lines.iter().filter(of_id).count()) {
            ("", _) => assert!(others.contains(text), "{text} was dropped"),
            (_, 1) => assert_eq!(&beads[id], text),
            _ => assert!(beads.contains_key(id), "{id} was dropped"),
        }
    }
    // The id of a bead that is not here may mean another one, as a part of its id.
    let is_here = |command: &&RandomCommand| {
        let id = command.id;
        id.is_none_or(|id| lines.iter().any(|line| line.0["id"] == id))
    };
    for command in commands.iter().filter(is_here) {
        let ran = project.run(&command.args);
        let (now, other_lines) = read_lines(&project);
        assert_eq!(other_lines, others, "{command:?}");
        for (id, line) in &beads {
            let found = now.get(id);
            let found = found.unwrap_or_else(|| panic!("{command:?} dropped {id}"));
            if command.id == Some(id) && ran.code == 0 {
                check_addressed(line, found, command);
            } else {
                assert_eq!(found, line, "{command:?} changed {id}: {}", ran.err);
            }
        }
        (beads, others) = (now, other_lines);
    }
}

#[test]
fn commands_change_only_what_they_name_in_stores_of_other_programs() {
    let cases = std::env::var("PROPTEST_CASES").ok();
    let config = Config {
        cases: cases.and_then(|cases| cases.parse().ok()).unwrap_or(CASES),
        max_shrink_iters: 300,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let stores = (
        prop::collection::vec(any_line(), 1..9),
        prop::collection::vec(any_command(), 1..6),
    );
    TestRunner::new_with_rng(config, rng)
        .run(&stores, |(lines, commands)| {
            check_store(&lines, &commands);
            Ok(())
        })
        .unwrap();
}
