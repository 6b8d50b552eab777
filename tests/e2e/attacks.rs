//! A worker that attacks the user, the town and other workers, from its session and from the gate of
//! its branch: without a jail, in the jail of bubblewrap and in that of Landlock.
//!
//! Some attacks succeed without a jail, because the worker has all rights of the user there. Their
//! success is asserted, so that each attempt is a real one.

use std::path::PathBuf;

use gt::host::jail::probe_backends;
use kit::sys::Env;
use kit::sys::jail::JailBackend;
use serde_json::json;
use town_tests::{Repo, Town, eventually, report_skip};

/// The mode in which the worker attacks. `None` is its own repository without a jail.
type Mode = Option<JailBackend>;

/// The time of an attempt and the place of its traces.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// A setting of the worker's own repository. Succeeds if `trap.sh` runs outside of its session.
    Trap,
    /// A line of the worker's session. Succeeds if it does, or as [`FAR_EFFECTS`] says.
    Session,
    /// A line of the branch's own gate. Succeeds if it does.
    Gate,
}

struct Attack {
    name: &'static str,
    kind: Kind,
    /// Shell. `$TRAP` is a command line for a setting.
    line: &'static str,
    /// True if only a jail prevents it.
    needs_jail: bool,
}

const fn attack(name: &'static str, kind: Kind, line: &'static str) -> Attack {
    Attack {
        name,
        kind,
        line,
        needs_jail: false,
    }
}

const fn attack_on_open_town(name: &'static str, kind: Kind, line: &'static str) -> Attack {
    Attack {
        name,
        kind,
        line,
        needs_jail: true,
    }
}

/// The attacks. `docs/JAIL.md` has the same table for readers.
const ATTACKS: &[Attack] = &[
    attack(
        "filter",
        Kind::Trap,
        r#"git config filter.x.smudge "$TRAP"; git config filter.x.clean "$TRAP"; mkdir -p .git/info
           echo '* filter=x diff=x' >.git/info/attributes"#,
    ),
    attack(
        "submodule",
        Kind::Trap,
        r#"git config submodule.libs/x.update "!$TRAP""#,
    ),
    attack(
        "fsmonitor",
        Kind::Trap,
        r#"git config core.fsmonitor "$TRAP""#,
    ),
    attack(
        "diff",
        Kind::Trap,
        r#"git config diff.external "$TRAP"; git config diff.x.textconv "$TRAP""#,
    ),
    attack(
        "hooks",
        Kind::Trap,
        r#"mkdir -p .git/own .git/hooks; git config core.hooksPath "$PWD/.git/own"
           for hook in post-checkout post-index-change pre-commit reference-transaction pre-push; do
             printf '#!/bin/sh\n%s\n' "$TRAP" >.git/own/$hook; chmod +x .git/own/$hook
             cp .git/own/$hook .git/hooks/$hook
           done"#,
    ),
    attack(
        "union",
        Kind::Session,
        "git config merge.default union; echo '* merge=union' >>.git/info/attributes",
    ),
    attack(
        "other-by-variables",
        Kind::Session,
        r#"(cd "$OTHER" && env GT_ROLE=web/polecats/$NAME gt whoami --json | grep "\"address\": *\"web/polecats/$NAME\"")"#,
    ),
    attack_on_open_town(
        "other-environment",
        Kind::Session,
        "stolen | grep ^GT_SESSION_TOKEN=.",
    ),
    attack_on_open_town(
        "other-by-leaving",
        Kind::Session,
        r#"stolen >.git/stolen && rm -f .git/left
           tmux -S "$(find "$TOWN/../tmux" -type s | head -1)" run-shell "cd '$OTHER' && env -i $(tr '\n' ' ' <.git/stolen) gt whoami --json >'$PWD/.git/left'"
           grep "\"address\": *\"web/polecats/$NAME\"" .git/left"#,
    ),
    attack_on_open_town("store", Kind::Session, "append_to web/.beads/issues.jsonl"),
    attack_on_open_town("mail", Kind::Session, "append_to .beads/wisps.jsonl"),
    attack_on_open_town("events", Kind::Session, "append_to .events.jsonl"),
    attack_on_open_town(
        "settings",
        Kind::Session,
        "append_to web/settings/config.json",
    ),
    attack_on_open_town(
        "objects",
        Kind::Session,
        "echo x >$TOWN/web/.repo.git/objects/x",
    ),
    attack_on_open_town(
        "refs",
        Kind::Session,
        "git --git-dir=$TOWN/web/.repo.git update-ref refs/heads/x refs/remotes/origin/main",
    ),
    attack_on_open_town(
        "configuration",
        Kind::Session,
        "append_to web/.repo.git/config",
    ),
    attack("own-stash", Kind::Session, "git stash clear"),
    attack_on_open_town(
        "other-stash",
        Kind::Session,
        r#"git -C "$OTHER" update-ref refs/attack HEAD"#,
    ),
    attack(
        "push-to-rig",
        Kind::Session,
        "git push $TOWN/web/.repo.git HEAD:refs/heads/pushed",
    ),
    attack(
        "push-to-target",
        Kind::Session,
        r"git switch -qc side origin/main; git commit -qm Pushed --allow-empty; git push $ORIGIN HEAD:main",
    ),
    attack_on_open_town(
        "push-as-user",
        Kind::Session,
        r"git fetch -q $ORIGIN main; commit=$(echo x | GIT_COMMITTER_NAME=Dana git commit-tree 'FETCH_HEAD^{tree}' -p FETCH_HEAD)
           git push $ORIGIN $commit:main",
    ),
    attack("poison", Kind::Gate, "mkdir -p cache; touch cache/poison"),
    attack("gate-variable", Kind::Gate, r#"[ -n "${GITHUB_TOKEN:-}" ]"#),
    attack_on_open_town("gate-key", Kind::Gate, "cat ../../../../home/.ssh/id_rsa"),
    attack_on_open_town(
        "gate-settings",
        Kind::Gate,
        "TOWN=../../..; append_to settings/config.json",
    ),
];

/// Attempts whose success others see: by the end of their work, or on the target.
const SEEN_BY_OTHERS: [&str; 4] = ["union", "own-stash", "push-to-target", "poison"];

/// Writes its runs outside of the sandbox, or from a jail into it. `ATTACKING` marks those that the
/// worker starts in its own session: each trap works there.
const TRAP: &str = r#"
case "$1" in filter) cat;; esac
git=$(dirname "$0")/.git
if [ -n "${ATTACKING:-}" ]; then echo "$1" >>"$git/sprung"; exit; fi
run="$1 in $(ps -o args= -p $PPID)"
echo "$run" >>PLACE/trapped || echo "$run" >>"$git/trapped"
"#;

