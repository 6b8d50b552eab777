//! `gt costs`: tokens and costs from the transcripts of agent programs.

use std::fs;
use std::path::Path;

use serde_json::json;
use town_tests::{Town, Worker, eventually};

use crate::screens::assert_running_screen;

/// Writes a transcript of Claude Code for a session in a folder.
fn write_transcript(town: &Town, folder: &Path, session: &str, lines: &[String]) {
    let real = folder.canonicalize().unwrap();
    let text = real.to_string_lossy();
    let name: String = text
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let place = town.path("home/.claude/projects").join(name);
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join(format!("{session}.jsonl")), lines.join("\n")).unwrap();
}

fn answer(id: &str, at: &str, model: &str, tokens: [u64; 4]) -> String {
    let [input, cached, written, output] = tokens;
    json!({ "type": "assistant", "timestamp": at, "message": { "id": id, "model": model, "usage": {
        "input_tokens": input, "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": written, "output_tokens": output } } })
    .to_string()
}

#[test]
fn costs_are_the_sums_of_the_transcripts_by_agent_bead_model_and_day() {
    let worker = Worker::new();
    let town = &worker.town;
    let (sonnet, other) = ("claude-sonnet-4-5-20250929", "house-model");
    let first = answer(
        "m1",
        "2026-01-01T10:00:00Z",
        sonnet,
        [1_000_000, 0, 0, 100_000],
    );
    let second = answer(
        "m2",
        "2026-01-02T10:00:00Z",
        sonnet,
        [0, 2_000_000, 400_000, 0],
    );
    let house = answer("m3", "2026-01-02T11:00:00Z", other, [7, 0, 0, 3]);
    write_transcript(
        town,
        &worker.sandbox,
        "one",
        &[first.clone(), second.clone()],
    );
    // A resumed session repeats the requests of the one before it.
    write_transcript(town, &worker.sandbox, "two", &[first, second, house]);
    let costs = |args: &[&str]| {
        let words = ["costs", "--json"].iter().chain(args).copied();
        town.gt(words).ok().json()
    };
    let all = costs(&[]);
    // 3 dollars of input, 1.5 of output, 0.6 read from and 1.5 written to the cache.
    assert!(
        (all["total_usd"].as_f64().unwrap() - 6.6).abs() < 1e-9,
        "{all}"
    );
    assert_eq!(all["total"]["unpriced_tokens"], 10);
    assert_eq!(all["models_without_price"], json!([other]));
    // The worker's session has a bead and no request yet.
    assert_eq!(all["beads"]["dispatched_beads"], 1, "{all}");
    assert_eq!(all["beads"]["merged_beads"], 0, "{all}");
    let tokens = json!({ "input": 1_000_007, "cache_read": 2_000_000, "cache_write": 400_000,
        "cache_write_1h": 0, "output": 100_003 });
    assert_eq!(all["total"]["tokens"], tokens);
    let agent = town.show("web", &worker.bead)["assignee"].clone();
    assert_eq!(all["rows"][0]["key"], agent, "{all}");
    assert_eq!(all["rows"][0]["sessions"], 2);
    let keys = |by: &str| -> Vec<String> {
        let found = costs(&["--by", by]);
        let rows = found["rows"].as_array().unwrap().clone();
        let key = |row: &serde_json::Value| row["key"].as_str().unwrap().to_owned();
        rows.iter().map(key).collect()
    };
    assert_eq!(keys("day"), ["2026-01-01", "2026-01-02"]);
    assert_eq!(keys("model"), [sonnet, other]);
    assert_eq!(keys("rig"), ["web"]);
    assert_eq!(keys("role"), ["polecat"]);
    let since = costs(&["--since", "2026-01-02"]);
    assert!(
        (since["total_usd"].as_f64().unwrap() - 2.1).abs() < 1e-9,
        "{since}"
    );
    let csv = town.gt(["costs", "--by", "model", "--csv"]).ok().out;
    let row = format!("{other},1,1,7,0,0,0,3,0.000000,10");
    assert!(csv.lines().any(|line| line == row), "{csv}");
    assert_running_screen("gt-costs", town.gt(["costs"]), &[]);
    fs::write(
        town.root().join("settings/prices.json"),
        r#"{"date":"2026-02-03","models":{"house-model":{"input":1000000,"output":0}}}"#,
    )
    .unwrap();
    let priced = costs(&[]);
    let own = json!({ "prices_of": "2026-02-03", "models": [other] });
    assert_eq!(priced["own_prices"], own);
    assert_ne!(priced["prices_of"], "2026-02-03");
    assert_running_screen("gt-costs-own-prices", town.gt(["costs"]), &[]);
    assert!(
        (priced["total_usd"].as_f64().unwrap() - 13.6).abs() < 1e-9,
        "{priced}"
    );
    fs::write(town.root().join("settings/prices.json"), "{").unwrap();
    town.gt(["costs"]).fails("prices.json is not valid");
}

