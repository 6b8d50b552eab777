//! Reads the screen of an agent: at its prompt, busy, or in a dialog.
//!
//! Enter is pressed in a dialog only when the screen shows the focus on the wanted option. Keys are
//! pressed one at a time, with a check after each. Dialogs that no preset knows are left to the
//! user.

use std::time::Duration;

use kit::sys::clock;

use super::RuntimePreset;
use crate::host::question::find_last_question;
use crate::host::{Host, HostError, Key};

/// The result of an agent's start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartResult {
    AtPrompt,
    /// The agent is busy already.
    Busy,
    /// A dialog is open that only a user can answer.
    NeedsPerson(String),
    /// The account is at its usage limit, and a menu about it is open.
    AtUsageLimit,
    Ended,
    /// The time limit was reached without a known sign.
    Unknown,
}

/// The state that a screen shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScreenState {
    /// An input line and no sign of work.
    AtPrompt,
    Busy,
    /// A dialog that this program answers. The key to press next, if the dialog is fully drawn.
    Dialog(Option<Key>),
    /// A dialog for the user.
    NeedsPerson(String),
    Nothing,
}

/// Waits until an agent has started, and answers the dialogs that its preset knows.
pub fn wait_until_ready(
    backend: &dyn Host,
    name: &str,
    preset: &RuntimePreset,
    limit: Duration,
) -> Result<StartResult, HostError> {
    if preset.ready_prompt_prefix.is_empty() {
        clock::pause_thread(Duration::from_millis(preset.ready_delay_ms).min(limit));
        return Ok(if is_session_running(backend, name)? {
            StartResult::Unknown
        } else {
            StartResult::Ended
        });
    }
    let mut last = ScreenState::Nothing;
    let ended = clock::wait_for(limit, || {
        match answer_dialog(backend, name, preset, &mut last) {
            Ok(None) => None,
            Ok(Some(ready)) => Some(Ok(ready)),
            Err(HostError::NoSession { .. }) => Some(Ok(StartResult::Ended)),
            Err(error) => Some(Err(error)),
        }
    });
    ended.unwrap_or(Ok(StartResult::Unknown))
}

/// Returns true if a session runs. False for one that is only displayed any more.
fn is_session_running(backend: &dyn Host, name: &str) -> Result<bool, HostError> {
    let live = backend.find_session(name)?;
    Ok(live.is_some_and(|live| live.dead.is_none()))
}

/// Returns the question on a session's screen that only a user can answer, if one is open.
pub fn find_open_question(
    backend: &dyn Host,
    name: &str,
    preset: &RuntimePreset,
) -> Option<String> {
    // An unreadable session is reported elsewhere.
    match inspect_screen(&backend.capture(name, 60).ok()?, preset) {
        ScreenState::NeedsPerson(question) => Some(question),
        _ => None,
    }
}

/// Reads the screen once, and presses at most one key in a dialog. A key is pressed only after two
/// equal screens with a pause in between, because keys are lost while a dialog is being drawn.
fn answer_dialog(
    backend: &dyn Host,
    name: &str,
    preset: &RuntimePreset,
    last: &mut ScreenState,
) -> Result<Option<StartResult>, HostError> {
    let screen = backend.capture(name, 60)?;
    let seen = inspect_screen(&screen, preset);
    let same = seen == *last;
    *last = seen.clone();
    Ok(match seen {
        ScreenState::NeedsPerson(_)
            if same
                && (preset.find_usage_limit_menu(&screen).is_some()
                    || preset.find_usage_limit(&screen).is_some()) =>
        {
            Some(StartResult::AtUsageLimit)
        }
        ScreenState::AtPrompt if same => Some(StartResult::AtPrompt),
        ScreenState::Busy => Some(StartResult::Busy),
        ScreenState::NeedsPerson(dialog) if same => Some(StartResult::NeedsPerson(dialog)),
        ScreenState::Dialog(Some(key)) if same => {
            backend.press(name, &[key])?;
            *last = ScreenState::Nothing;
            clock::pause_thread(Duration::from_millis(300));
            None
        }
        ScreenState::Dialog(_) => {
            clock::pause_thread(Duration::from_millis(700));
            None
        }
        ScreenState::AtPrompt | ScreenState::NeedsPerson(_) => {
            clock::pause_thread(Duration::from_millis(preset.settle_ms.max(200)));
            None
        }
        ScreenState::Nothing if !is_session_running(backend, name)? => Some(StartResult::Ended),
        ScreenState::Nothing => None,
    })
}

