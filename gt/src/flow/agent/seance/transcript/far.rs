//! Copies the transcripts of workers on other machines to the town, where every reader finds them
//! like those of this machine.
//!
//! A copy has the lines of the original, with long texts shortened. It grows with the original,
//! from the place that it has read last. A host is not trusted: it names no path and no agent, and
//! the size of the copies of a worker is bounded.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use kit::sys::{Env, file};
use serde_json::Value;

use super::files::{list_entries, open_lines};
use super::{Transcript, TranscriptFile, for_each_value, has_changed, list_transcripts};
use crate::flow::agent::seance::PastSession;
use crate::flow::place::sandbox::open_far_host;
use crate::host::far::{BoxRequest, TranscriptPart, TranscriptQuestion};
use crate::host::live_town::open_live_town;
use crate::host::runtime::RuntimePreset;
use crate::town::identity::Address;
use crate::town::lock::Lock;
use crate::town::{Town, TownLayout};

/// The bytes of lines in one answer of a host.
const MAX_PART: usize = 2 << 20;

/// The maximum number of answers that are asked for at once.
const MAX_ROUNDS: usize = 200;

/// The length from which on the texts of a line are shortened, and that of a shortened text.
const MAX_LINE: usize = 16 << 10;
const MAX_TEXT: usize = 2 << 10;

/// The maximum size and number of the copies of a worker.
const MAX_COPIES_SIZE: u64 = 512 << 20;
const MAX_COPIES: usize = 1000;

/// The age of the last change of a transcript from which on it is not copied.
const MAX_AGE: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The time after which a copy that does not grow is removed, as agent programs do.
const MAX_COPY_AGE: Duration = Duration::from_secs(31 * 24 * 3600);

/// The time for another process that copies the same transcripts.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

/// The file with the places up to which transcripts were read.
const OFFSETS_FILE: &str = "offsets.json";

/// Returns new lines in the transcripts of a worker's sandbox, on the machine of the worker. Empty
/// if there are none.
pub fn read_new_lines(
    env: &Env,
    root: &Path,
    question: &TranscriptQuestion,
) -> anyhow::Result<Vec<TranscriptPart>> {
    let agent = Address::Polecat(question.rig.clone(), question.worker.clone());
    let town = open_live_town(env, root, agent);
    let folder = town.layout.rig(&question.rig).sandbox(&question.worker);
    let folder = folder.canonicalize()?;
    let since = town.clock.now().checked_sub(MAX_AGE)?;
    let mut parts = Vec::new();
    let mut size = 0;
    for (of, found) in list_transcripts(&town, std::slice::from_ref(&folder), Some(since)) {
        if of == folder && size < MAX_PART {
            // A transcript that cannot be read hides no other.
            let part = read_part(question, found, MAX_PART - size).ok().flatten();
            size += part.as_ref().map_or(0, |part| part.lines.len());
            parts.extend(part);
        }
    }
    Ok(parts)
}

/// Returns new lines of a transcript with about `limit` bytes. None if there are none.
fn read_part(
    question: &TranscriptQuestion,
    found: TranscriptFile,
    limit: usize,
) -> std::io::Result<Option<TranscriptPart>> {
    let Transcript::Lines(path) = &found.place else {
        return Ok(None);
    };
    let length = fs::metadata(path)?.len();
    let read = question.has.get(&format!("{}/{}", found.agent, found.id));
    // A file that is shorter than before is another one.
    let from = read.copied().filter(|read| *read <= length).unwrap_or(0);
    let mut lines = open_lines(path, from)?;
    let mut part = TranscriptPart {
        program: found.agent.to_owned(),
        id: found.id,
        from,
        to: from,
        lines: String::new(),
    };
    while part.lines.len() < limit {
        let Some(line) = lines.next_line()? else {
            break;
        };
        let is_whole = line.ends_with(b"\n");
        match shorten_line(line) {
            Some(line) => {
                part.lines.push_str(&line);
                part.lines.push('\n');
            }
            // The last line may not be written to its end yet.
            None if !is_whole => break,
            None => {}
        }
        part.to = lines.offset;
    }
    Ok((part.to > part.from).then_some(part))
}

/// Returns a line without its line break and with its long texts shortened. None if it is no JSON.
fn shorten_line(line: &[u8]) -> Option<String> {
    let mut value: Value = serde_json::from_slice(line).ok()?;
    if line.len() > MAX_LINE {
        shorten_texts(&mut value);
    }
    serde_json::to_string(&value).ok()
}

