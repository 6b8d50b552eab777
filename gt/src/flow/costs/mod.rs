//! Counts the requests to models in the transcripts of sessions, and what they cost.
//!
//! Each request counts once, in the first session that has it: a resumed or forked session repeats
//! the requests of the one before. A request belongs to the bead that was on the agent's hook when
//! its session began.

mod prices;
mod spending;

use std::collections::{BTreeSet, HashSet};
use std::fs;

use jiff::Timestamp;

pub use prices::{ModelPrice, PriceList};
pub use spending::{refresh_old_spending, refresh_spending};

use crate::flow::seance::PastSession;
use crate::flow::seance::usage::{ModelRequest, read_model_requests};

/// A request with its session and its cost in US dollars. No cost if its model has no price.
#[derive(Debug, Clone, Copy)]
pub struct CountedRequest<'a> {
    pub session: &'a PastSession,
    pub request: &'a ModelRequest,
    pub cost_usd: Option<f64>,
}

/// Calls `take` for each request since a time. `sessions` begins with the oldest. Returns the
/// agents of sessions without a transcript: their program stores none, or it is gone.
pub fn count_requests(
    prices: &PriceList,
    sessions: &[PastSession],
    since: Option<Timestamp>,
    mut take: impl FnMut(CountedRequest),
) -> BTreeSet<String> {
    let (mut counted, mut unread) = (HashSet::new(), BTreeSet::new());
    for session in sessions {
        let Some(path) = &session.transcript else {
            let begun: Option<Timestamp> = session.ts.parse().ok();
            if since.is_none_or(|since| begun.is_some_and(|begun| begun >= since)) {
                unread.insert(session.actor.clone());
            }
            continue;
        };
        // A file has no request that is younger than its last change.
        let changed = fs::metadata(path).and_then(|meta| meta.modified()).ok();
        let changed = changed.and_then(|changed| Timestamp::try_from(changed).ok());
        if since.zip(changed).is_some_and(|(since, at)| at < since) {
            continue;
        }
        for request in &read_model_requests(path) {
            // A repeated request is skipped even if it is too old to count.
            if !request.id.is_empty() && !counted.insert(request.id.clone()) {
                continue;
            }
            if since.is_some_and(|since| request.at < since) {
                continue;
            }
            take(CountedRequest {
                session,
                request,
                cost_usd: prices.cost_of(&request.model, &request.tokens),
            });
        }
    }
    unread
}
