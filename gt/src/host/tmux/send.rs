//! Types text into a session so that it arrives completely and is submitted once.
//!
//! The steps, each of them tested with real agents:
//!
//! 1. Leave copy mode, in which no key reaches the program.
//! 2. Check the screen: never type into an open dialog, which the text would answer, nor if the
//!    input line is missing, nor behind a user's own draft.
//! 3. Type a short line literally. Paste a longer text in bracketed mode, so that its newlines do
//!    not submit it and no part is lost.
//! 4. Pause, then send Enter as a separate command.
//! 5. Check again: while the text is still behind the prompt, repeat Enter up to three times.

use std::time::Duration;

use kit::sys::clock;
use tmux_interface::{CapturePane, LoadBuffer, PasteBuffer, SendKeys};

use super::parse::SessionRow;
use super::{Tmux, escape_argument};
use crate::host::question::find_last_question;
use crate::host::{HostError, InputRules, SendResult};
use crate::town::lock::{Lock, LockError};

/// The maximum length of a text that is typed instead of pasted.
const MAX_TYPED_LENGTH: usize = 200;

/// The pause between the text and Enter. With a shorter pause, some agents treat Enter as a part of
/// a paste.
const BEFORE_ENTER: Duration = Duration::from_millis(500);

/// The time that an input line may be missing while the screen is redrawn.
const FOR_PROMPT: Duration = Duration::from_secs(2);

/// The pause after Enter, before the input line is checked.
const CHECK_PAUSES: [Duration; 3] = [
    Duration::from_millis(400),
    Duration::from_millis(1000),
    Duration::from_millis(2000),
];

/// The content of the input line.
#[derive(Debug, PartialEq, Eq)]
enum InputLine {
    /// The screen shows no prompt.
    None,
    /// Empty, or the program's own dimmed hint.
    Empty,
    /// Text that was not submitted.
    Text(String),
}

impl Tmux {
    pub(super) fn send_text(
        &self,
        name: &str,
        text: &str,
        input: &InputRules,
    ) -> Result<SendResult, HostError> {
        let _lock = self.lock_typing(name)?;
        let row = self.find_running_row(name)?;
        if row.scrolling {
            // In this crate, `reset` is the option -X, which runs a command of copy mode.
            let leave = SendKeys::new().reset().target_pane(&row.pane).key("cancel");
            self.run_commands(name, [leave.build()])?;
        }
        let Some(screen) = self.wait_for_input(&row, input)? else {
            return Ok(SendResult::DialogOpen);
        };
        if let (InputLine::Text(_), true) = (read_input_line(&screen, input), row.live.attached) {
            return Ok(SendResult::DraftInTheWay);
        }
        self.type_or_paste(&row, &remove_control_characters(text))?;
        self.submit_text(&row, input)
    }

    /// Returns the screen if text may be typed now: no dialog is open, and a known prompt is
    /// visible.
    fn wait_for_input(
        &self,
        row: &SessionRow,
        input: &InputRules,
    ) -> Result<Option<String>, HostError> {
        clock::wait_for(FOR_PROMPT, || match self.capture_screen(row) {
            Err(error) => Some(Err(error)),
            Ok(screen) => can_type(&screen, input).then_some(Ok(screen)),
        })
        .transpose()
    }

    fn submit_text(&self, row: &SessionRow, input: &InputRules) -> Result<SendResult, HostError> {
        clock::pause_thread(BEFORE_ENTER);
        self.press_enter(row)?;
        if input.prompt.is_none() {
            return Ok(SendResult::Submitted);
        }
        for pause in CHECK_PAUSES {
            let gone = clock::wait_for(pause, || match self.capture_screen(row) {
                Ok(screen) => {
                    (!matches!(read_input_line(&screen, input), InputLine::Text(_))).then_some(())
                }
                // A session that has ended in the meantime needs no check.
                Err(_) => Some(()),
            });
            if gone.is_some() {
                return Ok(SendResult::Submitted);
            }
            self.press_enter(row)?;
        }
        let screen = self.capture_screen(row)?;
        Ok(match read_input_line(&screen, input) {
            InputLine::Text(_) => SendResult::Typed,
            InputLine::None | InputLine::Empty => SendResult::Submitted,
        })
    }