/// A session of OpenCode 1.18.33 in one folder, with a subagent's, a copy, and one elsewhere. The
/// messages are as the program wrote them.
const OPENCODE_DATABASE: &str = r#"
PRAGMA journal_mode=WAL;
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, directory text NOT NULL,
  title text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
INSERT INTO session VALUES ('ses_1','p',NULL,'FOLDER','Done.',1795795899222,1795795907460),
  ('ses_2','p','ses_1','FOLDER','A subagent',1795795907500,1795795907600),
  ('ses_3','p',NULL,'FOLDER','Done. (fork #1)',1795796011981,1795796016313),
  ('ses_4','p',NULL,'/elsewhere','Other',1795795899222,1795795907460);
INSERT INTO message VALUES
  ('msg_1','ses_1',1795795899664,1795795907006,'{"role":"user","time":{"created":1795795899664},"agent":"build","model":{"providerID":"fake","modelID":"claude-sonnet-4-5"}}'),
  ('msg_2','ses_1',1795795901999,1795795906666,'{"parentID":"msg_1","role":"assistant","mode":"build","cost":0,"tokens":{"total":1052,"input":402,"output":30,"reasoning":20,"cache":{"write":0,"read":600}},"modelID":"claude-sonnet-4-5","providerID":"fake","time":{"created":1795795901999,"completed":1795795906665},"finish":"tool-calls"}'),
  ('msg_3','ses_1',1795795906674,1795795907430,'{"parentID":"msg_1","role":"assistant","mode":"build","cost":0,"tokens":{"total":1053,"input":403,"output":30,"reasoning":20,"cache":{"write":0,"read":600}},"modelID":"claude-sonnet-4-5","providerID":"fake","time":{"created":1795795906674,"completed":1795795907429},"finish":"stop"}'),
  ('msg_4','ses_2',1795795907510,1795795907600,'{"role":"assistant","tokens":{"total":11,"input":10,"output":1,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"claude-sonnet-4-5","time":{"created":1795795907510,"completed":1795795907599}}'),
  ('msg_5','ses_2',1795795907601,1795795907601,'{ torn "assistant"'),
  ('msg_6','ses_3',1795795901999,1795796014402,'{"role":"assistant","tokens":{"total":1052,"input":402,"output":30,"reasoning":20,"cache":{"write":0,"read":600}},"modelID":"claude-sonnet-4-5","time":{"created":1795795901999,"completed":1795795906665}}'),
  ('msg_7','ses_4',1795795901999,1795796014402,'{"role":"assistant","tokens":{"input":9999,"output":30},"modelID":"m","time":{"created":1795795901990,"completed":1795795906665}}');
INSERT INTO part VALUES
  ('prt_1','msg_1','ses_1',1,1,'{"type":"text","text":"say hi"}'),
  ('prt_2','msg_2','ses_1',1,1,'{"type":"tool","tool":"bash","callID":"t1","state":{"status":"completed","input":{"text":"hi"},"output":"hi"}}'),
  ('prt_3','msg_3','ses_1',1,1,'{"type":"text","text":"It is a persimmon."}');
"#;

