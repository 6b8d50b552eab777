//! The screen: the only writer of standard output and standard error.
//!
//! A command returns a [`Report`]; [`Ui`] shows it as text or as JSON, both built from one value.
//! Data goes to standard output, everything else to standard error. If the reader closed the
//! output, writing ends silently; any other failure of the output is an error of the command. Text
//! from a bead, a mail or a hook is escaped with [`escape`] before it is printed.

pub mod cut;
pub mod escape;
pub mod page;
pub mod plot;
pub mod style;
pub mod table;
pub mod time;
pub mod tree;

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};

pub use page::Page;
pub use style::Style;

use crate::failure::{FAILED, Failure};
pub use crate::json::to_pretty_json;
use crate::sys::{Clock, Env};

/// The report of a command.
pub trait Report {
    /// Converts the report to JSON. Keys are stable; an empty list is `[]`; `null` prints nothing.
    fn json(&self) -> serde_json::Value;
    /// Writes the report as text.
    fn human(&self, page: &mut Page);
    /// True if the report only confirms a change. `--quiet` leaves such reports out of the text.
    fn is_confirmation(&self) -> bool {
        false
    }
    /// The exit code of a command with this report.
    fn exit(&self) -> u8 {
        0
    }
}

/// Formats a number of things with the singular or plural of their name.
pub fn counted(count: usize, singular: &str) -> String {
    match singular.strip_suffix('y') {
        _ if count == 1 => format!("1 {singular}"),
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{count} {stem}ies"),
        _ => format!("{count} {singular}s"),
    }
}

/// The output streams and their styles.
#[derive(Debug)]
pub struct Ui {
    json: bool,
    quiet: bool,
    out_terminal: bool,
    width: Option<usize>,
    out_style: Style,
    err_style: Style,
    clock: Clock,
    output: Cell<OutputState>,
}

/// The state of standard output after the writes so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutputState {
    Open,
    /// The reader closed the output, which is no error.
    Closed,
    /// A write failed, and the error was printed.
    Failed,
}

impl Ui {
    /// Determines the settings from the environment: colour by `NO_COLOR`, `CLICOLOR`,
    /// `CLICOLOR_FORCE` and the type of the stream, width by `COLUMNS` or the terminal.
    pub fn new(json: bool, quiet: bool, env: &Env) -> Self {
        let out_terminal = io::stdout().is_terminal();
        let err_terminal = io::stderr().is_terminal();
        let columns = env.get("COLUMNS").and_then(|text| text.parse().ok());
        let width = columns.or_else(|| out_terminal.then(terminal_width).flatten());
        Self {
            json,
            quiet,
            out_terminal,
            width: width.filter(|width| *width >= 20),
            out_style: Style::choose(out_terminal, env),
            err_style: Style::choose(err_terminal, env),
            clock: Clock::choose(env.get("BD_NOW")),
            output: Cell::new(OutputState::Open),
        }
    }

    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Returns true if only data and errors are printed.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    pub fn is_terminal(&self) -> bool {
        self.out_terminal
    }

    /// Creates a progress bar for `count` things, named by the plural `noun`, on standard error.
    /// Hidden if standard error is not a terminal, and for short work.
    pub fn progress_bar(&self, count: usize, noun: &str) -> ProgressBar {
        if self.quiet || self.json || count < 5_000 {
            return ProgressBar::hidden();
        }
        let template = format!("{{bar:30.green}} {{human_pos}} of {{human_len}} {noun}");
        let style = ProgressStyle::with_template(&template)
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        ProgressBar::new(count as u64).with_style(style.progress_chars("━╸ "))
    }

    /// The width of the output, if known.
    pub fn known_width(&self) -> Option<usize> {
        self.width
    }

    /// Creates an empty page with the width and style of standard output.
    pub fn page(&self) -> Page {
        Page::new(self.width, self.out_style.clone()).with_now(self.clock.now())
    }

    pub fn show(&self, report: &dyn Report) {
        if self.json {
            let value = report.json();
            if !value.is_null() {
                self.raw(&to_pretty_json(&value));
            }
        } else if !(self.quiet && report.is_confirmation()) {
            let mut page = self.page();
            report.human(&mut page);
            self.raw(page.text());
        }
    }

    /// Writes text unchanged to standard output. Returns false if the output is closed.
    pub fn stream(&self, text: &str) -> bool {
        self.raw(text);
        self.output.get() == OutputState::Open
    }