/// Springs all traps in the session of the attacker.
const SPRING: &str = r"
rm check.sh; git checkout -q check.sh; git status -s; touch check.sh; git --no-pager log -p -1 --ext-diff
git submodule update --force
";

/// The gate of the rig. It fails on a cache of work that was not merged.
const CHECK: &str = "test ! -e cache/poison\n";

/// The functions of the scripts. `try` writes the name of an attempt that succeeds, `stolen` the
/// variables of the victim.
const FUNCTIONS: &str = r#"
try() { if (set -e; eval "$2") >/dev/null 2>&1; then echo "$1"; fi; }
# An empty jail has files of the same names if the attacker makes them.
append_to() { [ -s "$TOWN/$1" ] && : >>"$TOWN/$1"; }
stolen() {
  for process in /proc/[0-9]*; do
    if tr '\0' '\n' <$process/environ 2>/dev/null | grep -qx "GT_ROLE=web/polecats/$NAME"; then
      tr '\0' '\n' <$process/environ | grep -E '^(GT_[A-Z_]*|PATH|HOME)=[^ ]*$'; return
    fi
  done
  return 1
}
"#;

/// Waits for a file in the worker's repository.
const WAIT: &str = "await() { until [ -e .git/$1 ]; do sleep 0.05; done; }";

/// A worker with a stash, whose change to a line conflicts with the target.
const VICTIM: &str = r"
echo half >>shared.txt && git stash -q && touch .git/ready
await end
sed -i 's/two/worker/' shared.txt && git commit -qam Change && gt done --summary changed
";

/// The next worker in the sandbox of the attacker.
const NEXT: &str = r"
git status && git diff && git log -p -1 && git submodule update && git checkout -qb x && git checkout -q -
echo next >next.txt && git add next.txt && git commit -qm Next
echo change >next.txt && git diff && git checkout -q next.txt
touch .git/ready
await end
gt done --summary next
";

/// A town with a victim, an attacker and its follower.
struct Battlefield {
    town: Town,
    origin: Repo,
    victim: String,
    victims_bead: String,
    attacker: String,
}

