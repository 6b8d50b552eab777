//! The state of the screen, changed by keys, clicks and news. Nothing here reads or writes
//! anything outside.

use gt::flow::townwide::town_change::TownChange;
use gt::town::event::EventLine;
use gt::view::overview::TownOverview;
use kit::ui::cut::count_columns;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::action::{KeyEffect, OfferedKey, TextPurpose, TopAction, list_offered_keys};
use super::news::{CostNews, Section, TownNews};
use super::rows::{self, PageLine, ScreenRow};
use super::subject::{PageTab, Subject};
use super::{drawn, need};

/// The columns by which a key scrolls sideways.
const SIDEWAYS_COLUMNS: isize = 10;

/// An opened subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OpenPage {
    pub(super) subject: Subject,
    /// The number of the tab in the subject's list.
    pub(super) tab: usize,
    pub(super) cursor: usize,
    /// The columns that are scrolled off at the left.
    pub(super) left: usize,
    /// None until the tab has been read.
    pub(super) lines: Option<Vec<PageLine>>,
}

/// A question at the bottom of the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Dialog {
    Text { purpose: TextPurpose, text: String },
    Confirm(TownChange),
}

/// The result of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ResultLine {
    pub(super) text: String,
    pub(super) is_error: bool,
}

/// A place that was clicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClickTarget {
    Section(Section),
    Row(Section, usize),
    PageLine(usize),
    Tab(usize),
}

#[derive(Debug)]
pub(super) struct TopState {
    pub(super) news: TownNews,
    pub(super) section: Section,
    /// The selected row of each section.
    cursors: [usize; 5],
    /// The keys of the selected rows, which find them again after news.
    anchors: [String; 5],
    /// True if news replaced the selected row by another one, which the user has not seen yet.
    is_row_replaced: bool,
    /// The opened pages, the visible one last.
    pub(super) pages: Vec<OpenPage>,
    /// Only lines with this text are listed.
    pub(super) filter: String,
    pub(super) dialog: Option<Dialog>,
    pub(super) is_help_open: bool,
    pub(super) result: Option<ResultLine>,
    /// The running actions.
    pub(super) running: Vec<String>,
    /// The columns that a line of a page has.
    pub(super) columns: usize,
}

impl TopState {
    pub(super) fn new() -> Self {
        Self {
            news: TownNews::default(),
            section: Section::NeedsYou,
            cursors: [0; 5],
            anchors: Default::default(),
            is_row_replaced: false,
            pages: Vec::new(),
            filter: String::new(),
            dialog: None,
            is_help_open: false,
            result: None,
            running: Vec::new(),
            columns: 0,
        }
    }

    /// Returns the rows of a section that the filter lets through.
    pub(super) fn rows_of(&self, section: Section) -> Vec<ScreenRow> {
        let mut rows = rows::list_rows(&self.news, section);
        rows.retain(|row| row.contains(&self.filter));
        rows
    }

    /// Returns the lines of the visible page that the filter lets through. None without a page, or
    /// before it was read.
    pub(super) fn page_lines(&self) -> Option<Vec<&PageLine>> {
        let lines = self.pages.last()?.lines.as_ref()?;
        let filter = self.filter.to_lowercase();
        Some(
            lines
                .iter()
                .filter(|line| line.text.to_lowercase().contains(&filter))
                .collect(),
        )
    }

    pub(super) fn cursor_of(&self, section: Section) -> usize {
        self.cursors[section as usize]
    }

    /// Replaces the overview and keeps the selections on their rows.
    pub(super) fn set_overview(&mut self, overview: TownOverview, feed: Vec<EventLine>) {
        self.news.overview = Some(overview);
        self.news.feed = feed;
        self.news.problem = None;
        for section in Section::ALL {
            let rows = self.rows_of(section);
            let anchor = &self.anchors[section as usize];
            let found = rows.iter().position(|row| row.key == *anchor);
            if found.is_none() && !anchor.is_empty() && section == self.section {
                self.is_row_replaced = true;
            }
            let cursor = match self.cursor_of(section) {
                // The newest event stays selected until the user selects an older one.
                0 if section == Section::Feed => 0,
                cursor => found.unwrap_or(cursor),
            };
            self.move_cursor_to(section, &rows, cursor);
        }
        self.write_own_page();
    }