/// The time that a menu gets to close after its answer.
const MENU_LIMIT: Duration = Duration::from_secs(20);

/// Chooses the waiting option of a menu about a usage limit, if one is open. Returns the state of
/// the screen without it. A menu that is not exactly as known gets no key.
pub fn leave_usage_limit_menu(
    backend: &dyn Host,
    name: &str,
    preset: &RuntimePreset,
) -> Result<ScreenState, HostError> {
    let mut last = None;
    let left = clock::wait_for(MENU_LIMIT, || {
        match press_menu_key(backend, name, preset, &mut last) {
            Ok(None) => None,
            Ok(Some(look)) => Some(Ok(look)),
            Err(error) => Some(Err(error)),
        }
    });
    left.unwrap_or_else(|| Ok(ScreenState::NeedsPerson("a menu stays open".to_owned())))
}

/// Reads the screen once, and presses at most one key in the menu, after two equal screens. Returns
/// the state of a screen without the menu.
fn press_menu_key(
    backend: &dyn Host,
    name: &str,
    preset: &RuntimePreset,
    last: &mut Option<Key>,
) -> Result<Option<ScreenState>, HostError> {
    let screen = backend.capture(name, 60)?;
    let Some(open) = preset.find_usage_limit_menu(&screen) else {
        return Ok(Some(inspect_screen(&screen, preset)));
    };
    let is_same = *last == open.key;
    *last = open.key;
    if let Some(key) = open.key.filter(|_| is_same) {
        backend.press(name, &[key])?;
        *last = None;
    }
    clock::pause_thread(Duration::from_millis(300));
    Ok(None)
}

/// Reads a screen. Dialogs are checked first, because one of them draws a sign that looks like a
/// prompt.
pub fn inspect_screen(screen: &str, preset: &RuntimePreset) -> ScreenState {
    let drawn = preset.dialog_mark.is_empty() || screen.contains(&preset.dialog_mark);
    for dialog in &preset.dialogs {
        let Some(at) = screen.rfind(&dialog.sign) else {
            continue;
        };
        // A dialog above a later prompt has been answered.
        let behind = &screen[at..];
        if has_prompt(behind, preset) && !is_dialog_open(behind, preset) {
            continue;
        }
        return match &dialog.choose {
            Some(option) if drawn => {
                ScreenState::Dialog(next_key(behind, option, &preset.focus_mark))
            }
            Some(_) => ScreenState::Dialog(None),
            None => ScreenState::NeedsPerson(dialog.name.clone()),
        };
    }
    if is_dialog_open(screen, preset) {
        return ScreenState::NeedsPerson("an unknown question".to_owned());
    }
    let tail: Vec<&str> = screen.lines().rev().take(12).collect();
    if tail.iter().any(|line| is_busy_line(line, preset)) {
        return ScreenState::Busy;
    }
    if has_prompt(screen, preset) {
        return ScreenState::AtPrompt;
    }
    find_last_question(screen).map_or(ScreenState::Nothing, ScreenState::NeedsPerson)
}

/// Returns true if the screen shows the sign of an open dialog with no prompt below it. A prompt
/// above it may be the dialog's focus mark.
fn is_dialog_open(screen: &str, preset: &RuntimePreset) -> bool {
    let mark = preset.dialog_mark.as_str();
    !mark.is_empty()
        && screen
            .lines()
            .rev()
            .take_while(|line| !is_prompt_line(line, preset))
            .any(|line| line.contains(mark))
}

