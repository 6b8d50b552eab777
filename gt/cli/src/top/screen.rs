//! The full-screen terminal. Owns standard output while it is open, and restores the terminal on
//! every exit: at its end, on an error, and on a panic.

use std::io::{self, Stdout};
use std::panic;
use std::sync::Once;
use std::thread;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use ratatui::crossterm::execute;
use ratatui::crossterm::style::Print;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, SetTitle, disable_raw_mode, enable_raw_mode,
};

/// Save the title of the terminal, and restore it. Terminals without titles ignore both.
const SAVE_TITLE: Print<&str> = Print("\x1b[22;0t");
const RESTORE_TITLE: Print<&str> = Print("\x1b[23;0t");

pub(super) struct FullScreen {
    pub(super) terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl FullScreen {
    pub(super) fn open() -> io::Result<Self> {
        enter()?;
        let terminal = Terminal::new(CrosstermBackend::new(io::stdout()));
        Ok(Self {
            terminal: terminal.inspect_err(|_| leave())?,
        })
    }

    /// Sets the title of the terminal. `title` is plain text.
    pub(super) fn set_title(&mut self, title: &str) -> io::Result<()> {
        execute!(self.terminal.backend_mut(), SetTitle(title))
    }

    /// Rings the bell, which tmux shows as an alert of the window.
    pub(super) fn ring(&mut self) -> io::Result<()> {
        execute!(self.terminal.backend_mut(), Print('\x07'))
    }

    /// Gives the terminal to another program, and takes it back.
    pub(super) fn lend<T>(&mut self, program: impl FnOnce() -> T) -> io::Result<T> {
        leave();
        let outcome = program();
        enter()?;
        self.terminal.clear()?;
        Ok(outcome)
    }
}

impl Drop for FullScreen {
    fn drop(&mut self) {
        leave();
    }
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(
        io::stdout(),
        SAVE_TITLE,
        EnterAlternateScreen,
        EnableMouseCapture,
        EnableBracketedPaste
    )
    .inspect_err(|_| leave())
}

/// Restores the terminal. A terminal that is gone cannot be restored.
pub(super) fn leave() {
    execute!(
        io::stdout(),
        DisableBracketedPaste,
        DisableMouseCapture,
        LeaveAlternateScreen,
        RESTORE_TITLE,
        Show
    )
    .ok();
    disable_raw_mode().ok();
}

/// Restores the terminal before a panic of this thread prints its message. A panic of another
/// thread prints nothing, and is passed to `report`.
pub(super) fn report_panics(report: impl Fn(String) + Send + Sync + 'static) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let owner = thread::current().id();
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if thread::current().id() == owner {
                leave();
                print(info);
            } else {
                report(info.to_string());
            }
        }));
    });
}