    /// Takes a reading of the costs, or the reason why there is none.
    pub(super) fn set_costs(&mut self, costs: Result<CostNews, String>) {
        self.news.costs = Some(costs);
        self.write_own_page();
    }

    /// Takes the columns that a line of a page has.
    pub(super) fn set_columns(&mut self, columns: usize) {
        if self.columns != columns {
            self.columns = columns;
            self.write_own_page();
        }
    }

    /// Writes the open page if the news have all of it: that of a need, or the costs.
    fn write_own_page(&mut self) {
        let (Some(page), Some(overview)) = (self.pages.last_mut(), &self.news.overview) else {
            return;
        };
        if let Subject::Need(key) = &page.subject {
            page.set_lines(need::describe_need(overview, key));
        } else if page.tab() == PageTab::Costs {
            let costs = self.news.costs.as_ref();
            page.lines = None;
            if let Some(costs) = costs {
                page.set_lines(drawn::draw_costs(costs, self.columns, overview.at));
            }
        }
    }

    /// Shows the result of an action, which no longer runs.
    pub(super) fn finish_change(&mut self, change: &str, result: ResultLine) {
        if let Some(place) = self.running.iter().position(|other| other == change) {
            self.running.remove(place);
        }
        self.result = Some(result);
    }

    /// Sets the lines of a page if its tab is still open.
    pub(super) fn set_page(&mut self, subject: &Subject, tab: usize, lines: Vec<PageLine>) {
        let Some(page) = self.pages.last_mut() else {
            return;
        };
        if page.subject != *subject || page.tab != tab {
            return;
        }
        let was_at_end = page
            .lines
            .as_ref()
            .is_none_or(|old| page.cursor + 1 >= old.len());
        if page.is_screen() && was_at_end {
            page.cursor = lines.len();
        }
        page.set_lines(lines);
    }

    /// Returns the selected subject: that of the selected line, or of the page.
    pub(super) fn selected_subject(&self) -> Option<Subject> {
        if let Some(page) = self.pages.last() {
            let line = self.page_lines().and_then(|lines| {
                let line = lines.get(page.cursor)?;
                line.subject.clone()
            });
            return Some(line.unwrap_or_else(|| page.subject.clone()));
        }
        let rows = self.rows_of(self.section);
        rows.get(self.cursor_of(self.section))?.subject.clone()
    }

    /// Returns the keys of the selected subject. On a page, those of its subject follow.
    pub(super) fn offered_keys(&self) -> Vec<OfferedKey> {
        let Some(overview) = &self.news.overview else {
            return Vec::new();
        };
        let subject = self.selected_subject();
        let mut keys = subject.map_or_else(Vec::new, |subject| {
            let mut keys = list_offered_keys(overview, &subject);
            if let Some(page) = self.pages.last().filter(|page| page.subject != subject) {
                for offered in list_offered_keys(overview, &page.subject) {
                    if keys.iter().all(|other| other.key != offered.key) {
                        keys.push(offered);
                    }
                }
            }
            keys
        });
        if self.pages.is_empty() {
            keys.extend(
                overview
                    .offers
                    .town
                    .iter()
                    .filter_map(OfferedKey::for_offer),
            );
        }
        keys
    }