/// Returns true if a line shows work in progress: by a known mark, or as `✻ Stewing… (3s)`.
fn is_busy_line(line: &str, preset: &RuntimePreset) -> bool {
    if preset.busy_marks.iter().any(|mark| line.contains(mark)) {
        return true;
    }
    let line = line.trim();
    let starred = line
        .chars()
        .next()
        .is_some_and(|c| preset.busy_stars.contains(c));
    starred && (line.ends_with('…') || line.contains("… ("))
}

/// Returns true if a screen has a line that starts with the prompt.
fn has_prompt(screen: &str, preset: &RuntimePreset) -> bool {
    screen.lines().any(|line| is_prompt_line(line, preset))
}

pub(super) fn is_prompt_line(line: &str, preset: &RuntimePreset) -> bool {
    let prompt = preset.ready_prompt_prefix.as_str();
    let line = strip_frame(line);
    // Captured lines are trimmed at the right, so an empty prompt may lack its last space.
    !prompt.is_empty() && (line.starts_with(prompt) || line == prompt.trim_end())
}

/// Removes the frame that some programs draw around a line.
pub(super) fn strip_frame(line: &str) -> &str {
    line.trim_start_matches(['│', '|', ' '])
}

/// Returns the key that moves the focus towards the wanted option, or Enter if it is there.
pub(super) fn next_key(dialog: &str, option: &str, focus: &str) -> Option<Key> {
    let lines: Vec<&str> = dialog.lines().map(strip_frame).collect();
    let focused = lines.iter().rposition(|line| line.starts_with(focus))?;
    let wanted = lines.iter().rposition(|line| line.contains(option))?;
    Some(match wanted.cmp(&focused) {
        std::cmp::Ordering::Equal => Key::Enter,
        std::cmp::Ordering::Greater => Key::Down,
        std::cmp::Ordering::Less => Key::Up,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{FakeHost, SessionHost, SessionSpec};

    fn claude() -> RuntimePreset {
        RuntimePreset::named("claude").unwrap()
    }

    const OLD_TRUST: &str = " Quick safety check: Is this a project you created or one you trust?\n\
        \n ❯ 1. Yes, I trust this folder\n   2. No, exit\n\n Enter to confirm · Esc to cancel\n";
    const NEW_TRUST: &str = " Quick safety check: Is this a project you created or one you trust?\n\
        \n ❯ No, exit\n   Yes, I trust this folder\n\n Enter to confirm · Esc to cancel\n";
    const KEY: &str = " Detected a custom API key in your environment\n   1. Yes\n ❯ 2. No (recommended)\n Enter to confirm";

    #[test]
    fn enter_is_pressed_only_on_the_wanted_option() {
        assert_eq!(
            inspect_screen(OLD_TRUST, &claude()),
            ScreenState::Dialog(Some(Key::Enter))
        );
        assert_eq!(
            inspect_screen(NEW_TRUST, &claude()),
            ScreenState::Dialog(Some(Key::Down))
        );
        let half = NEW_TRUST.split("Enter").next().unwrap();
        assert_eq!(inspect_screen(half, &claude()), ScreenState::Dialog(None));
    }

    #[test]
    fn a_question_about_money_is_left_to_the_user() {
        assert_eq!(
            inspect_screen(KEY, &claude()),
            ScreenState::NeedsPerson("API key".to_owned())
        );
        let strange = "Shall I?\n❯ Yes\nEnter to confirm";
        assert!(matches!(
            inspect_screen(strange, &claude()),
            ScreenState::NeedsPerson(_)
        ));
    }

    #[test]
    fn an_idle_prompt_is_distinguished_from_a_busy_agent() {
        let idle = "● done\n\n✻ Baked for 3s\n────\n❯\u{a0}\n────\n  ? for shortcuts";
        assert_eq!(inspect_screen(idle, &claude()), ScreenState::AtPrompt);
        let busy = "✻ Stewing… (3s · esc to interrupt)\n────\n❯\u{a0}\n────";
        assert_eq!(inspect_screen(busy, &claude()), ScreenState::Busy);
        let newer = "✻ Channeling…\n────\n❯\u{a0}\n────\n  ⏵⏵ bypass permissions on";
        assert_eq!(inspect_screen(newer, &claude()), ScreenState::Busy);
        let screen = "● I looked… (twice)\n✻ Worked for 0s\n────\n❯\u{a0}\n────";
        assert_eq!(inspect_screen(screen, &claude()), ScreenState::AtPrompt);
        assert_eq!(
            inspect_screen("❯ sent before\n● hm", &claude()),
            ScreenState::Nothing
        );
    }

    #[test]
    fn a_dialog_above_the_prompt_counts_as_answered() {
        let screen = format!("{}\n❯\u{a0}\n", OLD_TRUST.replace("Enter to confirm", ""));
        assert_eq!(inspect_screen(&screen, &claude()), ScreenState::AtPrompt);
    }

    #[test]
    fn focus_marks_and_frames_do_not_hide_the_prompt() {
        let codex = RuntimePreset::named("codex").unwrap();
        let open = "  Trust this folder? Codex can read\n\n› 1. Trust and continue\n  2. Back to Agent Command Center\n\n  \
                    enter continue · esc back\n";
        assert_eq!(
            inspect_screen(open, &codex),
            ScreenState::Dialog(Some(Key::Enter))
        );
        let other = open.replace("› 1.", "  1.").replace("  2.", "› 2.");
        assert_eq!(
            inspect_screen(&other, &codex),
            ScreenState::Dialog(Some(Key::Up))
        );
        let unknown = "  Shall I?\n› 1. Yes\n\n  enter continue · esc back\n";
        assert!(matches!(
            inspect_screen(unknown, &codex),
            ScreenState::NeedsPerson(_)
        ));
        let prompt = format!("{open}› Ask Codex to do anything\n  model · /web\n");
        assert_eq!(inspect_screen(&prompt, &codex), ScreenState::AtPrompt);
        let busy = "• Working (0s • esc to interrupt)\n› Ask Codex to do anything\n";
        assert_eq!(inspect_screen(busy, &codex), ScreenState::Busy);
        let gemini = RuntimePreset::named("gemini").unwrap();
        let framed = "│ Do you trust the files in this folder?\n│   1. Trust folder (web)\n│ ● 2. Don't trust\n";
        assert_eq!(
            inspect_screen(framed, &gemini),
            ScreenState::Dialog(Some(Key::Up))
        );
        let idle = " YOLO Ctrl+Y\n *   Type your message or @path/to/file\n";
        assert_eq!(inspect_screen(idle, &gemini), ScreenState::AtPrompt);
        let busy = format!(" ⠏ Thinking... (esc to cancel, 1s)\n{idle}");
        assert_eq!(inspect_screen(&busy, &gemini), ScreenState::Busy);
    }

    #[test]
    fn a_known_dialog_is_answered_key_by_key() {
        let backend = FakeHost::new();
        let spec = SessionSpec {
            name: "a".to_owned(),
            ..SessionSpec::default()
        };
        backend.start(&spec).unwrap();
        backend
            .state()
            .screens
            .push(("a".to_owned(), NEW_TRUST.to_owned()));
        let mut last = ScreenState::Nothing;
        assert_eq!(
            answer_dialog(&backend, "a", &claude(), &mut last).unwrap(),
            None
        );
        assert!(backend.state().pressed.is_empty());
        assert_eq!(
            answer_dialog(&backend, "a", &claude(), &mut last).unwrap(),
            None
        );
        assert_eq!(backend.state().pressed, [("a".to_owned(), Key::Down)]);
        let asks = |text: &str| {
            let screen = ("a".to_owned(), text.to_owned());
            backend.state().screens.push(screen);
            find_open_question(&backend, "a", &claude())
        };
        assert_eq!(asks(KEY).as_deref(), Some("API key"));
        assert_eq!(asks(NEW_TRUST), None);
        assert_eq!(asks("❯\u{a0}"), None);
        backend.end_process("a");
        let ended = wait_until_ready(&backend, "a", &claude(), Duration::ZERO).unwrap();
        assert_eq!(ended, StartResult::Ended);
    }
}
