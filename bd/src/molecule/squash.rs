//! Squashes a molecule: replaces its wisps by one durable bead, the digest.

use super::progress::{self, MoleculeProgress, MoleculeStep};
use super::{MoleculeError, burn};
use crate::bead::id::prefix_of;
use crate::bead::{Bead, DepKind, Kind, Status};
use crate::change::{self, ChangeError, NewBead};
use crate::store::Tx;
use kit::ui::counted;
use kit::ui::cut::first_bytes;

/// The label of a digest.
pub const DIGEST_LABEL: &str = "digest";

/// The start of a section of a daily digest, before the id of a bead.
const SECTION_START: &str = "\n# ";

/// The maximum length of a step's description in a digest, in bytes.
const MAX_EXCERPT_LEN: usize = 200;

/// The options of a squash.
#[derive(Debug, Clone, Default)]
pub struct SquashRequest {
    /// The text of the digest; empty to generate it from the wisps.
    pub summary: String,
    /// Keep the wisps beside the digest.
    pub keep_children: bool,
    /// Add to the local digest of the day, which is a wisp, instead of creating a bead.
    pub daily: bool,
}

#[derive(Debug, Clone, Default)]
pub struct SquashOutcome {
    pub molecule: String,
    /// The digest; `None` if there was nothing to squash.
    pub digest: Option<String>,
    /// The squashed wisps.
    pub ids: Vec<String>,
    pub deleted: usize,
    /// True if the root was a wisp.
    pub was_wisp: bool,
}

/// Squashes a molecule: creates its digest, and erases its wisps unless `keep_children` is set. A
/// molecule without wisps stays unchanged. If the root is a wisp, it is erased too, and the digest
/// has an edge to the bead that the molecule was attached to.
pub fn squash_molecule(
    tx: &mut Tx<'_>,
    root: &str,
    request: &SquashRequest,
) -> Result<SquashOutcome, MoleculeError> {
    let bead = tx
        .get_live(root)
        .cloned()
        .ok_or_else(|| ChangeError::NotFound(root.to_owned()))?;
    let progress = MoleculeProgress::for_root(tx, root)
        .ok_or_else(|| ChangeError::NotFound(root.to_owned()))?;
    let wisps: Vec<&MoleculeStep<'_>> = progress
        .steps
        .iter()
        .filter(|step| step.bead_ref.is_ephemeral())
        .collect();
    let mut outcome = SquashOutcome {
        molecule: root.to_owned(),
        was_wisp: bead.ephemeral,
        ..SquashOutcome::default()
    };
    if wisps.is_empty() && !bead.ephemeral {
        return Ok(outcome);
    }
    outcome.ids = wisps
        .iter()
        .map(|wisp| wisp.bead_ref.id().to_owned())
        .collect();
    let description = match request.summary.as_str() {
        "" => summarize_wisps(&bead, &wisps),
        summary => summary.to_owned(),
    };
    tx.describe("squash", "");
    let digest = if request.daily {
        add_to_daily_digest(tx, &bead, &description)?
    } else {
        create_digest(tx, &bead, description, outcome.ids.len())?
    };
    if !request.keep_children {
        let mut erased_ids = outcome.ids.clone();
        if bead.ephemeral {
            erased_ids.push(root.to_owned());
        }
        outcome.deleted = erased_ids.len();
        burn::erase_wisps(tx, &erased_ids)?;
    }
    outcome.digest = Some(digest);
    Ok(outcome)
}

fn create_digest(
    tx: &mut Tx<'_>,
    root: &Bead,
    description: String,
    wisp_count: usize,
) -> Result<String, MoleculeError> {
    let reason = format!("Squashed from {}", counted(wisp_count, "wisp"));
    let deps = if root.ephemeral {
        // The digest is in git and the molecule is not, so the digest is linked to the bead that
        // the molecule was attached to.
        root.edges(&DepKind::Tracks)
            .map(|edge| edge.depends_on_id.clone())
            .filter(|id| tx.get_live(id).is_some_and(|bead| !bead.ephemeral))
            .map(|id| (DepKind::Related, id))
            .collect()
    } else {
        vec![(DepKind::ParentChild, root.id.clone())]
    };
    let title = crate::bead::validate::fit_to_title(&format!("Digest: {}", root.title));
    let mut digest = change::create_bead(
        tx,
        NewBead {
            title,
            description,
            priority: root.priority,
            issue_type: Kind::Task,
            assignee: root.assignee.clone(),
            labels: vec![DIGEST_LABEL.to_owned()],
            source_formula: root.source_formula.clone(),
            deps,
            ..NewBead::default()
        },
    )?;
    let now = tx.now();
    change::mark_closed(&mut digest, &reason, &now);
    let id = digest.id.clone();
    tx.put(digest)?;
    Ok(id)
}

