//! Budgets: how many dollars the town, a rig, a convoy or a bead may cost. No session of a worker
//! is started for work whose budget is spent. Running sessions go on.

use std::collections::BTreeMap;
use std::fmt;

use bd::bead::Bead;
use bd::store::Snapshot;
use jiff::{SignedDuration, Timestamp};
use kit::sys::env::local_time_zone;
use serde::{Deserialize, Serialize};

use super::{convoy, state_file};
use crate::town::TownLayout;
use crate::town::config::{SettingsLayers, TownSettings};

/// The part of a budget from which the user is warned.
const WARNING_PART: f64 = 0.8;

/// The time whose costs are the rate of a forecast.
pub const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// The costs as the transcripts had them when they were last read: `.runtime/spending.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spending {
    pub read_at: Timestamp,
    /// The local day of the sums of town and rigs.
    pub day: String,
    pub day_usd: f64,
    pub rigs: BTreeMap<String, f64>,
    /// The costs of each bead, of its sessions of the last 30 days.
    pub beads: BTreeMap<String, f64>,
    /// Today's tokens of models without a price, which no budget counts.
    pub unpriced_tokens: u64,
    /// The costs of the last hour by minute and rig. Those of agents without a rig have the key "".
    pub recent: BTreeMap<Timestamp, BTreeMap<String, f64>>,
}

impl Spending {
    /// Reads the costs. A missing or damaged file is replaced at the next reading of transcripts.
    pub fn load(layout: &TownLayout) -> Self {
        state_file::read_expendable_state(&layout.spending())
    }

    /// Writes the costs.
    pub fn save(&self, layout: &TownLayout) -> anyhow::Result<()> {
        state_file::write_state(&layout.spending(), self)
    }

    /// Adds the costs of a request to those of the last hour.
    pub fn add_recent(&mut self, at: Timestamp, rig: &str, cost_usd: f64) {
        let second = at.as_second().div_euclid(60) * 60;
        let minute = Timestamp::from_second(second).unwrap_or(at);
        let rigs = self.recent.entry(minute).or_default();
        *rigs.entry(rig.to_owned()).or_default() += cost_usd;
    }

    /// Returns the costs of the hour before a time, of all agents or of a rig's.
    fn last_hour(&self, now: Timestamp, rig: Option<&str>) -> f64 {
        let Ok(begin) = now.checked_sub(HOUR) else {
            return 0.0;
        };
        self.recent
            .range(begin..=now)
            .flat_map(|(_, rigs)| rigs)
            .filter(|(name, _)| rig.is_none_or(|rig| *name == rig))
            .map(|(_, cost)| cost)
            .sum()
    }

    /// Removes the sums of a day that is over.
    fn of_day(mut self, day: &str) -> Self {
        if self.day != day {
            self.day = day.to_owned();
            self.day_usd = 0.0;
            self.rigs.clear();
            self.unpriced_tokens = 0;
        }
        self
    }
}

/// Returns the local day of a time, such as `2026-11-27`.
pub fn local_day(at: Timestamp) -> String {
    at.to_zoned(local_time_zone()).date().to_string()
}

/// The work that a budget is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetKind {
    /// The whole town on one day.
    Day,
    /// A rig on one day.
    Rig,
    Convoy,
    /// The usual costs of a convoy. The user is warned of more, and nothing is stopped.
    ConvoyBand,
    Bead,
}

impl BudgetKind {
    const ALL: [Self; 5] = [
        Self::Day,
        Self::Rig,
        Self::Convoy,
        Self::ConvoyBand,
        Self::Bead,
    ];

    /// Returns the setting.
    pub fn setting(self) -> &'static str {
        match self {
            Self::Day => "budget.day",
            Self::Rig => "budget.rig",
            Self::Convoy => "budget.convoy",
            Self::ConvoyBand => "budget.convoy_band",
            Self::Bead => "budget.bead",
        }
    }

    pub fn is_set(self, layers: &SettingsLayers) -> bool {
        self.limit(layers).is_some()
    }

    /// Returns the dollars of a budget. None if there is no budget.
    fn limit(self, layers: &SettingsLayers) -> Option<f64> {
        let limit = layers.valid_value(self.setting()).as_f64();
        limit.filter(|limit| *limit > 0.0)
    }
}

/// Returns true if any budget is set.
pub fn has_budgets(layers: &SettingsLayers) -> bool {
    BudgetKind::ALL.into_iter().any(|kind| kind.is_set(layers))
}

/// The origin of the band of a convoy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BandSource {
    /// The convoy's own, which wins over the setting.
    Convoy,
    Setting,
}

