use std::os::unix::fs::PermissionsExt;

use super::*;

/// A private server in a folder with a short path, ended on drop. Sessions start through a stand-in
/// for `gt session-wrapper`.
struct TestServer {
    root: tempfile::TempDir,
    tmux: Tmux,
}

const WRAPPER: &str = r#"#!/usr/bin/env python3
import json, os, sys
start = json.load(open(sys.argv[2])); os.unlink(sys.argv[2]); os.chdir(start["cwd"])
env = dict(start["env"]); env["TERM"] = os.environ["TERM"]
os.execvpe(start["argv"][0], start["argv"], env)
"#;

impl TestServer {
    fn new() -> Self {
        let root = tempfile::Builder::new()
            .prefix("t")
            .tempdir_in("/tmp")
            .unwrap();
        let exe = root.path().join("gt; $(touch x) stand-in;");
        fs::write(&exe, WRAPPER).unwrap();
        fs::set_permissions(&exe, fs::Permissions::from_mode(0o755)).unwrap();
        let folder = root.path().to_str().unwrap().to_owned();
        let env = Env::with_vars(
            root.path(),
            [
                ("HOME", folder.as_str()),
                ("TMUX_TMPDIR", &folder),
                ("PATH", "/usr/local/bin:/usr/bin:/bin"),
                ("CLAUDECODE", "1"),
                ("SECRET", "hush"),
                ("LANG", "C.UTF-8"),
            ],
        );
        let tmux = Tmux::new("t", &root.path().join("files"), &env, &exe);
        Self { root, tmux }
    }

    fn spec(&self, name: &str, argv: &[&str]) -> SessionSpec {
        SessionSpec {
            name: name.to_owned(),
            cwd: self.root.path().to_owned(),
            argv: argv.iter().map(ToString::to_string).collect(),
            env: vec![("GT_ROLE".to_owned(), "it's; a \"test\"".to_owned())],
            pass: Vec::new(),
            // Processes are found by the token across the whole machine, so no two tests may share
            // one.
            token: format!("{}{name}", self.root.path().display()).replace('/', "_"),
            keep: false,
            status_style: String::new(),
            jail: None,
            host: None,
        }
    }

    fn start(&self, name: &str, argv: &[&str]) -> LiveSession {
        self.tmux.start(&self.spec(name, argv)).unwrap()
    }

    fn wait_for_text(&self, name: &str, text: &str) {
        let seen = clock::wait_for(Duration::from_secs(20), || {
            let screen = self.tmux.capture(name, 40).ok()?;
            screen.contains(text).then_some(())
        });
        assert!(
            seen.is_some(),
            "{text:?} not in {:?}",
            self.tmux.capture(name, 40)
        );
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let kill = tmux_interface::KillServer::new().build();
        self.tmux.exec([kill]).run().ok();
    }
}

#[test]
fn no_server_means_no_sessions() {
    let server = TestServer::new();
    assert_eq!(server.tmux.list().unwrap(), []);
    assert!(server.tmux.find_session("gt-web-nux").unwrap().is_none());
    server.tmux.kill("gt-web-nux").unwrap();
    server.tmux.check().unwrap();
    let lost = server.tmux.capture("gt-web-nux", 5);
    assert!(matches!(lost, Err(HostError::NoSession { .. })));
}

#[test]
fn screens_are_captured_together_up_to_a_session_that_has_ended() {
    let server = TestServer::new();
    let first = server.start("gt-a", &["sh", "-c", "echo one; cat"]);
    let second = server.start("gt-b", &["sh", "-c", "echo two; cat"]);
    server.wait_for_text("gt-a", "one");
    server.wait_for_text("gt-b", "two");
    let screens = server.tmux.capture_all(&[&first, &second]).unwrap();
    let texts: Vec<&str> = screens.iter().map(|screen| screen.trim()).collect();
    assert_eq!(texts, ["one", "two"]);
    server.tmux.kill("gt-a").unwrap();
    let screens = server.tmux.capture_all(&[&second, &first, &second]);
    assert_eq!(screens.unwrap().len(), 1);
    assert_eq!(server.tmux.capture_all(&[]).unwrap(), [""; 0]);
}

