//! Finds the user's editor, which is the one that git uses, and whether it needs a terminal.

use kit::sys::Env;

use super::Git;

/// Editors that draw in a terminal, and wait for keys forever without one.
const TERMINAL_EDITORS: [&str; 13] = [
    "vi", "vim", "view", "nvim", "nano", "pico", "micro", "hx", "helix", "kak", "joe", "ne", "ed",
];

/// Returns the command line of the editor: GIT_EDITOR, git's setting core.editor, VISUAL, EDITOR,
/// else vi.
pub fn choose_editor(env: &Env) -> String {
    env.get("GIT_EDITOR")
        .map(str::to_owned)
        .or_else(|| Git::at(env.cwd()).config_get("core.editor").ok().flatten())
        .or_else(|| env.get("VISUAL").or(env.get("EDITOR")).map(str::to_owned))
        .unwrap_or_else(|| "vi".to_owned())
}

/// Returns true if the editor of this command line draws in a terminal. Scripts and editors with a
/// window do not.
pub fn needs_terminal(editor: &str) -> bool {
    let program = editor.split_whitespace().next().unwrap_or("");
    let name = program.rsplit('/').next().unwrap_or(program);
    TERMINAL_EDITORS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_and_editors_with_a_window_need_no_terminal() {
        for editor in ["vi", "/usr/bin/vim -u NONE", "nano"] {
            assert!(needs_terminal(editor), "{editor}");
        }
        for editor in ["sed -i s/a/b/", "code --wait", "sh ./vi.sh", "true", ""] {
            assert!(!needs_terminal(editor), "{editor}");
        }
    }
}