    fn press_enter(&self, row: &SessionRow) -> Result<(), HostError> {
        let enter = SendKeys::new().target_pane(&row.pane).key("Enter").build();
        self.run_commands(&row.live.name, [enter]).map(drop)
    }

    fn type_or_paste(&self, row: &SessionRow, text: &str) -> Result<(), HostError> {
        let name = &row.live.name;
        if text.chars().count() <= MAX_TYPED_LENGTH && !text.contains('\n') {
            let keys = SendKeys::new().disable_lookup().target_pane(&row.pane);
            return self
                .run_commands(name, [keys.key("--").key(escape_argument(text)).build()])
                .map(drop);
        }
        let buffer = format!("gt-{name}");
        let load = LoadBuffer::new().buffer_name(&buffer).path("-").build();
        let loaded = self.exec([load]).stdin(text).run();
        self.check_result(name, loaded)?;
        let paste = PasteBuffer::new()
            .delete()
            .bracket_codes()
            .buffer_name(&buffer)
            .target_pane(&row.pane)
            .build();
        self.run_commands(name, [paste]).map(drop)
    }

    /// Captures the pane with its colours.
    fn capture_screen(&self, row: &SessionRow) -> Result<String, HostError> {
        let capture = CapturePane::new()
            .stdout()
            .join()
            .escape_sequences()
            .target_pane(&row.pane)
            .build();
        let finished = self.run_commands(&row.live.name, [capture])?;
        Ok(String::from_utf8_lossy(&finished.stdout).into_owned())
    }

    fn lock_typing(&self, name: &str) -> Result<Lock, HostError> {
        let path = self.files.join(format!("{name}.typing"));
        Lock::take(&path, Duration::from_secs(30)).map_err(|error| match error {
            LockError::Held { .. } => HostError::Busy {
                name: name.to_owned(),
            },
            LockError::Io { path, source } => HostError::File { path, source },
        })
    }
}

/// Returns true if text may be typed on a coloured screen. With a known prompt: the prompt is
/// visible, with no sign of a dialog below it. Without the prompt a dialog of an unknown kind may
/// be open, which Enter would answer. With an unknown prompt: no sign of a dialog at all, and no
/// question in the last line.
fn can_type(screen: &str, input: &InputRules) -> bool {
    let lines: Vec<String> = screen
        .lines()
        .map(|line| parse_cells(line).into_iter().map(|(c, _)| c).collect())
        .collect();
    let below = match &input.prompt {
        None if find_last_question(&lines.join("\n")).is_some() => return false,
        None => 0,
        Some(prompt) => {
            let Some(at) = lines
                .iter()
                .rposition(|line| strip_line_frame(line).starts_with(prompt.as_str()))
            else {
                return false;
            };
            at + 1
        }
    };
    !lines[below..].iter().any(|line| {
        input
            .dialogs
            .iter()
            .any(|sign| line.contains(sign.as_str()))
    })
}

/// Removes the frame that some programs draw around a line.
fn strip_line_frame(line: &str) -> &str {
    line.trim_start_matches(['│', '|', ' '])
}

/// Removes control characters other than line ends, and replaces each tab with a space.
fn remove_control_characters(text: &str) -> String {
    text.replace("\r\n", "\n")
        .chars()
        .filter_map(|c| match c {
            '\n' => Some('\n'),
            '\t' => Some(' '),
            c if c.is_control() => None,
            c => Some(c),
        })
        .collect::<String>()
        .trim_end_matches('\n')
        .to_owned()
}

