//! Draws a list with a selected entry, scrolled so that the selection is visible.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::rows::{MoreLine, PageLine, ScreenRow, Tone};
use super::super::state::ClickTarget;
use super::text::{cut_parts, spread, wrap_text};
use super::{ClickArea, Theme};
use unicode_width::UnicodeWidthStr;

/// The columns that a text has before the text at its right goes to the next line.
const MIN_TEXT_COLUMNS: usize = 48;

/// The lines of one entry: the first, and those below it.
pub(super) struct ListEntry {
    lines: Vec<EntryLine>,
}

/// A line as parts, each with its tone.
struct EntryLine {
    parts: Vec<MoreLine>,
}

impl From<MoreLine> for EntryLine {
    fn from(line: MoreLine) -> Self {
        Self { parts: vec![line] }
    }
}

impl ListEntry {
    /// Lays a row out in `width` columns.
    pub(super) fn from_row(row: ScreenRow, width: usize) -> Self {
        let mut right = row.right;
        let mut more = row.more;
        let rest = width.saturating_sub(right.width() + 2);
        if rest < MIN_TEXT_COLUMNS.min(row.text.width()) {
            let tone = row.tone;
            let text = std::mem::take(&mut right);
            more.insert(0, MoreLine { tone, text });
        }
        let mut lines = vec![MoreLine {
            tone: row.tone,
            text: spread(&row.text, &right, width),
        }];
        for more in more {
            let wrapped = wrap_text(&more.text, width.saturating_sub(6));
            lines.extend(wrapped.into_iter().map(|text| MoreLine {
                tone: more.tone,
                text: format!("      {text}"),
            }));
        }
        Self {
            lines: lines.into_iter().map(EntryLine::from).collect(),
        }
    }

    /// Lays a line of a page out in `width` columns, broken if it is longer.
    pub(super) fn from_page_line(line: &PageLine, width: usize) -> Self {
        let tone = line.tone;
        let lines = wrap_text(&line.text, width).into_iter();
        Self {
            lines: lines
                .map(|text| EntryLine::from(MoreLine { tone, text }))
                .collect(),
        }
    }

    /// Lays a line of a picture, patch or screen out: the columns from `left` on, cut at `width`.
    pub(super) fn from_cut_line(line: &PageLine, left: usize, width: usize) -> Self {
        let whole = [MoreLine {
            tone: line.tone,
            text: line.text.clone(),
        }];
        let parts = if line.parts.is_empty() {
            whole.as_slice()
        } else {
            &line.parts
        };
        Self {
            lines: vec![EntryLine {
                parts: cut_parts(parts, left, width),
            }],
        }
    }

    pub(super) fn height(&self) -> usize {
        self.lines.len()
    }
}

/// The selected entry of a list.
#[derive(Clone, Copy)]
pub(super) struct ListCursor {
    pub(super) place: usize,
    /// True if keys move it.
    pub(super) is_active: bool,
}

/// Draws entries, each after a column for the mark of the selection. Returns the drawn places.
pub(super) fn draw_list(
    frame: &mut Frame,
    area: Rect,
    entries: &[ListEntry],
    cursor: ListCursor,
    theme: Theme,
) -> Vec<(Rect, usize)> {
    let height = usize::from(area.height);
    let before: usize = entries
        .iter()
        .take(cursor.place)
        .map(ListEntry::height)
        .sum();
    let all: usize = entries.iter().map(ListEntry::height).sum();
    let selected = entries.get(cursor.place).map_or(0, ListEntry::height);
    let middle = before.saturating_sub(height.saturating_sub(selected) / 2);
    let skipped = middle.min(all.saturating_sub(height));
    let visible: Vec<_> = entries
        .iter()
        .enumerate()
        .flat_map(|(place, entry)| {
            entry
                .lines
                .iter()
                .enumerate()
                .map(move |(number, line)| (place, number, line))
        })
        .skip(skipped)
        .take(height)
        .collect();
    let mut drawn = Vec::new();
    for (y, (place, number, line)) in (area.y..).zip(visible) {
        let is_selected = place == cursor.place && cursor.is_active;
        let is_marked = is_selected && number == 0;
        let styled = |tone: Tone, text: String| {
            let style = theme.style(tone);
            let style = if is_marked {
                Theme::selected(style)
            } else {
                style
            };
            Span::styled(text, style)
        };
        let mark = if is_marked { "> " } else { "  " };
        let first_tone = line.parts.first().map_or(Tone::Plain, |part| part.tone);
        let parts = line.parts.iter();
        let spans = std::iter::once(styled(first_tone, mark.to_owned()))
            .chain(parts.map(|part| styled(part.tone, part.text.clone())));
        let rect = Rect::new(area.x, y, area.width, 1);
        frame.render_widget(spans.collect::<Line>(), rect);
        drawn.push((rect, place));
    }
    drawn
}

/// Builds the click areas of drawn entries.
pub(super) fn click_areas(
    drawn: Vec<(Rect, usize)>,
    target: impl Fn(usize) -> ClickTarget,
) -> impl Iterator<Item = ClickArea> {
    drawn.into_iter().map(move |(rect, place)| ClickArea {
        rect,
        target: target(place),
    })
}
