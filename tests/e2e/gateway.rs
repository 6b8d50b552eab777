//! The gateway: `gt` and `bd` of an agent that reaches nothing of the town but one connection.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use gt::host::gateway::{RefusalRecorders, SessionDoors, open_session_gateway};
use gt::host::jail::session::SessionJail;
use gt::host::wrapper::StartFile;
use gt::town::config::NetworkAccess;
use kit::gateway::{Call, CallFile, Frame, GatewayAddress, VERSION};
use kit::sys::Env;
use kit::sys::jail::JailBackend;
use serde_json::json;
use town_tests::{Run, Said, Town, Worker, eventually};

fn record_refusal(town: &gt::town::Town, command: &str) {
    town.record_event(&gt::town::event::Event::PermissionRefused {
        command: command.to_owned(),
        permission: String::new(),
    });
}

/// A worker behind a gateway, without a jail around it.
struct GuardedWorker {
    worker: Worker,
    address: GatewayAddress,
    /// A folder outside the town, where the worker calls its commands.
    place: PathBuf,
    /// The `PATH` of the town's people.
    path: String,
    doors: SessionDoors,
}

impl GuardedWorker {
    fn new(backend: JailBackend) -> Self {
        let worker = Worker::new();
        let (rig, name) = worker.name.split_once('/').unwrap();
        let status = worker
            .town
            .gt(["polecat", "status", &worker.name, "--json"]);
        let lease = status.ok().json()["lease"].to_string();
        let role = format!("{rig}/polecats/{name}");
        let token = worker.town.session_token(&worker.name);
        let root = worker.town.root().display().to_string();
        let mut variables = worker.town.variables();
        for (key, value) in [
            ("GT_ROLE", role.as_str()),
            ("BD_ACTOR", &role),
            ("GT_RIG", rig),
            ("GT_LEASE", &lease),
            ("GT_SESSION_TOKEN", &token),
            ("GT_TOWN_ROOT", &root),
        ] {
            variables.push((key.to_owned(), value.to_owned()));
        }
        let pairs = variables
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()));
        let env = Env::with_vars(Path::new("/"), pairs);
        let jail = SessionJail {
            backend,
            folder: PathBuf::new(),
            home: None,
            writable: Vec::new(),
            readable: Vec::new(),
            network: NetworkAccess::Full,
            variables: Vec::new(),
            sockets: Vec::new(),
            ports: Vec::new(),
        };
        let start = StartFile {
            cwd: worker.sandbox.clone(),
            argv: Vec::new(),
            env: variables,
            jail: Some(jail),
        };
        let recorders = RefusalRecorders {
            command: record_refusal,
            host: |_, _| {},
        };
        let (start, doors) = open_session_gateway(&env, start, recorders).unwrap();
        let address = match start.jail.unwrap().sockets.first() {
            Some(socket) => GatewayAddress::Socket(socket.host.clone()),
            None => GatewayAddress::parse(&start.env.last().unwrap().1).unwrap(),
        };
        let place = worker.town.path("elsewhere");
        std::fs::create_dir_all(&place).unwrap();
        Self {
            worker,
            address,
            place,
            path: env.get("PATH").unwrap().to_owned(),
            doors: doors.unwrap(),
        }
    }

    /// A program that the worker calls.
    fn run<'a>(&self, program: &str, args: impl IntoIterator<Item = &'a str>) -> Run {
        Run::new(&self.worker.town.path("bin").join(program), &self.place)
            .env("PATH", &self.path)
            .env("GT_GATEWAY", self.address.to_string())
            .args(args)
    }

    fn gt<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Run {
        self.run("gt", args)
    }

    fn bd<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Run {
        self.run("bd", args)
    }

    /// Sends a call as a worker could that writes its own client. Returns the exit code and all
    /// output.
    fn call(&self, program: &str, args: &[&str], files: &[(usize, &str)]) -> (u8, String) {
        let token = match &self.address {
            GatewayAddress::Port { token, .. } => token.clone(),
            GatewayAddress::Socket(_) | GatewayAddress::Far(_) => String::new(),
        };
        let call = Call {
            version: VERSION,
            token,
            id: String::new(),
            program: program.to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            path: Vec::new(),
            files: files
                .iter()
                .map(|(argument, _)| CallFile {
                    argument: *argument,
                    start: 0,
                })
                .collect(),
            display: vec![("GT_ROLE".to_owned(), "mayor".to_owned())],
        };
        let mut stream: Box<dyn ReadWrite> = match &self.address {
            GatewayAddress::Port { port, .. } => {
                Box::new(TcpStream::connect(("127.0.0.1", *port)).unwrap())
            }
            GatewayAddress::Socket(path) | GatewayAddress::Far(path) => {
                Box::new(UnixStream::connect(path).unwrap())
            }
        };
        Frame::Call(call).write(&mut stream).unwrap();
        let mut output = Vec::new();
        loop {
            match Frame::read(&mut stream).unwrap() {
                Frame::Output(part) | Frame::Errors(part) => output.extend(part),
                Frame::WantFiles => {
                    for (_, content) in files {
                        let content = Some(content.as_bytes().to_vec());
                        Frame::File(content).write(&mut stream).unwrap();
                    }
                }
                Frame::Written { content, .. } => output.extend(content),
                Frame::Exit(code) => return (code, String::from_utf8(output).unwrap()),
                Frame::Failed(reason) => return (255, reason),
                frame => panic!("{frame:?}"),
            }
        }
    }
}

