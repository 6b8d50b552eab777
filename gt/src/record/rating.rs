//! Stores the user's ratings of finished work: one closed event bead per bead and rater, beside the
//! bead. A new rating by the same rater replaces the last one, which stays in the history of beads.
//!
//! No agent can write such a bead ([`bd::bead::internal::RATING_LABEL`]), and one that names an
//! agent as its writer does not count.

use std::collections::BTreeMap;

use bd::bead::hash::compute_short_hash;
use bd::bead::internal::{RATING_EVENT, RATING_LABEL};
use bd::bead::{Bead, Kind, Stamp, id};
use bd::change;
use bd::store::{BeadMark, BeadRef, Snapshot, TimeField, Tx};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::town::identity::Address;

/// The part of their ids between prefix and hash.
const ID_MARK: &str = "-rate";

/// The number of characters of that hash.
const HASH_LENGTH: usize = 8;

/// The lowest and the highest rating.
pub const RATINGS: std::ops::RangeInclusive<u8> = 1..=5;

/// The rating of a piece of work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rating {
    pub bead: String,
    /// The merge request of the rated work. Later work on the same bead has another one.
    pub request: String,
    /// 1 to 5.
    pub rating: u8,
    pub why: String,
    /// The address of the rater.
    pub by: String,
    /// RFC 3339.
    pub at: String,
}

/// The mean of some ratings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RatingSummary {
    pub mean: f64,
    pub count: usize,
}

impl RatingSummary {
    /// Returns the mean. None without a rating.
    pub fn new<'a>(ratings: impl IntoIterator<Item = &'a Rating>) -> Option<Self> {
        let ratings: Vec<u8> = ratings.into_iter().map(|rating| rating.rating).collect();
        let sum: f64 = ratings.iter().map(|rating| f64::from(*rating)).sum();
        let count = f64::from(u32::try_from(ratings.len()).unwrap_or(u32::MAX));
        (!ratings.is_empty()).then(|| Self {
            mean: sum / count,
            count: ratings.len(),
        })
    }
}

/// Writes a rating. Returns the earlier one of the same rater.
pub fn put_rating(tx: &mut Tx, rating: &Rating) -> anyhow::Result<Option<Rating>> {
    let prefix = id::prefix_of(&rating.bead).unwrap_or("");
    let hash = compute_short_hash(format!("{} {}", rating.bead, rating.by), HASH_LENGTH);
    let line_id = format!("{prefix}{ID_MARK}{hash}");
    // A worker may have created another bead under this id, and could change it.
    let stored = tx
        .get_live(&line_id)
        .filter(|line| line.has_label(RATING_LABEL))
        .cloned();
    let earlier = stored.as_ref().and_then(parse_rating);
    let at = Stamp::parse(&rating.at);
    let mut line = stored.unwrap_or_else(|| Bead {
        id: line_id,
        issue_type: Kind::Event,
        labels: vec![RATING_LABEL.to_owned()],
        event_kind: RATING_EVENT.to_owned(),
        actor: rating.by.clone(),
        target: rating.bead.clone(),
        created_at: at.clone(),
        created_by: rating.by.clone(),
        ..Bead::default()
    });
    line.title = format!("Rated {}: {} of 5", rating.bead, rating.rating);
    line.metadata = Some(serde_json::value::to_raw_value(rating)?);
    change::mark_closed(&mut line, "rated", &at);
    tx.put(line)?;
    Ok(earlier)
}

fn parse_rating(line: &Bead) -> Option<Rating> {
    let rating: Rating = serde_json::from_str(line.metadata.as_ref()?.get()).ok()?;
    let is_agent = |name: &str| {
        name.parse()
            .is_ok_and(|agent: Address| agent != Address::Overseer)
    };
    let is_valid = line.has_label(RATING_LABEL)
        && line.event_kind == RATING_EVENT
        && !line.is_tombstone()
        && RATINGS.contains(&rating.rating)
        && rating.bead == line.target
        && !is_agent(&rating.by)
        && !is_agent(&line.created_by);
    is_valid.then_some(rating)
}

