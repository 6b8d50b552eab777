//! Answers the stop hook: reminds a worker whose turn ends with unfinished work.
//!
//! A worker that stops without `gt done` would wait forever, so the hook that agent programs run at
//! the end of a turn reminds it. Once per state of the work, because every answer here costs one
//! turn of a model. A worker that still does not move is left to the patrol. Any agent hears of
//! mail that came during its turn, each message once.

use bd::bead::Status;
use kit::sys::file;

use crate::flow::agent::seance;
use crate::record::mail::{self, NAMED_MESSAGES};
use crate::record::notification_level::{NotificationLevel, load_level};
use crate::record::polecat::Slot;
use crate::town;
use crate::town::Town;
use crate::town::identity::Address;
use crate::town::sandbox_git::open_tree;

/// Returns why this session should continue. None if it may stop. `is_continuing` is true if this
/// hook has made the turn longer already.
pub fn find_continue_reason(
    town: &Town,
    program_session: &str,
    is_continuing: bool,
) -> anyhow::Result<Option<String>> {
    // Each message is named once, so mail cannot make a turn endless.
    if let Some(reason) = find_new_mail(town, program_session)? {
        return Ok(Some(reason));
    }
    let Address::Polecat(rig, name) = &town.actor else {
        return Ok(None);
    };
    if is_continuing {
        return Ok(None);
    }
    let rig = town.find_rig(rig)?;
    let beads = rig.store()?.snapshot()?;
    let slot = Slot::load(&beads, &Slot::id(&rig.prefix(), rig.name(), name));
    let own_address = town.actor.to_string();
    let held = beads.get(&slot.bead);
    let Some(bead) =
        held.filter(|bead| bead.status == Status::Hooked && bead.assignee == own_address)
    else {
        return Ok(None);
    };
    if slot
        .state
        .done_record()
        .is_some_and(|done| done.failed.is_none())
    {
        return Ok(None);
    }
    let tip = open_tree(&town::agent_home(town, &town.actor))
        .and_then(|git| git.resolve("HEAD"))
        .ok()
        .flatten()
        .unwrap_or_default();
    if !record_if_new(town, &format!("{program_session} {} {tip}", bead.id)) {
        return Ok(None);
    }
    let proposal =
        seance::propose_handoff(town).map_or_else(String::new, |text| format!(" {text}"));
    Ok(Some(format!(
        "{} is still on your hook. If it is finished, commit and run `gt done`. If you cannot go on, ask the user with \
         `gt escalate`, end the attempt with `gt done --failed`, or hand over with `gt handoff`. No one answers questions here.{proposal}",
        bead.id
    )))
}

/// Returns a text about mail that this session has not been notified of.
fn find_new_mail(town: &Town, program_session: &str) -> anyhow::Result<Option<String>> {
    let session = mail::notified_session(town, program_session);
    if town.actor == Address::Overseer
        || session.is_empty()
        || load_level(town, &town.actor) == NotificationLevel::Muted
    {
        return Ok(None);
    }
    let mailbox = town.actor.mailbox();
    let mut messages = mail::list_inbox(&town.open_town_store()?.snapshot()?, &mailbox);
    messages.retain(|message| !message.read);
    let news = mail::take_new_messages(&town.layout, &mailbox, &session, &messages, |message| {
        message.kind != crate::flow::agent::handoff::KIND
    })?;
    if news.is_empty() {
        return Ok(None);
    }
    let lines: Vec<String> = news
        .iter()
        .take(NAMED_MESSAGES)
        .map(|message| format!("- {}", message.describe()))
        .collect();
    Ok(Some(format!(
        "New mail came while you worked (`gt mail read <id>`):\n{}",
        lines.join("\n")
    )))
}

/// Returns true if the worker has not been reminded of this state yet, and records the reminder.
fn record_if_new(town: &Town, state: &str) -> bool {
    let path = town.layout.stop_reminder(&town.actor.mailbox());
    let last_state = file::read_file_if_exists(&path).ok().flatten();
    if last_state.is_some_and(|reported| reported == state.as_bytes()) {
        return false;
    }
    let folder = path
        .parent()
        .map_or(Ok(()), |folder| file::create_folder(folder, 0o700));
    // A reminder that cannot be recorded is not sent, because each repetition would cost a turn.
    folder
        .and_then(|()| file::replace_file_relaxed(&path, state.as_bytes(), 0o600))
        .is_ok()
}
