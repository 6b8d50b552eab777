//! `gt convoy`.

use town_tests::{Town, eventually};

use crate::screens::assert_running_screen;

#[test]
fn a_convoy_reopens_when_work_is_added_and_lands_again() {
    let (town, _origin) = Town::with_rig();
    town.script("echo w > \"$GT_BEAD.txt\"");
    let (one, two) = (town.bead("web", "One"), town.bead("web", "Two"));
    let made = town
        .gt(["convoy", "create", "C", &one, "--owner", "mayor/", "--json"])
        .ok()
        .json();
    let id = made["id"].as_str().unwrap().to_owned();
    town.up();
    town.gt(["sling", &one, "web"]).ok();
    town.closed("web", &one);
    let landed = || {
        town_tests::eventually("landed", || {
            (town.status_of(".", &id) == "closed").then_some(())
        });
    };
    landed();
    let added = town.gt(["convoy", "add", &id, &two, "--json"]).ok().json();
    assert_eq!(added["reopened"], true);
    assert_eq!(town.status_of(".", &id), "open");
    town.gt(["sling", &two, "web"]).ok();
    town.closed("web", &two);
    landed();
    let mail = town.mail("mayor/");
    let mut subjects: Vec<&str> = mail
        .iter()
        .map(|one| one["subject"].as_str().unwrap())
        .collect();
    subjects.sort_unstable();
    assert_eq!(
        subjects,
        ["🚚 Convoy landed again: C", "🚚 Convoy landed: C"],
        "once for each landing"
    );
}

#[test]
fn a_convoy_without_a_name_is_named_after_its_first_bead() {
    let (town, _origin) = Town::with_rig();
    let (one, two) = (town.bead("web", "One"), town.bead("web", "Two"));
    let made = town.gt(["convoy", "create", &one, &two, "--json"]);
    let made = made.ok().json();
    assert_eq!(made["title"], "One");
    assert_eq!(made["added"], serde_json::json!([one, two]));
    // Work that no one has gets no estimate.
    let end = &town.gt(["top", "--json"]).ok().json()["estimates"][made["id"].as_str().unwrap()];
    assert_eq!(end["short"], "no one has: 2 beads", "{end}");
    assert!(end.get("seconds").is_none(), "{end}");
}

#[test]
fn a_bead_whose_worker_has_no_session_is_not_shown_as_working() {
    let (town, _origin) = Town::with_rig();
    town.script("sleep 600");
    let bead = town.bead("web", "One");
    let slung = town.gt(["sling", &bead, "web", "--json"]).ok().json();
    let convoy = slung[0]["convoy"].as_str().unwrap();
    let status = || town.gt(["convoy", "status", convoy]).ok().out;
    assert!(status().contains("◐ working"), "{}", status());
    town.kill_tmux();
    let shown = status();
    assert!(shown.contains("! stopped"), "{shown}");
}

#[test]
fn a_convoy_with_open_work_cannot_be_closed_by_hand() {
    let (town, _origin) = Town::with_rig();
    let bead = town.bead("web", "One");
    let made = town
        .gt(["convoy", "create", "C", &bead, "--json"])
        .ok()
        .json();
    let id = made["id"].as_str().unwrap();
    town.gt(["convoy", "close", id]).fails(&bead);
    town.gt(["convoy", "close", id, "--force", "--reason", "not wanted"])
        .ok();
    assert!(
        town.mail("overseer").is_empty(),
        "it has not landed, so nobody is told"
    );
    town.gt(["convoy", "close", "hq-cv-none"])
        .fails("not found");
    town.gt(["convoy", "create", "E", id])
        .fails(&format!("{id} is a record of the town (convoy)"));
    town.gt(["convoy", "create", "D", "web-none"])
        .fails("bead not found");
}

