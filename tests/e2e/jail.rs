//! The jail of workers' sessions, with an agent that tries to break out.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use town_tests::{Run, Town, eventually};

/// The script of the agent. It writes the name of each attempt that succeeds, leaves a process that
/// no variable marks, and waits for its end. `attacks.rs` has the attacks on other workers.
const BREAK_OUT: &str = r#"
broken=
try() { if eval "$2" >/dev/null 2>&1; then broken="$broken $1"; fi; }
try key "cat $PLACE/home/.ssh/id_rsa"
try home 'cat ~/.ssh/id_rsa'
try settings "cat $PLACE/town/settings/config.json"
try rig_settings "cat $PLACE/town/web/settings/config.json"
try store "cat $PLACE/town/web/.beads/issues.jsonl"
try events "cat $PLACE/town/.events.jsonl"
try sandbox "cat $PLACE/town/web/polecats/.other/secret"
try jail "cat $PLACE/town/web/.runtime/jail/.other/secret"
until [ -e socket ]; do sleep 0.05; done
try tmux "tmux -S $(cat socket) list-sessions"
try signal "kill -0 $OUTSIDE"
try variables '[ -n "${SSH_AUTH_SOCK:-}${DBUS_SESSION_BUS_ADDRESS:-}${TMUX:-}${XDG_RUNTIME_DIR:-}${GITHUB_TOKEN:-}" ]'
[ -n "$GT_SESSION_TOKEN" ] || broken="$broken no-token"
[ "$GT_ROLE" = "web/polecats/$GT_POLECAT" ] || broken="$broken no-role"
[ "$MODEL_KEY" = for-the-model ] || broken="$broken no-key"
[ "$(cat "$AGENT_HOME/login")" = "my login" ] || broken="$broken no-login"
[ "$(cat "$AGENT_HOME/settings")" = '{"theme":"dark"}' ] || broken="$broken no-settings"
echo x >"$AGENT_HOME/written" && echo x >~/written && echo x >"$TMPDIR/written" || broken="$broken no-home"
git log -1 --format=%s >/dev/null || broken="$broken no-log"
echo work >work.txt && git add work.txt && git commit -qm Work || broken="$broken no-commit"
env -i PATH="$PATH" setsid sh "$PLACE/scripts/orphan" &
echo "broken:$broken" >found.tmp
mv found.tmp found
until [ -e end ]; do sleep 0.05; done
exit 7
"#;

/// The processes of the machine with a path in their command line.
fn processes_of(path: &Path) -> Vec<PathBuf> {
    let path = path.to_str().unwrap();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|process| {
            let line = std::fs::read(process.join("cmdline")).unwrap_or_else(|_| Vec::new());
            let line = String::from_utf8_lossy(&line).into_owned();
            line.split('\0').any(|word| word == path)
        })
        .collect()
}

/// Makes an agent of a plain script, with a configuration folder and a login of the user.
fn add_agent(town: &Town) {
    let home = town.path("home");
    for (name, text) in [
        (".ssh/id_rsa", "secret"),
        (".agent/login", "my login"),
        (".agent/settings", r#"{"theme": "dark", "hooks": "secret"}"#),
    ] {
        std::fs::create_dir_all(home.join(name).parent().unwrap()).unwrap();
        std::fs::write(home.join(name), text).unwrap();
    }
    for other in ["polecats/.other", ".runtime/jail/.other"] {
        let folder = town.root().join("web").join(other);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("secret"), "secret").unwrap();
    }
    let variables = format!(
        "PLACE={}\nOUTSIDE={}",
        town.path("scripts").parent().unwrap().display(),
        std::process::id(),
    );
    town.script_named("orphan", "while :; do sleep 1; done");
    town.script_named("break-out", &format!("set +eu\n{variables}\n{BREAK_OUT}"));
    let agent = json!({
        "command": town.path("scripts/break-out"),
        "pass": ["MODEL_KEY"],
        "config_dir_env": "AGENT_HOME",
        "jail_copies": [
            {"from": "~/.agent/login", "to": "login"},
            {"from": "~/.agent/settings", "to": "settings", "keys": ["theme"]},
        ],
    });
    town.set_town_setting("agents", json!({ "break-out": agent }));
    town.set_town_setting("default_agent", json!("break-out"));
}

