//! `gt install`, and towns of the original.

use town_tests::Town;

#[test]
fn a_town_can_be_reinstalled_and_existing_files_stay() {
    let town = Town::new();
    let settings = town.root().join("settings/config.json");
    let before = std::fs::read(&settings).unwrap();
    let said = town.gt(["install", "."]).ok();
    assert!(said.out.contains("was there already"), "{}", said.out);
    assert_eq!(std::fs::read(&settings).unwrap(), before);
}

#[test]
fn a_nested_town_is_reported_and_a_file_in_the_way_is_refused() {
    let town = Town::new();
    let inner = town.root().join("inner");
    let said = town.gt(["install", inner.to_str().unwrap()]).ok();
    assert!(said.err.contains("lies inside the town"), "{}", said.err);
    // And one around towns, which stay what they are.
    let root = town.root();
    let said = town.gt_at(root.parent().unwrap(), ["install"]).ok();
    let warning = format!("the town at {} lies inside this one", root.display());
    assert!(said.err.contains(&warning), "{}", said.err);
    let folder = root.join("web/polecats/nux/web");
    std::fs::create_dir_all(&folder).unwrap();
    let found = town.gt_at(&folder, ["status", "--json"]).ok().json();
    assert_eq!(found["location"], root.to_str().unwrap(), "{found}");
    let file = town.path("file");
    std::fs::write(&file, "x").unwrap();
    let below = file.join("town");
    town.gt_at(&town.path("home"), ["install", below.to_str().unwrap()])
        .fails("cannot be written");
}

#[test]
fn a_folder_with_foreign_beads_is_refused_and_left_unchanged() {
    let (town, _origin) = Town::with_rig();
    let rig = town.root().join("web");
    let config = rig.join(".beads/config.yaml");
    let before = std::fs::read(&config).unwrap();
    town.gt_at(&rig, ["install"])
        .fails("holds the beads of another project (prefix `web`)");
    assert_eq!(std::fs::read(&config).unwrap(), before);
    assert!(!rig.join("mayor/town.json").exists());
}

#[test]
fn a_town_can_be_a_repository_that_ignores_the_clones_in_it() {
    let place = Town::place();
    let root = place.root();
    let install = || {
        let args = ["install", "--git", root.to_str().unwrap()];
        place.gt_at(&place.path("home"), args).ok();
    };
    install();
    let ignored = std::fs::read_to_string(root.join(".gitignore")).unwrap();
    assert!(ignored.contains("/*/polecats/"), "{ignored}");
    let git = place.program_on_path("git");
    let status = git.args(["status", "--porcelain", "-uall"]).at(&root).ok();
    assert!(status.out.contains("mayor/town.json"), "{}", status.out);
    assert!(!status.out.contains(".events.jsonl"), "{}", status.out);
    install();
    let again = std::fs::read_to_string(root.join(".gitignore")).unwrap();
    assert_eq!(again, ignored);
}
