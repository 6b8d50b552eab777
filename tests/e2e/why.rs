//! `gt why` on a terminal. What it explains is in the tests of what happens.

use serde_json::{Value, json};
use town_tests::{Town, Worker, eventually, read_text};

/// Runs `gt` on a terminal; what its pager gets goes to a file.
fn on_terminal(town: &Town, name: &str, pager: &str, rest: &str) -> String {
    let (file, end) = (town.path(name), town.path(&format!("{name}.end")));
    let (gt, root) = (town.path("bin/gt"), town.root());
    let command = format!(
        "cd '{}' && HOME='{}' {pager}='cat > {}' '{}' {rest} > /dev/tty; touch '{}'",
        root.display(),
        town.path("home").display(),
        file.display(),
        gt.display(),
        end.display(),
    );
    let session = ["-L", name, "new-session", "-d", command.as_str()];
    town.program_on_path("tmux").args(session).ok();
    eventually("gt has ended", || end.exists().then_some(()));
    read_text(&file)
}

#[test]
fn a_long_answer_uses_the_pager_only_on_a_terminal() {
    let (town, _origin) = Town::with_rig();
    town.script("echo w > w.txt");
    let bead = town.bead("web", "Explain me");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    town.closed("web", &bead);
    let plain = town.gt(["why", &bead]).env("PAGER", "false").ok().out;
    assert!(plain.contains("is closed"), "{plain}");
    for variable in ["PAGER", "GIT_PAGER"] {
        let paged = on_terminal(&town, variable, variable, &format!("why {bead}"));
        assert!(paged.contains("is closed"), "{variable}: {paged}");
    }
    for rest in [
        format!("why {bead} --no-pager"),
        format!("why {bead} --json"),
    ] {
        let name = format!("none{}", rest.len());
        assert_eq!(on_terminal(&town, &name, "PAGER", &rest), "");
    }
    let last = town.gt(["why", &bead, "-n", "1"]).ok().out;
    assert!(last.contains("older events: -n 0"), "{last}");
}

#[test]
fn the_town_of_an_earlier_time_is_rebuilt_from_history() {
    let worker = Worker::new();
    let town = &worker.town;
    worker.commit("work.txt");
    let request = worker.hand_in();
    let merge = ["mq", "run", "web", "--json"];
    town.gt_in(30, merge).ok();
    assert_eq!(worker.shown()["status"], "closed");

    let later = |args: &[&str]| town.gt_in(60, args.iter().copied());
    // Ten minutes after the submission, twenty minutes before the merge.
    let past = later(&["status", "--at", "50m", "--json"]).ok().json();
    assert_eq!(past["requests"][0]["id"], request.as_str(), "{past}");
    assert_eq!(past["requests"][0]["bead"], worker.bead.as_str());
    assert_eq!(
        (
            &past["convoys"][0]["completed"],
            &past["convoys"][0]["total"]
        ),
        (&json!(0), &json!(1))
    );
    let agent = worker.name.replace("web/", "web/polecats/");
    assert_eq!(past["agents"][0], json!({ "agent": agent }));
    let shown = later(&["status", "--at", "50m"]).ok().out;
    assert!(shown.contains("rebuilt from history"), "{shown}");
    assert!(shown.contains(&request) && shown.contains("0/1"), "{shown}");

    let before = later(&["why", &worker.bead, "--at", "50m", "--json"])
        .ok()
        .json();
    let kinds = |found: &Value| -> Vec<String> {
        let events = found["events"].as_array().unwrap().iter();
        events
            .map(|event| event["type"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(kinds(&before).contains(&"done".to_owned()), "{before}");
    assert!(!kinds(&before).contains(&"merged".to_owned()), "{before}");
    let now = before["now"].to_string();
    assert!(
        now.contains("in_progress") && now.contains(&request),
        "{now}"
    );
    assert_eq!(before["next_steps"], json!([]));
    let shown = later(&["why", &worker.bead, "--at", "50m"]).ok().out;
    assert!(shown.contains("rebuilt from history"), "{shown}");
    let after = later(&["why", &worker.bead, "--at", "10m", "--json"])
        .ok()
        .json();
    assert!(kinds(&after).contains(&"merged".to_owned()), "{after}");
    assert!(after["now"].to_string().contains("closed"), "{after}");

    // Before everything.
    let empty = later(&["status", "--at", "2020-01-01T10:00:00Z", "--json"])
        .ok()
        .json();
    for list in ["agents", "requests", "convoys"] {
        assert_eq!(empty[list], json!([]), "{empty}");
    }
    later(&["why", &worker.bead, "--at", "2020-01-01"]).fails("not found");
    later(&["status", "--at", "tomorrow"]).fails("not in the past");
    later(&["status", "--at", "soon"]).fails("is not a time");
}

#[test]
fn a_bead_on_a_hook_is_on_it_at_that_time_only() {
    let worker = Worker::new();
    let town = &worker.town;
    town.gt_in(30, ["unsling", &worker.bead]).ok();
    let agent = worker.name.replace("web/", "web/polecats/");
    let hook_at = |age: &str| {
        let past = town
            .gt_in(60, ["status", "--at", age, "--json"])
            .ok()
            .json();
        let agents = past["agents"].as_array().unwrap().iter();
        let mut own = agents.filter(|one| one["agent"] == agent.as_str());
        own.next().unwrap()["hook_bead"].clone()
    };
    assert_eq!(hook_at("50m"), worker.bead.as_str());
    assert_eq!(hook_at("10m"), Value::Null);
    let why = town
        .gt_in(60, ["why", &worker.name, "--at", "50m"])
        .ok()
        .out;
    let hook = format!("{agent} had {} \"Work\" on the hook", worker.bead);
    assert!(why.contains(&hook), "{why}");
}
