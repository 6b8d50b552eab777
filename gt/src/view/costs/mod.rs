//! Reads what the sessions of the town cost, from the transcripts of their agent programs.
//!
//! Each request to a model counts once, in the first session that has it: a resumed or forked
//! session repeats the requests of the one before. A request belongs to the bead that was on the
//! agent's hook when its session began.

mod prices;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

pub use prices::{ModelPrice, PriceList};

use crate::flow::seance::usage::{ModelRequest, TokenCounts, read_model_requests};
use crate::flow::seance::{self, PastSession, SessionFilter};
use crate::host::LiveTown;
use crate::record::convoy;
use crate::record::progress::ActivityCache;
use crate::record::town_view::TownView;
use crate::town::identity::Address;

/// The property by which costs are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum CostGroup {
    Agent,
    Bead,
    Convoy,
    Day,
    Model,
    Rig,
    Role,
    Session,
}

/// Tokens, and their costs as far as their models have a price.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CostSum {
    pub cost_usd: f64,
    pub tokens: TokenCounts,
    /// The tokens of models without a price.
    #[serde(skip_serializing_if = "is_zero")]
    pub unpriced_tokens: u64,
    pub requests: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl CostSum {
    fn add(&mut self, request: &ModelRequest, cost: Option<f64>) {
        self.tokens += request.tokens;
        self.requests += 1;
        match cost {
            Some(cost) => self.cost_usd += cost,
            None => self.unpriced_tokens += request.tokens.total(),
        }
    }
}

/// The costs of one agent, bead, or whatever they are grouped by.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CostRow {
    /// Empty for requests that belong to none, such as those of a session without a bead.
    pub key: String,
    #[serde(flatten)]
    pub sum: CostSum,
    pub sessions: usize,
}

/// The costs of one session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionCost {
    pub session: String,
    pub role: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rig: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// The address of the agent.
    pub agent: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub bead: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub model: String,
    #[serde(flatten)]
    pub sum: CostSum,
    pub running: bool,
}

/// The costs of the town since a time.
#[derive(Debug, Clone, Serialize)]
pub struct CostReport {
    pub total_usd: f64,
    pub total: CostSum,
    pub rows: Vec<CostRow>,
    pub sessions: Vec<SessionCost>,
    /// The models that have no price, so that only their tokens are known.
    pub models_without_price: Vec<String>,
    /// The day at which the built-in prices were read.
    pub prices_of: String,
    /// The prices of the town that were used, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_prices: Option<OwnPrices>,
    /// The agents of sessions without a transcript: their program stores none, or it is gone.
    pub unread: Vec<String>,
}

/// The models whose prices are the town's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OwnPrices {
    /// The day at which they were read. Empty if the file names none.
    pub prices_of: String,
    pub models: Vec<String>,
}

