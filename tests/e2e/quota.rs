//! `gt quota`.

use serde_json::json;
use town_tests::{Town, eventually};

#[test]
fn a_limited_account_gives_way_to_an_available_one() {
    let (town, _origin) = Town::with_rig();
    town.script("echo $CLAUDE_CONFIG_DIR >> $GT_ROOT/../seen; cat $GT_ROOT/../words; sleep 600");
    std::fs::write(
        town.path("words"),
        "usage limit reached, try again in 2 hours\n",
    )
    .unwrap();
    crate::account::read_variable(&town);
    for name in ["home", "work"] {
        town.gt(["account", "add", name]).ok();
    }
    let status = |field: &str| {
        let rows = town.gt(["quota", "status", "--json"]).ok().json();
        [rows[0][field].clone(), rows[1][field].clone()]
    };
    assert_eq!(status("status"), [json!("available"), json!("available")]);
    let nothing = town.gt(["quota", "rotate"]).ok();
    assert!(nothing.out.contains("home is available"), "{}", nothing.out);
    town.sling(&town.bead("web", "One"));
    let scanned = eventually("the session shows its limit", || {
        let scanned = town.gt(["quota", "scan", "--json"]).ok().json();
        (scanned[0]["rate_limited"] == json!(true)).then_some(scanned)
    });
    assert_eq!(scanned[0]["account_handle"], "home", "{scanned}");
    assert_eq!(status("status"), [json!("limited"), json!("available")]);
    let text = town.gt(["quota", "status"]).ok().out;
    assert!(text.contains("○ home (default): limited since"), "{text}");
    std::fs::write(town.path("words"), "hello\n").unwrap();
    town.sling(&town.bead("web", "Two"));
    let seen = crate::account::seen(&town, 2);
    assert!(
        seen[0].ends_with("/home") && seen[1].ends_with("/work"),
        "{seen:?}"
    );
    let event = &town.events("account_passed_over")[0]["payload"];
    assert_eq!(
        (&event["account"], &event["used"]),
        (&json!("home"), &json!("work"))
    );
    let preview = town
        .gt(["quota", "rotate", "--dry-run", "--json"])
        .ok()
        .json();
    assert_eq!(preview["new_account"], "work", "{preview}");
    assert_eq!(status("is_default"), [json!(true), json!(false)]);
    town.gt(["quota", "rotate"]).ok();
    assert_eq!(status("is_default"), [json!(false), json!(true)]);
    town.gt(["quota", "clear", "nosuch"])
        .fails("there is no account `nosuch`");
    let cleared = town.gt(["quota", "clear", "home", "--json"]).ok().json();
    assert_eq!(cleared["cleared"], json!(["home"]));
    assert_eq!(status("status"), [json!("available"), json!("available")]);
}

#[test]
fn a_limit_ends_at_its_time_and_all_limits_leave_the_chosen_account() {
    let town = Town::new();
    for name in ["home", "work"] {
        town.gt(["account", "add", name]).ok();
    }
    let write = |home: &str, work: &str| {
        let limited = |until: &str| json!({ "status": "limited", "resets_at": until });
        let accounts = json!({ "home": limited(home), "work": limited(work) });
        let file = json!({ "version": 1, "accounts": accounts });
        std::fs::write(town.root().join("mayor/quota.json"), file.to_string()).unwrap();
    };
    write("2000-01-01T00:00:00Z", "2900-01-01T00:00:00Z");
    let rows = town.gt(["quota", "status", "--json"]).ok().json();
    assert_eq!(
        (&rows[0]["status"], &rows[1]["status"]),
        (&json!("available"), &json!("limited"))
    );
    write("2900-01-01T00:00:00Z", "2901-01-01T00:00:00Z");
    town.gt(["quota", "rotate"])
        .fails("no account is available");
}