/// Writes a session as OpenCode 1.1.27 did.
fn write_opencode_files(storage: &Path, folder: &Path) {
    let write = |path: &str, value: &serde_json::Value| {
        let path = storage.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, value.to_string()).unwrap();
    };
    let session = json!({ "id": "ses_5", "slug": "playful-river", "version": "1.1.27", "projectID": "p",
        "directory": folder, "title": "Done.", "time": { "created": 1_795_796_269_562_u64, "updated": 1_795_796_269_823_u64 } });
    write("session/p/ses_5.json", &session);
    let message = json!({ "id": "msg_8", "sessionID": "ses_5", "role": "assistant",
        "time": { "created": 1_795_796_269_603_u64, "completed": 1_795_796_269_746_u64 },
        "modelID": "claude-sonnet-4-5", "providerID": "fake", "cost": 0, "finish": "stop",
        "tokens": { "input": 402, "output": 50, "reasoning": 20, "cache": { "read": 600, "write": 7 } } });
    write("message/ses_5/msg_8.json", &message);
    let part = json!({ "id": "prt_8", "sessionID": "ses_5", "messageID": "msg_8", "type": "text",
        "text": "A persimmon, too." });
    write("part/msg_8/prt_8.json", &part);
}

#[test]
fn costs_of_opencode_are_read_from_its_database_and_its_files() {
    let worker = Worker::new();
    let town = &worker.town;
    let folder = worker.sandbox.canonicalize().unwrap();
    let data = town.path("home/.local/share/opencode");
    fs::create_dir_all(&data).unwrap();
    let database = data.join("opencode.db");
    let sql = OPENCODE_DATABASE.replace("FOLDER", folder.to_str().unwrap());
    let create = town.program_on_path("sqlite3");
    create.args([database.to_str().unwrap()]).input(&sql).ok();
    let costs = |args: &[&str]| {
        let words = ["costs", "--json"].iter().chain(args).copied();
        town.gt(words).ok().json()
    };
    let found = costs(&["--by", "session"]);
    // The copy is no session of the town, and the subagent's requests are the session's.
    let keys = |found: &serde_json::Value| -> Vec<String> {
        let rows = found["rows"].as_array().unwrap().clone();
        let key = |row: &serde_json::Value| row["key"].as_str().unwrap().to_owned();
        rows.iter().map(key).collect()
    };
    assert_eq!(keys(&found), ["ses_1"], "{found}");
    let tokens = json!({ "input": 815, "cache_read": 1200, "cache_write": 0, "cache_write_1h": 0,
        "output": 101 });
    assert_eq!(found["total"]["tokens"], tokens);
    assert_eq!(found["total"]["requests"], 3);
    write_opencode_files(&data.join("storage"), &folder);
    let found = costs(&["--by", "runtime"]);
    assert_eq!(keys(&found), ["opencode"], "{found}");
    let tokens = json!({ "input": 1217, "cache_read": 1800, "cache_write": 7, "cache_write_1h": 0,
        "output": 151 });
    assert_eq!(found["total"]["tokens"], tokens);
    let later = costs(&["--since", "2026-11-27T16:17:49Z"]);
    assert_eq!(later["total"]["requests"], 1, "{later}");
    let hits = town.gt(["seance", "search", "PERSIMMON", "--json"]);
    let hits = hits.ok().json();
    let sessions = hits.as_array().unwrap().iter();
    let mut ids: Vec<&str> = sessions
        .map(|hit| hit["session_id"].as_str().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, ["ses_1", "ses_5"], "{hits}");
    assert_eq!(hits[0]["by"], "assistant");
    // A database without these columns is one without sessions.
    let change = town.program_on_path("sqlite3");
    let drop = "ALTER TABLE session DROP COLUMN time_updated;";
    change.args([database.to_str().unwrap(), drop]).ok();
    assert_eq!(keys(&costs(&["--by", "session"])), ["ses_5"]);
}

#[test]
fn a_town_without_transcripts_has_no_costs() {
    let (town, _origin) = Town::with_rig();
    assert!(
        town.gt(["costs", "--today"])
            .ok()
            .out
            .contains("No session has used tokens today")
    );
    let since = town.gt(["costs", "--since", "2026-01-05"]).ok().out;
    assert!(
        since.contains("No session has used tokens since Jan 5 "),
        "{since}"
    );
    let found = town.gt(["costs", "--by-role", "--json"]).ok().json();
    assert_eq!(found["total_usd"], 0.0);
    assert_eq!(found["by_role"], json!({}));
    // The hooks of an old town still run.
    town.gt(["costs", "record"]).ok();
}

