//! Finds the user's editor, which is the one that git uses, and whether it needs a terminal.

use kit::sys::Env;

use super::Git;

/// Editors that always draw in a terminal, and wait for keys forever without one.
const TERMINAL_EDITORS: [&str; 8] = ["nano", "pico", "micro", "hx", "helix", "kak", "joe", "ne"];

/// Flags with which editors of the family of vi draw nothing.
const SILENT_FLAGS: [&str; 3] = ["-es", "-Es", "--headless"];

/// Flags with which Emacs draws in the terminal instead of a window.
const EMACS_FLAGS: [&str; 5] = ["-nw", "--no-window-system", "-t", "--tty", "--terminal"];

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
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("");
    let name = program.rsplit('/').next().unwrap_or(program);
    let flags: Vec<&str> = words.collect();
    let has_one_of = |wanted: &[&str]| flags.iter().any(|flag| wanted.contains(flag));
    match name {
        "emacs" | "emacsclient" => has_one_of(&EMACS_FLAGS),
        "vi" | "vim" | "view" | "nvim" => {
            let is_silent = has_one_of(&["-e", "-E"]) && has_one_of(&["-s"]);
            !is_silent && !has_one_of(&SILENT_FLAGS)
        }
        name => TERMINAL_EDITORS.contains(&name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_and_editors_with_a_window_need_no_terminal() {
        for editor in [
            "vi",
            "/usr/bin/vim -u NONE",
            "vim -s keys",
            "nano",
            "emacs -nw",
            "emacsclient -t",
        ] {
            assert!(needs_terminal(editor), "{editor}");
        }
        for editor in [
            "sed -i s/a/b/",
            "ed -s",
            "vim -es -S script",
            "vim -E -s",
            "nvim --headless +wq",
            "emacs",
            "code --wait",
            "sh ./vi.sh",
            "true",
            "",
        ] {
            assert!(!needs_terminal(editor), "{editor}");
        }
    }
}
