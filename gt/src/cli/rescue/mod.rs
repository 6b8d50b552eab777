//! `gt rescue`: work that was saved before a sandbox was reset or a session ended.

mod drop;
mod list;
mod restore;

use bd::git::Git;

use super::Answer;
use crate::cli::context::Context;
use crate::flow::crew;
use crate::host::LiveTown;
use crate::town::RigLayout;

bd::family! {
    /// List, restore and drop saved work
    Args:
    List => list,
    Restore => restore,
    Drop => drop,
}

/// The rig of a rescue ref, `refs/gt/rescue/<rig>/…` with or without `refs/gt/`, the ref, and the repository that
/// holds it: the rig's, or the clone of the crew member whose work it is.
fn locate(town: &LiveTown, text: &str) -> anyhow::Result<(RigLayout, String, Git)> {
    let rest = text.strip_prefix("refs/gt/").unwrap_or(text);
    let mut parts = rest.split('/');
    let kind = parts.next().unwrap_or_default();
    anyhow::ensure!(
        matches!(kind, "rescue" | "snap"),
        "`{text}` is no rescue ref (gt rescue list shows them)"
    );
    let rig = town.rig(parts.next().unwrap_or_default())?;
    let git = match (parts.next(), parts.next()) {
        (Some("crew"), Some(name)) if crew::names(&rig).iter().any(|known| known == name) => {
            Git::at(rig.crew(name))
        }
        _ => Git::at(rig.repo()),
    };
    Ok((rig, format!("refs/gt/{rest}"), git))
}
