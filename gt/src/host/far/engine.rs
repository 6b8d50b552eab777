//! An engine makes a place for each worker: a container, a job, a pod.
//!
//! An engine is a file of commands, which the town has for each host and the user can change. Only
//! the engine says that a place is gone. Silence, and the exit code of a pipe, say nothing: `srun` and
//! `kubectl exec` end with 0 when a node is lost.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use jiff::SignedDuration;
use kit::sys::{ChildCommand, ChildOutput, clock, file};
use serde::Deserialize;

use super::place::{host_of_place, load_place};
use super::settings::{HostSettings, HostTransport, is_host_name};
use crate::town::TownLayout;

/// The engines by name, as the town gets their files.
const ENGINES: [(&str, &str); 4] = [
    (
        "podman",
        include_str!("../../../templates/engine/podman.toml"),
    ),
    (
        "docker",
        include_str!("../../../templates/engine/docker.toml"),
    ),
    (
        "slurm",
        include_str!("../../../templates/engine/slurm.toml"),
    ),
    (
        "kubernetes",
        include_str!("../../../templates/engine/kubernetes.toml"),
    ),
];

/// The time limit of a command that asks about a place, or opens or removes it.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(60);

/// The pauses between questions about a place that is being made.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// The time after the limit of a command that makes a place, in which the engine may go on.
const MAKING_MARGIN: SignedDuration = SignedDuration::from_secs(60);

/// The maximum length of a reason that an engine names.
const MAX_REASON: usize = 200;

/// The file of an engine.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Engine {
    #[serde(rename = "engine")]
    name: String,
    make: Vec<String>,
    /// The standard input of `make`.
    #[serde(default)]
    template: String,
    /// Prints the id of a place, if the engine opens it by that.
    id: Option<Vec<String>>,
    /// Prints what tells the engine from another one that the same command may reach.
    identity: Option<Vec<String>>,
    open: Vec<String>,
    #[serde(default)]
    attach: Vec<String>,
    state: Vec<String>,
    /// The states of a place that can be opened.
    running: Vec<String>,
    /// The states of a place that has ended for good.
    gone: Vec<String>,
    /// A part of the message about a place that does not exist. Empty if the state is empty then.
    missing: String,
    remove: Vec<String>,
    /// The time in which a place can be opened, in seconds.
    wait: u32,
}

/// The state of a place, as its engine reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaceState {
    Running,
    /// The place can be opened later.
    Waiting(String),
    /// The place has ended for good.
    Gone(String),
    /// The engine does not know it.
    Missing,
    /// The engine does not answer.
    Unknown(String),
}

/// A place with the commands of its engine.
#[derive(Debug, Clone)]
pub struct EnginePlace {
    engine: Engine,
    /// The values of the words in braces.
    values: BTreeMap<String, String>,
    /// The identity of the engine that made the place.
    identity: Option<String>,
}

/// The file with the commands of the engine of a host.
fn engine_file(town: &TownLayout, host: &str) -> anyhow::Result<PathBuf> {
    anyhow::ensure!(is_host_name(host), "`{host}` is no valid name of a host");
    Ok(town.host_files().join(format!("{host}.toml")))
}

/// Removes the file of a host that was not added.
pub fn remove_engine_file(town: &TownLayout, host: &str) -> anyhow::Result<()> {
    Ok(file::remove_file(&engine_file(town, host)?)?)
}

/// Gives the user the file of a new host's engine, and returns true. An existing one stays, if it is of
/// the same engine.
pub fn write_engine_file(town: &TownLayout, host: &str, engine: &str) -> anyhow::Result<bool> {
    let path = engine_file(town, host)?;
    let known = ENGINES.iter().find(|(name, _)| *name == engine);
    let (_, text) = known.with_context(|| format!("there is no engine `{engine}`"))?;
    if file::read_file_if_exists(&path)?.is_none() {
        file::create_folder(&town.host_files(), 0o755)?;
        file::replace_file(&path, text.as_bytes(), 0o644)?;
        return Ok(true);
    }
    let existing = read_engine(town, host)?.name;
    anyhow::ensure!(
        existing == engine,
        "{} is a file of {existing}, from an earlier host: move it away, or choose another name",
        path.display()
    );
    Ok(false)
}

