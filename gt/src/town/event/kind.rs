//! The kinds of events that this version records, for filters that name one.

/// The kinds, sorted.
const KINDS: &[&str] = &[
    "account_passed_over",
    "agent_files_hidden",
    "attempt_failed",
    "boot",
    "chore_done",
    "commits_kept",
    "compacted",
    "convoy_added",
    "convoy_closed",
    "convoy_created",
    "convoy_deferred",
    "convoy_landed",
    "convoy_reviewed",
    "discovery_committed",
    "discovery_kept",
    "discovery_left",
    "discovery_placed",
    "discovery_removed",
    "done",
    "done_failed",
    "escalation_acked",
    "escalation_closed",
    "escalation_delivered",
    "escalation_forwarded",
    "escalation_sent",
    "followup",
    "fresh_branch",
    "gate",
    "gate_tree_rebuilt",
    "halt",
    "handoff",
    "handoff_failed",
    "held",
    "hold_ended",
    "hook_ignored",
    "hook_run",
    "hook_waived",
    "inner_repositories_moved",
    "integration_branch",
    "integration_branch_left",
    "kill",
    "landing_prepared",
    "landing_pushed",
    "landing_stopped",
    "mail",
    "merge_already_there",
    "merge_batch",
    "merge_driven",
    "merge_failed",
    "merge_rejected",
    "merge_skipped",
    "merge_started",
    "merge_unproven",
    "merge_waived",
    "merge_withdrawn",
    "merged",
    "merged_along",
    "merges_lost",
    "molecule_detached",
    "molecule_ended",
    "molecule_poured",
    "molecule_skipped",
    "needs_person",
    "note_failed",
    "nudge",
    "nuke",
    "patrol",
    "permission_refused",
    "plugin_report",
    "plugin_run",
    "pull_request",
    "push_refused",
    "release",
    "remote_restored",
    "rescue_restored",
    "respawn",
    "rig_added",
    "rig_removed",
    "runtime_passed_over",
    "sandbox_repaired",
    "sandbox_restored",
    "session_begun",
    "session_end",
    "session_ended",
    "session_needs_person",
    "session_start",
    "sling",
    "sling_waits",
    "snapshot_failed",
    "spawn",
    "stale_lock_removed",
    "stash_kept",
    "step_done",
    "target_bisected",
    "unhook",
];

/// The maximum number of kinds that are proposed for an unknown one.
const PROPOSED: usize = 3;

/// Returns true if this version records events of a kind.
pub fn is_known_kind(kind: &str) -> bool {
    KINDS.binary_search(&kind).is_ok()
}

/// Returns the kinds that are spelled similarly to an unknown one, the nearest first.
pub fn find_near_kinds(kind: &str) -> Vec<&'static str> {
    let distance = |known: &str| strsim::damerau_levenshtein(kind, known);
    let is_near = |known: &&str| {
        let is_part = kind.len() > 2 && (known.contains(kind) || kind.contains(known));
        is_part || distance(known) <= 2
    };
    let mut near: Vec<&str> = KINDS.iter().copied().filter(is_near).collect();
    near.sort_by_key(|known| distance(known));
    near.truncate(PROPOSED);
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kinds_are_the_variants_of_the_enum() {
        let source = include_str!("mod.rs");
        let body = source.split_once("pub enum Event {").unwrap().1;
        let body = body.split_once("\n}\n").unwrap().0;
        let is_name = |c: char| c.is_ascii_alphanumeric();
        let variants = body.lines().filter_map(|line| {
            let line = line.strip_prefix("    ")?;
            let name = line.split(|c| !is_name(c)).next()?;
            name.starts_with(|c: char| c.is_ascii_uppercase())
                .then_some(name)
        });
        let to_snake_case = |name: &str| {
            let mut kind = String::new();
            for c in name.chars() {
                if c.is_ascii_uppercase() && !kind.is_empty() {
                    kind.push('_');
                }
                kind.push(c.to_ascii_lowercase());
            }
            kind
        };
        let mut kinds: Vec<String> = variants
            .filter(|name| *name != "Other")
            .map(to_snake_case)
            .collect();
        kinds.sort();
        assert_eq!(kinds, KINDS);
    }

    #[test]
    fn a_slip_has_the_kind_that_was_meant() {
        assert_eq!(find_near_kinds("mergd").first(), Some(&"merged"));
        assert_eq!(find_near_kinds("landed"), ["convoy_landed"]);
        assert!(find_near_kinds("full_moon").is_empty());
        assert!(is_known_kind("merged") && !is_known_kind("mergd"));
    }
}
