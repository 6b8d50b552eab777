//! `gt convoy`.

use town_tests::Town;

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
    assert_eq!(town.mail("mayor/").len(), 2, "once for each landing");
}

#[test]
fn open_work_keeps_a_convoy_from_being_closed_by_hand() {
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
    town.gt(["convoy", "create", "D", "web-none"])
        .fails("no issue found");
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
