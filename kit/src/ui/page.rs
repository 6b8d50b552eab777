//! A page of text, written line by line and then shown at once.

use std::cell::OnceCell;
use std::fmt;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{Style, cut, escape, time};
use crate::sys::env;

/// Text for a screen of a certain width.
#[derive(Debug)]
pub struct Page {
    text: String,
    width: Option<usize>,
    style: Style,
    now: Timestamp,
    zone: OnceCell<TimeZone>,
}

impl Page {
    /// Creates an empty page. If `width` is `None`, nothing is cut.
    pub fn new(width: Option<usize>, style: Style) -> Self {
        Self {
            text: String::new(),
            width,
            style,
            now: Timestamp::UNIX_EPOCH,
            zone: OnceCell::new(),
        }
    }

    /// Sets the time to which relative times refer.
    #[must_use]
    pub fn with_now(mut self, now: Timestamp) -> Self {
        self.now = now;
        self
    }

    /// The time to which relative times refer.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Formats the age of a time, such as `3m ago`, or after a day the local day and time. Text
    /// that is not a time stays unchanged.
    pub fn relative_time(&self, text: &str) -> String {
        match text.parse::<Timestamp>() {
            Ok(then) if self.now.duration_since(then).as_hours().abs() < 24 => {
                time::format_ago(self.now, then)
            }
            _ => self.local_time(text),
        }
    }

    /// Formats a time in the local zone, to the second. Text that is not a time stays unchanged.
    pub fn local_time(&self, text: &str) -> String {
        match text.parse() {
            Ok(then) => {
                let zone = self.zone.get_or_init(env::local_time_zone);
                time::format_moment(self.now, then, zone)
            }
            Err(_) => escape::escape_line(text),
        }
    }

    /// Formats a time in the local zone with the name of the zone, such as `Mar 1 18:02:07 CET`.
    pub fn zoned_time(&self, text: &str) -> String {
        let zone = self.zone.get_or_init(env::local_time_zone);
        match text.parse::<Timestamp>() {
            Ok(then) => {
                let moment = time::format_moment(self.now, then, zone);
                format!("{moment} {}", time::format_zone(then, zone))
            }
            Err(_) => escape::escape_line(text),
        }
    }

    /// Creates a page without colour and width limit, for tests.
    pub fn plain() -> Self {
        Self::new(None, Style::plain())
    }

    pub fn line(&mut self, text: impl AsRef<str>) {
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    /// Adds a line, and cuts it with `…` if the screen is narrower.
    pub fn cut_line(&mut self, text: impl AsRef<str>) {
        match self.width {
            Some(width) => {
                let line = cut::cut_styled_to_width(text.as_ref(), width);
                self.line(line);
            }
            None => self.line(text),
        }
    }

    /// Adds a text and items with commas between them, as many on a line as fit. Further lines begin
    /// below the first item. Adds nothing without items.
    pub fn items(&mut self, start: &str, items: impl IntoIterator<Item = impl fmt::Display>) {
        let mut line = start.to_owned();
        let indent = cut::count_columns(start);
        let mut items = items.into_iter().peekable();
        if items.peek().is_none() {
            return;
        }
        while let Some(item) = items.next() {
            let end = if items.peek().is_some() { ", " } else { "" };
            let item = format!("{item}{end}");
            let columns = cut::count_columns(&line);
            if columns > indent && columns + cut::count_columns(item.trim_end()) > self.width() {
                self.line(line.trim_end());
                line = " ".repeat(indent);
            }
            line.push_str(&item);
        }
        self.cut_line(line.trim_end());
    }

    /// Adds an empty line, unless the page is empty or already ends with one.
    pub fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    pub fn style(&self) -> &Style {
        &self.style
    }

    /// The layout width: 80 if the width is unknown.
    pub fn width(&self) -> usize {
        self.width.unwrap_or(80)
    }

    /// The width, if known.
    pub fn known_width(&self) -> Option<usize> {
        self.width
    }

    /// The text written so far.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_broken_between_lines_of_the_width() {
        let mut page = Page::new(Some(12), Style::plain());
        page.items("  ", ["one", "two", "three", "a very long item"]);
        page.items("none", [""; 0]);
        assert_eq!(page.text(), "  one, two,\n  three,\n  a very lo…\n");
    }
}
