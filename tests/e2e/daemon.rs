//! `gt daemon` and `gtd`.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use town_tests::{Repo, Town, eventually, read_text};

use crate::screens::assert_running_screen;

#[test]
fn the_daemon_starts_once_answers_and_stops() {
    let town = Town::new();
    town.gt(["daemon", "stop"]).fails("no daemon runs");
    town.gt(["daemon", "start"]).ok();
    town.gt(["daemon", "start"]).fails("runs already");
    assert_running_screen("gt-up-again", town.gt(["up"]), &[]);
    let second = town.gtd(["run"]).fails("another daemon watches this town");
    assert_eq!(second.code, 2, "systemd does not try again and again");
    let status = town.gt(["daemon", "status", "--json"]).ok().json();
    assert_eq!(status["running"], true);
    assert!(status["pid"].as_u64().unwrap() > 1);
    let logs = town.gt(["daemon", "logs"]).ok();
    assert!(logs.out.contains("watching"), "{}", logs.out);
    assert_running_screen("gt-daemon-stop", town.gt(["daemon", "stop"]), &[]);
    assert_running_screen("gt-up", town.gt(["up"]), &[]);
    assert_running_screen("gt-down-again", town.gt(["down"]), &[]);
    assert_eq!(
        town.gt(["daemon", "status", "--json"]).ok().json()["running"],
        false
    );
}

#[test]
fn a_daemon_is_stale_once_its_program_is_replaced() {
    let town = Town::new();
    let quiet = || town.gt(["stale", "--quiet"]).run();
    assert_eq!((quiet().code, quiet().out.as_str()), (1, ""));
    town.gt(["daemon", "start"]).ok();
    let fresh = town.gt(["stale", "--json"]).ok().json();
    assert_eq!(fresh["stale"], false, "{fresh}");
    assert_eq!(fresh["daemon_version"], fresh["version"], "{fresh}");
    let (program, update) = (town.path("bin/gtd"), town.path("bin/update"));
    std::fs::copy(&program, &update).unwrap();
    std::fs::rename(&update, &program).unwrap();
    assert_eq!(quiet().code, 0);
    let stale = town.gt(["stale"]).ok().out;
    assert!(stale.contains("another file than"), "{stale}");
    let status = town.gt(["status"]).ok().out;
    assert!(
        status.contains("! gtd runs an older program") && status.contains("  gt daemon restart\n"),
        "{status}"
    );
    town.gt(["daemon", "restart"]).ok();
    assert_eq!(quiet().code, 1);
    let killed = "! gtd ended without being stopped";
    assert!(!town.gt(["status"]).ok().out.contains(killed));
    town.kill_daemon();
    let status = town.gt(["status"]).ok().out;
    assert!(
        status.contains(killed) && status.contains("  gt up\n"),
        "{status}"
    );
    town.gt(["down"]).ok();
    assert!(!town.gt(["status"]).ok().out.contains(killed));
    town.gt(["daemon", "start"]).ok();
    assert!(!town.gt(["status"]).ok().out.contains("older program"));
    town.gt(["estop", "--reason", "fire"]).ok();
    let up = town.gt(["up"]).ok().out;
    assert!(
        up.contains("nothing is started") && up.contains("\n  gt thaw\n"),
        "{up}"
    );
    let thanks = town.gt(["thanks"]).ok().out;
    assert!(thanks.contains("Steve Yegge"), "{thanks}");
}

#[test]
fn a_bead_closed_by_hand_with_bd_wakes_the_daemon_and_lands_the_convoy() {
    let (town, _origin) = Town::with_rig();
    let bead = town.bead("web", "By hand");
    let made = town
        .gt(["convoy", "create", "C", &bead, "--json"])
        .ok()
        .json();
    let id = made["id"].as_str().unwrap().to_owned();
    town.up();
    town.bd("web", ["close", &bead, "--reason", "done elsewhere"])
        .ok();
    eventually("the convoy has landed", || {
        (town.status_of(".", &id) == "closed").then_some(())
    });
}

