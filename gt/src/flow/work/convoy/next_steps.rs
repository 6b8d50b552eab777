//! Lists the commands that a user can run for a tracked bead.

use bd::bead::Status;

use super::tracked::{BeadStanding, RigStore, TrackedBead};
use crate::record::merge_request;

/// Returns the next steps for a bead in its current state.
pub(super) fn next_steps_of(homes: &[RigStore], bead: &TrackedBead, convoy: &str) -> Vec<String> {
    let id = &bead.id;
    let home = homes.iter().find(|home| home.beads.get(id).is_some());
    let rig = home.and_then(|home| home.rig).unwrap_or("<rig>");
    match bead.standing {
        BeadStanding::Open => vec![format!("gt sling {id} {rig}")],
        BeadStanding::Failed => vec![
            format!("bd reopen {id} && gt sling {id} {rig}"),
            format!("bd close {id} --reason \"Cancelled: <why>\""),
            format!("gt convoy close {convoy} --force --reason \"<why>\""),
        ],
        BeadStanding::NeedsStep => steps_of_blocked(home, bead, rig),
        BeadStanding::Unknown => vec![format!(
            "gt convoy close {convoy} --force --reason \"<why>\""
        )],
        BeadStanding::Blocked
        | BeadStanding::Working
        | BeadStanding::Merging
        | BeadStanding::Done => Vec::new(),
    }
}

/// Returns the next steps for a request that waits for a task or a user, and for work whose worker
/// is stuck.
fn steps_of_blocked(home: Option<&RigStore>, bead: &TrackedBead, rig: &str) -> Vec<String> {
    let Some(home) = home else {
        return Vec::new();
    };
    // The worker closed the bead without `gt done`.
    if bead.status == Status::Closed {
        let id = &bead.id;
        return vec![
            format!("bd reopen {id} && gt sling {id} {rig}"),
            format!("bd close {id} --reason \"<why it is done>\""),
        ];
    }
    if home
        .beads
        .get(&bead.id)
        .is_some_and(|bead| home.is_abandoned(bead))
    {
        let id = &bead.id;
        return vec![
            format!("gt sling {id} {rig} --force"),
            format!("bd update {id} --status open --assignee \"\""),
        ];
    }
    let request = merge_request::find_open_request(home.beads, &bead.id);
    // The worker is not restarted automatically.
    if request.is_none() && home.stuck_reason(&bead.id).is_some() {
        let id = &bead.id;
        let worker = bead.assignee.replace("/polecats/", "/");
        return vec![
            format!("gt polecat retry {worker}"),
            format!("gt sling {id} {rig} --force"),
            format!("gt why {id}"),
        ];
    }
    let mut ways: Vec<String> = bead
        .waits_for
        .iter()
        .filter(|task| {
            let task = home.beads.get(task);
            task.is_some_and(|task| {
                task.status == Status::Open && home.find_queued(&task.id).is_none()
            })
        })
        .map(|task| format!("gt sling {task} {rig}"))
        .collect();
    if let Some(request) =
        request.filter(|request| merge_request::reason_for_user(request).is_some())
    {
        ways.extend(merge_request::next_steps_for_user(request));
    }
    ways
}
