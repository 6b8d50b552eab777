//! Finds the user's editor: the one that git uses.

use bd::git::Git;
use kit::sys::Env;

/// Returns the command line of the editor: GIT_EDITOR, git's setting core.editor, VISUAL, EDITOR,
/// else vi.
pub fn choose_editor(env: &Env) -> String {
    env.get("GIT_EDITOR")
        .map(str::to_owned)
        .or_else(|| Git::at(env.cwd()).config_get("core.editor").ok().flatten())
        .or_else(|| env.get("VISUAL").or(env.get("EDITOR")).map(str::to_owned))
        .unwrap_or_else(|| "vi".to_owned())
}