/// A budget and what of it is spent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Budget {
    pub kind: BudgetKind,
    /// The day, the rig, or the id of the convoy or bead.
    pub subject: String,
    /// The rig whose setting it is. Empty for the town's.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rig: String,
    pub spent_usd: f64,
    pub limit_usd: f64,
    /// The origin of a band. None for the other kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<BandSource>,
    /// The costs of a day at midnight, if each hour until then costs as much as the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forecast_usd: Option<f64>,
}

impl Budget {
    pub fn is_spent(&self) -> bool {
        self.spent_usd >= self.limit_usd
    }

    /// Returns true if the user is warned.
    pub fn is_nearly_spent(&self) -> bool {
        self.spent_usd >= self.limit_usd * WARNING_PART
    }

    /// Returns the spent part, cut to a whole number.
    pub fn percent(&self) -> f64 {
        (self.spent_usd / self.limit_usd * 100.0).floor()
    }

    /// Returns the command that raises it.
    pub fn next_step(&self) -> String {
        if self.source == Some(BandSource::Convoy) {
            return format!("gt convoy band {} DOLLARS", self.subject);
        }
        let rig = match self.rig.as_str() {
            "" => " --town".to_owned(),
            rig => format!(" --rig {rig}"),
        };
        format!("gt config set {} DOLLARS{rig}", self.kind.setting())
    }

    /// Returns the name of the work.
    pub fn describe_subject(&self) -> String {
        match self.kind {
            BudgetKind::Day => "today".to_owned(),
            BudgetKind::Rig => format!("rig {} today", self.subject),
            BudgetKind::Convoy | BudgetKind::ConvoyBand => format!("convoy {}", self.subject),
            BudgetKind::Bead => self.subject.clone(),
        }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "{} cost ${:.2} of ${:.2} ",
            self.describe_subject(),
            self.spent_usd,
            self.limit_usd,
        )?;
        match self.source {
            Some(BandSource::Convoy) => write!(f, "(its own band)"),
            _ => write!(f, "(setting {})", self.kind.setting()),
        }
    }
}

/// The costs of the town, to compare with budgets.
#[derive(Debug, Clone, Default)]
pub struct BudgetBook {
    spending: Spending,
    now: Timestamp,
}

impl BudgetBook {
    pub fn load(layout: &TownLayout, now: Timestamp) -> Self {
        Self::new(Spending::load(layout), now)
    }

    pub fn new(spending: Spending, now: Timestamp) -> Self {
        Self {
            spending: spending.of_day(&local_day(now)),
            now,
        }
    }

    /// Returns the costs of today at midnight, if each hour until then costs as much as the last
    /// one.
    fn forecast(&self, spent_usd: f64, rig: Option<&str>) -> Option<f64> {
        let now = self.now.to_zoned(local_time_zone());
        let midnight = now.tomorrow().ok()?.start_of_day().ok()?;
        let hours = now.duration_until(&midnight).as_secs_f64() / HOUR.as_secs_f64();
        Some(spent_usd + self.spending.last_hour(self.now, rig) * hours)
    }

    /// Returns the budget of the town for today.
    pub fn of_day(&self, layers: &SettingsLayers) -> Option<Budget> {
        Some(Budget {
            kind: BudgetKind::Day,
            subject: self.spending.day.clone(),
            rig: String::new(),
            spent_usd: self.spending.day_usd,
            limit_usd: BudgetKind::Day.limit(layers)?,
            source: None,
            forecast_usd: self.forecast(self.spending.day_usd, None),
        })
    }

    /// Returns the budget of a rig for today.
    pub fn of_rig(&self, layers: &SettingsLayers, rig: &str) -> Option<Budget> {
        let spent_usd = self.spending.rigs.get(rig).copied().unwrap_or(0.0);
        Some(Budget {
            kind: BudgetKind::Rig,
            subject: rig.to_owned(),
            rig: rig.to_owned(),
            spent_usd,
            limit_usd: BudgetKind::Rig.limit(layers)?,
            source: None,
            forecast_usd: self.forecast(spent_usd, Some(rig)),
        })
    }

    /// Returns the budget of a bead of a rig.
    pub fn of_bead(&self, layers: &SettingsLayers, rig: &str, bead: &str) -> Option<Budget> {
        Some(Budget {
            kind: BudgetKind::Bead,
            subject: bead.to_owned(),
            rig: rig.to_owned(),
            spent_usd: self.cost_of(bead),
            limit_usd: BudgetKind::Bead.limit(layers)?,
            source: None,
            forecast_usd: None,
        })
    }