    /// Draws a page over the previous one, with as many lines as the screen has. Without a
    /// terminal, writes it below the previous one, after a blank line. Returns false if the output
    /// is closed.
    pub fn redraw(&self, page: &Page, is_first: bool) -> bool {
        if !self.out_terminal {
            return self.stream(&format!("{}\n", page.text()));
        }
        let rows = terminal_rows().unwrap_or(usize::MAX).saturating_sub(1);
        let all = page.text().lines().count();
        let mut out = if is_first {
            "\u{1b}[2J\u{1b}[H"
        } else {
            "\u{1b}[H"
        }
        .to_owned();
        let shown = if all > rows {
            rows.saturating_sub(1)
        } else {
            all
        };
        for line in page.text().lines().take(shown) {
            out.push_str(line);
            out.push_str("\u{1b}[K\n");
        }
        if all > shown {
            out.push_str(&format!(
                "… and {}\u{1b}[K\n",
                counted(all - shown, "more line")
            ));
        }
        // The rest of the screen belongs to an older page.
        out.push_str("\u{1b}[J");
        self.stream(&out)
    }

    pub fn raw(&self, text: &str) {
        if self.output.get() != OutputState::Open || text.is_empty() {
            return;
        }
        let mut out = io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        match written {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.output.set(OutputState::Closed);
            }
            Err(error) => {
                self.output.set(OutputState::Failed);
                let error = anyhow::Error::new(error).context("cannot write to standard output");
                self.error(&Failure::unclassified(&error));
            }
        }
    }

    /// Returns the exit code of a command that ends with `code`: an output that could not be
    /// written makes a success a failure.
    pub fn exit_code(&self, code: u8) -> ExitCode {
        let is_incomplete = self.output.get() == OutputState::Failed;
        ExitCode::from(if is_incomplete && code == 0 {
            FAILED
        } else {
            code
        })
    }

    /// Prints a progress message on standard error, unless output is quiet.
    pub fn status(&self, text: &str) {
        if !self.quiet {
            Self::err(text);
        }
    }

    /// Prints a warning on standard error. Escapes ids and field names in it, which may be foreign
    /// text.
    pub fn warn(&self, text: &str) {
        let mark = self.err_style.yellow("Warning:");
        Self::err(&format!("{mark} {}", escape::escape_block(text)));
    }

    /// Writes a line unchanged to standard error.
    pub fn problem(&self, text: &str) {
        Self::err(text);
    }

    /// Prints the error of a failed command on standard error, as one JSON object if output is
    /// JSON.
    pub fn error(&self, failure: &Failure) {
        if self.json {
            Self::err(to_pretty_json(&failure.json()).trim_end());
            return;
        }
        let mark = self.err_style.red("Error:");
        Self::err(&format!(
            "{mark} {}",
            escape::escape_block(&failure.message)
        ));
        if let Some(hint) = &failure.hint {
            let mark = self.err_style.dim("Hint:");
            Self::err(&format!("{mark} {}", escape::escape_block(hint)));
        }
    }

    /// Prints the result of a command line without a command to run: help on standard output, an
    /// error on standard error in the form of our own errors. Returns the exit code.
    pub fn command_line(&self, error: &clap::Error) -> u8 {
        let text = error.render().to_string();
        let is_help =
            error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
        if is_help {
            Self::err(text.trim_end());
        } else if error.use_stderr() {
            let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
            let mark = self.err_style.red("Error:");
            Self::err(&format!(
                "{mark} {}",
                text.replace("\n  tip: ", "\n  Hint: ")
                    .replace("\n\n\n", "\n\n")
            ));
        } else {
            self.raw(&text);
        }
        u8::try_from(error.exit_code()).unwrap_or(2)
    }

    fn err(text: &str) {
        // Without standard error there is nowhere to report the failure.
        writeln!(io::stderr().lock(), "{text}").ok();
    }
}

/// Prints once on standard error that a remote has not answered yet.
pub fn report_slow_remote(url: &str) {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        Ui::err(&format!(
            "Hint: still waiting for the remote {} …",
            escape::escape_line(url)
        ));
    });
}

fn terminal_rows() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    (size.ws_row > 0).then(|| usize::from(size.ws_row))
}

fn terminal_width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    (size.ws_col > 0).then(|| usize::from(size.ws_col))
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn a_number_has_the_plural_of_its_noun() {
        assert_eq!(counted(1, "repository"), "1 repository");
        assert_eq!(counted(2, "repository"), "2 repositories");
        assert_eq!(counted(0, "closed bead"), "0 closed beads");
        assert_eq!(counted(3, "convoy"), "3 convoys");
    }
}
