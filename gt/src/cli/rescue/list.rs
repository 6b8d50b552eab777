//! `gt rescue list`.

use bd::git::rescue::Rescue;
use bd::git::{Git, rescue};
use bd::ui::escape;
use serde::Serialize;

use super::super::{Answer, answer};
use crate::cli::context::Context;
use crate::flow::crew;

/// List saved work
///
/// Rescue refs are made before a sandbox is reset, snapshots when a session ends. Each is listed with its worker and its bead, if known. With `--json` an array of
/// {ref, rig, commit, saved_at, subject, polecat?, bead?}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only work of this rig
    rig: Option<String>,
}

#[derive(Serialize)]
struct Row {
    #[serde(rename = "ref")]
    reference: String,
    rig: String,
    commit: String,
    saved_at: String,
    subject: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    polecat: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bead: Option<String>,
}

/// The worker whose work a ref holds, and the bead that it was on last, as far as name and message say so.
fn whose(reference: &str, subject: &str) -> (Option<String>, Option<String>) {
    // refs/gt/<kind>/<rig>/polecats/<name>/…
    let mut parts = reference.split('/').skip(4);
    let (Some("polecats"), Some(polecat)) = (parts.next(), parts.next()) else {
        return (None, None);
    };
    let last = parts.next().unwrap_or_default();
    let bead = if reference.starts_with("refs/gt/snap/") {
        subject.rsplit_once(" on ").map(|(_, bead)| bead)
    } else {
        last.split_once('-').map(|(_, bead)| bead)
    };
    let bead = bead.filter(|bead| !bead.is_empty());
    (Some(polecat.to_owned()), bead.map(str::to_owned))
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    let town = ctx.town()?;
    let rigs = match &args.rig {
        Some(name) => vec![town.rig(name)?],
        None => town.rigs()?,
    };
    let mut rows = Vec::new();
    for rig in rigs {
        let row = |saved: Rescue| {
            let (polecat, bead) = whose(&saved.refname, &saved.subject);
            Row {
                reference: saved.refname,
                rig: rig.name().to_owned(),
                commit: saved.commit,
                saved_at: saved.time.to_string(),
                subject: saved.subject,
                polecat,
                bead,
            }
        };
        let git = Git::at(rig.repo());
        for kind in ["rescue", "snap"] {
            let found = rescue::list(&git, &format!("refs/gt/{kind}/{}/", rig.name()))?;
            rows.extend(found.into_iter().map(row));
        }
        // What crew had not committed is in their own clones.
        for name in crew::names(&rig) {
            let prefix = format!("refs/gt/snap/{}/crew/{name}/", rig.name());
            let found = rescue::list(&Git::at(rig.crew(&name)), &prefix)?;
            rows.extend(found.into_iter().map(row));
        }
    }
    answer(rows, |rows, page| {
        if rows.is_empty() {
            page.line("nothing is saved");
        }
        for row in rows {
            page.line(format!(
                "{}  {:.12}  {}",
                row.reference, row.commit, row.saved_at
            ));
            let whose = match (&row.polecat, &row.bead) {
                (Some(name), Some(bead)) => format!("{}/{name}, last on {bead}: ", row.rig),
                (Some(name), None) => format!("{}/{name}: ", row.rig),
                (None, _) => String::new(),
            };
            page.cut_line(format!(
                "  {}{}",
                escape::line(&whose),
                escape::line(&row.subject)
            ));
        }
    })
}