    /// Returns the budget of a convoy, for all beads that it tracks.
    pub fn of_convoy(&self, layers: &SettingsLayers, convoy: &Bead) -> Option<Budget> {
        self.of_convoy_kind(BudgetKind::Convoy, layers, convoy)
    }

    /// Returns the budget and the band of a convoy, as far as they are set.
    pub fn all_of_convoy(&self, layers: &SettingsLayers, convoy: &Bead) -> Vec<Budget> {
        [BudgetKind::Convoy, BudgetKind::ConvoyBand]
            .into_iter()
            .filter_map(|kind| self.of_convoy_kind(kind, layers, convoy))
            .collect()
    }

    /// Returns the costs of all beads that a convoy tracks.
    pub fn cost_of_convoy(&self, convoy: &Bead) -> f64 {
        let beads = convoy::tracked_ids(convoy);
        beads.map(|bead| self.cost_of(bead)).sum()
    }

    /// Returns the band of a convoy, with its origin. None if it has none.
    pub fn band_of_convoy(&self, layers: &SettingsLayers, convoy: &Bead) -> Option<Budget> {
        self.of_convoy_kind(BudgetKind::ConvoyBand, layers, convoy)
    }

    fn of_convoy_kind(
        &self,
        kind: BudgetKind,
        layers: &SettingsLayers,
        convoy: &Bead,
    ) -> Option<Budget> {
        let own_band = match kind {
            BudgetKind::ConvoyBand => convoy::own_band(convoy),
            _ => None,
        };
        let limit_usd = match own_band {
            Some(band) => Some(band).filter(|band| *band > 0.0),
            None => kind.limit(layers),
        };
        Some(Budget {
            kind,
            subject: convoy.id.clone(),
            rig: String::new(),
            limit_usd: limit_usd?,
            source: (kind == BudgetKind::ConvoyBand).then_some(match own_band {
                Some(_) => BandSource::Convoy,
                None => BandSource::Setting,
            }),
            forecast_usd: None,
            spent_usd: self.cost_of_convoy(convoy),
        })
    }

    fn cost_of(&self, bead: &str) -> f64 {
        self.spending.beads.get(bead).copied().unwrap_or(0.0)
    }
}

/// The settings for the budgets of a rig's workers.
pub struct BudgetLayers<'a> {
    pub town: &'a SettingsLayers,
    pub rig: &'a SettingsLayers,
    pub rig_name: &'a str,
}

impl<'a> BudgetLayers<'a> {
    pub fn new(settings: &'a TownSettings, rig_name: &'a str) -> Self {
        Self {
            town: settings.for_rig(None),
            rig: settings.for_rig(Some(rig_name)),
            rig_name,
        }
    }

