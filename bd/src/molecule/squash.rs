//! Squashes a molecule: replaces its wisps by one durable bead, the digest.

use super::progress::{self, MoleculeProgress, MoleculeStep};
use super::{MoleculeError, burn};
use crate::bead::{Bead, DepKind, Kind, Status};
use crate::change::{self, ChangeError, NewBead};
use crate::store::Tx;

/// The label of a digest.
pub const LABEL: &str = "digest";

/// The maximum length of a step's text in a digest, in bytes.
const EXCERPT: usize = 200;

/// The options of a squash.
#[derive(Debug, Clone, Default)]
pub struct SquashRequest {
    /// The text of the digest; empty to generate it from the steps.
    pub summary: String,
    pub keep_children: bool,
}

#[derive(Debug, Clone, Default)]
pub struct SquashOutcome {
    pub molecule: String,
    /// The digest; `None` if there was nothing to squash.
    pub digest: Option<String>,
    /// The squashed wisps.
    pub ids: Vec<String>,
    pub deleted: usize,
    /// True if the molecule was a wisp and was removed with its steps.
    pub was_wisp: bool,
}

/// Squashes a molecule. A molecule without wisps stays unchanged. If the root is a wisp, it is
/// removed with its steps, and the digest has an edge to the bead that the molecule was attached
/// to.
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
    let steps: Vec<&MoleculeStep<'_>> = progress
        .steps
        .iter()
        .filter(|step| step.bead_ref.is_ephemeral())
        .collect();
    let mut done = SquashOutcome {
        molecule: root.to_owned(),
        was_wisp: bead.ephemeral,
        ..SquashOutcome::default()
    };
    if steps.is_empty() && !bead.ephemeral {
        return Ok(done);
    }
    done.ids = steps
        .iter()
        .map(|step| step.bead_ref.id().to_owned())
        .collect();
    let text = match request.summary.as_str() {
        "" => summarize_steps(&bead, &steps),
        given => given.to_owned(),
    };
    tx.describe("squash", "");
    let digest = create_digest(tx, &bead, text, done.ids.len())?;
    if !request.keep_children {
        let mut gone = done.ids.clone();
        if bead.ephemeral {
            gone.push(root.to_owned());
        }
        done.deleted = gone.len();
        burn::erase_wisps(tx, &gone)?;
    }
    done.digest = Some(digest);
    Ok(done)
}

fn create_digest(
    tx: &mut Tx<'_>,
    root: &Bead,
    text: String,
    count: usize,
) -> Result<String, MoleculeError> {
    let reason = format!("Squashed from {}", format_step_count(count));
    let deps = if root.ephemeral {
        // The digest is in git and the molecule is not, so the digest is linked to the work bead of
        // the molecule.
        let tracked = root
            .edges(&DepKind::Tracks)
            .map(|edge| edge.depends_on_id.clone());
        let tracked = tracked.filter(|id| tx.get_live(id).is_some_and(|bead| !bead.ephemeral));
        tracked.map(|id| (DepKind::Related, id)).collect()
    } else {
        vec![(DepKind::ParentChild, root.id.clone())]
    };
    let title = crate::bead::validate::fit_to_title(&format!("Digest: {}", root.title));
    let mut made = change::create_bead(
        tx,
        NewBead {
            title,
            description: text,
            priority: root.priority,
            issue_type: Kind::Task,
            assignee: root.assignee.clone(),
            labels: vec![LABEL.to_owned()],
            source_formula: root.source_formula.clone(),
            deps,
            ..NewBead::default()
        },
    )?;
    let now = tx.now();
    change::mark_closed(&mut made, &reason, &now);
    let id = made.id.clone();
    tx.put(made)?;
    Ok(id)
}

/// Describes the outcome of each step.
fn summarize_steps(root: &Bead, steps: &[&MoleculeStep<'_>]) -> String {
    let closed = steps.iter().filter(|step| !step.bead_ref.is_open()).count();
    let begun = steps
        .iter()
        .filter(|step| step.state == progress::StepState::Current)
        .count();
    let mut text = format!(
        "## Molecule Execution Summary\n\n**Molecule**: {}\n**Steps**: {}\n**Completed**: {closed}/{}\n",
        root.title,
        steps.len(),
        steps.len()
    );
    if begun > 0 {
        text.push_str(&format!("**In Progress**: {begun}\n"));
    }
    text.push_str("\n### Steps\n");
    for (number, step) in steps.iter().enumerate() {
        let Some(bead) = step.bead_ref.bead() else {
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
        let says_more = bead.status == Status::Closed
            && !bead.close_reason.is_empty()
            && bead.close_reason != "Closed";
        if says_more {
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
    if line.len() <= EXCERPT {
        return line;
    }
    let mut end = EXCERPT - 3;
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}...", &line[..end])
}

fn format_step_count(count: usize) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} wisp{end}")
}
