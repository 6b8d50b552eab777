//! Reads what counts for budgets from the transcripts, at most once a minute and only if a budget
//! is set.

use std::collections::BTreeSet;

use bd::store::Snapshot;
use jiff::{SignedDuration, Timestamp};
use kit::sys::env::local_time_zone;

use super::{PriceList, count_requests};
use crate::flow::agent::seance::usage::RequestCache;
use crate::flow::agent::seance::{self, PastSession};
use crate::record::budget::{BudgetKind, HOUR, Spending, has_budgets, local_day};
use crate::record::convoy;
use crate::town::Town;
use crate::town::config::{SettingsLayers, TownSettings};
use crate::town::identity::Address;

/// Older requests count for no budget.
const COUNTED_WINDOW: SignedDuration = SignedDuration::from_hours(30 * 24);
/// The time for which a reading counts.
const MAX_READING_AGE: SignedDuration = SignedDuration::from_secs(60);

/// Reads the costs again if the last reading is old and any of these layers has a budget, or an open
/// convoy a band. Returns true if they were read. `cache` has earlier readings of transcripts.
pub fn refresh_old_spending<'a>(
    town: &Town,
    layers: impl IntoIterator<Item = &'a SettingsLayers>,
    cache: &mut RequestCache,
) -> anyhow::Result<bool> {
    let is_wanted = layers.into_iter().any(has_budgets) || {
        let beads = town.open_town_store()?.snapshot()?;
        !convoy::list_convoys_with_band(&beads).is_empty()
    };
    if !is_wanted {
        return Ok(false);
    }
    let age = town
        .clock
        .now()
        .duration_since(Spending::load(&town.layout).read_at);
    // A clock that was set back must not end all readings.
    if !age.is_negative() && age < MAX_READING_AGE {
        return Ok(false);
    }
    refresh_spending(town, cache)?;
    cache.forget_unused();
    Ok(true)
}

/// Reads the costs and writes them. Transcripts that have not changed since the last reading of the
/// same day change nothing. `cache` has earlier readings of transcripts.
pub fn refresh_spending(town: &Town, cache: &mut RequestCache) -> anyhow::Result<Spending> {
    let now = town.clock.now();
    let last = Spending::load(&town.layout);
    let mut sessions = seance::list_recent_sessions(town, now - COUNTED_WINDOW)?;
    // Finished work without a request today or in the last hour counts for no budget or forecast.
    let midnight = now.to_zoned(local_time_zone()).start_of_day()?.timestamp();
    let begin = midnight.min(now - HOUR);
    let current = find_current_beads(town)?;
    sessions.retain(|session| {
        current.contains(&session.bead) || change_time(session).is_some_and(|at| at >= begin)
    });
    // Oldest first, because later sessions repeat the requests of earlier ones.
    sessions.reverse();
    let today = local_day(now);
    let newest = sessions.iter().filter_map(change_time).max();
    // The costs of a bead are not known if its convoy has a budget only since the last reading.
    let has_new_bead = sessions
        .iter()
        .any(|session| current.contains(&session.bead) && !last.beads.contains_key(&session.bead));
    // A change within the second of the last reading may be missing in it.
    let spending = if last.day == today
        && !has_new_bead
        && newest.is_none_or(|at| last.read_at.duration_since(at) > SignedDuration::from_secs(1))
    {
        Spending {
            read_at: now,
            ..last
        }
    } else {
        sum_costs(town, &sessions, now, today, cache)?
    };
    spending.save(&town.layout)?;
    Ok(spending)
}

/// Returns the open beads, and those of open convoys, if a bead or convoy has a budget.
fn find_current_beads(town: &Town) -> anyhow::Result<BTreeSet<String>> {
    let stores = town.read_stores()?;
    let settings = TownSettings::load(town, &stores.rigs);
    let mut current = BTreeSet::new();
    let is_set = |kind: BudgetKind| settings.all_layers().any(|layers| kind.is_set(layers));
    let convoys = if is_set(BudgetKind::Convoy) || is_set(BudgetKind::ConvoyBand) {
        convoy::list_convoys(&stores.town, false)
    } else {
        convoy::list_convoys_with_band(&stores.town)
    };
    for convoy in convoys {
        current.extend(convoy::tracked_ids(convoy).map(str::to_owned));
    }
    if is_set(BudgetKind::Bead) {
        current.extend(
            stores
                .rigs
                .values()
                .flat_map(Snapshot::bead_refs)
                .filter(|bead| bead.is_open() && !bead.is_internal())
                .map(|bead| bead.id().to_owned()),
        );
    }
    Ok(current)
}

fn change_time(session: &PastSession) -> Option<Timestamp> {
    session.transcript.as_ref()?.change_time()
}

fn sum_costs(
    town: &Town,
    sessions: &[PastSession],
    now: Timestamp,
    today: String,
    cache: &mut RequestCache,
) -> anyhow::Result<Spending> {
    let prices = PriceList::load(&town.layout)?;
    let mut spending = Spending {
        read_at: now,
        day: today,
        ..Spending::default()
    };
    for session in sessions.iter().filter(|session| !session.bead.is_empty()) {
        spending.beads.insert(session.bead.clone(), 0.0);
    }
    count_requests(
        &prices,
        sessions,
        Some(now - COUNTED_WINDOW),
        cache,
        |counted| {
            let at = counted.request.at;
            let is_today = local_day(at) == spending.day;
            let Some(cost) = counted.cost_usd else {
                if is_today {
                    spending.unpriced_tokens += counted.request.tokens.total();
                }
                return;
            };
            let session = counted.session;
            if !session.bead.is_empty() {
                *spending.beads.entry(session.bead.clone()).or_default() += cost;
            }
            let agent: Option<Address> = session.actor.parse().ok();
            let rig = agent.as_ref().and_then(Address::rig);
            if now.duration_since(at) < HOUR {
                spending.add_recent(at, rig.unwrap_or(""), cost);
            }
            if is_today {
                spending.day_usd += cost;
                if let Some(rig) = rig {
                    *spending.rigs.entry(rig.to_owned()).or_default() += cost;
                }
            }
        },
    );
    Ok(spending)
}
