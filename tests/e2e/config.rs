//! `gt config`: get, set, unset, list; `gt namepool` over it.

use serde_json::json;
use town_tests::{Town, eventually, read_text};

use crate::screens::assert_running_screen;

#[test]
fn a_setting_comes_from_the_highest_layer_and_names_its_origin() {
    let (town, _origin) = Town::with_rig();
    let get = |more: &[&str]| {
        let args = ["config", "get", "max_polecats", "--rig", "web", "--json"];
        let found = town.gt(args.into_iter().chain(more.iter().copied()));
        found.ok().json()
    };
    assert_eq!(get(&[])["origin"], "built-in");
    town.gt(["config", "set", "max_polecats", "8", "--town"])
        .ok();
    town.gt(["config", "set", "max_polecats", "7", "--rig", "web"])
        .ok();
    assert_eq!(get(&[])["value"], 7);
    town.gt([
        "config",
        "set",
        "max_polecats",
        "2",
        "--rig",
        "web",
        "--local",
    ])
    .ok();
    let found = get(&[]);
    assert_eq!(found["value"], 2);
    let origin = found["origin"].as_str().unwrap();
    assert!(
        origin.starts_with("local: ") && origin.ends_with("web.json"),
        "{origin}"
    );
    let shown = town
        .gt([
            "config",
            "get",
            "max_polecats",
            "--rig",
            "web",
            "--show-origin",
        ])
        .env("GT_MAX_POLECATS", "1")
        .ok();
    assert_eq!(shown.text(), "environment: GT_MAX_POLECATS\t1");
    town.gt(["config", "unset", "max_polecats", "--rig", "web", "--local"])
        .ok();
    assert_eq!(get(&[])["value"], 7);
    let all = town
        .gt(["config", "list", "--rig", "web", "--json"])
        .ok()
        .json();
    let known = |name: &str| all.as_array().unwrap().iter().any(|row| row["key"] == name);
    assert!(known("default_agent") && known("merge_queue.test_command"));
}

#[test]
fn each_setting_is_shown_with_its_meaning() {
    let (town, _origin) = Town::with_rig();
    let all = town.gt(["config", "list", "--json"]).ok().json();
    for row in all.as_array().unwrap() {
        let meaning = row["meaning"].as_str().unwrap();
        assert!(meaning.len() > 10 && !meaning.contains('\n'), "{row}");
    }
    let get = ["config", "get", "max_polecats"];
    let meaning = "how many polecats of the rig may be at work at once";
    let one = town.gt(get).args(["--json"]).ok().json();
    assert_eq!(one["meaning"], meaning);
    assert_eq!(
        town.gt(get).ok().text(),
        "10",
        "programs get the value alone"
    );
    let seen = town.gt(get).env("COLUMNS", "80").ok();
    assert_eq!(seen.text(), format!("10\n{meaning}"));
    let value = "max_polecats = 10";
    let wide = town.gt(["config", "list"]).env("COLUMNS", "200").ok().out;
    assert!(wide.contains(&format!("{value:<44} {meaning}\n")), "{wide}");
    let beneath = format!("{value}\n    {meaning}\n");
    let narrow = town.gt(["config", "list"]).env("COLUMNS", "80").ok().out;
    assert!(narrow.contains(&beneath), "{narrow}");
    let origins = town.gt(["config", "list", "--show-origin"]).ok().out;
    let beneath = format!("{value:<44} built-in\n    {meaning}\n");
    assert!(origins.contains(&beneath), "{origins}");
}