/// Reads the costs since a time, grouped.
pub fn read_costs(
    town: &LiveTown,
    since: Option<Timestamp>,
    group: CostGroup,
    zone: &TimeZone,
) -> anyhow::Result<CostReport> {
    let prices = PriceList::load(&town.layout)?;
    let view = TownView::read_idle(town, &ActivityCache::default())?;
    let mut sessions = seance::list_sessions(town, &SessionFilter::default())?;
    // Oldest first, because later sessions repeat the requests of earlier ones.
    sessions.reverse();
    let mut book = CostBook {
        prices: &prices,
        group,
        zone,
        convoys: find_convoys(&view, &sessions),
        counted: HashSet::new(),
        rows: BTreeMap::new(),
        total: CostSum::default(),
        unpriced: BTreeSet::new(),
        own_priced: BTreeSet::new(),
    };
    let mut costs = Vec::new();
    let mut unread = BTreeSet::new();
    for session in &sessions {
        let Some(path) = &session.transcript else {
            let begun: Option<Timestamp> = session.ts.parse().ok();
            if since.is_none_or(|since| begun.is_some_and(|begun| begun >= since)) {
                unread.insert(session.actor.clone());
            }
            continue;
        };
        // Nothing in a file is younger than its last change.
        let changed = fs::metadata(path).and_then(|meta| meta.modified()).ok();
        let changed = changed.and_then(|changed| Timestamp::try_from(changed).ok());
        if since.zip(changed).is_some_and(|(since, at)| at < since) {
            continue;
        }
        let requests = read_model_requests(path);
        let cost = book.add_session(session, &requests, since);
        costs.extend(cost.map(|sum| describe_session(&view, &sessions, session, &requests, sum)));
    }
    let mut rows: Vec<CostRow> = book
        .rows
        .into_iter()
        .map(|(key, (sum, sessions))| CostRow {
            key,
            sum,
            sessions: sessions.len(),
        })
        .collect();
    if group != CostGroup::Day {
        let rank = |row: &CostRow| (row.sum.cost_usd, row.sum.unpriced_tokens);
        rows.sort_by(|one, other| {
            rank(other)
                .partial_cmp(&rank(one))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
    }
    Ok(CostReport {
        total_usd: book.total.cost_usd,
        total: book.total,
        rows,
        sessions: costs,
        models_without_price: book.unpriced.into_iter().collect(),
        own_prices: (!book.own_priced.is_empty()).then(|| OwnPrices {
            prices_of: prices.own_date.clone(),
            models: book.own_priced.into_iter().collect(),
        }),
        prices_of: prices.date.clone(),
        unread: unread.into_iter().collect(),
    })
}

/// Returns the convoy of each bead that a session worked on.
fn find_convoys(view: &TownView, sessions: &[PastSession]) -> BTreeMap<String, String> {
    let beads: BTreeSet<&str> = sessions.iter().map(|session| &*session.bead).collect();
    let found = beads.into_iter().filter_map(|bead| {
        let convoy = convoy::convoy_of_bead(&view.stores.town, bead)?;
        Some((bead.to_owned(), convoy.id.clone()))
    });
    found.collect()
}

struct CostBook<'a> {
    prices: &'a PriceList,
    group: CostGroup,
    zone: &'a TimeZone,
    /// The convoy of each tracked bead.
    convoys: BTreeMap<String, String>,
    /// The ids of the counted requests.
    counted: HashSet<String>,
    /// The sum of each key, with the ids of its sessions.
    rows: BTreeMap<String, (CostSum, HashSet<String>)>,
    total: CostSum,
    unpriced: BTreeSet<String>,
    own_priced: BTreeSet<String>,
}

impl CostBook<'_> {
    /// Adds the requests of a session since a time. None if it has none.
    fn add_session(
        &mut self,
        session: &PastSession,
        requests: &[ModelRequest],
        since: Option<Timestamp>,
    ) -> Option<CostSum> {
        let mut sum = CostSum::default();
        for request in requests {
            // A repeated request is skipped even if it is too old to count.
            if !request.id.is_empty() && !self.counted.insert(request.id.clone()) {
                continue;
            }
            if since.is_some_and(|since| request.at < since) {
                continue;
            }
            let cost = self.prices.cost_of(&request.model, &request.tokens);
            if cost.is_none() {
                self.unpriced.insert(request.model.clone());
            } else if self.prices.is_own(&request.model) {
                self.own_priced.insert(request.model.clone());
            }
            let key = self.key_of(session, request);
            let (row, sessions) = self.rows.entry(key).or_default();
            row.add(request, cost);
            sessions.insert(session.session_id.clone());
            self.total.add(request, cost);
            sum.add(request, cost);
        }
        (sum.requests > 0).then_some(sum)
    }

    fn key_of(&self, session: &PastSession, request: &ModelRequest) -> String {
        let address: Option<Address> = session.actor.parse().ok();
        match self.group {
            CostGroup::Agent => session.actor.clone(),
            CostGroup::Bead => session.bead.clone(),
            CostGroup::Convoy => {
                let convoy = self.convoys.get(&session.bead);
                convoy.cloned().unwrap_or_default()
            }
            CostGroup::Day => request.at.to_zoned(self.zone.clone()).date().to_string(),
            CostGroup::Model => request.model.clone(),
            CostGroup::Rig => address
                .as_ref()
                .and_then(|address| address.rig())
                .unwrap_or_default()
                .to_owned(),
            CostGroup::Role => address
                .map(|address| address.role().to_owned())
                .unwrap_or_default(),
            CostGroup::Session => session.session_id.clone(),
        }
    }
}

fn describe_session(
    view: &TownView,
    sessions: &[PastSession],
    session: &PastSession,
    requests: &[ModelRequest],
    sum: CostSum,
) -> SessionCost {
    let address: Option<Address> = session.actor.parse().ok();
    let is_last = sessions
        .iter()
        .rfind(|other| other.actor == session.actor)
        .is_some_and(|last| last.session_id == session.session_id);
    let runs = |address: &Address| view.is_running(address) == Some(true);
    SessionCost {
        session: session.session_id.clone(),
        role: address
            .as_ref()
            .map(|address| address.role().to_owned())
            .unwrap_or_default(),
        rig: address
            .as_ref()
            .and_then(|address| address.rig().map(str::to_owned)),
        worker: address
            .as_ref()
            .and_then(|address| address.name().map(str::to_owned)),
        agent: session.actor.clone(),
        bead: session.bead.clone(),
        model: requests
            .last()
            .map(|request| request.model.clone())
            .unwrap_or_default(),
        sum,
        running: is_last && address.as_ref().is_some_and(runs),
    }
}
