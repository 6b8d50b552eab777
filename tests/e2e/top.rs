//! `gt top` in a real terminal.

use serde_json::Value;
use town_tests::{Terminal, Town, eventually};

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
