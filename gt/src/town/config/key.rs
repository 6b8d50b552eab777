//! The table of settings: what there is, where it may stand, what it means. `gt config list` and the
//! lookup are made from it.

use super::Strategy;

/// What a setting's value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Number,
    /// Words separated by commas.
    List,
    /// A duration such as `30s` or `10m`.
    Duration,
    /// One of these words.
    OneOf(&'static [&'static str]),
}

/// Which files a setting may stand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The town's only.
    Town,
    /// A rig's; the town's counts for all rigs.
    Rig,
    /// A rig's only.
    RigOnly,
}

/// One setting, or a family of them: `*` in its name stands for one part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Its name: the path in the settings file, with dots.
    pub name: &'static str,
    /// What its value is.
    pub kind: Kind,
    /// Where it may stand.
    pub scope: Scope,
    /// Whether the environment, the local layer and the rig's bead may hold it, too.
    pub layered: bool,
    /// Its value where nothing is set; empty for none.
    pub default: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

const fn key(
    name: &'static str,
    kind: Kind,
    scope: Scope,
    default: &'static str,
    meaning: &'static str,
) -> Key {
    let layered = !matches!(scope, Scope::Town);
    Key {
        name,
        kind,
        scope,
        layered,
        default,
        meaning,
    }
}

const fn in_files_only(mut key: Key) -> Key {
    key.layered = false;
    key
}

/// Who does the work of a role of the patrol.
const MODES: &[&str] = &["mechanical", "agent"];