#[test]
fn the_daemon_ends_when_its_town_folder_is_removed() {
    let (town, _origin) = Town::with_rig();
    let daemon = town.gtd(["run"]);
    std::thread::scope(|scope| {
        let ended = scope.spawn(move || daemon.run());
        eventually("it watches", || {
            let status = town.gt(["daemon", "status", "--json"]).run();
            (status.code == 0 && status.json()["heartbeat_count"].as_u64() > Some(0)).then_some(())
        });
        eventually("the folder is removed", || {
            std::fs::remove_dir_all(town.root()).ok();
            (!town.root().exists()).then_some(())
        });
        let ended = ended.join().unwrap();
        assert_eq!(ended.code, 0, "systemd does not try again: {}", ended.err);
        let said = "the town's folder was removed or moved away; ending";
        assert!(ended.err.contains(said), "{}", ended.err);
    });
    assert!(!town.root().exists());
}

#[test]
fn the_daemon_stops_in_time_during_a_long_action() {
    let (town, _origin) = Town::with_rig();
    // The start waits a minute for a prompt that never appears.
    let slow = json!({"command": "sleep", "args": ["600"], "prompt_mode": "none", "ready_prompt_prefix": "> "});
    town.set_town_setting("agents", json!({ "slow": slow }));
    town.set_town_setting("default_agent", json!("slow"));
    let (first, bead) = (town.bead("web", "First"), town.bead("web", "Then"));
    town.bd("web", ["dep", "add", &bead, &first]).ok();
    town.gt(["sling", &bead, "web"]).ok();
    town.up();
    town.bd("web", ["close", &first, "--reason", "done elsewhere"])
        .ok();
    eventually("a start waits for its prompt", || {
        let mut sessions = town.sessions().into_iter();
        sessions
            .any(|name| name.starts_with("gt-web-"))
            .then_some(())
    });
    town.gt(["daemon", "stop"]).ok();
}

#[test]
fn an_idle_town_runs_no_pass_and_starts_no_process() {
    let (town, _origin) = Town::with_rig();
    town.up();
    let count = || {
        town.gt(["daemon", "status", "--json"]).ok().json()["heartbeat_count"]
            .as_u64()
            .unwrap()
    };
    let first = eventually("the first passes are over", || {
        let before = count();
        let after = town_tests::within(std::time::Duration::from_millis(600), || None::<()>);
        (after.is_none() && count() == before).then_some(before)
    });
    let more = town_tests::within(std::time::Duration::from_secs(3), || {
        (count() != first).then_some(())
    });
    assert!(more.is_none(), "nothing wakes an idle town");
    assert!(
        town.program_on_path("sh")
            .args(["-c", "ls $TMUX_TMPDIR/*/ 2>/dev/null"])
            .run()
            .text()
            .is_empty()
    );
}

#[test]
fn install_writes_a_unit_that_keeps_the_sessions_alive() {
    let town = Town::new();
    let said = town.gt(["daemon", "install", "--json"]).ok().json();
    let unit = std::fs::read_to_string(said["path"].as_str().unwrap()).unwrap();
    for words in [
        "Type=notify",
        "KillMode=process",
        "OOMPolicy=continue",
        "RestartPreventExitStatus=2",
        "gtd run --town",
    ] {
        assert!(unit.contains(words), "{unit}");
    }
}

