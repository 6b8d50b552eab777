//! Recovers beads with damaged lines from the history of git.

use std::collections::{BTreeMap, BTreeSet};

use crate::bead::Bead;
use crate::bead::lines;
use crate::git::Git;
use crate::merge;
use crate::store::{Store, StoreError};
use kit::sys::file;

/// The maximum number of commits to search.
const MAX_COMMITS: usize = 200;

/// Returns the last sound state of each bead that has only a damaged line now.
pub(super) fn recover_from_git(store: &Store) -> Result<Vec<Bead>, StoreError> {
    let wanted = damaged_ids(store)?;
    let mut found: BTreeMap<String, Bead> = BTreeMap::new();
    let git = Git::at(store.dir());
    let name = store
        .issues_file()
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    // Outside git there is no history to search.
    let log = git.plumbing([
        "log",
        "--format=%H",
        "-n",
        &MAX_COMMITS.to_string(),
        "--",
        &name,
    ]);
    let commits = log.text();
    for commit in commits.iter().flat_map(|commits| commits.lines()) {
        if wanted.iter().all(|id| found.contains_key(id)) {
            break;
        }
        let place = format!("{commit}:./{name}");
        let Ok(text) = git.plumbing(["show", &place]).text() else {
            continue;
        };
        for (_, _, bead) in lines::parse_lines(text.into_bytes()).beads {
            if wanted.contains(&bead.id) && !found.contains_key(&bead.id) {
                found.insert(bead.id.clone(), *bead);
            }
        }
    }
    Ok(found.into_values().collect())
}

/// Returns the ids that are visible in damaged lines, in the file and set aside, and that have no
/// sound line.
fn damaged_ids(store: &Store) -> Result<BTreeSet<String>, StoreError> {
    let snapshot = store.snapshot()?;
    let mut texts = Vec::new();
    if !snapshot.damaged().is_empty() {
        texts.extend(
            file::read_file_if_exists(store.issues_file())
                .map_err(|source| StoreError::io("read", store.issues_file(), source))?,
        );
    }
    let aside = std::fs::read_dir(store.dir().join("damaged"))
        .into_iter()
        .flatten();
    for entry in aside.flatten() {
        let is_issues = entry
            .file_name()
            .to_string_lossy()
            .ends_with("issues.jsonl");
        if let (true, Ok(Some(text))) = (is_issues, file::read_file_if_exists(&entry.path())) {
            texts.push(text);
        }
    }
    let mut ids = BTreeSet::new();
    for text in &texts {
        for (_, span) in lines::iter_line_spans(text, 0) {
            let line = &text[span];
            let shown = merge::id_of_line(line).or_else(|| find_visible_id(line));
            ids.extend(shown.filter(|id| !snapshot.is_taken(id)));
        }
    }
    Ok(ids)
}

/// Returns the id that is visible in a line that is not valid JSON.
fn find_visible_id(line: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(line).ok()?;
    let (_, rest) = text.split_once("\"id\":\"")?;
    let (id, _) = rest.split_once('"')?;
    (!id.is_empty() && id.len() < 200).then(|| id.to_owned())
}
