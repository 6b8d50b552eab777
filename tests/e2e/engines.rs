//! Workers in places that an engine makes for them: `gt host add --container`, `--kubernetes`.

use std::fs;

use serde_json::Value;
use town_tests::{StandInEngine, Terminal, Town, eventually};

/// Slings a bead to a worker of the rig `web` on the host `pods`.
fn sling_to_pods(town: &Town, bead: &str) {
    town.gt(["sling", bead, "web", "--host", "pods"]).ok();
}

fn wait_for_request(town: &Town) {
    eventually("a merge request", || {
        let listed = town.gt(["mq", "list", "web", "--json"]).ok().json();
        listed.as_array().unwrap().first().map(drop)
    });
}

/// Writes a script of a worker that marks its start with a file, and then waits. Returns the file.
fn wait_in_work(town: &Town, before: &str) -> std::path::PathBuf {
    let ready = town.path("ready");
    town.script(&format!(
        "{before}\n: > {}\nwhile :; do sleep 1; done",
        ready.display()
    ));
    ready
}

/// Writes the user's file of the host `pods`: its jobs use the folders of the stand-in. Returns its path
/// and its content.
fn write_slurm_file(town: &Town, engine: &StandInEngine) -> (std::path::PathBuf, String) {
    let text = include_str!("../../gt/templates/engine/slurm.toml");
    let folder = format!("{}/{{place}}", engine.folder().display());
    let own = text
        .replace("/tmp/{place}", &folder)
        .replace("mkdir \"$folder\" \"$folder/run\" || exit 1\n", "")
        .replace("trap 'rm -rf \"$folder\"' EXIT\n", "");
    let file = town.root().join("settings/hosts/pods.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, &own).unwrap();
    (file, own)
}

#[test]
fn a_worker_in_a_container_is_merged_and_its_container_is_removed() {
    let (town, origin) = Town::with_rig();
    let engine = StandInEngine::new(&town);
    town.script("echo far > far.txt\ngit add far.txt\ngit commit -qm 'Work in a container'\necho left > left.txt");
    let added = engine.add().ok();
    assert!(
        added.out.contains("way:    podman worker:1"),
        "{}",
        added.out
    );
    assert_eq!(engine.places(), Vec::<String>::new());
    let bead = town.bead("web", "Work in a container");
    sling_to_pods(&town, &bead);
    wait_for_request(&town);
    town.gt(["mq", "run", "web"]).ok();
    assert_eq!(town.status_of("web", &bead), "closed");
    assert_eq!(origin.file("main", "far.txt"), "far");
    assert_eq!(origin.file("main", "left.txt"), "left");
    eventually("the container is removed", || {
        town.patrol();
        engine.places().is_empty().then_some(())
    });
    let hosts = town.gt(["host", "list", "--json"]).ok().json();
    assert_eq!(hosts.as_array().unwrap().len(), 1, "{hosts}");
}

#[test]
fn a_worker_whose_container_was_killed_goes_on_in_another_with_its_work() {
    let (town, origin) = Town::with_rig();
    let engine = StandInEngine::new(&town);
    let saved = town.path("saved");
    let again = town.path("again");
    town.script(&format!(
        "if [ -e {0} ]; then git status --porcelain > {1}; git log -1 --format=%s >> {1}; exit 0; fi\n\
         echo one > one.txt\ngit add one.txt\ngit commit -qm 'First part'\n\
         echo two > two.txt\ngit add two.txt\necho more >> two.txt\necho new > new.txt\n\
         gt checkpoint write > /dev/null\n: > {0}\nwhile :; do sleep 1; done",
        saved.display(),
        again.display()
    ));
    engine.add().ok();
    let bead = town.bead("web", "Work that is killed");
    sling_to_pods(&town, &bead);
    eventually("the saved work", || saved.exists().then_some(()));
    let first = engine.place();
    engine.end_place(&first, "exited with exit code 137, OOMKilled");
    eventually("the second session", || {
        town.patrol();
        again.exists().then_some(())
    });
    assert_ne!(engine.place(), first);
    wait_for_request(&town);
    assert_eq!(
        fs::read_to_string(again).unwrap(),
        "AM two.txt\n?? new.txt\nFirst part\n"
    );
    let ends = town.events("session_ended");
    assert_eq!(
        ends[0]["payload"]["because"],
        "its place is gone, podman says: exited with exit code 137, OOMKilled",
        "{ends:?}"
    );
    assert_eq!(town.events("respawn").len(), 1);
    town.gt(["mq", "run", "web"]).ok();
    for (file, content) in [
        ("one.txt", "one"),
        ("two.txt", "two\nmore"),
        ("new.txt", "new"),
    ] {
        assert_eq!(origin.file("main", file), content);
    }
}

#[test]
fn only_the_engine_says_that_a_place_is_gone() {
    let (town, _origin) = Town::with_rig();
    let engine = StandInEngine::new(&town);
    let ready = wait_in_work(&town, "");
    engine.add().ok();
    let bead = town.bead("web", "Work");
    sling_to_pods(&town, &bead);
    eventually("the work", || ready.exists().then_some(()));
    let place = engine.place();
    engine.go_down();
    engine.break_pipes(&place);
    eventually("the cut is noticed", || {
        let hosts = town.gt(["host", "list"]).ok().out;
        hosts.contains("no route to the engine").then_some(())
    });
    for seconds in [0, 3600, 7200] {
        town.patrol_in(seconds);
    }
    assert_eq!(town.events("session_ended"), Vec::<Value>::new());
    engine.answer();
    eventually("the place is reached again", || {
        let checked = town.gt(["host", "check", "pods--web--amber"]).run();
        (checked.code == 0).then_some(())
    });
    town.patrol();
    assert_eq!(engine.place(), place);
    assert_eq!(town.events("respawn"), Vec::<Value>::new());
    let peek = town.gt(["peek", "web/amber"]).run();
    assert_eq!(peek.code, 0, "{}", peek.err);
}

#[test]
fn a_place_that_ended_while_nothing_of_the_town_ran_is_noticed() {
    let (town, _origin) = Town::with_rig();
    let engine = StandInEngine::new(&town);
    let ready = wait_in_work(&town, "");
    engine.add().ok();
    let bead = town.bead("web", "Work");
    sling_to_pods(&town, &bead);
    eventually("the work", || ready.exists().then_some(()));
    engine.end_links();
    let first = engine.place();
    engine.end_place(&first, "removing");
    eventually("the restart", || {
        town.patrol();
        (town.events("respawn").len() == 1).then_some(())
    });
    assert_ne!(engine.place(), first);
    let why = town.gt(["why", "web/amber"]).ok().out;
    assert!(why.contains("podman says: removing"), "{why}");
}

#[test]
fn a_place_that_could_not_be_removed_is_listed_and_removed_later() {
    let (town, _origin) = Town::with_rig();
    let engine = StandInEngine::new(&town);
    let ready = wait_in_work(&town, "echo late > late.txt");
    engine.add().args(["--limit", "1"]).ok();
    let bead = town.bead("web", "Work");
    sling_to_pods(&town, &bead);
    eventually("the work", || ready.exists().then_some(()));
    let second = town.bead("web", "Second work");
    let waits = town
        .gt(["sling", &second, "web", "--host", "pods"])
        .ok()
        .out;
    assert!(waits.contains("host pods has 1 of 1 workers"), "{waits}");
    town.gt(["scheduler", "clear"]).run();
    town.gt(["host", "remove", "pods"])
        .fails("host pods has 1 worker");
    town.gt(["host", "remove", "pods--web--amber"])
        .fails("is the place of a worker on host pods");
    let other = town.bead("web", "Other work");
    town.gt(["sling", &other, "web", "--host", "pods--web--amber"])
        .fails("is the place of a worker on host pods");
    town.gt(["unsling", &bead]).ok();
    engine.fail_to_remove_once();
    town.patrol();
    let hosts = town.gt(["host", "list"]).ok().out;
    assert!(hosts.contains("no worker needs this place"), "{hosts}");
    assert_eq!(engine.places().len(), 1);
    town.patrol_in(3600);
    assert_eq!(engine.places(), Vec::<String>::new());
    town.gt(["host", "remove", "pods"]).ok();
    // The town had not looked since.
    let rescues = town.gt(["rescue", "list", "--json"]).ok().json();
    let rig = town.root().join("web/.repo.git");
    let file = format!("{}:late.txt", rescues[0]["ref"].as_str().unwrap());
    let saved = town.git_at(&rig, ["show", &file]).ok();
    assert_eq!(saved.out, "late\n");
}

#[test]
fn a_place_that_cannot_be_made_leaves_nothing() {
    let (town, _origin) = Town::with_rig();
    let engine = StandInEngine::new(&town);
    town.script("exit 0");
    engine.go_down();
    let error = engine
        .add()
        .fails("host pods: cannot make podman gt-pods--check-")
        .err;
    assert!(error.contains("no route to the engine"), "{error}");
    engine.answer();
    for image in ["-v/:/host", "a b", "{place}", ""] {
        let option = format!("--container={image}");
        town.gt(["host", "add", "pods", &option])
            .fails("is no valid image");
    }
    town.gt(["host", "add", "a--b", "--container", "worker:1"])
        .fails("-- is for the places of workers");
    engine.add().ok();
    engine.go_down();
    let bead = town.bead("web", "Work");
    let slung = town.gt(["sling", &bead, "web", "--host", "pods"]).run();
    assert!(
        slung
            .out
            .contains("could not be started: host pods: cannot make podman"),
        "{}",
        slung.out
    );
    assert_eq!(engine.places(), Vec::<String>::new());
    engine.answer();
    town.patrol_in(3600);
    eventually("the work in a place", || {
        town.patrol_in(7200);
        engine.places().first().cloned()
    });
}

#[test]
fn a_place_that_lets_no_one_in_is_replaced_when_the_user_gives_it_up() {
    let (town, _origin) = Town::with_rig();
    let engine = StandInEngine::new(&town);
    let ready = wait_in_work(&town, "");
    engine.add().ok();
    let bead = town.bead("web", "Work");
    sling_to_pods(&town, &bead);
    eventually("the work", || ready.exists().then_some(()));
    let first = engine.place();
    engine.close_place(&first);
    eventually("the cut is noticed", || {
        let hosts = town.gt(["host", "list"]).ok().out;
        hosts.contains("not reachable").then_some(())
    });
    town.patrol_in(7200);
    town.gt(["unsling", &bead]).fails("is not reachable");
    assert_eq!(engine.place(), first);
    town.gt(["host", "remove", "pods--web--amber", "--gone"])
        .ok();
    assert_eq!(engine.places(), Vec::<String>::new());
    eventually("the restart", || {
        town.patrol();
        (town.events("respawn").len() == 1).then_some(())
    });
    assert_ne!(engine.place(), first);
    town.gt(["unsling", &bead]).ok();
}

#[test]
fn a_worker_that_ends_its_own_place_again_and_again_is_stopped() {
    let (town, _origin) = Town::with_rig();
    let engine = StandInEngine::new(&town);
    town.script("while :; do sleep 1; done");
    engine.add().ok();
    let bead = town.bead("web", "Work");
    sling_to_pods(&town, &bead);
    let mut ended = Vec::new();
    for pass in 1_i64.. {
        if let [place] = &engine.places()[..]
            && !ended.contains(place)
        {
            engine.end_place(place, "exited with exit code 0");
            ended.push(place.clone());
            eventually("the end is noticed", || {
                let hosts = town.gt(["host", "list"]).ok().out;
                hosts.contains("gone").then_some(())
            });
        }
        town.patrol_in(pass * 600);
        let status = town.gt(["polecat", "status", "web/amber"]).ok().out;
        if status.contains("stuck") {
            break;
        }
        assert!(ended.len() < 10, "{status}");
    }
    assert!(ended.len() > 1, "{ended:?}");
    let why = town.gt(["why", "web/amber"]).ok().out;
    assert!(
        why.contains("podman says: exited with exit code 0"),
        "{why}"
    );
}

#[test]
fn attach_shows_a_session_in_a_container() {
    let (town, _origin) = Town::with_rig();
    let engine = StandInEngine::new(&town);
    town.script("echo here is the agent in a container\nwhile :; do sleep 1; done");
    engine.add().ok();
    let bead = town.bead("web", "Work");
    sling_to_pods(&town, &bead);
    let terminal = Terminal::run(&town, &town.root(), "gt attach web/amber");
    terminal.wait_for("here is the agent in a container");
}

#[test]
fn a_worker_in_a_pod_goes_on_when_the_pod_is_evicted() {
    let (town, origin) = Town::with_rig();
    let engine = StandInEngine::new(&town);
    let first = town.path("first");
    town.script(&format!(
        "[ -e {0} ] && exit 0\necho kept > kept.txt\ngt checkpoint write > /dev/null\n: > {0}\n\
         while :; do sleep 1; done",
        first.display()
    ));
    let line = [
        "host",
        "add",
        "pods",
        "--kubernetes",
        "far/work",
        "--image",
        "registry.example/worker:1",
    ];
    town.gt(line).ok();
    let bead = town.bead("web", "Work in a pod");
    sling_to_pods(&town, &bead);
    eventually("the saved work", || first.exists().then_some(()));
    let pod = engine.place();
    insta::assert_snapshot!(engine.manifest().replace(&pod, "POD"));
    engine.end_place(&pod, "Failed, Evicted");
    eventually("the merge of the second pod's work", || {
        town.patrol();
        (town.status_of("web", &bead) == "closed").then_some(())
    });
    assert_eq!(origin.file("main", "kept.txt"), "kept");
    let ends = town.events("session_ended");
    let because = &ends[0]["payload"]["because"];
    assert_eq!(
        *because,
        "its place is gone, kubernetes says: Failed, Evicted"
    );
}

#[test]
fn sessions_in_a_job_outlive_the_step_that_opened_them() {
    let (town, origin) = Town::with_rig();
    let engine = StandInEngine::new(&town);
    let go = town.path("go");
    let working = town.path("working");
    town.script(&format!(
        ": > {}\nwhile ! [ -e {} ]; do sleep 0.1; done\necho far > far.txt",
        working.display(),
        go.display()
    ));
    let (file, own) = write_slurm_file(&town, &engine);
    town.gt(["host", "add", "pods", "--slurm", "long"]).ok();
    assert_eq!(fs::read_to_string(&file).unwrap(), own);
    let bead = town.bead("web", "Work in a job");
    sling_to_pods(&town, &bead);
    eventually("the work", || working.exists().then_some(()));
    let job = engine.place();
    let terminal = Terminal::run(&town, &town.root(), "gt attach web/amber");
    terminal.wait_for("Work in a job");
    drop(terminal);
    engine.break_pipes(&job);
    fs::write(go, "").unwrap();
    wait_for_request(&town);
    assert_eq!(engine.place(), job);
    town.gt(["mq", "run", "web"]).ok();
    assert_eq!(origin.file("main", "far.txt"), "far");
    assert_eq!(town.events("respawn"), Vec::<Value>::new());
}

#[test]
fn a_job_of_a_lost_node_is_submitted_again() {
    let (town, _origin) = Town::with_rig();
    let engine = StandInEngine::new(&town);
    let first = town.path("first");
    town.script(&format!(
        "[ -e {0} ] && exit 0\necho kept > kept.txt\ngt checkpoint write > /dev/null\n: > {0}\n\
         while :; do sleep 1; done",
        first.display()
    ));
    write_slurm_file(&town, &engine);
    town.gt(["host", "add", "pods", "--slurm", "long"]).ok();
    let bead = town.bead("web", "Work in a job");
    sling_to_pods(&town, &bead);
    eventually("the saved work", || first.exists().then_some(()));
    engine.end_place(&engine.place(), "NODE_FAIL, reason NodeDown");
    eventually("the merge of the second job's work", || {
        town.patrol();
        (town.status_of("web", &bead) == "closed").then_some(())
    });
    let ends = town.events("session_ended");
    let because = &ends[0]["payload"]["because"];
    assert_eq!(
        *because,
        "its place is gone, slurm says: NODE_FAIL, reason NodeDown"
    );
}

#[test]
fn a_place_whose_work_cannot_be_saved_stays_until_it_can() {
    let (town, _origin) = Town::with_rig();
    let engine = StandInEngine::new(&town);
    engine.add().ok();
    let ready = wait_in_work(&town, "echo precious > precious.txt");
    let bead = town.bead("web", "Work");
    sling_to_pods(&town, &bead);
    eventually("the work", || ready.exists().then_some(()));
    let place = engine.place();
    let find = town.program_on_path("find");
    let found = find
        .args([engine.folder().to_str().unwrap(), "-name", "precious.txt"])
        .ok();
    let sandbox = std::path::Path::new(found.text()).parent().unwrap();
    let hidden = sandbox.with_file_name("hidden");
    fs::rename(sandbox, &hidden).unwrap();
    town.gt(["unsling", &bead]).ok();
    let pass = town.patrol();
    let said = [pass.out, pass.err].concat();
    assert!(said.contains("its work cannot be saved"), "{said}");
    assert_eq!(engine.places(), [place]);
    fs::rename(&hidden, sandbox).unwrap();
    town.patrol_in(3600);
    assert_eq!(engine.places(), Vec::<String>::new());
    let rescued = town.gt(["rescue", "list"]).ok().out;
    assert!(rescued.contains("amber"), "{rescued}");
}

#[test]
fn another_engine_with_the_same_command_says_nothing_about_a_place() {
    let (town, _origin) = Town::with_rig();
    let engine = StandInEngine::new(&town);
    engine.add().ok();
    let ready = wait_in_work(&town, "");
    let bead = town.bead("web", "Work");
    sling_to_pods(&town, &bead);
    eventually("the work", || ready.exists().then_some(()));
    let place = engine.place();
    engine.set_other(true);
    engine.break_pipes(&place);
    eventually("the broken pipe", || {
        let listed = town.gt(["host", "list"]).ok().out;
        listed.contains("not reachable").then_some(())
    });
    town.patrol();
    assert_eq!(town.events("session_ended"), Vec::<Value>::new());
    engine.set_other(false);
    assert_eq!(engine.places(), [place]);
    assert_eq!(town.status_of("web", &bead), "hooked");
}

#[test]
fn a_container_whose_maker_was_killed_is_removed_when_it_is_there() {
    let (town, _origin) = Town::with_rig();
    let engine = StandInEngine::new(&town);
    engine.add().ok();
    wait_in_work(&town, "");
    let bead = town.bead("web", "Work");
    engine.hold_making();
    let mut sling = town.gt(["sling", &bead, "web", "--host", "pods"]).start();
    eventually("the making", || engine.has_begun_to_make().then_some(()));
    town.kill(&sling.id().to_string());
    sling.wait().unwrap();
    town.gt(["unsling", &bead]).ok();
    let pass = town.patrol();
    let said = [pass.out, pass.err].concat();
    assert!(said.contains("may still be made"), "{said}");
    engine.let_making_go();
    eventually("the container", || engine.places().into_iter().next());
    town.patrol_in(3600);
    assert_eq!(engine.places(), Vec::<String>::new());
    let hosts = town.gt(["host", "list", "--json"]).ok().json();
    assert_eq!(hosts.as_array().unwrap().len(), 1, "{hosts}");
}