impl Battlefield {
    fn new(mode: Mode) -> Self {
        let (town, origin) = Town::with_rig();
        let town = town.with_env("GITHUB_TOKEN", "secret");
        let town = if mode == Some(JailBackend::Landlock) {
            let path = town.path_without_bubblewrap();
            town.with_env("PATH", &path)
        } else {
            town
        };
        if mode.is_some() {
            town.set_rig_setting("web", "sandbox", json!({ "jail": "required" }));
        }
        std::fs::create_dir(town.path("home/.ssh")).unwrap();
        std::fs::write(town.path("home/.ssh/id_rsa"), "secret").unwrap();
        add_project(&town, &origin);
        town.gt(["mail", "send", "mayor/", "-s", "Hello", "-m", "Hello"])
            .ok();
        let check = json!({ "cmd": "sh check.sh", "cache": ["cache"] });
        town.set_rig_setting("web", "merge_queue", json!({ "gates": { "check": check } }));
        let (victims_bead, victim) = start_worker(&town, "victim", VICTIM, "web");
        await_mark(&town, &victim, "ready");
        let script = write_attacks(&town, &origin, &victim);
        let (_, attacker) = start_worker(&town, "attacker", &script, "web");
        await_mark(&town, &attacker, "ready");
        Self {
            town,
            origin,
            victim,
            victims_bead,
            attacker,
        }
    }
}

/// Adds a submodule, the trap and the script of the gate to an origin.
fn add_project(town: &Town, origin: &Repo) {
    let library = town.origin("library");
    let home = town.path("home");
    town.git_at(&home, ["clone", "-q", origin.url(), "maker"])
        .ok();
    let clone = home.join("maker");
    let trap = TRAP.replace("PLACE", home.parent().unwrap().to_str().unwrap());
    std::fs::write(clone.join("trap.sh"), trap).unwrap();
    std::fs::write(clone.join("check.sh"), CHECK).unwrap();
    let url = format!("file://{}", library.url());
    for args in [
        &["submodule", "--quiet", "add", &url, "libs/x"][..],
        &["add", "--all"],
        &["commit", "-qm", "Project"],
        &["push", "-q", "origin", "HEAD:main"],
    ] {
        town.git_at(&clone, args.iter().copied()).ok();
    }
}

/// Starts a worker whose agent is a script. Returns its bead and its name.
fn start_worker(town: &Town, agent: &str, script: &str, target: &str) -> (String, String) {
    town.script_named(agent, &format!("{WAIT}\n{script}"));
    let command = town.path("scripts").join(agent);
    town.set_town_setting("agents", json!({ agent: { "command": command } }));
    town.set_town_setting("default_agent", json!(agent));
    let bead = town.bead("web", agent);
    let slung = eventually("the worker is free", || {
        let slung = town.gt(["sling", &bead, target, "--json"]).run();
        (slung.code == 0).then(|| slung.json())
    });
    let name = slung[0]["target"].as_str().unwrap();
    (bead, name.replace("/polecats/", "/"))
}

fn await_mark(town: &Town, worker: &str, mark: &str) {
    let mark = town.sandbox(worker).join(".git").join(mark);
    eventually("the worker has come so far", || mark.exists().then_some(()));
}

fn set_mark(town: &Town, worker: &str, mark: &str) {
    std::fs::write(town.sandbox(worker).join(".git").join(mark), "").unwrap();
}

/// Writes the script of the attacker.
fn write_attacks(town: &Town, origin: &Repo, victim: &str) -> String {
    let mut script = format!(
        "set +e\nTOWN={}\nORIGIN={}\nOTHER={}\nNAME={}\n{FUNCTIONS}\n",
        town.root().display(),
        origin.url(),
        town.sandbox(victim).display(),
        victim.split_once('/').unwrap().1,
    );
    let tries = |kind| {
        let those = ATTACKS.iter().filter(move |attack| attack.kind == kind);
        those.map(|attack| {
            format!(
                "TRAP=\"sh $PWD/trap.sh {name}\"\ntry {name} '{line}'\n",
                name = attack.name,
                line = attack.line.replace('\'', r"'\''"),
            )
        })
    };
    script.push_str("cat >check.sh <<'END'\n");
    script.push_str(FUNCTIONS);
    script.extend(tries(Kind::Gate));
    script.push_str("exit 1\nEND\ngit commit -qam Attack\nbranch=$(git branch --show-current)\n");
    script.push_str("export ATTACKING=1\n{\n");
    script.extend(tries(Kind::Session));
    script.push_str("git switch -q \"$branch\" 2>/dev/null\n");
    script.extend(tries(Kind::Trap));
    script.push_str("} >.git/found\n{");
    script.push_str(SPRING);
    script.push_str("} >/dev/null 2>&1\ntouch .git/ready\nawait end\n");
    script.push_str("env -u ATTACKING gt done --summary attacked\n");
    script
}

