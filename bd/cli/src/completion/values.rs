//! Lists the values for each argument: ids, labels and the project's words, read from the store
//! that the typed line refers to.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::sync::Arc;

use clap::{Command, FromArgMatches};

use crate::{GlobalArgs, resolve_env};
use bd::bead::validate::Vocabulary;
use bd::bead::{DepKind, Status, kind};
use bd::config::key::KEYS;
use bd::formula::FormulaSearchPath;
use bd::hooks::tools::TOOLS;
use bd::store::{Routes, Snapshot, Store, StoreReports, find};
use kit::sys::Env;

use bd::query::completion::{is_work, list_bead_values};
use kit::cli::completion::{CompletionValue, ValueLister, attach_completers, without_descriptions};

/// The environment of the completed command line; `None` if its folder does not exist.
type CompletionEnv = Option<Env>;

/// Returns the command line of `bd` with completers that read the store of the typed line.
pub(crate) fn offer_values(command: Command, env: &Env, args: &[OsString]) -> Command {
    let typed = args.iter().skip_while(|arg| *arg != "--").skip(1);
    let matches = command
        .clone()
        .ignore_errors(true)
        .try_get_matches_from(typed)
        .ok();
    let global = matches.and_then(|matches| GlobalArgs::from_arg_matches(&matches).ok());
    let place = global.and_then(|global| resolve_env(env.clone(), &global).ok());
    attach_completers(command, "", &Arc::new(place), find_lister)
}

/// Returns the lister for an argument of a command.
fn find_lister(path: &str, argument: &str) -> Option<ValueLister<CompletionEnv>> {
    Some(match (path, argument) {
        ("create", "id") | ("activity" | "formula list" | "formula new", "kind") => return None,
        ("gate create" | "gate check", "kind") => return None,
        ("ready", "mol") | ("duplicate", "of") | ("supersede", "with") | (_, "epic") => list_ids,
        ("assign", "name") => list_assignees,
        ("setup", "agent") => {
            |_| without_descriptions(TOOLS.iter().map(|tool| tool.name.to_owned()))
        }
        ("move", "to") | ("refile" | "list", "rig") => list_rigs,
        (_, "formula" | "formulas") => list_formulas,
        (_, "id" | "ids" | "more" | "parent" | "deps" | "waits_for" | "from" | "to") => list_ids,
        ("create", "from_template") => list_ids,
        (_, "one" | "other" | "blocker" | "blocks" | "blocked_by" | "depends_on") => list_ids,
        (_, "ids_and_label") => |place| [list_ids(place), list_labels(place)].concat(),
        (_, "label" | "labels" | "label_any" | "exclude_label") => list_labels,
        (_, "add_label" | "remove_label" | "set_labels") => list_labels,
        (_, "status") => list_status_values,
        ("dep add" | "dep list" | "dep tree", "kind") => |_| {
            let all = (0..).map_while(DepKind::from_code);
            without_descriptions(all.map(|kind| kind.as_str().to_owned()))
        },
        (_, "kind" | "exclude_type") => list_kind_values,
        (_, "priority" | "priority_min" | "priority_max") => {
            |_| without_descriptions((0..=4).map(|priority| priority.to_string()))
        }
        (_, "assignee" | "author" | "actor" | "agent" | "holder" | "coordinator") => list_assignees,
        (_, "key") => |_| {
            KEYS.iter()
                .map(|key| (key.name.into(), key.meaning.into()))
                .collect()
        },
        _ => return None,
    })
}

fn list_ids(place: &CompletionEnv) -> Vec<CompletionValue> {
    load_snapshot(place).map_or_else(Vec::new, |found| list_bead_values(&found, is_work))
}

fn list_formulas(place: &CompletionEnv) -> Vec<CompletionValue> {
    without_descriptions(place.as_ref().into_iter().flat_map(|env| {
        let beads = find::find_beads_folder(env).ok();
        FormulaSearchPath::new(env, beads.as_deref(), &[]).names()
    }))
}

fn list_labels(place: &CompletionEnv) -> Vec<CompletionValue> {
    let found = load_snapshot(place);
    let all: BTreeSet<&str> = found
        .iter()
        .flat_map(Snapshot::bead_refs)
        .flat_map(|bead| bead.labels())
        .collect();
    without_descriptions(all.into_iter().map(str::to_owned))
}

fn list_rigs(place: &CompletionEnv) -> Vec<CompletionValue> {
    let routes = place.as_ref().and_then(|env| {
        let dir = find::find_beads_folder(env).ok()?;
        Some(Routes::for_working_dir(&dir, env))
    });
    without_descriptions(
        routes
            .iter()
            .flat_map(Routes::all)
            .map(|route| route.rig().to_owned()),
    )
}

fn list_assignees(place: &CompletionEnv) -> Vec<CompletionValue> {
    let found = load_snapshot(place);
    let assignees: BTreeSet<&str> = found
        .iter()
        .flat_map(Snapshot::bead_refs)
        .map(|bead| bead.assignee())
        .collect();
    without_descriptions(
        assignees
            .into_iter()
            .filter(|name| !name.is_empty())
            .map(str::to_owned),
    )
}

fn list_status_values(place: &CompletionEnv) -> Vec<CompletionValue> {
    without_descriptions(
        (0..)
            .map_while(Status::from_code)
            .filter(|status| *status != Status::Tombstone)
            .map(|status| status.as_str().to_owned())
            .chain(load_vocabulary(place).statuses),
    )
}

fn list_kind_values(place: &CompletionEnv) -> Vec<CompletionValue> {
    without_descriptions(
        kind::CORE
            .iter()
            .map(|kind| kind.as_str().to_owned())
            .chain(load_vocabulary(place).kinds),
    )
}

fn load_vocabulary(place: &CompletionEnv) -> Vocabulary {
    let found = load_snapshot(place);
    found.map_or_else(Vocabulary::default, |found| found.config().vocabulary())
}

/// Loads the beads; `None` if there is no store or it cannot be read.
fn load_snapshot(place: &CompletionEnv) -> Option<Snapshot> {
    let dir = find::find_beads_folder(place.as_ref()?).ok()?;
    let store = Store::open(&dir)
        .ok()?
        .reporting_to(&StoreReports::unread());
    store.snapshot().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of values that a store has.
    const COMPLETED: [&str; 9] = [
        "ID", "IDS", "OTHER", "ON", "BLOCKER", "LABELS", "STATUS", "KIND", "NAME",
    ];

    fn without_values(command: &Command, path: &str) -> Vec<String> {
        let args = command.get_arguments().filter(|arg| !arg.is_hide_set());
        let named = args.filter(|arg| {
            let names = arg.get_value_names().unwrap_or_default();
            arg.get_action().takes_values()
                && names.iter().any(|name| COMPLETED.contains(&name.as_str()))
        });
        let missing = named.filter(|arg| find_lister(path, arg.get_id().as_str()).is_none());
        let missing = missing.map(|arg| format!("{path} {}", arg.get_id()));
        let below = command.get_subcommands().flat_map(|sub| {
            let path = format!("{path} {}", sub.get_name());
            without_values(sub, path.trim_start())
        });
        missing.chain(below).collect()
    }

    #[test]
    fn every_argument_that_names_store_data_is_completed() {
        let new = [
            "create id",
            "update session",
            "close session",
            "formula new name",
            "mol bond reference",
            "mol distill name",
            "gate create await_id",
        ];
        assert_eq!(without_values(&crate::build_command_line(), ""), new);
    }
}
