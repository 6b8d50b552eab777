//! Gives a plugin to a dog, and records the run when the dog is done.
//!
//! 1. Reserve a dog. Its work is `plugin:NAME`.
//! 2. A plugin with a program runs in the name of the dog, which rests afterwards.
//! 3. Otherwise mail the instructions to the dog, and start its session. `gt dog done` records the
//!    run. If a step fails, the dog rests again.

use std::fmt::Write;

use jiff::Timestamp;
use serde::Serialize;

use crate::flow::agent::post::{self, OutgoingMail};
use crate::flow::townwide::plugin::{self, BegunRun, PluginRunReport, RunOutcome};
use crate::host::LiveTown;
use crate::record::dog::{self, Dog};
use crate::record::mail::{self, MailRemoval};
use crate::record::plugin::run::PluginResult;
use crate::record::plugin::{DOG_WORK, ExecutionKind, Plugin};
use crate::town::hold;
use crate::town::{Town, TownLayout};

/// The outcome of a dog's work.
#[derive(Debug, Clone)]
pub struct DogOutcome {
    pub result: PluginResult,
    /// The outcome in a few words.
    pub note: String,
}

impl Default for DogOutcome {
    fn default() -> Self {
        Self {
            result: PluginResult::Success,
            note: String::new(),
        }
    }
}

/// The choice of the dog.
#[derive(Debug, Clone, Default)]
pub struct DogChoice {
    /// The dog. If `None`, an idle one.
    pub name: Option<String>,
    /// Add a dog if none is idle.
    pub create: bool,
}

/// A plugin that a dog has.
#[derive(Debug, Clone, Serialize)]
pub struct DispatchReport {
    pub plugin: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin_rig: Option<String>,
    pub plugin_path: String,
    pub dog: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dog_created: bool,
    pub work: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The run of a plugin with a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<PluginRunReport>,
}

/// Returns the work of a dog that has a plugin.
pub fn work_of_plugin(plugin: &Plugin) -> String {
    format!("{DOG_WORK}{}", plugin.key())
}

/// Returns true if a dog has the plugin.
pub fn is_at_work(dogs: &[Dog], plugin: &Plugin) -> bool {
    let work = work_of_plugin(plugin);
    dogs.iter().any(|dog| dog.work == work)
}

/// Returns true if a dog is idle or can be added.
pub fn has_room(town: &Town) -> anyhow::Result<bool> {
    let dogs = super::list_dogs(town)?;
    let is_idle = dogs.iter().any(|dog| dog.state == dog::DogState::Idle);
    Ok(is_idle || dogs.len() < super::health::POOL)
}

/// Returns the dog that would get a plugin, without reserving it.
pub fn preview_dispatch(
    town: &Town,
    plugin: &Plugin,
    choice: &DogChoice,
) -> anyhow::Result<DispatchReport> {
    let dogs = super::list_dogs(town)?;
    let found = dogs.iter().find(|dog| match &choice.name {
        Some(name) => dog.name == *name,
        None => dog.state == dog::DogState::Idle,
    });
    let name = match (found, &choice.name) {
        (Some(dog), _) => {
            let is_idle = dog.state == dog::DogState::Idle;
            anyhow::ensure!(is_idle, "dog {} is at work on {}", dog.name, dog.work);
            dog.name.clone()
        }
        (None, name) if choice.create => {
            name.clone().unwrap_or_else(|| dog::first_free_name(&dogs))
        }
        (None, Some(name)) => dog::find_dog(&town.layout, name)?.name,
        (None, None) => anyhow::bail!("no dog is idle (`gt dog add` adds one, or say --create)"),
    };
    let mut report = build_report(plugin, &name, found.is_none());
    report.dry_run = true;
    Ok(report)
}