/// Reads the ratings since a time by merge request. Reads only the lines of that time, and of the archive
/// only the years since then.
pub fn read_ratings_since(
    beads: &Snapshot,
    since: Timestamp,
) -> anyhow::Result<BTreeMap<String, Vec<Rating>>> {
    let archive = beads.read_archive_since(since.to_zoned(TimeZone::UTC).year())?;
    let archived: Vec<Bead> = archive
        .ids_from("")
        .filter(|id| id.contains(ID_MARK) && beads.bead_ref(id).is_none())
        .filter_map(|id| archive.get(id))
        .collect();
    // A pending change has no time yet.
    let is_recent = |line: &BeadRef<'_>| line.time(TimeField::Closed).is_none_or(|at| at >= since);
    let lines = beads.select_marked(&[BeadMark::Label(RATING_LABEL)], is_recent);
    let mut ratings: BTreeMap<String, Vec<Rating>> = BTreeMap::new();
    for line in lines.chain(&archived) {
        if let Some(rating) = parse_rating(line) {
            ratings
                .entry(rating.request.clone())
                .or_default()
                .push(rating);
        }
    }
    Ok(ratings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    fn rating(number: u8, by: &str) -> Rating {
        Rating {
            bead: "we-1".to_owned(),
            request: "we-mr-1".to_owned(),
            rating: number,
            why: "it works".to_owned(),
            by: by.to_owned(),
            at: "2026-01-01T00:00:00Z".to_owned(),
        }
    }

    #[test]
    fn the_last_rating_of_a_rater_counts_and_that_of_an_agent_never() {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        let store = rig.store().unwrap();
        let put = |rating: &Rating| {
            let put = rig.transact(&store, |tx| put_rating(tx, rating));
            put.unwrap().map(|earlier| earlier.rating)
        };
        assert_eq!(put(&rating(2, "overseer")), None);
        assert_eq!(put(&rating(4, "overseer")), Some(2));
        put(&rating(5, "web/polecats/nux"));
        put(&rating(5, "mayor"));
        put(&rating(5, "dana"));
        let beads = store.snapshot().unwrap();
        let since = |time: &str| read_ratings_since(&beads, time.parse().unwrap()).unwrap();
        let found = since("2025-12-31T00:00:00Z").remove("we-mr-1").unwrap();
        assert_eq!(found.len(), 2, "{found:?}");
        let summary = RatingSummary::new(&found).unwrap();
        assert_eq!((summary.mean, summary.count), (4.5, 2));
        assert!(since("2026-01-02T00:00:00Z").is_empty());
        assert_eq!(RatingSummary::new([]), None);
    }

    #[test]
    fn an_archived_rating_counts_only_with_its_label() {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        let store = rig.store().unwrap();
        let written = rig.transact(&store, |tx| {
            put_rating(tx, &rating(4, "overseer"))?;
            // A worker has imported one without the label, and another bead under a rating's id.
            put_rating(tx, &rating(5, "eve"))?;
            put_rating(tx, &rating(3, "dana"))?;
            let named = |tx: &Tx, by: &str| {
                let line = tx.live().find(|line| line.actor == by).cloned();
                Bead {
                    labels: Vec::new(),
                    ..line.unwrap()
                }
            };
            let (eve, dana) = (named(tx, "eve"), named(tx, "dana"));
            tx.put(eve)?;
            tx.put(dana)?;
            put_rating(tx, &rating(2, "dana"))
        });
        assert_eq!(written.unwrap(), None);
        let later = "2027-01-01T00:00:00Z".parse().unwrap();
        let author = bd::store::Author::default();
        store.compact(&author, &rig.town().clock, later).unwrap();
        let beads = store.snapshot().unwrap();
        assert!(beads.live().all(|bead| bead.event_kind != RATING_EVENT));
        let since = "2025-12-31T00:00:00Z".parse().unwrap();
        let found = read_ratings_since(&beads, since).unwrap();
        let mut numbers: Vec<u8> = found["we-mr-1"].iter().map(|one| one.rating).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, [2, 4]);
    }
}
