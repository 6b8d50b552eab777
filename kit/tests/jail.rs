//! Programs that try to break out of the jail: one test per rule, with both backends.
//!
//! They need Linux with bubblewrap and Landlock 6 (kernel 6.12). A machine without one of them fails
//! here by name.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test program")]

use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use kit::sys::jail::{JailBackend, JailNetwork, JailPlan, describe_failed_start, probe_jail};
use kit::sys::{ChildCommand, ChildOutput, Env, ExecError, env};

/// A user's machine with a tree for the jail.
struct Machine {
    #[expect(dead_code, reason = "removed at the end")]
    place: tempfile::TempDir,
    root: PathBuf,
}

impl Machine {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        for folder in ["home/.ssh", "home/.cargo/bin", "tree", "other"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        for secret in [
            "home/.ssh/id_rsa",
            "home/.cargo/credentials.toml",
            "other/issues.jsonl",
        ] {
            std::fs::write(root.join(secret), "secret").unwrap();
        }
        Self { place, root }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn plan(&self) -> JailPlan {
        let tests = env::current_exe().unwrap();
        let mut private = tempfile::Builder::new();
        private.prefix("private-");
        JailPlan {
            folder: private.tempdir_in(&self.root).unwrap().keep(),
            home: Some(self.path("home")),
            writable: vec![self.path("tree")],
            readable: vec![tests.parent().unwrap().to_owned()],
            variables: vec!["JAIL_ATTEMPT".to_owned()],
            ..JailPlan::default()
        }
    }

    /// Runs a shell line in the jail.
    fn run_shell(&self, backend: JailBackend, plan: &JailPlan, line: &str) -> ChildOutput {
        let command = self.command("sh").args(["-c", line]);
        let output = plan.wrap(backend, command).unwrap().run().unwrap();
        assert_eq!(describe_failed_start(backend, &output), None);
        output
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> ChildCommand {
        ChildCommand::new(program)
            .cwd(self.path("tree"))
            .env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
            .limit(Duration::from_secs(60))
    }

    /// Returns true if this test program, in the jail, succeeds with an attempt.
    fn can(&self, backend: JailBackend, plan: &JailPlan, attempt: &str) -> bool {
        let command = self
            .command(env::current_exe().unwrap())
            .args(["--exact", "attempt", "--nocapture"])
            .env("JAIL_ATTEMPT", attempt);
        let output = plan.wrap(backend, command).unwrap().run().unwrap();
        let text = output.text();
        let result = text.lines().find_map(|line| line.strip_prefix("attempt: "));
        match result {
            Some("succeeded") => true,
            Some("refused") => false,
            _ => panic!("{backend:?} {attempt}: {text} {}", output.error_text()),
        }
    }

    fn assert_refused(&self, plan: &JailPlan, attempt: &str) {
        assert!(perform(attempt), "outside the jail: {attempt}");
        for backend in JailBackend::ALL {
            assert!(!self.can(backend, plan, attempt), "{backend:?}: {attempt}");
        }
    }
}

/// The program in the jail.
#[test]
fn attempt() {
    let env = Env::from_process();
    let Some(attempt) = env.get("JAIL_ATTEMPT") else {
        return;
    };
    let result = if perform(attempt) {
        "succeeded"
    } else {
        "refused"
    };
    println!("\nattempt: {result}");
}

fn perform(attempt: &str) -> bool {
    let (verb, object) = attempt.split_once(' ').unwrap();
    match verb {
        "read" => std::fs::read(object).is_ok(),
        "list" => std::fs::read_dir(object).is_ok(),
        "write" => std::fs::write(object, "broken out").is_ok(),
        "connect" => UnixStream::connect(object).is_ok(),
        "abstract" => {
            let address = SocketAddr::from_abstract_name(object).unwrap();
            UnixStream::connect_addr(&address).is_ok()
        }
        "tcp" => TcpStream::connect(object).is_ok(),
        "udp" => UdpSocket::bind("0.0.0.0:0")
            .and_then(|socket| socket.send_to(b"x", object))
            .is_ok(),
        "loopback" => TcpListener::bind(object).is_ok(),
        "process" => {
            Path::new("/proc").join(object).join("environ").is_file()
                && std::fs::read(format!("/proc/{object}/environ")).is_ok()
        }
        "signal" => {
            let pid = object.parse().ok().and_then(rustix::process::Pid::from_raw);
            rustix::process::test_kill_process(pid.unwrap()).is_ok()
        }
        other => panic!("no attempt {other}"),
    }
}

#[test]
fn the_probe_finds_that_both_backends_hold_all_rules() {
    for backend in JailBackend::ALL {
        let probe = probe_jail(backend, Some("/usr/bin:/bin:/sbin:/usr/sbin")).unwrap();
        let broken: Vec<_> = probe.broken().collect();
        assert_eq!(broken, Vec::<&str>::new(), "{backend:?}");
        assert!(probe.is_sound() && probe.closes_abstract_sockets);
    }
}

#[test]
fn a_backend_that_is_not_installed_is_reported_by_name() {
    let empty = tempfile::tempdir().unwrap();
    let path = empty.path().to_str().unwrap();
    let error = probe_jail(JailBackend::Bubblewrap, Some(path)).unwrap_err();
    assert_eq!(error.to_string(), "bwrap is not installed or not on PATH");
}

#[test]
fn a_program_changes_its_tree_and_nothing_else() {
    let machine = Machine::new();
    let plan = machine.plan();
    for backend in JailBackend::ALL {
        let written = format!("write {}/tree/{}", machine.root.display(), backend.name());
        assert!(machine.can(backend, &plan, &written));
        assert!(machine.path("tree").join(backend.name()).is_file());
    }
    for path in ["other/new", "other/issues.jsonl", "home/.bashrc", "new"] {
        let path = machine.path(path);
        let before = std::fs::read(&path).ok();
        for backend in JailBackend::ALL {
            // In the home folder a file of the jail's own may be written.
            machine.can(backend, &plan, &format!("write {}", path.display()));
            assert_eq!(std::fs::read(&path).ok(), before, "{backend:?}: {path:?}");
        }
    }
}

#[test]
fn links_and_renames_lead_nowhere() {
    let machine = Machine::new();
    let root = machine.root.display();
    for backend in JailBackend::ALL {
        let line = format!(
            "ln -s {root}/other/issues.jsonl link; cat link; echo x >>link; \
             ln {root}/other/issues.jsonl hard; echo y >tree-file; mv tree-file {root}/other/; \
             mv {root}/other/issues.jsonl taken; cat taken; rm -f link"
        );
        let output = machine.run_shell(backend, &machine.plan(), &line);
        assert_eq!(output.text(), "", "{backend:?}");
        let other = machine.path("other");
        assert_eq!(std::fs::read_dir(&other).unwrap().count(), 1);
        assert_eq!(
            std::fs::read(other.join("issues.jsonl")).unwrap(),
            b"secret"
        );
    }
}

#[test]
fn keys_stores_and_other_folders_cannot_be_read() {
    let machine = Machine::new();
    let root = machine.root.display();
    let plan = machine.plan();
    for path in [
        "home/.ssh/id_rsa",
        "home/.cargo/credentials.toml",
        "other/issues.jsonl",
    ] {
        machine.assert_refused(&plan, &format!("read {root}/{path}"));
    }
    for path in ["home/.ssh", "other"] {
        machine.assert_refused(&plan, &format!("list {root}/{path}"));
    }
}

#[test]
fn sockets_of_the_machine_cannot_be_reached() {
    let machine = Machine::new();
    let plan = machine.plan();
    let path = machine.path("other/tmux.sock");
    let _listener = UnixListener::bind(&path).unwrap();
    machine.assert_refused(&plan, &format!("connect {}", path.display()));
    let name = format!("jail-test-{}", machine.root.display());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _abstract = UnixListener::bind_addr(&address).unwrap();
    assert_eq!(plan.network, JailNetwork::Full);
    machine.assert_refused(&plan, &format!("abstract {name}"));
}

#[test]
fn processes_of_the_machine_get_no_signal_and_keep_their_environment() {
    let machine = Machine::new();
    let plan = machine.plan();
    let process = rustix::process::getpid().as_raw_nonzero();
    machine.assert_refused(&plan, &format!("signal {process}"));
    machine.assert_refused(&plan, &format!("process {process}"));
}

#[test]
fn a_closed_network_reaches_nothing() {
    let machine = Machine::new();
    let plan = JailPlan {
        network: JailNetwork::None,
        ..machine.plan()
    };
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let tcp_address = tcp.local_addr().unwrap();
    machine.assert_refused(&plan, &format!("tcp {tcp_address}"));
    for backend in JailBackend::ALL {
        machine.can(
            backend,
            &plan,
            &format!("udp {}", udp.local_addr().unwrap()),
        );
    }
    udp.set_nonblocking(true).unwrap();
    assert!(udp.recv(&mut [0; 8]).is_err());
    assert!(machine.can(JailBackend::Bubblewrap, &plan, "loopback 127.0.0.1:0"));
    let open = machine.plan();
    for backend in JailBackend::ALL {
        assert!(machine.can(backend, &open, &format!("tcp {tcp_address}")));
    }
}

/// Tries the ways around the limit of ports, and prints those that succeed. An error other than a
/// refusal is one that another machine would not have.
const PORT_ATTEMPTS: &str = r"
import errno, socket, sys
allowed, other = int(sys.argv[1]), int(sys.argv[2])
def attempt(name, action):
    try:
        action()
        print(name)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EACCES):
            print(name, error)
attempt('allowed', lambda: socket.create_connection(('127.0.0.1', allowed)))
attempt('other', lambda: socket.create_connection(('127.0.0.1', other)))
attempt('mapped', lambda: socket.create_connection(('::ffff:127.0.0.1', other)))
for family in (socket.AF_INET, socket.AF_INET6):
    attempt('udp', lambda: socket.socket(family, socket.SOCK_DGRAM))
    attempt('flags', lambda: socket.socket(family, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK))
    attempt('raw', lambda: socket.socket(family, socket.SOCK_RAW, 1))
    attempt('mptcp', lambda: socket.socket(family, socket.SOCK_STREAM, 262))
    attempt('sctp', lambda: socket.socket(family, socket.SOCK_SEQPACKET, 132))
def fast_open(send):
    stream = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    send(stream, 0x20000000, ('127.0.0.1', other))
attempt('sendto', lambda: fast_open(lambda s, flag, to: s.sendto(b'x', flag, to)))
attempt('sendmsg', lambda: fast_open(lambda s, flag, to: s.sendmsg([b'x'], [], flag, to)))
print('end')
";

#[test]
fn landlock_limits_the_network_to_tcp_connections_to_the_ports() {
    let machine = Machine::new();
    let [allowed, other] = [(), ()].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let port_of = |listener: &TcpListener| listener.local_addr().unwrap().port();
    let plan = JailPlan {
        network: JailNetwork::Ports(vec![port_of(&allowed)]),
        ..machine.plan()
    };
    let command = machine
        .command("python3")
        .args(["-c", PORT_ATTEMPTS])
        .args([port_of(&allowed), port_of(&other)].map(|port| port.to_string()));
    let output = plan.wrap(JailBackend::Landlock, command).unwrap().run();
    let output = output.unwrap();
    assert_eq!(output.text(), "allowed\nend", "{}", output.error_text());
    let inside = format!("tcp {}", allowed.local_addr().unwrap());
    let plan = JailPlan {
        network: plan.network,
        ..machine.plan()
    };
    assert!(!machine.can(JailBackend::Bubblewrap, &plan, &inside));
    assert!(machine.can(JailBackend::Bubblewrap, &plan, "loopback 127.0.0.1:0"));
}

#[test]
fn only_a_program_at_the_terminal_opens_it() {
    let machine = Machine::new();
    for (is_interactive, is_refused) in [(true, false), (false, true)] {
        let plan = JailPlan {
            is_interactive,
            ..machine.plan()
        };
        // Without a terminal, the device has no other end.
        let output = machine.run_shell(JailBackend::Landlock, &plan, ": <>/dev/tty");
        let text = output.error_text();
        assert_eq!(text.contains("Permission denied"), is_refused, "{text}");
    }
}

#[test]
fn only_listed_variables_get_in_and_none_is_on_the_command_line() {
    let machine = Machine::new();
    let secrets = [
        ("GITHUB_TOKEN", "s3cret-1"),
        ("SSH_AUTH_SOCK", "/s3cret-2"),
        ("AWS_SECRET_ACCESS_KEY", "s3cret-3"),
        ("ANTHROPIC_API_KEY", "s3cret-4"),
        ("HTTPS_PROXY", "http://me:s3cret-5@proxy"),
        ("UNKNOWN", "s3cret-6"),
    ];
    let plan = JailPlan {
        variables: vec!["DATABASE_*".to_owned()],
        ..machine.plan()
    };
    for backend in JailBackend::ALL {
        let mut command = machine
            .command("sh")
            .args(["-c", "env; cat /proc/self/environ /proc/1/cmdline"])
            .env("LANG", "C.UTF-8")
            .env("DATABASE_URL", "db://named");
        for (name, value) in secrets {
            command = command.env(name, value);
        }
        let wrapped = plan.wrap(backend, command).unwrap();
        let line = format!("{:?}", wrapped.argv());
        assert!(
            !line.contains("db://named") && !line.contains("s3cret"),
            "{line}"
        );
        let text = wrapped.run().unwrap().text();
        assert!(!text.contains("s3cret"), "{backend:?}: {text}");
        assert!(text.contains("DATABASE_URL=db://named") && text.contains("LANG=C.UTF-8"));
    }
}

#[test]
fn root_cannot_open_the_jail() {
    let machine = Machine::new();
    let outside = machine.path("other/issues.jsonl");
    let lines = [
        "mount -o remount,rw,bind /",
        "mount -o remount,rw,bind /usr",
        "mount -t tmpfs none /tmp",
        "mknod disk b 8 0",
        "mknod memory c 1 1",
        "umount /proc",
        "nsenter --target 1 --mount true && nsenter --target 1 --mount touch /jail-test",
        "chroot / true",
        "unshare --mount --map-root-user mount -o remount,rw,bind /usr",
    ];
    for backend in JailBackend::ALL {
        for line in lines {
            let output = machine.run_shell(backend, &machine.plan(), line);
            let is_inner = backend == JailBackend::Bubblewrap && line.starts_with("nsenter");
            assert!(!output.is_success() || is_inner, "{backend:?}: {line}");
        }
        assert!(outside.is_file() && !Path::new("/jail-test").exists());
    }
}

#[test]
fn a_protected_file_cannot_be_replaced() {
    let machine = Machine::new();
    let pointer = machine.path("tree/.git");
    std::fs::write(&pointer, "gitdir: real").unwrap();
    let plan = JailPlan {
        protected: vec![pointer.clone()],
        ..machine.plan()
    };
    let line = "echo x >.git; rm -f .git; mkdir .git; mv .git gone; echo x >new && mv new .git";
    machine.run_shell(JailBackend::Bubblewrap, &plan, line);
    assert_eq!(std::fs::read(&pointer).unwrap(), b"gitdir: real");
}

#[test]
fn exit_codes_output_and_input_pass() {
    let machine = Machine::new();
    for backend in JailBackend::ALL {
        let command = machine
            .command("sh")
            .args(["-c", "cat; echo e >&2; exit 42"]);
        let wrapped = machine
            .plan()
            .wrap(backend, command.stdin("given"))
            .unwrap();
        let output = wrapped.run().unwrap();
        assert_eq!(output.code(), Some(42));
        assert_eq!(
            (output.text(), output.error_text()),
            ("given".to_owned(), "e".to_owned())
        );
        let killed = machine.run_shell(backend, &machine.plan(), "kill -TERM $$");
        assert!(!killed.is_success());
    }
}

#[test]
fn home_and_temporary_folders_are_private_and_empty() {
    let machine = Machine::new();
    for backend in JailBackend::ALL {
        let line = "echo x >~/.profile && echo y >\"$TMPDIR/y\" && ls ~/.ssh; pwd";
        let output = machine.run_shell(backend, &machine.plan(), line);
        assert_eq!(output.text(), machine.path("tree").display().to_string());
        assert!(!machine.path("home/.profile").exists() && !Path::new("/tmp/y").exists());
    }
}

#[test]
fn a_toolchain_in_the_home_folder_runs() {
    let machine = Machine::new();
    let program = machine.path("home/.cargo/bin/tool");
    std::fs::write(&program, "#!/bin/sh\necho tool; ls ~/.cargo\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&program, mode).unwrap();
    for backend in JailBackend::ALL {
        let path = format!("{}/home/.cargo/bin:/usr/bin:/bin", machine.root.display());
        let command = machine.command("tool").env("PATH", path);
        let output = machine
            .plan()
            .wrap(backend, command)
            .unwrap()
            .run()
            .unwrap();
        assert_eq!(
            output.text(),
            "tool\nbin",
            "{backend:?} {}",
            output.error_text()
        );
    }
}

#[test]
fn nothing_survives_the_end_of_the_program() {
    let machine = Machine::new();
    // The mark is in the command line of a process that tries to leave the group.
    let mark = format!("{}/tree/mark", machine.root.display());
    let endless = format!("sh -c 'while :; do sleep 0.1; done' {mark}");
    let background = format!("(setsid {endless} || {endless}) >/dev/null 2>&1 &");
    for backend in JailBackend::ALL {
        let line = format!("{background} echo begun; wait");
        let command = machine.command("sh").args(["-c", &line]);
        let wrapped = machine.plan().wrap(backend, command).unwrap();
        let error = wrapped.limit(Duration::from_secs(1)).run().unwrap_err();
        let is_begun =
            matches!(&error, ExecError::TimedOut { output, .. } if output.contains("begun"));
        assert!(is_begun, "{error:?}");
        assert!(wait_until(|| !runs(&mark)), "{backend:?}");
        let line = format!("{background} exit 3");
        let output = machine.run_shell(backend, &machine.plan(), &line);
        assert_eq!(output.code(), Some(3));
        assert!(wait_until(|| !runs(&mark)), "{backend:?}");
    }
}

/// Returns true if a process has this word in its command line.
fn runs(word: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = std::fs::read(entry.path().join("cmdline"));
        line.is_ok_and(|line| {
            line.split(|byte| *byte == 0)
                .any(|part| part == word.as_bytes())
        })
    })
}

/// The system removes a killed process a moment later.
fn wait_until(condition: impl Fn() -> bool) -> bool {
    (0..500).any(|_| {
        let is_true = condition();
        if !is_true {
            kit::sys::clock::pause_thread(Duration::from_millis(10));
        }
        is_true
    })
}
