//! Links and files in a repository where gt has folders of its own: nothing is written through
//! them.

use std::path::Path;

use town_tests::{Repo, Town, eventually};

/// A folder outside of the town that must stay as it is.
fn outside(town: &Town) -> std::path::PathBuf {
    let path = town.path("outside");
    std::fs::create_dir(&path).unwrap();
    std::fs::write(path.join("redirect"), "stays").unwrap();
    std::fs::write(path.join("file"), "stays").unwrap();
    path
}

fn is_untouched(outside: &Path) {
    assert_eq!(std::fs::read_dir(outside).unwrap().count(), 2);
    for name in ["redirect", "file"] {
        let text = std::fs::read_to_string(outside.join(name)).unwrap();
        assert_eq!(text, "stays");
    }
}

/// Work goes through the rig, twice, so that a sandbox is used again.
fn works(town: &Town, origin: &Repo) {
    for number in 0..2 {
        let bead = town.bead("web", "Work");
        town.gt(["sling", &bead, "web"]).ok();
        town.closed("web", &bead);
        let files = origin.git(["ls-tree", "--name-only", "main"]);
        assert!(files.contains(&format!("{bead}.txt")), "{number}: {files}");
    }
    let doctor = town.gt(["doctor"]).run();
    assert!(!doctor.out.contains("ERROR"), "{}", doctor.out);
}

const WORK: &str = "bd show \"$GT_BEAD\" >/dev/null\necho work > \"$GT_BEAD.txt\"\ngit add -A";

#[test]
fn repository_links_at_town_folders_are_kept_and_not_followed() {
    let town = Town::new();
    let origin = town.origin("web");
    let outside = outside(&town);
    for name in [".beads", ".gt", ".claude"] {
        origin.commit_link(name, &outside);
    }
    origin.commit_link(".polecat-checkpoint.json", &outside.join("file"));
    town.gt(["rig", "add", "web", origin.url(), "--prefix", "web"])
        .ok();
    town.script(WORK);
    town.up();
    works(&town, &origin);
    is_untouched(&outside);
    for name in [".beads", ".gt", ".claude"] {
        let entry = origin.git(["ls-tree", "main", "--", name]);
        assert!(entry.starts_with("120000"), "{entry}");
    }
}

#[test]
fn a_rig_survives_repository_links_or_files_at_town_folders() {
    let (town, origin) = Town::with_rig();
    let outside = outside(&town);
    town.script(WORK);
    town.up();
    works(&town, &origin);
    origin.commit_link(".beads", &outside);
    works(&town, &origin);
    origin.commit_many(&[(".beads", "a file\n"), (".gt", "a file\n")]);
    works(&town, &origin);
    assert_eq!(origin.file("main", ".beads"), "a file");
    assert_eq!(origin.file("main", ".gt"), "a file");
    is_untouched(&outside);
}

#[test]
fn an_overlay_file_is_not_written_through_a_link() {
    let (town, origin) = Town::with_rig();
    let outside = outside(&town);
    let overlay = town.root().join("web/.runtime/overlay");
    std::fs::create_dir_all(&overlay).unwrap();
    std::fs::write(overlay.join("local.env"), "secret").unwrap();
    origin.commit_link("local.env", &outside.join("file"));
    town.script(WORK);
    town.up();
    // A file that the repository tracks stays as it has it.
    works(&town, &origin);
    is_untouched(&outside);
    let entry = origin.git(["ls-tree", "main", "--", "local.env"]);
    assert!(entry.starts_with("120000"), "{entry}");
}

#[test]
fn a_branch_with_a_link_for_beads_is_refused_with_the_next_step() {
    let (town, origin) = Town::with_rig();
    town.script(
        "echo work > work.txt\nrm -rf .beads\nln -s / .beads\ngit add -f work.txt .beads\ngit commit -qm Link",
    );
    let bead = town.bead("web", "Work");
    let polecat = town.sling(&bead);
    let why = eventually("the refusal is shown", || {
        let polecat = town.polecats().remove(0);
        let why = polecat["why"].as_str().unwrap_or_default().to_owned();
        why.contains("proof").then_some(why)
    });
    assert!(why.contains("proof"), "{why}");
    let refused = town
        .gt_as(&polecat, ["done", "--summary", "x"])
        .fails("changes beads, which a sandbox must not: .beads.");
    let way = refused.err.split("Drop them from it: ").nth(1).unwrap();
    let way = way.split(" and commit").next().unwrap();
    let sandbox = town.sandbox(&polecat);
    town.program_on_path("sh")
        .args(["-c", way])
        .at(&sandbox)
        .ok();
    town.git_at(&sandbox, ["commit", "-qm", "Without it"]).ok();
    town.gt_as(&polecat, ["done", "--summary", "x"]).ok();
    town.gt(["mq", "run", "web"]).ok();
    assert_eq!(town.status_of("web", &bead), "closed");
    assert_eq!(origin.git(["ls-tree", "main", "--", ".beads"]), "");
}