#[test]
fn patrol_rules_are_listed_and_can_be_turned_off_per_rig() {
    let (town, _origin) = Town::with_rig();
    let rule = "patrol.rules.P6-respawn-stalled";
    let value = || {
        let got = town.gt(["config", "get", rule, "--rig", "web"]).ok();
        got.text().to_owned()
    };
    assert_eq!(value(), "true");
    town.gt(["config", "set", rule, "false", "--rig", "web"])
        .ok();
    assert_eq!(value(), "false");
    let list = town.gt(["config", "list", "--rig", "web"]).ok();
    let lines: Vec<&str> = list.out.lines().collect();
    let shows = |name: &str, does: &str| {
        let line = lines.iter().find(|line| line.starts_with(name)).unwrap();
        assert!(line.contains(does), "{line}");
    };
    shows(&format!("{rule} = false"), "restart a worker");
    shows("patrol.rules.Q1-run-queue = true", "run the merge queue");
    town.gt(["config", "set", "patrol.rules.P9", "false", "--rig", "web"])
        .fails("there is no setting `patrol.rules.P9`");
    let of_town = "patrol.rules.L1-land-when-all-done";
    town.gt(["config", "set", of_town, "false", "--rig", "web"])
        .fails("it is the whole town's: use --town");
    let file = town.root().join("web/settings/config.json");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("P6-respawn-stalled", "P6-respawn")).unwrap();
    let said = town.gt(["doctor"]).run();
    let wanted = "there is no setting patrol.rules.P6-respawn: the nearest is";
    assert!(said.out.contains(wanted), "{}", said.out);
}

#[test]
fn invalid_settings_are_refused() {
    let (town, _origin) = Town::with_rig();
    town.gt(["config", "set", "max_polecats", "many", "--town"])
        .fails("a whole number");
    town.gt(["config", "set", "max_polcats", "1", "--town"])
        .fails("there is no setting");
    town.gt(["config", "get", "nothing"])
        .fails("there is no setting");
    town.gt(["config", "set", "default_agent", "x", "--rig", "web"])
        .fails("the whole town's");
    for (key, value, expected) in [
        ("page.port", "99999", "a port from 1 to 65535"),
        ("page.url", "nonsense", "an address such as https://"),
        ("page.url", "ftp://x", "an address such as https://"),
        ("page.url", "https://x/?q=1", "without ? and #"),
        (
            "metrics.otlp",
            "127.0.0.1:4318",
            "an address such as https://",
        ),
    ] {
        town.gt(["config", "set", "--town", key, value])
            .fails(expected);
    }
    let page = ["config", "set", "--town", "page.url", "https://[::1]:7/gas"];
    town.gt(page).ok();
}

#[test]
fn an_unknown_agent_is_reported_with_its_settings_file() {
    let (town, _origin) = Town::with_rig();
    for args in [
        &["default_agent", "nosuch"][..],
        &["agent", "nosuch", "--rig", "web"],
        &["role_agents.crew", "nosuch", "--town"],
    ] {
        town.gt(["config", "set"].into_iter().chain(args.iter().copied()))
            .fails("it must be an agent (amp, ");
    }
    let own = json!({ "own": { "command": "true" }, "bad": { "provider": "claude", "args": 7 } });
    town.set_town_setting("agents", own);
    town.gt(["config", "set", "default_agent", "own"]).ok();
    town.gt(["config", "set", "default_agent", "bad"]).ok();
    let bead = town.bead("web", "Work");
    let refused = town.gt(["sling", &bead, "web"]).fails("agents.bad in /");
    assert!(
        refused.err.contains("settings/config.json is not valid"),
        "{}",
        refused.err
    );
}

#[test]
fn sling_respects_a_configured_limit() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    town.gt([
        "config",
        "set",
        "max_polecats",
        "1",
        "--rig",
        "web",
        "--local",
    ])
    .ok();
    let (first, second) = (town.bead("web", "One"), town.bead("web", "Two"));
    town.gt(["sling", &first, "web"]).ok();
    let refused = town.gt(["sling", &second, "web"]).run();
    let polecats = town.polecats();
    assert_eq!(polecats.len(), 1, "{}{}", refused.out, refused.err);
}

#[test]
fn a_rig_takes_names_from_its_theme() {
    let (town, _origin) = Town::with_rig();
    let themes = town.gt(["namepool", "themes", "--json"]).ok().json();
    assert!(themes.as_array().unwrap().contains(&"rivers".into()));
    town.gt(["namepool", "set", "rivers", "--rig", "web"]).ok();
    let pool = town.gt(["namepool", "--rig", "web", "--json"]).ok().json();
    assert_eq!(pool["style"], "rivers");
    town.script("true");
    let id = town.bead("web", "Work");
    let slung = town.gt(["sling", &id, "web", "--json"]).ok().json();
    let expected = format!("web/polecats/{}", pool["next"].as_str().unwrap());
    assert_eq!(slung[0]["target"], expected.as_str());
    town.gt(["namepool", "set", "planets", "--rig", "web"])
        .fails("there is no theme");
}

