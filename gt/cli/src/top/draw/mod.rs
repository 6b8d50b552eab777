//! Draws the state. Nothing here reads or writes anything outside.

mod header;
mod list;
mod main_screen;
mod page;
mod text;
mod theme;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use unicode_width::UnicodeWidthStr;

use super::action::TextPurpose;
use super::rows::Tone;
use super::state::{ClickTarget, Dialog, TopState};
use text::{join_parts, wrap_text};
pub(super) use theme::Theme;

/// An area that a click selects.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClickArea {
    pub(super) rect: Rect,
    pub(super) target: ClickTarget,
}

/// Draws the whole screen. Returns the areas that can be clicked.
pub(super) fn draw_screen(frame: &mut Frame, state: &TopState, theme: Theme) -> Vec<ClickArea> {
    let whole = frame.area();
    let width = usize::from(whole.width);
    let header = header::list_lines(state, width);
    let footer = list_footer_lines(state, width);
    let (above, rest) = split_off_top(whole, header.len());
    let (body, below) = split_off_bottom(rest, footer.len());
    draw_lines(frame, above, header, theme);
    draw_lines(frame, below, footer, theme);
    if state.is_help_open {
        draw_lines(frame, body, list_help_lines(), theme);
        return Vec::new();
    }
    if state.pages.is_empty() {
        main_screen::draw_sections(frame, body, state, theme)
    } else {
        page::draw_page(frame, body, state, theme)
    }
}

/// Finds the target of a click.
pub(super) fn find_click_target(areas: &[ClickArea], column: u16, row: u16) -> Option<ClickTarget> {
    let place = Position::new(column, row);
    let area = areas.iter().find(|area| area.rect.contains(place));
    area.map(|area| area.target)
}

/// A line of header, footer or help.
struct TonedLine {
    tone: Tone,
    text: String,
}

impl TonedLine {
    fn new(tone: Tone, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { tone, text }
    }
}

fn draw_lines(frame: &mut Frame, area: Rect, lines: Vec<TonedLine>, theme: Theme) {
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        let rect = Rect::new(area.x, y, area.width, 1);
        frame.render_widget(Line::styled(line.text, theme.style(line.tone)), rect);
    }
}

fn split_off_top(area: Rect, lines: usize) -> (Rect, Rect) {
    let height = u16::try_from(lines).unwrap_or(u16::MAX).min(area.height);
    let rest = Rect::new(area.x, area.y + height, area.width, area.height - height);
    (Rect { height, ..area }, rest)
}

fn split_off_bottom(area: Rect, lines: usize) -> (Rect, Rect) {
    let height = u16::try_from(lines).unwrap_or(u16::MAX).min(area.height);
    split_off_top(area, usize::from(area.height - height))
}

/// Returns the question, or the last result and the keys.
fn list_footer_lines(state: &TopState, width: usize) -> Vec<TonedLine> {
    let mut lines = Vec::new();
    match &state.dialog {
        Some(Dialog::Confirm(change)) => {
            let question = format!(
                "{}? [y/n]",
                kit::ui::escape::escape_line(&change.describe())
            );
            lines.extend(
                wrap_text(&question, width)
                    .into_iter()
                    .map(|text| TonedLine::new(Tone::Strong, text)),
            );
            return lines;
        }
        Some(Dialog::Text { purpose, text }) => {
            lines.push(TonedLine::new(
                Tone::Strong,
                end_of(&format!("{}: {text}_", purpose.question()), width),
            ));
            let keys = if *purpose == TextPurpose::Search {
                "Enter keeps the matches or opens what has this id, Esc shows all"
            } else {
                "Enter sends, Esc cancels"
            };
            let keys = kit::ui::cut::cut_to_width(keys, width);
            lines.push(TonedLine::new(Tone::Dim, keys));
            return lines;
        }
        None => {}
    }
    if let Some(change) = state.running.last() {
        lines.push(TonedLine::new(Tone::Dim, format!("… {change}")));
    } else if let Some(result) = &state.result {
        let (tone, mark) = if result.is_error {
            (Tone::Bad, "! ")
        } else {
            (Tone::Good, "✓ ")
        };
        lines.extend(
            wrap_text(&format!("{mark}{}", result.text), width)
                .into_iter()
                .take(3)
                .map(|text| TonedLine::new(tone, text)),
        );
    }
    if !state.filter.is_empty() {
        let text = format!("only lines with \"{}\" (Esc shows all)", state.filter);
        lines.push(TonedLine::new(Tone::Caution, text));
    }
    let mut keys: Vec<String> = state
        .offered_keys()
        .iter()
        .map(|offered| format!("{} {}", offered.key, offered.label))
        .collect();
    match state.pages.last() {
        None => keys.push("m map".to_owned()),
        Some(page) if page.tab().is_cut() => keys.push("h, l sideways".to_owned()),
        Some(_) => {}
    }
    keys.extend(["Enter open", "Tab next", "/ search", "? help"].map(str::to_owned));
    keys.push(if state.pages.is_empty() {
        "q quit".to_owned()
    } else {
        "q back".to_owned()
    });
    lines.extend(
        join_parts(&keys, " · ", width)
            .into_iter()
            .map(|text| TonedLine::new(Tone::Dim, text)),
    );
    lines
}

/// Returns the last part of a text that is being typed.
fn end_of(text: &str, width: usize) -> String {
    let mut rest = text;
    while rest.width() > width {
        let mut chars = rest.chars();
        chars.next();
        rest = chars.as_str();
    }
    rest.to_owned()
}

fn list_help_lines() -> Vec<TonedLine> {
    const KEYS: &[(&str, &str)] = &[
        ("1-5, Tab, ←, →", "go to a section, or to a tab of a page"),
        ("↑, ↓, j, k", "select a line"),
        ("PgUp, PgDn, Home, End", "move further"),
        ("h, l", "scroll a picture, patch or screen sideways"),
        ("m", "open the map of the town, its timeline and its costs"),
        ("Enter, second click", "open the selected line"),
        ("q, Esc", "go back; q on the main screen quits"),
        (
            "/",
            "show only lines with a text; a whole id and Enter open it",
        ),
        ("A, B, C, ...", "give that answer to the selected question"),
        ("r", "reply to a question in your own words"),
        ("a", "acknowledge a question; attach to an agent"),
        ("n", "nudge an agent: type a message into its session"),
        ("t", "retry a merge request or a stuck worker"),
        ("x", "reject a merge request"),
        ("s", "sling a bead to a rig or worker"),
        ("p", "park or unpark a rig"),
        ("!", "stop all agents of the town, or let them start again"),
        ("Ctrl-C", "quit when no action runs; twice: quit now"),
    ];
    let lines = KEYS
        .iter()
        .map(|(keys, effect)| TonedLine::new(Tone::Plain, format!("  {keys:<22} {effect}")));
    let title = TonedLine::new(Tone::Strong, "Keys (any key closes this)");
    std::iter::once(title).chain(lines).collect()
}
