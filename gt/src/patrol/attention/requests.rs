//! Finds the merge requests and targets that only a user can advance, or that have failed for too
//! long.

use bd::bead::hash::compute_short_hash;
use bd::bead::{Bead, Status, attempt as number};
use bd::store::{BeadMark, Snapshot};
use jiff::{SignedDuration, Timestamp};
use kit::ui::{cut, escape};

use super::super::thresholds::PatrolSettings;
use super::item::{AttentionItem, AttentionKind, report_at};
use crate::flow::work::mq;
use crate::record::attempt;
use crate::record::merge_request;
use crate::record::merge_task;
use crate::record::pull_request::PullRequest;
use crate::record::queued_sling;
use crate::record::request_wait::BrokenTargets;
use crate::town::RigLayout;
use crate::town::config;

/// Returns the items about the merge requests of a rig, their tasks and targets: those due now and
/// those that become due if the failure lasts.
pub(super) fn request_items(
    layout: &RigLayout,
    beads: &Snapshot,
    settings: &PatrolSettings,
) -> Vec<AttentionItem> {
    let rig = layout.name();
    let patience = settings.thresholds.patience;
    let mut found: Vec<AttentionItem> = merge_request::requests_with_findings(beads)
        .filter_map(|request| request_item(rig, request, patience))
        .collect();
    let queued = queued_sling::list_queued_slings(beads);
    let is_queued = |id: &str| queued.iter().any(|waiting| waiting.work_bead_id == id);
    let is_taken = |task: &Bead| {
        task.status != Status::Open
            || is_queued(&task.id)
            || (settings.is_auto_repair() && mq::is_automatic_task(beads, task))
    };
    let broken_targets = BrokenTargets::find(beads);
    found.extend(broken_targets.iter().filter_map(|(branch, broken)| {
        let task = beads.get(&broken.task)?;
        let said = merge_request::requests_with_findings(beads)
            .filter(|request| merge_request::target_task_of(request).as_ref() == Some(&task.id))
            .map(|request| quote_gate_output(layout, &request.id))
            .find(|said| !said.is_empty());
        let mut item = broken_target_item(rig, branch, task, is_taken(task));
        if item.kind == AttentionKind::NeedsPerson {
            item.text.push_str(if settings.is_auto_repair() {
                " Its automatic repairs are used up."
            } else {
                " No repair is slung automatically."
            });
        }
        item.text.push_str(&said.unwrap_or_default());
        Some(item)
    }));
    found.extend(task_items(layout, beads, &|task| {
        is_taken(task)
            || broken_targets
                .iter()
                .any(|(_, broken)| broken.task == task.id)
    }));
    found.extend(closed_request_items(rig, beads, &is_queued));
    found
}

/// Returns a merge request that is blocked until someone acts, or that has failed for too long.
fn request_item(rig: &str, request: &Bead, patience: SignedDuration) -> Option<AttentionItem> {
    let id = &request.id;
    let bead = merge_request::source_bead_of(request);
    if let Some(reason) = merge_request::reason_for_user(request) {
        return Some(AttentionItem {
            kind: AttentionKind::NeedsPerson,
            due: Timestamp::MIN,
            key: format!("request:{id}:{}", compute_short_hash(&reason, 3)),
            subject: format!("{id} ({bead}) needs you to be merged"),
            text: escape::escape_line(&reason),
            next: merge_request::next_steps_for_user(request)
                .into_iter()
                .chain([format!("gt why {bead}")])
                .collect(),
            bead,
        });
    }
    let awaited = merge_request::awaited_pull_request(request);
    if let Some(awaited) = awaited.as_ref().filter(|awaited| awaited.needs_person()) {
        return Some(AttentionItem {
            kind: AttentionKind::NeedsPerson,
            due: Timestamp::MIN,
            key: format!(
                "pull-request:{id}:{}",
                compute_short_hash(awaited.to_string(), 3)
            ),
            subject: format!("The pull request of {id} ({bead}) needs you"),
            text: escape::escape_line(&awaited.to_string()),
            next: vec![format!("gt mq status {id}"), format!("gt why {bead}")],
            bead,
        });
    }
    if let Some(item) = awaited
        .as_ref()
        .and_then(|awaited| slow_merge_item(request, &bead, awaited, patience))
    {
        return Some(item);
    }
    let (since, reason) = merge_request::failing_since(request)?;
    if awaited.is_some() {
        return Some(AttentionItem {
            due: report_at(&since, patience)?,
            kind: AttentionKind::Failing,
            // One message for all pull requests of the rig.
            key: format!("forge:{rig}"),
            subject: format!("The forge of rig {rig} does not answer"),
            text: format!(
                "Since {since} each look at a pull request fails: {}. The queue tries again.",
                escape::escape_line(&reason)
            ),
            next: vec![format!("gt mq retry {id}"), "gt doctor".to_owned()],
            bead,
        });
    }
    if merge_request::gate_that_cannot_run(request).as_deref() == Some(merge_request::JAIL_GATE) {
        return Some(AttentionItem {
            kind: AttentionKind::NeedsPerson,
            due: Timestamp::MIN,
            // One message for all requests and gates of the rig.
            key: format!("jail:{rig}"),
            subject: format!("The gates of rig {rig} have no jail"),
            text: format!(
                "{}. Nothing is merged until they run; the queue tries it again.",
                escape::escape_line(&reason)
            ),
            next: vec!["gt doctor jail".to_owned(), format!("gt mq retry {id}")],
            bead,
        });
    }
    if let Some(gate) = merge_request::gate_that_cannot_run(request) {
        return Some(AttentionItem {
            kind: AttentionKind::NeedsPerson,
            due: Timestamp::MIN,
            // One message for all requests that the gate stops.
            key: format!("gate:{rig}:{}", compute_short_hash(&gate, 4)),
            subject: format!(
                "The gate {} of rig {rig} cannot run",
                escape::escape_line(&gate)
            ),
            text: format!(
                "{}. Nothing that it checks is merged until it runs; the queue tries it again.",
                escape::escape_line(&reason)
            ),
            next: vec![
                config::command_to_set_gate(&gate, rig),
                format!("gt mq retry {id}"),
                format!("gt why {bead}"),
            ],
            bead,
        });
    }
    Some(AttentionItem {
        due: report_at(&since, patience)?,
        kind: AttentionKind::Failing,
        key: format!("merging:{id}"),
        subject: format!("{id} ({bead}) cannot be merged"),
        text: format!(
            "Since {since} each try fails: {}. It is tried again.",
            escape::escape_line(&reason)
        ),
        next: vec![format!("gt mq retry {id}"), format!("gt why {bead}")],
        bead,
    })
}