/// All settings.
pub const KEYS: &[Key] = &[
    in_files_only(key(
        "agent",
        Kind::Text,
        Scope::RigOnly,
        "",
        "the agent program of a rig's sessions",
    )),
    key(
        "context.budget.*",
        Kind::Number,
        Scope::Rig,
        "",
        "how many bytes the context of a role may have; 8192 where not set",
    ),
    key(
        "default_agent",
        Kind::Text,
        Scope::Town,
        "claude",
        "the agent program of all sessions",
    ),
    key(
        "discovery.push",
        Kind::Flag,
        Scope::Rig,
        "true",
        "discovery documents go to origin with the beads, on refs/gt/discovery/, and come from there",
    ),
    key(
        "git.network_timeout",
        Kind::Duration,
        Scope::Town,
        "60s",
        "how long git may wait for a remote; clones may take an hour, the daemon reads it when it starts",
    ),
    key(
        "hooks.auto_convoy",
        Kind::Flag,
        Scope::Rig,
        "false",
        "run the pre-convoy hook for the convoy that a single slung bead gets, too",
    ),
    key(
        "hooks.keeper_mode",
        Kind::Text,
        Scope::Rig,
        "",
        "what hooks get as KEEPER_MODE where the caller's environment has none",
    ),
    key(
        "hooks.timeout",
        Kind::Duration,
        Scope::Rig,
        "60s",
        "how long a town hook may take",
    ),
    key(
        "max_polecats",
        Kind::Number,
        Scope::Rig,
        "10",
        "how many polecats of the rig may be at work at once",
    ),
    key(
        "merge_queue.auto_merge",
        Kind::Flag,
        Scope::Rig,
        "true",
        "merge without a person; if false, gt mq retry releases each request",
    ),
    key(
        "merge_queue.auto_repair",
        Kind::Flag,
        Scope::Rig,
        "true",
        "give the task of a conflict or a failed gate to a worker automatically",
    ),
    key(
        "merge_queue.build_command",
        Kind::Text,
        Scope::Rig,
        "",
        "a gate, run before test_command",
    ),
    key(
        "merge_queue.delete_merged_branches",
        Kind::Flag,
        Scope::Rig,
        "true",
        "remove a branch once it is verified as merged",
    ),
    key(
        "merge_queue.gates.*.cache",
        Kind::List,
        Scope::Rig,
        "",
        "ignored files and folders that the command finds again in its next run, such as target",
    ),
    key(
        "merge_queue.gates.*.cmd",
        Kind::Text,
        Scope::Rig,
        "",
        "a command line that must succeed before a merge",
    ),
    key(
        "merge_queue.gates.*.timeout",
        Kind::Duration,
        Scope::Rig,
        "30m",
        "how long that command may take",
    ),
    key(
        "merge_queue.integration_branch_template",
        Kind::Text,
        Scope::Rig,
        "integration/{epic}",
        "how a convoy's own branch is named; {epic} is the convoy, {prefix} the rig's, {user} you",
    ),
    key(
        "merge_queue.lint_command",
        Kind::Text,
        Scope::Rig,
        "",
        "a gate, run before build_command",
    ),
    key(
        "merge_queue.require_review",
        Kind::Flag,
        Scope::Rig,
        "false",
        "let each request wait for a person; gt mq retry releases it",
    ),
    key(
        "merge_queue.run_tests",
        Kind::Flag,
        Scope::Rig,
        "true",
        "run merge_queue.test_command",
    ),
    key(
        "merge_queue.setup_command",
        Kind::Text,
        Scope::Rig,
        "",
        "the first gate, which makes the tree ready for the others",
    ),
    key(
        "merge_queue.strategy",
        Kind::OneOf(Strategy::NAMES),
        Scope::Rig,
        "rebase",
        "how work gets onto its target: rebase, squash or merge",
    ),
    key(
        "merge_queue.target_branch",
        Kind::Text,
        Scope::Rig,
        "",
        "what work is merged into; the repository's default branch where not set",
    ),
    key(
        "merge_queue.test_command",
        Kind::Text,
        Scope::Rig,
        "",
        "the last gate",
    ),
    key(
        "merge_queue.typecheck_command",
        Kind::Text,
        Scope::Rig,
        "",
        "a gate, run before lint_command",
    ),
    key(
        "molecule.cycle",
        Kind::Flag,
        Scope::Rig,
        "false",
        "start a fresh session after each step that gt mol step done closes",
    ),
    key(
        "molecule.formula",
        Kind::Text,
        Scope::Rig,
        "mol-polecat-work",
        "the formula whose steps a worker gets with a slung bead; empty for none",
    ),
    key(
        "namepool.names",
        Kind::List,
        Scope::Rig,
        "",
        "names for polecats, in place of a theme",
    ),
    key(
        "namepool.style",
        Kind::Text,
        Scope::Rig,
        "",
        "the theme of polecats' names; by the rig's name where not set",
    ),
    key(
        "patrol.after_close",
        Kind::Duration,
        Scope::Rig,
        "10m",
        "how long a worker that closed its bead itself may still run gt done",
    ),
    key(
        "patrol.agent.starts",
        Kind::Number,
        Scope::Town,
        "5",
        "an agent started so often in a row is in a crash loop and waits patrol.breaker.half_open",
    ),
    key(
        "patrol.agent.window",
        Kind::Duration,
        Scope::Town,
        "15m",
        "an agent that ran for so long starts a new row",
    ),
    key(
        "patrol.alert.escalations",
        Kind::Number,
        Scope::Town,
        "10",
        "how many escalations within an hour are reported to you; 0 for never",
    ),
    key(
        "patrol.alert.killed",
        Kind::Number,
        Scope::Town,
        "3",
        "how many sessions killed by the system within an hour are reported to you; 0 for never",
    ),
    key(
        "patrol.alert.requests",
        Kind::Number,
        Scope::Town,
        "20",
        "how many open merge requests of a rig are reported to you; 0 for never",
    ),
    key(
        "patrol.archive_age",
        Kind::Duration,
        Scope::Town,
        "2160h",
        "how long ago a bead must have been closed for the chore archive to move it",
    ),
    key(
        "patrol.breaker.half_open",
        Kind::Duration,
        Scope::Rig,
        "30m",
        "how long a stuck worker waits before it is tried again; twice as long each time",
    ),
    key(
        "patrol.breaker.restarts",
        Kind::Number,
        Scope::Rig,
        "3",
        "a worker restarted so often within patrol.breaker.window is stuck",
    ),
    key(
        "patrol.breaker.sling_failures",
        Kind::Number,
        Scope::Rig,
        "5",
        "a worker whose sling failed so often is stuck",
    ),
    key(
        "patrol.breaker.wait",
        Kind::Duration,
        Scope::Rig,
        "10s",
        "how long the second restart in patrol.breaker.window waits; twice as long each time",
    ),
    key(
        "patrol.breaker.window",
        Kind::Duration,
        Scope::Rig,
        "30m",
        "the time over which restarts are counted",
    ),
    key(
        "patrol.budget.starts",
        Kind::Number,
        Scope::Rig,
        "5",
        "how many sessions of the rig the patrol starts at the same time",
    ),
    key(
        "patrol.chore.archive",
        Kind::Duration,
        Scope::Town,
        "0s",
        "how often beads that were closed long ago move to the archive; 0s for never",
    ),
    key(
        "patrol.chore.backup",
        Kind::Duration,
        Scope::Town,
        "0s",
        "how often beads, settings and saved work are copied to .runtime/backups/; 0s for never",
    ),
    key(
        "patrol.chore.kennel",
        Kind::Duration,
        Scope::Town,
        "1h",
        "how often dogs are looked after; 0s for never",
    ),
    key(
        "patrol.chore.orphan_scan",
        Kind::Duration,
        Scope::Town,
        "0s",
        "how often processes and hooks without an owner are listed in the event log; 0s for never",
    ),
    key(
        "patrol.chore.session_gc",
        Kind::Duration,
        Scope::Town,
        "6h",
        "how often processes of ended sessions are ended; 0s for never",
    ),
    key(
        "patrol.chore.stale_work",
        Kind::Duration,
        Scope::Town,
        "1h",
        "how often work of agents that are gone is reopened; 0s for never",
    ),
    key(
        "patrol.escalation.limit",
        Kind::Number,
        Scope::Town,
        "2",
        "how often an escalation that nobody acknowledges is raised",
    ),
    key(
        "patrol.escalation.stale",
        Kind::Duration,
        Scope::Town,
        "4h",
        "an escalation that nobody acknowledges for so long is raised one severity",
    ),
    key(
        "patrol.hook.crew",
        Kind::Duration,
        Scope::Rig,
        "30m",
        "how long a crew member with a bead on its hook may make no progress",
    ),
    key(
        "patrol.hook.dog",
        Kind::Duration,
        Scope::Town,
        "30m",
        "how long a dog with a bead on its hook may make no progress",
    ),
    key(
        "patrol.hook.mayor",
        Kind::Duration,
        Scope::Town,
        "30m",
        "how long the mayor with a bead on its hook may make no progress",
    ),
    in_files_only(key(
        "patrol.mode.boot",
        Kind::OneOf(MODES),
        Scope::Town,
        "mechanical",
        "who watches the deacon: gtd (mechanical) or an agent session",
    )),
    in_files_only(key(
        "patrol.mode.deacon",
        Kind::OneOf(MODES),
        Scope::Town,
        "mechanical",
        "who patrols the town: gtd (mechanical) or an agent session",
    )),
    in_files_only(key(
        "patrol.mode.refinery",
        Kind::OneOf(MODES),
        Scope::Rig,
        "mechanical",
        "who watches the merge queue: gtd (mechanical) or an agent session",
    )),
    in_files_only(key(
        "patrol.mode.witness",
        Kind::OneOf(MODES),
        Scope::Rig,
        "mechanical",
        "who watches the workers: gtd (mechanical) or an agent session",
    )),
    key(
        "patrol.patience",
        Kind::Duration,
        Scope::Rig,
        "30m",
        "how long something may fail before you hear of it",
    ),
    key(
        "patrol.progress.note",
        Kind::Duration,
        Scope::Rig,
        "5m",
        "from when on a worker without progress has its files and screen looked at",
    ),
    key(
        "patrol.progress.nudge",
        Kind::Duration,
        Scope::Rig,
        "10m",
        "how long a worker may make no progress before it is nudged",
    ),
    key(
        "patrol.progress.restart",
        Kind::Duration,
        Scope::Rig,
        "30m",
        "how long a worker may make no progress before it is restarted",
    ),
    key(
        "patrol.progress.restart_busy",
        Kind::Duration,
        Scope::Rig,
        "2h",
        "the same while its screen shows work in progress",
    ),
    key(
        "patrol.push.interval",
        Kind::Duration,
        Scope::Rig,
        "5m",
        "commits of unfinished work are pushed at most this often",
    ),
    key(
        "patrol.rules.*",
        Kind::Flag,
        Scope::Rig,
        "",
        "whether a rule of the patrol applies",
    ),
    key(
        "patrol.sync.interval",
        Kind::Duration,
        Scope::Rig,
        "60s",
        "beads go to their branch at most this often",
    ),
    key(
        "patrol.sync.rest",
        Kind::Duration,
        Scope::Rig,
        "30s",
        "beads go to their branch when nobody has written for so long",
    ),
    in_files_only(key(
        "role_agents.*",
        Kind::Text,
        Scope::Rig,
        "",
        "the agent program of one role",
    )),
    key(
        "safety.blocked_patterns",
        Kind::List,
        Scope::Rig,
        "",
        "patterns of commands that no session may run, such as rm -rf /; named in the context of each",
    ),
    key(
        "session.cycle_age",
        Kind::Duration,
        Scope::Rig,
        "4h",
        "from this age on a session is proposed a handoff at the end of a turn or step; 0s for never",
    ),
    key(
        "session.cycle_tokens",
        Kind::Number,
        Scope::Rig,
        "150000",
        "the same from this many tokens in its context on, where its program says how many; 0 for never",
    ),
    key(
        "session.pass",
        Kind::List,
        Scope::Rig,
        "",
        "more of your variables that sessions may have, such as GH_TOKEN; AWS_* stands for all that begin so",
    ),
    key(
        "workflow.default_formula",
        Kind::Text,
        Scope::Rig,
        "",
        "the formula that gt formula run runs without a name",
    ),
];

