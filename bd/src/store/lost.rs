//! Acknowledged changes that have left the file: someone took `issues.jsonl` back to an older state, by
//! `git reset --hard`, `git checkout` or `git stash`.
//!
//! Nothing is revived silently: the next command says what left, and `bd restore --lost` brings it back.
//!
//! How it is found out, for each bead: history says which line each change was made to and which it left. From
//! the line that there is now these hashes are followed back, as far as history knows them: these changes are
//! in the file, and so are those that led to the other side of a merge, and what an event says it includes (a restore
//! what it did again). The other changes that came after the oldest of them are not: the line went back under them,
//! perhaps to be changed again from there. Before a line that history does not know, one that a person edited or that came
//! from a clone whose history is not here, nothing can be told: only of which beads that is so.
//!
//! Only ids and hashes of history are read for that; a whole event only where it is lost.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

use super::event::Event;
use super::overlay::Merged;
use super::{history, journal, lines};

/// Events that are no changes of ours to be done again: only which line followed which counts.
const LINKS: [&str; 2] = [history::MERGE, history::ARCHIVE];

/// An event, read only so far as it says which line followed which.
#[derive(Debug, Deserialize)]
pub(super) struct Trace<'a> {
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    #[serde(borrow, default)]
    pub at: Cow<'a, str>,
    #[serde(borrow, default)]
    pub verb: Cow<'a, str>,
    #[serde(borrow)]
    pub changes: Vec<Step<'a>>,
}

/// What an event did to one bead.
#[derive(Debug, Deserialize)]
pub(super) struct Step<'a> {
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    #[serde(default)]
    pub before: Option<Hash>,
    #[serde(default)]
    pub beside: Vec<Hash>,
    #[serde(default)]
    pub after: Option<Hash>,
    #[serde(default)]
    pub includes: Vec<String>,
}

/// The hash of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Hash(pub u64);

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = Hash;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a hash")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Hash, E> {
                u64::from_str_radix(text, 16).map(Hash).map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Reader)
    }
}

impl<'a> Trace<'a> {
    /// Of an event that was read in full.
    pub(super) fn of(event: &'a Event) -> Self {
        let hash = |text: &String| u64::from_str_radix(text, 16).ok().map(Hash);
        let changes = event.changes.iter().map(|change| Step {
            id: Cow::Borrowed(&change.id),
            before: change.before.as_ref().and_then(hash),
            beside: change.beside.iter().filter_map(hash).collect(),
            after: change.after.as_ref().and_then(hash),
            includes: change.includes.clone(),
        });
        Self {
            id: Cow::Borrowed(&event.id),
            at: Cow::Borrowed(&event.at),
            verb: Cow::Borrowed(&event.verb),
            changes: changes.collect(),
        }
    }

    /// Of a merge with a change from outside that no event tells of yet.
    pub(super) fn of_merge(merged: &'a Merged) -> Self {
        Self {
            id: Cow::Borrowed(""),
            at: Cow::Borrowed(""),
            verb: Cow::Borrowed(history::MERGE),
            changes: vec![Step {
                id: Cow::Borrowed(&merged.id),
                before: merged.from.map(Hash),
                beside: merged.beside.iter().copied().map(Hash).collect(),
                after: merged.to.map(Hash),
                includes: merged.includes.clone(),
            }],
        }
    }
}

/// The sound events of a file of history, each with its line.
pub(super) fn traces(text: &[u8]) -> impl Iterator<Item = (&[u8], Trace<'_>)> {
    let lines = lines::spans(text, 0).map(|(_, span)| &text[span]);
    lines.filter_map(|line| Some((line, journal::open(line)?)))
}

/// The sound events that may be about one of these beads.
pub(super) fn traces_about<'a>(text: &'a [u8], ids: &BTreeSet<String>) -> Vec<Trace<'a>> {
    let ids: HashSet<&[u8]> = ids.iter().map(String::as_bytes).collect();
    let key = memchr::memmem::Finder::new(br#"{"id":""#);
    // As bytes, for most lines are about others: no string can hold this key, since its quotes would be
    // escaped there.
    let is_about = |line: &&[u8]| {
        key.find_iter(line).any(|at| {
            let rest = &line[at + key.needle().len()..];
            let id = &rest[..memchr::memchr(b'"', rest).unwrap_or(rest.len())];
            ids.contains(id) || id.contains(&b'\\')
        })
    };
    let lines = lines::spans(text, 0).map(|(_, span)| &text[span]);
    lines.filter(is_about).filter_map(journal::open).collect()
}

/// A bead's line now.
pub(super) enum Asked {
    /// It is not asked about.
    No,
    /// It has none.
    Gone,
    /// There is one.
    Is {
        /// Its hash.
        hash: u64,
        /// Whether it is that of a deleted bead.
        deleted: bool,
    },
}

