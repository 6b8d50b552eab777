//! The changes that a user makes on a screen of the town: `gt top` and the page.

use bd::bead::Status;
use bd::change::{self, NewBead};
use kit::ui::counted;
use kit::ui::cut::cut_to_width;
use serde::{Deserialize, Serialize};

use crate::flow::agent::nudge::nudge_unless_muted;
use crate::flow::agent::post::{OutgoingMail, post_mail};
use crate::flow::agent::recipient::is_mechanical;
use crate::flow::agent::session::show;
use crate::flow::agent::{hold, polecat};
use crate::flow::townwide::escalate;
use crate::flow::townwide::setting_change::ShownSetting;
use crate::flow::work::convoy::is_work;
use crate::flow::work::mq;
use crate::flow::work::sling::{SlingBatch, SlingOptions, sling_batch, unsling_bead};
use crate::host::LiveTown;
use crate::host::daemon::wake_daemon;
use crate::record::merge_request;
use crate::town::beads::{BeadsHome, FoundBead};
use crate::town::hold::HoldState;
use crate::town::identity::Address;
use crate::town::{Rig, Town};

/// The columns of the subject of a message.
const SUBJECT_COLUMNS: usize = 72;
/// The maximum length of the id of a draft.
const MAX_DRAFT_ID: usize = 64;

/// A change of the town, ready to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case", deny_unknown_fields)]
pub enum TownChange {
    Answer {
        escalation: String,
        answer: String,
    },
    Acknowledge {
        escalation: String,
    },
    Nudge {
        agent: String,
        message: String,
    },
    /// Sends a message, which waits in the mailbox of the agent until it is read, and gives its
    /// session a notice.
    Write {
        agent: String,
        message: String,
        /// The id of the draft. A text of a draft that is sent again is written once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        draft: Option<String>,
    },
    Sling {
        bead: String,
        target: String,
    },
    /// Takes a bead off its worker, or its request out of the queue, and slings it again.
    SlingAgain {
        bead: String,
    },
    /// Takes a bead off its worker and keeps the work.
    Unsling {
        bead: String,
    },
    /// Closes a bead for which there is nothing to change.
    CloseBead {
        bead: String,
        reason: String,
    },
    CreateBead {
        rig: String,
        title: String,
    },
    RetryRequest {
        request: String,
    },
    RetryWorker {
        worker: String,
    },
    Reject {
        request: String,
        reason: String,
    },
    Park {
        rig: String,
    },
    Unpark {
        rig: String,
    },
    StopTown {
        reason: String,
    },
    ThawTown,
    SetSetting {
        setting: Box<ShownSetting>,
        value: String,
    },
    /// Removes a setting from a file, so that lower layers count again.
    UnsetSetting {
        setting: Box<ShownSetting>,
    },
}

impl TownChange {
    /// Describes the change in the imperative, with its object.
    pub fn describe(&self) -> String {
        match self {
            Self::Answer { escalation, answer } => format!("Answer {escalation} with \"{answer}\""),
            Self::Acknowledge { escalation } => format!("Acknowledge {escalation}"),
            Self::Nudge { agent, .. } => format!("Nudge {agent}"),
            Self::Write { agent, .. } => format!("Write to {agent}"),
            Self::Sling { bead, target } => format!("Sling {bead} to {target}"),
            Self::SlingAgain { bead } => format!("Give {bead} to a fresh worker"),
            Self::Unsling { bead } => {
                format!("End the session that works on {bead}, and keep its work")
            }
            Self::CloseBead { bead, .. } => format!("Close {bead}: nothing to change"),
            Self::CreateBead { rig, title } => format!("Create \"{title}\" in rig {rig}"),
            Self::RetryRequest { request } => format!("Retry {request}"),
            Self::RetryWorker { worker } => format!("Retry {worker}"),
            Self::Reject { request, reason } => format!("Reject {request} because \"{reason}\""),
            Self::Park { rig } => format!("Park rig {rig} and end its sessions"),
            Self::Unpark { rig } => format!("Unpark rig {rig}"),
            Self::StopTown { .. } => "Stop every agent of the town and end the sessions".to_owned(),
            Self::ThawTown => "Let the agents of the town start again".to_owned(),
            Self::SetSetting { setting, value } => setting.describe_change(Some(value)),
            Self::UnsetSetting { setting } => setting.describe_change(None),
        }
    }