/// Starts a worker on a new bead. Returns it as `web/<name>` once the agent has tried everything.
fn start_worker(town: &Town, command: impl Fn(Vec<&str>) -> Run) -> String {
    let bead = town.bead("web", "Break out");
    let slung = command(vec!["sling", &bead, "web", "--json"]).ok().json();
    let target = slung[0]["target"].as_str().unwrap();
    let worker = target.replace("/polecats/", "/");
    let socket = town.tmux(["display-message", "-p", "#{socket_path}"]);
    let place = town.sandbox(&worker);
    std::fs::write(place.join("socket.tmp"), socket).unwrap();
    std::fs::rename(place.join("socket.tmp"), place.join("socket")).unwrap();
    let found = eventually("the agent has tried everything", || {
        std::fs::read_to_string(town.sandbox(&worker).join("found")).ok()
    });
    assert_eq!(found, "broken:\n", "{worker}");
    worker
}

fn status_of(town: &Town, worker: &str) -> Value {
    town.gt(["polecat", "status", worker, "--json"]).ok().json()
}

#[test]
fn an_agent_in_the_jail_reaches_its_sandbox_and_leaves_no_process() {
    let (town, _origin) = Town::with_rig();
    add_agent(&town);
    town.set_rig_setting("web", "sandbox", json!({ "jail": "required" }));
    let orphan = town.path("scripts/orphan");
    let landlock = town.path_without_bubblewrap();
    for backend in ["bubblewrap", "landlock"] {
        let command = |args: Vec<&str>| {
            let run = town
                .gt(args)
                .env("MODEL_KEY", "for-the-model")
                .env("GITHUB_TOKEN", "secret")
                .env("SSH_AUTH_SOCK", "/secret");
            match backend {
                "landlock" => run.env("PATH", &landlock),
                _ => run,
            }
        };
        let worker = start_worker(&town, command);
        let status = status_of(&town, &worker);
        assert_eq!(status["jail"], backend, "{status}");
        eventually("the agent has left a process", || {
            (!processes_of(&orphan).is_empty()).then_some(())
        });
        std::fs::write(town.sandbox(&worker).join("end"), "").unwrap();
        eventually("the exit code is known", || {
            // An idle tmux learns the code when another of its children ends.
            town.tmux(["run-shell", "true"]);
            let status = status_of(&town, &worker);
            (status["last_end"]["exit"] == 7).then_some(())
        });
        assert_eq!(processes_of(&orphan), Vec::<PathBuf>::new(), "{backend}");
        // A session that the town ends leaves nothing, either.
        start_worker(&town, command);
        eventually("the agent has left a process", || {
            (!processes_of(&orphan).is_empty()).then_some(())
        });
        town.gt(["down"]).ok();
        assert_eq!(processes_of(&orphan), Vec::<PathBuf>::new(), "{backend}");
        assert_eq!(town.events("session_without_jail"), Vec::<Value>::new());
    }
}

#[test]
fn work_of_a_scripted_agent_in_the_jail_is_merged() {
    let (town, origin) = Town::with_rig();
    town.set_rig_setting("web", "sandbox", json!({ "jail": "required" }));
    let secret = town.path("home/secret");
    std::fs::write(&secret, "secret").unwrap();
    town.script(&format!(
        "! cat {} && echo jailed > \"$GT_BEAD.txt\" && git add -A",
        secret.display()
    ));
    let landlock = town.path_without_bubblewrap();
    town.up();
    let work = |town: &Town, backend: &str| {
        let bead = town.bead("web", "Write a file");
        let worker = town.sling(&bead);
        assert_eq!(status_of(town, &worker)["jail"], backend);
        town.closed("web", &bead);
        assert_eq!(origin.file("main", &format!("{bead}.txt")), "jailed");
    };
    work(&town, "bubblewrap");
    town.gt(["down"]).ok();
    let town = town.with_env("PATH", &landlock);
    town.up();
    work(&town, "landlock");
}

/// A program that tries to reach what the list of its jail does not have. It writes the names of the
/// attempts that succeed.
const NETWORK_ATTEMPTS: &str = r"
import os, socket, sys
from urllib.parse import urlsplit
LISTED, OTHER, OWN = PORTS, int(os.environ['GT_PORT'])
proxy = urlsplit(os.environ['HTTPS_PROXY'])
reached = []
def attempt(name, action):
    try:
        if action():
            reached.append(name)
    except OSError:
        pass
def ask(request):
    with socket.create_connection((proxy.hostname, proxy.port), timeout=20) as stream:
        stream.sendall(request.encode())
        answer = b''
        while part := stream.recv(4096):
            answer += part
    return answer.decode()
