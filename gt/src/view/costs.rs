//! Reads what the sessions of the town cost, from the transcripts of their agent programs.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use bd::bead::Stamp;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use kit::json::serialize_or_empty;
use kit::sys::env::local_time_zone;
use serde::Serialize;

use crate::flow::agent::costs::{self, CountedRequest, PriceList, count_requests};
use crate::flow::agent::seance::transcript::{ModelRequest, TokenCounts};
use crate::flow::agent::seance::usage::RequestCache;
use crate::flow::agent::seance::window::{UsageWindow, read_usage_windows};
use crate::flow::agent::seance::{self, PastSession, SessionFilter};
use crate::host::LiveTown;
use crate::patrol::attention;
use crate::record::budget::{self, Budget, BudgetBook, HOUR};
use crate::record::convoy;
use crate::record::polecat::{RecordSummary, WorkCompletion, read_all_records, summarize_records};
use crate::record::progress::ActivityCache;
use crate::record::town_view::TownView;
use crate::town::identity::Address;

/// The age, at the begin of the counted time, of the oldest session that is known from its event
/// only. Older ones are known from their transcripts.
const MAX_SESSION_AGE: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The property by which costs are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum CostGroup {
    Agent,
    Bead,
    Convoy,
    Day,
    /// The type of the bead.
    Kind,
    Model,
    Rig,
    Role,
    Runtime,
    Session,
}

/// The sessions whose costs are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum CostFilter {
    #[default]
    All,
    /// Those with one of these beads on their hook at their begin.
    Beads(BTreeSet<String>),
    /// Those of the beads of a convoy.
    Convoy { id: String, beads: BTreeSet<String> },
    /// Those of the agent with this address.
    Agent(String),
    /// Those of the agents of a rig.
    Rig(String),
}

impl CostFilter {
    fn is_match(&self, session: &PastSession) -> bool {
        match self {
            Self::All => true,
            Self::Beads(beads) | Self::Convoy { beads, .. } => beads.contains(&session.bead),
            Self::Agent(_) | Self::Rig(_) => self.is_agent_match(&session.actor),
        }
    }

    /// Returns true if the sessions of an agent may match.
    fn is_agent_match(&self, address: &str) -> bool {
        let agent: Option<Address> = address.parse().ok();
        match self {
            Self::All | Self::Beads(_) | Self::Convoy { .. } => true,
            Self::Agent(wanted) => agent.is_some_and(|agent| agent.to_string() == *wanted),
            Self::Rig(rig) => agent.as_ref().and_then(Address::rig) == Some(rig),
        }
    }

    /// Returns true for a budget of the chosen work.
    fn is_budget_match(&self, budget: &Budget) -> bool {
        match self {
            Self::All => true,
            Self::Beads(beads) => beads.contains(&budget.subject),
            Self::Convoy { id, beads } => *id == budget.subject || beads.contains(&budget.subject),
            Self::Agent(_) => false,
            Self::Rig(rig) => budget.rig == *rig,
        }
    }
}

/// A choice of costs.
#[derive(Debug, Clone)]
pub struct CostQuery {
    /// The begin of the time that counts. None for all times.
    pub since: Option<Timestamp>,
    pub group: CostGroup,
    pub filter: CostFilter,
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
    /// The record of the polecats that used a model or an agent runtime, or worked on beads of a
    /// type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordSummary>,
    /// The merged part of the finished work of that record, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_percent: Option<usize>,
    /// The costs for each merged bead of that record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_per_merge_usd: Option<f64>,
    #[serde(flatten)]
    pub beads: BeadCosts,
}

/// The beads behind some costs. A bead counts once, however many sessions and merges it had.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct BeadCosts {
    /// The beads on the hook of a session in the counted time.
    pub dispatched_beads: usize,
    /// Those of them that were merged in the counted time.
    pub merged_beads: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_per_dispatched_bead_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_per_merged_bead_usd: Option<f64>,
}

impl BeadCosts {
    fn new(cost_usd: f64, dispatched: &BTreeSet<String>, merged: &BTreeSet<String>) -> Self {
        let merged_beads = dispatched.intersection(merged).count();
        let divide = |count: usize| {
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            (count > 0).then(|| cost_usd / f64::from(count))
        };
        Self {
            dispatched_beads: dispatched.len(),
            merged_beads,
            cost_per_dispatched_bead_usd: divide(dispatched.len()),
            cost_per_merged_bead_usd: divide(merged_beads),
        }
    }
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
    /// The beads behind the total.
    pub beads: BeadCosts,
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
    /// The budgets that are set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<Budget>,
    /// The costs of the last hour.
    pub last_hour_usd: f64,
    /// The usage windows of accounts, as far as their agent programs record them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub usage_windows: Vec<UsageWindow>,
}

