//! A page of text for people, written line by line and then shown at once.

use std::fmt;

use super::Style;
use super::cut;

/// Text being written for a screen of a certain width.
#[derive(Debug)]
pub struct Page {
    text: String,
    width: Option<usize>,
    style: Style,
}

impl Page {
    /// An empty page; a width of `None` is not known, so nothing is cut.
    pub fn new(width: Option<usize>, style: Style) -> Self {
        Self {
            text: String::new(),
            width,
            style,
        }
    }

    /// A page without colour and limits, as tests want it.
    pub fn plain() -> Self {
        Self::new(None, Style::plain())
    }

    /// Adds a line.
    pub fn line(&mut self, text: impl AsRef<str>) {
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    /// Adds a line that is cut with `…` where the screen is known to be narrower.
    pub fn cut_line(&mut self, text: impl AsRef<str>) {
        match self.width {
            Some(width) => {
                let line = cut::cut_styled(text.as_ref(), width);
                self.line(line);
            }
            None => self.line(text),
        }
    }

    /// Adds an empty line, unless the page is empty or has one at its end.
    pub fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// The paint.
    pub fn style(&self) -> &Style {
        &self.style
    }

    /// The width to lay out for: 80 where it is not known.
    pub fn width(&self) -> usize {
        self.width.unwrap_or(80)
    }

    /// The width, where it is known.
    pub fn known_width(&self) -> Option<usize> {
        self.width
    }

    /// What was written so far.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Write for Page {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text.push_str(text);
        Ok(())
    }
}
