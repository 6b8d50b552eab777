//! Discovery documents: notes that explorers and planners of a convoy write to `.gt/discovery/` for
//! later workers.
//!
//! No file below a `.gt/` reaches a target branch, and no such file is lost before its convoy has
//! landed.
//!
//! 1. `gt prime` names the file to explorers and planners ([`is_discovery_work`], [`path_of`]).
//! 2. `gt done` takes the uncommitted documents of the sandbox ([`take_documents`]). The queue
//!    takes committed ones out of the commits that it lands ([`keep_committed`]). Both write to
//!    `refs/gt/discovery/<convoy>`, on top of its content. Only the convoy's own integration branch
//!    may hold such files until the convoy lands.
//! 3. A sling writes the documents into the sandbox, untracked ([`place_documents`]). `gt prime`
//!    lists them ([`list_sandbox_documents`]).
//! 4. Before a push to a target, every commit is checked ([`check_landing`]).
//! 5. The sync of beads also pushes the refs to origin under the same names. A sling fetches the
//!    documents of other towns ([`send_all`], [`receive_documents`]).
//! 6. Landing removes the ref. Its content stays on a rescue ref ([`retire_documents`]).

mod door;
mod exchange;
mod keep;
mod list;
mod sandbox;

use std::path::PathBuf;

use bd::bead::Bead;
use bd::git::{GitError, Identity};
use bd::store::Snapshot;
use kit::sys::InsideError;

pub use door::{LandingCheckError, WouldLand, check_landing, keep_committed};
pub use exchange::{receive_documents, send_all};
pub use keep::{KeptDocuments, retire_documents, retire_landed_documents};
pub use list::{KeptDocument, RigDocument, documents_of, documents_of_all, future_rescue_ref};
pub use sandbox::{
    SandboxDocument, clear_documents, commit_documents, list_sandbox_documents, place_documents,
    take_documents,
};

use crate::record;
use crate::town::config::SettingsLayers;
use crate::town::{Rig, RigLayout};

/// Returns true if the documents of a rig are pushed to its origin: the setting `discovery.push`.
pub fn is_sent(rig: &Rig) -> bool {
    SettingsLayers::load(rig.town(), Some(rig)).is_ok_and(|layers| {
        let value = layers.checked_value("discovery.push");
        value.is_ok_and(|value| value == true)
    })
}

/// Returns the git identity for commits that no worker makes.
pub fn machine_identity(rig: &RigLayout) -> Identity {
    Identity {
        name: format!("{}/refinery", rig.name()),
        email: "refinery@gastown.local".to_owned(),
    }
}