fn read_engine(town: &TownLayout, host: &str) -> anyhow::Result<Engine> {
    let path = engine_file(town, host)?;
    let bytes = file::read_file_if_exists(&path)?;
    let bytes = bytes.with_context(|| format!("{} is missing", path.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    let engine: Engine = toml::from_str(&text)
        .with_context(|| format!("{} is no file of an engine", path.display()))?;
    let commands = [&engine.make, &engine.open, &engine.state, &engine.remove];
    anyhow::ensure!(
        commands.iter().all(|words| !words.is_empty()),
        "{} has an empty command",
        path.display()
    );
    Ok(engine)
}

impl EnginePlace {
    /// Reads the place of a name with the commands of its host.
    pub fn load(town: &TownLayout, name: &str) -> anyhow::Result<Self> {
        let (settings, place) = load_place(town, name)?
            .with_context(|| format!("there is no place `{name}`; see `gt host list`"))?;
        let host = host_of_place(name).unwrap_or(name);
        let owner = HostSettings::load(town, host)?
            .with_context(|| format!("there is no host `{host}`; see `gt host list`"))?;
        let HostTransport::Engine(chosen) = owner.transport else {
            anyhow::bail!("host {host} makes no places");
        };
        let mut values = chosen.values;
        values.insert("place".to_owned(), place.object);
        let identity = place.identity;
        values.insert("program".to_owned(), settings.program);
        values.insert("town".to_owned(), settings.town);
        Ok(Self {
            engine: read_engine(town, host)?,
            identity,
            values,
        })
    }

    /// Describes the place in a few words.
    pub fn describe(&self) -> String {
        let name = self.values.get("place").map_or("", String::as_str);
        format!("{} {name}", self.engine.name)
    }

    /// Makes the place, and waits until it can be opened.
    pub fn make(&self) -> anyhow::Result<()> {
        let limit = Duration::from_secs(self.engine.wait.into());
        let command = self.command(&self.engine.make).limit(limit);
        let made = command.stdin(self.fill(&self.engine.template).trim_start());
        check_success(&made.run()?).with_context(|| format!("cannot make {}", self.describe()))?;
        let started = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            let waits_for = match self.ask_state() {
                PlaceState::Running => return Ok(()),
                PlaceState::Gone(reason) => {
                    anyhow::bail!("{} ended at once: {reason}", self.describe())
                }
                PlaceState::Missing => {
                    anyhow::bail!("{} is not there after it was made", self.describe())
                }
                PlaceState::Waiting(reason) | PlaceState::Unknown(reason) => reason,
            };
            anyhow::ensure!(
                started.elapsed() < limit,
                "{} is not ready after {}: {waits_for}",
                self.describe(),
                kit::ui::counted(self.engine.wait as usize, "second")
            );
            clock::pause_thread(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Returns the time that the making of the place can take.
    pub fn making_time(&self) -> SignedDuration {
        SignedDuration::from_secs(i64::from(self.engine.wait)) + MAKING_MARGIN
    }

    /// Asks for the identity of the engine. `None` if it has none.
    pub fn find_identity(&self) -> Option<String> {
        let asked = self.command(self.engine.identity.as_ref()?).run().ok()?;
        let identity = shorten(&asked.text());
        (asked.is_success() && !identity.is_empty()).then_some(identity)
    }

    /// Returns true if the commands reach the engine that made the place.
    fn is_same_engine(&self) -> bool {
        self.identity.is_none() || self.identity == self.find_identity()
    }

    /// Asks the engine about the place.
    pub fn ask_state(&self) -> PlaceState {
        let state = match self.command(&self.engine.state).run() {
            Ok(output) => self.parse_state(&output),
            Err(error) => PlaceState::Unknown(shorten(&error.to_string())),
        };
        let is_end = matches!(state, PlaceState::Missing | PlaceState::Gone(_));
        if is_end && !self.is_same_engine() {
            return PlaceState::Unknown("this is another engine".to_owned());
        }
        state
    }

    fn parse_state(&self, output: &ChildOutput) -> PlaceState {
        let Engine {
            running,
            gone,
            missing,
            ..
        } = &self.engine;
        if !output.is_success() {
            let error = output.error_text();
            let missing = self.fill(missing).to_ascii_lowercase();
            let is_missing = !missing.is_empty() && error.to_ascii_lowercase().contains(&missing);
            return if is_missing {
                PlaceState::Missing
            } else {
                PlaceState::Unknown(shorten(&error))
            };
        }
        let text = output.text();
        let line = text.lines().next().unwrap_or("").trim();
        let word = line.split([' ', ',']).next().unwrap_or("");
        let is_one_of = |words: &[String]| words.iter().any(|known| known == word);
        match word {
            "" if missing.is_empty() => PlaceState::Missing,
            "" => PlaceState::Unknown("it says nothing".to_owned()),
            _ if is_one_of(running) => PlaceState::Running,
            _ if is_one_of(gone) => PlaceState::Gone(shorten(line)),
            _ => PlaceState::Waiting(shorten(line)),
        }
    }

    /// Returns why the place is gone. `None` if it exists, or if the engine does not answer.
    pub fn find_end(&self) -> Option<String> {
        let engine = &self.engine.name;
        match self.ask_state() {
            PlaceState::Gone(reason) => Some(format!("its place is gone, {engine} says: {reason}")),
            PlaceState::Missing => Some(format!("its place is gone, {engine} does not know it")),
            _ => None,
        }
    }

    /// Removes the place. One that does not exist is no error.
    pub fn remove(&self) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.is_same_engine(),
            "cannot remove {}: another engine answers than the one that made it",
            self.describe()
        );
        let removed = self.command(&self.engine.remove).run();
        let removed = removed
            .map_err(anyhow::Error::from)
            .and_then(|output| check_success(&output));
        match removed {
            Err(_) if self.ask_state() == PlaceState::Missing => Ok(()),
            Err(error) => Err(error.context(format!("cannot remove {}", self.describe()))),
            Ok(()) => Ok(()),
        }
    }

    /// Returns the command whose standard input and output are the pipe to the place.
    pub(in crate::host) fn open_command(&self) -> anyhow::Result<Vec<String>> {
        Ok(self.find_id()?.fill_words(&self.engine.open))
    }

    /// Returns the command that shows a session of the place in the user's terminal. Empty if the
    /// engine has none.
    pub(super) fn attach_command(&self, session: &str) -> anyhow::Result<Vec<String>> {
        let mut place = self.find_id()?;
        let session = session.to_owned();
        place.values.insert("session".to_owned(), session);
        Ok(place.fill_words(&place.engine.attach))
    }

    /// Asks for the id of the place, if the engine opens it by that.
    fn find_id(&self) -> anyhow::Result<Self> {
        let mut place = self.clone();
        if let Some(words) = &self.engine.id {
            let printed = self.command(words).run()?;
            let id = printed.text();
            check_success(&printed)?;
            let id = id.lines().next().unwrap_or("").trim();
            let is_id = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            anyhow::ensure!(
                !id.is_empty() && !id.starts_with('-') && id.chars().all(is_id),
                "{} has no id",
                self.describe()
            );
            place.values.insert("id".to_owned(), id.to_owned());
        }
        Ok(place)
    }

    fn command(&self, words: &[String]) -> ChildCommand {
        let words = self.fill_words(words);
        let program = words.first().map_or("", String::as_str);
        ChildCommand::new(program)
            .args(words.iter().skip(1))
            .limit(COMMAND_TIMEOUT)
    }

    fn fill_words(&self, words: &[String]) -> Vec<String> {
        words.iter().map(|word| self.fill(word)).collect()
    }

    fn fill(&self, text: &str) -> String {
        let fill = |text: String, (name, value): (&String, &String)| {
            text.replace(&format!("{{{name}}}"), value)
        };
        self.values.iter().fold(text.to_owned(), fill)
    }
}

fn check_success(output: &ChildOutput) -> anyhow::Result<()> {
    if output.is_success() {
        return Ok(());
    }
    let words = shorten(&output.error_text());
    anyhow::bail!(
        "{}",
        if words.is_empty() {
            "it failed"
        } else {
            &words
        }
    )
}

/// Returns the last line of a text of an engine, shortened.
fn shorten(text: &str) -> String {
    let line = text.trim().lines().next_back().unwrap_or("");
    let line = kit::ui::escape::escape_line(line);
    line.chars().take(MAX_REASON).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    fn example(engine: &str) -> EnginePlace {
        let (_, text) = ENGINES.iter().find(|(name, _)| *name == engine).unwrap();
        let values = [
            ("place", "gt-a-1"),
            ("image", "img"),
            ("program", "gt"),
            ("town", "0123456789"),
            ("context", "c"),
            ("namespace", "n"),
            ("partition", "p"),
        ];
        EnginePlace {
            engine: toml::from_str(text).unwrap(),
            identity: None,
            values: values
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
        }
    }

    fn output(code: i32, stdout: &str, stderr: &str) -> ChildOutput {
        ChildOutput {
            status: std::process::ExitStatus::from_raw(code << 8),
            stdout: stdout.as_bytes().to_vec(),
            stderr: stderr.as_bytes().to_vec(),
        }
    }

    #[test]
    fn each_engine_has_a_file_without_unknown_words() {
        for (name, _) in ENGINES {
            let mut place = example(name);
            assert_eq!(place.engine.name, name);
            for (word, value) in [("id", "7"), ("session", "s")] {
                place.values.insert(word.to_owned(), value.to_owned());
            }
            let Engine {
                make,
                open,
                attach,
                state,
                remove,
                template,
                id,
                ..
            } = &place.engine;
            let id = id.clone().unwrap_or_else(Vec::new);
            let words = [make, open, attach, state, remove, &id].map(|words| words.join(" "));
            for text in words.iter().chain([template]) {
                for word in [
                    "place",
                    "image",
                    "program",
                    "town",
                    "context",
                    "namespace",
                    "id",
                ] {
                    assert!(!place.fill(text).contains(&format!("{{{word}}}")), "{text}");
                }
            }
            assert!(
                place.fill(&words[0]).contains("gt-a-1") || place.fill(template).contains("gt-a-1")
            );
        }
    }

    #[test]
    fn only_the_word_of_the_engine_makes_a_place_gone() {
        for (engine, code, stdout, stderr, expected) in [
            (
                "podman",
                0,
                "running with exit code 0\n",
                "",
                PlaceState::Running,
            ),
            (
                "podman",
                0,
                "exited with exit code 137, OOMKilled\n",
                "",
                PlaceState::Gone("exited with exit code 137, OOMKilled".to_owned()),
            ),
            (
                "podman",
                125,
                "",
                "Error: no such container \"gt-a-1\"",
                PlaceState::Missing,
            ),
            (
                "podman",
                125,
                "exited",
                "Error: cannot connect to the service",
                PlaceState::Unknown("Error: cannot connect to the service".to_owned()),
            ),
            (
                "podman",
                0,
                "",
                "",
                PlaceState::Unknown("it says nothing".to_owned()),
            ),
            (
                "slurm",
                0,
                "NODE_FAIL, reason NodeDown\nRUNNING, reason None\n",
                "",
                PlaceState::Gone("NODE_FAIL, reason NodeDown".to_owned()),
            ),
            ("slurm", 0, "", "", PlaceState::Missing),
            (
                "slurm",
                1,
                "",
                "slurm_load_jobs error: Unable to contact slurm controller",
                PlaceState::Unknown(
                    "slurm_load_jobs error: Unable to contact slurm controller".to_owned(),
                ),
            ),
            (
                "kubernetes",
                0,
                "Pending, ErrImagePull",
                "",
                PlaceState::Waiting("Pending, ErrImagePull".to_owned()),
            ),
            (
                "kubernetes",
                0,
                "Failed, Evicted",
                "",
                PlaceState::Gone("Failed, Evicted".to_owned()),
            ),
            (
                "kubernetes",
                1,
                "",
                "Error from server (NotFound): pods \"gt-a-1\" not found",
                PlaceState::Missing,
            ),
            (
                "kubernetes",
                1,
                "",
                "Error from server (NotFound): the server could not find the requested resource",
                PlaceState::Unknown(
                    "Error from server (NotFound): the server could not find the requested resource"
                        .to_owned(),
                ),
            ),
        ] {
            let place = example(engine);
            let state = place.parse_state(&output(code, stdout, stderr));
            assert_eq!(state, expected, "{engine} {stdout} {stderr}");
        }
    }
}
