//! Dependencies between the rigs of a town.

use serde_json::{Value, json};
use town_tests::Town;

fn ids(list: &Value) -> Vec<&str> {
    let items = list.as_array().unwrap().iter();
    items.map(|item| item["id"].as_str().unwrap()).collect()
}

#[test]
fn a_bead_of_another_rig_blocks_until_it_is_closed() {
    let (town, _web) = Town::with_rig();
    let _api = town.add_rig("api", "ap");
    town.script("echo x > \"$GT_BEAD.txt\"");
    let server = town.bead("api", "Serve it");
    let page = town.bead("web", "Show it");
    town.bd("web", ["dep", "add", &page, &server]).ok();
    assert_eq!(town.bd("web", ["ready", "--json"]).ok().json(), json!([]));
    let blocked = town.bd("web", ["blocked", "--json"]).ok().json();
    assert_eq!(ids(&blocked), [page.as_str()]);
    let convoy = town
        .gt(["convoy", "create", "Both", &server, &page, "--json"])
        .ok();
    let convoy = convoy.json()["id"].as_str().unwrap().to_owned();
    let slung = town.gt(["sling", &page, "web", "--json"]).ok().json();
    assert_eq!(slung[0]["waits_for"], json!([server]), "{slung}");
    town.patrol();
    assert_eq!(town.status_of("web", &page), "open", "it waits");
    let status = town.gt(["convoy", "status", &convoy, "--json"]).ok().json();
    let tracked = status[0]["tracked"].as_array().unwrap();
    let shown = tracked
        .iter()
        .find(|bead| bead["id"] == page.as_str())
        .unwrap();
    assert_eq!(shown["standing"], "blocked", "{shown}");
    assert_eq!(shown["waits_for"], json!([server]), "{shown}");
    town.bd("api", ["close", &server, "--reason", "served"])
        .ok();
    let ready = town.bd("web", ["ready", "--json"]).ok().json();
    assert_eq!(ids(&ready), [page.as_str()]);
    town.up();
    town.closed("web", &page);
}

#[test]
fn a_cycle_across_rigs_is_refused_with_its_path() {
    let (town, _web) = Town::with_rig();
    let _api = town.add_rig("api", "ap");
    let (one, two) = (town.bead("web", "One"), town.bead("web", "Two"));
    let other = town.bead("api", "Other");
    town.bd("web", ["dep", "add", &one, &other]).ok();
    town.bd("api", ["dep", "add", &other, &two]).ok();
    // The last edge is one within a rig, and still closes the circle.
    let said = town.bd("web", ["dep", "add", &two, &one]).fails("cycle");
    for id in [&one, &two, &other] {
        assert!(said.err.contains(id.as_str()), "{}", said.err);
    }
    assert_eq!(town.show("web", &two)["dependencies"], Value::Null);
    town.bd("api", ["dep", "add", &other, &one]).fails("cycle");
}

#[test]
fn dependencies_on_another_rig_need_an_existing_bead() {
    let (town, _web) = Town::with_rig();
    let _api = town.add_rig("api", "ap");
    let server = town.bead("api", "Serve it");
    let page = town.bead_with("web", "Show it", &["--deps", &server]);
    let blocked = town.bd("web", ["blocked", "--json"]).ok().json();
    assert_eq!(ids(&blocked), [page.as_str()]);
    town.bd("web", ["dep", "add", &page, "ap-gone"])
        .fails("there is no bead ap-gone in api");
    let args = ["create", "Other", "--deps", "ap-gone"];
    let said = town.bd("web", args).ok();
    assert!(
        said.err.contains("there is no bead ap-gone in api"),
        "{}",
        said.err
    );
}

#[test]
fn beads_of_several_stores_are_closed_together_or_not_at_all() {
    let (town, _web) = Town::with_rig();
    let task = town.bead(".", "A task of the town");
    let (blocker, blocked) = (town.bead("web", "Blocker"), town.bead("web", "Blocked"));
    town.bd("web", ["dep", "add", &blocked, &blocker]).ok();
    town.bd(".", ["close", &task, &blocked]).fails(&blocked);
    assert_eq!(town.status_of(".", &task), "open");
    town.bd(".", ["close", &task, &blocker]).ok();
    assert_eq!(town.status_of(".", &task), "closed");
    assert_eq!(town.status_of("web", &blocker), "closed");
}