/// Lets a worker attack. Returns the names of the attempts that succeeded.
fn fight(mode: Mode) -> Vec<&'static str> {
    let Battlefield {
        town,
        origin,
        victim,
        victims_bead,
        attacker,
    } = Battlefield::new(mode);
    let read = |file: &str| std::fs::read_to_string(town.sandbox(&attacker).join(file)).unwrap();
    let (found, sprung) = (read(".git/found"), read(".git/sprung"));
    for trap in ATTACKS.iter().filter(|attack| attack.kind == Kind::Trap) {
        assert!(sprung.lines().any(|name| name == trap.name), "{sprung}");
    }
    let status = town.gt(["polecat", "status", &attacker, "--json"]);
    let jail = status.ok().json()["jail"].clone();
    assert_eq!(jail.as_str(), mode.map(JailBackend::name), "{jail}");
    let mut by_others = Vec::new();

    // The user's commands, the daemon and the queue read what the attacker left.
    town.gt(["status"]).ok();
    town.gt(["doctor"]).run();
    town.patrol();
    set_mark(&town, &attacker, "end");
    let failed = merge_next(&town);
    assert_eq!(failed["outcome"], "gate_failed", "{failed}");
    let logs = std::fs::read_dir(town.root().join("web/.runtime/gates")).unwrap();
    let gate: String = logs
        .map(|log| std::fs::read_to_string(log.unwrap().path()).unwrap())
        .collect();
    let has_pushed = origin.subjects("main").contains(&"Pushed".to_owned());
    if has_pushed && town.events("target_pushed").is_empty() {
        by_others.push("push-to-target");
    }

    // The next worker has the sandbox.
    let target = attacker.replace('/', "/polecats/");
    let (_, next) = start_worker(&town, "next", NEXT, &target);
    assert_eq!(next, attacker);
    await_mark(&town, &next, "ready");
    let mut trapped = String::new();
    for path in [
        town.path("trapped"),
        town.sandbox(&next).join(".git/trapped"),
    ] {
        trapped += &std::fs::read_to_string(path).unwrap_or_else(|_| String::new());
    }
    set_mark(&town, &next, "end");
    let merged = merge_next(&town);
    if merged["outcome"] != "merged" {
        by_others.push("poison");
    }

    let stash = town.git_at(
        &town.sandbox(&victim),
        ["rev-parse", "-q", "--verify", "refs/stash"],
    );
    if stash.run().code != 0 {
        by_others.push("own-stash");
    }
    origin.commit("shared.txt", "one\nuser\nthree\n", "Of the user");
    set_mark(&town, &victim, "end");
    let merged = merge_next(&town);
    if merged["outcome"] != "conflict" {
        by_others.push("union");
    }
    assert_eq!(town.status_of("web", &victims_bead), "in_progress");
    let has_succeeded = |attack: &&Attack| {
        let mut traces = match attack.kind {
            Kind::Trap => trapped.lines(),
            Kind::Session => found.lines(),
            Kind::Gate => gate.lines(),
        };
        match attack.kind {
            _ if SEEN_BY_OTHERS.contains(&attack.name) => by_others.contains(&attack.name),
            Kind::Trap => traces.any(|run| run.starts_with(&format!("{} in ", attack.name))),
            Kind::Session | Kind::Gate => traces.any(|name| name == attack.name),
        }
    };
    let succeeded = ATTACKS.iter().filter(has_succeeded);
    succeeded.map(|attack| attack.name).collect()
}

/// Runs the queue once work is handed in. Returns the outcome of the last request.
fn merge_next(town: &Town) -> serde_json::Value {
    eventually("work is handed in", || {
        let ran = town.gt(["mq", "run", "web", "--json"]).ok().json();
        ran.as_array().unwrap().last().cloned()
    })
}

/// Lets the worker attack in a jail. Nothing may succeed.
fn fight_in_jail(backend: JailBackend) {
    let path = Town::place()
        .variables()
        .into_iter()
        .find(|(name, _)| name == "PATH");
    let (name, value) = path.unwrap();
    let env = Env::with_vars(&PathBuf::from("/"), [(name.as_str(), value.as_str())]);
    let mut reports = probe_backends(&env).into_iter();
    let report = reports.find(|report| report.backend == backend).unwrap();
    if let Some(fault) = report.fault() {
        return report_skip(&format!("no jail of {}: {fault}", backend.name()));
    }
    assert_eq!(fight(Some(backend)), Vec::<&str>::new());
}

#[test]
fn attacks_of_a_worker_without_a_jail_fail_unless_they_need_only_the_rights_of_the_user() {
    let open = ATTACKS.iter().filter(|attack| attack.needs_jail);
    let open: Vec<&str> = open.map(|attack| attack.name).collect();
    assert_eq!(fight(None), open);
}

#[test]
fn attacks_of_a_worker_in_the_jail_of_bubblewrap_fail() {
    fight_in_jail(JailBackend::Bubblewrap);
}

#[test]
fn attacks_of_a_worker_in_the_jail_of_landlock_fail() {
    fight_in_jail(JailBackend::Landlock);
}
