//! Ends a crew member's session. The clone stays unchanged. Uncommitted work is also saved to a
//! hidden ref of the clone, because the agent is killed in any state.

use bd::git::rescue::{self, BigFilePolicy, SavedRescue};
use bd::git::{Git, GitError, Identity};

use super::member_address;
use crate::host::LiveTown;
use crate::town::Rig;
use crate::town::event::event;
use crate::town::identity::SessionName;

/// The number of refs that are kept.
const MAX_KEPT_REFS: usize = 3;

/// Ends a member's session. Returns false if there was none.
pub fn stop_member(town: &LiveTown, rig: &Rig, name: &str) -> anyhow::Result<bool> {
    let address = member_address(rig, name);
    let Some(session) = SessionName::for_agent(&address) else {
        return Ok(false);
    };
    if town.host.find_session(session.as_str())?.is_none() {
        return Ok(false);
    }
    town.host.kill(session.as_str())?;
    save_uncommitted(rig, name)?;
    town.record_event(
        &event!(Kill, rig: rig.name(), target: address.to_string(), reason: "stopped"),
    );
    Ok(true)
}

/// Saves a member's uncommitted work to `refs/gt/snap/<rig>/crew/<name>/<time>` of its clone, and
/// keeps the last three refs. Saves nothing if there is no uncommitted work.
pub fn save_uncommitted(rig: &Rig, name: &str) -> Result<Option<SavedRescue>, GitError> {
    let address = member_address(rig, name);
    let git = Git::at(rig.crew(name));
    let folder = format!("refs/gt/snap/{}/crew/{name}", rig.name());
    let author = Identity {
        name: address.to_string(),
        email: "crew@gastown.local".to_owned(),
    };
    let stamp = rig.town().clock.now().as_millisecond();
    let message = format!("Uncommitted work of {address}");
    let refname = format!("{folder}/{stamp}");
    let saved = rescue::save_rescue(&git, &refname, &message, &author, BigFilePolicy::Leave)?;
    let mut kept = rescue::list_rescues(&git, &folder)?;
    kept.sort_by(|a, b| a.refname.cmp(&b.refname));
    let surplus = kept.len().saturating_sub(MAX_KEPT_REFS);
    for old in kept.into_iter().take(surplus) {
        git.delete_ref(&old.refname, &old.commit)?;
    }
    Ok(saved)
}
