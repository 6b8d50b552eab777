//! `gt hooks`: manages the hooks by which agent programs call `gt`.

mod diff;
mod install;
mod status;
mod sync;

use super::CommandResult;
use crate::context::Context;

kit::family! {
    /// Show and install the hooks by which agents call `gt`
    ///
    /// Hooks are in settings files beside the work trees, one per role. Each start of a session
    /// adds missing hooks and keeps all other keys of the file. (The folder `hooks/` of a town or a
    /// rig is different: it has the programs that run at the town's events.)
    Args:
    #[command(alias = "list")]
    Status => status,
    Diff => diff,
    Install => install,
    Sync => sync,
}

/// Reports the hooks that were added to settings files.
fn report_installed_hooks(changed: Vec<gt::host::runtime::installed::RoleHooks>) -> CommandResult {
    super::build_report(changed, |changed, page| {
        if changed.is_empty() {
            page.line("nothing was missing");
        }
        for hooks in changed {
            page.line(format!("✓ {}  {}", hooks.target, hooks.display_path()));
        }
    })
}