#[test]
fn a_setting_that_stops_merges_is_reported_where_users_look_and_once_by_mail() {
    let (town, _origin) = Town::with_rig();
    let bead = town.bead("web", "Button");
    let convoy = town
        .gt(["convoy", "create", "Buttons", &bead, "--json"])
        .ok()
        .json();
    let convoy = convoy["id"].as_str().unwrap();
    town.set_rig_setting(
        "web",
        "merge-queue",
        json!({ "gates": { "test": { "cmd": "false" } } }),
    );
    let says = "nothing is started or merged in rig web: ";
    let near = "there is no setting merge-queue: the nearest is merge_queue";
    for args in [
        vec!["status"],
        vec!["convoy", "status"],
        vec!["why", &bead],
        vec!["why", "web"],
        vec!["why", convoy],
    ] {
        let said = town.gt(args.iter().copied()).ok();
        let all = format!("{}{}", said.out, said.err);
        assert!(all.contains(says) && all.contains(near), "{args:?}: {all}");
    }
    let why = town.gt(["why", &bead]).ok().out;
    assert!(why.starts_with(says), "{why}");
    let about = |word: &str| {
        let mail = town.mail("overseer");
        let subjects = mail.iter().map(|mail| mail["subject"].as_str().unwrap());
        subjects.filter(|subject| subject.contains(word)).count()
    };
    town.patrol();
    town.patrol();
    assert_eq!(
        about("Nothing is started or merged in rig web"),
        1,
        "{:?}",
        town.mail("overseer")
    );
}

#[test]
fn misspelt_parts_of_the_towns_file_are_reported() {
    let (town, _origin) = Town::with_rig();
    town.set_town_setting("patrols", json!({ "patience": "1h" }));
    town.set_town_setting("patrol", json!({ "patiense": "1h" }));
    let status = town.gt(["status"]).ok().out;
    for near in [
        "there is no setting patrols: the nearest is patrol",
        "there is no setting patrol.patiense: the nearest is patrol.patience",
    ] {
        assert_eq!(status.matches(near).count(), 1, "{status}");
    }
    let doctor = town.gt(["doctor"]).run().out;
    assert!(
        doctor.contains("the nearest is patrol.patience"),
        "{doctor}"
    );
    // A part like the merge queue's in the town's file stops every rig.
    town.set_town_setting("merge_qeue", json!({ "test_command": "false" }));
    let status = town.gt(["status"]).ok().out;
    assert!(
        status.contains("nothing is started or merged in rig web: "),
        "{status}"
    );
}

#[test]
fn settings_of_other_versions_are_honoured_or_refused_by_name() {
    let (town, _origin) = Town::with_rig();
    town.set_town_setting("max_polecats_per_rig", json!(1));
    town.set_town_setting("env_vars", json!({ "PALETTE": "blue" }));
    town.set_town_setting("git_auth", json!({ "github_token": "x" }));
    let args = ["config", "get", "max_polecats", "--rig", "web", "--json"];
    let limit = town.gt(args).ok().json();
    assert_eq!(limit["value"], 1);
    assert!(
        limit["origin"].as_str().unwrap().starts_with("town: "),
        "{limit}"
    );
    let seen = town.path("seen");
    town.script(&format!(
        "echo \"$PALETTE\" > {}; echo x > work.txt; sleep 600",
        seen.display()
    ));
    let (first, second) = (town.bead("web", "One"), town.bead("web", "Two"));
    town.sling(&first);
    eventually("the agent has the variable", || {
        let text = read_text(&seen);
        (text == "blue\n").then_some(())
    });
    let queued = town.gt(["sling", &second, "web"]).ok().out;
    assert!(queued.contains("waits for a free worker"), "{queued}");
    let status = town.gt(["status"]).ok().out;
    assert!(
        status.contains("git_auth is `{...}`, which has no effect here: git asks its own"),
        "{status}"
    );
}

