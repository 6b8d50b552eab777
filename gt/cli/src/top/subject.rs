//! The things that can be opened and acted on, and the tabs of their pages.

/// A thing of the town.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Subject {
    /// A need of the user, by its key.
    Need(String),
    /// An agent, by its address.
    Agent(String),
    Rig(String),
    Request(String),
    Bead(String),
    Convoy(String),
    /// The town as a whole.
    Town,
}

/// A part of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageTab {
    Text,
    /// The live screen of an agent.
    Screen,
    Status,
    Mail,
    Diff,
    GateLog,
    Beads,
    Ready,
    Attempts,
    /// The beads of a convoy as a drawn graph.
    Graph,
    Map,
    Timeline,
    /// The costs of the last days as a plot.
    Costs,
    Events,
}

impl PageTab {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Screen => "screen",
            Self::Status => "status",
            Self::Mail => "mail",
            Self::Diff => "diff",
            Self::GateLog => "gate log",
            Self::Beads => "beads",
            Self::Ready => "ready",
            Self::Attempts => "attempts",
            Self::Graph => "graph",
            Self::Map => "map",
            Self::Timeline => "timeline",
            Self::Costs => "costs",
            Self::Events => "events",
        }
    }

    /// Returns true for a picture, which the screen cuts and scrolls sideways.
    pub(super) fn is_drawn(self) -> bool {
        matches!(self, Self::Graph | Self::Map | Self::Timeline | Self::Costs)
    }

    /// Returns true if lines that are too long are cut, and broken otherwise.
    pub(super) fn is_cut(self) -> bool {
        self.is_drawn() || matches!(self, Self::Screen | Self::Diff)
    }
}

impl Subject {
    /// Returns the tabs of the page, the most important first.
    pub(super) fn tabs(&self) -> &'static [PageTab] {
        match self {
            Self::Need(_) => &[PageTab::Text],
            Self::Agent(_) if self.is_worker() => &[
                PageTab::Screen,
                PageTab::Status,
                PageTab::Diff,
                PageTab::Mail,
                PageTab::Timeline,
                PageTab::Events,
            ],
            Self::Agent(_) => &[
                PageTab::Screen,
                PageTab::Mail,
                PageTab::Timeline,
                PageTab::Events,
            ],
            Self::Rig(_) => &[
                PageTab::Status,
                PageTab::Ready,
                PageTab::Timeline,
                PageTab::Events,
            ],
            Self::Request(_) => &[
                PageTab::Status,
                PageTab::Diff,
                PageTab::GateLog,
                PageTab::Events,
            ],
            Self::Bead(_) => &[
                PageTab::Text,
                PageTab::Attempts,
                PageTab::Timeline,
                PageTab::Events,
            ],
            Self::Convoy(_) => &[
                PageTab::Beads,
                PageTab::Graph,
                PageTab::Timeline,
                PageTab::Events,
            ],
            Self::Town => &[PageTab::Map, PageTab::Timeline, PageTab::Costs],
        }
    }

    /// Returns true for a worker of a rig, which has a sandbox and a record.
    pub(super) fn is_worker(&self) -> bool {
        matches!(self, Self::Agent(address) if address.contains("/polecats/"))
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Self::Need(name)
            | Self::Agent(name)
            | Self::Rig(name)
            | Self::Request(name)
            | Self::Bead(name)
            | Self::Convoy(name) => name,
            Self::Town => "town",
        }
    }

    /// Returns the kind and the name for a title.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Need(_) => "needs you".to_owned(),
            Self::Agent(address) => format!("agent {address}"),
            Self::Rig(name) => format!("rig {name}"),
            Self::Request(id) => format!("merge request {id}"),
            Self::Bead(id) => format!("bead {id}"),
            Self::Convoy(id) => format!("convoy {id}"),
            Self::Town => "town".to_owned(),
        }
    }
}
