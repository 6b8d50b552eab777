//! The last readings of the town and the lists of the main screen that show them.

use gt::town::event::EventLine;
use gt::view::costs::CostReport;
use gt::view::daily::DailyNumbers;
use gt::view::overview::TownOverview;

/// A list of the main screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    NeedsYou,
    Agents,
    Queues,
    Convoys,
    Feed,
}

impl Section {
    pub(super) const ALL: [Self; 5] = [
        Self::NeedsYou,
        Self::Agents,
        Self::Queues,
        Self::Convoys,
        Self::Feed,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::NeedsYou => "needs you",
            Self::Agents => "agents",
            Self::Queues => "queues",
            Self::Convoys => "convoys",
            Self::Feed => "feed",
        }
    }

    /// Returns the key that moves to the section.
    pub(super) fn number(self) -> usize {
        self as usize + 1
    }
}

/// The costs of the town.
#[derive(Debug)]
pub(super) struct CostNews {
    /// Those since midnight by agent.
    pub(super) today: CostReport,
    /// Those of the last days.
    pub(super) daily: DailyNumbers,
}

/// The last readings of the town.
#[derive(Debug, Default)]
pub(super) struct TownNews {
    /// None before the first reading.
    pub(super) overview: Option<TownOverview>,
    /// The last events, newest first.
    pub(super) feed: Vec<EventLine>,
    /// None before the first reading.
    pub(super) costs: Option<Result<CostNews, String>>,
    /// The reason why the last reading failed. The values are older then.
    pub(super) problem: Option<String>,
}
