//! Counts the requests to models in the transcripts of sessions, and what they cost.
//!
//! Each request counts once, in the first session that has it: a resumed or forked session repeats
//! the requests of the one before. A request belongs to the bead that was on the agent's hook when
//! its session began.

pub mod daily;
mod daily_counts;
mod daily_file;
mod day_spans;
mod prices;
mod spending;

use std::collections::{BTreeSet, HashSet};

use jiff::Timestamp;

pub use prices::{ModelPrice, PriceList};
pub use spending::{refresh_old_spending, refresh_spending};

use crate::flow::agent::seance::PastSession;
use crate::flow::agent::seance::transcript::ModelRequest;
use crate::flow::agent::seance::transcript::Transcript;
use crate::flow::agent::seance::usage::OpencodeRequests;
use crate::flow::agent::seance::usage::RequestCache;

/// A request with its session and its cost in US dollars. No cost if its model has no price.
#[derive(Debug, Clone, Copy)]
pub struct CountedRequest<'a> {
    pub session: &'a PastSession,
    pub request: &'a ModelRequest,
    pub cost_usd: Option<f64>,
}

/// Calls `take` for each request since a time. `sessions` begins with the oldest. `cache` has
/// earlier readings. Returns the agents of sessions without a transcript: their program stores
/// none, or it is gone.
pub fn count_requests(
    prices: &PriceList,
    sessions: &[PastSession],
    since: Option<Timestamp>,
    cache: &mut RequestCache,
    mut take: impl FnMut(CountedRequest),
) -> BTreeSet<String> {
    let mut counted = HashSet::new();
    let mut unread = BTreeSet::new();
    let mut opencode = OpencodeRequests::default();
    for session in sessions {
        let Some(transcript) = &session.transcript else {
            let begun: Option<Timestamp> = session.ts.parse().ok();
            if since.is_none_or(|since| begun.is_some_and(|begun| begun >= since)) {
                unread.insert(session.actor.clone());
            }
            continue;
        };
        // A transcript has no request that is younger than its last change.
        if since
            .zip(transcript.change_time())
            .is_some_and(|(since, at)| at < since)
        {
            continue;
        }
        let in_store;
        let requests = match transcript {
            Transcript::Lines(path) => cache.read(path),
            Transcript::Opencode(session) => {
                in_store = opencode.read(session);
                &in_store
            }
        };
        for request in requests {
            // A repeated request is skipped even if it is too old to count.
            if let Some(id) = &request.id
                && !counted.insert(id.clone())
            {
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