trait ReadWrite: Read + Write {}
impl<T: Read + Write> ReadWrite for T {}

/// The output without what differs from one second to the next.
fn shown(said: &Said) -> (i32, String, String) {
    (said.code, said.out.clone(), said.err.clone())
}

#[test]
fn a_command_answers_through_the_gateway_as_it_does_without() {
    for backend in JailBackend::ALL {
        let guarded = GuardedWorker::new(backend);
        let town = &guarded.worker.town;
        for line in [
            "prime",
            "hook",
            "hook --json",
            "mail inbox",
            "whoami --json",
            "sling x web",
            "mail read no-such",
            "describe web",
            "no-such-command",
            "polecat list --json",
            "polecat status --help",
            "--help",
        ] {
            let args: Vec<&str> = line.split(' ').collect();
            let direct = town.gt_as(&guarded.worker.name, args.clone()).run();
            assert_eq!(shown(&guarded.gt(args).run()), shown(&direct), "{line}");
        }
        for line in [
            "ready --json",
            "list",
            "show no-such",
            "lst",
            "update x --nope",
        ] {
            let args: Vec<&str> = line.split(' ').collect();
            let role = guarded.worker.name.replace('/', "/polecats/");
            let direct = town.bd("web", args.clone()).env("BD_ACTOR", role).run();
            assert_eq!(shown(&guarded.bd(args).run()), shown(&direct), "{line}");
        }
    }
}

