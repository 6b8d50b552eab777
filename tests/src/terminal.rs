//! A terminal that a user types into: a session of a tmux server of its own.

use std::path::Path;

use crate::{Town, eventually};

/// A terminal with a command in it. Ends with the value.
pub struct Terminal<'t> {
    town: &'t Town,
}

impl<'t> Terminal<'t> {
    /// Runs a shell line in a folder, with the programs of the town on `PATH`.
    pub fn run(town: &'t Town, folder: &Path, line: &str) -> Self {
        Self::run_with_columns(town, folder, line, 200)
    }

    /// Does the same in a terminal of this width.
    pub fn run_with_columns(town: &'t Town, folder: &Path, line: &str, columns: u16) -> Self {
        let terminal = Self { town };
        let columns = columns.to_string();
        let bin = town.path("bin");
        let line = format!("PATH={}:$PATH; export PATH; {line}; exec sh", bin.display());
        let size = [
            "new-session",
            "-d",
            "-s",
            "user",
            "-x",
            &columns,
            "-y",
            "50",
        ];
        terminal.tmux().at(folder).args(size).args([&*line]).ok();
        terminal
    }

    fn tmux(&self) -> crate::Run {
        self.town.program_on_path("tmux").args(["-L", "user"])
    }

    pub fn screen(&self) -> String {
        let args = ["capture-pane", "-p", "-t", "=user:"];
        self.tmux().args(args).ok().out
    }

    /// The title of the terminal, and whether tmux has seen its bell.
    pub fn title_and_bell(&self) -> (String, bool) {
        let args = ["display-message", "-p", "-t", "=user:"];
        let format = "#{window_bell_flag}#{pane_title}";
        let out = self.tmux().args(args).args([format]).ok().out;
        let (bell, title) = out.trim_end().split_at(1);
        (title.to_owned(), bell == "1")
    }

    /// Waits until the screen has a text.
    pub fn wait_for(&self, text: &str) {
        eventually(text, || self.screen().contains(text).then_some(()));
    }

    /// Waits for a question, and answers it with a line.
    pub fn answer(&self, question: &str, line: &str) {
        self.wait_for(question);
        self.press(&[line, "Enter"]);
    }

    /// Types a text after `/`, the key of `gt top` for a search.
    pub fn search(&self, text: &str) {
        self.press(&["/"]);
        self.press(&["-l", text]);
        self.press(&["Enter"]);
    }

    /// Presses keys, named as tmux names them.
    pub fn press(&self, keys: &[&str]) {
        let args = ["send-keys", "-t", "=user:"];
        self.tmux().args(args).args(keys.iter().copied()).ok();
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        self.tmux().args(["kill-server"]).run();
    }
}
