//! Describes an unknown command, flag or argument.

use std::ffi::OsString;

use clap::error::ErrorKind;
use kit::cli::offer;
use kit::cli::unknown::{self, Vocabulary};
use kit::failure::Failure;
use kit::ui::escape;

use bd::bead::Kind;
use gt::host::LiveTown;
use gt::record::polecat::Polecat;
use gt::record::town_view::TownView;
use gt::record::{convoy, escalation};

use super::answer::USAGE;
use super::operand::NamedThing;
use super::{Standing, find_command};

/// Describes the unknown word of a line. Returns `None` for all other errors.
pub(in super::super) fn describe_unknown(
    error: &clap::Error,
    words: &[OsString],
    program: &clap::Command,
    town: Option<&LiveTown>,
) -> Option<Failure> {
    // The program may have been called by its path.
    let words: Vec<String> = std::iter::once("gt".to_owned())
        .chain(
            words
                .iter()
                .skip(1)
                .map(|word| word.to_string_lossy().into_owned()),
        )
        .collect();
    let vocabulary = Vocabulary {
        suggest: &|word| suggest_for_name(town, word),
        list_things: &|kind| list_things(town, kind),
    };
    let found = match describe_missing_value(error, &words) {
        Some(found) => found,
        None => unknown::describe_unknown(error, &words, program, &vocabulary)?,
    };
    let setting = suggest_for_setting(&words)
        .or_else(|| suggest_for_town(&words))
        .or_else(|| suggest_for_mail(&words, town));
    Some(Failure {
        message: found.message,
        hint: Some(setting.map_or(found.hint, |command| format!("try: {command}"))),
        code: "usage",
        exit: USAGE,
        similar: Vec::new(),
    })
}

/// Returns the commands for a word that names a bead, a rig or a worker.
fn suggest_for_name(town: Option<&LiveTown>, word: &str) -> Vec<String> {
    match NamedThing::find(town.map(|town| &**town), word) {
        Some(NamedThing::Bead { id, .. }) => vec![format!("gt why {id}")],
        Some(NamedThing::Rig(rig)) => vec![format!("gt rig status {rig}")],
        Some(NamedThing::Agent(agent)) => {
            vec![format!("gt why {agent}"), format!("gt peek {agent}")]
        }
        // `gt help WORD` asks for a word of another tool.
        None => match find_command(&[word]).map(|command| command.standing) {
            Some(Standing::Runs(line) | Standing::Renamed { command: line, .. }) => {
                vec![line.to_owned()]
            }
            _ => Vec::new(),
        },
    }
}

/// The number of things that a line without its argument offers.
const MAX_OFFERED: usize = 5;

/// The commands that only read. With one thing that the missing argument may name, they show it.
const READING: [&str; 7] = [
    "convoy show",
    "crew status",
    "mq status",
    "peek",
    "polecat status",
    "rig status",
    "why",
];

/// Returns the line with its missing argument, if it only reads and only one thing can be meant.
pub(in super::super) fn complete_reading_line(
    error: &clap::Error,
    words: &[OsString],
    program: &clap::Command,
    town: Option<&LiveTown>,
) -> Option<Vec<OsString>> {
    if error.kind() != ErrorKind::MissingRequiredArgument {
        return None;
    }
    let texts: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    if !READING.contains(&&*unknown::find_command_path(program, &texts)) {
        return None;
    }
    let kind = unknown::find_missing_argument(error)?;
    match &list_things(town, &kind)[..] {
        [only] => Some([words, &[OsString::from(only)]].concat()),
        _ => None,
    }
}

