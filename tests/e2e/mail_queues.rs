//! `gt mail queue`, `gt mail claim` and `gt mail release`.

use serde_json::{Value, json};
use town_tests::{Run, Town};

/// A town with the crew `max` and `nux` of `web`, and the queue `review` with two messages.
fn town_with_queue(more: &[&str]) -> Town {
    let (town, _origin) = Town::with_rig();
    for name in ["max", "nux"] {
        town.gt(["crew", "add", name, "--rig", "web"]).ok();
    }
    town.gt([
        "mail",
        "queue",
        "create",
        "review",
        "--claimers",
        "web/crew/*",
    ])
    .args(more.iter().copied())
    .ok();
    for subject in ["First", "Second"] {
        town.gt(["mail", "send", "queue:review", "-s", subject])
            .ok();
    }
    town
}

fn as_member<'a>(town: &Town, name: &str, args: impl IntoIterator<Item = &'a str>) -> Run {
    town.gt(args).env("GT_ROLE", format!("web/crew/{name}"))
}

fn claim(town: &Town, name: &str) -> Value {
    as_member(town, name, ["mail", "claim", "review", "--json"])
        .ok()
        .json()
}

fn counts(town: &Town) -> Value {
    let shown = town
        .gt(["mail", "queue", "show", "review", "--json"])
        .ok()
        .json();
    let count = |key: &str| shown[key].clone();
    json!([
        count("available_count"),
        count("processing_count"),
        count("completed_count")
    ])
}

#[test]
fn each_message_of_a_queue_has_one_claimant_until_it_is_released_or_archived() {
    let town = town_with_queue(&[]);
    assert_eq!(counts(&town), json!([2, 0, 0]));
    let first = claim(&town, "max");
    assert_eq!(
        (&first["subject"], &first["claimed_by"]),
        (&json!("First"), &json!("web/max"))
    );
    let second = claim(&town, "nux");
    assert_eq!(second["subject"], "Second");
    assert_eq!(claim(&town, "max"), json!({}));
    let none = as_member(&town, "max", ["mail", "claim"]).ok().out;
    assert!(none.contains("no message to claim"), "{none}");
    let id = |message: &Value| message["id"].as_str().unwrap().to_owned();
    as_member(&town, "nux", ["mail", "release", &id(&first)]).fails("is claimed by web/max");
    as_member(&town, "nux", ["mail", "archive", &id(&first)]).fails("is claimed by web/max");
    as_member(&town, "max", ["mail", "release", &id(&first)]).ok();
    as_member(&town, "max", ["mail", "release", &id(&first)]).fails("is not claimed");
    as_member(&town, "max", ["mail", "archive", &id(&first)]).fails("is not claimed by you");
    assert_eq!(counts(&town), json!([1, 1, 0]));
    assert_eq!(claim(&town, "nux")["subject"], "First");
    as_member(&town, "nux", ["mail", "archive", &id(&first), &id(&second)]).ok();
    assert_eq!(counts(&town), json!([0, 0, 2]));
    let plain = town
        .gt(["mail", "send", "web/max", "-s", "x", "--json"])
        .ok()
        .json();
    as_member(&town, "max", ["mail", "release", &id(&plain)]).fails("is not in a queue");
    town.gt(["mail", "release", "hq-wisp-none"])
        .fails("not found");
}

#[test]
fn a_claim_lapses_after_the_timeout_of_its_queue() {
    let town = town_with_queue(&["--timeout", "30m"]);
    let first = claim(&town, "max");
    let later = |minutes| {
        let run = town.gt_in(minutes, ["mail", "claim", "review", "--json"]);
        run.env("GT_ROLE", "web/crew/nux").ok().json()
    };
    assert_eq!(later(10)["subject"], "Second");
    assert_eq!(later(20), json!({}));
    let again = later(31);
    assert_eq!(
        (&again["id"], &again["claimed_by"]),
        (&first["id"], &json!("web/nux"))
    );
    as_member(
        &town,
        "max",
        ["mail", "archive", first["id"].as_str().unwrap()],
    )
    .fails("is claimed by web/nux");
}

#[test]
fn only_the_claimers_of_a_queue_claim_and_queues_of_the_original_gas_town_work() {
    let town = town_with_queue(&[]);
    town.gt(["mail", "claim", "review"])
        .fails("overseer may not claim messages of the queue `review` (claimers: web/crew/*)");
    town.gt(["mail", "claim", "none"])
        .fails("there is no queue `none`: not found (there are: review)");
    town.gt(["mail", "queue", "create", "x"])
        .fails("--claimers");
    let path = town.root().join("config/messaging.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let queues = json!({ "queues": { "triage": { "workers": ["web/max"], "max_claims": 1 } } });
    std::fs::write(&path, queues.to_string()).unwrap();
    for subject in ["One", "Two"] {
        town.gt(["mail", "send", "triage", "-s", subject]).ok();
    }
    let claim = ["mail", "claim", "triage", "--json"];
    assert_eq!(as_member(&town, "max", claim).ok().json()["subject"], "One");
    as_member(&town, "max", claim).fails("has 1 claims at a time, and all are in use");
    as_member(&town, "nux", claim).fails("may not claim");
    let list = town.gt(["mail", "queue", "list", "--json"]).ok().json();
    let names: Vec<&Value> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["name"])
        .collect();
    assert_eq!(names, ["review", "triage"]);
    town.gt(["mail", "queue", "delete", "review"]).ok();
    town.gt(["mail", "send", "queue:review", "-s", "x"])
        .fails("there is no queue `review`");
}

#[test]
fn of_two_agents_that_claim_at_once_each_gets_another_message() {
    let town = town_with_queue(&[]);
    let start =
        |name: &str| as_member(&town, name, ["mail", "claim", "review", "--json"]).start_reading();
    let (one, two) = (start("max"), start("nux"));
    let subject = |child: std::process::Child| {
        let output = child.wait_with_output().unwrap();
        let claimed: Value = serde_json::from_slice(&output.stdout).unwrap();
        claimed["subject"].as_str().unwrap().to_owned()
    };
    let mut claimed = [subject(one), subject(two)];
    claimed.sort();
    assert_eq!(claimed, ["First", "Second"]);
}
