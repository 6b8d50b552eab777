//! The table of rules: the action, the scope, the default state, and the settings with the numbers
//! of each. A decision names its rule, and `gt why <worker>` shows the rules that acted.

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::town::config::{
    ChangeError, Setting, SettingOrigin, SettingPlace, SettingsError, SettingsLayers, StoredSetting,
};

/// The prefix of the settings that turn rules on or off.
pub const SWITCH: &str = "patrol.rules.";

/// The scope of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleScope {
    Town,
    /// A rig, or the town's own beads.
    Rig,
    /// Each polecat of a rig.
    Worker,
}

/// A rule of the patrol.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// The name, stored in events. It never changes its meaning.
    pub name: &'static str,
    pub scope: RuleScope,
    /// True if the rule applies without a setting.
    pub on: bool,
    /// The settings with the rule's numbers.
    pub thresholds: &'static [&'static str],
    pub does: &'static str,
}

macro_rules! rules {
    ($($id:ident: $name:literal, $scope:ident, $on:literal, $thresholds:expr, $does:literal;)*) => {
        $(#[doc = $does] pub const $id: &Rule = &Rule {
            name: $name, scope: RuleScope::$scope, on: $on, thresholds: &$thresholds, does: $does,
        };)*

        /// All rules.
        pub const RULES: &[&Rule] = &[$($id),*];
    };
}

rules! {
    P3_RESUME_SLING: "P3-resume-sling", Worker, true, ["patrol.budget.starts"],
        "go on with an unfinished sling at its first undone step";
    P3_BREAKER: "P3-breaker", Worker, true, ["patrol.breaker.sling_failures"],
        "stop going on with a sling that failed too often";
    P4_RELEASE_CLOSED: "P4-release-closed", Worker, true, ["patrol.after_close"],
        "take a closed bead off its worker's hook, and keep its commits";
    P5_FINISH_DONE: "P5-finish-done", Worker, true, [],
        "finish a gt done whose process has ended";
    P5_BREAKER: "P5-breaker", Worker, true, [],
        "stop finishing a gt done that cannot succeed";
    P6_RESPAWN_STALLED: "P6-respawn-stalled", Worker, true, ["patrol.budget.per_minute", "patrol.budget.starts", "patrol.breaker.wait"],
        "restart a worker that has work and no session";
    P6_BREAKER: "P6-breaker", Worker, true, ["patrol.breaker.restarts", "patrol.breaker.window"],
        "stop restarting a worker that was restarted too often";
    P6_HALF_OPEN: "P6-half-open", Worker, true, ["patrol.breaker.half_open"],
        "try a stuck sling or gt done again after a while, less often each time";
    P7_END_IDLE_SESSION: "P7-end-idle-session", Worker, true, [],
        "end the session of a worker that has no work";
    P8_REMOVE_PLACE: "P8-remove-place", Town, true, [],
        "remove the container, job or pod of a worker that has no work";
    H1_STOP_HELD: "H1-stop-held", Rig, true, [],
        "end the sessions of a rig that is parked or docked, and save their work";
    G1_NUDGE_QUIET: "G1-nudge-quiet", Worker, true, ["patrol.progress.note", "patrol.progress.nudge"],
        "nudge a worker that makes no progress, once";
    G2_RESTART_QUIET: "G2-restart-quiet", Worker, true, ["patrol.progress.restart", "patrol.progress.restart_busy"],
        "restart a worker that makes no progress after a nudge, or with a dialog open";
    G3_NUDGE_HOOKED: "G3-nudge-hooked", Town, true, ["patrol.hook.crew", "patrol.hook.dog", "patrol.hook.mayor"],
        "remind the mayor, crew or a dog of the bead on its hook, once";
    G4_NOTIFY_MAIL: "G4-notify-mail", Town, true, ["patrol.mail.unread"],
        "type a notice of unread mail into the session of an idle agent, once per message";
    A1_RESUME_REFUSED: "A1-resume-refused", Town, true, [],
        "try one worker again when the API refused, and all others when it answers";
    K1_PUSH_UNFINISHED: "K1-push-unfinished", Worker, true, ["patrol.push.interval"],
        "push the commits of unfinished work to its branch, so that they are on more than one disk";
    R1_QUEUE_REPAIR: "R1-queue-repair", Rig, true, [],
        "queue the task of a conflict or a failed gate for a worker";
    W1_SLING_UNBLOCKED: "W1-sling-unblocked", Rig, true, ["patrol.budget.starts"],
        "sling queued beads that nothing blocks, as many as there is room for";
    M1_OPEN_GATE: "M1-open-gate", Rig, true, [],
        "open the gate of a bead whose timer ended, bead was closed, or CI run or pull request succeeded";
    Q1_RUN_QUEUE: "Q1-run-queue", Rig, true, [],
        "run the merge queue when a request is ready";
    L1_LAND_WHEN_ALL_DONE: "L1-land-when-all-done", Town, true, [],
        "land a convoy when every bead that it tracks is done";
    C1_FINISH_APPROVED_CONVOY: "C1-finish-approved-convoy", Town, true, [],
        "make the convoy of an approved request that was never finished";
    O1_ASK_A_PERSON: "O1-ask-a-person", Town, true, ["patrol.alert.escalations", "patrol.alert.killed",
        "patrol.alert.requests", "patrol.patience"],
        "report each problem that needs the user once, and close solved problems";
    E1_REESCALATE: "E1-reescalate", Town, true, ["patrol.escalation.limit", "patrol.escalation.stale"],
        "raise an escalation that no one acknowledged by one severity";
    E2_TAKE_DEFAULT: "E2-take-default", Town, true, [],
        "answer a decision with its default at the deadline";
    E3_DELIVER: "E3-deliver", Town, true, [],
        "run a command of an escalation again that was not run or failed";
    E4_CLOSE_QUESTION: "E4-close-question", Town, true, [],
        "close the question of a worker about a bead that is closed";
    D1_START_AGENT: "D1-start-agent", Town, true, ["patrol.agent.starts", "patrol.mode.boot", "patrol.mode.deacon",
        "patrol.mode.refinery", "patrol.mode.witness"],
        "start the session of a role in agent mode, less often each time in a row";
    D2_SETTLE_AGENT: "D2-settle-agent", Town, true, ["patrol.agent.window"],
        "forget the starts of an agent that has run for long";
    B1_WATCH_DEACON: "B1-watch-deacon", Town, true, [],
        "ask the deacon's session for a sign of life, and restart it if it does not answer";
    D3_LIFECYCLE_REQUEST: "D3-lifecycle-request", Town, true, [],
        "restart or stop an agent that asks for it by mail";
    T1_DO_CHORE: "T1-do-chore", Town, true, ["patrol.archive_age", "patrol.chore.archive", "patrol.chore.backup", "patrol.chore.compact", "patrol.chore.costs", "patrol.chore.kennel", "patrol.chore.orphan_scan",
        "patrol.chore.session_gc", "patrol.chore.stale_work"],
        "do a chore of the town after its time, if anything happened since";
    N1_RUN_PLUGIN: "N1-run-plugin", Town, true, [],
        "run a plugin whose gate is open";
    N2_REPORT_PLUGINS: "N2-report-plugins", Town, true, [],
        "report the plugins that ran yesterday";
    S1_SHARE_BEADS: "S1-share-beads", Rig, true, ["patrol.sync.rest", "patrol.sync.interval"],
        "put new beads on their branch when no one is writing, or a convoy landed";
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl Rule {
    /// Returns the setting that turns the rule on or off.
    pub fn switch_setting(&self, layers: &SettingsLayers) -> Setting {
        let name = format!("{SWITCH}{}", self.name);
        layers
            .get(&name)
            .filter(|set| set.value.is_boolean())
            .unwrap_or_else(|| Setting {
                name,
                value: Value::from(self.on),
                origin: SettingOrigin::BuiltIn,
            })
    }
}

/// Returns the rule that a setting turns on or off.
pub fn switched_by(setting: &str) -> Option<&'static Rule> {
    let name = setting.strip_prefix(SWITCH)?;
    RULES.iter().copied().find(|rule| rule.name == name)
}

