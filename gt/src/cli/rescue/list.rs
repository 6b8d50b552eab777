//! `gt rescue list`.

use bd::git::rescue::Rescue;
use bd::git::{Git, rescue};
use bd::ui::escape;
use clap::Args;
use serde::Serialize;

use super::super::{Answer, answer};
use crate::context::Context;
use crate::crew;

/// List saved work: rescue refs, made before a sandbox was reset, and snapshots of sessions that ended.
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Only of this rig.
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
}

pub(super) fn run(ctx: &Context, args: &ListArgs) -> Answer {
    let town = ctx.town()?;
    let rigs = match &args.rig {
        Some(name) => vec![town.rig(name)?],
        None => town.rigs()?,
    };
    let mut rows = Vec::new();
    for rig in rigs {
        let row = |saved: Rescue| Row {
            reference: saved.refname,
            rig: rig.name().to_owned(),
            commit: saved.commit,
            saved_at: saved.time.to_string(),
            subject: saved.subject,
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
            page.cut_line(format!("  {}", escape::line(&row.subject)));
        }
    })
}