/// The models whose prices are the town's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OwnPrices {
    /// The day at which they were read.
    #[serde(serialize_with = "serialize_or_empty")]
    pub prices_of: Option<String>,
    pub models: Vec<String>,
}

/// Reads the costs since midnight, grouped, for a screen that reads them again and again. `cache`
/// has earlier readings.
pub fn read_costs_of_today(
    town: &LiveTown,
    group: CostGroup,
    cache: &mut RequestCache,
) -> anyhow::Result<CostReport> {
    let zone = local_time_zone();
    let midnight = town.clock.now().to_zoned(zone.clone()).start_of_day()?;
    read_costs(town, Some(midnight.timestamp()), group, &zone, cache)
}

/// Reads the costs of the whole town since a time, grouped.
pub fn read_costs(
    town: &LiveTown,
    since: Option<Timestamp>,
    group: CostGroup,
    zone: &TimeZone,
    cache: &mut RequestCache,
) -> anyhow::Result<CostReport> {
    let query = CostQuery {
        since,
        group,
        filter: CostFilter::All,
    };
    read_chosen_costs(town, &query, zone, cache)
}

/// Returns how long a screen keeps a reading of the costs that took a time: longer in a large town.
pub fn rest_after_reading(took: Duration) -> Duration {
    (took * 400).clamp(Duration::from_secs(10), Duration::from_secs(60))
}

/// Reads the chosen costs.
pub fn read_chosen_costs(
    town: &LiveTown,
    query: &CostQuery,
    zone: &TimeZone,
    cache: &mut RequestCache,
) -> anyhow::Result<CostReport> {
    let CostQuery {
        since,
        group,
        ref filter,
    } = *query;
    let prices = PriceList::load(&town.layout)?;
    let mut view = TownView::read_idle(town, &ActivityCache::default())?;
    if view.settings.all_layers().any(budget::has_budgets)
        || !convoy::list_convoys_with_band(&view.stores.town).is_empty()
    {
        view.budgets = BudgetBook::new(costs::refresh_spending(town, cache)?, view.now);
    }
    let mut sessions = match since {
        Some(since) => seance::list_recent_sessions(town, since.saturating_sub(MAX_SESSION_AGE)?)?,
        None => seance::list_sessions(town, &SessionFilter::default())?,
    };
    // Oldest first, because later sessions repeat the requests of earlier ones.
    sessions.reverse();
    let mut book = CostBook {
        view: &view,
        group,
        zone,
        convoys: find_convoys(&view, &sessions),
        rows: BTreeMap::new(),
        total: CostSum::default(),
        beads: BTreeSet::new(),
        unpriced: BTreeSet::new(),
        sessions: BTreeMap::new(),
        own_priced: BTreeSet::new(),
        prices: &prices,
    };
    let mut last_hour_usd = 0.0;
    let begin = since.map(|since| since.min(view.now - HOUR));
    let unread = count_requests(&prices, &sessions, begin, cache, |counted| {
        let at = counted.request.at;
        // Every request is read: a session may repeat those of another one.
        if !filter.is_match(counted.session) {
            return;
        }
        if view.now.duration_since(at) < HOUR {
            last_hour_usd += counted.cost_usd.unwrap_or(0.0);
        }
        if since.is_none_or(|since| at >= since) {
            book.add_request(counted);
        }
    });
    cache.forget_unused();
    sessions.retain(|session| filter.is_match(session));
    book.add_begun_sessions(&sessions, since);
    let merged = find_merged_beads(&view, since);
    let costs = sessions
        .iter()
        .filter_map(|session| {
            let (model, sum) = book.sessions.remove(&session.session_id)?;
            Some(describe_session(&view, &sessions, session, model, sum))
        })
        .collect();
    let rows = std::mem::take(&mut book.rows).into_iter();
    let mut rows: Vec<CostRow> = rows
        .map(|(key, row)| row.into_cost_row(key, &merged))
        .collect();
    add_records(&view, &mut rows, since, group);
    if group != CostGroup::Day {
        rows.sort_by(|a, b| {
            b.sum
                .cost_usd
                .total_cmp(&a.sum.cost_usd)
                .then(b.sum.unpriced_tokens.cmp(&a.sum.unpriced_tokens))
        });
    }
    Ok(CostReport {
        total_usd: book.total.cost_usd,
        beads: BeadCosts::new(book.total.cost_usd, &book.beads, &merged),
        total: book.total,
        rows,
        sessions: costs,
        models_without_price: book.unpriced.into_iter().collect(),
        own_prices: (!book.own_priced.is_empty()).then(|| OwnPrices {
            prices_of: prices.own_date.clone(),
            models: book.own_priced.into_iter().collect(),
        }),
        prices_of: prices.date.clone(),
        unread: unread
            .into_iter()
            .filter(|agent| match filter {
                CostFilter::Beads(_) | CostFilter::Convoy { .. } => {
                    sessions.iter().any(|session| session.actor == *agent)
                }
                _ => filter.is_agent_match(agent),
            })
            .collect(),
        budgets: attention::list_budgets(&view)
            .into_iter()
            .filter(|budget| filter.is_budget_match(budget))
            .collect(),
        last_hour_usd,
        usage_windows: read_usage_windows(town),
    })
}

