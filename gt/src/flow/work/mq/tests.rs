//! Gates of a branch that tries to break out of the jail.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::json;

use super::gate::{GateFailure, GateRun};
use super::job::MergeQueue;
use crate::host::jail::{JailChoice, choose_backend, forget_backends};
use crate::record::merge_request::JAIL_GATE;
use crate::testing::TestTown;
use crate::town::config::RigSettings;
use crate::town::event::{MergeRef, read_events};

/// A town with a rig whose gate runs a script of the branch.
struct GatedTown {
    place: TestTown,
}

impl GatedTown {
    /// Creates the rig. `check` is the script that comes with the branch.
    fn new(check: &str, sandbox: &serde_json::Value) -> Self {
        let place = TestTown::new();
        let url = place.create_origin(&[("check.sh", check), (".gitignore", "target\n")]);
        place.add_rig("web", Some(&url)).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        let gates = json!({"check": {"cmd": "sh check.sh", "cache": ["target"]}});
        let settings = json!({"merge_queue": {"gates": gates}, "sandbox": sandbox});
        std::fs::write(rig.settings(), settings.to_string()).unwrap();
        std::fs::create_dir_all(place.path_beside(".ssh")).unwrap();
        std::fs::write(place.path_beside(".ssh/id_rsa"), "secret").unwrap();
        Self { place }
    }

    /// Takes bubblewrap off the path, so that the jail is built by Landlock.
    fn without_bubblewrap(mut self) -> Self {
        let programs = self.place.path_beside("programs");
        std::fs::create_dir(&programs).unwrap();
        for entry in std::fs::read_dir("/usr/bin").unwrap().flatten() {
            if entry.file_name() != "bwrap" {
                symlink(entry.path(), programs.join(entry.file_name())).unwrap();
            }
        }
        self.set_variable("PATH", programs.to_str().unwrap());
        self
    }

    fn set_variable(&mut self, name: &str, value: &str) {
        let env = self.place.town.town.env.clone();
        self.place.town.town.env = env.with_var(name, value);
    }

    /// Runs the gates on the target.
    fn run_gates(&self) -> Option<GateFailure> {
        let rig = self.place.town.find_rig("web").unwrap();
        let store = rig.store().unwrap();
        let settings = RigSettings::load(&rig).unwrap();
        let queue = MergeQueue::open(&rig, &store, &settings).unwrap();
        let commit = queue.fetch_target("main").unwrap().unwrap();
        let subject = MergeRef {
            mr: "web-mr".to_owned(),
            rig: "web".to_owned(),
            branch: "work".to_owned(),
            ..MergeRef::default()
        };
        let run = GateRun {
            queue: &queue,
            target: "main",
            subject,
        };
        run.run_gates(&commit).unwrap()
    }

    fn tree(&self) -> PathBuf {
        self.place.town.find_rig("web").unwrap().refinery()
    }

    /// Returns the jail of the last gate, as its event says.
    fn jail_of_event(&self) -> Option<String> {
        let events = read_events(&self.place.town.layout).unwrap();
        let gate = events.iter().rev().find(|line| line.kind == "gate")?;
        let payload = serde_json::to_value(&gate.payload).unwrap();
        payload["jail"].as_str().map(str::to_owned)
    }
}

/// A script that writes the name of each attempt that succeeds, and fails if there is one. `$1` is
/// no argument of it: the paths are relative to the tree, `<rig>/refinery/rig`.
const BREAK_OUT: &str = r#"
broken=
try() { if eval "$2" >/dev/null 2>&1; then broken="$broken $1"; fi; }
try key 'cat ../../../../.ssh/id_rsa'
try home 'cat ~/.ssh/id_rsa'
try store 'cat ../../.beads/issues.jsonl'
try town 'cat ../../../settings/config.json'
try settings 'echo x >../../settings/config.json'
try sandbox 'ls ../../polecats'
try repository 'echo x >../../.repo.git/objects/x'
try branches 'git update-ref refs/heads/other HEAD'
try index 'git rm -q --cached check.sh'
try token '[ -n "$GITHUB_TOKEN$ANTHROPIC_API_KEY$SSH_AUTH_SOCK$AWS_PROFILE" ]'
try cache 'cp "$CACHED" .'
git rev-parse --verify HEAD >/dev/null || broken="$broken no-git"
git log -1 --format=%s >/dev/null || broken="$broken no-log"
[ "$GT_RIG $GT_BRANCH $GT_TARGET" = "web work main" ] || broken="$broken no-variables"
echo x >written && echo y >"$TMPDIR/y" || broken="$broken no-tree"
echo "$broken"
[ -z "$broken" ]
"#;

fn assert_holds(mut town: GatedTown, backend: &str) {
    for name in [
        "GITHUB_TOKEN",
        "ANTHROPIC_API_KEY",
        "SSH_AUTH_SOCK",
        "AWS_PROFILE",
    ] {
        town.set_variable(name, "secret");
    }
    let failure = town.run_gates();
    assert!(failure.is_none(), "{backend}: {failure:?}");
    assert_eq!(town.jail_of_event().as_deref(), Some(backend));
}

#[test]
fn the_script_of_a_branch_stays_in_its_tree() {
    let required = json!({"jail": "required"});
    assert_holds(GatedTown::new(BREAK_OUT, &required), "bubblewrap");
    let landlock = GatedTown::new(BREAK_OUT, &required).without_bubblewrap();
    assert_holds(landlock, "landlock");
    // Without a jail the same script succeeds with some of them, so it is a test.
    let open = GatedTown::new(BREAK_OUT, &json!({"jail": "off"}));
    let failure = open.run_gates().unwrap();
    for attempt in ["key", "home", "town", "settings", "branches", "index"] {
        assert!(
            failure.tail.contains(attempt),
            "{attempt}: {}",
            failure.tail
        );
    }
    assert_eq!(open.jail_of_event(), None);
}