#[test]
fn beads_are_taken_out_of_a_convoy_unless_a_worker_began_them_on_its_branch() {
    let (town, _origin) = Town::with_rig();
    let [one, two] = ["One", "Two"].map(|title| town.bead("web", title));
    let create = |name: &str, more: &[&str]| {
        let args = [&["convoy", "create", name, &one, &two, "--json"], more].concat();
        let created = town.gt(args).ok().json();
        created["id"].as_str().unwrap().to_owned()
    };
    let convoy = create("Plain", &[]);
    town.gt(["convoy", "remove", &convoy, &one]).ok();
    town.gt(["convoy", "remove", &convoy, &one])
        .fails(&format!("{convoy} does not track {one}"));
    let status = town.gt(["convoy", "status", &convoy]).ok().out;
    assert!(
        status.contains(&two) && !status.contains(&one),
        "the other bead stays: {status}"
    );
    let said = town.gt(["convoy", "remove", &convoy, &two]).ok().out;
    assert!(
        said.contains(&format!("\n  gt convoy close {convoy}\n")),
        "{said}"
    );
    let own = create("With a branch", &["--integration"]);
    town.script("while :; do sleep 1; done");
    town.sling(&one);
    town.gt(["convoy", "remove", &own, &one])
        .fails(&format!("{one} stays in {own}"));
    town.gt(["convoy", "remove", &own, &two]).ok();
}

#[test]
fn status_and_list_fit_an_80_column_terminal() {
    let (town, _origin) = Town::with_rig();
    let long = "A title that goes on and on far beyond what any terminal of eighty columns could show in one line";
    let bead = town.bead("web", long);
    town.gt(["convoy", "create", long, &bead]).ok();
    for args in [
        vec!["convoy", "status"],
        vec!["convoy", "list"],
        vec!["status"],
    ] {
        let said = town.gt(args.clone()).env("COLUMNS", "80").ok();
        let widest = said
            .out
            .lines()
            .map(|line| line.chars().count())
            .max()
            .unwrap();
        assert!(widest <= 80, "{args:?}: {widest}\n{}", said.out);
    }
    for args in [["list"], ["ready"]] {
        let said = town.bd("web", args).env("COLUMNS", "80").ok();
        let widest = said
            .out
            .lines()
            .map(|line| line.chars().count())
            .max()
            .unwrap();
        assert!(widest <= 80, "{args:?}: {widest}\n{}", said.out);
    }
}

#[test]
fn failed_work_blocks_the_landing_and_status_shows_the_next_steps() {
    let (town, _origin) = Town::with_rig();
    let (one, two) = (town.bead("web", "One"), town.bead("web", "Two"));
    let three = town.bead("web", "Three");
    let args = ["convoy", "create", "C", &one, &two, &three, "--json"];
    let made = town.gt(args).ok().json();
    let id = made["id"].as_str().unwrap();
    town.bd("web", ["close", &one, "--reason", "No change: it is right"])
        .ok();
    town.bd("web", ["close", &two, "--reason", "Cancelled: not wanted"])
        .ok();
    town.bd("web", ["close", &three, "--reason", "Failed: no such API"])
        .ok();
    town.patrol();
    assert_eq!(town.status_of(".", id), "open");
    town.gt(["convoy", "land", id])
        .fails(&format!("{three} is failed"));
    let status = town.gt(["convoy", "status", id, "--json"]).ok().json();
    let status = &status[0];
    assert_eq!(
        (&status["completed"], &status["total"]),
        (&2.into(), &3.into())
    );
    assert_eq!(status["tracked"][2]["standing"], "failed");
    let ways = [
        format!("bd reopen {three} && gt sling {three} web"),
        format!("bd close {three} --reason \"Cancelled: <why>\""),
        format!("gt convoy close {id} --force --reason \"<why>\""),
    ];
    assert_eq!(status["tracked"][2]["next_steps"], serde_json::json!(ways));
    let ids = [&one, &two, &three].map(String::as_str);
    let ids = std::iter::zip(ids, ["web-one", "web-two", "web-three"]).collect::<Vec<_>>();
    let shown = town.gt(["convoy", "status", id]);
    assert_running_screen("gt-convoy-status-failed", shown, &ids);
    // Nobody said why: that does not count, either.
    town.bd("web", ["close", &three, "--reason", "Cancelled"])
        .ok();
    town.patrol();
    assert_eq!(town.status_of(".", id), "open");
    town.bd(
        "web",
        ["close", &three, "--reason", "Cancelled: no such API"],
    )
    .ok();
    let landed = town.gt(["convoy", "land", id, "--json"]).ok().json();
    assert_eq!(landed["outcome"], "landed");
    assert_eq!(town.status_of(".", id), "closed");
}

