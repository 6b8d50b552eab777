//! `bd mol`: one file per subcommand.

mod bond;
mod burn;
mod current;
mod distill;
mod last_activity;
pub(super) mod pour;
mod progress;
mod ready;
mod seed;
pub(super) mod show;
mod squash;
mod stale;
pub(super) mod wisp;

pub(super) use ready::{list_gated, list_ready_steps};

use crate::context::Context;
use bd::bead::Bead;
use bd::formula::FormulaSearchPath;
use bd::formula::vars::VarValues;
use bd::molecule::template;
use bd::store::Tx;
use kit::cli::report::CommandResult;
use kit::failure::UsageError;

kit::family! {
    /// Run workflows: molecules and their steps
    ///
    /// A formula is poured into a molecule, whose steps are beads: `bd mol pour FORMULA`. `bd mol
    /// current` shows where you are, `bd close STEP --continue` closes a step and begins the next.
    /// `bd mol wisp` makes the same beads on this machine only; `bd mol squash` leaves one bead of
    /// them, `bd mol burn` none.
    Args:
    #[command(visible_alias = "run")]
    Pour => pour,
    Wisp => wisp,
    Bond => bond,
    Current => current,
    Progress => progress,
    Show => show,
    Ready => ready,
    Squash => squash,
    Burn => burn,
    Stale => stale,
    Distill => distill,
    LastActivity => last_activity,
    #[command(hide = true)]
    Seed => seed,
}

/// Returns the formulas that this command can use.
pub(super) fn build_search_path(ctx: &Context, given: &[String]) -> FormulaSearchPath {
    let beads = ctx.project().ok().map(|found| found.dir.as_path());
    FormulaSearchPath::new(&ctx.env, beads, given)
}

/// Parses the values of --var.
pub(super) fn parse_vars(given: &[String]) -> Result<VarValues, UsageError> {
    template::read_values(given).map_err(UsageError)
}

/// Resolves an id to its bead within a transaction.
fn resolve_bead(tx: &Tx<'_>, given: &str) -> anyhow::Result<Bead> {
    let found = tx.resolve(given).cloned();
    found.map_err(|error| anyhow::Error::from(error).context(format!("resolving {given}")))
}