#[test]
fn an_agents_env_may_not_set_the_variables_of_gas_town() {
    let (town, _origin) = Town::with_rig();
    town.script("echo x > work.txt");
    let script = town.path("scripts/work");
    let bead = town.bead("web", "Work");
    for (variable, value) in [
        ("GT_ROLE", "mayor"),
        ("GT_LEASE", "7"),
        ("BD_ACTOR", "dana"),
    ] {
        let agents = json!({ "worker": { "provider": "scripted",
            "args": ["scripted", "--script", script], "env": { variable: value } } });
        town.set_town_setting("agents", agents);
        town.gt(["sling", &bead, "web"])
            .fails(&format!("sets {variable}, which Gas Town sets itself"));
    }
}

#[test]
fn secrets_of_an_agent_are_shown_by_their_last_four_characters() {
    let town = Town::new();
    let env = json!({ "API_KEY": "sk-abcdefghij1234", "PIN": "1234" });
    let agents = json!({ "mine": { "command": "my-agent", "env": env } });
    town.set_town_setting("agents", agents);
    let get = ["config", "agent", "get", "mine"];
    let shown = town.gt(get).ok().out;
    assert!(
        shown.contains("1234\"") && !shown.contains("abcdefghij"),
        "{shown}"
    );
    assert!(!shown.contains("\"1234\""), "{shown}");
    let whole = town.gt(get).args(["--json"]).ok().json();
    assert_eq!(whole["env"], env);
}

#[test]
fn agents_are_defined_shown_and_removed() {
    let town = Town::new();
    let agent = |args: &[&str]| town.gt(["config", "agent"]).args(args.iter().copied());
    agent(&["set", "opus", "claude --model opus"]).ok();
    let opus = agent(&["get", "opus", "--json"]).ok().json();
    assert_eq!(opus["provider"], "claude");
    assert!(
        opus["args"].to_string().ends_with("\"--model\",\"opus\"]"),
        "{opus}"
    );
    agent(&["set", "mine", "my-agent", "--fast"]).ok();
    let mine = agent(&["get", "mine", "--json"]).ok().json();
    assert_eq!(
        mine,
        serde_json::json!({ "command": "my-agent", "args": ["--fast"] })
    );
    assert_running_screen("gt-config-agent-list", agent(&["ls"]), &[]);
    town.gt(["config", "set", "default_agent", "opus"]).ok();
    agent(&["rm", "opus"]).fails("\n  gt config set --town default_agent NAME");
    town.set_town_setting("default_agent", json!("gone"));
    let needs = town.gt(["top", "--json"]).ok().json()["needs_you"].to_string();
    assert!(
        needs.contains("The default agent `gone` does not exist"),
        "{needs}"
    );
    town.gt(["config", "set", "default_agent", "mine"]).ok();
    let needs = town.gt(["top", "--json"]).ok().json()["needs_you"].to_string();
    assert!(!needs.contains("does not exist"), "{needs}");
    town.set_town_setting("role_agents", json!({ "crew": "opus" }));
    agent(&["rm", "opus"]).fails("\n  gt config set --town role_agents.crew NAME");
    town.set_town_setting("role_agents", json!({ "crew": "gone" }));
    let needs = town.gt(["top", "--json"]).ok().json()["needs_you"].to_string();
    assert!(
        needs.contains("The agent of the role crew `gone` does not exist"),
        "{needs}"
    );
    town.set_town_setting("role_agents", json!({}));
    agent(&["rm", "opus"]).ok();
    let change = town.events("setting_changed").pop().unwrap();
    assert_eq!(change["payload"]["key"], "agents.opus");
    assert_eq!(change["payload"]["after"], "no value");
    agent(&["get", "opus"]).fails("there is no agent `opus`");
    agent(&["remove", "claude"]).fails("have no agent `claude`");
    agent(&["get", "claude"]).ok();
}

#[test]
fn bd_runs_below_gt_and_the_changelog_is_built_in() {
    let (town, _origin) = Town::with_rig();
    let bead = town.bead("web", "Below gt");
    let shown = town.gt(["bd", "show", &bead, "--json"]).ok().json();
    assert_eq!(shown[0]["title"], "Below gt");
    assert!(town.gt(["changelog"]).ok().out.contains("# Changelog"));
}
