//! From which lines the lines of beads came, by the histories of all clones.
//!
//! The hashes of the lines that events lead from and to are all that is looked at: no clock, no order of events. So
//! what other clones did, whose clocks are theirs, can be followed as well.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use super::event::Event;
use super::lost::{Hash, Trace, traces, traces_about};
use super::paths::Paths;
use super::{Store, StoreError, history, journal};
use crate::bead::Stamp;
use crate::sys::file;

/// What history has of some beads.
#[derive(Debug, Default)]
pub(crate) struct Descent {
    beads: HashMap<String, Steps>,
}

/// What was done to a bead.
#[derive(Debug, Default)]
struct Steps {
    all: Vec<Step>,
    /// Which steps left a line.
    to: HashMap<Hash, Vec<usize>>,
    /// Which steps are of an event.
    of: HashMap<String, Vec<usize>>,
}

/// What one event did to a bead.
#[derive(Debug)]
struct Step {
    at: Stamp,
    verb: String,
    from: Vec<Hash>,
    to: Option<Hash>,
    includes: Vec<String>,
}

impl Descent {
    /// Of these events.
    #[cfg(test)]
    pub(crate) fn of(events: &[Event]) -> Self {
        let mut descent = Self::default();
        for event in events {
            descent.add(&Trace::of(event), &|_| true);
        }
        descent
    }

    /// Of the histories of all clones, the journal among them; of these beads, or of all.
    pub(super) fn read(paths: &Paths, ids: Option<&BTreeSet<String>>) -> Result<Self, StoreError> {
        // The journal first: what a fold moves meanwhile is then seen twice, not missed.
        let waiting = read(&paths.journal())?;
        let waiting = journal::decode(&waiting);
        let mut descent = Self::default();
        for path in history::files(paths) {
            let text = read(&path)?;
            match ids {
                Some(ids) => descent.add_text(&text, ids),
                None => traces(&text).for_each(|(_, trace)| descent.add(&trace, &|_| true)),
            }
        }
        let is_asked = |id: &str| ids.is_none_or(|ids| ids.contains(id));
        for (_, entry) in &waiting.entries {
            if let Some(event) = Event::of(entry) {
                descent.add(&Trace::of(&event), &is_asked);
            }
        }
        Ok(descent)
    }

    /// Takes in what a file of history has of some beads.
    pub(crate) fn add_text(&mut self, text: &[u8], ids: &BTreeSet<String>) {
        for trace in traces_about(text, ids) {
            self.add(&trace, &|id| ids.contains(id));
        }
    }

    fn add(&mut self, trace: &Trace<'_>, is_asked: &dyn Fn(&str) -> bool) {
        for step in trace.changes.iter().filter(|step| is_asked(&step.id)) {
            let steps = self.beads.entry(step.id.to_string()).or_default();
            let number = steps.all.len();
            if let Some(line) = step.after {
                steps.to.entry(line).or_default().push(number);
            }
            let event = steps.of.entry(trace.id.to_string()).or_default();
            event.push(number);
            steps.all.push(Step {
                at: Stamp::read(&trace.at),
                verb: trace.verb.to_string(),
                from: step.before.iter().chain(&step.beside).copied().collect(),
                to: step.after,
                includes: step.includes.clone(),
            });
        }
    }

    /// The lines that a bead's line, by its hash, is known to have come from, itself among them.
    pub(crate) fn lines_before(&self, id: &str, line: u64) -> HashSet<u64> {
        let mut lines = HashSet::from([line]);
        let Some(steps) = self.beads.get(id) else {
            return lines;
        };
        let mut open = vec![Hash(line)];
        while let Some(line) = open.pop() {
            for step in steps.leading_to(line) {
                let events = step.includes.iter().filter_map(|event| steps.of.get(event));
                let included = events.flatten().filter_map(|number| steps.all[*number].to);
                let from = included.chain(step.from.iter().copied());
                open.extend(from.filter(|from| lines.insert(from.0)));
            }
        }
        lines
    }

    /// Whether of all these lines of a bead it is known what they came from; of those of `known` it need not be.
    pub(crate) fn is_whole(&self, id: &str, lines: &HashSet<u64>, known: &HashSet<u64>) -> bool {
        self.loose(id, lines).all(|line| known.contains(&line))
    }

