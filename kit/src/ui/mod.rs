//! The screen: the only writer of standard output and standard error.
//!
//! A command returns a [`Report`]; [`Ui`] shows it as text or as JSON, both made from one value. Data goes
//! to standard output, everything else to standard error. A reader that went away ends the writing
//! quietly. Text that came from a bead, a mail or a hook goes through [`escape`] before it is printed.

pub mod cut;
pub mod escape;
pub mod page;
pub mod style;
pub mod table;
pub mod time;
pub mod tree;

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};

pub use page::Page;
pub use style::Style;

use crate::failure::Failure;
pub use crate::json::to_pretty_json;
use crate::sys::{Clock, Env};

/// What a command has to say.
pub trait Report {
    /// It as JSON. Keys are stable; an empty list is `[]`; `null` is nothing to print.
    fn json(&self) -> serde_json::Value;
    /// It as text for people.
    fn human(&self, page: &mut Page);
    /// Whether it only confirms a change, which `--quiet` leaves out of the text.
    fn is_confirmation(&self) -> bool {
        false
    }
    /// The exit code of a command that says this.
    fn exit(&self) -> u8 {
        0
    }
}

/// A number of things, by the name of one of them.
pub fn counted(count: usize, one: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {one}{end}")
}

/// Where output goes and how it looks.
#[derive(Debug)]
pub struct Ui {
    json: bool,
    quiet: bool,
    out_terminal: bool,
    width: Option<usize>,
    out_style: Style,
    err_style: Style,
    clock: Clock,
    gone: Cell<bool>,
}

impl Ui {
    /// Looks at the environment: colour by `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE` and whether the
    /// stream is a terminal, width by `COLUMNS` or the terminal.
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
            gone: Cell::new(false),
        }
    }

    /// Whether output is JSON.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Whether only data and errors are wanted.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether standard output is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.out_terminal
    }

    /// A bar for so many beads on standard error; hidden where that is no terminal, and for what takes no time.
    pub fn bar(&self, beads: usize) -> ProgressBar {
        if self.quiet || self.json || beads < 5_000 {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{bar:30.green} {human_pos} of {human_len} beads");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        ProgressBar::new(beads as u64).with_style(style.progress_chars("━╸ "))
    }

    /// The width of the output, where it is known.
    pub fn known_width(&self) -> Option<usize> {
        self.width
    }

    /// An empty page of the width and style of standard output.
    pub fn page(&self) -> Page {
        Page::new(self.width, self.out_style.clone()).with_now(self.clock.now())
    }

    /// Shows a report on standard output.
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

    /// Writes to standard output as it is; `false` when nobody reads it any more.
    pub fn stream(&self, text: &str) -> bool {
        self.raw(text);
        !self.gone.get()
    }

    /// Draws a page over the one that was drawn before, as many lines as the screen has; without a terminal below it, with
    /// a blank line. `false` when nobody reads it any more.
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
        // What stands below is of an older page.
        out.push_str("\u{1b}[J");
        self.stream(&out)
    }

    /// Writes to standard output as it is.
    pub fn raw(&self, text: &str) {
        if self.gone.get() || text.is_empty() {
            return;
        }
        let mut out = io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        // Whoever read us is gone, or the disk behind a redirect is full; there is no one to tell.
        self.gone.set(written.is_err());
    }

    /// Says what is going on, on standard error; not when quiet.
    pub fn status(&self, text: &str) {
        if !self.quiet {
            Self::err(text);
        }
    }

    /// Says that something is not as it should be, on standard error. Ids and names of fields in it may be foreign text.
    pub fn warn(&self, text: &str) {
        let mark = self.err_style.yellow("Warning:");
        Self::err(&format!("{mark} {}", escape::escape_block(text)));
    }

    /// Writes a line to standard error as it is.
    pub fn problem(&self, text: &str) {
        Self::err(text);
    }

    /// Says why the command failed, on standard error; as one JSON object when output is JSON.
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

    /// Shows what came of a command line without a command to run: help on standard output, a mistake on standard error,
    /// which begins as our own errors do. Gives the exit code.
    pub fn command_line(&self, error: &clap::Error) -> u8 {
        let text = error.render().to_string();
        if error.use_stderr() {
            let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
            let mark = self.err_style.red("Error:");
            Self::err(&format!(
                "{mark} {}",
                text.replace("\n  tip: ", "\n  Hint: ")
            ));
        } else {
            self.raw(&text);
        }
        u8::try_from(error.exit_code()).unwrap_or(2)
    }

    fn err(text: &str) {
        // Without standard error there is nowhere left to complain.
        writeln!(io::stderr().lock(), "{text}").ok();
    }
}

/// Says once on standard error that a remote has not answered yet.
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
