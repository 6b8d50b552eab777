//! Lists the documents of a convoy on its ref or, after its landing, on the rescue ref.

use bd::git::GitError;
use serde::Serialize;

use super::keep::rescue_ref_of;
use super::{document_ref, is_in_gt_folder};
use crate::town::{Rig, Town};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeptDocument {
    /// The ref that holds the document.
    #[serde(rename = "ref")]
    pub reference: String,
    pub path: String,
    pub bytes: u64,
}

impl KeptDocument {
    /// Returns the command that prints the document in a clone of the rig.
    pub fn command(&self) -> String {
        format!("git show {}:{}", self.reference, self.path)
    }
}

/// Returns the documents of a name in a rig: those on its ref, otherwise those of its last landing.
pub fn documents_of(rig: &Rig, key: &str) -> Result<Vec<KeptDocument>, GitError> {
    let git = rig.git();
    let kept = document_ref(key);
    // A landing or a sync may move the ref while the documents are read.
    let (reference, commit) = if let Some(commit) = git.resolve(&kept)? {
        (kept, commit)
    } else {
        let name = kept.rsplit('/').next().unwrap_or("");
        let pattern = format!("refs/gt/rescue/{}/discovery/{name}-*", rig.name());
        let newest = git.plumbing([
            "for-each-ref",
            "--format=%(refname) %(objectname)",
            "--sort=-committerdate",
            "--count=1",
            pattern.as_str(),
        ]);
        match newest.text()?.lines().next() {
            Some(found) => match found.split_once(' ') {
                Some((reference, commit)) => (reference.to_owned(), commit.to_owned()),
                None => return Ok(Vec::new()),
            },
            None => return Ok(Vec::new()),
        }
    };
    Ok(git
        .entries(&commit)?
        .into_iter()
        .filter(|(path, _)| is_in_gt_folder(path.as_bytes()))
        .map(|(path, entry)| KeptDocument {
            reference: reference.clone(),
            path,
            bytes: entry.size,
        })
        .collect())
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RigDocument {
    pub rig: String,
    #[serde(flatten)]
    pub document: KeptDocument,
}

/// Returns the documents of a name in all rigs.
pub fn documents_of_all(town: &Town, key: &str) -> anyhow::Result<Vec<RigDocument>> {
    let mut found = Vec::new();
    for rig in town.list_rigs()? {
        if !rig.repo().is_dir() {
            continue;
        }
        let documents = documents_of(&rig, key)?;
        found.extend(documents.into_iter().map(|document| RigDocument {
            rig: rig.name().to_owned(),
            document,
        }));
    }
    Ok(found)
}

/// Returns the ref that will keep the documents of a name if its convoy lands now.
pub fn future_rescue_ref(rig: &Rig, key: &str) -> Result<Option<String>, GitError> {
    let reference = document_ref(key);
    let name = reference.rsplit('/').next().unwrap_or("");
    let commit = rig.git().resolve(&reference)?;
    Ok(commit.map(|commit| rescue_ref_of(rig.name(), name, &commit)))
}