/// Adds the records of polecats to the rows of models, agent runtimes or types of beads.
fn add_records(view: &TownView, rows: &mut [CostRow], since: Option<Timestamp>, group: CostGroup) {
    let mut entries: Vec<WorkCompletion> = view
        .stores
        .rigs
        .values()
        .flat_map(read_all_records)
        .collect();
    entries.retain(|entry| since.is_none_or(|since| Stamp::parse(&entry.at).instant() >= since));
    let mut summaries = match group {
        CostGroup::Model => summarize_records(&entries, WorkCompletion::model_name),
        CostGroup::Runtime => summarize_records(&entries, |entry| &entry.agent),
        CostGroup::Kind => summarize_records(&entries, |entry| kind_of_bead(view, &entry.bead)),
        _ => return,
    };
    for row in rows {
        row.record = summaries.remove(&row.key);
        let record = row.record.as_ref();
        row.success_percent = record.and_then(RecordSummary::success_percent);
        let merged = row.record.as_ref().map_or(0, |record| record.merged);
        let merged = u32::try_from(merged).unwrap_or(u32::MAX);
        row.cost_per_merge_usd = (merged > 0).then(|| row.sum.cost_usd / f64::from(merged));
    }
}

/// Returns the beads that were merged since a time, by the records of their workers.
fn find_merged_beads(view: &TownView, since: Option<Timestamp>) -> BTreeSet<String> {
    view.stores
        .rigs
        .values()
        .flat_map(read_all_records)
        .filter(|entry| {
            let merged_at = entry.merged_at();
            merged_at.is_some_and(|at| since.is_none_or(|since| at >= since))
        })
        .map(|entry| entry.bead)
        .collect()
}

/// Returns the type of a bead. Empty for a bead that is gone.
fn kind_of_bead<'a>(view: &'a TownView, bead: &str) -> &'a str {
    let bead = view.stores.get(bead);
    bead.map_or("", |bead| bead.issue_type.as_str())
}

/// Returns the convoy of each bead that a session worked on.
fn find_convoys(view: &TownView, sessions: &[PastSession]) -> BTreeMap<String, String> {
    let beads: BTreeSet<&str> = sessions.iter().map(|session| &*session.bead).collect();
    beads
        .into_iter()
        .filter_map(|bead| {
            let convoy = convoy::convoy_of_bead(&view.stores.town, bead)?;
            Some((bead.to_owned(), convoy.id.clone()))
        })
        .collect()
}

/// The sum of a key.
#[derive(Default)]
struct CountedRow {
    sum: CostSum,
    /// The ids of its sessions.
    sessions: HashSet<String>,
    /// The beads of its sessions.
    beads: BTreeSet<String>,
}

impl CountedRow {
    fn into_cost_row(self, key: String, merged: &BTreeSet<String>) -> CostRow {
        CostRow {
            key,
            beads: BeadCosts::new(self.sum.cost_usd, &self.beads, merged),
            sum: self.sum,
            sessions: self.sessions.len(),
            record: None,
            success_percent: None,
            cost_per_merge_usd: None,
        }
    }
}

