//! `gt worktree` and `gt rig quick-add`.

use town_tests::{Repo, Town};

#[test]
fn a_crew_member_gets_a_place_in_another_rig_and_keeps_its_identity() {
    let (town, _origin) = Town::with_rig();
    town.add_rig("docs", "docs");
    town.gt(["crew", "add", "max", "--rig", "web"]).ok();
    let as_max = |args: &[&str]| town.gt(args.iter().copied()).env("GT_ROLE", "web/crew/max");
    let text = as_max(&["worktree", "docs"]).ok().out;
    let path = town.root().join("docs/crew/web_max");
    assert!(
        text.starts_with(&format!("cd {}\n", path.display()))
            && text.contains("export GT_ROLE=web/crew/max\n"),
        "{text}"
    );
    assert!(path.join(".git").exists());
    let again = as_max(&["worktree", "docs", "--no-cd"]).ok().out;
    assert_eq!(again.trim_end(), path.display().to_string());
    let list = as_max(&["worktree", "list", "--json"]).ok().json();
    assert_eq!(list[0]["rig"], "docs");
    as_max(&["worktree", "web"]).fails("is your own rig");
    town.gt(["worktree", "docs"]).fails("is no crew member");
    std::fs::write(path.join("draft.txt"), "draft").unwrap();
    as_max(&["worktree", "remove", "docs"]).fails("nowhere else");
    as_max(&["worktree", "rm", "docs", "-f"]).ok();
    assert!(!path.exists());
    as_max(&["worktree", "rm", "docs"]).fails("no place in rig docs");
}

#[test]
fn the_repository_around_the_working_directory_becomes_a_rig() {
    let town = Town::new();
    let origin = town.origin("site");
    let clone = town.path("My-Site");
    let git = ["clone", "-q", origin.url(), clone.to_str().unwrap()];
    town.git_at(&town.path("home"), git).ok();
    let _: &Repo = &origin;
    let added = town.gt(["quick-add", "--user", "dana", "-q"]).at(&clone);
    let added = added.env("GT_TOWN_ROOT", town.root()).ok().out;
    let path = town.root().join("my_site/crew/dana");
    assert_eq!(added, format!("GT_CREW_PATH={}\n", path.display()));
    let listed = town.gt(["rig", "list", "--json"]).ok().json();
    assert_eq!(listed[0]["remote"], origin.url());
    let outside = town.gt(["rig", "quick-add"]).at(&town.path("home"));
    outside
        .env("GT_TOWN_ROOT", town.root())
        .fails("is in no git repository");
}
