//! `bd template`: protos under their older name. One file per subcommand.

mod instantiate;
mod list;
mod show;

use crate::context::Context;
use kit::cli::report::CommandResult;

kit::family! {
    /// List, show and pour protos: workflows that are kept as beads
    ///
    /// `bd cook FORMULA --persist` makes a proto. `bd mol` does the same as this command and more.
    Args:
    List => list,
    Show => show,
    Instantiate => instantiate,
}