/// Returns a pull request whose merge the forge has accepted for long without doing it.
fn slow_merge_item(
    request: &Bead,
    bead: &str,
    awaited: &PullRequest,
    patience: SignedDuration,
) -> Option<AttentionItem> {
    let id = &request.id;
    let url = escape::escape_line(&awaited.url);
    Some(AttentionItem {
        due: report_at(&awaited.accepted, patience)?,
        kind: AttentionKind::Failing,
        key: format!("pull-request:{id}:accepted:{}", awaited.accepted),
        bead: bead.to_owned(),
        subject: format!("The forge does not merge the pull request of {id} ({bead})"),
        text: format!(
            "It accepted the merge of {url} at {} and has not done it. A merge queue of the forge may remove it again and again: its page says why. The queue asks again.",
            awaited.accepted
        ),
        next: vec![
            format!("gt mq status {id}"),
            format!("gt mq reject {id} --reason \"<why>\""),
        ],
    })
}

/// Returns a target that fails its own gates, which stops all requests to it.
fn broken_target_item(rig: &str, branch: &str, task: &Bead, is_taken: bool) -> AttentionItem {
    let id = &task.id;
    let title = escape::escape_line(&task.title);
    let target = format!("{} of rig {rig}", escape::escape_line(branch));
    let (kind, subject, first) = if is_taken {
        let subject = format!("{target} fails its own gates");
        (AttentionKind::Failing, subject, None)
    } else {
        let subject = format!("{target} fails its own gates: {id} waits for someone to take it");
        let sling = format!("gt sling {id} {rig}");
        (AttentionKind::NeedsPerson, subject, Some(sling))
    };
    let status = match task.assignee.as_str() {
        "" => task.status.to_string(),
        assignee => format!("{} by {}", task.status, escape::escape_line(assignee)),
    };
    AttentionItem {
        kind,
        due: Timestamp::MIN,
        key: format!("target:{rig}:{branch}:{id}:{}", kind.name()),
        bead: id.clone(),
        subject,
        text: format!(
            "Nothing is merged into it until {id} is merged or the gates pass again: {title} ({status}).",
        ),
        next: first
            .into_iter()
            .chain([format!("gt mq run {rig}"), format!("gt why {id}")])
            .collect(),
    }
}

/// Quotes the last lines of the output of a request's failed gate, as a sentence after another one.
fn quote_gate_output(rig: &RigLayout, request: &str) -> String {
    const MAX_LINES: usize = 2;
    const MAX_COLUMNS: usize = 100;
    let lines = mq::read_last_gate_output(rig, request);
    let last: Vec<String> = lines[lines.len().saturating_sub(MAX_LINES)..]
        .iter()
        .map(|line| cut::cut_to_width(line.trim(), MAX_COLUMNS))
        .collect();
    if last.is_empty() {
        return String::new();
    }
    format!(" The gate printed: {}", last.join(" / "))
}

