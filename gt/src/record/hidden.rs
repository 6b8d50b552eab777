//! Detects hidden sessions: their processes belong to another tmux server than the queried one,
//! because its socket was removed or `TMUX_TMPDIR` has changed.
//!
//! A worker whose session is not listed has ended only if both the list and the processes show it.
//! Otherwise a second agent would be started in the same sandbox.

use std::collections::BTreeSet;
use std::path::Path;

use super::polecat::Polecat;
use crate::host::LiveSession;
use crate::town::identity::Address;
use crate::town::process;

/// The process name prefix of such a server.
const SERVER_PREFIX: &str = "tmux";

/// Returns why the list of sessions is incomplete, with the next step, if an unlisted worker is
/// alive.
pub fn find_hidden_reason<'a>(
    root: &Path,
    workers: impl Iterator<Item = &'a Polecat>,
    listed: &[LiveSession],
) -> Option<String> {
    let workers: Vec<(Address, &str)> = workers
        .filter(|worker| worker.session.is_none() && !worker.slot.token.is_empty())
        // The processes of another machine are asked for there.
        .filter(|worker| worker.slot.host_name.is_none())
        .map(|worker| (worker.address(), worker.slot.token.as_str()))
        .collect();
    if workers.is_empty() {
        return None;
    }
    let servers: BTreeSet<i32> = listed
        .iter()
        .filter_map(|live| process::parent_of(live.pid))
        .collect();
    let hosted = process::children_of_named(SERVER_PREFIX, &servers);
    let (worker, (process, server)) = workers.iter().find_map(|(worker, token)| {
        let hosted_process = hosted.iter().find(|(process, server)| {
            // A server that the worker itself started may host any session.
            process.has_token(token) && !server.has_token(token)
        })?;
        Some((worker, hosted_process))
    })?;
    if let Some(other) = process.other_town(root) {
        return Some(format!(
            "{worker} is alive in the town at {}, of which this town is a copy. Nothing is started or ended here until \
             that session ends",
            other.display()
        ));
    }
    if let Some(earlier) = process.earlier_town(root) {
        return Some(format!(
            "{worker} is alive in a session that was started at {}, where this town was before. Nothing is started or \
             ended until it ends; `kill {}` ends the sessions of that place, and the patrol starts them here",
            earlier.display(),
            server.pid
        ));
    }
    Some(format!(
        "{worker} is alive (process {}) and its session is not listed: the socket of its tmux server was removed, or \
         TMUX_TMPDIR is another one. Nothing is started or ended until then; `kill -USR1 {}` makes the socket again",
        process.pid, server.pid
    ))
}
