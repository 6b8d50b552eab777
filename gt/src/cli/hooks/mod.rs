//! `gt hooks`: what makes agent programs call `gt`.

mod diff;
mod install;
mod status;
mod sync;

use super::Answer;
use crate::cli::context::Context;

bd::family! {
    /// Show and install what makes agent programs call `gt`: their hooks.
    ///
    /// They lie in settings files beside the work trees, one for each role. Every start of a session adds what is missing of
    /// ours; what else is in such a file stays, key by key. (`hooks/` of a town or a rig is another thing: what runs at the
    /// events of the town.)
    Args:
    #[command(alias = "list")]
    Status => status,
    Diff => diff,
    Install => install,
    Sync => sync,
}

/// What was added to settings files.
fn changed(changed: Vec<crate::host::runtime::installed::Hooks>) -> Answer {
    super::answer(changed, |changed, page| {
        if changed.is_empty() {
            page.line("nothing was missing");
        }
        for hooks in changed {
            page.line(format!("✓ {}  {}", hooks.target, hooks.place()));
        }
    })
}