/// What a bead lacks.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Missing {
    /// The numbers of the events, in the order of history.
    pub at: Vec<usize>,
    /// Whether the bead was changed again since it went back.
    pub edited: bool,
}

/// The beads that lack changes which were acknowledged. `traces` are in the order in which they were made, and
/// may stand there twice; `line` gives a bead's line now, for the beads that are asked about.
pub(super) fn lost(
    traces: &[Trace<'_>],
    line: impl Fn(&str) -> Asked,
) -> BTreeMap<String, Missing> {
    let beads = by_bead(traces, line).into_iter();
    beads
        .filter_map(|(id, bead)| Some((id.to_owned(), bead.missing()?)))
        .collect()
}

/// The beads of which it cannot be told whether they have all their changes, with these changes.
pub(super) fn untold(
    traces: &[Trace<'_>],
    line: impl Fn(&str) -> Asked,
) -> BTreeMap<String, Missing> {
    let beads = by_bead(traces, line).into_iter();
    beads
        .filter_map(|(id, bead)| Some((id.to_owned(), bead.untold()?)))
        .collect()
}

/// The beads that are asked about, each with what history has of it.
fn by_bead<'a>(
    traces: &'a [Trace<'a>],
    line: impl Fn(&str) -> Asked,
) -> HashMap<&'a str, Bead<'a>> {
    let mut by_bead: HashMap<&str, Option<Bead<'_>>> = HashMap::new();
    let mut seen: HashSet<&str> = HashSet::new();
    for (at, trace) in traces.iter().enumerate() {
        // Merges that no event tells of yet have no id.
        if !trace.id.is_empty() && !seen.insert(&trace.id) {
            continue;
        }
        for step in &trace.changes {
            let bead = by_bead.entry(&step.id).or_insert_with(|| {
                let (now, deleted) = match line(&step.id) {
                    Asked::No => return None,
                    Asked::Gone => (None, true),
                    Asked::Is { hash, deleted } => (Some(Hash(hash)), deleted),
                };
                let steps = Vec::new();
                Some(Bead {
                    now,
                    deleted,
                    steps,
                })
            });
            if let Some(bead) = bead {
                bead.steps.push((at, trace, step));
            }
        }
    }
    let beads = by_bead.into_iter();
    beads.filter_map(|(id, bead)| Some((id, bead?))).collect()
}

/// One bead and all that history has of it.
struct Bead<'a> {
    /// Its line now.
    now: Option<Hash>,
    /// Whether it is deleted or gone.
    deleted: bool,
    steps: Vec<(usize, &'a Trace<'a>, &'a Step<'a>)>,
}

/// How a line came about, as far as history knows.
struct Ancestry {
    /// Which steps are in it.
    is_in: Vec<bool>,
    /// Those of which it cannot be told: a merge took in a line that history does not know.
    may_be: Vec<bool>,
    /// The step that left it.
    newest: Option<usize>,
    /// The step from which on that is known.
    oldest: Option<usize>,
}

/// The steps that lead to a line.
struct Way {
    /// The one that left it.
    newest: Option<usize>,
    /// The one from which on that is known.
    oldest: Option<usize>,
    /// Whether it ends with a line that was on the way before.
    joins: bool,
}

/// What is known to have led to a line.
struct Marks {
    /// Which steps.
    is_in: Vec<bool>,
    /// By way of which lines.
    lines: HashSet<Hash>,
}

impl Ancestry {
    /// Whether the line is from before a step.
    fn is_before(&self, number: usize) -> bool {
        self.newest.is_none_or(|newest| number > newest)
    }
}

