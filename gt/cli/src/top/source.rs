//! Threads that read the town and send their readings to the loop.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use gt::flow::agent::seance::usage::RequestCache;
use gt::host::LiveTown;
use gt::host::live_town::open_live_town;
use gt::town::TownLayout;
use gt::town::event::{EventLine, EventReader};
use gt::town::identity::{Address, detect_caller};
use gt::town::temporary::ending_signals;
use gt::view::costs::{self, CostGroup};
use gt::view::daily::{DailyChoice, read_daily_numbers};
use gt::view::feed::FeedFilter;
use gt::view::overview::{OverviewMemory, TownOverview};
use gt::view::status;
use kit::sys::Env;
use kit::sys::ancestor::SessionVariables;
use kit::sys::watch::FolderWatch;
use signal_hook::iterator::Signals;

use super::news::CostNews;
use super::rows::PageLine;
use super::state::ResultLine;
use super::subject::Subject;
use super::{drawn, pages, screen};

/// The time after which the town is read even if nothing has changed.
const READ_INTERVAL: Duration = Duration::from_secs(10);
/// The minimum time between two readings.
const MIN_READ_PAUSE: Duration = Duration::from_millis(500);
/// The rest after a reading, as a multiple of its duration. Bounds the load of a large town.
const REST_FACTOR: u32 = 40;
/// The number of days whose costs are drawn.
const SHOWN_DAYS: usize = 30;
/// The number of events that are kept.
const MAX_EVENTS: usize = 200;

/// A message to the loop.
pub(super) enum TopMessage {
    Overview(Box<OverviewNews>),
    /// The town cannot be read, for this reason.
    Unreadable(String),
    Costs(Result<Box<CostNews>, String>),
    Page {
        request: PageRequest,
        lines: Vec<PageLine>,
    },
    /// The end of the action with this description.
    Finished {
        change: String,
        result: ResultLine,
    },
    /// A thread ended by a fault.
    Failed(String),
}

pub(super) struct OverviewNews {
    pub(super) overview: TownOverview,
    /// The last events, newest first.
    pub(super) feed: Vec<EventLine>,
}

/// The page to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageRequest {
    pub(super) subject: Subject,
    pub(super) tab: usize,
    /// The columns that a line of the page has.
    pub(super) columns: usize,
}

/// Opens the town in each thread.
#[derive(Clone)]
pub(super) struct TownOpener {
    env: Env,
    root: PathBuf,
    actor: Address,
}

impl TownOpener {
    pub(super) fn new(env: &Env, root: &Path) -> Self {
        let session = SessionVariables::of_ancestors();
        let caller = detect_caller(env, &TownLayout::new(root), session.as_ref()).address;
        Self {
            env: env.clone(),
            root: root.to_owned(),
            actor: caller.unwrap_or(Address::Overseer),
        }
    }

    pub(super) fn open(&self) -> LiveTown {
        open_live_town(&self.env, &self.root, self.actor.clone())
    }
}

/// Runs a part of the program in a thread. A panic in it is reported to the loop
/// ([`screen::report_panics`]).
pub(super) fn run_part(
    send: &Sender<TopMessage>,
    part: impl FnOnce(&Sender<TopMessage>) + Send + 'static,
) {
    let send = send.clone();
    thread::spawn(move || part(&send));
}

