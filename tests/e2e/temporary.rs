//! Temporary folders of commands.

use town_tests::{Town, eventually};

#[test]
fn the_private_folder_of_hook_input_is_removed_on_a_signal() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::ExitStatusExt;
    let town = Town::place().with_tmp();
    let root = town.root();
    town.gt_at(&town.path("home"), ["install", root.to_str().unwrap()])
        .ok();
    town.add_rig("web", "web");
    let bead = town.bead("web", "Work");
    let waits = "while [ -e \"$GT_CONVOY_ISSUES_FILE\" ]; do sleep 0.1; done";
    town.hook("web", "pre-convoy", waits);
    let folder = || {
        let entries = std::fs::read_dir(town.path("tmp")).unwrap().flatten();
        let mut paths = entries.map(|entry| entry.path());
        paths.find(|path| path.to_string_lossy().contains("gt-hook-"))
    };
    for signal in [1, 2, 15] {
        // A background shell may have set SIGINT to be ignored in all child processes.
        let gt = town.path("bin/gt");
        let env = town.other_program(std::path::Path::new("/usr/bin/env"), &root);
        let env = env.args(["--default-signal", gt.to_str().unwrap()]);
        let create = env.args(["convoy", "create", "Batch", &bead]);
        let mut create = create.start_on_terminal();
        let found = eventually("the hook has its input", || {
            folder().filter(|folder| folder.join("issues").is_file())
        });
        let mode = std::fs::metadata(&found).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let kill = town.program_on_path("kill");
        let (how, whom) = (format!("-{signal}"), create.id().to_string());
        kill.args([how.as_str(), &whom]).ok();
        assert_eq!(create.wait().unwrap().signal(), Some(signal));
        assert_eq!(folder(), None, "{signal}");
    }
}

#[test]
fn files_of_a_scripted_session_are_in_the_town_and_recreated() {
    let (town, _origin) = Town::with_rig();
    town.script("echo x >> \"$GT_ROOT/../scripts/n\"; [ $(wc -l < \"$GT_ROOT/../scripts/n\") -gt 1 ] || kill -9 $PPID; echo x > x.txt");
    let bead = town.bead("web", "Work");
    // On a busy machine the session may end while it starts, which the sling reports.
    let slung = town.gt(["sling", &bead, "web", "--json"]).run().json();
    let worker = slung[0]["target"].as_str().unwrap();
    let folder = town.root().join(".runtime/scripted");
    let session = format!("gt-{}", worker.replace("polecats/", "").replace('/', "-"));
    eventually("the killed session has left its files", || {
        let is_dead = town.sessions().is_empty() || town.polecats()[0]["state"] == "stalled";
        (is_dead && folder.join(&session).join("prime.json").exists()).then_some(())
    });
    town.up();
    town.closed("web", &bead);
    eventually("the files of both sessions are removed", || {
        let left = std::fs::read_dir(&folder).unwrap();
        (left.count() == 0).then_some(())
    });
}