    /// Returns a spent budget that a worker for a bead uses: the town's, the rig's, that of a
    /// convoy, or the bead's. `town_beads` are those of the town.
    pub fn find_spent(
        &self,
        book: &BudgetBook,
        town_beads: &Snapshot,
        bead: &str,
    ) -> Option<Budget> {
        book.of_day(self.town)
            .filter(Budget::is_spent)
            .or_else(|| {
                book.of_rig(self.rig, self.rig_name)
                    .filter(Budget::is_spent)
            })
            .or_else(|| {
                BudgetKind::Convoy.limit(self.town)?;
                convoy::convoys_tracking(town_beads, bead)
                    .into_iter()
                    .filter_map(|id| town_beads.get(&id))
                    .find_map(|convoy| book.of_convoy(self.town, convoy).filter(Budget::is_spent))
            })
            .or_else(|| {
                book.of_bead(self.rig, self.rig_name, bead)
                    .filter(Budget::is_spent)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn a_budget_counts_its_own_day_rig_convoy_or_bead() {
        let place = TestTown::new();
        let town = &place.town;
        std::fs::create_dir_all(town.layout.settings().parent().unwrap()).unwrap();
        let settings = r#"{"budget":{"day":10,"rig":2.5,"convoy":3,"convoy_band":2,"bead":1}}"#;
        std::fs::write(town.layout.settings(), settings).unwrap();
        let layers = SettingsLayers::load(town, None).unwrap();
        assert!(has_budgets(&layers) && !has_budgets(&SettingsLayers::default()));
        let now = town.clock.now();
        let spending = Spending {
            day: local_day(now),
            day_usd: 8.0,
            rigs: BTreeMap::from([("web".to_owned(), 2.5)]),
            beads: BTreeMap::from([("web-a".to_owned(), 1.5), ("web-b".to_owned(), 0.5)]),
            ..Spending::default()
        };
        spending.save(&town.layout).unwrap();
        let book = BudgetBook::load(&town.layout, now);
        let day = book.of_day(&layers).unwrap();
        assert!(day.is_nearly_spent() && !day.is_spent());
        assert_eq!(day.percent().to_string(), "80");
        let rig = book.of_rig(&layers, "web").unwrap();
        assert!(rig.is_spent());
        assert_eq!(
            rig.to_string(),
            "rig web today cost $2.50 of $2.50 (setting budget.rig)"
        );
        assert_eq!(
            rig.next_step(),
            "gt config set budget.rig DOLLARS --rig web"
        );
        assert!(!book.of_rig(&layers, "api").unwrap().is_nearly_spent());
        assert!(book.of_bead(&layers, "web", "web-a").unwrap().is_spent());
        let convoy = Bead::default();
        assert!(!book.of_convoy(&layers, &convoy).unwrap().is_nearly_spent());
        let kinds = |convoy: &Bead| -> Vec<BudgetKind> {
            let all = book.all_of_convoy(&layers, convoy).into_iter();
            all.map(|budget| budget.kind).collect()
        };
        assert_eq!(kinds(&convoy), [BudgetKind::Convoy, BudgetKind::ConvoyBand]);
        let band = |layers: &SettingsLayers, own: Option<f64>| {
            let mut convoy = Bead {
                id: "hq-cv-1".to_owned(),
                ..Bead::default()
            };
            convoy::set_own_band(&mut convoy, own).unwrap();
            let budget = book.band_of_convoy(layers, &convoy)?;
            Some((budget.limit_usd.to_string(), budget.source?))
        };
        let own = |dollars: &str| Some((dollars.to_owned(), BandSource::Convoy));
        let of_setting = Some(("2".to_owned(), BandSource::Setting));
        let no_layers = SettingsLayers::default();
        assert_eq!(band(&layers, None), of_setting);
        assert_eq!(band(&layers, Some(7.5)), own("7.5"));
        assert_eq!(band(&no_layers, Some(7.5)), own("7.5"));
        assert_eq!(band(&no_layers, None), None);
        assert_eq!(band(&layers, Some(0.0)), None, "0 is no band");
        // A value that is no amount does not hide the setting.
        assert_eq!(band(&layers, Some(-1.0)), of_setting);
        // Sums of a day end with it, the costs of beads do not.
        let tomorrow = now + jiff::SignedDuration::from_hours(48);
        let book = BudgetBook::load(&town.layout, tomorrow);
        assert!(!book.of_day(&layers).unwrap().is_nearly_spent());
        assert!(!book.of_rig(&layers, "web").unwrap().is_nearly_spent());
        assert!(book.of_bead(&layers, "web", "web-a").unwrap().is_spent());
    }

    #[test]
    fn the_forecast_is_the_rate_of_the_last_hour_until_midnight() {
        let place = TestTown::new();
        let town = &place.town;
        std::fs::create_dir_all(town.layout.settings().parent().unwrap()).unwrap();
        let settings = r#"{"budget":{"day":100,"rig":100,"bead":1}}"#;
        std::fs::write(town.layout.settings(), settings).unwrap();
        let layers = SettingsLayers::load(town, None).unwrap();
        let zone = local_time_zone();
        let day = jiff::civil::date(2026, 3, 4).at(18, 0, 0, 0);
        let now = day.to_zoned(zone).unwrap().timestamp();
        let mut spending = Spending {
            day: local_day(now),
            day_usd: 10.0,
            rigs: BTreeMap::from([("web".to_owned(), 4.0)]),
            ..Spending::default()
        };
        let minutes_ago = |minutes: i64| now - SignedDuration::from_mins(minutes);
        spending.add_recent(minutes_ago(90), "web", 50.0);
        spending.add_recent(minutes_ago(50), "web", 1.0);
        spending.add_recent(minutes_ago(50), "", 0.5);
        spending.add_recent(minutes_ago(1), "web", 0.5);
        // Six hours at 2 dollars, and at 1.5 dollars of the rig.
        let book = BudgetBook::new(spending.clone(), now);
        let forecast = |budget: Option<Budget>| budget.unwrap().forecast_usd;
        assert_eq!(forecast(book.of_day(&layers)), Some(22.0));
        assert_eq!(forecast(book.of_rig(&layers, "web")), Some(13.0));
        assert_eq!(forecast(book.of_rig(&layers, "api")), Some(0.0));
        assert_eq!(forecast(book.of_bead(&layers, "web", "web-a")), None);
        // An idle hour later, the rate is lower although nothing was read.
        let later = BudgetBook::new(spending, now + SignedDuration::from_mins(30));
        assert_eq!(forecast(later.of_day(&layers)), Some(10.0 + 0.5 * 5.5));
    }
}