#[test]
fn a_convoy_lists_its_work_closed_without_a_merge() {
    let (town, _origin) = Town::with_rig();
    let (one, two) = (town.bead("web", "One"), town.bead("web", "Two"));
    let three = town.bead("web", "Three");
    let args = ["convoy", "create", "C", &one, &two, &three, "--json"];
    let id = town.gt(args).ok().json()["id"].as_str().unwrap().to_owned();
    town.script("echo x > x.txt");
    town.gt(["sling", &one, "web"]).ok();
    town.bd("web", ["close", &two, "--reason", "Won't do"]).ok();
    town.bd("web", ["delete", &three, "--force"]).ok();
    eventually("it has landed", || {
        town.patrol();
        (town.status_of(".", &id) == "closed").then_some(())
    });
    let ids = [&one, &two, &three].map(String::as_str);
    let ids = std::iter::zip(ids, ["web-one", "web-two", "web-three"]).collect::<Vec<_>>();
    let shown = town.gt(["convoy", "status", &id]);
    assert_running_screen("gt-convoy-status-landed", shown, &ids);
    let mail = town.mail("overseer");
    let body = mail[0]["body"].as_str().unwrap();
    assert!(body.contains("1 of 3 merged"), "{body}");
    assert!(body.contains(&format!("- {three}: deleted")), "{body}");
    assert!(body.contains(&format!("- {one}\n")), "{body}");
}

#[test]
fn stranded_convoys_are_listed_and_complete_ones_land_at_a_check() {
    let (town, _origin) = Town::with_rig();
    let bead = town.bead("web", "Work");
    let next = town.bead("web", "Next");
    town.bd("web", ["dep", "add", &next, &bead]).ok();
    let created = town
        .gt(["convoy", "create", "Batch", &bead, &next, "--json"])
        .ok()
        .json();
    let convoy = created["id"].as_str().unwrap();
    let stranded = town.gt(["convoy", "stranded", "--json"]).ok().json();
    assert_eq!(stranded[0]["id"], convoy);
    assert_eq!(stranded[0]["ready_issues"], serde_json::json!([bead]));
    let text = town.gt(["convoy", "stranded"]).ok().out;
    assert!(text.contains(&format!("gt sling {bead}")), "{text}");
    let checked = town.gt(["convoy", "check", "--json"]).ok().json();
    assert_eq!(checked[0]["landed"], false);
    for id in [&bead, &next] {
        town.bd("web", ["close", id]).ok();
    }
    let dry = town.gt(["convoy", "check", "--dry-run"]).ok().out;
    assert!(dry.contains("would land"), "{dry}");
    let checked = town.gt(["convoy", "check", convoy, "--json"]).ok().json();
    assert_eq!(checked[0]["landed"], true, "{checked:#}");
    assert_eq!(
        town.gt(["convoy", "stranded", "--json"]).ok().json(),
        serde_json::json!([])
    );
    town.gt(["convoy", "check", convoy]).fails("no open convoy");
}

#[test]
fn the_address_after_notify_may_be_a_word_of_its_own() {
    let (town, _origin) = Town::with_rig();
    let bead = town.bead("web", "Work");
    town.gt(["crew", "add", "max", "--rig", "web"]).ok();
    for args in [
        vec!["convoy", "create", "Batch", &bead, "--notify", "web/max"],
        vec!["convoy", "create", "--notify", "web/max", "Batch", &bead],
        vec!["convoy", "create", "Batch", "--notify=web/max", &bead],
    ] {
        let created = town.gt(args.into_iter().chain(["--json"])).ok().json();
        assert_eq!(created["title"], "Batch", "{created:#}");
        let shown = town.show(".", created["id"].as_str().unwrap());
        assert!(shown.to_string().contains("web/max"), "{shown:#}");
        assert!(!shown.to_string().contains("mayor/"), "{shown:#}");
    }
    let titled = ["convoy", "create", "web/max", &bead, "--notify", "--json"];
    let created = town.gt(titled).ok().json();
    assert_eq!(created["title"], "web/max", "a title is no address");
}
