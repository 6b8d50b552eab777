//! Finds the user's editor: the one that git uses.

use bd::git::Git;
use kit::sys::Env;

/// Returns the command line of the editor: GIT_EDITOR, git's setting core.editor, VISUAL, EDITOR,
/// else vi.
pub fn choose_editor(env: &Env) -> String {
    let variable = |name: &str| env.get(name).map(str::to_owned);
    variable("GIT_EDITOR")
        .or_else(|| Git::at(env.cwd()).config_get("core.editor").ok().flatten())
        .or_else(|| variable("VISUAL"))
        .or_else(|| variable("EDITOR"))
        .unwrap_or_else(|| "vi".to_owned())
}
