//! `gt top` in a real terminal.

use serde_json::Value;
use town_tests::showcase::Showcase;
use town_tests::{Terminal, Town, Worker, eventually};

/// A town with a worker that works on and on, and an open question with two answers.
fn town() -> (Town, town_tests::Repo, String, String) {
    let (town, origin) = Town::with_rig();
    town.script("echo 'reading the parser'; sleep 600");
    let bead = town.bead("web", "Parse dates");
    town.sling(&bead);
    let question = ["escalate", "Which format?", "-s", "high", "--json"];
    let options = ["--decision", "--option", "iso", "--option", "local"];
    let asked = town.gt(question).args(options).ok().json();
    let id = asked["id"].as_str().unwrap().to_owned();
    (town, origin, bead, id)
}

fn escalation(town: &Town, id: &str) -> Value {
    town.gt(["escalate", "show", id, "--json"]).ok().json()
}

/// Shows the town at this width, opens its worker, and quits.
fn show_town(columns: u16, line: &str) {
    let (town, _origin, bead, _) = town();
    let terminal = Terminal::run_with_columns(&town, &town.root(), line, columns);
    for text in ["1 of 1 working", "Which format?", "[A] iso", &bead] {
        terminal.wait_for(text);
    }
    let screen = terminal.screen();
    let needs = screen.find("needs you: 1").unwrap();
    assert!(needs < screen.find("agents: ").unwrap(), "{screen}");
    terminal.press(&["2", "j", "j", "Enter"]);
    terminal.wait_for("reading the parser");
    terminal.press(&["q"]);
    terminal.wait_for("Which format?");
    terminal.press(&["q"]);
    eventually("the screen before gt top is back", || {
        (!terminal.screen().contains("Which format?")).then_some(())
    });
}

#[test]
fn the_town_is_shown_in_60_columns() {
    show_town(60, "gt top");
}

#[test]
fn the_town_is_shown_in_100_columns_without_colours() {
    show_town(100, "NO_COLOR=1 gt top");
}

#[test]
fn the_town_is_shown_in_200_columns() {
    show_town(200, "gt top");
}

#[test]
fn a_question_is_answered_and_a_rig_is_parked_by_keys() {
    let (town, _origin, _, question) = town();
    let terminal = Terminal::run(&town, &town.root(), "gt top");
    terminal.wait_for("[B] local");
    terminal.press(&["B"]);
    terminal.wait_for("is resolved: local");
    assert_eq!(escalation(&town, &question)["status"], "closed");
    terminal.wait_for("needs you: nothing");
    terminal.press(&["2", "j", "p"]);
    terminal.wait_for("Park rig web");
    terminal.press(&["n"]);
    terminal.wait_for("nothing was changed");
    terminal.press(&["p", "y"]);
    terminal.wait_for("rig web is parked");
    let status = town.gt(["rig", "status", "web", "--json"]).ok().json();
    assert_eq!(status["held"]["state"], "parked", "{status}");
}

#[test]
fn a_worker_is_nudged_by_keys_and_its_last_line_is_shown() {
    const MESSAGE: &str = "got: [from overseer] look at main";
    let (town, _origin) = Town::with_rig();
    town.script("echo 'reading the parser'; while read -r line; do echo \"got: $line\"; done");
    let name = town.sling(&town.bead("web", "Parse dates"));
    let terminal = Terminal::run(&town, &town.root(), "gt top");
    terminal.wait_for("reading the parser");
    terminal.press(&["/"]);
    terminal.press(&["-l", "Parse dates"]);
    terminal.press(&["Enter", "n"]);
    terminal.wait_for(&format!("Message to {}", name.replace('/', "/polecats/")));
    terminal.press(&["-l", "look at main"]);
    terminal.press(&["Enter"]);
    eventually("the message is typed into the session", || {
        let screen = town.gt(["peek", &name]).ok().out;
        screen.contains(MESSAGE).then_some(())
    });
    terminal.wait_for(MESSAGE);
    let overview = town.gt(["top", "--json"]).ok().json();
    let session = &overview["sessions"][name.replace('/', "/polecats/")];
    assert_eq!(session["last_line"], MESSAGE, "{overview}");
    assert_eq!(town.events("nudge").len(), 1);
}

#[test]
fn a_stuck_worker_is_retried_by_its_key() {
    let worker = Worker::new();
    worker.commit("work.txt");
    let town = &worker.town;
    let refusal = "echo 'no branches here' >&2; exit 1";
    worker.origin.hook("pre-receive", refusal);
    worker.done(["--summary", "x"]).fails("step: push");
    town.kill_session(&town.sessions()[0]);
    town.quiet();
    town.patrol();
    town.patrol();
    worker.origin.hook("pre-receive", "exit 0");
    let terminal = Terminal::run(town, &town.root(), "gt top");
    terminal.wait_for("t retry");
    terminal.press(&["t"]);
    terminal.wait_for(&format!("{} is tried again", worker.name));
    for _ in 0..3 {
        town.patrol();
    }
    assert_eq!(worker.shown()["status"], "closed");
    terminal.wait_for("needs you: nothing");
}