/// Finds a setting by its name. The switch of a rule that no setting turns off has its built-in
/// value.
pub fn find_setting(layers: &SettingsLayers, name: &str) -> Result<Setting, ChangeError> {
    let found = match switched_by(name) {
        Some(rule) => Some(rule.switch_setting(layers)),
        None if name.starts_with(SWITCH) => None,
        None => layers.get(name),
    };
    found.ok_or_else(|| ChangeError::unknown(name))
}

/// Returns the switches in settings that belong to no rule.
pub fn find_unknown_switches(layers: &SettingsLayers) -> Vec<String> {
    layers
        .values_below("patrol")
        .into_iter()
        .filter_map(|StoredSetting { path, name, .. }| {
            let switched = name.strip_prefix(SWITCH)?;
            let nearest = RULES
                .iter()
                .min_by_key(|rule| strsim::levenshtein(rule.name, switched))?;
            let unknown = SettingsError::UnknownKey {
                place: SettingPlace::in_file(path),
                near: format!("{SWITCH}{}", nearest.name),
                key: name.clone(),
            };
            (nearest.name != switched).then(|| unknown.to_string())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::config::key;

    #[test]
    fn rule_names_are_unique_and_every_patrol_threshold_belongs_to_a_rule() {
        let mut names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), RULES.len());
        let used: std::collections::BTreeSet<&str> = RULES
            .iter()
            .flat_map(|rule| rule.thresholds)
            .copied()
            .collect();
        let keys = key::all_keys()
            .iter()
            .map(|key| key.name)
            .filter(|name| name.starts_with("patrol.") && !name.contains('*'));
        assert_eq!(used, keys.collect());
    }

    #[test]
    fn each_report_of_the_protocol_names_a_rule() {
        for (report, name) in crate::flow::agent::recipient::PROTOCOL {
            let exists = RULES.iter().any(|rule| rule.name == name);
            assert!(exists, "{report}: {name}");
        }
    }
}