/// Returns open beads whose pull request a user closed at the forge and that no one has taken since.
fn closed_request_items(
    rig: &str,
    beads: &Snapshot,
    is_queued: &dyn Fn(&str) -> bool,
) -> Vec<AttentionItem> {
    let label = BeadMark::Label(attempt::CLOSED_AT_FORGE_LABEL);
    beads
        .select_marked(&[label], |bead| bead.status() == Status::Open)
        .filter(|bead| !is_queued(&bead.id))
        .map(|bead| {
            let id = bead.id.clone();
            let why = attempt::last_rejection(bead).unwrap_or("its pull request was closed");
            AttentionItem {
                kind: AttentionKind::NeedsPerson,
                due: Timestamp::MIN,
                key: format!("pull-request-closed:{id}:{}", number::read_attempt(bead)),
                subject: format!("The pull request of {id} was closed without a merge"),
                text: format!(
                    "{}: {}. The bead is open again.",
                    escape::escape_line(&bead.title),
                    escape::escape_line(why)
                ),
                next: vec![
                    format!("gt sling {id} {rig}"),
                    format!("bd close {id} --reason \"<why it is not needed>\""),
                    format!("gt why {id}"),
                ],
                bead: id,
            }
        })
        .collect()
}

/// The begin of the keys of tasks that wait for someone.
pub(super) const TASK_KEY: &str = "task:";

/// Returns conflict and repair tasks that no one has and that are not slung automatically (any
/// more).
fn task_items(
    layout: &RigLayout,
    beads: &Snapshot,
    is_covered: &dyn Fn(&Bead) -> bool,
) -> Vec<AttentionItem> {
    merge_task::open_tasks(beads)
        .into_iter()
        .filter(|task| !is_covered(task))
        .map(|task| AttentionItem {
            kind: AttentionKind::NeedsPerson,
            due: Timestamp::MIN,
            key: format!("{TASK_KEY}{}", task.id),
            bead: task.id.clone(),
            subject: format!("{} waits for someone to take it", task.id),
            text: {
                let request = merge_request::resolved_request(task);
                let said = request.map(|request| quote_gate_output(layout, &request));
                match said.filter(|said| !said.is_empty()) {
                    Some(said) => format!("{}.{said}", escape::escape_line(&task.title)),
                    None => escape::escape_line(&task.title),
                }
            },
            next: {
                let reject = merge_request::resolved_request(task)
                    .filter(|_| merge_task::repair_number(task) > 1)
                    .map(|request| format!("gt mq reject {request} --reason \"<why>\""));
                [
                    format!("gt sling {} {}", task.id, layout.name()),
                    format!("gt why {}", task.id),
                ]
                .into_iter()
                .chain(reject)
                .collect()
            },
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_offers_to_reject_the_request_from_the_second_repair_on() {
        let place = crate::testing::TestTown::new();
        place.add_rig("web", None).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        let store = rig.store().unwrap();
        let steps_at = |number: u64| {
            rig.transact(&store, |tx| {
                let mut task = Bead {
                    id: "we-t1".to_owned(),
                    title: "Fix gate test of we-1".to_owned(),
                    labels: vec![merge_task::MERGE_LABEL.to_owned()],
                    created_at: tx.now(),
                    updated_at: tx.now(),
                    ..Bead::default()
                };
                task.set_metadata("resolves", "we-mr1")?;
                task.set_metadata(
                    merge_task::REPAIR_KEY,
                    serde_json::json!({ "number": number }),
                )?;
                Ok(tx.put(task)?)
            })
            .unwrap();
            let items = task_items(&rig, &store.snapshot().unwrap(), &|_| false);
            items[0].next.join("\n")
        };
        let reject = "gt mq reject we-mr1 --reason \"<why>\"";
        assert!(!steps_at(1).contains("gt mq reject"));
        assert!(steps_at(2).contains(reject), "{}", steps_at(2));
    }

    #[test]
    fn the_last_words_of_a_gate_are_two_short_safe_lines() {
        let place = crate::testing::TestTown::new();
        let rig = place.town.rig("web");
        assert_eq!(quote_gate_output(&rig, "we-mr1"), "");
        std::fs::create_dir_all(rig.gate_logs()).unwrap();
        let log = rig.gate_logs().join("we-mr1-test.log");
        let long = "x".repeat(300);
        std::fs::write(&log, format!("first\n\u{1b}[31mred\n{long}\n")).unwrap();
        let said = quote_gate_output(&rig, "we-mr1");
        assert!(said.starts_with(" The gate printed: "), "{said}");
        assert!(
            !said.contains("first") && !said.contains('\u{1b}'),
            "{said}"
        );
        assert!(said.chars().count() < 230, "{said}");
    }

    #[test]
    fn a_merge_that_the_forge_accepts_and_does_not_do_is_reported_after_a_while() {
        let request = Bead {
            id: "web-mr-1".to_owned(),
            ..Bead::default()
        };
        let patience = SignedDuration::from_mins(30);
        let mut awaited = PullRequest {
            url: "https://forge/7".to_owned(),
            ..PullRequest::default()
        };
        assert_eq!(slow_merge_item(&request, "web-1", &awaited, patience), None);
        awaited.accepted = Timestamp::UNIX_EPOCH.to_string();
        let item = slow_merge_item(&request, "web-1", &awaited, patience).unwrap();
        assert_eq!(item.due, Timestamp::UNIX_EPOCH + patience);
        assert!(item.text.contains("https://forge/7"), "{}", item.text);
    }
}
