//! What beads were in the commits that people work on: git knows which line came before which, also where no history
//! of ours does.

use std::collections::{BTreeSet, HashMap, HashSet};

use xxhash_rust::xxh3::xxh3_64;

use super::SyncError;
use super::place::Place;
use crate::merge;
use crate::store::descent::Descent;
use crate::store::lines;

/// How many commits back are looked at.
const COMMITS: usize = 50;
/// How many bytes of them at most.
const BYTES: usize = 256 << 20;

/// The lines that some beads had in the commits behind `HEAD`, newest first.
#[derive(Debug, Default)]
pub(super) struct Committed(HashMap<String, Vec<Vec<u8>>>);

impl Committed {
    /// Of these beads, in the file at a path from the root of the repository.
    pub(super) fn read(
        place: &Place,
        path: &str,
        wanted: &BTreeSet<String>,
    ) -> Result<Self, SyncError> {
        let mut found: HashMap<String, Vec<Vec<u8>>> = HashMap::new();
        if wanted.is_empty() {
            return Ok(Self(found));
        }
        let mut bytes = 0;
        for commit in commits(place, path)? {
            let text = place.git.file_at(&commit, path)?.unwrap_or_default();
            for (_, span) in lines::spans(&text, 0) {
                let line = &text[span];
                let Some(id) = merge::id_of(line).filter(|id| wanted.contains(id)) else {
                    continue;
                };
                let own = found.entry(id).or_default();
                if own.last().is_none_or(|last| last != line) {
                    own.push(line.to_vec());
                }
            }
            bytes += text.len();
            if bytes > BYTES {
                break;
            }
        }
        Ok(Self(found))
    }

    /// A bead's lines.
    fn of(&self, id: &str) -> &[Vec<u8>] {
        self.0.get(id).map_or(&[], Vec::as_slice)
    }

    /// From the first of a bead's lines on that is among these.
    fn behind(&self, id: &str, lines: &HashSet<u64>) -> &[Vec<u8>] {
        let all = self.of(id);
        let first = all.iter().position(|line| lines.contains(&xxh3_64(line)));
        first.map_or(&[], |first| &all[first..])
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
        let base = self.behind(id, &own).first()?;
        descent
            .is_whole(id, &own, &known)
            .then_some(base.as_slice())
    }

    /// The line that two lines of a bead came from, the left one that of the work tree: one of both, or one that a
    /// commit has.
    pub(super) fn base(
        &self,
        id: &str,
        [left, right]: [&[u8]; 2],
        descent: &Descent,
    ) -> Option<Vec<u8>> {
        let before = |line: &[u8]| descent.lines_before(id, xxh3_64(line));
        let (mut lefts, mut rights) = (before(left), before(right));
        let there = match self.behind(id, &lefts) {
            // Whatever somebody wrote by hand he made of what was there.
            [] => self.of(id),
            some => some,
        };
        lefts.extend(there.iter().map(|line| xxh3_64(line)));
        let others = self.behind(id, &rights);
        rights.extend(others.iter().map(|line| xxh3_64(line)));
        if lefts.contains(&xxh3_64(right)) {
            return Some(right.to_vec());
        }
        if rights.contains(&xxh3_64(left)) {
            return Some(left.to_vec());
        }
        let both = there.iter().find(|line| rights.contains(&xxh3_64(line)));
        both.cloned()
    }
}

/// The commits behind `HEAD` that changed a file, newest first; none where there is no commit yet.
pub(super) fn commits(place: &Place, path: &str) -> Result<Vec<String>, SyncError> {
    if place.git.resolve("HEAD")?.is_none() {
        return Ok(Vec::new());
    }
    let (count, path) = (COMMITS.to_string(), format!(":(top,literal){path}"));
    let log = ["log", "--format=%H", "-n", &count, "HEAD", "--", &path];
    let commits = place.git.plumbing(log).text()?;
    Ok(commits.lines().map(str::to_owned).collect())
}