#[test]
fn sessions_started_by_daemon_and_user_have_the_same_environment() {
    let (town, _origin) = town_with_variables();
    // The second restart does not wait.
    town.gt(["config", "set", "patrol.breaker.window", "0s"])
        .ok();
    let bead = town.bead("web", "Work");
    let worker = town.sling(&bead);
    let of_person = environment_of(&town, 0);
    for name in [
        "SSH_AUTH_SOCK",
        "GIT_SSH_COMMAND",
        "OPENAI_API_KEY",
        "OWN_KEY",
    ] {
        assert!(
            of_person.iter().any(|line| line.starts_with(name)),
            "{name}: {of_person:?}"
        );
    }

    town.kill_session(&format!("gt-{}", worker.replace('/', "-")));
    town.up();
    assert_eq!(environment_of(&town, 1), of_person);
    town.gt(["daemon", "stop"]).ok();

    let said = town.gt(["daemon", "install"]).ok();
    for name in [
        "GIT_SSH_COMMAND",
        "OPENAI_API_KEY",
        "OWN_KEY",
        "SSH_AUTH_SOCK",
    ] {
        assert!(said.out.contains(name), "{}", said.out);
    }
    assert!(!said.out.contains("OTHER_KEY"), "{}", said.out);
    assert!(!said.out.contains("s3cret"), "{}", said.out);
    let file = town.root().join("daemon/environment");
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // As systemd does: nothing but what is in the file. A shell reads these quotes the same way.
    town.kill_session(&format!("gt-{}", worker.replace('/', "-")));
    let gtd = town.path("bin/gtd");
    let start = format!(
        "set -a; . {}; exec {} run --once",
        file.display(),
        gtd.display()
    );
    let shell = town.program_on_path("env").at(&town.root());
    shell.args(["-i", "sh", "-c", &start]).ok();
    assert_eq!(environment_of(&town, 2), of_person);
}

/// A town with variables that pass into sessions. Its worker writes its environment to a file of
/// the town.
fn town_with_variables() -> (Town, Repo) {
    let (town, origin) = Town::with_rig();
    let town = town
        .with_env("SSH_AUTH_SOCK", "/run/agent of dana")
        .with_env("GIT_SSH_COMMAND", "ssh -o \"BatchMode yes\"")
        .with_env("OPENAI_API_KEY", "s3cret")
        .with_env("OWN_KEY", "s3cret")
        .with_env("OTHER_KEY", "s3cret");
    let dump = "n=$(ls $GT_ROOT | grep -c ^env- || true); env | sort > $GT_ROOT/.env\n\
                mv $GT_ROOT/.env $GT_ROOT/env-$n; exec sleep 600";
    town.script(dump);
    let agent = json!({ "worker": { "provider": "scripted", "pass": ["OWN_*", "OPENAI_*"],
        "args": ["scripted", "--script", town.path("scripts/work")] } });
    town.set_town_setting("agents", agent);
    (town, origin)
}

/// The environment of the session of that number, without what changes with each start.
fn environment_of(town: &Town, number: u32) -> Vec<String> {
    let path = town.root().join(format!("env-{number}"));
    let text = eventually(
        &format!("session {number} has written its environment"),
        || std::fs::read_to_string(&path).ok(),
    );
    let changes = [
        "GT_LEASE=",
        "GT_SESSION_TOKEN=",
        "GT_SUMMARY_FILE=",
        "GT_PRIME_FILE=",
        "GT_STARTED=",
    ];
    let changes = |line: &&str| changes.iter().any(|name| line.starts_with(name));
    let tmux = |line: &&str| line.starts_with("TMUX") && !line.starts_with("TMUX_TMPDIR");
    let lines = text.lines().filter(|line| !changes(line) && !tmux(line));
    lines.map(str::to_owned).collect::<Vec<_>>()
}

#[test]
fn stopping_the_daemon_ends_a_running_gate_and_the_next_daemon_runs_it_again() {
    let (town, origin) = Town::with_rig();
    town.script("echo w > w.txt");
    let folder = town.path("scripts");
    let gate = format!(
        "echo run >> {0}/gate; while [ ! -e {0}/go ]; do sleep 0.05; done",
        folder.display()
    );
    town.gate("web", &gate);
    let bead = town.bead("web", "Work");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    eventually("the gate runs", || {
        folder.join("gate").exists().then_some(())
    });
    let pid = town.gt(["daemon", "status", "--json"]).ok().json()["pid"].to_string();
    town.gt(["daemon", "stop"]).ok();
    // One that has ended may still be listed, as a zombie that no one has waited for.
    let stat =
        std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_else(|_| String::new());
    assert!(
        stat.is_empty() || stat.contains(") Z "),
        "the process has not ended: {stat}"
    );
    std::fs::write(folder.join("go"), "").unwrap();
    assert!(origin.subjects("main").is_empty());
    town.up();
    town.closed("web", &bead);
    assert_eq!(
        std::fs::read_to_string(folder.join("gate"))
            .unwrap()
            .lines()
            .count(),
        2
    );
}