#[test]
fn git_outside_the_jail_does_not_obey_what_a_gate_put_into_the_tree() {
    // The filter runs outside the jail as soon as git reads the tree.
    let hostile = "rm -f .git; git init -q . || exit 0
        git config filter.x.clean 'touch ../../../../broken-out; cat'
        echo '* filter=x' >.gitattributes; git add -A; git commit -qm x; echo y >check.sh";
    let required = json!({"jail": "required"});
    let town = GatedTown::new(hostile, &required).without_bubblewrap();
    let failure = town.run_gates().unwrap();
    assert!(failure.end.contains("/.git"), "{failure:?}");
    assert!(!town.tree().exists());
    assert!(town.run_gates().is_some());
    assert!(!town.place.path_beside("broken-out").exists());
    // With bubblewrap the file cannot be replaced.
    let town = GatedTown::new(hostile, &required);
    assert!(town.run_gates().is_none());
    assert!(!town.place.path_beside("broken-out").exists());
}

#[test]
fn a_gate_that_leaves_a_pipe_for_which_git_would_wait_fails() {
    for mode in ["off", "required"] {
        let pipe = "mkdir sub; mkfifo sub/.gitignore; touch sub/new";
        let town = GatedTown::new(pipe, &json!({ "jail": mode }));
        for _ in 0..2 {
            let failure = town.run_gates().unwrap();
            assert!(failure.end.contains("sub/.gitignore"), "{failure:?}");
            assert!(failure.tail.contains("git would wait"), "{failure:?}");
            assert!(!town.tree().exists());
        }
    }
}

#[test]
fn folders_without_rights_that_a_gate_leaves_are_removed() {
    let locked = "mkdir -p locked/inner; touch locked/inner/x; chmod 000 locked/inner locked";
    let town = GatedTown::new(locked, &json!({"jail": "off"}));
    assert!(town.run_gates().is_none());
    assert!(town.run_gates().is_none());
}

#[test]
fn a_link_in_place_of_a_cached_folder_moves_no_file_of_the_user() {
    let link = "mkdir -p real; rm -rf target; ln -s ../../../../.ssh target";
    let town = GatedTown::new(link, &json!({"jail": "on"}));
    assert!(town.run_gates().is_none());
    assert!(town.run_gates().is_none());
    assert!(town.place.path_beside(".ssh/id_rsa").is_file());
    let rig = town.place.town.find_rig("web").unwrap();
    let nested = json!({"merge_queue": {"gates": {"check": {
        "cmd": "rm -rf build; ln -s ../../../../ build", "cache": ["build/.ssh"],
    }}}});
    std::fs::write(rig.settings(), nested.to_string()).unwrap();
    assert!(town.run_gates().is_none());
    assert!(town.place.path_beside(".ssh/id_rsa").is_file());
}

#[test]
fn without_a_jail_on_runs_the_gate_and_required_does_not() {
    let check = "touch ../../../../ran";
    for (mode, runs) in [("on", true), ("required", false)] {
        let mut town = GatedTown::new(check, &json!({ "jail": mode }));
        let path = format!("/usr/bin:/bin:/no-jail-{mode}");
        town.set_variable("PATH", &path);
        forget_backends(&path, "bubblewrap: not installed; landlock: too old");
        let missing = JailChoice::Missing {
            reason: "bubblewrap: not installed; landlock: too old".to_owned(),
        };
        assert_eq!(choose_backend(&town.place.town.env), missing);
        let failure = town.run_gates();
        assert_eq!(failure.is_none(), runs, "{failure:?}");
        assert_eq!(town.place.path_beside("ran").exists(), runs);
        let Some(failure) = failure else {
            let jail = town.jail_of_event().unwrap();
            assert!(jail.starts_with("none: bubblewrap"), "{jail}");
            continue;
        };
        assert_eq!(failure.gate, JAIL_GATE);
        let reason = failure.describe_cannot_run().unwrap();
        assert_eq!(
            reason,
            "no gate runs: sandbox.jail is required, but this machine cannot build a jail: \
             bubblewrap: not installed; landlock: too old"
        );
    }
}

#[test]
fn a_cache_can_be_changed_only_if_it_is_shared() {
    let check = "cat \"$CACHE/seed\" && ! echo x >\"$CACHE/poison\"";
    for is_shared in [false, true] {
        let mut town = GatedTown::new(check, &json!({}));
        let cache = town.place.path_beside(".cache/tool");
        std::fs::create_dir_all(&cache).unwrap();
        std::fs::write(cache.join("seed"), "x").unwrap();
        let mark = if is_shared { "shared:" } else { "" };
        let sandbox = json!({
            "jail": "required",
            "caches": [format!("{mark}~/.cache/tool")],
            "jail_pass": ["CACHE"],
        });
        let rig = town.place.town.find_rig("web").unwrap();
        let gates = json!({"check": {"cmd": "sh check.sh"}});
        let settings = json!({"merge_queue": {"gates": gates}, "sandbox": sandbox});
        std::fs::write(rig.settings(), settings.to_string()).unwrap();
        town.set_variable("CACHE", cache.to_str().unwrap());
        let failure = town.run_gates();
        assert_eq!(failure.is_some(), is_shared, "{failure:?}");
        assert_eq!(cache.join("poison").exists(), is_shared);
    }
}

#[test]
fn the_home_folder_and_the_town_are_no_caches() {
    for cache in ["shared:~/town", "~/town/settings"] {
        let town = GatedTown::new("true", &json!({"jail": "required", "caches": [cache]}));
        let failure = town.run_gates().unwrap();
        assert_eq!(failure.gate, JAIL_GATE, "{cache}");
    }
}