    pub(super) fn handle_key(&mut self, key: KeyEvent) -> Option<TopAction> {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return (key.code == KeyCode::Char('c')).then_some(TopAction::Quit);
        }
        if self.dialog.is_some() {
            return self.handle_dialog_key(key.code);
        }
        self.result = None;
        if self.is_help_open {
            self.is_help_open = false;
            return None;
        }
        let is_row_replaced = std::mem::take(&mut self.is_row_replaced);
        match key.code {
            KeyCode::Char('?') => self.is_help_open = true,
            KeyCode::Char('/') => {
                self.dialog = Some(Dialog::Text {
                    purpose: TextPurpose::Search,
                    text: self.filter.clone(),
                });
            }
            KeyCode::Char('q') | KeyCode::Esc => return self.go_back(key.code),
            KeyCode::Enter => self.open_selected(),
            KeyCode::Tab | KeyCode::Right => self.turn(1),
            KeyCode::BackTab | KeyCode::Left => self.turn(-1),
            KeyCode::Char('j') | KeyCode::Down => self.step(1),
            KeyCode::Char('k') | KeyCode::Up => self.step(-1),
            KeyCode::PageDown => self.step(10),
            KeyCode::PageUp => self.step(-10),
            KeyCode::Home => self.step(isize::MIN),
            KeyCode::End => self.step(isize::MAX),
            KeyCode::Char(digit @ '1'..='9') => self.choose_number(digit),
            KeyCode::Char('m') if self.pages.is_empty() => self.open(Subject::Town),
            KeyCode::Char('h') => self.scroll_sideways(-SIDEWAYS_COLUMNS),
            KeyCode::Char('l') => self.scroll_sideways(SIDEWAYS_COLUMNS),
            KeyCode::Char(letter) => {
                let offered = self.offered_keys();
                let chosen = offered.into_iter().find(|offered| offered.key == letter)?;
                // The key was meant for the row that is gone.
                if is_row_replaced && self.pages.is_empty() {
                    self.result = Some(ResultLine {
                        text: "the selected line has changed, so nothing was done".to_owned(),
                        is_error: true,
                    });
                    return None;
                }
                return self.apply(chosen.effect);
            }
            _ => {}
        }
        None
    }

    /// Applies the effect of an offered key.
    fn apply(&mut self, effect: KeyEffect) -> Option<TopAction> {
        match effect {
            KeyEffect::Act(action) => return Some(action),
            KeyEffect::AskText(purpose) => {
                let text = self.propose_text(&purpose);
                self.dialog = Some(Dialog::Text { purpose, text });
            }
            KeyEffect::Confirm(change) => self.dialog = Some(Dialog::Confirm(change)),
        }
        None
    }

    /// Returns the text that a question begins with: the rig of a bead to sling.
    fn propose_text(&self, purpose: &TextPurpose) -> String {
        let (TextPurpose::Complete(offer), Some(overview)) = (purpose, &self.news.overview) else {
            return String::new();
        };
        let TownChange::Sling { bead, .. } = &offer.change else {
            return String::new();
        };
        overview
            .status
            .rigs
            .iter()
            .find(|rig| {
                bead.strip_prefix(&rig.prefix)
                    .is_some_and(|rest| rest.starts_with('-'))
            })
            .map_or_else(String::new, |rig| rig.name.clone())
    }

    fn handle_dialog_key(&mut self, code: KeyCode) -> Option<TopAction> {
        let mut dialog = self.dialog.take()?;
        match (&mut dialog, code) {
            (Dialog::Confirm(change), KeyCode::Char('y')) => {
                return Some(TopAction::Change(change.clone()));
            }
            (Dialog::Confirm(_), KeyCode::Char('n' | 'q') | KeyCode::Esc) => {
                self.result = Some(ResultLine {
                    text: "nothing was changed".to_owned(),
                    is_error: false,
                });
                return None;
            }
            (Dialog::Text { purpose, .. }, KeyCode::Esc) => {
                if *purpose == TextPurpose::Search {
                    self.set_filter(String::new());
                }
                return None;
            }
            (Dialog::Text { purpose, text }, KeyCode::Enter) => {
                if *purpose == TextPurpose::Search {
                    self.open_searched();
                    return None;
                }
                if let Some(effect) = purpose.finish(text) {
                    return self.apply(effect);
                }
            }
            (Dialog::Text { text, .. }, KeyCode::Backspace) => {
                text.pop();
            }
            (Dialog::Text { text, .. }, KeyCode::Char(letter)) => text.push(letter),
            (
                Dialog::Text {
                    purpose: TextPurpose::Search,
                    ..
                },
                KeyCode::Down | KeyCode::Up,
            ) => self.step(if code == KeyCode::Down { 1 } else { -1 }),
            _ => {}
        }
        if let Dialog::Text {
            purpose: TextPurpose::Search,
            text,
        } = &dialog
            && *text != self.filter
        {
            self.set_filter(text.clone());
        }
        self.dialog = Some(dialog);
        None
    }

    /// Adds pasted text to the open question.
    pub(super) fn paste(&mut self, pasted: &str) {
        let one_line: String = pasted
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        if let Some(Dialog::Text { purpose, text }) = &mut self.dialog {
            text.push_str(&one_line);
            if *purpose == TextPurpose::Search {
                let filter = text.clone();
                self.set_filter(filter);
            }
        }
    }

    fn set_filter(&mut self, filter: String) {
        self.filter = filter;
        self.cursors = [0; 5];
        self.anchors = Default::default();
        if let Some(page) = self.pages.last_mut() {
            page.cursor = 0;
            return;
        }
        let first_match = Section::ALL
            .into_iter()
            .find(|section| !self.rows_of(*section).is_empty());
        if !self.filter.is_empty() && self.rows_of(self.section).is_empty() {
            self.section = first_match.unwrap_or(self.section);
        }
    }

    /// Opens the thing with the searched name. Without any match, opens the bead with that id.
    fn open_searched(&mut self) {
        if let Some(named) = self.find_searched() {
            self.open(named);
            return;
        }
        let has_match = if self.pages.is_empty() {
            !self.rows_of(self.section).is_empty()
        } else {
            self.page_lines().is_some_and(|lines| !lines.is_empty())
        };
        if has_match || self.filter.is_empty() {
            return;
        }
        let id = self.filter.trim().to_owned();
        self.set_filter(String::new());
        if id.contains('-') && !id.contains(char::is_whitespace) {
            self.open(Subject::Bead(id));
            return;
        }
        self.result = Some(ResultLine {
            text: format!("nothing here contains \"{id}\""),
            is_error: true,
        });
    }

    /// Returns the thing on the screen whose whole name was searched.
    fn find_searched(&self) -> Option<Subject> {
        let name = self.filter.trim();
        if let Some(lines) = self.page_lines() {
            return lines
                .into_iter()
                .filter_map(|line| line.subject.clone())
                .find(|subject| subject.name() == name);
        }
        Section::ALL
            .into_iter()
            .flat_map(|section| self.rows_of(section))
            .filter_map(|row| row.subject)
            .find(|subject| subject.name() == name)
    }

    fn go_back(&mut self, code: KeyCode) -> Option<TopAction> {
        if !self.filter.is_empty() {
            self.set_filter(String::new());
        } else if self.pages.pop().is_none() && code == KeyCode::Char('q') {
            return Some(TopAction::Quit);
        }
        None
    }

    fn open_selected(&mut self) {
        let selected = self.selected_subject();
        let open = self.pages.last().map(|page| &page.subject);
        if let Some(subject) = selected.filter(|subject| open != Some(subject)) {
            self.open(subject);
        }
    }

    pub(super) fn open(&mut self, subject: Subject) {
        self.filter.clear();
        self.pages.push(OpenPage {
            subject,
            tab: 0,
            cursor: 0,
            left: 0,
            lines: None,
        });
        self.write_own_page();
    }

    /// Moves to the next or the previous section or tab.
    fn turn(&mut self, by: isize) {
        if let Some(page) = self.pages.last() {
            let tab = shift_around(page.tab, by, page.subject.tabs().len());
            self.choose_tab(tab);
            return;
        }
        let next = shift_around(self.section as usize, by, Section::ALL.len());
        self.section = Section::ALL[next];
    }

    fn choose_tab(&mut self, tab: usize) {
        if let Some(page) = self.pages.last_mut()
            && tab < page.subject.tabs().len()
            && tab != page.tab
        {
            page.tab = tab;
            page.cursor = 0;
            page.left = 0;
            page.lines = None;
        }
        self.write_own_page();
    }

    /// Scrolls a page whose lines are cut, as far as there are columns.
    fn scroll_sideways(&mut self, by: isize) {
        if let Some(page) = self.pages.last_mut()
            && page.tab().is_cut()
        {
            page.left = page.left.saturating_add_signed(by);
            page.limit_scroll();
        }
    }

    fn choose_number(&mut self, digit: char) {
        let number = digit.to_digit(10).unwrap_or(1) as usize - 1;
        if !self.pages.is_empty() {
            self.choose_tab(number);
        } else if let Some(section) = Section::ALL.get(number) {
            self.section = *section;
        }
    }

    /// Moves the selection by a number of lines, as far as there are lines.
    pub(super) fn step(&mut self, by: isize) {
        if let Some(count) = self.page_lines().map(|lines| lines.len()) {
            if let Some(page) = self.pages.last_mut() {
                page.cursor = shift_within(page.cursor, by, count);
            }
            return;
        }
        if self.pages.is_empty() {
            self.step_in(self.section, by);
        }
    }

    fn step_in(&mut self, section: Section, by: isize) {
        let rows = self.rows_of(section);
        let cursor = shift_within(self.cursor_of(section), by, rows.len());
        self.move_cursor_to(section, &rows, cursor);
    }

    fn move_cursor_to(&mut self, section: Section, rows: &[ScreenRow], cursor: usize) {
        let cursor = cursor.min(rows.len().saturating_sub(1));
        self.cursors[section as usize] = cursor;
        self.anchors[section as usize] = rows
            .get(cursor)
            .map_or_else(String::new, |row| row.key.clone());
    }

    /// Selects the clicked place. A click on the selection opens it.
    pub(super) fn click(&mut self, target: ClickTarget) {
        if self.dialog.is_some() {
            return;
        }
        self.result = None;
        match target {
            ClickTarget::Section(section) => self.section = section,
            ClickTarget::Tab(tab) => self.choose_tab(tab),
            ClickTarget::Row(section, row) => {
                if self.section == section && self.cursor_of(section) == row {
                    self.open_selected();
                    return;
                }
                self.section = section;
                let rows = self.rows_of(section);
                self.move_cursor_to(section, &rows, row);
            }
            ClickTarget::PageLine(line) => {
                let Some(page) = self.pages.last_mut() else {
                    return;
                };
                if page.cursor == line {
                    self.open_selected();
                } else {
                    page.cursor = line;
                }
            }
        }
    }

    /// Scrolls the list under the mouse.
    pub(super) fn scroll(&mut self, target: Option<ClickTarget>, by: isize) {
        match target {
            Some(ClickTarget::Row(section, _) | ClickTarget::Section(section))
                if self.pages.is_empty() =>
            {
                self.step_in(section, by);
            }
            _ => self.step(by),
        }
    }
}

