//! The palette: colours text, or leaves it plain if colour is off.

use anstyle::{AnsiColor, Style as Ansi};

use crate::sys::Env;

/// The colours for one stream.
#[derive(Debug, Clone, Default)]
pub struct Style {
    on: bool,
}

impl Style {
    pub fn plain() -> Self {
        Self { on: false }
    }

    /// Returns a style with colour, regardless of the environment.
    pub fn coloured() -> Self {
        Self { on: true }
    }

    /// Enables colour on a terminal, unless the environment overrides that.
    pub fn choose(terminal: bool, env: &Env) -> Self {
        let no = env.get("NO_COLOR").is_some() || env.get("CLICOLOR") == Some("0");
        let dumb = env.get("TERM") == Some("dumb");
        let force = env.get("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        let on = if no && !force {
            false
        } else {
            force || (terminal && !dumb)
        };
        Self {
            on: on && env.get("NO_COLOR").is_none(),
        }
    }

    /// Returns true if texts are coloured.
    pub fn is_coloured(&self) -> bool {
        self.on
    }

    pub fn bold(&self, text: &str) -> String {
        self.paint(Ansi::new().bold(), text)
    }

    pub fn dim(&self, text: &str) -> String {
        self.paint(Ansi::new().dimmed(), text)
    }

    /// Green: done, good.
    pub fn green(&self, text: &str) -> String {
        self.colour(AnsiColor::Green, text)
    }

    /// Red: wrong, most urgent.
    pub fn red(&self, text: &str) -> String {
        self.colour(AnsiColor::Red, text)
    }

    /// Yellow: in progress, caution.
    pub fn yellow(&self, text: &str) -> String {
        self.colour(AnsiColor::Yellow, text)
    }

    /// Cyan: names and ids.
    pub fn cyan(&self, text: &str) -> String {
        self.colour(AnsiColor::Cyan, text)
    }

    fn colour(&self, colour: AnsiColor, text: &str) -> String {
        self.paint(colour.on_default(), text)
    }

    fn paint(&self, ansi: Ansi, text: &str) -> String {
        if self.on && !text.is_empty() {
            format!("{}{text}{}", ansi.render(), ansi.render_reset())
        } else {
            text.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn on(terminal: bool, vars: &[(&str, &str)]) -> bool {
        Style::choose(
            terminal,
            &Env::with_vars(Path::new("/"), vars.iter().copied()),
        )
        .on
    }

    #[test]
    fn color_follows_the_terminal_and_the_environment_conventions() {
        assert!(on(true, &[]));
        assert!(!on(false, &[]));
        assert!(!on(true, &[("NO_COLOR", "1")]));
        assert!(!on(true, &[("CLICOLOR", "0")]));
        assert!(!on(true, &[("TERM", "dumb")]));
        assert!(on(false, &[("CLICOLOR_FORCE", "1")]));
        assert!(!on(true, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    }
}
