//! `bd config`: one file per subcommand.

mod get;
mod list;
mod set;
mod set_many;
mod unset;
mod validate;

use crate::context::Context;
use kit::cli::report::CommandResult;

kit::family! {
    /// Show and change settings
    ///
    /// The first source that has a value applies: a flag, an environment variable (`sync.mode` is
    /// `BD_SYNC_MODE`), `config.local.yaml`, `config.yaml`, the built-in value. Settings that name
    /// a program (gate.*-command, mail.delegate) count in your own ~/.config/bd/config.yaml instead
    /// of the files of the project.
    Args:
    Get => get,
    #[command(alias = "show")]
    List => list,
    Set => set,
    SetMany => set_many,
    Unset => unset,
    Validate => validate,
}