/// The setting that a name belongs to.
pub fn find(name: &str) -> Option<&'static Key> {
    // Most names stand in the table as they are.
    let own = KEYS.iter().find(|key| key.name == name);
    own.or_else(|| {
        let mut families = KEYS.iter().filter(|key| key.name.contains('*'));
        families.find(|key| matches(key.name, name))
    })
}

fn matches(pattern: &str, name: &str) -> bool {
    let (mut parts, mut words) = (pattern.split('.'), name.split('.'));
    loop {
        match (parts.next(), words.next()) {
            (None, None) => return true,
            (Some("*"), Some(word)) if !word.is_empty() => {}
            (Some(part), Some(word)) if part == word => {}
            _ => return false,
        }
    }
}

/// The environment variable of a setting: `merge_queue.run_tests` is `GT_MERGE_QUEUE_RUN_TESTS`.
pub fn variable(name: &str) -> String {
    let shout = |c: char| match c {
        '.' | '-' => '_',
        c => c.to_ascii_uppercase(),
    };
    let name: String = name.chars().map(shout).collect();
    format!("GT_{name}")
}

/// Reads a duration such as `30s`, `10m` or `1h30m`.
pub(crate) fn duration(text: &str) -> Option<std::time::Duration> {
    let signed: jiff::SignedDuration = text.parse().ok()?;
    std::time::Duration::try_from(signed).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_matches_one_part() {
        assert_eq!(find("role_agents.crew").unwrap().name, "role_agents.*");
        assert_eq!(find("merge_queue.gates.lint.cmd").unwrap().kind, Kind::Text);
        for none in ["role_agents", "role_agents.", "role_agents.a.b", "nothing"] {
            assert!(find(none).is_none(), "{none}");
        }
    }

    #[test]
    fn the_table_is_sorted_and_each_name_is_there_once() {
        let names: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(names, sorted);
    }

    #[test]
    fn a_variable_is_named_after_its_setting() {
        assert_eq!(
            variable("merge_queue.run_tests"),
            "GT_MERGE_QUEUE_RUN_TESTS"
        );
    }
}