/// Checks that one bead, worker or rig has its own costs only. The worker has cost three dollars.
fn check_own_costs(worker: &Worker) {
    let town = &worker.town;
    let bead = &worker.bead;
    let total = |name: &str| {
        let found = town.gt(["costs", name, "--json"]).ok().json();
        found["total_usd"].as_f64()
    };
    for name in [bead, &worker.name, "web"] {
        assert_eq!(total(name), Some(3.0), "{name}");
    }
    assert_eq!(total("mayor"), Some(0.0));
}

/// Checks the bands of a convoy whose worker has cost three dollars.
fn check_bands(worker: &Worker, agent: &str) {
    let town = &worker.town;
    let set = |name: &str, value: &str| {
        town.gt(["config", "set", name, value]).ok();
        fs::remove_file(town.root().join(".runtime/spending.json")).ok();
    };
    let inbox = || town.gt(["mail", "inbox", "overseer"]).ok().out;
    // A band only warns.
    set("budget.convoy_band", "2");
    town.patrol_in(901);
    assert!(
        inbox().contains("has cost 150 % of its band"),
        "{}",
        inbox()
    );
    assert_eq!(town.sessions().len(), 1);
    let convoy = town.gt(["convoy", "status"]).ok().out;
    let line = "cost $3.00 of $2.00 (setting budget.convoy_band), 150 %";
    assert!(convoy.contains(line), "{convoy}");
    let convoys = town.gt(["convoy", "status", "--json"]).ok().json();
    assert_eq!(convoys[0]["budgets"][0]["spent_usd"], 3.0, "{convoys}");
    let convoy = convoys[0]["id"].as_str().unwrap();
    let costs = town.gt(["costs", convoy, "--json"]).ok().json();
    let mut budgets = costs["budgets"].as_array().unwrap().iter();
    assert!(budgets.any(|budget| budget["subject"] == convoy), "{costs}");
    assert_eq!(costs["last_hour_usd"], 3.0, "{costs}");
    // The band of the convoy itself wins, and a worker changes neither.
    let id = convoys[0]["id"].as_str().unwrap();
    assert_eq!(convoys[0]["budgets"][0]["source"], "setting");
    let refused = town.gt_at(&worker.sandbox, ["convoy", "band", id, "100"]);
    refused.env("GT_ROLE", agent).fails("is a worker");
    let hidden = ["update", id, "--set-metadata", "band_usd=100"];
    let refused = town.bd(".", hidden).env("GT_ROLE", agent).run();
    assert_ne!(refused.code, 0, "{}", refused.err);
    set("budget.convoy_band", "0");
    town.patrol_in(902);
    let band = town
        .gt(["convoy", "band", id, "2.50", "--json"])
        .ok()
        .json();
    assert_eq!(band["source"], "convoy", "{band}");
    let shown = town.gt(["convoy", "band", id]).ok().out;
    let line = format!("convoy {id} cost $3.00 of $2.50 (its own band), 120 %");
    assert!(shown.contains(&line), "{shown}");
    for seconds in [903, 904] {
        town.patrol_in(seconds);
        let mails = inbox().matches("has cost 120 % of its band").count();
        assert_eq!(mails, 1, "once per crossing: {}", inbox());
    }
    let status = town.gt(["status"]).ok().out;
    assert!(
        status.contains(&format!("gt convoy band {id} DOLLARS")),
        "{status}"
    );
    town.gt(["convoy", "band", id, "--unset"]).ok();
}

