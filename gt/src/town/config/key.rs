//! The table of settings: names, allowed files, meanings. `gt config list` and the lookup use it.

use super::setting_key::{allow_labels, define_key, restrict_to_files};
use super::{LandingRoute, MergeStrategy};

pub use super::setting_key::{LabelEffect, SettingKey, SettingKind, SettingPlacement};

/// The values of `merge_queue.vcs_provider`.
pub const FORGE_KINDS: &[&str] = &["github", "gitlab"];

/// The values of a role's mode.
const MODES: &[&str] = &["mechanical", "agent"];

/// All settings.
pub const KEYS: &[SettingKey] = &[
    restrict_to_files(define_key(
        "agent",
        SettingKind::Text,
        SettingPlacement::RigOnly,
        "",
        "the agent program of a rig's sessions",
    )),
    define_key(
        "budget.bead",
        SettingKind::Amount,
        SettingPlacement::Rig,
        "0",
        "how many dollars one bead may cost before its next session waits; 0 for no budget",
    ),
    define_key(
        "budget.convoy",
        SettingKind::Amount,
        SettingPlacement::Rig,
        "0",
        "how many dollars the beads of one convoy may cost before workers wait; 0 for no budget",
    ),
    define_key(
        "budget.day",
        SettingKind::Amount,
        SettingPlacement::Town,
        "0",
        "how many dollars the town may spend a day before workers wait; 0 for no budget",
    ),
    define_key(
        "budget.rig",
        SettingKind::Amount,
        SettingPlacement::Rig,
        "0",
        "how many dollars a rig may spend a day before its workers wait; 0 for no budget",
    ),
    allow_labels(
        define_key(
            "context.budget.*",
            SettingKind::Number,
            SettingPlacement::Rig,
            "",
            "how many bytes the context of a role may have; 8192 where not set",
        ),
        LabelEffect::Lower,
    ),
    define_key(
        "default_agent",
        SettingKind::Text,
        SettingPlacement::Town,
        "claude",
        "the agent program of all sessions",
    ),
    define_key(
        "discovery.push",
        SettingKind::Flag,
        SettingPlacement::Rig,
        "true",
        "discovery documents go to origin with the beads, on refs/gt/discovery/, and come from there",
    ),
    define_key(
        "git.network_timeout",
        SettingKind::Duration,
        SettingPlacement::Town,
        "60s",
        "how long git may wait for a remote; clones may take an hour, the daemon reads it when it starts",
    ),
    define_key(
        "hints",
        SettingKind::Flag,
        SettingPlacement::Town,
        "true",
        "commands show a short hint when they are used for the first time",
    ),
    define_key(
        "hooks.auto_convoy",
        SettingKind::Flag,
        SettingPlacement::Rig,
        "false",
        "run the pre-convoy hook for the convoy that a single slung bead gets, too",
    ),
    define_key(
        "hooks.keeper_mode",
        SettingKind::Text,
        SettingPlacement::Rig,
        "",
        "what hooks get as KEEPER_MODE where the caller's environment has none",
    ),
    define_key(
        "hooks.timeout",
        SettingKind::Duration,
        SettingPlacement::Rig,
        "60s",
        "how long a town hook may take",
    ),
    allow_labels(
        define_key(
            "max_polecats",
            SettingKind::Number,
            SettingPlacement::Rig,
            "10",
            "how many polecats of the rig may be at work at once",
        ),
        LabelEffect::Lower,
    ),
    define_key(
        "merge_queue.auto_merge",
        SettingKind::Flag,
        SettingPlacement::Rig,
        "true",
        "merge without a person; if false, gt mq retry releases each request",
    ),
    define_key(
        "merge_queue.auto_repair",
        SettingKind::Flag,
        SettingPlacement::Rig,
        "true",
        "give the task of a conflict or a failed gate to a worker automatically",
    ),
    define_key(
        "merge_queue.batch.max",
        SettingKind::Number,
        SettingPlacement::Rig,
        "8",
        "how many requests one run of the gates may check together; 1 checks each alone",
    ),
    define_key(
        "merge_queue.build_command",
        SettingKind::Text,
        SettingPlacement::Rig,
        "",
        "a gate, run before test_command",
    ),
    define_key(
        "merge_queue.delete_merged_branches",
        SettingKind::Flag,
        SettingPlacement::Rig,
        "true",
        "remove a branch once it is verified as merged",
    ),
    define_key(
        "merge_queue.forge_program",
        SettingKind::Text,
        SettingPlacement::Rig,
        "",
        "the program that opens pull requests, with the commands of gh or glab; the usual one where not set",
    ),
    define_key(
        "merge_queue.gates.*.cache",
        SettingKind::List,
        SettingPlacement::Rig,
        "",
        "ignored files and folders that the command finds again in its next run, such as target",
    ),
    define_key(
        "merge_queue.gates.*.cmd",
        SettingKind::Text,
        SettingPlacement::Rig,
        "",
        "a command line that must succeed before a merge",
    ),
    define_key(
        "merge_queue.gates.*.parallel",
        SettingKind::Flag,
        SettingPlacement::Rig,
        "false",
        "run the command beside the other parallel gates, each in a tree of its own",
    ),
    define_key(
        "merge_queue.gates.*.retry",
        SettingKind::Number,
        SettingPlacement::Rig,
        "0",
        "how often the command is run again after a failure, for a gate that is known to be flaky",
    ),
    define_key(
        "merge_queue.gates.*.timeout",
        SettingKind::Duration,
        SettingPlacement::Rig,
        "30m",
        "how long that command may take",
    ),
    define_key(
        "merge_queue.integration_branch_template",
        SettingKind::Text,
        SettingPlacement::Rig,
        "integration/{epic}",
        "how a convoy's own branch is named; {epic} is the convoy, {prefix} the rig's, {user} you",
    ),
    define_key(
        "merge_queue.lint_command",
        SettingKind::Text,
        SettingPlacement::Rig,
        "",
        "a gate, run before build_command",
    ),
    define_key(
        "merge_queue.max_wait",
        SettingKind::Duration,
        SettingPlacement::Rig,
        "6h",
        "how long a P0 waits behind better requests, a P1 twice that, and so on; 0s for no bound",
    ),
    define_key(
        "merge_queue.merge_strategy",
        SettingKind::OneOf(LandingRoute::NAMES),
        SettingPlacement::Rig,
        "",
        "direct pushes to the target, pr opens a pull request; where not set, pr for a protected target",
    ),
    define_key(
        "merge_queue.parallel",
        SettingKind::Number,
        SettingPlacement::Rig,
        "1",
        "how many parts of a red batch are checked at the same time, while the load allows it",
    ),
    define_key(
        "merge_queue.poll_interval",
        SettingKind::Duration,
        SettingPlacement::Rig,
        "1m",
        "how often an open pull request is looked at",
    ),
    define_key(
        "merge_queue.require_review",
        SettingKind::Flag,
        SettingPlacement::Rig,
        "false",
        "let each request wait for a person; gt mq retry releases it",
    ),
    define_key(
        "merge_queue.run_tests",
        SettingKind::Flag,
        SettingPlacement::Rig,
        "true",
        "run merge_queue.test_command",
    ),
    define_key(
        "merge_queue.setup_command",
        SettingKind::Text,
        SettingPlacement::Rig,
        "",
        "the first gate, which makes the tree ready for the others",
    ),
    define_key(
        "merge_queue.strategy",
        SettingKind::OneOf(MergeStrategy::NAMES),
        SettingPlacement::Rig,
        "rebase",
        "how work gets onto its target: rebase, squash or merge",
    ),
    define_key(
        "merge_queue.target_branch",
        SettingKind::Text,
        SettingPlacement::Rig,
        "",
        "what work is merged into; the repository's default branch where not set",
    ),
    define_key(
        "merge_queue.test_command",
        SettingKind::Text,
        SettingPlacement::Rig,
        "",
        "the last gate",
    ),
    define_key(
        "merge_queue.typecheck_command",
        SettingKind::Text,
        SettingPlacement::Rig,
        "",
        "a gate, run before lint_command",
    ),
    define_key(
        "merge_queue.vcs_provider",
        SettingKind::OneOf(FORGE_KINDS),
        SettingPlacement::Rig,
        "",
        "the forge of pull requests: github or gitlab; that of the remote's host where not set",
    ),
    define_key(
        "molecule.cycle",
        SettingKind::Flag,
        SettingPlacement::Rig,
        "false",
        "start a fresh session after each step that gt mol step done closes",
    ),
    define_key(
        "molecule.formula",
        SettingKind::Text,
        SettingPlacement::Rig,
        "mol-polecat-work",
        "the formula whose steps a worker gets with a slung bead; empty for none",
    ),
    allow_labels(
        define_key(
            "namepool.names",
            SettingKind::List,
            SettingPlacement::Rig,
            "",
            "names for polecats, in place of a theme",
        ),
        LabelEffect::Any,
    ),
    allow_labels(
        define_key(
            "namepool.style",
            SettingKind::Text,
            SettingPlacement::Rig,
            "",
            "the theme of polecats' names; by the rig's name where not set",
        ),
        LabelEffect::Any,
    ),
    define_key(
        "patrol.after_close",
        SettingKind::Duration,
        SettingPlacement::Rig,
        "10m",
        "how long a worker that closed its bead itself may still run gt done",
    ),
    define_key(
        "patrol.agent.starts",
        SettingKind::Number,
        SettingPlacement::Town,
        "5",
        "an agent started so often in a row is in a crash loop and waits patrol.breaker.half_open",
    ),
    define_key(
        "patrol.agent.window",
        SettingKind::Duration,
        SettingPlacement::Town,
        "15m",
        "an agent that ran for so long starts a new row",
    ),
    define_key(
        "patrol.alert.escalations",
        SettingKind::Number,
        SettingPlacement::Town,
        "10",
        "how many escalations within an hour are reported to you; 0 for never",
    ),
    define_key(
        "patrol.alert.killed",
        SettingKind::Number,
        SettingPlacement::Town,
        "3",
        "how many sessions killed by the system within an hour are reported to you; 0 for never",
    ),
    define_key(
        "patrol.alert.requests",
        SettingKind::Number,
        SettingPlacement::Town,
        "20",
        "how many open merge requests of a rig are reported to you; 0 for never",
    ),
    define_key(
        "patrol.archive_age",
        SettingKind::Duration,
        SettingPlacement::Town,
        "2160h",
        "the age at which the chore archive and gt compact archive closed beads; 0s for never",
    ),
    define_key(
        "patrol.breaker.half_open",
        SettingKind::Duration,
        SettingPlacement::Rig,
        "30m",
        "how long a stuck sling or gt done waits before it is tried again; twice as long each time",
    ),
    define_key(
        "patrol.breaker.restarts",
        SettingKind::Number,
        SettingPlacement::Rig,
        "3",
        "a worker is stuck if its session ended so often within patrol.breaker.window, or if it was restarted so often without a commit or a changed file",
    ),
    define_key(
        "patrol.breaker.sling_failures",
        SettingKind::Number,
        SettingPlacement::Rig,
        "5",
        "a worker whose sling failed so often is stuck",
    ),
    define_key(
        "patrol.breaker.wait",
        SettingKind::Duration,
        SettingPlacement::Rig,
        "10s",
        "how long the second restart in patrol.breaker.window waits; twice as long each time",
    ),
    define_key(
        "patrol.breaker.window",
        SettingKind::Duration,
        SettingPlacement::Rig,
        "30m",
        "the time over which the restarts of sessions that ended are counted",
    ),
    define_key(
        "patrol.budget.per_minute",
        SettingKind::Number,
        SettingPlacement::Town,
        "60",
        "how many sessions of the town are started again per minute, also by handoffs; 0 for any number",
    ),
    define_key(
        "patrol.budget.starts",
        SettingKind::Number,
        SettingPlacement::Rig,
        "5",
        "how many sessions of the rig the patrol starts at the same time",
    ),
    define_key(
        "patrol.chore.archive",
        SettingKind::Duration,
        SettingPlacement::Town,
        "0s",
        "how often beads that were closed long ago move to the archive; 0s for never",
    ),
    define_key(
        "patrol.chore.backup",
        SettingKind::Duration,
        SettingPlacement::Town,
        "0s",
        "how often beads, settings and saved work are copied to .runtime/backups/; 0s for never",
    ),
    define_key(
        "patrol.chore.compact",
        SettingKind::Duration,
        SettingPlacement::Town,
        "168h",
        "how often old logs and merged branches go and repositories are packed; 0s for never",
    ),
    define_key(
        "patrol.chore.kennel",
        SettingKind::Duration,
        SettingPlacement::Town,
        "1h",
        "how often dogs are looked after; 0s for never",
    ),
    define_key(
        "patrol.chore.orphan_scan",
        SettingKind::Duration,
        SettingPlacement::Town,
        "0s",
        "how often processes and hooks without an owner are listed in the event log; 0s for never",
    ),
    define_key(
        "patrol.chore.session_gc",
        SettingKind::Duration,
        SettingPlacement::Town,
        "6h",
        "how often processes of ended sessions are ended; 0s for never",
    ),
    define_key(
        "patrol.chore.stale_work",
        SettingKind::Duration,
        SettingPlacement::Town,
        "1h",
        "how often work of agents that are gone is reopened; 0s for never",
    ),
    define_key(
        "patrol.escalation.limit",
        SettingKind::Number,
        SettingPlacement::Town,
        "2",
        "how often an escalation that nobody acknowledges is raised",
    ),
    define_key(
        "patrol.escalation.stale",
        SettingKind::Duration,
        SettingPlacement::Town,
        "4h",
        "an escalation that nobody acknowledges for so long is raised one severity",
    ),
    define_key(
        "patrol.hook.crew",
        SettingKind::Duration,
        SettingPlacement::Rig,
        "30m",
        "how long a crew member with a bead on its hook may make no progress",
    ),
    define_key(
        "patrol.hook.dog",
        SettingKind::Duration,
        SettingPlacement::Town,
        "30m",
        "how long a dog with a bead on its hook may make no progress",
    ),
    define_key(
        "patrol.hook.mayor",
        SettingKind::Duration,
        SettingPlacement::Town,
        "30m",
        "how long the mayor with a bead on its hook may make no progress",
    ),
    restrict_to_files(define_key(
        "patrol.mode.boot",
        SettingKind::OneOf(MODES),
        SettingPlacement::Town,
        "mechanical",
        "who watches the deacon: gtd (mechanical) or an agent session",
    )),
    restrict_to_files(define_key(
        "patrol.mode.deacon",
        SettingKind::OneOf(MODES),
        SettingPlacement::Town,
        "mechanical",
        "who patrols the town: gtd (mechanical) or an agent session",
    )),
    restrict_to_files(define_key(
        "patrol.mode.refinery",
        SettingKind::OneOf(MODES),
        SettingPlacement::Rig,
        "mechanical",
        "who watches the merge queue: gtd (mechanical) or an agent session",
    )),
    restrict_to_files(define_key(
        "patrol.mode.witness",
        SettingKind::OneOf(MODES),
        SettingPlacement::Rig,
        "mechanical",
        "who watches the workers: gtd (mechanical) or an agent session",
    )),
    define_key(
        "patrol.patience",
        SettingKind::Duration,
        SettingPlacement::Rig,
        "30m",
        "how long something may fail before you hear of it",
    ),
    define_key(
        "patrol.progress.note",
        SettingKind::Duration,
        SettingPlacement::Rig,
        "5m",
        "from when on a worker without progress has its files and screen looked at",
    ),
    define_key(
        "patrol.progress.nudge",
        SettingKind::Duration,
        SettingPlacement::Rig,
        "10m",
        "how long a worker may make no progress before it is nudged",
    ),
    define_key(
        "patrol.progress.restart",
        SettingKind::Duration,
        SettingPlacement::Rig,
        "30m",
        "how long a worker may make no progress before it is restarted",
    ),
    define_key(
        "patrol.progress.restart_busy",
        SettingKind::Duration,
        SettingPlacement::Rig,
        "2h",
        "the same while its screen shows work in progress",
    ),
    define_key(
        "patrol.push.interval",
        SettingKind::Duration,
        SettingPlacement::Rig,
        "5m",
        "commits of unfinished work are pushed at most this often",
    ),
    define_key(
        "patrol.rules.*",
        SettingKind::Flag,
        SettingPlacement::Rig,
        "",
        "whether a rule of the patrol applies",
    ),
    define_key(
        "patrol.sync.interval",
        SettingKind::Duration,
        SettingPlacement::Rig,
        "60s",
        "beads go to their branch at most this often",
    ),
    define_key(
        "patrol.sync.rest",
        SettingKind::Duration,
        SettingPlacement::Rig,
        "30s",
        "beads go to their branch when nobody has written for so long",
    ),
    define_key(
        "plugins.backup_to",
        SettingKind::Text,
        SettingPlacement::Town,
        "",
        "the folder or bare repository to which the plugin town-backup saves the town",
    ),
    define_key(
        "plugins.disabled",
        SettingKind::List,
        SettingPlacement::Town,
        "",
        "the plugins that never run automatically, by name or as RIG/NAME",
    ),
    allow_labels(
        define_key(
            "priority_adjustment",
            SettingKind::Sum,
            SettingPlacement::Rig,
            "0",
            "added to scheduler.priority; the values of all layers add up",
        ),
        LabelEffect::Any,
    ),
    define_key(
        "retention.gate_logs",
        SettingKind::Duration,
        SettingPlacement::Rig,
        "2160h",
        "the age at which gt compact removes logs of gates; 0s for never",
    ),
    define_key(
        "retention.rescues",
        SettingKind::Duration,
        SettingPlacement::Rig,
        "0s",
        "the age at which gt compact removes saved work; 0s for never",
    ),
    restrict_to_files(define_key(
        "role_agents.*",
        SettingKind::Text,
        SettingPlacement::Rig,
        "",
        "the agent program of one role",
    )),
    define_key(
        "safety.blocked_patterns",
        SettingKind::List,
        SettingPlacement::Rig,
        "",
        "patterns of commands that no session may run, such as rm -rf /; named in the context of each",
    ),
    define_key(
        "sandbox.hide_agent_files",
        SettingKind::Flag,
        SettingPlacement::Rig,
        "false",
        "leave the repository's own CLAUDE.md, AGENTS.md, .claude and .mcp.json out of sandboxes",
    ),
    define_key(
        "scheduler.max_load",
        SettingKind::Number,
        SettingPlacement::Town,
        "0",
        "the load, in percent of the processors, above which no worker is started; 0 for no limit",
    ),
    define_key(
        "scheduler.max_per_account.*",
        SettingKind::Number,
        SettingPlacement::Town,
        "",
        "how many polecats may be at work with this account at once; 0 for no limit",
    ),
    define_key(
        "scheduler.max_per_agent.*",
        SettingKind::Number,
        SettingPlacement::Town,
        "",
        "how many polecats may be at work with this agent program at once; 0 for no limit",
    ),
    define_key(
        "scheduler.max_polecats",
        SettingKind::Number,
        SettingPlacement::Town,
        "0",
        "how many polecats of all rigs may be at work at once; 0 for no limit",
    ),
    define_key(
        "scheduler.min_free_disk_mb",
        SettingKind::Number,
        SettingPlacement::Town,
        "256",
        "the free disk space in MiB below which no worker is started; 0 for no limit",
    ),
    define_key(
        "scheduler.min_free_memory_mb",
        SettingKind::Number,
        SettingPlacement::Town,
        "256",
        "the free memory in MiB below which no worker is started; 0 for no limit",
    ),
    define_key(
        "scheduler.priority",
        SettingKind::Number,
        SettingPlacement::Rig,
        "2",
        "whose queued beads get a free place of the town first: 0 before 4",
    ),
    define_key(
        "scheduler.spawn_delay",
        SettingKind::Duration,
        SettingPlacement::Town,
        "0s",
        "the minimum time between the starts of two workers",
    ),
    define_key(
        "session.cycle_age",
        SettingKind::Duration,
        SettingPlacement::Rig,
        "4h",
        "from this age on a session is proposed a handoff at the end of a turn or step; 0s for never",
    ),
    define_key(
        "session.cycle_tokens",
        SettingKind::Number,
        SettingPlacement::Rig,
        "150000",
        "the same from this many tokens in its context on, where its program says how many; 0 for never",
    ),
    define_key(
        "session.pass",
        SettingKind::List,
        SettingPlacement::Rig,
        "",
        "more of your variables that sessions may have, such as GH_TOKEN; AWS_* stands for all that begin so",
    ),
    define_key(
        "theme.name",
        SettingKind::Text,
        SettingPlacement::RigOnly,
        "",
        "the colours of the rig's sessions in tmux; by the rig's name where not set",
    ),
    define_key(
        "workflow.default_formula",
        SettingKind::Text,
        SettingPlacement::Rig,
        "",
        "the formula that gt formula run runs without a name",
    ),
];

/// Returns the setting of a name.
pub fn find_key(name: &str) -> Option<&'static SettingKey> {
    // Most names are in the table literally.
    let exact = KEYS.iter().find(|key| key.name == name);
    exact.or_else(|| {
        let mut families = KEYS.iter().filter(|key| key.name.contains('*'));
        families.find(|key| is_pattern_match(key.name, name))
    })
}

fn is_pattern_match(pattern: &str, name: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_family_matches_exactly_one_part() {
        assert_eq!(find_key("role_agents.crew").unwrap().name, "role_agents.*");
        assert_eq!(
            find_key("merge_queue.gates.lint.cmd").unwrap().kind,
            SettingKind::Text
        );
        for none in ["role_agents", "role_agents.", "role_agents.a.b", "nothing"] {
            assert!(find_key(none).is_none(), "{none}");
        }
    }

    #[test]
    fn the_key_table_is_sorted_without_duplicates() {
        let names: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(names, sorted);
    }
}