struct CostBook<'a> {
    view: &'a TownView,
    group: CostGroup,
    zone: &'a TimeZone,
    /// The convoy of each tracked bead.
    convoys: BTreeMap<String, String>,
    rows: BTreeMap<String, CountedRow>,
    total: CostSum,
    /// All beads that a session worked on.
    beads: BTreeSet<String>,
    unpriced: BTreeSet<String>,
    own_priced: BTreeSet<String>,
    prices: &'a PriceList,
    /// The last model and the sum of each session.
    sessions: BTreeMap<String, (String, CostSum)>,
}

impl CostBook<'_> {
    fn add_request(&mut self, counted: CountedRequest) {
        let session = counted.session;
        let request = counted.request;
        let cost = counted.cost_usd;
        if cost.is_none() {
            self.unpriced.insert(request.model.clone());
        } else if self.prices.is_own(&request.model) {
            self.own_priced.insert(request.model.clone());
        }
        let key = self.key_of(session, request);
        let row = self.rows.entry(key).or_default();
        row.sum.add(request, cost);
        row.sessions.insert(session.session_id.clone());
        if !session.bead.is_empty() {
            row.beads.insert(session.bead.clone());
            self.beads.insert(session.bead.clone());
        }
        self.total.add(request, cost);
        let (model, sum) = self.sessions.entry(session.session_id.clone()).or_default();
        model.clone_from(&request.model);
        sum.add(request, cost);
    }

    /// Adds the beads of sessions that began since a time, also of those without a request: their
    /// bead was dispatched in vain.
    fn add_begun_sessions(&mut self, sessions: &[PastSession], since: Option<Timestamp>) {
        for session in sessions {
            let begun = Stamp::parse(&session.ts).instant();
            if session.bead.is_empty() || since.is_some_and(|since| begun < since) {
                continue;
            }
            self.beads.insert(session.bead.clone());
            let key = match self.group {
                CostGroup::Model => continue,
                CostGroup::Day => begun.to_zoned(self.zone.clone()).date().to_string(),
                _ => self.key_of_session(session),
            };
            if let Some(row) = self.rows.get_mut(&key) {
                row.beads.insert(session.bead.clone());
            }
        }
    }

    fn key_of(&self, session: &PastSession, request: &ModelRequest) -> String {
        match self.group {
            CostGroup::Day => request.at.to_zoned(self.zone.clone()).date().to_string(),
            CostGroup::Model => request.model.clone(),
            _ => self.key_of_session(session),
        }
    }

    /// Returns the key of a session. Empty for groups by a property of requests.
    fn key_of_session(&self, session: &PastSession) -> String {
        let address: Option<Address> = session.actor.parse().ok();
        match self.group {
            CostGroup::Agent => session.actor.clone(),
            CostGroup::Bead => session.bead.clone(),
            CostGroup::Convoy => self
                .convoys
                .get(&session.bead)
                .map_or(String::new(), String::clone),
            CostGroup::Kind => kind_of_bead(self.view, &session.bead).to_owned(),
            CostGroup::Day | CostGroup::Model => String::new(),
            CostGroup::Rig => address
                .as_ref()
                .and_then(|address| address.rig())
                .unwrap_or("")
                .to_owned(),
            CostGroup::Role => address
                .as_ref()
                .map_or("", |address| address.role())
                .to_owned(),
            CostGroup::Runtime => session.agent.as_deref().unwrap_or("").to_owned(),
            CostGroup::Session => session.session_id.clone(),
        }
    }
}

fn describe_session(
    view: &TownView,
    sessions: &[PastSession],
    session: &PastSession,
    model: String,
    sum: CostSum,
) -> SessionCost {
    let address: Option<Address> = session.actor.parse().ok();
    let is_last = sessions
        .iter()
        .rfind(|other| other.actor == session.actor)
        .is_some_and(|last| last.session_id == session.session_id);
    SessionCost {
        session: session.session_id.clone(),
        role: address
            .as_ref()
            .map_or("", |address| address.role())
            .to_owned(),
        rig: address
            .as_ref()
            .and_then(|address| address.rig().map(str::to_owned)),
        worker: address
            .as_ref()
            .and_then(|address| address.name().map(str::to_owned)),
        agent: session.actor.clone(),
        bead: session.bead.clone(),
        model,
        sum,
        running: is_last
            && address
                .as_ref()
                .is_some_and(|address| view.is_running(address) == Some(true)),
    }
}