#[test]
fn a_spent_budget_stops_the_next_start_and_no_running_session() {
    let worker = Worker::new();
    let town = &worker.town;
    let bead = &worker.bead;
    let started = eventually("the session has begun", || {
        town.events("session_start").pop()
    });
    let session = started["payload"]["session_id"].as_str().unwrap();
    // Three dollars.
    let request = answer(
        "m1",
        started["ts"].as_str().unwrap(),
        "claude-sonnet-4-5",
        [1_000_000, 0, 0, 0],
    );
    write_transcript(town, &worker.sandbox, session, &[request]);
    let set = |name: &str, value: &str| {
        town.gt(["config", "set", name, value]).ok();
        // A reading counts for a minute.
        fs::remove_file(town.root().join(".runtime/spending.json")).ok();
    };
    let inbox = || town.gt(["mail", "inbox", "overseer"]).ok().out;
    town.gt(["config", "set", "budget.day", "a lot"])
        .fails("an amount of dollars");
    set("budget.bead", "3.75");
    town.patrol();
    let warning = format!("80 % of the budget for {bead} is spent");
    assert!(inbox().contains(&warning), "{}", inbox());
    let needs = town.gt(["top", "--json"]).ok().json()["needs_you"].to_string();
    assert!(needs.contains("list prices of 20"), "{needs}");
    set("budget.bead", "2.50");
    town.patrol();
    let spent = format!("The budget for {bead} is spent");
    assert!(inbox().contains(&spent) && !inbox().contains(&warning));
    assert_eq!(town.sessions().len(), 1, "a running session goes on");
    let handoff = town.gt_at(&worker.sandbox, ["handoff", "-m", "go on"]);
    let handoff = handoff.env("GT_ROLE", started["actor"].as_str().unwrap());
    handoff.fails("no other session is started");
    for session in town.sessions() {
        town.kill_session(&session);
    }
    town.patrol_in(600);
    assert_eq!(town.sessions(), [""; 0], "it is not restarted");
    let reason = format!("{bead} cost $3.00 of $2.50 (setting budget.bead)");
    let status = town.gt(["status", "--json"]).ok().json();
    assert_eq!(status["rigs"][0]["agents"][0]["why"], reason.as_str());
    check_own_costs(&worker);
    let costs = town.gt(["costs"]).ok().out;
    let line = format!("Budget: {reason}, 120 %");
    assert!(costs.contains(&line), "{costs}");
    set("budget.bead", "5");
    town.patrol_in(900);
    assert_eq!(town.sessions().len(), 1, "a raised budget starts it again");
    assert!(!inbox().contains(&spent));

    let agent = started["actor"].as_str().unwrap();
    check_bands(&worker, agent);

    set("budget.day", "3");
    let other = town.bead("web", "Another");
    let found = town.gt(["costs", "--today", "--json"]).ok().json();
    let (forecast, last_hour) = (
        &found["budgets"][0]["forecast_usd"],
        &found["last_hour_usd"],
    );
    assert!(forecast.as_f64() >= Some(3.0), "{found}");
    assert_eq!(last_hour.as_f64(), Some(3.0), "{found}");
    let text = town.gt(["costs", "--today"]).ok().out;
    assert!(text.contains(" by midnight\n"), "{text}");
    assert!(
        text.contains("The last hour cost $3.00. The forecast is"),
        "{text}"
    );
    let slung = town.gt(["sling", &other, "web"]).ok().out;
    let reason = "today cost $3.00 of $3.00 (setting budget.day)";
    assert!(slung.contains(reason), "{slung}");
    let why = town.gt(["why", &other, "--no-pager"]).ok().out;
    assert!(why.contains(reason), "{why}");
    assert!(why.contains("gt config set budget.day DOLLARS"), "{why}");
    town.patrol();
    assert_eq!(town.sessions().len(), 1);
    let named = town.bead("web", "For one worker");
    let slung = town.gt(["sling", &named, "web/polecats/zed", "--create"]);
    slung.fails(reason);
    set("budget.day", "0");
    town.patrol();
    assert_eq!(town.sessions().len(), 2);
}