#[test]
fn a_bead_is_slung_and_the_town_is_stopped_by_keys() {
    let (town, _origin) = Town::with_rig();
    town.script("sleep 600");
    let bead = town.bead("web", "Parse dates");
    let terminal = Terminal::run(&town, &town.root(), "gt top");
    terminal.wait_for("needs you: nothing");
    terminal.search(&bead);
    terminal.wait_for("s sling");
    terminal.press(&["s"]);
    terminal.wait_for(&format!("Sling {bead} to the rig or worker"));
    terminal.press(&["Enter"]);
    terminal.wait_for(&format!("{bead} is slung to web/"));
    assert_eq!(town.show("web", &bead)["status"], "hooked");
    assert_eq!(town.sessions().len(), 1);
    terminal.press(&["q"]);
    terminal.wait_for("1 of 1 working");
    terminal.press(&["!"]);
    terminal.wait_for("Reason to stop every agent of the town");
    terminal.press(&["-l", "the bill"]);
    terminal.press(&["Enter"]);
    terminal.wait_for("end the sessions");
    terminal.press(&["y"]);
    terminal.wait_for("the town is stopped");
    assert_eq!(town.sessions(), [""; 0]);
    let status = town.gt(["status", "--json"]).ok().json();
    assert!(
        status["stopped"].to_string().contains("the bill"),
        "{status}"
    );
}

#[test]
fn without_a_terminal_it_names_the_status_and_json_is_one_object() {
    let (town, _origin, bead, question) = town();
    town.gt(["top"]).fails("gt status");
    let overview = town.gt(["top", "--json"]).ok().json();
    let asked = &overview["needs_you"][0]["question"];
    assert_eq!(asked["escalation"], question, "{overview}");
    let agents = &overview["status"]["rigs"][0]["agents"];
    assert_eq!(agents[0]["hook_bead"], bead, "{overview}");
}

#[test]
fn a_new_need_changes_the_title_and_rings_the_bell_unless_it_is_turned_off() {
    let (town, _origin, _, _) = town();
    let terminal = Terminal::run(&town, &town.root(), "gt top");
    let title = |wanted: &str| {
        eventually(wanted, || {
            let (title, bell) = terminal.title_and_bell();
            (title == wanted).then_some(bell)
        })
    };
    assert!(
        !title("(1) town: gt top"),
        "a need from before does not ring"
    );
    town.gt(["config", "set", "--town", "notify.desktop", "false"])
        .ok();
    town.gt(["escalate", "A second?", "-s", "high"]).ok();
    assert!(!title("(2) town: gt top"), "it is turned off");
    town.gt(["config", "unset", "--town", "notify.desktop"])
        .ok();
    town.gt(["escalate", "A third?", "-s", "high"]).ok();
    assert!(title("(3) town: gt top"));
    terminal.press(&["q"]);
    eventually("the title before gt top is back", || {
        let (title, _) = terminal.title_and_bell();
        (!title.contains("gt top")).then_some(())
    });
}

#[test]
fn every_page_and_tab_opens_by_keys() {
    let showcase = Showcase::build("");
    showcase.is_drawn();
    let worker = &showcase.worker;
    let town = &worker.town;
    let other = town.bead("web", "Another bead");
    town.gt(["mq", "pause", "web", "--reason", "a test"]).ok();
    worker.commit("b.txt");
    let terminal = Terminal::run(town, &town.root(), "gt top");
    terminal.wait_for("Which colour?");
    let read_tabs = |tabs: &[&str]| {
        for text in tabs {
            terminal.wait_for(text);
            terminal.press(&["Tab"]);
        }
        terminal.press(&["q", "Escape"]);
        terminal.wait_for("needs you: 1");
    };
    terminal.press(&["2", "j", "j", "Enter"]);
    let title = format!("agent {}", showcase.agent);
    read_tabs(&[
        "41 passed",
        &title,
        "+++ b/b.txt",
        "no messages",
        "[5 timeline]",
        "[6 events]",
    ]);
    let request = worker.hand_in();
    terminal.wait_for(&request);
    terminal.search(&other);
    let title = format!("bead {other}");
    read_tabs(&[&title, "no earlier attempt", "[3 timeline]", "[4 events]"]);
    terminal.search(&request);
    read_tabs(&[
        "[1 status]",
        "+++ b/b.txt",
        "no gate has failed",
        "[4 events]",
    ]);
    terminal.search(&showcase.convoy);
    read_tabs(&["Wave 2", "* the longest chain", "Longest: ", "[4 events]"]);
    terminal.press(&["m"]);
    read_tabs(&["Waiting for no one", "Longest: ", "Costs of 30 days"]);
    // A question is answered in the user's own words.
    terminal.press(&["1", "r"]);
    terminal.wait_for("Answer to");
    terminal.press(&["-l", "green"]);
    terminal.press(&["Enter"]);
    terminal.wait_for("is resolved: green");
    terminal.wait_for("needs you: nothing");
    // A request is rejected with a reason.
    terminal.search(&request);
    terminal.wait_for("x reject");
    terminal.press(&["x"]);
    terminal.wait_for("Reason to reject");
    terminal.press(&["-l", "not like this"]);
    terminal.press(&["Enter"]);
    terminal.wait_for("[y/n]");
    terminal.press(&["y"]);
    terminal.wait_for("will not be merged: not like this");
}
