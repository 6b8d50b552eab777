//! The colours: the terminal's own sixteen, as an addition to words and marks.

use kit::ui::Style as UiStyle;
use ratatui::style::{Color, Modifier, Style};

use super::super::rows::Tone;

#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Theme {
    has_colour: bool,
}

impl Theme {
    /// Takes the choice of the other commands: `NO_COLOR` and its like.
    pub(in super::super) fn new(style: &UiStyle) -> Self {
        Self {
            has_colour: style.is_coloured(),
        }
    }

    pub(super) fn style(self, tone: Tone) -> Style {
        let plain = Style::new();
        match tone {
            Tone::Plain => plain,
            Tone::Strong => plain.add_modifier(Modifier::BOLD),
            Tone::Dim if self.has_colour => plain.add_modifier(Modifier::DIM),
            Tone::Good if self.has_colour => plain.fg(Color::Green),
            Tone::Caution if self.has_colour => plain.fg(Color::Yellow),
            Tone::Bad if self.has_colour => plain.fg(Color::Red),
            Tone::Name if self.has_colour => plain.fg(Color::Cyan),
            Tone::Dim | Tone::Good | Tone::Caution | Tone::Bad | Tone::Name => plain,
        }
    }

    /// Marks the selected line. Works on light and dark backgrounds.
    pub(super) fn selected(style: Style) -> Style {
        style.add_modifier(Modifier::REVERSED)
    }
}
