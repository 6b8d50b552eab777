//! The sessions of workers on other machines, as the town reads and ends them.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixListener;

use kit::sys::Clock;
use serde_json::json;
use town_tests::{FarMachine, Town, eventually};

use crate::hosts::{sling_far, wait_for, wait_for_request};

#[test]
fn costs_and_transcripts_of_a_worker_on_another_machine_are_those_of_the_town() {
    let (town, _origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    let answer = json!({
        "type": "assistant", "timestamp": Clock::System.now().to_string(),
        "message": {
            "id": "m1", "model": "claude-sonnet-4-5-20250929",
            "content": [{"type": "text", "text": "the lexer is the culprit"}],
            "usage": { "input_tokens": 1_000_000, "output_tokens": 100_000 },
        },
    });
    // Another folder's transcript is none of this worker's.
    town.script(&format!(
        "name=$(pwd | tr -c 'a-zA-Z0-9\\n' -)\nmkdir -p \"$HOME/.claude/projects/$name\" $HOME/.claude/projects/-other\n\
         cat > \"$HOME/.claude/projects/$name/far-session.jsonl\" <<'END'\n{answer}\nEND\n\
         cp \"$HOME/.claude/projects/$name/far-session.jsonl\" $HOME/.claude/projects/-other/other.jsonl\n\
         echo far > far.txt"
    ));
    far.add().ok();
    let bead = town.bead("web", "Work");
    let worker = sling_far(&town, &bead).replace('/', "/polecats/");
    wait_for_request(&town);
    let costs = || town.gt(["costs", "--by", "agent", "--json"]).ok().json();
    let costs = eventually("the costs", || {
        let costs = costs();
        (costs["total_usd"].as_f64() > Some(0.0)).then_some(costs)
    });
    assert_eq!(costs["rows"][0]["key"], worker.as_str(), "{costs}");
    assert_eq!(costs["rows"].as_array().unwrap().len(), 1, "{costs}");
    assert_eq!(costs["rows"][0]["tokens"]["input"], 1_000_000, "{costs}");
    let found = town.gt(["seance", "search", "culprit"]).ok().out;
    assert!(found.contains("the lexer is the culprit"), "{found}");
    assert!(!found.contains("other"), "{found}");
    town.gt(["seance", "--talk", "far-session", "--prompt", "Why?"])
        .fails("that session ran on host big");
}

#[test]
fn the_end_of_a_session_on_another_machine_wakes_the_daemon() {
    let (town, _origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    let go = far.home.join("go");
    let ready = far.home.join("ready");
    town.script(&format!(
        ": > {}\n{}\nexit 3",
        ready.display(),
        wait_for(&go)
    ));
    far.add().ok();
    let bead = town.bead("web", "Work");
    sling_far(&town, &bead);
    eventually("the session", || ready.exists().then_some(()));
    // The daemon, as far as the link knows.
    let root = town.root().canonicalize().unwrap();
    let name = bd::bead::hash::compute_short_hash(root.as_os_str().as_encoded_bytes(), 8);
    let socket = town.path("run/gastown").join(format!("{name}.sock"));
    let daemon = UnixListener::bind(socket).unwrap();
    daemon.set_nonblocking(true).unwrap();
    fs::write(&go, "").unwrap();
    let (connection, _) = eventually("the call of the link", || daemon.accept().ok());
    connection.set_nonblocking(false).unwrap();
    let mut request = String::new();
    BufReader::new(connection).read_line(&mut request).unwrap();
    assert!(request.contains("wake"), "{request}");
    // Its pass finds the end.
    town.patrol();
    let ended = town.events("session_ended");
    // tmux does not know the exit code at once.
    assert_eq!(ended.len(), 1, "{ended:?}");
}

#[test]
fn an_emergency_stop_ends_sessions_on_other_machines_or_names_their_host() {
    let (town, _origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    let ready = far.home.join("ready");
    town.script(&format!(
        ": > {}\nwhile :; do sleep 1; done",
        ready.display()
    ));
    far.add().ok();
    let bead = town.bead("web", "Work there");
    sling_far(&town, &bead);
    eventually("the session", || ready.exists().then_some(()));
    let stopped = town.gt(["estop", "--json"]).ok().json();
    assert_eq!(stopped["sessions"], json!(["gt-web-amber"]));
    town.gt(["thaw"]).ok();
    fs::remove_file(&ready).unwrap();
    town.patrol();
    eventually("the next session", || ready.exists().then_some(()));
    far.cut();
    eventually("the cut is noticed", || {
        (town.events("host_unreachable").len() == 1).then_some(())
    });
    town.gt(["estop"]).fails("host big is not reachable since ");
    // Nothing starts all the same.
    let status = town.gt(["status", "--json"]).ok().json();
    assert!(status["stopped"].is_object(), "{status}");
}

#[test]
fn a_host_does_not_replace_the_transcript_of_another_session() {
    let (town, _origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    far.add().ok();
    let write_transcript = |tokens: u64| {
        let answer = json!({
            "type": "assistant", "timestamp": Clock::System.now().to_string(),
            "message": {
                "id": "m1", "model": "claude-sonnet-4-5-20250929",
                "usage": { "input_tokens": tokens, "output_tokens": 1 },
            },
        });
        town.script(&format!(
            "name=$(pwd | tr -c 'a-zA-Z0-9\\n' -)\nmkdir -p \"$HOME/.claude/projects/$name\"\n\
             cat > \"$HOME/.claude/projects/$name/one.jsonl\" <<'END'\n{answer}\nEND\n\
             echo \"$GT_BEAD\" > \"$GT_BEAD.txt\""
        ));
    };
    let work = |options: &[&str]| {
        let bead = town.bead("web", "Work");
        let line = ["sling", &bead, "web"].into_iter();
        town.gt(line.chain(options.iter().copied())).ok();
        eventually("the work is merged", || {
            town.gt(["mq", "run", "web"]).run();
            (town.status_of("web", &bead) == "closed").then_some(())
        });
    };
    write_transcript(1_000_000);
    work(&[]);
    write_transcript(1);
    work(&["--host", "big"]);
    let copies = town.root().join(".runtime/hosts/big/transcripts/web");
    let copy = copies.join("amber/claude/one.jsonl");
    eventually("the copy", || copy.exists().then_some(()));
    let costs = town.gt(["costs", "--by", "agent", "--json"]).ok().json();
    assert_eq!(costs["rows"][0]["tokens"]["input"], 1_000_000, "{costs}");
}
