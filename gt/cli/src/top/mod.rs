//! `gt top`: the town in a terminal, full screen.
//!
//! Threads read the town, its costs and the opened page (`source`, `pages`), and a thread runs each
//! action (`act`). They send messages to the loop here, which alone changes the state (`state`,
//! `action`, `rows`) and draws it (`draw`) when it has changed.

mod act;
mod action;
mod alert;
mod draw;
mod drawn;
mod need;
mod news;
mod pages;
mod rows;
mod screen;
mod source;
mod state;
mod subject;
#[cfg(test)]
mod tests;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use gt::flow::townwide::town_change::TownChange;
use gt::town::find_town;
use gt::view::overview::TownOverview;
use kit::ui::Style;
use ratatui::crossterm::event::{self, Event, KeyEventKind, MouseButton, MouseEventKind};

use super::{CommandResult, ask, attach, build_empty_report, build_report};
use crate::context::Context;
use action::TopAction;
use alert::TerminalAlert;
use draw::{ClickArea, Theme};
use screen::FullScreen;
use source::{PageRequest, TopMessage, TownOpener};
use state::{ResultLine, TopState};

/// Show the town full screen, and act on it
///
/// First what needs you, with the keys of its answers, then agents, merge queues, convoys and the
/// feed. Enter opens a line: an agent with its live screen, changes and mail, a bead, a convoy by
/// waves, a merge request with its changes and gate logs, a rig. The keys of the selected line are
/// at the bottom, and `?` lists all. An agent has its last progress, the tokens of its context, its
/// costs of today and its last line of output. The page of a convoy has its graph, those of a bead,
/// a worker and a rig their timeline, and `m` opens the map of the town, its timeline and the plot
/// of its costs. Pictures scroll sideways by `h` and `l`.
///
/// With `--json` one object {at, status, needs_you[{key, kind, subject, text, bead, next[],
/// question?{escalation, severity, from, since, options[], default?{answer, at}, acked_by}}],
/// requests[], estimates{CONVOY{seconds?, short, text}}, sessions{ADDRESS{last_line?,
/// context_tokens?}}}: `status` as in `gt status`, `requests` as in `gt mq list`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

/// The longest wait for a key before messages are looked at.
const KEY_WAIT: Duration = Duration::from_millis(200);
/// The time between two readings of an agent's live screen.
const SCREEN_TICK: Duration = Duration::from_secs(1);
/// The columns beside the lines of a page: the mark of the selection, and the right edge.
const MARGIN_COLUMNS: usize = 3;
/// The lines that a turn of the mouse wheel moves.
const WHEEL: isize = 3;

pub(super) fn run(ctx: &Context, _: Args) -> CommandResult {
    if ctx.ui.is_json() {
        let overview = TownOverview::read(&ctx.open_town()?)?;
        return build_report(overview, |_, _| {});
    }
    anyhow::ensure!(
        ask::can_ask(ctx),
        "this is no terminal: `gt status` shows the town as text"
    );
    let opener = TownOpener::new(&ctx.env, &find_town(&ctx.env)?);
    let mut top = Top::start(ctx, opener);
    let mut screen = FullScreen::open()?;
    top.run(&mut screen)?;
    build_empty_report()
}

/// The loop with its threads, which end with it.
struct Top<'a> {
    ctx: &'a Context,
    opener: TownOpener,
    state: TopState,
    theme: Theme,
    click_areas: Vec<ClickArea>,
    send: Sender<TopMessage>,
    messages: Receiver<TopMessage>,
    refresh: Sender<()>,
    page_requests: Sender<PageRequest>,
    page_reading: PageReading,
    /// True if the loop ends as soon as no action runs.
    is_ending: bool,
    alert: TerminalAlert,
    /// True if something else may have written to the terminal.
    is_damaged: bool,
    /// Kept, because the thread that reads the costs ends with it.
    _costs: Sender<()>,
}

/// The progress of reading the visible page.
#[derive(Default)]
struct PageReading {
    /// True while a reading runs.
    runs: bool,
    /// The last reading, with its time.
    last: Option<(PageRequest, Instant)>,
    /// True if the town has changed since.
    is_old: bool,
}

impl<'a> Top<'a> {
    fn start(ctx: &'a Context, opener: TownOpener) -> Self {
        let (send, messages) = channel();
        let (refresh, refreshes) = channel();
        let (page_requests, requests) = channel();
        let (costs, cost_end) = channel();
        let failed = send.clone();
        // The loop may have ended.
        screen::report_panics(move |fault| {
            failed.send(TopMessage::Failed(fault)).ok();
        });
        let town = opener.clone();
        source::run_part(&send, move |send| {
            source::watch_town(&town, &refreshes, send);
        });
        let town = opener.clone();
        source::run_part(&send, move |send| {
            source::watch_costs(&town, &cost_end, send);
        });
        let town = opener.clone();
        source::run_part(&send, move |send| {
            source::serve_pages(&town, &requests, send);
        });
        source::run_part(&send, |_| source::end_on_signal());
        Self {
            ctx,
            opener,
            state: TopState::new(),
            theme: Theme::new(&Style::choose(true, &ctx.env)),
            click_areas: Vec::new(),
            send,
            messages,
            refresh,
            page_requests,
            page_reading: PageReading::default(),
            is_ending: false,
            alert: TerminalAlert::default(),
            is_damaged: false,
            _costs: costs,
        }
    }