def tunnel(host, more=''):
    answer = ask(f'CONNECT {host} HTTP/1.1\r\n{more}\r\nGET /page HTTP/1.0\r\n\r\n')
    return 'from outside' in answer
def own():
    with socket.create_server(('127.0.0.1', OWN)):
        return socket.create_connection(('127.0.0.1', OWN), timeout=20)
attempt('tunnel', lambda: tunnel(f'localhost:{LISTED}'))
attempt('plain', lambda: 'from outside' in ask(f'GET http://localhost:{LISTED}/ HTTP/1.1\r\n\r\n'))
attempt('own', own)
attempt('direct', lambda: socket.create_connection(('127.0.0.1', LISTED), timeout=20))
attempt('direct-other', lambda: socket.create_connection(('127.0.0.1', OTHER), timeout=20))
attempt('port', lambda: tunnel(f'localhost:{OTHER}'))
attempt('address', lambda: tunnel(f'127.0.0.1:{LISTED}'))
attempt('number', lambda: tunnel(f'2130706433:{LISTED}'))
attempt('mapped', lambda: tunnel(f'[::ffff:127.0.0.1]:{LISTED}'))
attempt('flood', lambda: tunnel(f'localhost:{LISTED}', 'A: ' + 'a' * 65536 + '\r\n'))
print(' '.join(reached))
sys.exit(' '.join(reached) != sys.argv[1])
";

/// Serves one page on the loopback of the machine. Returns the port.
fn serve_page() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            // A client that only connects sends nothing.
            let read = stream.read(&mut [0; 4096]).unwrap_or(0);
            if read > 0 {
                let page = b"HTTP/1.0 200 OK\r\nContent-Length: 12\r\n\r\nfrom outside";
                stream.write_all(page).ok();
            }
        }
    });
    port
}

/// The hosts that were refused to the worker of a bead, or to the gates if there is no bead.
fn refused_hosts(town: &Town, bead: Option<&str>) -> Vec<String> {
    let events = town.events("network_refused");
    let of_bead = events
        .iter()
        .filter(|event| event["payload"]["bead"].as_str() == bead);
    of_bead
        .filter_map(|event| event["payload"]["host"].as_str())
        .map(str::to_owned)
        .collect()
}

#[test]
fn workers_and_gates_with_a_list_of_hosts_reach_only_those() {
    let (town, origin) = Town::with_rig();
    let [listed, other] = [serve_page(), serve_page()];
    let attempts = NETWORK_ATTEMPTS.replace("PORTS", &format!("{listed}, {other}"));
    town.script(&format!(
        "cat >attempts.py <<'END'\n{attempts}\nEND\n\
         /usr/bin/python3 attempts.py 'tunnel plain own' >\"$GT_BEAD.txt\" && git add -A"
    ));
    let refused = [
        format!("localhost:{other}"),
        format!("127.0.0.1:{listed}"),
        format!("2130706433:{listed}"),
        format!("[::ffff:127.0.0.1]:{listed}"),
    ];
    let work = |town: &Town, jail: &str| {
        let bead = town.bead("web", "Reach hosts");
        let worker = town.sling(&bead);
        assert_eq!(status_of(town, &worker)["jail"], jail);
        town.closed("web", &bead);
        let reached = origin.file("main", &format!("{bead}.txt"));
        assert_eq!(reached, "tunnel plain own", "{jail}");
        assert_eq!(refused_hosts(town, Some(&bead)), refused, "{jail}");
        let why = town.gt(["why", &bead]).ok().out;
        let line = format!("refused the network host localhost:{other} to a jail of web");
        assert!(why.contains(&line), "{why}");
    };
    let hosts = format!("localhost:{listed}");
    let work_with_both_settings = |town: &Town, jail: &str| {
        let network = format!("{hosts},*.example.com");
        let sandbox = json!({ "jail": "required", "jail_network": network });
        town.set_rig_setting("web", "sandbox", sandbox);
        town.gate("web", "/usr/bin/python3 attempts.py 'tunnel plain own'");
        let before = refused_hosts(town, None).len();
        work(town, jail);
        assert_eq!(refused_hosts(town, None)[before..], refused, "{jail}");
        // Without a list, workers reach the hosts of their program, and gates reach none.
        let sandbox = json!({ "jail": "required", "jail_network": "none" });
        town.set_rig_setting("web", "sandbox", sandbox);
        town.gate("web", "test -z \"${HTTPS_PROXY:-}\"");
        work(town, jail);
    };
    let agents = json!({ "worker": {
        "provider": "scripted",
        "args": ["scripted", "--script", town.path("scripts/work")],
        "jail_hosts": [hosts],
    }});
    town.set_town_setting("agents", agents);
    let landlock = town.path_without_bubblewrap();
    town.up();
    work_with_both_settings(&town, "bubblewrap");
    town.gt(["down"]).ok();
    let town = town.with_env("PATH", &landlock);
    town.up();
    let jail = "landlock (limits the ports of the network, not the hosts)";
    work_with_both_settings(&town, jail);
    let warned = town.gt(["doctor", "jail"]).run().out;
    assert!(warned.contains("limits the ports of a network"), "{warned}");
}