/// Gives a plugin to a dog. A dog that cannot be started is a failed run.
pub fn dispatch_plugin(
    town: &LiveTown,
    plugin: &Plugin,
    begun: BegunRun,
    choice: &DogChoice,
) -> anyhow::Result<DispatchReport> {
    let work = work_of_plugin(plugin);
    if plugin.execution_kind() == ExecutionKind::Agent
        && let Err(held) = hold::check_free(town, plugin.rig.as_deref())
    {
        begun.cancel(town, plugin)?;
        return Err(held.into());
    }
    let dogs = super::list_dogs(town)?;
    if let Some(dog) = dogs.iter().find(|dog| dog.work == work) {
        begun.cancel(town, plugin)?;
        anyhow::bail!("dog {} is at work on {work} already", dog.name);
    }
    let reserved = super::reserve_dog(town, choice.name.as_deref(), choice.create, &work);
    let (dog, is_new) = match reserved {
        Ok(reserved) => reserved,
        Err(error) => {
            begun.cancel(town, plugin)?;
            return Err(error);
        }
    };
    let mut report = build_report(plugin, &dog.name, is_new);
    let done = match plugin.execution_kind() {
        ExecutionKind::Script => {
            plugin::run_script(town, plugin, &begun).map(|run| report.run = Some(run))
        }
        ExecutionKind::Agent => start_agent(town, plugin, &dog.name),
    };
    if done.is_err() || report.run.is_some() {
        let now = town.clock.now();
        dog::change_dog(town, &dog.name, |dog| {
            // It may have other work by now.
            if dog.work == work {
                dog.rest(now);
            }
            Ok(())
        })?;
    } else {
        plugin::settle_run(town, plugin)?;
    }
    if let Err(error) = &done
        && plugin.execution_kind() == ExecutionKind::Agent
    {
        let failed = RunOutcome {
            result: PluginResult::Failure,
            end: format!("{error:#}"),
            seconds: 0.0,
            tail: String::new(),
            log: None,
        };
        plugin::finish_run(town, plugin, &begun.trigger, &failed)?;
    }
    done.map(|()| report)
}

fn build_report(plugin: &Plugin, dog: &str, is_new: bool) -> DispatchReport {
    DispatchReport {
        plugin: plugin.name().to_owned(),
        plugin_rig: plugin.rig.clone(),
        plugin_path: plugin.folder.display().to_string(),
        dog: dog.to_owned(),
        dog_created: is_new,
        work: work_of_plugin(plugin),
        dry_run: false,
        run: None,
    }
}

/// Mails the instructions to a dog and starts its session. A dog without a session keeps no mail.
fn start_agent(town: &LiveTown, plugin: &Plugin, dog: &str) -> anyhow::Result<()> {
    let posted = post::post_mail(
        town,
        &OutgoingMail {
            to: format!("deacon/dogs/{dog}"),
            subject: subject_of_orders(&plugin.key()),
            body: render_instructions(&town.layout, plugin),
            priority: 2,
            kind: "task".to_owned(),
            ..OutgoingMail::default()
        },
    )?;
    let started = super::start_dog_session(town, dog, None);
    if started.is_err() {
        let ids = &posted.copies;
        // The failure of the start is reported. A message that stays asks for the same.
        mail::remove_handled_messages(town, ids, MailRemoval::Archived).ok();
    }
    started.map(drop)
}

/// Archives the instructions that a dog got for a plugin.
fn archive_orders(town: &Town, dog: &str, key: &str) -> anyhow::Result<()> {
    let beads = town.open_town_store()?.snapshot()?;
    let orders: Vec<String> = mail::list_inbox(&beads, &format!("deacon/dogs/{dog}"))
        .into_iter()
        .filter(|message| message.subject == subject_of_orders(key))
        .map(|message| message.id)
        .collect();
    if orders.is_empty() {
        return Ok(());
    }
    mail::remove_handled_messages(town, &orders, MailRemoval::Archived)
}

fn subject_of_orders(key: &str) -> String {
    format!("Plugin: {key}")
}

/// Renders the task of a dog.
pub fn render_instructions(layout: &TownLayout, plugin: &Plugin) -> String {
    let mut text = format!("Plugin: {}\n", plugin.key());
    // Writing to a string cannot fail.
    if let Some(rig) = &plugin.rig {
        writeln!(text, "Rig: {rig}").ok();
    }
    let folder = plugin.folder.strip_prefix(layout.root());
    let folder = folder.unwrap_or(&plugin.folder).display();
    writeln!(text, "Folder: {folder}").ok();
    let limit = jiff::SignedDuration::try_from(plugin.timeout());
    let limit = limit.unwrap_or(jiff::SignedDuration::MAX);
    writeln!(text, "Time limit: {limit:#}\n").ok();
    match plugin.execution_kind() {
        ExecutionKind::Agent => text.push_str(plugin.file.instructions.trim_end()),
        ExecutionKind::Script => {
            write!(
                text,
                "Run {} and read its output.",
                plugin.script().display()
            )
            .ok();
        }
    }
    text.push_str(
        "\n\nWhen you are done, run\n\n  gt dog done --result success --note \"what you did\"\n\n\
         The result is success, failure or skipped.\n",
    );
    text
}