    fn run(&mut self, screen: &mut FullScreen) -> anyhow::Result<()> {
        self.draw(screen)?;
        loop {
            let mut is_changed = false;
            let mut wait = KEY_WAIT;
            while event::poll(wait)? {
                wait = Duration::ZERO;
                is_changed = true;
                if let Some(action) = self.handle_event(&event::read()?) {
                    match action {
                        TopAction::Quit if self.is_ending => return Ok(()),
                        TopAction::Quit => self.is_ending = true,
                        TopAction::Attach(agent) => self.attach(screen, &agent)?,
                        TopAction::Change(change) => self.start_change(change),
                    }
                }
            }
            while let Ok(message) = self.messages.try_recv() {
                is_changed = true;
                match message {
                    TopMessage::Failed(fault) => anyhow::bail!("a part of gt top failed: {fault}"),
                    other => self.take_message(other),
                }
            }
            if self.is_ending && self.state.running.is_empty() {
                return Ok(());
            }
            self.request_page();
            if is_changed {
                self.draw(screen)?;
            }
        }
    }

    fn draw(&mut self, screen: &mut FullScreen) -> anyhow::Result<()> {
        if std::mem::take(&mut self.is_damaged) {
            screen.terminal.clear()?;
        }
        if let Some(title) = self.alert.new_title.take() {
            screen.set_title(&title)?;
        }
        if std::mem::take(&mut self.alert.rings) {
            screen.ring()?;
        }
        let columns = usize::from(screen.terminal.size()?.width);
        self.state
            .set_columns(columns.saturating_sub(MARGIN_COLUMNS));
        let state = &self.state;
        let theme = self.theme;
        let mut areas = Vec::new();
        screen
            .terminal
            .draw(|frame| areas = draw::draw_screen(frame, state, theme))?;
        self.click_areas = areas;
        Ok(())
    }

    fn handle_event(&mut self, event: &Event) -> Option<TopAction> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                return self.state.handle_key(*key);
            }
            Event::Mouse(mouse) => {
                let target = draw::find_click_target(&self.click_areas, mouse.column, mouse.row);
                match (mouse.kind, target) {
                    (MouseEventKind::Down(MouseButton::Left), Some(target)) => {
                        self.state.click(target);
                    }
                    (MouseEventKind::ScrollDown, target) => self.state.scroll(target, WHEEL),
                    (MouseEventKind::ScrollUp, target) => self.state.scroll(target, -WHEEL),
                    _ => {}
                }
            }
            Event::Paste(text) => self.state.paste(text),
            _ => {}
        }
        None
    }

    fn take_message(&mut self, message: TopMessage) {
        match message {
            TopMessage::Overview(news) => {
                self.alert
                    .take_overview(&self.opener.open(), &news.overview);
                self.state.set_overview(news.overview, news.feed);
                self.page_reading.is_old = true;
            }
            TopMessage::Unreadable(problem) => self.state.news.problem = Some(problem),
            TopMessage::Costs(costs) => {
                self.state.set_costs(costs.map(|news| *news));
            }
            TopMessage::Page { request, lines } => {
                self.page_reading.runs = false;
                self.page_reading.last = Some((request.clone(), Instant::now()));
                self.state.set_page(&request.subject, request.tab, lines);
            }
            TopMessage::Finished { change, result } => {
                self.state.finish_change(&change, result);
                // A warning about a remote that does not answer goes to standard error.
                self.is_damaged = true;
                // The thread that reads the town has ended only if the loop is about to end.
                self.refresh.send(()).ok();
            }
            TopMessage::Failed(_) => {}
        }
    }

    /// Requests the visible page if it was not read yet or may have changed.
    fn request_page(&mut self) {
        let Some(page) = self.state.pages.last() else {
            return;
        };
        if self.page_reading.runs || page.has_own_lines() {
            return;
        }
        let request = PageRequest {
            subject: page.subject.clone(),
            tab: page.tab,
            columns: self.state.columns,
        };
        let is_due = match &self.page_reading.last {
            Some((last, at)) if *last == request && page.lines.is_some() => {
                at.elapsed() >= SCREEN_TICK && (page.is_screen() || self.page_reading.is_old)
            }
            _ => true,
        };
        if is_due {
            self.page_reading.runs = true;
            self.page_reading.is_old = false;
            // The thread that reads pages has ended only if the loop is about to end.
            self.page_requests.send(request).ok();
        }
    }

    fn start_change(&mut self, change: TownChange) {
        if self.is_ending {
            return;
        }
        let description = kit::ui::escape::escape_line(&change.describe());
        self.state.running.push(description.clone());
        let opener = self.opener.clone();
        source::run_part(&self.send, move |send| {
            let result = act::run_change(&opener.open(), &change);
            let message = TopMessage::Finished {
                change: description,
                result,
            };
            // The loop may have ended.
            send.send(message).ok();
        });
    }

    fn attach(&mut self, screen: &mut FullScreen, agent: &str) -> anyhow::Result<()> {
        let town = self.opener.open();
        let shown = screen.lend(|| {
            let agent = town.parse_agent(agent)?;
            attach::attach_to_agent(self.ctx, &town, &agent)
        })?;
        self.alert.repeat_title();
        if let Err(error) = shown {
            self.state.result = Some(ResultLine {
                text: source::describe_error(&error),
                is_error: true,
            });
        }
        Ok(())
    }
}