    /// Returns the name of the field that a user writes.
    pub fn text_field(&self) -> Option<&'static str> {
        match self {
            Self::Answer { .. } => Some("answer"),
            Self::Nudge { .. } | Self::Write { .. } => Some("message"),
            Self::Sling { .. } => Some("target"),
            Self::CreateBead { .. } => Some("title"),
            Self::SetSetting { .. } => Some("value"),
            Self::CloseBead { .. } | Self::Reject { .. } | Self::StopTown { .. } => Some("reason"),
            _ => None,
        }
    }

    /// Returns the change with the text that a user wrote.
    #[must_use]
    pub fn with_text(mut self, written: &str) -> Self {
        match &mut self {
            Self::Answer { answer: text, .. }
            | Self::Nudge { message: text, .. }
            | Self::Write { message: text, .. }
            | Self::Sling { target: text, .. }
            | Self::CreateBead { title: text, .. }
            | Self::SetSetting { value: text, .. }
            | Self::CloseBead { reason: text, .. }
            | Self::Reject { reason: text, .. }
            | Self::StopTown { reason: text } => written.clone_into(text),
            _ => {}
        }
        self
    }

    /// Runs the change with the functions of the commands, and describes the result in one line.
    pub fn apply(&self, town: &LiveTown) -> anyhow::Result<String> {
        Ok(match self {
            Self::Answer { escalation, answer } => {
                let resolved = escalate::resolve_escalation(town, escalation, answer)?;
                format!("{} is resolved: {}", resolved.id, resolved.details.answer)
            }
            Self::Acknowledge { escalation } => {
                let acknowledged = escalate::acknowledge_escalation(town, escalation)?;
                let by = &acknowledged.acked_by;
                format!("{} is acknowledged by {by}", acknowledged.id)
            }
            Self::Nudge { agent, message } => {
                let nudged = nudge_unless_muted(town, &town.parse_agent(agent)?, message)?;
                format!("{} {}", nudged.agent, nudged.how)
            }
            Self::Write {
                agent,
                message,
                draft,
            } => write_to_agent(town, agent, message, draft.as_deref())?,
            Self::Sling { bead, target } => sling(town, bead, target, false)?,
            Self::SlingAgain { bead } => sling_again(town, bead)?,
            Self::Unsling { bead } => {
                let unslung = unsling_bead(town, bead)?;
                wake_daemon(town);
                format!("{} is off the hook of {}", unslung.bead, unslung.holder)
            }
            Self::CloseBead { bead, reason } => close_work(town, bead, reason)?,
            Self::CreateBead { rig, title } => {
                let new = NewBead {
                    title: title.trim().to_owned(),
                    ..NewBead::default()
                };
                let rig = town.find_rig(rig)?;
                let bead = rig.transact(&rig.store()?, |tx| Ok(change::create_bead(tx, new)?))?;
                format!("{} is created, and no one has it yet", bead.id)
            }
            Self::RetryRequest { request } => {
                let (found, rig) = find_request(town, request)?;
                let was = mq::retry_request(&rig, &found.store, request)?;
                wake_daemon(town);
                match was {
                    Some(_) => format!("{request} is in the queue again"),
                    None => format!("{request} is ready to merge already"),
                }
            }
            Self::RetryWorker { worker } => {
                let Address::Polecat(rig, name) = town.parse_agent(worker)? else {
                    anyhow::bail!("{worker} is no polecat");
                };
                polecat::retry_polecat(town, &town.find_rig(&rig)?, &name)?;
                wake_daemon(town);
                format!("{rig}/{name} is tried again")
            }
            Self::Reject { request, reason } => {
                let (found, rig) = find_request(town, request)?;
                let rejected = mq::reject_request(&rig, &found.store, request, reason)?;
                wake_daemon(town);
                let bead = &rejected.bead;
                format!("{request} will not be merged: {reason}; {bead} is open again")
            }
            Self::Park { rig } => {
                let report = hold::hold_rig(town, &town.find_rig(rig)?, HoldState::Parked)?;
                let ended = counted(report.sessions.len(), "session");
                format!("rig {rig} is parked: nothing is started, {ended} ended")
            }
            Self::Unpark { rig } => {
                let report = hold::release_rig(town, &town.find_rig(rig)?, HoldState::Parked)?;
                match report.held {
                    Some(hold) => anyhow::bail!("{}: nothing is started", hold.reason),
                    None => format!("rig {rig} is no longer parked"),
                }
            }
            Self::StopTown { reason } => {
                let report = hold::stop_town_agents(town, reason)?;
                let ended = counted(report.sessions.len(), "session");
                format!("the town is stopped: nothing is started, {ended} ended")
            }
            Self::ThawTown => {
                let report = hold::thaw_town(town)?;
                match report.held {
                    Some(hold) => anyhow::bail!("{}: nothing is started", hold.reason),
                    None => "the town is no longer stopped".to_owned(),
                }
            }
            Self::SetSetting { setting, value } => setting.change(town, Some(value))?,
            Self::UnsetSetting { setting } => setting.change(town, None)?,
        })
    }
}