/// Reads the town whenever it changes, until the loop ends. A message of `refresh` ends a rest.
pub(super) fn watch_town(opener: &TownOpener, refresh: &Receiver<()>, send: &Sender<TopMessage>) {
    let town = opener.open();
    let mut watcher = TownWatcher {
        events: EventReader::new(&town.layout),
        town,
        memory: OverviewMemory::default(),
        feed: Vec::new(),
        watched: Vec::new(),
        changes: None,
    };
    loop {
        let begun = Instant::now();
        let message = match watcher.read() {
            Ok(news) => TopMessage::Overview(Box::new(news)),
            Err(error) => TopMessage::Unreadable(describe_error(&error)),
        };
        if send.send(message).is_err() {
            return;
        }
        let rest = (begun.elapsed() * REST_FACTOR).clamp(MIN_READ_PAUSE, READ_INTERVAL);
        match refresh.recv_timeout(rest) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => {
                if let Some(changes) = &watcher.changes {
                    changes.wait_at_most(READ_INTERVAL.saturating_sub(rest));
                }
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

struct TownWatcher {
    town: LiveTown,
    memory: OverviewMemory,
    events: EventReader,
    /// The last events, newest first.
    feed: Vec<EventLine>,
    watched: Vec<PathBuf>,
    changes: Option<FolderWatch>,
}

impl TownWatcher {
    fn read(&mut self) -> anyhow::Result<OverviewNews> {
        // A rig may have been added. The watch starts before the read, so that the next read finds
        // every later change.
        let folders = status::watched_folders(&self.town);
        if self.changes.is_none() || folders != self.watched {
            let begun = FolderWatch::start(folders.iter().map(PathBuf::as_path));
            self.changes = Some(begun.context("cannot watch the town")?);
            self.watched = folders;
        }
        self.read_feed()?;
        Ok(OverviewNews {
            overview: TownOverview::read_again(&self.town, &self.memory)?,
            feed: self.feed.clone(),
        })
    }

    fn read_feed(&mut self) -> anyhow::Result<()> {
        let filter = FeedFilter::default();
        let mut new = if self.feed.is_empty() {
            self.events
                .read_last(MAX_EVENTS, None, |event| filter.is_match(event))?
        } else {
            self.events.read_new()?
        };
        new.retain(|stored| filter.is_match(&stored.event));
        let new = new.into_iter().rev().map(|stored| stored.event);
        let old = std::mem::take(&mut self.feed);
        self.feed = new.chain(old).take(MAX_EVENTS).collect();
        Ok(())
    }
}

/// Reads the costs since midnight and of the last days again and again, until the loop ends.
pub(super) fn watch_costs(opener: &TownOpener, end: &Receiver<()>, send: &Sender<TopMessage>) {
    let town = opener.open();
    let mut cache = RequestCache::default();
    loop {
        let begun = Instant::now();
        let found = read_cost_news(&town, &mut cache);
        let message =
            TopMessage::Costs(found.map(Box::new).map_err(|error| describe_error(&error)));
        let rest = costs::rest_after_reading(begun.elapsed());
        if send.send(message).is_err()
            || end.recv_timeout(rest) == Err(RecvTimeoutError::Disconnected)
        {
            return;
        }
    }
}

fn read_cost_news(town: &LiveTown, cache: &mut RequestCache) -> anyhow::Result<CostNews> {
    let choice = DailyChoice {
        days: SHOWN_DAYS,
        ..DailyChoice::default()
    };
    Ok(CostNews {
        daily: read_daily_numbers(town, choice, cache)?,
        today: costs::read_costs_of_today(town, CostGroup::Agent, cache)?,
    })
}

/// Reads the requested pages, until the loop ends.
pub(super) fn serve_pages(
    opener: &TownOpener,
    requests: &Receiver<PageRequest>,
    send: &Sender<TopMessage>,
) {
    let town = opener.open();
    let memory = OverviewMemory::default();
    for request in requests {
        let tab = request.subject.tabs()[request.tab];
        let lines = if tab.is_drawn() {
            drawn::read_picture(&town, &request.subject, tab, request.columns, &memory)
        } else {
            pages::read_page(&town, &request.subject, tab)
        };
        let lines = lines.unwrap_or_else(|error| pages::describe_missing(&error));
        if send.send(TopMessage::Page { request, lines }).is_err() {
            return;
        }
    }
}

/// Restores the terminal and ends the program on a signal that asks for it. The loop cannot do so:
/// it waits for keys without end if the terminal is gone.
pub(super) fn end_on_signal() {
    let Ok(mut signals) = Signals::new(ending_signals()) else {
        return;
    };
    if let Some(signal) = signals.forever().next() {
        screen::leave();
        signal_hook::low_level::emulate_default_handler(signal).ok();
    }
}

/// Describes an error in one escaped line.
pub(super) fn describe_error(error: &anyhow::Error) -> String {
    let failure = gt::error::build_failure(error);
    kit::ui::escape::escape_line(&failure.message)
}