#[test]
fn a_session_starts_with_a_clean_environment_and_no_secrets_in_arguments() {
    let server = TestServer::new();
    let mut spec = server.spec("gt-web-nux", &["sh", "-c", "env | sort; cat"]);
    spec.env
        .push(("API_KEY".to_owned(), "very-secret".to_owned()));
    let live = server.tmux.start(&spec).unwrap();
    assert_eq!(live.token, spec.token);
    assert!(live.process.unwrap().has_token(&spec.token));
    server.wait_for_text("gt-web-nux", "API_KEY=very-secret");
    server.wait_for_text("gt-web-nux", "GT_ROLE=it's; a \"test\"");
    let screen = server.tmux.capture("gt-web-nux", 100).unwrap();
    for absent in ["CLAUDECODE", "SECRET=hush", "TMUX="] {
        assert!(!screen.contains(absent), "{absent} in {screen}");
    }
    assert!(screen.contains("TERM=screen-256color"), "{screen}");
    assert_eq!(
        fs::read_dir(server.root.path().join("files"))
            .unwrap()
            .count(),
        0
    );
    let seen = ChildCommand::new("ps")
        .args(["-eo", "args"])
        .run()
        .unwrap()
        .text();
    assert!(!seen.contains("very-secret"));
}

#[test]
fn session_names_match_exactly_and_are_unique() {
    let server = TestServer::new();
    server.start("gt-web-nux-two", &["cat"]);
    assert!(server.tmux.find_session("gt-web-nux").unwrap().is_none());
    server.tmux.kill("gt-web-nux").unwrap();
    assert_eq!(server.tmux.list().unwrap().len(), 1);
    let again = server.tmux.start(&server.spec("gt-web-nux-two", &["cat"]));
    assert!(matches!(again, Err(HostError::Exists { .. })), "{again:?}");
    let bad = server.tmux.start(&server.spec("a.b:c", &["cat"]));
    assert!(matches!(bad, Err(HostError::BadName { .. })));
    let mut nowhere = server.spec("gt-x", &["cat"]);
    nowhere.cwd = server.root.path().join("none");
    let nowhere = server.tmux.start(&nowhere);
    assert!(matches!(nowhere, Err(HostError::NoFolder { .. })));
}

#[test]
fn a_command_that_fails_immediately_is_reported_with_its_output() {
    let server = TestServer::new();
    // tmux closes the terminal when it notices the end, even with unread output. The answer to a
    // cursor position query arrives only after all earlier output was read.
    let words = r"stty raw -echo; printf 'no such model\033[6n'; head -c 1 >/dev/null; exit 3";
    let spec = server.spec("gt-a", &["sh", "-c", words]);
    // The end is reported only if it comes before the check. Otherwise the session is gone.
    match server.tmux.start(&spec) {
        Err(HostError::EndedAtOnce { end, output, .. }) => {
            assert!(
                [ProcessEnd::Exit(3), ProcessEnd::Unknown].contains(&end),
                "{end}"
            );
            assert_eq!(output, "no such model");
        }
        Ok(_) => {}
        Err(other) => panic!("{other}"),
    }
    let gone = || server.tmux.list().unwrap().is_empty().then_some(());
    assert!(clock::wait_for(Duration::from_secs(20), gone).is_some());
    let missing = server.tmux.start(&server.spec("gt-b", &["no-such-agent"]));
    assert!(
        matches!(
            missing,
            Err(HostError::EndedAtOnce { .. } | HostError::NoSession { .. })
        ),
        "{missing:?}"
    );
}

#[test]
fn the_session_ends_with_its_process() {
    let server = TestServer::new();
    server.start("gt-keep", &["cat"]);
    server.start("gt-a", &["sh", "-c", "read line"]);
    server.tmux.press("gt-a", &[Key::Enter]).unwrap();
    let gone = || {
        server
            .tmux
            .find_session("gt-a")
            .unwrap()
            .is_none()
            .then_some(())
    };
    assert!(clock::wait_for(Duration::from_secs(20), gone).is_some());
}