/// Closes open work without a change.
fn close_work(town: &LiveTown, bead: &str, reason: &str) -> anyhow::Result<String> {
    let found = town.find_bead(bead)?;
    anyhow::ensure!(
        !reason.trim().is_empty(),
        "a reason is needed to close {bead}"
    );
    let reason = format!("Nothing to change: {}", reason.trim());
    town.transact(&found.store, |tx| {
        // The screen may be older than the bead.
        let is_open_work = tx
            .get(&found.bead.id)
            .is_some_and(|bead| bead.is_open() && bead.status != Status::Pinned && is_work(bead));
        anyhow::ensure!(is_open_work, "{bead} is no open work any more");
        Ok(change::close_bead(tx, &found.bead.id, &reason, "", true)?)
    })?;
    wake_daemon(town);
    Ok(format!("{bead} is closed"))
}

/// Sends a message to an agent. Its first line is the subject.
fn write_to_agent(
    town: &LiveTown,
    agent: &str,
    message: &str,
    draft: Option<&str>,
) -> anyhow::Result<String> {
    let agent = town.parse_agent(agent)?;
    anyhow::ensure!(
        agent != Address::Overseer,
        "overseer is your own mailbox: write to an agent"
    );
    anyhow::ensure!(
        draft.is_none_or(is_draft_id),
        "the id of a draft has 1 to {MAX_DRAFT_ID} letters, digits and hyphens: nothing is sent"
    );
    let body = message.trim();
    let subject = cut_to_width(body.lines().next().unwrap_or(""), SUBJECT_COLUMNS);
    let mail = OutgoingMail {
        to: agent.mailbox(),
        subject,
        body: body.to_owned(),
        priority: 1,
        notify: true,
        // Another text in the same draft is another message, which must not get lost.
        operation: draft.map(|draft| format!("draft:{draft}:{body}")),
        ..OutgoingMail::default()
    };
    let posted = post_mail(town, &mail)?;
    let (id, to) = (&posted.id, &posted.to);
    if let Some(rule) = posted.handled_by {
        return Ok(format!(
            "{id} to {to} is archived: the rule {rule} of the patrol does what it asks for"
        ));
    }
    if *to != mail.to {
        return Ok(format!("{id} is sent to {to}: no agent plays {agent}"));
    }
    if !posted.nudged.is_empty() {
        return Ok(format!(
            "{id} is sent to {to}, and its session has a notice"
        ));
    }
    if is_mechanical(town, &agent) {
        return Ok(format!("{id} is sent to {to}, and the patrol reads it"));
    }
    Ok(match show::find_stopped(town, &agent)? {
        None => format!("{id} is sent to {to}, whose session reads it after its turn"),
        Some(stopped) => {
            let steps = stopped.next_steps().join("\n");
            format!("{id} waits in the mailbox of {to}: no session of it runs. Type\n{steps}")
        }
    })
}

fn is_draft_id(id: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    (1..=MAX_DRAFT_ID).contains(&id.len()) && id.bytes().all(is_allowed)
}

/// Finds a merge request with its rig.
fn find_request<'t>(town: &'t Town, id: &str) -> anyhow::Result<(FoundBead, Rig<'t>)> {
    let found = town.find_bead(id)?;
    let BeadsHome::Rig(rig) = &found.home else {
        anyhow::bail!("{id} is no merge request of a rig");
    };
    let rig = town.find_rig(rig)?;
    Ok((found, rig))
}

