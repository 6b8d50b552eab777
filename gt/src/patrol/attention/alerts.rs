//! Raises alerts for counts that reach their limit: open merge requests of a rig, new escalations,
//! sessions that the system killed.

use jiff::{SignedDuration, Timestamp};
use kit::ui::counted;

use super::item::{AttentionItem, AttentionKind};
use crate::record::escalation;
use crate::record::merge_request;
use crate::record::polecat::Polecat;
use crate::record::town_view::TownView;

/// The time window of the counts.
const COUNTED_WINDOW: SignedDuration = SignedDuration::from_hours(1);
/// SIGKILL, which the system sends when memory is short.
const KILL_SIGNAL: i32 = 9;

fn build_alert(key: String, subject: String, text: &str, next: &[&str]) -> AttentionItem {
    AttentionItem {
        kind: AttentionKind::Failing,
        due: Timestamp::MIN,
        key,
        bead: String::new(),
        subject,
        text: text.to_owned(),
        next: next.iter().map(|command| (*command).to_owned()).collect(),
    }
}

/// Returns true if a count reaches its limit. A limit of 0 turns the alert off.
fn reaches_limit(count: usize, limit: usize) -> bool {
    limit > 0 && count >= limit
}

/// Returns alerts for rigs with many open merge requests.
pub(super) fn queue_alerts(view: &TownView, limit: usize) -> Vec<AttentionItem> {
    view.stores
        .rigs
        .iter()
        .map(|(rig, beads)| (rig, merge_request::count_open_requests(beads)))
        .filter(|(_, count)| reaches_limit(*count, limit))
        .map(|(rig, count)| {
            let next = format!("gt mq list {rig}");
            let requests = counted(count, "merge request");
            let text =
                "Its workers submit faster than the queue merges, or a request blocks the queue.";
            let key = format!("alert:queue:{rig}");
            build_alert(key, format!("{rig} has {requests} open"), text, &[&next])
        })
        .collect()
}

/// Returns an alert for many escalations in a short time.
pub(super) fn escalation_alert(view: &TownView, limit: usize) -> Option<AttentionItem> {
    let all = escalation::list_escalations(&view.stores.town, false);
    let count = all
        .iter()
        .filter_map(|escalation| escalation.escalated_at.parse::<Timestamp>().ok())
        .filter(|at| view.now.duration_since(*at) < COUNTED_WINDOW)
        .count();
    reaches_limit(count, limit).then(|| {
        build_alert(
            "alert:escalations".to_owned(),
            format!("{} in the last hour", counted(count, "escalation")),
            "Many escalations in a short time often have the same cause.",
            &["gt escalate list"],
        )
    })
}

/// Returns an alert for sessions that the system killed, as it does when memory is short. The
/// sessions are restarted as usual.
pub(super) fn kill_alert(view: &TownView, limit: usize) -> Option<AttentionItem> {
    let workers: Vec<String> = view
        .polecats
        .values()
        .flatten()
        .filter(|polecat| was_killed_recently(polecat, view.now))
        .map(|polecat| polecat.address().to_string())
        .collect();
    reaches_limit(workers.len(), limit).then(|| {
        build_alert(
            "alert:killed".to_owned(),
            format!("{} killed in the last hour", counted(workers.len(), "session")),
            &format!(
                "Signal 9 ended the sessions of {}. The system sends it when memory is short. They are restarted. A lower max_polecats needs less memory.",
                workers.join(", ")
            ),
            &["gt status", "gt config get max_polecats"],
        )
    })
}

fn was_killed_recently(polecat: &Polecat, now: Timestamp) -> bool {
    polecat.slot.ended.as_ref().is_some_and(|ended| {
        let at = ended.at.parse::<Timestamp>().ok();
        let is_recent = at.is_some_and(|at| now.duration_since(at) < COUNTED_WINDOW);
        ended.signal == Some(KILL_SIGNAL) && ended.because.is_empty() && is_recent
    })
}