#[test]
fn a_kept_session_shows_its_last_screen_until_it_is_ended() {
    let server = TestServer::new();
    let words = "echo no model; read line; exit 7";
    let mut spec = server.spec("gt-a", &["sh", "-c", words]);
    spec.keep = true;
    server.tmux.start(&spec).unwrap();
    server.wait_for_text("gt-a", "no model");
    server.tmux.press("gt-a", &[Key::Enter]).unwrap();
    let dead = || {
        server
            .tmux
            .find_session("gt-a")
            .unwrap()?
            .dead
            .filter(|end| *end != ProcessEnd::Unknown)
    };
    assert_eq!(
        clock::wait_for(Duration::from_secs(20), dead),
        Some(ProcessEnd::Exit(7))
    );
    // tmux writes its message about the end on the lowest line.
    let screen = server.tmux.capture("gt-a", 200).unwrap();
    assert!(screen.contains("no model"), "{screen}");
    let typed = server.tmux.press("gt-a", &[Key::Enter]);
    assert!(matches!(typed, Err(HostError::NoSession { .. })));
    server.tmux.kill("gt-a").unwrap();
    assert!(server.tmux.find_session("gt-a").unwrap().is_none());
}

#[test]
fn the_signal_that_ended_a_session_is_reported() {
    let server = TestServer::new();
    let mut spec = server.spec("gt-a", &["sh", "-c", "read line; kill -KILL $$"]);
    spec.keep = true;
    server.tmux.start(&spec).unwrap();
    server.tmux.press("gt-a", &[Key::Enter]).unwrap();
    let dead = || server.tmux.find_session("gt-a").unwrap()?.dead;
    let known = || dead().filter(|end| *end != ProcessEnd::Unknown);
    assert_eq!(
        clock::wait_for(Duration::from_secs(20), known),
        Some(ProcessEnd::Signal(9))
    );
}

#[test]
fn text_arrives_unchanged() {
    let server = TestServer::new();
    server.start("gt-a", &["cat"]);
    let input = InputRules::default();
    for text in [
        "ends with;",
        "-n begins with a dash",
        "`touch x` $(touch x) \"quoted\" 'single' #{pid} \\ ümläut",
    ] {
        let sent = server.tmux.send("gt-a", text, &input);
        let sent = sent.unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(sent, SendResult::Submitted);
        // Once as the echo of the terminal, once as the output of cat.
        server.wait_for_text("gt-a", &format!("{text}\n{text}"));
    }
    let many = "line one\nline two;\n-line three";
    server.tmux.send("gt-a", many, &input).unwrap();
    server.wait_for_text("gt-a", "-line three");
    let long = "x".repeat(3000);
    server
        .tmux
        .send("gt-a", &format!("{long}END"), &input)
        .unwrap();
    server.wait_for_text("gt-a", "xEND");
    assert!(!server.root.path().join("x").exists());
}

#[test]
fn copy_mode_is_left_before_typing() {
    let server = TestServer::new();
    server.start("gt-a", &["cat"]);
    let enter = tmux_interface::CopyMode::new()
        .target_pane("=gt-a:")
        .build();
    server.tmux.run_commands("gt-a", [enter]).unwrap();
    assert!(server.tmux.find_row("gt-a").unwrap().scrolling);
    server
        .tmux
        .send("gt-a", "hello there", &InputRules::default())
        .unwrap();
    server.wait_for_text("gt-a", "hello there\nhello there");
}

/// A program with a prompt that swallows the first Enter.
const DEAF: &str = r#"
import os, sys, termios, tty
tty.setcbreak(0); termios.tcflush(0, termios.TCIFLUSH)
line, enters = "", 0
sys.stdout.write("\u276f\u00a0"); sys.stdout.flush()
data = b""
while True:
    data += os.read(0, 4096)
    try: text = data.decode(); data = b""
    except UnicodeDecodeError: continue
    for c in text:
        if c == "\n":
            enters += 1
            if enters > 1: print("\r\u276f " + line + "\x1b[K\ngot: " + line); line = ""
        else: line += c
    sys.stdout.write("\r\u276f\u00a0" + line + "\x1b[K"); sys.stdout.flush()
