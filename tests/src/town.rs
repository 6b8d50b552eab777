//! A town in a temporary folder.

#![expect(clippy::disallowed_methods, reason = "the harness passes PATH on")]

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{Repo, Run, eventually, within};

/// A town of its own: folder, HOME, git identity, tmux socket folder, programs.
pub struct Town {
    folder: TempDir,
    extra: Vec<(String, String)>,
}

impl Town {
    /// An empty place with the programs, a HOME and a git identity, but no town yet.
    pub fn place() -> Self {
        // Short: a socket's path has 108 bytes.
        let folder = tempfile::Builder::new()
            .prefix("gt-")
            .tempdir_in("/tmp")
            .unwrap();
        let place = Self {
            folder,
            extra: Vec::new(),
        };
        for name in ["home", "bin", "tmux", "run", "scripts", "origins"] {
            std::fs::create_dir(place.path(name)).unwrap();
        }
        let config = "[user]\n\tname = Dana\n\temail = dana@example.com\n[init]\n\tdefaultBranch = main\n\
                      [protocol \"file\"]\n\tallow = always\n";
        std::fs::write(place.path("home/.gitconfig"), config).unwrap();
        place.link_programs();
        place
    }

    /// Gives the programs a folder for temporary files of their own: `tmp`.
    #[must_use]
    pub fn with_tmp(self) -> Self {
        let path = self.path("tmp");
        std::fs::create_dir(&path).unwrap();
        self.with_env("TMPDIR", path.to_str().unwrap())
    }

    /// A town with no rig.
    pub fn new() -> Self {
        let place = Self::place();
        place.install();
        place
    }

    /// Makes the town of a place.
    pub fn install(&self) {
        let root = self.root();
        self.gt_at(&self.path("home"), ["install", root.to_str().unwrap()])
            .ok();
        self.agent("worker", "work");
        self.set_town_setting("default_agent", json!("worker"));
    }

    /// A town with one rig `web`, prefix `web`, and its origin. Its agents run the script `work`.
    pub fn with_rig() -> (Self, Repo) {
        let town = Self::new();
        let origin = town.add_rig("web", "web");
        (town, origin)
    }

    /// Adds a rig with a fresh origin.
    pub fn add_rig(&self, name: &str, prefix: &str) -> Repo {
        let origin = self.origin(name);
        let add = ["rig", "add", name, origin.url(), "--prefix", prefix];
        self.gt(add).args(["--push-beads"]).ok();
        origin
    }

    /// A fresh bare repository.
    pub fn origin(&self, name: &str) -> Repo {
        Repo::origin(
            &self.path(&format!("origins/{name}.git")),
            &self.path("home"),
        )
    }

    /// The programs, as hard links to the one that is all of them; or the shipped ones where
    /// `GASTOWN_TEST_BIN` names their folder.
    fn link_programs(&self) {
        let shipped = std::env::var_os("GASTOWN_TEST_BIN").map(PathBuf::from);
        for name in ["bd", "gt", "gtd", "gt-keeper", "town-sim"] {
            let to = self.path("bin").join(name);
            let from = match &shipped {
                Some(folder) if name != "town-sim" => folder.join(name),
                _ => multicall(),
            };
            // Another file system has no hard links to it: then a copy does.
            if std::fs::hard_link(&from, &to).is_err() {
                std::fs::copy(&from, &to).unwrap();
            }
        }
    }

    /// A path in the temporary folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The town's root.
    pub fn root(&self) -> PathBuf {
        self.path("town")
    }

    /// Sets a variable for every program started from now on.
    #[must_use]
    pub fn with_env(mut self, key: &str, value: &str) -> Self {
        self.extra.push((key.to_owned(), value.to_owned()));
        self
    }

    /// Runs `gt` in the town's root.
    pub fn gt<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Run {
        self.gt_at(&self.root(), args)
    }

