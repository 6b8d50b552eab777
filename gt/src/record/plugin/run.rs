//! Records the runs of plugins: internal beads of the town, closed from the start, that never leave
//! this machine. Only the last ones are kept.

use bd::bead::{Bead, validate::fit_to_title};
use bd::change::{self, NewBead};
use bd::store::{BeadMark, BeadRef, Snapshot, TimeField, Tx};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::Plugin;
use crate::town::Town;

/// The label of all runs.
const RUN_LABEL: &str = "type:plugin-run";

/// The number of runs of a plugin that are always kept.
const MIN_KEPT_RUNS: usize = 50;

/// The age up to which further runs are kept, and the number of runs that is never exceeded.
const MAX_RUN_AGE: SignedDuration = SignedDuration::from_hours(48);
const MAX_KEPT_RUNS: usize = 500;

/// The result of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum PluginResult {
    Success,
    Failure,
    /// The plugin had nothing to do, or was stopped.
    Skipped,
}

impl PluginResult {
    const ALL: [Self; 3] = [Self::Success, Self::Failure, Self::Skipped];

    pub fn word(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Skipped => "skipped",
        }
    }
}

/// A run to record.
#[derive(Debug, Clone)]
pub struct NewPluginRun {
    pub result: PluginResult,
    /// The lines before the log: what started the run, how long it took, how it ended.
    pub summary: Vec<String>,
    /// The end of the log.
    pub tail: String,
}

/// A recorded run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PluginRun {
    pub id: String,
    pub title: String,
    pub created_at: String,
    pub labels: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<PluginResult>,
    #[serde(skip)]
    pub text: String,
}

/// Records a run, and removes the plugin's old ones. Returns the record's id.
pub fn record_run(town: &Town, plugin: &Plugin, run: &NewPluginRun) -> anyhow::Result<String> {
    let store = town.open_town_store()?;
    let mut labels = vec![
        RUN_LABEL.to_owned(),
        name_label(plugin),
        format!("result:{}", run.result.word()),
    ];
    labels.extend(plugin.rig.iter().map(|rig| format!("rig:{rig}")));
    // Labels with a meaning of their own would make the record one of another plugin.
    labels.extend(
        plugin
            .file
            .tracking
            .labels
            .iter()
            .filter(|label| {
                let own = ["plugin:", "result:", "rig:", "type:plugin"];
                !label.trim().is_empty() && !own.iter().any(|start| label.starts_with(start))
            })
            .cloned(),
    );
    labels.sort();
    labels.dedup();
    let mut text = run.summary.join("\n");
    if !run.tail.is_empty() {
        text.push_str("\n\n");
        text.push_str(&run.tail);
    }
    town.transact(&store, |tx| {
        remove_old_runs(tx, plugin)?;
        let bead = change::create_bead(
            tx,
            NewBead {
                title: fit_to_title(&format!("Plugin run: {}", plugin.name())),
                description: text,
                labels,
                prefix: Some("hq-wisp".to_owned()),
                ephemeral: true,
                ..NewBead::default()
            },
        )?;
        change::close_bead(tx, &bead.id, run.result.word(), "", true)?;
        Ok(bead.id)
    })
}

fn name_label(plugin: &Plugin) -> String {
    format!("plugin:{}", plugin.name())
}

/// Removes the runs of a plugin that are beyond the number to keep and old, or beyond the maximum.
fn remove_old_runs(tx: &mut Tx, plugin: &Plugin) -> anyhow::Result<()> {
    let now = tx.now().instant();
    let mut runs: Vec<(Timestamp, String)> = refs_of(tx, plugin)
        .map(|run| {
            let at = run
                .time(TimeField::Created)
                .unwrap_or(Timestamp::UNIX_EPOCH);
            (at, run.id().to_owned())
        })
        .collect();
    runs.sort();
    runs.reverse();
    for (number, (at, id)) in runs.iter().enumerate() {
        let is_old = now.duration_since(*at) > MAX_RUN_AGE;
        // The new run is added to them.
        if number + 1 >= MAX_KEPT_RUNS || (number + 1 >= MIN_KEPT_RUNS && is_old) {
            change::delete_bead(tx, id, "an old run", true)?;
        }
    }
    Ok(())
}

/// Returns the records of a plugin in the town's store.
fn refs_of<'a>(town: &'a Snapshot, plugin: &Plugin) -> impl Iterator<Item = BeadRef<'a>> {
    let rig = plugin.rig.as_ref().map(|rig| format!("rig:{rig}"));
    let name = name_label(plugin);
    let marks = [BeadMark::Label(&name)];
    let runs: Vec<BeadRef<'a>> = town.marked(&marks).collect();
    runs.into_iter().filter(move |run| {
        let labels = run.labels();
        let is_its = match &rig {
            Some(rig) => labels.contains(&rig.as_str()),
            None => !labels.iter().any(|label| label.starts_with("rig:")),
        };
        is_its && labels.contains(&RUN_LABEL)
    })
}

/// Returns the time of the last recorded run.
pub fn find_last_run(town: &Snapshot, plugin: &Plugin) -> Option<Timestamp> {
    list_run_times(town, plugin).max()
}

/// Returns the times of the recorded runs.
pub fn list_run_times(town: &Snapshot, plugin: &Plugin) -> impl Iterator<Item = Timestamp> {
    refs_of(town, plugin).filter_map(|run| run.time(TimeField::Created))
}

/// Returns the recorded runs of a plugin, the newest first.
pub fn list_runs(town: &Snapshot, plugin: &Plugin, limit: usize) -> Vec<PluginRun> {
    let mut beads: Vec<&Bead> = refs_of(town, plugin).filter_map(|run| run.bead()).collect();
    beads.sort_by_key(|bead| std::cmp::Reverse((bead.created_at.instant(), bead.id.clone())));
    beads
        .into_iter()
        .take(limit)
        .map(PluginRun::of_bead)
        .collect()
}

impl PluginRun {
    /// Returns how the run ended, in a few words.
    pub fn end(&self) -> &str {
        self.text
            .lines()
            .find_map(|line| line.strip_prefix("end: "))
            .unwrap_or("")
    }

    fn of_bead(bead: &Bead) -> Self {
        let result = PluginResult::ALL
            .into_iter()
            .find(|result| bead.has_label(&format!("result:{}", result.word())));
        Self {
            id: bead.id.clone(),
            title: bead.title.clone(),
            created_at: bead.created_at.to_string(),
            labels: bead.labels.clone(),
            result,
            text: bead.description.clone(),
        }
    }
}
