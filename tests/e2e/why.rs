//! `gt why` on a terminal. What it explains is in the tests of what happens.

use town_tests::{Town, eventually};

/// Runs `gt` on a terminal; what its pager gets goes to a file.
fn on_terminal(town: &Town, name: &str, pager: &str, rest: &str) -> String {
    let (file, end) = (town.path(name), town.path(&format!("{name}.end")));
    let (gt, root) = (town.path("bin/gt"), town.root());
    let command = format!(
        "cd '{}' && HOME='{}' {pager}='cat > {}' '{}' {rest} > /dev/tty; touch '{}'",
        root.display(),
        town.path("home").display(),
        file.display(),
        gt.display(),
        end.display(),
    );
    let session = ["-L", name, "new-session", "-d", command.as_str()];
    town.program_on_path("tmux").args(session).ok();
    eventually("gt has ended", || end.exists().then_some(()));
    std::fs::read_to_string(&file).unwrap_or_default()
}

#[test]
fn a_long_answer_uses_the_pager_only_on_a_terminal() {
    let (town, _origin) = Town::with_rig();
    town.script("echo w > w.txt");
    let bead = town.bead("web", "Explain me");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    town.closed("web", &bead);
    let plain = town.gt(["why", &bead]).env("PAGER", "false").ok().out;
    assert!(plain.contains("is closed"), "{plain}");
    for variable in ["PAGER", "GIT_PAGER"] {
        let paged = on_terminal(&town, variable, variable, &format!("why {bead}"));
        assert!(paged.contains("is closed"), "{variable}: {paged}");
    }
    for rest in [
        format!("why {bead} --no-pager"),
        format!("why {bead} --json"),
    ] {
        let name = format!("none{}", rest.len());
        assert_eq!(on_terminal(&town, &name, "PAGER", &rest), "");
    }
    let last = town.gt(["why", &bead, "-n", "1"]).ok().out;
    assert!(last.contains("older events: -n 0"), "{last}");
}