    /// Those of these lines that no step leads to.
    fn loose(&self, id: &str, lines: &HashSet<u64>) -> impl Iterator<Item = u64> {
        let steps = self.beads.get(id);
        let is_led_to =
            move |line: &u64| steps.is_some_and(|own| own.to.contains_key(&Hash(*line)));
        lines.iter().copied().filter(move |line| !is_led_to(line))
    }

    /// Whether a bead's line, by its hash, was changed to what the bead is now: removed, where it has no line now.
    pub(crate) fn leads(&self, id: &str, from: u64, now: Option<u64>) -> bool {
        match now {
            Some(now) => self.lines_before(id, now).contains(&from),
            None => {
                let of_this = |line: &Hash| self.lines_before(id, line.0).contains(&from);
                let mut removals = self.steps_of(id).filter(|step| step.removes());
                removals.any(|step| step.from.iter().any(of_this))
            }
        }
    }

    /// Whether a bead's line came from one that the other came from as well, but not from the other itself: someone
    /// took it back to what it was before that, and went on from there.
    pub(crate) fn branches_off(&self, id: &str, line: u64, other: u64) -> bool {
        let own = self.lines_before(id, line);
        let loose: Vec<u64> = self.loose(id, &own).collect();
        self.is_apart(id, &own, &loose, other)
    }

    /// The same of a line that came from these, of some of which it is not known what they came from.
    fn is_apart(&self, id: &str, own: &HashSet<u64>, loose: &[u64], other: u64) -> bool {
        if own.contains(&other) {
            return false;
        }
        let others = self.lines_before(id, other);
        // What a line of unknown origin came from nobody knows, but that no line came from its own offspring.
        !own.is_disjoint(&others) && loose.iter().all(|line| others.contains(line))
    }