/// Reads the lowest line of a coloured screen that starts with the prompt.
fn read_input_line(screen: &str, input: &InputRules) -> InputLine {
    let Some(prompt) = &input.prompt else {
        return InputLine::None;
    };
    for line in screen.lines().rev() {
        let cells = parse_cells(line);
        let plain: String = cells.iter().map(|(c, _)| *c).collect();
        let Some(rest) = strip_line_frame(&plain).strip_prefix(prompt.as_str()) else {
            continue;
        };
        let behind = rest.chars().count();
        let shown = &cells[cells.len() - behind..];
        let characters: String = shown.iter().map(|(c, _)| *c).collect();
        let text = characters.trim_matches(['│', '|', ' ', '\u{a0}']);
        let first = shown.iter().find(|(c, _)| !c.is_whitespace());
        let pale = first.is_some_and(|(_, dim)| *dim);
        return if text.is_empty() || pale {
            InputLine::Empty
        } else {
            InputLine::Text(text.to_owned())
        };
    }
    InputLine::None
}

/// Returns the characters of a coloured line, each with a flag for dimmed text.
fn parse_cells(line: &str) -> Vec<(char, bool)> {
    let mut cells = Vec::new();
    let mut dim = false;
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        if c != '\u{1b}' {
            cells.push((c, dim));
            continue;
        }
        if rest.next() != Some('[') {
            continue;
        }
        let mut codes = String::new();
        let last = rest.by_ref().find(|c| {
            codes.push(*c);
            c.is_ascii_alphabetic()
        });
        if last == Some('m') {
            let mut parts = codes.trim_end_matches('m').split(';');
            while let Some(code) = parts.next() {
                match code {
                    "2" => dim = true,
                    "" | "0" | "22" => dim = false,
                    // A colour number or three colour values follow.
                    "38" | "48" => match parts.next() {
                        Some("5") => drop(parts.next()),
                        Some("2") => drop(parts.nth(2)),
                        _ => {}
                    },
                    _ => {}
                }
            }
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claude() -> InputRules {
        InputRules {
            prompt: Some("❯\u{a0}".to_owned()),
            dialogs: Vec::new(),
        }
    }

    #[test]
    fn control_characters_do_not_reach_the_program() {
        assert_eq!(
            remove_control_characters("a\u{1b}[31mb\u{7}\tc\r\nd\u{8}\n"),
            "a[31mb c\nd"
        );
    }

    #[test]
    fn a_coloured_dialog_or_a_missing_input_line_prevents_typing() {
        let mut input = claude();
        input.dialogs.push("Enter to confirm".to_owned());
        let dialog = "\u{1b}[1mShall I?\u{1b}[0m\n ❯ No\n\u{1b}[2mEnter\u{1b}[22m to confirm";
        assert!(!can_type(dialog, &input));
        assert!(!can_type(
            "Do you want to proceed?\n❯ 1. Yes\n  2. No",
            &input
        ));
        assert!(can_type("● done\n❯\u{a0}\n", &input));
        assert!(can_type("● Say: Enter to confirm\n❯\u{a0}\n", &input));
        assert!(!can_type("❯\u{a0}\nEnter to confirm\n", &input));
        assert!(can_type("anything", &InputRules::default()));
        let question = "Delete the production database? [Y/n]";
        assert!(!can_type(question, &InputRules::default()));
    }

    #[test]
    fn text_after_the_prompt_is_recognized() {
        let screen = "❯ said before\n● answer\n❯\u{a0}not sent yet  \n  status";
        assert_eq!(
            read_input_line(screen, &claude()),
            InputLine::Text("not sent yet".to_owned())
        );
    }

    #[test]
    fn an_empty_line_and_a_dimmed_hint_do_not_count_as_text() {
        let hint = "\u{1b}[39m❯\u{a0}\u{1b}[2mTry \"fix lint\"\u{1b}[0m";
        assert_eq!(read_input_line(hint, &claude()), InputLine::Empty);
        assert_eq!(read_input_line("❯\u{a0}\n", &claude()), InputLine::Empty);
        let green = "\u{1b}[38;5;2m❯\u{a0}\u{1b}[38;2;2;2;2mdraft";
        let draft = InputLine::Text("draft".to_owned());
        assert_eq!(read_input_line(green, &claude()), draft);
        assert_eq!(read_input_line("❯ said before", &claude()), InputLine::None);
        assert_eq!(
            read_input_line("❯\u{a0}x", &InputRules::default()),
            InputLine::None
        );
    }
}