impl Bead<'_> {
    fn missing(&self) -> Option<Missing> {
        let ancestry = self.ancestry();
        let lacking = self.lacking(&ancestry);
        let edited = lacking.iter().any(|number| !ancestry.is_before(*number));
        let at: Vec<usize> = lacking.iter().map(|number| self.steps[*number].0).collect();
        (!at.is_empty()).then_some(Missing { at, edited })
    }

    /// The changes of which it cannot be told whether they are in its line: those before the oldest from which on it is
    /// known how that came about.
    fn untold(&self) -> Option<Missing> {
        if self.deleted {
            return None;
        }
        let ancestry = self.ancestry();
        let oldest = ancestry.oldest.unwrap_or(self.steps.len());
        let steps = self.steps.iter().enumerate();
        let open = steps.filter(|(number, (_, trace, step))| {
            let is_open = *number < oldest || ancestry.may_be[*number];
            // That it was made can be seen.
            let is_change = is_sealed(step) && step.before.is_some() && !is_link(trace);
            is_open && is_change && !ancestry.is_in[*number]
        });
        let at: Vec<usize> = open.map(|(_, (at, _, _))| *at).collect();
        (!at.is_empty()).then_some(Missing { at, edited: true })
    }

    /// The numbers of the steps that are missing.
    fn lacking(&self, ancestry: &Ancestry) -> BTreeSet<usize> {
        let steps = self.steps.iter().enumerate();
        let known = steps.skip(ancestry.oldest.unwrap_or(self.steps.len()));
        let out = known.filter(|(number, (_, trace, _))| {
            !ancestry.is_in[*number] && !ancestry.may_be[*number] && !is_link(trace)
        });
        let (later, earlier): (BTreeSet<usize>, BTreeSet<usize>) = out
            .map(|(number, _)| number)
            .partition(|number| ancestry.is_before(*number));
        // Whoever removed it later meant it so, unless what came after that is missing, too.
        if self.deleted && later.is_empty() {
            return later;
        }
        // Changes of old versions say nothing of their place.
        let placed = earlier
            .into_iter()
            .filter(|number| is_sealed(self.steps[*number].2));
        placed.chain(later).collect()
    }

    /// How the line came about.
    fn ancestry(&self) -> Ancestry {
        let steps = &self.steps;
        let mut marks = Marks {
            is_in: vec![false; steps.len()],
            lines: HashSet::new(),
        };
        let way = self.follow(self.now, steps.len(), &mut marks);
        self.include(&mut marks.is_in);
        // What came in by the other sides of merges; of what such a line is not known to come from, nothing can be told.
        let mut may_be = vec![false; steps.len()];
        let mut seen = vec![false; steps.len()];
        loop {
            // Several merges may have led to one line.
            let mut merges = (0..steps.len()).filter(|number| {
                let step = steps[*number].2;
                let is_in = || {
                    marks.is_in[*number]
                        || step.after.is_some_and(|line| marks.lines.contains(&line))
                };
                !step.beside.is_empty() && !seen[*number] && is_in()
            });
            let Some(number) = merges.next() else {
                break;
            };
            seen[number] = true;
            marks.is_in[number] = true;
            let step = steps[number].2;
            for line in step.before.iter().chain(&step.beside) {
                let side = self.follow(Some(*line), number, &mut marks);
                if !side.joins {
                    may_be[..side.oldest.unwrap_or(number)].fill(true);
                }
            }
            self.include(&mut marks.is_in);
        }
        Ancestry {
            is_in: marks.is_in,
            may_be,
            newest: way.newest,
            oldest: way.oldest,
        }
    }

    /// Follows a line back as far as history knows it, from before the step `limit`; marks the steps on the way.
    fn follow(&self, line: Option<Hash>, limit: usize, marks: &mut Marks) -> Way {
        let steps = &self.steps;
        let (mut state, mut limit) = (line, limit);
        let (mut newest, mut oldest): (Option<usize>, Option<usize>) = (None, None);
        loop {
            let joins = state.is_some_and(|line| !marks.lines.insert(line));
            let is_in = &marks.is_in;
            let left = |number: &usize| {
                let (_, _, step) = steps[*number];
                !is_in[*number] && is_sealed(step) && step.after == state
            };
            // A merge is told of after the changes that were made to it.
            let behind = || (limit..steps.len()).rev().find(left);
            // A bead that was put back as it was has a line that no change but an earlier one leads on from.
            let again = || {
                let (_, _, back) = state.is_none().then(|| steps.get(limit)).flatten()?;
                let same = |number: &usize| steps[*number].2.after == back.after;
                (0..limit)
                    .rev()
                    .find(|number| !is_in[*number] && same(number))
            };
            let found = (0..limit).rev().find(left).or_else(behind);
            let Some(number) = found.or_else(again) else {
                // A change may have been made to this very line earlier: then it went back to it since.
                let mut all = steps.iter();
                let made = all.position(|(_, _, step)| is_sealed(step) && step.before == state);
                let oldest = match (oldest, made) {
                    (Some(oldest), Some(made)) => Some(oldest.min(made)),
                    (oldest, made) => oldest.or(made),
                };
                return Way {
                    newest,
                    oldest,
                    joins,
                };
            };
            marks.is_in[number] = true;
            newest = newest.or(Some(number));
            oldest = oldest.min(Some(number)).or(Some(number));
            limit = number;
            state = steps[number].2.before;
        }
    }

    /// Adds what those that are in include.
    fn include(&self, is_in: &mut [bool]) {
        if self
            .steps
            .iter()
            .all(|(_, _, step)| step.includes.is_empty())
        {
            return;
        }
        let mut names: HashSet<&str> = HashSet::new();
        // What includes others comes after them.
        for (number, (_, trace, step)) in self.steps.iter().enumerate().rev() {
            is_in[number] |= names.contains(trace.id.as_ref());
            if is_in[number] {
                names.extend(step.includes.iter().map(String::as_str));
            }
        }
    }
}

/// Whether an event says only which line followed which.
fn is_link(trace: &Trace<'_>) -> bool {
    LINKS.contains(&trace.verb.as_ref())
}

/// Whether a step says which line it was made to and left; those of older versions do not.
fn is_sealed(step: &Step<'_>) -> bool {
    step.before.is_some() || step.after.is_some()
}