#[test]
fn texts_and_files_of_a_jail_reach_the_town_and_come_back() {
    let guarded = GuardedWorker::new(JailBackend::Bubblewrap);
    let body = guarded.place.join("body.md");
    std::fs::write(&body, "from a file\n").unwrap();
    let create = ["create", "body.md", "--silent", "--body-file", "body.md"];
    let id = guarded.bd(create).ok().text().to_owned();
    let bead = guarded.worker.town.show("web", &id);
    assert_eq!(bead["title"], "body.md");
    assert_eq!(bead["description"], "from a file\n");
    guarded
        .bd(["comment", &id, "--stdin"])
        .input("from the input")
        .ok();
    let comments = guarded.bd(["comments", &id]).ok().out;
    assert!(comments.contains("from the input"), "{comments}");
    guarded
        .gt(["mail", "send", "mayor/", "-s", "Piped", "--stdin"])
        .input("from `a pipe`\n")
        .ok();
    let read = guarded.worker.town.gt(["mail", "read", "1", "--json"]);
    let read = read.env("GT_ROLE", "mayor").ok().json();
    assert_eq!(read["body"], "from `a pipe`\n");
    // A command that reads no input leaves it to the next one.
    let lines = Run::new(Path::new("/bin/sh"), &guarded.place)
        .env("PATH", guarded.worker.town.path("bin"))
        .env("GT_GATEWAY", guarded.address.to_string())
        .args([
            "-c",
            "while read line; do gt hook > /dev/null; echo $line; done",
        ])
        .input("one\ntwo\n")
        .ok();
    assert_eq!(lines.out, "one\ntwo\n");
    guarded.bd(["export", "-o", "out.jsonl"]).ok();
    let exported = std::fs::read_to_string(guarded.place.join("out.jsonl")).unwrap();
    assert!(exported.contains(&id));
    let missing = guarded.bd(["create", "x", "--body-file", "no.md"]).run();
    assert_eq!(missing.code, 1);
    assert!(missing.err.contains("no.md"), "{}", missing.err);
    let unnamed = guarded.gt(["doctor", "--bundle"]).run();
    let next = "--OPTION=gt-report.md";
    assert!(
        unnamed.code == 1 && unnamed.err.contains(next),
        "{}",
        unnamed.err
    );
    guarded.gt(["doctor", "--bundle=report.md"]).ok();
    assert!(guarded.place.join("report.md").is_file());
    // Messages have the worker's name of a file, not that of the copy.
    std::fs::create_dir(guarded.place.join("sub")).unwrap();
    std::fs::write(guarded.place.join("sub/plan.json"), "{").unwrap();
    let broken = guarded.bd(["create", "--graph", "sub/plan.json"]).run();
    assert!(broken.err.contains(" sub/plan.json"), "{}", broken.err);
}

#[test]
fn files_of_calls_of_a_killed_session_are_removed_and_those_of_others_stay() {
    let guarded = GuardedWorker::new(JailBackend::Bubblewrap);
    let town = &guarded.worker.town;
    let calls = town.root().join(".runtime/gateway");
    let own = calls.join(guarded.worker.name.replace("web/", "gt-web-"));
    assert!(own.is_dir());
    std::fs::create_dir_all(calls.join("gt-web-gone/1/files/0")).unwrap();
    let chore = ["dog", "dispatch", "session-gc", "--create", "--json"];
    let done = town.gt(chore).ok().json();
    let expected = json!(["files of calls of session gt-web-gone removed"]);
    assert_eq!(done["lines"], expected, "{done}");
    assert!(own.is_dir());
    assert!(!calls.join("gt-web-gone").exists());
}

#[test]
fn work_is_done_and_merged_by_a_worker_that_reaches_only_the_gateway() {
    let guarded = GuardedWorker::new(JailBackend::Landlock);
    guarded.worker.commit("work.txt");
    let report = guarded.gt(["done", "--stay", "--summary", "It is done", "--json"]);
    let report = report.ok().json();
    assert_eq!(report["bead"], guarded.worker.bead.as_str());
    assert_eq!(guarded.worker.merge()["outcome"], "merged");
}

#[test]
fn who_calls_is_not_for_the_caller_to_say() {
    let guarded = GuardedWorker::new(JailBackend::Bubblewrap);
    let role = guarded.worker.name.replace('/', "/polecats/");
    for (key, value) in [
        ("GT_ROLE", "mayor"),
        ("BD_ACTOR", "mayor"),
        ("GT_LEASE", "99"),
    ] {
        let said = guarded.gt(["whoami", "--json"]).env(key, value).ok().json();
        assert_eq!(said["address"], role.as_str(), "{key}");
    }
    let refused = guarded
        .gt(["sling", "x", "web"])
        .env("GT_ROLE", "mayor")
        .run();
    assert!(refused.err.contains("is a worker"), "{}", refused.err);
    let (code, said) = guarded.call("gt", &["whoami"], &[]);
    assert!(code == 0 && said.contains(&role), "{said}");
    for args in [
        &["--actor", "mayor", "list"][..],
        &["-C", "/", "list"],
        &["--db", "/x.db", "list"],
    ] {
        let (code, said) = guarded.call("bd", args, &[]);
        assert!(
            code != 0 && said.contains("from a jail"),
            "{args:?}: {said}"
        );
    }
}