fn shorten_texts(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > MAX_TEXT => {
            let cut = kit::ui::cut::first_bytes(text, MAX_TEXT).to_owned();
            *text = cut;
        }
        Value::Array(values) => values.iter_mut().for_each(shorten_texts),
        Value::Object(map) => map.values_mut().for_each(shorten_texts),
        _ => {}
    }
}

/// Copies what is new in the transcripts of a worker on a host.
pub fn take_transcripts(env: &Env, root: &Path, agent: &Address, host: &str) -> anyhow::Result<()> {
    let Address::Polecat(rig, worker) = agent else {
        return Ok(());
    };
    let town = open_live_town(env, root, agent.clone());
    let folder = hosts_folder(&town.layout)
        .join(host)
        .join("transcripts")
        .join(rig)
        .join(worker);
    file::create_folder(&folder, 0o700)?;
    let _held = Lock::take(&folder.join("lock"), LOCK_TIMEOUT)?;
    let mut copies = Copies::load(&folder)?;
    let host = open_far_host(&town, host)?;
    for _ in 0..MAX_ROUNDS {
        let parts: Vec<TranscriptPart> =
            host.ask(&BoxRequest::Transcripts(TranscriptQuestion {
                rig: rig.clone(),
                worker: worker.clone(),
                has: copies.offsets.clone(),
            }))?;
        if parts.is_empty() {
            break;
        }
        let taken = parts.iter().try_for_each(|part| copies.take(part));
        copies.save()?;
        taken?;
    }
    Ok(())
}

/// The copies of a worker's transcripts.
struct Copies<'a> {
    folder: &'a Path,
    /// The places up to which the originals were read, by program and id.
    offsets: BTreeMap<String, u64>,
    size: u64,
}

impl<'a> Copies<'a> {
    fn load(folder: &'a Path) -> anyhow::Result<Self> {
        let mut offsets: BTreeMap<String, u64> =
            match file::read_file_if_exists(&folder.join(OFFSETS_FILE))? {
                // A damaged record begins again.
                Some(bytes) => serde_json::from_slice(&bytes).unwrap_or_else(|_| BTreeMap::new()),
                None => BTreeMap::new(),
            };
        let mut size = 0;
        for (key, path) in list_copies(folder) {
            let meta = fs::metadata(&path)?;
            if meta
                .modified()?
                .elapsed()
                .is_ok_and(|age| age > MAX_COPY_AGE)
            {
                file::remove_file(&path)?;
                offsets.remove(&key);
            } else {
                offsets.entry(key).or_insert(0);
                size += meta.len();
            }
        }
        Ok(Self {
            folder,
            offsets,
            size,
        })
    }

    fn save(&self) -> anyhow::Result<()> {
        let text = serde_json::to_vec(&self.offsets)?;
        Ok(file::replace_file_relaxed(
            &self.folder.join(OFFSETS_FILE),
            &text,
            0o600,
        )?)
    }

    fn take(&mut self, part: &TranscriptPart) -> anyhow::Result<()> {
        let TranscriptPart {
            program,
            id,
            from,
            to,
            lines,
        } = part;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let is_name = |text: &str| {
            (1..=100).contains(&text.len()) && !text.starts_with('.') && text.chars().all(is_plain)
        };
        anyhow::ensure!(
            is_name(id) && RuntimePreset::named(program).is_some() && to > from,
            "the host names no transcript"
        );
        let key = format!("{program}/{id}");
        anyhow::ensure!(
            self.offsets.contains_key(&key) || self.offsets.len() < MAX_COPIES,
            "the host has too many transcripts of a worker"
        );
        let path = self.folder.join(program).join(format!("{id}.jsonl"));
        if *from == 0 {
            file::remove_file(&path)?;
        }
        let length = lines.len() as u64;
        if self.size + length <= MAX_COPIES_SIZE {
            file::create_folder(&self.folder.join(program), 0o700)?;
            file::append_to_file(&path, lines.as_bytes(), 0o600)?;
            self.size += length;
        }
        self.offsets.insert(key, *to);
        Ok(())
    }
}

/// Lists the copies of a worker's transcripts by program and id.
fn list_copies(folder: &Path) -> Vec<(String, PathBuf)> {
    let programs = file::list_subfolders(folder).into_iter();
    programs
        .flat_map(|program| {
            let paths = list_entries(&folder.join(&program));
            paths.into_iter().filter_map(move |path| {
                let id = path.file_stem()?.to_str()?;
                Some((format!("{program}/{id}"), path.clone()))
            })
        })
        .collect()
}

