//! Draws the sections: one below the other, or in two columns on a wide screen.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::super::news::Section;
use super::super::rows::Tone;
use super::super::state::{ClickTarget, TopState};
use super::super::subject::Subject;
use super::list::{ListCursor, ListEntry, click_areas, draw_list};
use super::{ClickArea, Theme};

/// The width from which there are two columns.
const TWO_COLUMN_WIDTH: u16 = 120;

/// A section laid out for its width.
struct SectionLayout {
    section: Section,
    entries: Vec<ListEntry>,
    /// The number of rows, without those that only name a rig.
    count: usize,
    /// The lines of all entries.
    needed: usize,
    /// The lines that it gets, without its title.
    height: usize,
}

pub(super) fn draw_sections(
    frame: &mut Frame,
    area: Rect,
    state: &TopState,
    theme: Theme,
) -> Vec<ClickArea> {
    if area.width < TWO_COLUMN_WIDTH {
        return draw_column(frame, area, &Section::ALL, state, theme);
    }
    let left = Rect {
        width: area.width / 2,
        ..area
    };
    let right = Rect {
        x: left.right(),
        width: area.width - left.width,
        ..area
    };
    let (upper, lower) = Section::ALL.split_at(2);
    let mut areas = draw_column(frame, left, upper, state, theme);
    areas.extend(draw_column(frame, right, lower, state, theme));
    areas
}

fn draw_column(
    frame: &mut Frame,
    area: Rect,
    sections: &[Section],
    state: &TopState,
    theme: Theme,
) -> Vec<ClickArea> {
    let width = usize::from(area.width).saturating_sub(3);
    let mut layouts: Vec<SectionLayout> = sections
        .iter()
        .map(|section| {
            let rows = state.rows_of(*section);
            let count = rows.len()
                - rows
                    .iter()
                    .filter(|row| matches!(row.subject, Some(Subject::Rig(_))))
                    .count();
            let entries: Vec<ListEntry> = rows
                .into_iter()
                .map(|row| ListEntry::from_row(row, width))
                .collect();
            SectionLayout {
                section: *section,
                count,
                needed: entries.iter().map(ListEntry::height).sum(),
                entries,
                height: 0,
            }
        })
        .collect();
    drop_sections(&mut layouts, usize::from(area.height), state.section);
    share_height(&mut layouts, usize::from(area.height), state.section);
    let mut areas = Vec::new();
    let mut y = area.y;
    for layout in &layouts {
        let title = Rect::new(area.x, y, area.width, 1);
        draw_title(frame, title, layout, state, theme);
        areas.push(ClickArea {
            rect: title,
            target: ClickTarget::Section(layout.section),
        });
        let height = u16::try_from(layout.height).unwrap_or(u16::MAX);
        let body = Rect::new(area.x, y + 1, area.width, height);
        let is_active = state.section == layout.section;
        let cursor = ListCursor {
            // The first rows are the most important ones, or the newest.
            place: if is_active {
                state.cursor_of(layout.section)
            } else {
                0
            },
            is_active,
        };
        let drawn = draw_list(frame, body, &layout.entries, cursor, theme);
        areas.extend(click_areas(drawn, |row| {
            ClickTarget::Row(layout.section, row)
        }));
        y = body.bottom();
    }
    areas
}

fn draw_title(
    frame: &mut Frame,
    area: Rect,
    layout: &SectionLayout,
    state: &TopState,
    theme: Theme,
) {
    let section = layout.section;
    let mark = if state.section == section { "▶" } else { " " };
    let count = match layout.count {
        0 if state.news.overview.is_none() => "…".to_owned(),
        0 if !state.filter.is_empty() => "no match".to_owned(),
        0 if section == Section::NeedsYou => "nothing".to_owned(),
        0 => "none".to_owned(),
        count => count.to_string(),
    };
    let text = format!("{mark} {} {}: {count} ", section.number(), section.name());
    let fill = usize::from(area.width).saturating_sub(text.chars().count() + 1);
    let text = format!("{text}{}", "─".repeat(fill));
    frame.render_widget(Line::styled(text, theme.style(Tone::Strong)), area);
}

/// Drops the last sections that have no room, but neither the focused one nor what needs the user.
fn drop_sections(layouts: &mut Vec<SectionLayout>, height: usize, focus: Section) {
    // A title and a line for each.
    while layouts.len() * 2 > height {
        let Some(last) = layouts
            .iter()
            .rposition(|layout| layout.section != focus && layout.section != Section::NeedsYou)
        else {
            return;
        };
        layouts.remove(last);
    }
}

/// Shares the lines: what needs the user gets up to half of them, the focused section three times
/// as many as each other one.
fn share_height(layouts: &mut [SectionLayout], height: usize, focus: Section) {
    let mut left = height.saturating_sub(layouts.len());
    let first = layouts
        .iter_mut()
        .find(|layout| layout.section == Section::NeedsYou);
    if let Some(needs) = first {
        needs.height = needs.needed.min(left.div_ceil(2));
        left -= needs.height;
    }
    while left > 0 {
        let mut is_changed = false;
        for layout in layouts.iter_mut() {
            let turns = if layout.section == focus { 3 } else { 1 };
            let more = turns.min(left).min(layout.needed - layout.height);
            layout.height += more;
            left -= more;
            is_changed |= more > 0;
        }
        if !is_changed {
            return;
        }
    }
}