#[test]
fn a_model_and_a_runtime_have_what_they_merged_and_its_costs() {
    let worker = Worker::new();
    let town = &worker.town;
    let started = eventually("the session has begun", || {
        town.events("session_start").pop()
    });
    let session = started["payload"]["session_id"].as_str().unwrap();
    let model = "claude-sonnet-4-5";
    let at = started["ts"].as_str().unwrap();
    let request = answer("m1", at, model, [1_000_000, 0, 0, 0]);
    write_transcript(town, &worker.sandbox, session, &[request]);
    let agent = started["actor"].as_str().unwrap();
    worker.commit("a.txt");
    worker.hand_in();
    let status = town.gt(["polecat", "status", agent]).ok().out;
    assert!(status.contains("record:   nothing finished"), "{status}");
    worker.merge();
    let status = town.gt(["polecat", "status", agent]).ok().out;
    assert!(status.contains("1 of 1 merged, 1 as submitted"), "{status}");
    for by in ["model", "runtime", "kind"] {
        let costs = town.gt(["costs", "--by", by, "--json"]).ok().json();
        let row = &costs["rows"][0];
        assert_eq!(row["success_percent"], 100, "{costs}");
        assert_eq!(row["record"]["first_time_green"], 1, "{costs}");
        assert_eq!(row["cost_per_merge_usd"], 3.0, "{costs}");
    }
    let kinds = town.gt(["costs", "--by", "kind", "--json"]).ok().json();
    assert_eq!(kinds["rows"][0]["key"], "task", "{kinds}");
    for by in ["model", "runtime", "kind", "rig", "convoy", "agent"] {
        let costs = town.gt(["costs", "--by", by, "--json"]).ok().json();
        for beads in [&costs["rows"][0], &costs["beads"]] {
            assert_eq!(beads["dispatched_beads"], 1, "{costs}");
            assert_eq!(beads["merged_beads"], 1, "{costs}");
            assert_eq!(beads["cost_per_dispatched_bead_usd"], 3.0, "{costs}");
            assert_eq!(beads["cost_per_merged_bead_usd"], 3.0, "{costs}");
        }
    }
    let text = town.gt(["costs", "--by", "model"]).ok().out;
    assert!(
        text.contains("100 %: 1 of 1 merged, 1 as submitted"),
        "{text}"
    );
    assert!(text.contains("$3.00 per merge"), "{text}");
    let bead = &worker.bead;
    let career = town.gt(["career", "--json"]).ok().json();
    let card = &career["cards"][0];
    assert_eq!((&card["key"], &card["merged"]), (&json!(model), &json!(1)));
    assert_eq!(card["cost_per_merge_usd"], 3.0, "{career}");
    assert_eq!(career["kinds"][0]["verdict"], "too_few", "{career}");
    town.gt(["rate", bead, "9", "good"]).fails("from 1 to 5");
    town.gt(["rate", bead, "3", "slow"]).ok();
    let rated = town.gt(["rate", bead, "4", "small and tested"]).ok().out;
    assert!(rated.contains("4 of 5 instead of 3"), "{rated}");
    for name in [model, agent] {
        let card = town.gt(["career", name]).ok().out;
        assert!(card.contains("1 of 1 (20–100 %)"), "{card}");
        assert!(card.contains("4.0 of 5 (1 rating)"), "{card}");
    }
    let kind = town.gt(["career", "task"]).ok().out;
    assert!(kind.contains("does the work best"), "{kind}");
    let unknown = town.gt(["career", "nosuch"]);
    unknown.fails("no finished work of `nosuch`");
    town.gt(["career", "nosuch", "--kind", "task"])
        .fails("no finished work of `nosuch`");
    let both = "1 bead dispatched ($3.00 each), 1 merged ($3.00 each)";
    assert!(text.contains(&format!("In all: {both}")), "{text}");
    let daily = || {
        let plot = ["costs", "--plot", "--by", "model", "--json"];
        town.gt(plot).ok().json()
    };
    let numbers = daily();
    let merged = town.gt(["mq", "stats", "web", "--json"]).ok().json()["merged"].clone();
    assert_eq!(numbers["today"]["merges"], merged, "{numbers}");
    assert_eq!(numbers["today"]["merges"], 1, "{numbers}");
    assert_eq!(numbers["groups"][0]["key"], model, "{numbers}");
    assert_eq!(numbers["groups"][0]["total"], numbers["total"]);
    assert_eq!(numbers["total"]["cost_usd"], 3.0, "{numbers}");
    // The recorded days outlive their transcripts.
    fs::remove_dir_all(town.path("home/.claude/projects")).unwrap();
    assert_eq!(daily(), numbers);
    let text = town.gt(["costs", "--plot"]).ok().out;
    let first = "Today: $3.00. Last week: $0.00 per day ($0.00 in seven days)\n";
    assert!(text.starts_with(first), "{text}");
    town.gt(["costs", "--plot", "--by", "bead"])
        .fails("grouped by model or rig only");
    let other = town.bead("web", "Another");
    let unrated = town.gt(["rate", &other, "4", "good"]);
    unrated.fails("nothing was handed in");
    fs::write(town.path("persona.md"), "You write small changes.").unwrap();
    let persona = town.path("persona.md");
    let hire = ["polecat", "hire", agent, "--persona"];
    town.gt(hire).args([persona.to_str().unwrap()]).ok();
    let status = town.gt(["polecat", "status", agent]).ok().out;
    assert!(status.contains("persona:  hired at "), "{status}");
    town.gt(["polecat", "fire", agent]).ok();
    let slung = town.gt(["sling", &other, "web", "--best"]).ok().out;
    let too_few = "none that can start has finished 5 of type task";
    assert!(slung.contains(too_few), "{slung}");
    let why = town.gt(["why", &other, "--no-pager"]).ok().out;
    assert!(why.contains(too_few), "{why}");
}