impl OpenPage {
    /// Returns the open tab.
    pub(super) fn tab(&self) -> PageTab {
        self.subject.tabs()[self.tab]
    }

    /// Replaces the lines and keeps the selection and the scroll within them.
    fn set_lines(&mut self, lines: Vec<PageLine>) {
        self.cursor = self.cursor.min(lines.len().saturating_sub(1));
        self.lines = Some(lines);
        self.limit_scroll();
    }

    /// Keeps a part of the longest line visible.
    fn limit_scroll(&mut self) {
        let lines = self.lines.as_deref().unwrap_or(&[]);
        let longest = lines.iter().map(|line| count_columns(&line.text)).max();
        let limit = longest.unwrap_or(0).saturating_sub(1);
        self.left = self.left.min(limit);
    }

    /// Returns true if the state writes the page itself.
    pub(super) fn has_own_lines(&self) -> bool {
        matches!(self.subject, Subject::Need(_)) || self.tab() == PageTab::Costs
    }

    /// Returns true for the live screen of an agent.
    pub(super) fn is_screen(&self) -> bool {
        self.tab() == PageTab::Screen
    }
}

fn shift_around(place: usize, by: isize, count: usize) -> usize {
    place
        .saturating_add(count)
        .saturating_add_signed(by)
        .checked_rem(count)
        .unwrap_or(0)
}

fn shift_within(place: usize, by: isize, count: usize) -> usize {
    place.saturating_add_signed(by).min(count.saturating_sub(1))
}