/// Adds a section about the bead that the molecule was attached to to the digest of the day,
/// `<prefix>-wisp-digest-<date>`. Returns the id of the digest. It has no edge to the bead, because
/// `bd show` prints whole dependents.
fn add_to_daily_digest(
    tx: &mut Tx<'_>,
    root: &Bead,
    description: &str,
) -> Result<String, MoleculeError> {
    let day = tx.now().instant().strftime("%Y-%m-%d").to_string();
    let attached = root
        .edges(&DepKind::Tracks)
        .map(|edge| edge.depends_on_id.clone())
        .find(|id| tx.get_live(id).is_some_and(|bead| !bead.ephemeral));
    let work = attached.as_ref().unwrap_or(&root.id);
    let id = format!("{}-wisp-digest-{day}", prefix_of(work).unwrap_or("bd"));
    if tx.get_live(&id).is_none() {
        let mut digest = change::create_bead(
            tx,
            NewBead {
                id: Some(id.clone()),
                title: format!("Digest: steps of {day}"),
                labels: vec![DIGEST_LABEL.to_owned()],
                ephemeral: true,
                ..NewBead::default()
            },
        )?;
        let now = tx.now();
        change::mark_closed(&mut digest, "It collects the steps of ended work", &now);
        tx.put(digest)?;
    }
    let Some(mut digest) = tx.get_live(&id).cloned() else {
        return Err(ChangeError::NotFound(id).into());
    };
    // A line of a worker must not look like the start of a section.
    let description = format!("\n{description}").replace("\n# ", "\n  # ");
    digest.description = format!(
        "{}{SECTION_START}{work}\n{description}\n",
        digest.description
    );
    tx.put(digest)?;
    Ok(id)
}

/// Returns the section of a daily digest about the last molecule of a bead.
pub fn find_section<'a>(description: &'a str, bead: &str) -> Option<&'a str> {
    let start = format!("{SECTION_START}{bead}\n");
    let at = description.rfind(&start)?;
    let section = &description[at + start.len()..];
    Some(
        section
            .find(SECTION_START)
            .map_or(section, |end| &section[..end]),
    )
}

/// Describes the outcome of each wisp.
fn summarize_wisps(root: &Bead, wisps: &[&MoleculeStep<'_>]) -> String {
    let closed_count = wisps.iter().filter(|wisp| !wisp.bead_ref.is_open()).count();
    let current_count = wisps
        .iter()
        .filter(|wisp| wisp.state == progress::StepState::Current)
        .count();
    let mut text = format!(
        "## Molecule Execution Summary\n\n**Molecule**: {}\n**Steps**: {}\n**Completed**: {closed_count}/{}\n",
        root.title,
        wisps.len(),
        wisps.len()
    );
    if current_count > 0 {
        text.push_str(&format!("**In Progress**: {current_count}\n"));
    }
    text.push_str("\n### Steps\n");
    for (number, wisp) in wisps.iter().enumerate() {
        let Some(bead) = wisp.bead_ref.bead() else {
            continue;
        };
        text.push_str(&format!(
            "\n{}. **[{}]** {}\n",
            number + 1,
            bead.status,
            bead.title
        ));
        if !bead.description.is_empty() {
            text.push_str(&format!("   {}\n", cut_excerpt(&bead.description)));
        }
        let has_own_close_reason = bead.status == Status::Closed
            && !bead.close_reason.is_empty()
            && bead.close_reason != "Closed";
        if has_own_close_reason {
            text.push_str(&format!("   *Outcome*: {}\n", one_line(&bead.close_reason)));
        }
    }
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut_excerpt(text: &str) -> String {
    let line = one_line(text);
    if line.len() <= MAX_EXCERPT_LEN {
        return line;
    }
    format!("{}...", first_bytes(&line, MAX_EXCERPT_LEN - 3))
}
