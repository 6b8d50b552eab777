//! `bd formula`: one file per subcommand.

mod convert;
mod list;
mod new;
mod path;
mod show;
mod validate;

use crate::context::Context;
use kit::cli::report::CommandResult;

kit::family! {
    /// List, check and write formulas
    ///
    /// A formula is a workflow in a file `NAME.formula.toml` or `.json`. bd looks in the project's
    /// `.beads/formulas`, the town's, your home's, and the built-in ones; the first wins.
    /// `NAME@VERSION` asks for a version.
    Args:
    List => list,
    Show => show,
    Validate => validate,
    New => new,
    Path => path,
    Convert => convert,
}
