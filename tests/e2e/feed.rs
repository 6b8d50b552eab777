//! `gt feed`.

use std::io::{BufRead, BufReader};

use town_tests::Town;

fn lines(town: &Town, args: &[&str]) -> Vec<String> {
    let run = town.gt(["feed"]).args(args.iter().copied());
    run.ok().out.lines().map(str::to_owned).collect()
}

#[test]
fn the_feed_shows_one_sentence_per_event_and_can_be_filtered() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let bead = town.bead("web", "Work");
    let worker = town.sling(&bead);
    let evil = "a\u{1b}[2J\nb";
    town.gt(["mail", "send", "mayor/", "-s", evil])
        .env("GT_ROLE", "deacon")
        .ok();
    let all = lines(&town, &[]);
    let has = |words: &str| all.iter().any(|line| line.contains(words));
    assert!(has(&format!("slung {bead} to web/polecats/")), "{all:#?}");
    assert!(has(&format!("started {worker} for {bead}")), "{all:#?}");
    assert!(has("deacon") && has("wrote to mayor/: a"), "{all:#?}");
    assert!(!all.join("").contains('\u{1b}'));
    let stored = std::fs::read_to_string(town.root().join(".events.jsonl")).unwrap();
    assert_eq!(
        lines(&town, &["--json", "-n", "0"]).join("\n"),
        stored.trim_end()
    );
    assert_eq!(lines(&town, &["-n", "1"]), all[all.len() - 1..]);
    let mail = lines(&town, &["--actor", "deacon"]);
    assert_eq!(mail.len(), 1);
    assert_eq!(lines(&town, &["--type", "mail"]), mail);
    let of_rig = lines(&town, &["--rig", "web"]);
    assert!(
        !of_rig.is_empty() && !of_rig.contains(&mail[0]),
        "{of_rig:#?}"
    );
    assert_eq!(lines(&town, &["--since", "1h"]).len(), all.len());
    let some = lines(&town, &["--since", "1h", "-n", "2", "--rig", "web"]);
    assert_eq!(some[2], "older events are not shown");
    assert_eq!(some[3], "  gt feed --since 1h --rig web -n 0");
    let json = ["--since", "1h", "-n", "2", "--json"];
    assert_eq!(lines(&town, &json).len(), 2);
    let later = town.gt(["feed", "--since", "1h"]);
    let later = later.env("BD_NOW", "2999-01-01T00:00:00Z").ok().out;
    assert_eq!(later, "");
    town.gt(["feed", "--since", "soon"])
        .fails("`soon` is not a time");
    town.gt(["feed", "--rig", "none"])
        .fails("there is no rig `none`");
}

#[test]
fn a_followed_feed_shows_events_as_they_happen() {
    let (town, _origin) = Town::with_rig();
    town.gt(["mail", "send", "mayor/", "-s", "Before"]).ok();
    let follow = town.gt(["feed", "--follow", "--type", "mail", "--json"]);
    let mut child = follow.start_reading();
    let mut read = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || read.next().unwrap().unwrap();
    assert!(next().contains("Before"));
    for subject in ["One", "Two"] {
        town.gt(["mail", "send", "mayor/", "-s", subject]).ok();
        assert!(next().contains(subject));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_filter_that_can_match_nothing_is_refused_with_similar_names() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let worker = town.sling(&town.bead("web", "Work"));
    town.gt_as(&worker, ["mail", "send", "mayor/", "-s", "Hello"])
        .ok();
    let found = town.gt(["log", "--agent", &worker]).ok().out;
    assert!(found.contains("wrote to mayor/: Hello"), "{found}");
    let name = worker.trim_start_matches("web/");
    let slip = format!("web/{}x", &name[..name.len() - 1]);
    let refused = town.gt(["log", "--agent", &slip]).run();
    assert!(
        refused.code != 0 && refused.err.contains(&format!("web/polecats/{name}")),
        "{}",
        refused.err
    );
    town.gt(["log", "--type", "slign"])
        .fails("no event type begins with slign (did you mean sling");
    town.gt(["log", "--agent", "overseer"]).ok();
}