/// Lists the copies of the transcripts of all workers. With a time only those that have changed
/// since.
pub(in crate::flow::agent::seance) fn list_far_transcripts(
    town: &Town,
    since: Option<Timestamp>,
) -> Vec<(Address, TranscriptFile)> {
    let hosts = hosts_folder(&town.layout);
    let mut found = Vec::new();
    for host in file::list_subfolders(&hosts) {
        let rigs = hosts.join(host).join("transcripts");
        for rig in file::list_subfolders(&rigs) {
            for worker in file::list_subfolders(&rigs.join(&rig)) {
                let agent = Address::Polecat(rig.clone(), worker.clone());
                let copies = list_copies(&rigs.join(&rig).join(&worker)).into_iter();
                found.extend(
                    copies
                        .filter(|(_, path)| has_changed(path, since))
                        .filter_map(|(key, path)| Some((agent.clone(), read_copy(&key, path)?))),
                );
            }
        }
    }
    found
}

/// Returns the host of a session whose transcript is a copy.
pub(in crate::flow::agent::seance) fn find_host_of_copy(
    town: &Town,
    session: &PastSession,
) -> Option<String> {
    let path = session.transcript.as_ref()?.own_file()?;
    let below = path.strip_prefix(hosts_folder(&town.layout)).ok()?;
    let host = below.components().next()?;
    Some(host.as_os_str().to_string_lossy().into_owned())
}

fn read_copy(key: &str, path: PathBuf) -> Option<TranscriptFile> {
    let (program, id) = key.split_once('/')?;
    let known = super::READERS.iter().map(|reader| reader.program());
    let agent = known.into_iter().find(|known| *known == program)?;
    let mut began = String::new();
    for_each_value(&path, |value| {
        let at = ["timestamp", "startTime"]
            .iter()
            .find_map(|name| value[*name].as_str());
        began = at.unwrap_or("").to_owned();
        began.is_empty()
    });
    Some(TranscriptFile {
        id: id.to_owned(),
        place: Transcript::Lines(path),
        began,
        agent,
    })
}

fn hosts_folder(town: &TownLayout) -> PathBuf {
    town.runtime().join("hosts")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(program: &str, id: &str, from: u64, to: u64, lines: &str) -> TranscriptPart {
        TranscriptPart {
            program: program.to_owned(),
            id: id.to_owned(),
            from,
            to,
            lines: lines.to_owned(),
        }
    }

    #[test]
    fn a_host_names_no_path_and_no_other_program() {
        let folder = tempfile::tempdir().unwrap();
        let mut copies = Copies::load(folder.path()).unwrap();
        for (program, id, to) in [
            ("claude", "../x", 2),
            ("claude", "", 2),
            ("claude", ".x", 2),
            ("..", "x", 2),
            ("nothing", "x", 2),
            // Without progress it would be asked again and again.
            ("claude", "x", 0),
        ] {
            let refused = copies.take(&part(program, id, 0, to, "{}\n"));
            assert!(refused.is_err(), "{program}/{id}");
        }
        assert!(list_copies(folder.path()).is_empty());
    }

    #[test]
    fn a_copy_grows_and_a_new_original_replaces_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut copies = Copies::load(folder.path()).unwrap();
        for part in [
            part("claude", "a", 0, 3, "1\n"),
            part("claude", "a", 3, 6, "2\n"),
        ] {
            copies.take(&part).unwrap();
        }
        copies.save().unwrap();
        let path = folder.path().join("claude/a.jsonl");
        assert_eq!(fs::read_to_string(&path).unwrap(), "1\n2\n");
        let mut copies = Copies::load(folder.path()).unwrap();
        assert_eq!(copies.offsets["claude/a"], 6);
        copies.take(&part("claude", "a", 0, 4, "3\n")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "3\n");
        copies.size = MAX_COPIES_SIZE;
        copies.take(&part("claude", "b", 0, 4, "4\n")).unwrap();
        assert_eq!(list_copies(folder.path()).len(), 1);
    }

    #[test]
    fn long_texts_are_shortened_and_numbers_stay() {
        let text = "x".repeat(MAX_LINE);
        let line =
            serde_json::json!({"message": {"usage": {"input_tokens": 7}, "content": [text]}});
        let short = shorten_line(line.to_string().as_bytes()).unwrap();
        assert!(short.len() < MAX_TEXT + 100);
        let value: Value = serde_json::from_str(&short).unwrap();
        assert_eq!(value["message"]["usage"]["input_tokens"], 7);
        assert_eq!(shorten_line(b"{ torn"), None);
    }
}
