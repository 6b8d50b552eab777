//! `gt directive`.

use town_tests::Town;

#[test]
fn directives_are_edited_listed_and_shown_per_town_and_rig() {
    let (town, _origin) = Town::with_rig();
    let none = town.gt(["directive", "show", "polecat"]).ok().out;
    assert!(none.contains("no directives"), "{none}");
    let write = |text: &str, more: &[&str]| {
        let edit = town.gt(["directive", "edit", "polecat"]);
        let edit = edit.args(more.iter().copied());
        edit.env("GIT_EDITOR", format!("echo '{text}' | tee")).ok();
    };
    write("Be brief", &[]);
    write("Use tabs", &["--rig", "web"]);
    let shown = town.gt(["directive", "show", "polecat"]).ok().out;
    assert_eq!(shown, "Be brief\n");
    let listed = town.gt(["directive", "list", "--json"]).ok().json();
    let places: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["rig"])
        .collect();
    assert_eq!(places, [&serde_json::Value::Null, &"web".into()]);
    let worker = town.gt(["prime"]).at(&town.root().join("web"));
    let text = worker.env("GT_ROLE", "web/polecats/nux").run().out;
    assert!(
        text.contains("Be brief") && text.contains("Use tabs"),
        "{text}"
    );
    town.gt(["directive", "show", "boss"]).fails("boss");
}
