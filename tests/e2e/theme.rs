//! `gt theme`.

use serde_json::json;
use town_tests::Town;

#[test]
fn sessions_have_the_colours_of_their_rig() {
    let (town, _origin) = Town::with_rig();
    town.script("sleep 600");
    let style = |session: &str| {
        let target = format!("={session}:");
        let said = town.tmux(["show-options", "-v", "-t", &target, "status-style"]);
        said.trim().to_owned()
    };
    let by_name = town.gt(["theme", "--rig", "web", "--json"]).ok().json();
    town.sling(&town.bead("web", "One"));
    let session = town.sessions().remove(0);
    let expected = format!(
        "bg={},fg={}",
        by_name["bg"].as_str().unwrap(),
        by_name["fg"].as_str().unwrap()
    );
    assert_eq!(style(&session), expected);
    let listed = town.gt(["theme", "--list", "--json"]).ok().json();
    assert_eq!(listed.as_array().unwrap().len(), 10);
    town.gt(["theme", "nosuch", "--rig", "web"])
        .fails("there is no theme `nosuch`");
    let other = if by_name["name"] == "wine" {
        "teal"
    } else {
        "wine"
    };
    let chosen = town
        .gt(["theme", other, "--rig", "web", "--json"])
        .ok()
        .json();
    assert_eq!(chosen["name"], other, "{chosen}");
    assert_eq!(
        style(&session),
        format!(
            "bg={},fg={}",
            chosen["bg"].as_str().unwrap(),
            chosen["fg"].as_str().unwrap()
        )
    );
    town.set_rig_setting(
        "web",
        "theme",
        json!({ "custom": { "bg": "#102030", "fg": "white" } }),
    );
    assert_eq!(
        town.gt(["theme", "apply", "--json"]).ok().json(),
        json!([session])
    );
    assert_eq!(style(&session), "bg=#102030,fg=white");
    // tmux would run the program in a format.
    town.set_rig_setting(
        "web",
        "theme",
        json!({ "custom": { "bg": "#(touch /x)", "fg": "white" } }),
    );
    town.gt(["theme", "apply"]).ok();
    assert_eq!(style(&session), expected);
    town.gt(["issue", "set", "web-1"]).fails("gt sling web-1");
}