#[test]
fn no_file_of_the_town_is_read_or_written_for_a_caller() {
    let guarded = GuardedWorker::new(JailBackend::Bubblewrap);
    let town = &guarded.worker.town;
    let secret = town.path("secret");
    std::fs::write(&secret, "\"password\"").unwrap();
    let secret = secret.to_str().unwrap();
    let formula = town.path("secret.formula.toml");
    let text =
        "formula = \"secret\"\ndescription = \"password\"\n[[steps]]\nid = \"a\"\ntitle = \"A\"\n";
    std::fs::write(&formula, text).unwrap();
    let formula = formula.to_str().unwrap();
    let secret_folder = town.path("");
    let at = format!("@{secret}");
    for args in [
        &["create", "x", "--body-file", secret][..],
        &["create", "-f", secret],
        &["create", "x", "--metadata", &at],
        &["update", &guarded.worker.bead, "--metadata", &at],
        &["batch", "--file", secret],
        &["comment", &guarded.worker.bead, "-f", secret],
        &["export", "-o", secret],
        &["formula", "show", "x", "--search-path", "/"],
        &["formula", "show", formula],
        &["cook", formula],
        &["mol", "pour", formula],
    ] {
        let (code, said) = guarded.call("bd", args, &[]);
        assert!(code != 0 && !said.contains("password"), "{args:?}: {said}");
    }
    for args in [
        &["report", "-o", secret][..],
        &["rescue", "restore", "x", "--into", secret],
        &["done", "--cleanup-status", "x", "--summary-file", secret],
    ] {
        let (code, _) = guarded.call("gt", args, &[]);
        assert_ne!(code, 0, "{args:?}");
    }
    assert_eq!(std::fs::read_to_string(secret).unwrap(), "\"password\"");
    let beads = town.bd("web", ["list", "--json"]).ok().out;
    assert!(!beads.contains("password"), "{beads}");
    // The names of sent files lead nowhere.
    let path = "../../../../../../escaped";
    let (code, said) = guarded.call("bd", &["export", "-o", path], &[(2, "")]);
    assert!(code == 0 && said.contains(&guarded.worker.bead), "{said}");
    assert!(!secret_folder.join("escaped").exists());
}

#[test]
fn programs_of_the_caller_never_run_outside() {
    let guarded = GuardedWorker::new(JailBackend::Bubblewrap);
    let town = &guarded.worker.town;
    let mark = town.path("ran");
    let script = format!("#!/bin/sh\ntouch {}\n", mark.display());
    let program = town.path("evil");
    std::fs::write(&program, &script).unwrap();
    let path = program.to_str().unwrap();
    let start = serde_json::json!({"cwd": "/", "argv": ["sh", path], "env": []}).to_string();
    for (program, args, files) in [
        ("gt", &["scripted", "--script", path][..], &[][..]),
        ("gt", &["session-wrapper", "x"], &[(1, start.as_str())]),
        (
            "gt",
            &["session-wrapper", "--foreground", "--", "sh", path],
            &[],
        ),
        ("gt", &["commit", "-m", "x"], &[]),
        ("gt", &["bd", "mcp"], &[]),
        ("gt", &["evil"], &[]),
        ("gt", &["doctor", "--fix"], &[]),
        ("gt", &["seance", "--talk", "x", "-p", "y"], &[]),
        (
            "gt",
            &["session-wrapper", "--jail", "x"],
            &[(2, start.as_str())],
        ),
        ("bd", &["edit", "x"], &[]),
        ("bd", &["mail", "inbox"], &[]),
        ("bd", &["merge", "a", "b", "c", "d"], &[]),
        ("bd", &["hooks", "install"], &[]),
        ("bd", &["config", "set", "a", "b"], &[]),
        ("bd", &["mcp"], &[]),
        ("sh", &[path], &[]),
        ("../evil", &[], &[]),
    ] {
        let (code, said) = guarded.call(program, args, files);
        assert_ne!(code, 0, "{program} {args:?}: {said}");
    }
    assert!(!mark.exists());
    let refused = town.events("permission_refused");
    let commands: Vec<&str> = refused
        .iter()
        .filter_map(|event| event["payload"]["command"].as_str())
        .collect();
    assert!(commands.contains(&"bd edit"), "{commands:?}");
    assert!(commands.contains(&"doctor"), "{commands:?}");
}