#[derive(Debug, thiserror::Error)]
pub enum DiscoveryError {
    #[error(transparent)]
    Git(#[from] GitError),
    /// A file cannot be read or written.
    #[error("cannot use {}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// A file of the sandbox cannot be written.
    #[error(transparent)]
    Inside(#[from] InsideError),
}

/// Words in the type, labels or title of a bead that mark exploring or planning.
const DISCOVERY_WORDS: [&str; 30] = [
    "analyse",
    "analysis",
    "analyze",
    "architecture",
    "assess",
    "audit",
    "compare",
    "design",
    "discover",
    "discovery",
    "evaluate",
    "evaluation",
    "exploration",
    "explore",
    "exploring",
    "feasibility",
    "investigate",
    "investigation",
    "plan",
    "planning",
    "proposal",
    "prototype",
    "reconnaissance",
    "research",
    "rfc",
    "roadmap",
    "scout",
    "spike",
    "study",
    "survey",
];

/// The maximum length of a slug in characters.
const MAX_SLUG: usize = 60;

/// Returns true if the path of a repository is a `.gt/` or is below one.
pub fn is_in_gt_folder(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/')
        .any(|part| part.eq_ignore_ascii_case(b".gt"))
}

/// Returns true if a bead explores or plans, by its type, its labels or its title.
pub fn is_discovery_work(bead: &Bead) -> bool {
    has_discovery_word(bead.issue_type.as_str())
        || has_discovery_word(&bead.title)
        || bead.labels.iter().any(|label| has_discovery_word(label))
}

fn has_discovery_word(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
        .any(|word| DISCOVERY_WORDS.contains(&word.as_str()))
}

/// Returns the document's path for a bead: `.gt/discovery/<slug>.md`.
pub fn path_of(bead: &Bead) -> String {
    let slug = match slug_of_title(&bead.title) {
        empty if empty.is_empty() => slug_of_title(&bead.id),
        slug => slug,
    };
    format!(".gt/discovery/{slug}.md")
}

/// Converts a title for a file name: lower case, with every run of other characters than letters
/// and digits as one `-`.
fn slug_of_title(title: &str) -> String {
    let mut slug = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let cut: String = slug.chars().take(MAX_SLUG).collect();
    cut.trim_end_matches('-').to_owned()
}

/// Returns the name under which documents of a bead are kept: its convoy's id, or its own id if no
/// open convoy tracks it.
pub fn key_of(town: &Snapshot, bead: &str) -> String {
    record::convoy::convoys_tracking(town, bead)
        .into_iter()
        .next()
        .unwrap_or_else(|| bead.to_owned())
}

/// Returns the ref that keeps the documents of a name.
pub fn document_ref(key: &str) -> String {
    let mut name: String = key
        .chars()
        .map(|c| match c {
            '-' | '_' | '.' => c,
            c if c.is_ascii_alphanumeric() => c,
            _ => '-',
        })
        .collect();
    // Replaces sequences that git refuses in a ref.
    while name.contains("..") {
        name = name.replace("..", ".");
    }
    let name = name.trim_matches('.').trim_end_matches(".lock");
    format!("refs/gt/discovery/{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bead(title: &str) -> Bead {
        Bead {
            id: "web-1".to_owned(),
            title: title.to_owned(),
            ..Bead::default()
        }
    }

    #[test]
    fn a_slug_has_letters_digits_and_single_hyphens() {
        let path = |title| path_of(&bead(title));
        assert_eq!(
            path("Explore codebase & plan: Architecture (v2)!"),
            ".gt/discovery/explore-codebase-plan-architecture-v2.md"
        );
        assert_eq!(path("../../etc/passwd"), ".gt/discovery/etc-passwd.md");
        assert_eq!(path("Über  Größe"), ".gt/discovery/über-größe.md");
        assert_eq!(path("!!!"), ".gt/discovery/web-1.md");
        let long = path(&"word ".repeat(40));
        assert!(long.len() < 80 && !long.contains("-.md"), "{long}");
    }

    #[test]
    fn type_labels_or_title_mark_a_bead_as_exploration_or_planning() {
        assert!(is_discovery_work(&bead("Explore the parser")));
        assert!(is_discovery_work(&bead("Write the PLAN: phases")));
        assert!(!is_discovery_work(&bead("Fix the planet's orbit")));
        assert!(!is_discovery_work(&bead("Explain nothing")));
        let labelled = Bead {
            labels: vec!["kind:research".to_owned()],
            ..bead("Read it")
        };
        assert!(is_discovery_work(&labelled));
        let typed = Bead {
            issue_type: "spike".into(),
            ..bead("Read it")
        };
        assert!(is_discovery_work(&typed));
    }

    #[test]
    fn only_files_below_a_gt_folder_are_selected() {
        for path in [".gt", ".gt/discovery/x.md", "sub/.gt/y", ".GT/z"] {
            assert!(is_in_gt_folder(path.as_bytes()), "{path}");
        }
        for path in ["gt/x", ".gtx/y", "x.gt", "docs/.gt.md", ""] {
            assert!(!is_in_gt_folder(path.as_bytes()), "{path}");
        }
    }

    #[test]
    fn every_name_gives_a_valid_git_ref() {
        assert_eq!(document_ref("hq-cv-abc12"), "refs/gt/discovery/hq-cv-abc12");
        assert_eq!(document_ref("web-1.2"), "refs/gt/discovery/web-1.2");
        assert_eq!(document_ref("a/..b c.lock"), "refs/gt/discovery/a-.b-c");
    }
}