    /// Of these changes, by their numbers and in their order, those that a bead's line, by its hash, does not have.
    pub(super) fn left_out(
        &self,
        id: &str,
        line: u64,
        traces: &[Trace<'_>],
        numbers: &[usize],
    ) -> Vec<usize> {
        let own = self.lines_before(id, line);
        let loose: Vec<u64> = self.loose(id, &own).collect();
        let leads_on = |line: &u64| {
            let steps = self.steps_of(id);
            steps
                .flat_map(|step| &step.from)
                .any(|from| from.0 == *line)
        };
        // What no change was made to no line came from.
        if !loose.iter().all(leads_on) {
            return Vec::new();
        }
        let mut apart: HashSet<u64> = HashSet::new();
        let mut is_left_out = |number: &usize| {
            let mut steps = traces[*number].changes.iter();
            let Some(step) = steps.find(|step| step.id == id) else {
                return false;
            };
            let Some(Hash(after)) = step.after else {
                return false;
            };
            // What followed on one that is left out is left out as well.
            let follows = step.before.is_some_and(|before| apart.contains(&before.0));
            let is_out =
                !own.contains(&after) && (follows || self.is_apart(id, &own, &loose, after));
            if is_out {
                apart.insert(after);
            }
            is_out
        };
        let numbers = numbers.iter().copied();
        numbers.filter(|number| is_left_out(number)).collect()
    }

    /// Whether somebody went on from a bead's line, by its hash, to one that it did not come from.
    pub(super) fn is_behind(&self, id: &str, line: u64) -> bool {
        let before = self.lines_before(id, line);
        let mut on = self
            .steps_of(id)
            .filter(|step| step.from.contains(&Hash(line)));
        on.any(|step| step.to.is_some_and(|to| !before.contains(&to.0)))
    }

    /// The beads that it has.
    pub(super) fn ids(&self) -> BTreeSet<String> {
        self.beads.keys().cloned().collect()
    }

    /// Whether anything was ever done to a bead that is written down.
    pub(crate) fn knows(&self, id: &str) -> bool {
        self.beads.contains_key(id)
    }

    /// Whether the last thing that was done to a bead was to take it away.
    pub(crate) fn is_removed(&self, id: &str) -> bool {
        self.last(id).is_some_and(Step::removes)
    }

    /// Whether the last thing that was done to a bead was to move it to the archive.
    pub(crate) fn is_archived(&self, id: &str) -> bool {
        self.last(id)
            .is_some_and(|step| step.verb == history::ARCHIVE)
    }

    fn last(&self, id: &str) -> Option<&Step> {
        let told = self.steps_of(id).filter(|step| step.verb != history::MERGE);
        told.max_by_key(|step| step.at.instant())
    }

    fn steps_of(&self, id: &str) -> impl Iterator<Item = &Step> {
        self.beads.get(id).into_iter().flat_map(|steps| &steps.all)
    }
}

impl Steps {
    fn leading_to(&self, line: Hash) -> impl Iterator<Item = &Step> {
        let numbers = self.to.get(&line).into_iter().flatten();
        numbers.map(|number| &self.all[*number])
    }
}

impl Step {
    fn removes(&self) -> bool {
        self.to.is_none() && !self.from.is_empty()
    }
}

impl Store {
    /// What the histories of all clones have of some beads, the journal among them.
    pub(crate) fn descent(&self, ids: &BTreeSet<String>) -> Result<Descent, StoreError> {
        Descent::read(&self.paths, Some(ids))
    }
}

fn read(path: &Path) -> Result<Vec<u8>, StoreError> {
    let text = file::read(path).map_err(|source| StoreError::io("read", path, source))?;
    Ok(text.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::event::Difference;

    fn step(id: &str, from: &[u64], to: Option<u64>, verb: &str) -> Event {
        let hash = |line: &u64| journal::hash_text(*line);
        Event {
            id: id.to_owned(),
            at: format!("2026-01-01T00:00:0{}Z", id.len()),
            verb: verb.to_owned(),
            changes: vec![Difference {
                id: "a-1".to_owned(),
                before: from.first().map(hash),
                beside: from.iter().skip(1).map(hash).collect(),
                after: to.as_ref().map(hash),
                old: None,
                new: None,
                lost: None,
                includes: Vec::new(),
            }],
            ..Event::default()
        }
    }

    #[test]
    fn lines_come_from_each_side_of_a_merge_and_from_what_a_restore_includes() {
        let mut restore = step("d", &[1], Some(5), "restore");
        restore.changes[0].includes = vec!["b".to_owned()];
        let descent = Descent::of(&[
            step("a", &[], Some(1), ""),
            step("b", &[1], Some(2), ""),
            step("c", &[1, 3], Some(4), "merge"),
            restore,
        ]);
        let before = |line| descent.lines_before("a-1", line);
        assert_eq!(before(2), HashSet::from([1, 2]));
        assert_eq!(before(4), HashSet::from([1, 3, 4]));
        assert_eq!(before(5), HashSet::from([1, 2, 5]));
        assert!(descent.leads("a-1", 2, Some(5)));
        assert!(!descent.branches_off("a-1", 5, 2));
    }

    #[test]
    fn a_line_branches_off_only_where_all_that_it_came_from_is_known() {
        let descent = Descent::of(&[
            step("a", &[], Some(1), ""),
            step("b", &[1], Some(2), ""),
            step("c", &[1], Some(3), ""),
            step("d", &[3, 9], Some(4), "merge"),
        ]);
        let off = |line, other| descent.branches_off("a-1", line, other);
        assert!(off(3, 2) && off(1, 2));
        assert!(!off(2, 1), "it went on from there");
        assert!(!off(4, 2), "9 may have come from it");
        assert!(!off(8, 2), "of this line nothing is known");
        // The first line of all needs none before it.
        let descent = Descent::of(&[step("b", &[1], Some(2), ""), step("c", &[1], Some(3), "")]);
        assert!(descent.branches_off("a-1", 3, 2));
    }

    #[test]
    fn a_removal_counts_where_it_led_on_from_a_line_or_came_last() {
        let mut events = vec![
            step("a", &[], Some(1), ""),
            step("bb", &[1], Some(2), ""),
            step("ccc", &[2], None, ""),
        ];
        let descent = Descent::of(&events);
        assert!(descent.leads("a-1", 1, None) && !descent.leads("a-1", 7, None));
        assert!(descent.is_removed("a-1") && !descent.is_archived("a-1"));
        events.push(step("dddd", &[], Some(2), "undo"));
        let descent = Descent::of(&events);
        assert!(!descent.is_removed("a-1"));
    }
}