/// Records the run of the plugin that was a dog's work, and archives its instructions. Does nothing for other work, and for a
/// plugin that is gone.
pub(super) fn record_outcome(
    town: &LiveTown,
    dog: &str,
    work: &str,
    began: Option<Timestamp>,
    outcome: &DogOutcome,
) -> anyhow::Result<()> {
    let Some(key) = work.strip_prefix(DOG_WORK) else {
        return Ok(());
    };
    archive_orders(town, dog, key)?;
    let shelf = plugin::load_plugins(town)?;
    let Some(plugin) = shelf.plugins.iter().find(|plugin| plugin.key() == key) else {
        return Ok(());
    };
    let now = town.clock.now();
    let seconds = began.map_or(0.0, |began| now.duration_since(began).as_secs_f64().round());
    let end = match outcome.note.trim() {
        "" => format!("the dog reports {}", outcome.result.word()),
        note => note.to_owned(),
    };
    let outcome = RunOutcome {
        result: outcome.result,
        end,
        seconds,
        tail: String::new(),
        log: None,
    };
    plugin::finish_run(town, plugin, "dog", &outcome)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::flow::townwide::plugin::{begin_by_hand, find_plugin};
    use crate::record::mail::list_inbox;
    use crate::record::plugin::run::list_runs;
    use crate::testing::TestTown;
    use crate::town::config::{self, SettingsLayer};

    fn put(place: &TestTown) -> Plugin {
        let stay = json!({ "command": "sleep", "args": ["600"], "prompt_mode": "none" });
        config::change_agent(&place.town, "stay", Some(stay)).unwrap();
        let set = SettingsLayer::Settings;
        config::change_setting(&place.town, None, set, "role_agents.dog", Some("stay")).unwrap();
        let folder = place.town.layout.plugins().join("tidy");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(
            folder.join("plugin.md"),
            "+++\nname = \"tidy\"\n+++\nTidy up.\n",
        )
        .unwrap();
        find_plugin(&place.town, "tidy", None).unwrap()
    }

    #[test]
    fn a_dog_gets_the_instructions_and_its_result_is_recorded() {
        let place = TestTown::new();
        let (town, plugin) = (&place.town, put(&place));
        let create = DogChoice {
            create: true,
            ..DogChoice::default()
        };
        let preview = preview_dispatch(town, &plugin, &create).unwrap();
        assert!(
            preview.dog_created
                && preview.dry_run
                && super::super::list_dogs(town).unwrap().is_empty()
        );
        let begun = begin_by_hand(town, &plugin).unwrap();
        let report = dispatch_plugin(town, &plugin, begun, &create).unwrap();
        assert_eq!(
            (report.dog.as_str(), report.work.as_str()),
            ("alpha", "plugin:tidy")
        );
        let beads = town.open_town_store().unwrap().snapshot().unwrap();
        let inbox = list_inbox(&beads, "deacon/dogs/alpha");
        assert_eq!(inbox[0].subject, "Plugin: tidy");
        assert!(inbox[0].body.contains("Tidy up.") && inbox[0].body.contains("gt dog done"));
        let dogs = super::super::list_dogs(town).unwrap();
        assert!(is_at_work(&dogs, &plugin));
        let outcome = DogOutcome {
            result: PluginResult::Skipped,
            note: "nothing to tidy".to_owned(),
        };
        super::super::finish_work(town, "alpha", &outcome).unwrap();
        let beads = town.open_town_store().unwrap().snapshot().unwrap();
        let runs = list_runs(&beads, &plugin, 10);
        assert_eq!(runs.len(), 1);
        assert_eq!(runs[0].result, Some(PluginResult::Skipped));
        assert!(runs[0].text.contains("nothing to tidy"), "{}", runs[0].text);
        assert!(list_inbox(&beads, "deacon/dogs/alpha").is_empty());
    }

    #[test]
    fn a_dog_whose_session_cannot_be_started_rests_without_mail() {
        let place = TestTown::new();
        let (town, plugin) = (&place.town, put(&place));
        super::super::add_dog(town, None).unwrap();
        place.host.state().refuse_start = Some("no".to_owned());
        let begun = begin_by_hand(town, &plugin).unwrap();
        let refused = dispatch_plugin(town, &plugin, begun, &DogChoice::default());
        assert!(refused.is_err());
        assert_eq!(super::super::list_dogs(town).unwrap()[0].work, "");
        let beads = town.open_town_store().unwrap().snapshot().unwrap();
        assert!(list_inbox(&beads, "deacon/dogs/alpha").is_empty());
        let runs = list_runs(&beads, &plugin, 10);
        assert_eq!(runs[0].result, Some(PluginResult::Failure));
    }
}