    /// Runs `gt` somewhere else.
    pub fn gt_at<'a>(&self, cwd: &Path, args: impl IntoIterator<Item = &'a str>) -> Run {
        self.program("gt", cwd).args(args)
    }

    /// Runs `gt` in the town's root as if so many minutes had gone by.
    pub fn gt_in<'a>(&self, minutes: i64, args: impl IntoIterator<Item = &'a str>) -> Run {
        let later = jiff::Timestamp::now() + jiff::SignedDuration::from_mins(minutes);
        self.gt(args).env("BD_NOW", later.to_string())
    }

    /// Runs `gtd` in the town's root.
    pub fn gtd<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Run {
        self.program("gtd", &self.root()).args(args)
    }

    /// Runs the simulator.
    pub fn sim<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Run {
        self.program("town-sim", &self.root()).args(args)
    }

    /// Runs `bd` in a rig.
    pub fn bd<'a>(&self, rig: &str, args: impl IntoIterator<Item = &'a str>) -> Run {
        self.program("bd", &self.root().join(rig)).args(args)
    }

    /// Runs `gt` as a polecat would from its sandbox, under its current lease.
    pub fn gt_as<'a>(&self, polecat: &str, args: impl IntoIterator<Item = &'a str>) -> Run {
        let (rig, name) = polecat.split_once('/').unwrap();
        let status = self.gt(["polecat", "status", polecat, "--json"]).ok();
        self.gt_at(&self.sandbox(polecat), args)
            .env("GT_ROLE", format!("{rig}/polecats/{name}"))
            .env("GT_LEASE", status.json()["lease"].to_string())
            .env("GT_SESSION_TOKEN", self.session_token(polecat))
    }

    /// The token of a polecat's last session. Empty before the first one.
    pub fn session_token(&self, polecat: &str) -> String {
        let (rig, name) = polecat.split_once('/').unwrap();
        let rigs = self.gt(["rig", "list", "--json"]).ok().json();
        let mut rigs = rigs.as_array().unwrap().iter();
        let prefix = rigs.find(|known| known["name"] == rig).unwrap()["prefix"].clone();
        let slot = format!("{}-wisp-slot-{rig}-{name}", prefix.as_str().unwrap());
        let shown = self.bd(rig, ["show", &slot, "--json"]).run();
        if shown.code != 0 {
            return String::new();
        }
        let token = shown.json()[0]["metadata"]["token"].clone();
        let token = token.as_str();
        token.unwrap_or_default().to_owned()
    }

    /// Runs any program in a folder, with the environment of the town's people.
    pub fn other_program(&self, program: &Path, cwd: &Path) -> Run {
        // An absolute path stands for itself.
        self.program(&program.to_string_lossy(), cwd)
    }

    fn program(&self, name: &str, cwd: &Path) -> Run {
        if crate::forget::is_wanted() {
            crate::forget::derived_below(&self.root());
        }
        let mut run = Run::new(&self.path("bin").join(name), cwd);
        for (key, value) in self.variables() {
            run = run.env(&key, value);
        }
        run
    }

    /// The environment of the town's people.
    pub fn variables(&self) -> Vec<(String, String)> {
        let bin = self.path("bin");
        let path = format!(
            "{}:{}",
            bin.display(),
            std::env::var("PATH").unwrap_or_default()
        );
        let folder = |name: &str| self.path(name).display().to_string();
        let variables = vec![
            ("PATH", path),
            ("HOME", folder("home")),
            ("TMUX_TMPDIR", folder("tmux")),
            ("XDG_RUNTIME_DIR", folder("run")),
            ("TERM", "xterm-256color".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
        ];
        let mut variables: Vec<(String, String)> = variables
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        variables.extend(self.extra.iter().cloned());
        variables
    }

    /// Returns a `PATH` without bubblewrap, so that Landlock builds the jails.
    pub fn path_without_bubblewrap(&self) -> String {
        let programs = self.path("programs");
        std::fs::create_dir(&programs).unwrap();
        for entry in std::fs::read_dir("/usr/bin").unwrap().flatten() {
            if entry.file_name() != "bwrap" {
                let link = programs.join(entry.file_name());
                std::os::unix::fs::symlink(entry.path(), link).unwrap();
            }
        }
        format!("{}:{}", self.path("bin").display(), programs.display())
    }

    /// Makes a bead in a rig and returns its id.
    pub fn bead(&self, rig: &str, title: &str) -> String {
        self.bead_with(rig, title, &[])
    }

    /// Makes a bead with more arguments of `bd create`.
    pub fn bead_with(&self, rig: &str, title: &str, more: &[&str]) -> String {
        let description = format!("Do: {title}");
        let mut args = vec!["create", title, "--silent", "-d", &description];
        args.extend(more);
        self.bd(rig, args).ok().text().to_owned()
    }

    /// A bead as `bd show --json` has it, of a rig or of the town (`.`).
    pub fn show(&self, rig: &str, id: &str) -> Value {
        self.bd(rig, ["show", id, "--json"]).ok().json()[0].clone()
    }

    /// The status of a bead.
    pub fn status_of(&self, rig: &str, id: &str) -> String {
        self.show(rig, id)["status"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Waits until a bead is closed.
    pub fn closed(&self, rig: &str, id: &str) -> Value {
        eventually(&format!("{id} is closed\n{}", ""), || {
            let bead = self.show(rig, id);
            (bead["status"] == "closed").then_some(bead)
        })
    }

    /// Writes the script that agents run, and makes it what the town's agents do.
    pub fn script(&self, body: &str) {
        self.script_named("work", body);
        self.agent("worker", "work");
    }

    /// Writes a script.
    pub fn script_named(&self, name: &str, body: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.path("scripts").join(name);
        std::fs::write(&path, format!("#!/bin/sh\nset -eu\n{body}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Puts a town hook in place: of the town, or of a rig (`web/`).
    pub fn hook(&self, owner: &str, event: &str, body: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.root().join(owner).join("hooks").join(event);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Makes an agent of that name that runs a script.
    pub fn agent(&self, agent: &str, script: &str) {
        let path = self.path("scripts").join(script);
        let mut agents = self.town_setting("agents");
        if !agents.is_object() {
            agents = json!({});
        }
        agents[agent] = json!({ "provider": "scripted", "args": ["scripted", "--script", path] });
        self.set_town_setting("agents", agents);
    }

    /// Sets a key of the town's settings. The default agent stays among other `agents`.
    pub fn set_town_setting(&self, key: &str, mut value: Value) {
        let worker = self.town_setting("agents")["worker"].clone();
        if key == "agents" && worker.is_object() {
            let agents = value.as_object_mut().filter(|agents| !agents.is_empty());
            if let Some(agents) = agents {
                agents.entry("worker").or_insert(worker);
            }
        }
        set_in(&self.root().join("settings/config.json"), key, value);
    }

    /// Sets a key of a rig's settings.
    pub fn set_rig_setting(&self, rig: &str, key: &str, value: Value) {
        set_in(
            &self.root().join(rig).join("settings/config.json"),
            key,
            value,
        );
    }

    /// Gives a rig one gate.
    pub fn gate(&self, rig: &str, command: &str) {
        self.set_rig_setting(
            rig,
            "merge_queue",
            json!({ "gates": { "check": { "cmd": command } } }),
        );
    }

    fn town_setting(&self, key: &str) -> Value {
        let text = std::fs::read(self.root().join("settings/config.json")).unwrap_or_default();
        let settings: Value = serde_json::from_slice(&text).unwrap_or_else(|_| json!({}));
        settings[key].clone()
    }

    /// Slings a bead to the rig `web`; returns the worker, `<rig>/<name>`.
    pub fn sling(&self, bead: &str) -> String {
        let slung = self.gt(["sling", bead, "web", "--json"]).ok().json();
        let target = slung[0]["target"].as_str().unwrap();
        target.replace("/polecats/", "/")
    }

    /// A polecat's sandbox: `<rig>/<name>`.
    pub fn sandbox(&self, polecat: &str) -> PathBuf {
        let (rig, name) = polecat.split_once('/').unwrap();
        self.root().join(rig).join("polecats").join(name).join(rig)
    }

    /// The polecats of the town as `gt polecat list --json` has them.
    pub fn polecats(&self) -> Vec<Value> {
        self.gt(["polecat", "list", "--json"])
            .ok()
            .json()
            .as_array()
            .unwrap()
            .clone()
    }

    /// The names of the town's sessions.
    pub fn sessions(&self) -> Vec<String> {
        let status = self.gt(["status", "--json"]).ok().json();
        let rigs = status["rigs"].as_array().unwrap().iter();
        let agents = rigs.flat_map(|rig| rig["agents"].as_array().unwrap().clone());
        agents
            .filter(|agent| agent["running"] == true)
            .map(|agent| agent["session"].as_str().unwrap().to_owned())
            .collect()
    }

    /// The events of one kind.
    pub fn events(&self, kind: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.root().join(".events.jsonl")).unwrap_or_default();
        let events = text
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        events.filter(|event| event["type"] == kind).collect()
    }

    /// Waits until an event of that kind is told; it must be the only one. An act is recorded in
    /// the beads first and told right after.
    pub fn told_once(&self, kind: &str) {
        eventually(&format!("`{kind}` is told"), || {
            (!self.events(kind).is_empty()).then_some(())
        });
        assert_eq!(self.events(kind).len(), 1, "{:?}", self.events(kind));
    }

    /// The messages of a mailbox.
    pub fn mail(&self, mailbox: &str) -> Vec<Value> {
        let output = self.gt(["mail", "inbox", mailbox, "--json"]).ok();
        output.json().as_array().unwrap().clone()
    }

    /// Starts the daemon.
    pub fn up(&self) {
        self.gt(["up"]).ok();
    }

    /// Ends the daemon with -9 and waits until it is gone.
    pub fn kill_daemon(&self) {
        let status = self.gt(["daemon", "status", "--json"]).ok().json();
        let pid = status["pid"].as_u64().unwrap().to_string();
        self.kill(&pid);
        eventually("the daemon is gone", || {
            let status = self.gt(["daemon", "status", "--json"]).ok().json();
            (status["running"] == false).then_some(())
        });
    }

    /// Ends a session as a crash would: its first process gets -9. The end is known to tmux then.
    pub fn kill_session(&self, session: &str) {
        let args = [
            "display-message",
            "-p",
            "-t",
            &format!("={session}:"),
            "#{pane_pid}",
        ];
        let pid = self.tmux(args);
        self.kill(&pid);
        self.panes_end(&[pid.as_str()]);
    }

    /// Ends the first processes of all sessions with -9, as a system does when memory is short.
    /// Says how many they were.
    pub fn kill_all_sessions(&self) -> usize {
        let pids = self.tmux(["list-panes", "-a", "-F", "#{pane_pid}"]);
        let args = std::iter::once("-9").chain(pids.lines());
        self.program_on_path("kill").args(args).ok();
        let pids: Vec<&str> = pids.lines().collect();
        self.panes_end(&pids);
        pids.len()
    }

    /// Waits until tmux knows that these first processes have ended: a command that comes before
    /// still finds their sessions.
    fn panes_end(&self, pids: &[&str]) {
        eventually("the sessions have ended", || {
            // The server ends with its last session, and its socket with it.
            let Some(socket) = self.tmux_socket() else {
                return Some(());
            };
            let panes = self.program_on_path("tmux").args(["-S", &socket]);
            let panes = panes.args(["list-panes", "-a", "-F", "#{pane_pid} #{pane_dead}"]);
            let panes = panes.run().out;
            let is_alive = |line: &str| pids.iter().any(|pid| line == format!("{pid} 0"));
            (!panes.lines().any(is_alive)).then_some(())
        });
    }

    /// Ends the town's tmux server with -9, and every session with it.
    pub fn kill_tmux(&self) {
        let pid = self.tmux(["display-message", "-p", "#{pid}"]);
        self.kill(&pid);
        eventually("no session is left", || {
            self.sessions().is_empty().then_some(())
        });
    }

    /// Removes the socket of the town's tmux server, which runs on.
    pub fn remove_tmux_socket(&self) {
        for socket in walk(&self.path("tmux")) {
            std::fs::remove_file(socket).unwrap();
        }
    }

    /// Types a line into a session as a person would.
    pub fn type_line(&self, session: &str, line: &str) {
        let target = format!("={session}:");
        let shown = || {
            let screen = self.tmux(["capture-pane", "-p", "-t", &target]);
            screen.contains(line).then_some(())
        };
        // A line that was typed twice below may have come late, and would stand before this one.
        self.tmux(["send-keys", "-t", &target, "C-u"]);
        self.tmux(["send-keys", "-t", &target, "-l", line]);
        eventually("the line is typed", || {
            within(std::time::Duration::from_secs(10), shown).or_else(|| {
                // A program that just begins throws away what was typed before it was ready; a
                // person types again.
                self.tmux(["send-keys", "-t", &target, "C-u"]);
                self.tmux(["send-keys", "-t", &target, "-l", line]);
                None
            })
        });
        self.tmux(["send-keys", "-t", &target, "Enter"]);
    }

    /// Runs tmux on the town's own server.
    pub fn tmux<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> String {
        let socket = self.tmux_socket().unwrap();
        let run = self.program_on_path("tmux").args(["-S", &socket]);
        run.args(args).ok().text().to_owned()
    }

    fn tmux_socket(&self) -> Option<String> {
        let sockets = walk(&self.path("tmux"));
        Some(sockets.first()?.to_string_lossy().into_owned())
    }

    /// The daemon makes passes when woken, and after a few finds nothing more to do.
    pub fn patrol_is_quiet(&self) {
        let acts = || self.events("patrol").len();
        let calm = (0..5).any(|_| {
            let before = acts();
            self.wake_daemon();
            acts() == before
        });
        assert!(calm, "{:?}", self.events("patrol").last());
    }

    /// Wakes the daemon by a file event, and waits until it has made a pass.
    fn wake_daemon(&self) {
        let passes = || {
            let status = self.gt(["daemon", "status", "--json"]).ok().json();
            status["heartbeat_count"].as_u64().unwrap()
        };
        let before = passes();
        let routes = self.root().join(".beads/routes.jsonl");
        std::fs::write(&routes, std::fs::read(&routes).unwrap()).unwrap();
        eventually("the daemon has made a pass", || {
            (passes() > before).then_some(())
        });
    }

    /// Lets the program that runs git be killed with -9 right after its first git command that has
    /// `words` among its arguments; `also` runs before that, as shell, in the worktree.
    pub fn crash_after_git(&self, words: &str, also: &str) {
        let git = self.program_on_path("sh").args(["-c", "command -v git"]);
        let (git, once) = (git.ok().text().to_owned(), self.path("scripts/crashed"));
        self.stand_in_for_git(&format!(
            "#!/bin/sh\ncase \"$*\" in *\"{words}\"*) if [ ! -e {once} ]; then\n{git} \"$@\"; touch {once}\n\
             {also}\nkill -9 $PPID; exit 1\nfi;; esac\nexec {git} \"$@\"\n",
            once = once.display(),
        ));
    }

    /// Lets the program that runs git be killed with -9 right after its git command of that number,
    /// counted from now.
    pub fn crash_at_git(&self, number: usize) {
        let git = self.program_on_path("sh").args(["-c", "command -v git"]);
        let (git, count) = (git.ok().text().to_owned(), self.path("scripts/count"));
        std::fs::write(&count, "0").unwrap();
        self.stand_in_for_git(&format!(
            "#!/bin/sh\nn=$(($(cat {count}) + 1))\necho $n > {count}\n\
             if [ $n -eq {number} ]; then {git} \"$@\"; kill -9 $PPID; exit 1; fi\nexec {git} \"$@\"\n",
            count = count.display(),
        ));
    }

    /// Hides git-lfs from git.
    pub fn without_lfs(&self) {
        let git = self.program_on_path("sh").args(["-c", "command -v git"]);
        self.stand_in_for_git(&format!(
            "#!/bin/sh\ncase \" $* \" in *\" lfs \"*) exit 1;; esac\nexec {} \"$@\"\n",
            git.ok().text()
        ));
    }

    fn stand_in_for_git(&self, script: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.path("bin/git");
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Holds a lock file of the town until what is returned is dropped.
    pub fn hold(&self, path: &str) -> std::fs::File {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = std::fs::File::create(path).unwrap();
        file.lock().unwrap();
        file
    }

    /// Runs git as a person does who has the programs on the path.
    pub fn git_at<'a>(&self, cwd: &Path, args: impl IntoIterator<Item = &'a str>) -> Run {
        let path = std::env::var("PATH").unwrap_or_default();
        self.program_on_path("git")
            .env("PATH", format!("{}:{path}", self.path("bin").display()))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_EDITOR", "true")
            .at(cwd)
            .args(args)
    }

    /// Sends -9 to a process.
    pub fn kill(&self, pid: &str) {
        self.program_on_path("kill").args(["-9", pid]).run();
    }

    /// Runs a program of the system in the town's environment.
    pub fn program_on_path(&self, name: &str) -> Run {
        let path = std::env::var("PATH").unwrap_or_default();
        Run::new(Path::new(name), self.folder.path())
            .env("PATH", path)
            .env("HOME", self.path("home"))
            .env("TMUX_TMPDIR", self.path("tmux"))
    }

    /// A script of the source tree, with the toolchain of the user who runs the tests.
    pub fn source_script(&self, path: &str) -> Run {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let script = source.join(path);
        let run = self.program_on_path("sh").at(&source);
        ["HOME", "CARGO_HOME", "RUSTUP_HOME"]
            .into_iter()
            .filter_map(|name| Some((name, std::env::var(name).ok()?)))
            .fold(run, |run, (name, value)| run.env(name, value))
            .args([script.to_str().unwrap()])
    }

    /// One pass of the patrol after the other until nothing is left to do, without a daemon.
    pub fn patrol(&self) -> crate::Said {
        self.gtd(["run", "--once"]).run()
    }

    /// The time in so many hours, to the minute, in a zone.
    pub fn time_in_hours(hours: i64, zone: &str) -> jiff::Zoned {
        let at = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(hours);
        let there = at.in_tz(zone).unwrap();
        let minute = there.with().second(0).subsec_nanosecond(0);
        minute.build().unwrap()
    }

    /// The date in the zone of this machine.
    pub fn today() -> jiff::civil::Date {
        let now = jiff::Timestamp::now();
        now.to_zoned(jiff::tz::TimeZone::system()).date()
    }

    /// The same as if so many seconds had gone by.
    pub fn patrol_in(&self, seconds: i64) -> crate::Said {
        let later = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(seconds);
        let pass = self.gtd(["run", "--once"]);
        pass.env("BD_NOW", later.to_string()).ok()
    }

    /// The same, for a pass in which a session may end under an action on it.
    pub fn try_patrol_in(&self, seconds: i64) -> crate::Said {
        let later = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(seconds);
        let pass = self.gtd(["run", "--once"]);
        pass.env("BD_NOW", later.to_string()).run()
    }

    /// Starts the town, whose workers write a file for each bead, and lets one do a bead: gives the
    /// bead and the worker, which is idle then.
    pub fn idle_worker(&self) -> (String, String) {
        self.script("echo work > \"$GT_BEAD.txt\"");
        self.up();
        let bead = self.bead("web", "First");
        let worker = self.sling(&bead);
        self.closed("web", &bead);
        self.quiet();
        (bead, worker)
    }

    /// Waits until no worker has a session, so that nothing writes any more.
    pub fn quiet(&self) {
        eventually("all sessions have ended", || {
            self.sessions().is_empty().then_some(())
        });
    }
}

impl Default for Town {
    fn default() -> Self {
        Self::new()
    }
}

/// The multicall program beside the running test.
pub(crate) fn multicall() -> PathBuf {
    let exe = std::env::current_exe().unwrap();
    let folder = exe.parent().and_then(Path::parent).unwrap();
    folder.join("multicall")
}

/// The number of events that a failed test prints.
const PRINTED_EVENTS: usize = 60;

impl Drop for Town {
    fn drop(&mut self) {
        // A panic here, during another one, would end the whole run.
        if self.root().join("mayor/town.json").is_file() {
            if std::thread::panicking() {
                self.print_last_events();
            }
            self.gt(["down"]).run();
        }
        // Whatever tmux servers were started below the temporary folder.
        for socket in walk(&self.path("tmux")) {
            let socket = socket.to_string_lossy().into_owned();
            self.program_on_path("tmux")
                .args(["-S", &socket, "kill-server"])
                .run();
        }
    }
}

impl Town {
    /// Prints what the town did last, so that a failure beside other work explains itself.
    #[expect(clippy::print_stderr, reason = "the harness reports a failed test")]
    fn print_last_events(&self) {
        let text = std::fs::read_to_string(self.root().join(".events.jsonl")).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let last = &lines[lines.len().saturating_sub(PRINTED_EVENTS)..];
        eprintln!("the last events of the town:\n{}", last.join("\n"));
        eprintln!("its status:\n{}", self.gt(["status"]).run().text());
    }
}

/// Sets a key of a settings file.
fn set_in(path: &Path, key: &str, value: Value) {
    let text = std::fs::read(path).unwrap_or_default();
    let mut settings: Value = serde_json::from_slice(&text).unwrap_or_else(|_| json!({}));
    settings[key] = value;
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, settings.to_string()).unwrap();
}

/// All files below a folder.
fn walk(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(walk(&path));
        } else {
            found.push(path);
        }
    }
    found
}