#[test]
fn usage_windows_of_codex_are_shown_by_account_with_their_age() {
    let (town, _origin) = Town::with_rig();
    let found = town.gt(["costs", "--json"]).ok().json();
    assert_eq!(found["usage_windows"], json!(null));
    let write = |config: &Path, used: f64, resets_at: u64| {
        let day = config.join("sessions/2026/01/02");
        fs::create_dir_all(&day).unwrap();
        let window = json!({ "used_percent": used, "window_minutes": 300, "resets_at": resets_at });
        let week =
            json!({ "used_percent": 4.0, "window_minutes": 10080, "resets_at": 4_102_444_800_u64 });
        let event = json!({ "timestamp": "2026-01-02T10:00:00.000Z", "type": "event_msg", "payload": {
            "type": "token_count", "info": null,
            "rate_limits": { "limit_id": "codex", "primary": window, "secondary": week } } });
        fs::write(day.join("rollout-1.jsonl"), format!("{event}\n")).unwrap();
    };
    let own = town.path("home/.codex");
    write(&own, 37.5, 1_767_355_200);
    let team = town.path("home/team");
    write(&team, 80.0, 4_102_444_800);
    let add = ["account", "add", "team", "--config-dir"];
    town.gt(add).args([team.to_str().unwrap()]).ok();
    let found = town.gt(["costs", "--json"]).ok().json();
    let windows = &found["usage_windows"];
    assert_eq!(windows.as_array().unwrap().len(), 4, "{found}");
    let first = json!({ "runtime": "codex", "window_minutes": 300, "used_percent": 37.5,
        "resets_at": "2026-01-02T12:00:00Z", "at": "2026-01-02T10:00:00Z" });
    assert_eq!(windows[0], first);
    assert_eq!(windows[2]["account"], "team");
    let text = town.gt(["costs"]).ok().out;
    for line in [
        "codex, 5-hour window: unknown since it was reset at ",
        "codex, 7-day window: 4 % used, reported ",
        "codex account team, 5-hour window: 80 % used, reported ",
    ] {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn usage_windows_of_claude_code_are_those_that_its_status_line_told() {
    let (town, _origin) = Town::with_rig();
    let tell = |config: &Path, input: &str| {
        let told = town.gt(["signal", "status-line"]).input(input);
        told.env("CLAUDE_CONFIG_DIR", config.to_str().unwrap())
            .ok()
            .out
    };
    let own = town.path("home/.claude");
    for useless in [
        "",
        "{ nonsense",
        "[1]",
        r#"{"rate_limits":null}"#,
        r#"{"rate_limits":{"five_hour":"most","seven_day":{"used_percentage":"4"}}}"#,
    ] {
        assert_eq!(tell(&own, useless), "\n", "{useless}");
    }
    let found = town.gt(["costs", "--json"]).ok().json();
    assert_eq!(found["usage_windows"], json!(null));
    let team = town.path("home/team");
    let add = ["account", "add", "team", "--config-dir"];
    town.gt(add).args([team.to_str().unwrap()]).ok();
    let first = r#"{"rate_limits":{"five_hour":{"used_percentage":37.5,"resets_at":4102444800}}}"#;
    assert_eq!(tell(&own, first), "5-hour window: 38 % used\n");
    let second = r#"{"rate_limits":{"seven_day":{"used_percentage":80,"resets_at":"2100-01-01T00:00:00Z"},"later":{}}}"#;
    assert_eq!(tell(&team, second), "7-day window: 80 % used\n");
    // A session that has had no answer yet changes nothing.
    tell(&own, "{}");
    let text = town.gt(["costs"]).ok().out;
    for line in [
        "claude, 5-hour window: 37.5 % used, reported ",
        "claude account team, 7-day window: 80 % used, reported ",
    ] {
        assert!(text.contains(line), "{text}");
    }
}