#[test]
fn what_the_town_acts_by_is_not_for_a_worker_to_make() {
    let guarded = GuardedWorker::new(JailBackend::Bubblewrap);
    let town = &guarded.worker.town;
    let own = guarded.worker.bead.as_str();
    let request = "branch: main\ntarget: main\nrig: web\nworker: nux\ncommit_sha: 1";
    for (program, args) in [
        (
            "bd",
            &["create", "Merge", "-t", "merge-request", "-d", request][..],
        ),
        (
            "bd",
            &["create", "Merge", "-l", "gt:merge-request", "-d", request],
        ),
        ("bd", &["update", own, "--type", "merge-request"]),
        ("bd", &["label", "add", own, "gt:merge-request"]),
        ("bd", &["create", "Stop", "-t", "message", "-a", "mayor/"]),
        ("bd", &["create", "All", "-t", "convoy"]),
        ("bd", &["mol", "distill", own, "mol-polecat-work"]),
        ("bd", &["forget", "x"]),
        ("bd", &["kv", "set", "memory.x", "y"]),
        ("gt", &["followup", own, "more", "--sling"]),
        ("gt", &["dnd", "on", "--agent", "mayor"]),
        ("gt", &["notify", "muted", "--agent", "overseer"]),
        ("gt", &["peek", "mayor"]),
        ("gt", &["seance", "search", "key"]),
        ("gt", &["theme", "ocean"]),
    ] {
        let (code, said) = guarded.call(program, args, &[]);
        assert_ne!(code, 0, "{program} {args:?}: {said}");
    }
    let requests = town.gt(["mq", "list", "web", "--json"]).ok().json();
    assert_eq!(requests, json!([]));
    let needs = town.gt(["status", "--json"]).ok().json()["problems"].to_string();
    assert!(
        needs.contains("tries commands that it may not run"),
        "{needs}"
    );
    // A call of `bd` may still make and change beads of its own.
    let id = guarded
        .bd(["create", "Part", "--silent"])
        .ok()
        .text()
        .to_owned();
    guarded
        .bd(["update", &id, "--spec-id", "docs/part.md"])
        .ok();
    guarded.bd(["close", &id]).ok();
    assert_eq!(town.show("web", &id)["spec_id"], "docs/part.md");
}

