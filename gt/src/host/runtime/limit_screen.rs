//! Recognizes the usage limits that agent programs report on their screens.
//!
//! A message counts only at the start of a line, so that a quotation inside a sentence is no limit.

use super::RuntimePreset;
use super::ready::{is_prompt_line, next_key, strip_frame};
use super::usage_limit::UsageLimitMenu;
use crate::host::Key;

/// The maximum number of lines of a message that its program wraps.
const MESSAGE_LINES: usize = 4;

impl RuntimePreset {
    /// Returns the last message about a usage limit in a text, with its wrapped lines.
    pub fn find_usage_limit(&self, text: &str) -> Option<String> {
        let lines: Vec<&str> = text.lines().collect();
        let start = lines.iter().rposition(|line| self.is_limit_line(line))?;
        Some(
            lines[start..]
                .iter()
                .map(|line| line.trim())
                .take(MESSAGE_LINES)
                .take_while(|line| !line.is_empty())
                .collect::<Vec<_>>()
                .join(" "),
        )
    }

    fn is_limit_line(&self, line: &str) -> bool {
        let line = strip_decoration(line).replace('’', "'");
        self.usage_limits
            .iter()
            .any(|row| line.starts_with(&row.words))
    }

    /// Returns the menu about a usage limit that is open on a screen, with the key that moves the
    /// focus towards its waiting option, or Enter if that option has the focus. No key if the menu
    /// is not exactly as known.
    pub fn find_usage_limit_menu(&self, screen: &str) -> Option<OpenLimitMenu<'_>> {
        let lines: Vec<&str> = screen.lines().map(str::trim).collect();
        self.usage_limit_menus.iter().find_map(|menu| {
            let at = lines.iter().rposition(|line| *line == menu.sign)?;
            let below = &lines[at + 1..];
            let is_open = below
                .iter()
                .any(|line| strip_option(line, &self.focus_mark) == menu.choose)
                && !below.iter().any(|line| is_prompt_line(line, self));
            let is_drawn = self.dialog_mark.is_empty()
                || below.iter().any(|line| line.contains(&self.dialog_mark));
            is_open.then(|| OpenLimitMenu {
                menu,
                key: is_drawn
                    .then(|| next_key(&below.join("\n"), &menu.choose, &self.focus_mark))
                    .flatten(),
            })
        })
    }
}

/// A menu about a usage limit on a screen.
#[derive(Debug, PartialEq, Eq)]
pub struct OpenLimitMenu<'a> {
    pub menu: &'a UsageLimitMenu,
    pub key: Option<Key>,
}

/// Removes the signs that a program draws before a message.
fn strip_decoration(line: &str) -> &str {
    line.trim_start_matches(|c: char| !c.is_alphanumeric())
}

/// Removes focus mark and number of an option.
fn strip_option<'a>(line: &'a str, focus: &str) -> &'a str {
    let line = strip_frame(line);
    let line = line.strip_prefix(focus).unwrap_or(line).trim();
    let unnumbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    unnumbered.strip_prefix(". ").unwrap_or(line).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preset(name: &str) -> RuntimePreset {
        RuntimePreset::named(name).unwrap()
    }

    #[test]
    fn messages_of_todays_programs_are_recognized() {
        let claude = preset("claude");
        for line in [
            "You've hit your limit · resets 3am (Europe/Berlin)",
            "  ⎿  You’ve hit your session limit · resets 10:30pm (America/New_York)",
            "You're out of extra usage · resets Nov 30 at 3am",
            "  ⎿  5-hour limit reached ∙ resets 3pm",
            "Claude usage limit reached. Your limit will reset at 3pm (Europe/Berlin)",
            "Claude AI usage limit reached|1749924000",
        ] {
            let screen =
                format!("{line}\n     /upgrade to increase your usage limit.\n\n❯\u{a0}\n");
            let found = claude.find_usage_limit(&screen);
            assert!(
                found.is_some_and(|found| found.contains(line.trim())),
                "{line}"
            );
        }
        for line in [
            "● The log says: You've hit your limit · resets 3am",
            "● I fixed the text \"5-hour limit reached\"",
            "the limit is reached",
        ] {
            assert_eq!(claude.find_usage_limit(line), None, "{line}");
        }
        let wrapped = "■ You've hit your usage limit. Upgrade to Pro\n  (https://example.com/pro) or try again in 3 hours\n  20 minutes.\n\n› Ask";
        let found = preset("codex").find_usage_limit(wrapped).unwrap();
        assert!(
            found.ends_with("try again in 3 hours 20 minutes."),
            "{found}"
        );
    }

    #[test]
    fn only_the_waiting_option_of_the_known_menu_is_chosen() {
        let claude = preset("claude");
        let key = |screen: &str| {
            let found = claude.find_usage_limit_menu(screen);
            found.map(|open| open.key)
        };
        let menu = "❯ /rate-limit-options\n  What do you want to do?\n\n\
                    \x20❯ 1. Stop and wait for limit to reset\n   2. Upgrade your plan\n\n Enter to confirm · Esc to cancel";
        assert_eq!(key(menu), Some(Some(Key::Enter)));
        let other = menu.replace(" ❯ 1.", "   1.").replace("   2.", " ❯ 2.");
        assert_eq!(key(&other), Some(Some(Key::Up)));
        assert_eq!(key(menu.split("Enter").next().unwrap()), Some(None));
        let answered = format!("{menu}\n❯\u{a0}\n");
        assert_eq!(key(&answered), None);
        let strange = menu.replace(
            "Stop and wait for limit to reset",
            "Pay now, stop and wait later",
        );
        assert_eq!(key(&strange), None);
    }
}