#[test]
fn a_worker_with_a_removed_tmux_socket_gets_no_second_session() {
    let (town, origin) = Town::with_rig();
    let (starts, go) = (town.path("starts"), town.path("go"));
    town.script(&format!(
        "echo started >> {}\nwhile [ ! -e {} ]; do sleep 0.1; done\necho x > work.txt",
        starts.display(),
        go.display()
    ));
    let started = || read_text(&starts).lines().count();
    let bead = town.bead("web", "Work");
    town.up();
    let worker = town.sling(&bead);
    eventually("the worker is at work", || (started() == 1).then_some(()));
    town.remove_tmux_socket();
    let pid = town.gt(["daemon", "status", "--json"]).ok().json()["pid"].to_string();
    let hidden = eventually("the daemon says why", || {
        town.program_on_path("kill").args(["-HUP", &pid]).ok();
        let status = town.gt(["daemon", "status", "--json"]).ok().json();
        status["degraded"].as_str().map(str::to_owned)
    });
    let wanted = format!("{} is alive", worker.replace('/', "/polecats/"));
    assert!(hidden.contains(&wanted), "{hidden}");
    let status = town.gt(["status"]).ok().out;
    assert!(status.contains(&wanted), "{status}");
    town.gt(["daemon", "stop"]).ok();
    let pass = town.patrol();
    assert_eq!(pass.code, 0, "{}", pass.err);
    assert_eq!(started(), 1, "no second session is started");
    assert!(town.polecats()[0]["state"] != "zombie");
    // The suggested command brings the session back. The worker was not disturbed.
    let command = hidden.split('`').nth(1).unwrap();
    town.program_on_path("sh").args(["-c", command]).ok();
    eventually("the session is listed again", || {
        (town.sessions().len() == 1).then_some(())
    });
    town.up();
    std::fs::write(&go, "").unwrap();
    town.closed("web", &bead);
    assert_eq!(started(), 1);
    assert_eq!(origin.file("main", "work.txt"), "x");
}

#[test]
fn the_daemon_notifies_its_supervisor_when_ready_alive_and_stopping() {
    let (town, _origin) = Town::with_rig();
    let path = town.path("run/notify");
    let socket = std::os::unix::net::UnixDatagram::bind(&path).unwrap();
    let patience = std::time::Duration::from_secs(60);
    socket.set_read_timeout(Some(patience)).unwrap();
    let hear = || {
        let mut bytes = [0; 256];
        let length = socket.recv(&mut bytes).expect("the daemon says something");
        String::from_utf8_lossy(&bytes[..length]).trim().to_owned()
    };
    let root = town.root();
    let gtd = town
        .gtd(["run", "--town", root.to_str().unwrap()])
        .env("NOTIFY_SOCKET", path.to_str().unwrap())
        .env("WATCHDOG_USEC", "2000000");
    let mut gtd = gtd.start();
    assert_eq!(hear(), "READY=1");
    // Nothing happens in the town: more than the first pass has to say is the watchdog's.
    for _ in 0..4 {
        assert_eq!(hear(), "WATCHDOG=1");
    }
    let pid = gtd.id().to_string();
    town.program_on_path("kill").args([pid.as_str()]).ok();
    let last = std::iter::repeat_with(hear).find(|word| word != "WATCHDOG=1");
    assert_eq!(last.as_deref(), Some("STOPPING=1"));
    assert!(gtd.wait().unwrap().success());
}

#[test]
fn gt_up_suggests_the_systemd_unit_until_it_is_installed() {
    let (town, _origin) = Town::with_rig();
    let up = || town.gt(["up"]).ok().out;
    let offer = "gt daemon install";
    assert!(!up().contains(offer));
    let runtime = town.path("run/user");
    std::fs::create_dir_all(runtime.join("systemd")).unwrap();
    let town = town.with_env("XDG_RUNTIME_DIR", runtime.to_str().unwrap());
    let up = || town.gt(["up"]).ok().out;
    assert!(up().contains(offer), "{}", up());
    town.gt(["daemon", "install"]).ok();
    assert!(!up().contains(offer), "{}", up());
}