#[test]
fn connections_without_the_secret_hold_up_no_call_and_nothing_stays_behind() {
    let guarded = GuardedWorker::new(JailBackend::Landlock);
    let GatewayAddress::Port { port, .. } = &guarded.address else {
        panic!("{:?}", guarded.address);
    };
    let idle: Vec<TcpStream> = (0..40)
        .map(|_| TcpStream::connect(("127.0.0.1", *port)).unwrap())
        .collect();
    guarded.gt(["hook"]).ok();
    drop(idle);
    let body = guarded.place.join("body.md");
    std::fs::write(&body, "text").unwrap();
    guarded.bd(["create", "x", "--body-file", "body.md"]).ok();
    // The daemon has its socket in the same folder, and takes no folder that others can enter.
    let sockets = guarded.worker.town.path("run/gastown");
    let mode = std::os::unix::fs::PermissionsExt::mode(&sockets.metadata().unwrap().permissions());
    assert_eq!(mode & 0o777, 0o700);
    let calls = guarded.worker.town.root().join(".runtime/gateway");
    assert!(calls.is_dir());
    drop(guarded.doors);
    let left: Vec<_> = std::fs::read_dir(calls).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_command_ends_with_its_caller_and_a_false_secret_opens_nothing() {
    let guarded = GuardedWorker::new(JailBackend::Landlock);
    let GatewayAddress::Port { port, token } = &guarded.address else {
        panic!("{:?}", guarded.address);
    };
    let false_address = format!("tcp:{port}:{}", "0".repeat(token.len()));
    let refused = guarded.gt(["hook"]).env("GT_GATEWAY", &false_address).run();
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("false secret"), "{}", refused.err);
    let gone = guarded.gt(["hook"]).env("GT_GATEWAY", "tcp:1:x").run();
    assert!(gone.err.contains("cannot be reached"), "{}", gone.err);
    let mut stream = TcpStream::connect(("127.0.0.1", *port)).unwrap();
    let call = Call {
        version: VERSION,
        token: token.clone(),
        id: String::new(),
        program: "gt".to_owned(),
        args: vec!["feed".to_owned(), "--follow".to_owned()],
        path: Vec::new(),
        files: Vec::new(),
        display: Vec::new(),
    };
    Frame::Call(call).write(&mut stream).unwrap();
    let is_followed = || followers(&guarded.worker.town.root()) > 0;
    eventually("the command runs", || is_followed().then_some(()));
    drop(stream);
    eventually("the command has ended", || (!is_followed()).then_some(()));
}

/// The number of processes that follow the events of a town.
fn followers(root: &Path) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        let environ = std::fs::read(entry.path().join("environ")).ok()?;
        let is_here = String::from_utf8_lossy(&environ).contains(&root.display().to_string());
        Some(is_here && String::from_utf8_lossy(&line).contains("feed\0--follow"))
    });
    lines.filter(|is_follower| *is_follower).count()
}

#[test]
fn a_worker_in_a_jail_hands_over_finishes_and_is_merged() {
    let (town, _origin) = Town::with_rig();
    town.set_rig_setting("web", "sandbox", json!({ "jail": "required" }));
    town.script(
        "if ! [ -e .git/first ]; then touch .git/first; gt handoff -m 'go on'; sleep 1000; fi\n\
         touch base ours theirs && bd merge ours base ours theirs && rm base ours theirs\n\
         bd comment \"$GT_BEAD\" \"from $(gt whoami)\" && echo \"$GT_BEAD\" > \"$GT_BEAD.txt\"",
    );
    let landlock = town.path_without_bubblewrap();
    for backend in ["bubblewrap", "landlock"] {
        let bead = town.bead("web", "Work");
        let run = town.gt(["sling", &bead, "web", "--json"]);
        let run = match backend {
            "landlock" => run.env("PATH", &landlock),
            _ => run,
        };
        run.ok();
        eventually("the work is handed in", || {
            let requests = town.gt(["mq", "list", "web", "--json"]).ok().json();
            (!requests.as_array().unwrap().is_empty()).then_some(())
        });
        let merged = town.gt(["mq", "run", "web", "--json"]).ok().json();
        assert_eq!(merged[0]["outcome"], "merged", "{backend}: {merged}");
        let comments = town.bd("web", ["comments", &bead]).ok().out;
        assert!(comments.contains("from web/"), "{backend}: {comments}");
        eventually("the session has ended", || {
            town.sessions().is_empty().then_some(())
        });
    }
}