"#;

#[test]
fn enter_is_repeated_while_the_text_stays_in_the_input_line() {
    let server = TestServer::new();
    server.start("gt-a", &["python3", "-c", DEAF]);
    server.wait_for_text("gt-a", "❯");
    let input = InputRules {
        prompt: Some("❯\u{a0}".to_owned()),
        dialogs: vec!["Enter to confirm".to_owned()],
    };
    let sent = server.tmux.send("gt-a", "do the work", &input).unwrap();
    assert_eq!(sent, SendResult::Submitted);
    server.wait_for_text("gt-a", "got: do the work");
}

#[test]
fn nothing_is_typed_into_a_dialog() {
    let server = TestServer::new();
    server.start("gt-a", &["sh", "-c", "echo Enter to confirm; cat"]);
    server.wait_for_text("gt-a", "Enter to confirm");
    let input = InputRules {
        prompt: None,
        dialogs: vec!["Enter to confirm".to_owned()],
    };
    let sent = server.tmux.send("gt-a", "yes", &input).unwrap();
    assert_eq!(sent, SendResult::DialogOpen);
    assert!(!server.tmux.capture("gt-a", 10).unwrap().contains("yes"));
}

#[test]
fn ending_a_session_ends_its_process_tree_but_not_user_panes() {
    let server = TestServer::new();
    let script = "(trap '' HUP TERM; setsid sleep 601 & trap '' TERM; sleep 602) & exec sleep 603";
    let live = server.start("gt-a", &["sh", "-c", script]);
    let all =
        || Some(process::session_members(live.process, &live.token)).filter(|all| all.len() >= 3);
    let members = clock::wait_for(Duration::from_secs(20), all).unwrap();
    let split = tmux_interface::SplitWindow::new()
        .target_pane("=gt-a:")
        .shell_command("cat");
    server.tmux.run_commands("gt-a", [split.build()]).unwrap();
    assert_eq!(server.tmux.list().unwrap().len(), 1);
    server.tmux.kill("gt-a").unwrap();
    assert!(members.iter().all(|member| !member.is_alive()));
    assert!(server.tmux.list().unwrap().is_empty());
}

/// A server that takes a request and ends, like one whose last session has just ended.
#[test]
fn a_session_lost_with_its_server_starts_in_a_new_one() {
    let server = TestServer::new();
    let socket = server.tmux.socket_file();
    fs::create_dir(socket.parent().unwrap()).unwrap();
    fs::set_permissions(socket.parent().unwrap(), fs::Permissions::from_mode(0o700)).unwrap();
    let ending = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let ended = std::thread::spawn(move || {
        let (asked, _) = ending.accept().unwrap();
        fs::remove_file(&socket).unwrap();
        drop((asked, ending));
    });
    let live = server.start("gt-a", &["cat"]);
    assert!(live.process.unwrap().has_token(&live.token));
    ended.join().unwrap();
    assert_eq!(server.tmux.list().unwrap().len(), 1);
}

/// A permanent failure is reported at once, with tmux's message.
#[test]
fn tmux_errors_are_shown_if_no_server_can_start() {
    let server = TestServer::new();
    let taken = server.tmux.socket_file();
    let folder = taken.parent().unwrap();
    fs::create_dir(folder).unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    // A folder has the path of the socket.
    fs::create_dir(&taken).unwrap();
    let error = server
        .tmux
        .start(&server.spec("gt-a", &["cat"]))
        .unwrap_err();
    let HostError::Failed { words, .. } = &error else {
        panic!("{error}");
    };
    assert!(words.contains(folder.to_str().unwrap()), "{words}");
    let files = fs::read_dir(server.root.path().join("files")).unwrap();
    assert_eq!(files.count(), 0, "the start file is gone");
}

#[test]
fn a_socket_name_is_short_and_stable() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("my town.x");
    fs::create_dir(&root).unwrap();
    let name = socket_name(&root);
    assert!(name.starts_with("my_town_x-"), "{name}");
    assert_eq!(name.len(), "my_town_x-".len() + 6);
    assert_eq!(name, socket_name(&root));
}