/// Returns the things of the town that an argument may name, given the name of its value.
fn list_things(town: Option<&LiveTown>, kind: &str) -> Vec<String> {
    let read = |town: &LiveTown| -> anyhow::Result<Vec<String>> {
        let view = TownView::read(town)?;
        let workers = || {
            view.polecats
                .iter()
                .flat_map(|(rig, all)| all.iter().map(move |worker| (rig, worker)))
        };
        let name = |(rig, worker): (&String, &Polecat)| format!("{rig}/{}", worker.name);
        let is_busy = |(_, worker): &(&String, &Polecat)| worker.hook.is_some();
        let open_beads = || {
            view.stores
                .rigs
                .values()
                .flat_map(bd::store::Snapshot::bead_refs)
                .filter(|bead| {
                    bead.is_open()
                        && !bead.is_internal()
                        && !bead.is_ephemeral()
                        && !bead.is_blocked()
                })
        };
        Ok(match kind {
            "AGENT" | "POLECAT" | "WORKER" => {
                let busy: Vec<String> = workers().filter(is_busy).map(name).collect();
                if busy.is_empty() {
                    workers().map(name).collect()
                } else {
                    busy
                }
            }
            "WHAT" => {
                let hooked = workers().filter_map(|(_, worker)| worker.hook.clone());
                hooked.chain(workers().map(name)).collect()
            }
            "REQUEST" => {
                let rigs = view
                    .stores
                    .rigs
                    .values()
                    .flat_map(bd::store::Snapshot::bead_refs);
                rigs.filter(|bead| bead.is_open() && bead.kind() == Kind::MergeRequest)
                    .map(|bead| bead.id().to_owned())
                    .collect()
            }
            "CONVOY" => {
                let open = convoy::list_convoys(&view.stores.town, false);
                open.iter().map(|convoy| convoy.id.clone()).collect()
            }
            "RIG" => town.read_registry()?.rigs.into_keys().collect(),
            "ESCALATION" => {
                let open = escalation::list_escalations(&view.stores.town, false);
                open.into_iter().map(|escalation| escalation.id).collect()
            }
            "BEAD" | "BEADS" | "WORK" => open_beads()
                .filter(|bead| bead.assignee().is_empty())
                .map(|bead| bead.id().to_owned())
                .collect(),
            _ => Vec::new(),
        })
    };
    // Without a readable town, the usage line is the hint.
    let mut things = town.and_then(|town| read(town).ok()).unwrap_or_default();
    things.truncate(MAX_OFFERED);
    things
}

/// Returns the line for `gt mail send TO SUBJECT TEXT` and `gt mail TO SUBJECT TEXT`.
fn suggest_for_mail(words: &[String], town: Option<&LiveTown>) -> Option<String> {
    let is_agent = |word: &String| {
        let thing = NamedThing::find(town.map(|town| &**town), word);
        matches!(thing, Some(NamedThing::Agent(_)))
    };
    let (mail, send, to, subject, text) = match words {
        [_, mail, to, subject, text @ ..] if is_agent(to) => (mail, "send", to, subject, text),
        [_, mail, send, to, subject, text @ ..] => (mail, send.as_str(), to, subject, text),
        _ => return None,
    };
    let is_plain = [to, subject].iter().all(|word| !word.starts_with('-'));
    (mail == "mail" && send == "send" && is_plain).then(|| {
        let mut line = ["gt", "mail", "send", to, "-s", subject]
            .map(str::to_owned)
            .to_vec();
        if let [text, ..] = text
            && !text.starts_with('-')
        {
            line.extend(["-m".to_owned(), text.clone()]);
        }
        offer::write_line(&line)
    })
}

/// Describes `gt config set KEY=VALUE`, in which the value is missing.
fn describe_missing_value(error: &clap::Error, words: &[String]) -> Option<unknown::UnknownWord> {
    let pair = suggest_for_pair(words.get(3)?)?;
    let is_set = words[1] == "config" && words[2] == "set";
    (is_set && error.kind() == ErrorKind::MissingRequiredArgument).then(|| unknown::UnknownWord {
        message: "a setting and its value are two words".to_owned(),
        hint: format!("try: {pair}"),
    })
}

/// Returns the command for `KEY=VALUE`.
fn suggest_for_pair(pair: &str) -> Option<String> {
    let (key, value) = pair.split_once('=')?;
    gt::town::config::key::find_key(key)?;
    let value = kit::ui::escape::quote_for_shell(value);
    Some(format!("gt config set {key} {value}"))
}

/// Returns the line for a flag before the command that other programs name a folder with.
fn suggest_for_town(words: &[String]) -> Option<String> {
    let [_, flag, folder, rest @ ..] = words else {
        return None;
    };
    let is_folder = ["-C", "--town", "--root", "--directory", "--cwd"].contains(&flag.as_str());
    is_folder.then(|| {
        let folder = kit::ui::escape::quote_for_shell(folder);
        format!("GT_TOWN_ROOT={folder} gt {}", rest.join(" "))
    })
}

/// Returns the command for `gt config KEY`, `gt config KEY VALUE` and `gt config KEY=VALUE`.
fn suggest_for_setting(words: &[String]) -> Option<String> {
    let [_, config, key, value @ ..] = words else {
        return None;
    };
    if config == "config" && value.is_empty() && key.contains('=') {
        return suggest_for_pair(key);
    }
    let is_setting = config == "config" && gt::town::config::key::find_key(key).is_some();
    is_setting.then(|| match value {
        [] => format!("gt config get {key}"),
        value => {
            let value = escape::quote_for_shell(&value.join(" "));
            format!("gt config set {key} {value}")
        }
    })
}
