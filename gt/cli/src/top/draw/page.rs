//! Draws an opened subject: a line of tabs, and the lines of the open one.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::super::rows::Tone;
use super::super::state::{ClickTarget, OpenPage, TopState};
use super::list::{ListCursor, ListEntry, click_areas, draw_list};
use super::{ClickArea, Theme, split_off_top};
use kit::ui::escape::escape_line;
use unicode_width::UnicodeWidthStr;

pub(super) fn draw_page(
    frame: &mut Frame,
    area: Rect,
    state: &TopState,
    theme: Theme,
) -> Vec<ClickArea> {
    let Some(page) = state.pages.last() else {
        return Vec::new();
    };
    let (title, rest) = split_off_top(area, 1);
    let (tab_line, body) = split_off_top(rest, 1);
    let name = escape_line(&page.subject.describe());
    let fill = usize::from(title.width).saturating_sub(name.width() + 3);
    let text = format!("▶ {name} {}", "─".repeat(fill));
    frame.render_widget(Line::styled(text, theme.style(Tone::Strong)), title);
    let mut areas = draw_tabs(frame, tab_line, page, theme);
    let Some(lines) = state.page_lines() else {
        frame.render_widget(Line::styled("  reading …", theme.style(Tone::Dim)), body);
        return areas;
    };
    let width = usize::from(body.width).saturating_sub(3);
    let entries: Vec<ListEntry> = lines
        .iter()
        .map(|line| {
            if page.tab().is_cut() {
                ListEntry::from_cut_line(line, page.left, width)
            } else {
                ListEntry::from_page_line(line, width)
            }
        })
        .collect();
    let cursor = ListCursor {
        place: page.cursor,
        is_active: !page.is_screen(),
    };
    let drawn = draw_list(frame, body, &entries, cursor, theme);
    areas.extend(click_areas(drawn, ClickTarget::PageLine));
    areas
}

fn draw_tabs(frame: &mut Frame, area: Rect, page: &OpenPage, theme: Theme) -> Vec<ClickArea> {
    let mut areas = Vec::new();
    let mut x = area.x + 2;
    for (number, tab) in page.subject.tabs().iter().enumerate() {
        let is_open = number == page.tab;
        let text = if is_open {
            format!("[{} {}]", number + 1, tab.name())
        } else {
            format!(" {} {} ", number + 1, tab.name())
        };
        let width = u16::try_from(text.width()).unwrap_or(u16::MAX);
        let rect = Rect::new(x, area.y, width, 1).intersection(area);
        let tone = if is_open { Tone::Strong } else { Tone::Dim };
        frame.render_widget(Line::styled(text, theme.style(tone)), rect);
        areas.push(ClickArea {
            rect,
            target: ClickTarget::Tab(number),
        });
        x = x.saturating_add(width);
    }
    areas
}