#[test]
fn settings_with_which_nothing_works_in_a_jail_are_found() {
    let (town, _origin) = Town::with_rig();
    let home = town.path("home").display().to_string();
    let set = ["config", "set", "--rig", "web", "sandbox.caches", &home];
    let refused = town.gt(set).run();
    assert!(
        refused.err.contains("holds the home folder"),
        "{}",
        refused.err
    );
    let agents = json!({ "mine": { "command": "sh" } });
    town.set_town_setting("agents", agents);
    town.set_town_setting("default_agent", json!("mine"));
    let sandbox = json!({ "jail": "on", "jail_network": "none", "caches": [home] });
    town.set_rig_setting("web", "sandbox", sandbox);
    let found = town.gt(["doctor", "jail"]).run().out;
    assert!(
        found.contains("in sandbox.caches holds the home folder"),
        "{found}"
    );
    let model = "workers with mine cannot reach its model";
    assert!(found.contains(model), "{found}");
}

#[test]
fn a_setup_that_fails_in_a_jail_says_so() {
    let town = Town::new();
    let origin = town.origin("lab");
    let add = [
        "rig",
        "add",
        "lab",
        origin.url(),
        "--prefix",
        "lab",
        "--jail",
    ];
    let added = town.gt(add).ok().out;
    assert!(added.contains("  jail    workers, gates"), "{added}");
    town.set_rig_setting("lab", "desk", json!({ "setup": "exit 3" }));
    let failed = town.gt(["rig", "desk", "lab", "--try"]).run();
    let text = format!("{}{}", failed.out, failed.err);
    assert!(
        text.contains("exit code 3, in a jail (sandbox.jail)"),
        "{text}"
    );
}

#[test]
fn a_trial_of_an_agent_names_what_the_jail_keeps_from_it() {
    let (town, _origin) = Town::with_rig();
    let key = town.path("home/.reader/key");
    std::fs::create_dir_all(key.parent().unwrap()).unwrap();
    std::fs::write(&key, "secret").unwrap();
    let path = key.to_str().unwrap();
    town.script_named(
        "reader",
        &format!("git ls-remote http://other.invalid/x || true; cat {path} || exit 4"),
    );
    let sandbox = json!({ "jail_network": "*.example.com" });
    town.set_rig_setting("web", "sandbox", sandbox);
    let agent = json!({ "command": town.path("scripts/reader") });
    town.set_town_setting("agents", json!({ "reader": agent }));
    let landlock = town.path_without_bubblewrap();
    let try_reader = || town.gt(["jail", "try", "reader", "--rig", "web", "--json"]);
    for (run, error) in [
        (try_reader(), "ENOENT"),
        (try_reader().env("PATH", &landlock), "EACCES"),
    ] {
        let said = run.run();
        assert_eq!(said.code, 1, "{}", said.err);
        let trial = said.json();
        assert_eq!(trial["exit_code"], 4, "{trial}");
        assert!(!trial["output"].as_str().unwrap().contains("secret\n"));
        let refused = trial["refused"].as_array().unwrap();
        let of_key = refused.iter().find(|one| one["path"] == path);
        assert_eq!(of_key.unwrap()["error"], error, "{trial}");
        assert_eq!(
            trial["refused_hosts"],
            json!(["other.invalid:80"]),
            "{trial}"
        );
    }
    for folder in ["polecats", ".runtime/jail"] {
        let left = std::fs::read_dir(town.root().join("web").join(folder));
        let left: Vec<_> = left.into_iter().flatten().flatten().collect();
        assert!(left.is_empty(), "{left:?}");
    }
}
