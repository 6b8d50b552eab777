//! What beads were in the commits that people work on: git knows which line came before which, also where no history
//! of ours does.

use std::collections::{BTreeSet, HashMap, HashSet};

use xxhash_rust::xxh3::xxh3_64;

use super::SyncError;
use super::place::Place;
use crate::bead::record;
use crate::merge;
use crate::store::descent::Descent;

/// How many commits back are looked at.
const COMMITS: usize = 50;
/// How many bytes of them at most.
const BYTES: usize = 256 << 20;

/// The lines that some beads had in the commits behind `HEAD`.
#[derive(Debug, Default)]
pub(super) struct Committed {
    /// By first parents, newest first: each came from the next ones.
    own: HashMap<String, Vec<Vec<u8>>>,
    /// In all other commits.
    beside: HashMap<String, Vec<Vec<u8>>>,
}

impl Committed {
    /// Of these beads, in the file at a path from the root of the repository.
    pub(super) fn read(
        place: &Place,
        path: &str,
        wanted: &BTreeSet<String>,
    ) -> Result<Self, SyncError> {
        let mut found = Self::default();
        if wanted.is_empty() {
            return Ok(found);
        }
        let own = commits(place, path, true)?;
        let mut all = commits(place, path, false)?;
        all.retain(|commit| !own.contains(commit));
        let mut bytes = 0;
        'all: for (commits, lines) in [(own, &mut found.own), (all, &mut found.beside)] {
            for commit in commits {
                let text = place.git.file_at(&commit, path)?.unwrap_or_default();
                take(&text, wanted, lines);
                bytes += text.len();
                if bytes > BYTES {
                    break 'all;
                }
            }
        }
        Ok(found)
    }

    /// A bead's lines, by first parents.
    fn of(&self, id: &str) -> &[Vec<u8>] {
        self.own.get(id).map_or(&[], Vec::as_slice)
    }

    /// Those, and then the others.
    fn all_of(&self, id: &str) -> impl Iterator<Item = &[u8]> {
        let beside = self.beside.get(id).into_iter().flatten();
        self.of(id).iter().chain(beside).map(Vec::as_slice)
    }

    /// Where a line of a bead is among its lines, the newest first.
    fn place(&self, id: &str, line: &[u8]) -> Option<usize> {
        self.of(id).iter().position(|one| one == line)
    }

    /// Whether `HEAD` had this line of a bead before the one that it has now.
    pub(super) fn had(&self, id: &str, line: &[u8]) -> bool {
        self.of(id).iter().skip(1).any(|one| one == line)
    }

    /// The newest of a bead's lines that `line` came from, where all that it came from is known.
    pub(super) fn fork(&self, id: &str, line: &[u8], descent: &Descent) -> Option<&[u8]> {
        let hash = xxh3_64(line);
        let own = descent.lines_before(id, hash);
        let known: HashSet<u64> = self.of(id).iter().map(|line| xxh3_64(line)).collect();
        let among = self.of(id).iter().map(Vec::as_slice);
        let base = newest(
            id,
            among.filter(|line| own.contains(&xxh3_64(line))),
            descent,
        )?;
        let is_whole = descent.is_whole(id, &own, &known);
        is_whole.then_some(base)
    }

    /// The line that two lines of a bead came from, the left one that of the work tree: one of both, or one that a
    /// commit has.
    pub(super) fn base(
        &self,
        id: &str,
        [left, right]: [&[u8]; 2],
        descent: &Descent,
    ) -> Option<Vec<u8>> {
        if let (Some(own), Some(other)) = (self.place(id, left), self.place(id, right)) {
            return Some(if own > other { left } else { right }.to_vec());
        }
        let before = |line: &[u8]| descent.lines_before(id, xxh3_64(line));
        let (mut lefts, mut rights) = (before(left), before(right));
        let others = self.place(id, right).and_then(|at| self.of(id).get(at..));
        rights.extend(others.into_iter().flatten().map(|line| xxh3_64(line)));
        let committed = || self.of(id).iter().map(Vec::as_slice);
        let from = newest(
            id,
            committed().filter(|line| lefts.contains(&xxh3_64(line))),
            descent,
        );
        let from = match from {
            Some(line) => self.place(id, line),
            // What somebody wrote by hand he made of what was there.
            None => self.is_later(id, left).then_some(0),
        };
        let there = from.and_then(|from| self.of(id).get(from..));
        lefts.extend(there.into_iter().flatten().map(|line| xxh3_64(line)));
        if lefts.contains(&xxh3_64(right)) {
            return Some(right.to_vec());
        }
        let is_common = |line: &&[u8]| {
            let hash = xxh3_64(line);
            lefts.contains(&hash) && rights.contains(&hash)
        };
        let both = std::iter::once(left).chain(self.all_of(id));
        newest(id, both.filter(is_common), descent).map(<[u8]>::to_vec)
    }

    /// Whether a line is not older than the one that `HEAD` has of its bead.
    fn is_later(&self, id: &str, line: &[u8]) -> bool {
        let time = |line: &[u8]| record::parse(line).ok().map(|bead| bead.updated_at);
        match self.of(id).first() {
            Some(head) => time(line) >= time(head),
            None => false,
        }
    }
}

/// Of these lines of a bead the first that no other one came from, as far as history knows: a line may come again by a
/// revert.
fn newest<'a>(
    id: &str,
    lines: impl Iterator<Item = &'a [u8]>,
    descent: &Descent,
) -> Option<&'a [u8]> {
    let among: Vec<(&[u8], u64)> = lines.map(|line| (line, xxh3_64(line))).collect();
    let is_last = |hash: u64| {
        let leads_on = |other: u64| other != hash && descent.leads(id, hash, Some(other));
        !among.iter().any(|(_, other)| leads_on(*other))
    };
    let last = among.iter().find(|(_, hash)| is_last(*hash));
    last.or(among.first()).map(|(line, _)| *line)
}

/// The commits behind `HEAD` that changed a file, newest first; none where there is no commit yet.
pub(super) fn commits(
    place: &Place,
    path: &str,
    first_parents: bool,
) -> Result<Vec<String>, SyncError> {
    if place.git.resolve("HEAD")?.is_none() {
        return Ok(Vec::new());
    }
    let (count, path) = (COMMITS.to_string(), format!(":(top,literal){path}"));
    let mut log = vec!["log", "--format=%H", "-n", &count];
    // Else git leaves out the sides of which nothing was taken.
    log.push(if first_parents {
        "--first-parent"
    } else {
        "--full-history"
    });
    log.extend(["HEAD", "--", &path]);
    let commits = place.git.plumbing(log).text()?;
    Ok(commits.lines().map(str::to_owned).collect())
}

/// Takes the lines of some beads out of a text, each once in a row.
fn take(text: &[u8], wanted: &BTreeSet<String>, found: &mut HashMap<String, Vec<Vec<u8>>>) {
    for (id, line) in merge::rows(text).filter(|(id, _)| wanted.contains(id)) {
        let own = found.entry(id).or_default();
        if own.last().is_none_or(|last| last != line) {
            own.push(line.to_vec());
        }
    }
}