/// Gives a bead to another worker. An open request of its work is rejected before.
fn sling_again(town: &LiveTown, bead: &str) -> anyhow::Result<String> {
    let found = town.find_bead(bead)?;
    let BeadsHome::Rig(name) = &found.home else {
        anyhow::bail!("{bead} is in no rig");
    };
    let rig = town.find_rig(name)?;
    let beads = found.store.snapshot()?;
    if let Some(request) = merge_request::find_open_request(&beads, &found.bead.id) {
        let reason = "the work goes to a fresh worker";
        mq::reject_request(&rig, &found.store, &request.id, reason)?;
    }
    sling(town, bead, name, true)
}

fn sling(town: &LiveTown, bead: &str, target: &str, force: bool) -> anyhow::Result<String> {
    let batch = SlingBatch {
        beads: vec![bead.to_owned()],
        target: target.to_owned(),
        options: SlingOptions {
            force,
            ..SlingOptions::default()
        },
    };
    let mut warnings = Vec::new();
    let slung = sling_batch(town, &batch, |problem| warnings.push(problem.to_owned()))?;
    wake_daemon(town);
    let mut results: Vec<String> = slung
        .iter()
        .map(|report| {
            if !report.waits_for.is_empty() {
                let blockers = report.waits_for.join(", ");
                return format!("{} is queued until {blockers} closes", report.bead);
            }
            let trouble = match (&report.needs_person, &report.start_failed) {
                (Some(question), _) => format!("; its session needs you: {question}"),
                (None, Some(reason)) => format!("; its session could not be started: {reason}"),
                (None, None) => String::new(),
            };
            format!("{} is slung to {}{trouble}", report.bead, report.target)
        })
        .collect();
    if results.is_empty() {
        results.push("no open bead to sling".to_owned());
    }
    results.extend(warnings);
    Ok(results.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::mail;
    use crate::testing::TestTown;

    fn write(
        town: &LiveTown,
        agent: &str,
        message: &str,
        draft: Option<&str>,
    ) -> anyhow::Result<String> {
        let change = TownChange::Write {
            agent: agent.to_owned(),
            message: message.to_owned(),
            draft: draft.map(str::to_owned),
        };
        change.apply(town)
    }

    fn list_subjects(town: &LiveTown, agent: &Address) -> Vec<String> {
        let beads = town.open_town_store().unwrap().snapshot().unwrap();
        let mut subjects: Vec<String> = mail::list_inbox(&beads, &agent.mailbox())
            .into_iter()
            .map(|message| message.subject)
            .collect();
        subjects.sort_unstable();
        subjects
    }

    #[test]
    fn a_draft_that_is_sent_twice_makes_one_mail() {
        let place = TestTown::new();
        let town = &place.town;
        let first = write(town, "mayor", "Plan", Some("d-1")).unwrap();
        assert_eq!(write(town, "mayor", " Plan\n", Some("d-1")).unwrap(), first);
        assert_eq!(list_subjects(town, &Address::Mayor), ["Plan"]);
        // Text that is added after a lost answer arrives, too.
        write(town, "mayor", "Plan more", Some("d-1")).unwrap();
        // The same text in another draft, or without one, is another message.
        write(town, "mayor", "Plan", Some("d-2")).unwrap();
        write(town, "mayor", "Plan", None).unwrap();
        assert_eq!(
            list_subjects(town, &Address::Mayor),
            ["Plan", "Plan", "Plan", "Plan more"]
        );
        let long = "a".repeat(65);
        for draft in ["", "a b", "a:b", "ä", &long] {
            let error = write(town, "mayor", "Other", Some(draft)).unwrap_err();
            assert!(error.to_string().contains("nothing is sent"), "{error}");
        }
        assert_eq!(list_subjects(town, &Address::Mayor).len(), 4);
        let old: TownChange =
            serde_json::from_str(r#"{"act":"write","agent":"mayor","message":"Plan"}"#).unwrap();
        assert!(matches!(old, TownChange::Write { draft: None, .. }));
    }

    #[test]
    fn a_message_that_the_patrol_takes_asks_for_no_session() {
        let place = TestTown::new();
        let town = &place.town;
        for (message, part) in [
            ("MERGE_READY nux", "of the patrol does what it asks for"),
            ("LIFECYCLE: restart", "and the patrol reads it"),
        ] {
            let said = write(town, "deacon", message, None).unwrap();
            assert!(said.ends_with(part), "{said}");
        }
        let error = write(town, "overseer", "A note", None).unwrap_err();
        assert!(error.to_string().contains("your own mailbox"), "{error}");
        assert!(list_subjects(town, &Address::Overseer).is_empty());
    }
}
