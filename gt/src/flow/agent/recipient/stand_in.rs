//! Finds the reader of a message to a role that no agent plays.
//!
//! gtd does the work of a role in mechanical mode, so no session reads the role's mailbox. A report
//! of the town's protocol needs no reader there, because a rule of the patrol does what it asks
//! for. Any other message goes to the mayor if its session runs, otherwise to the overseer. A
//! mayor that does not run reads its mail at its next start, but a call for help cannot wait for
//! that.

use crate::flow::agent::role::MechanicalRole;
use crate::flow::agent::session::show;
use crate::host::LiveTown;
use crate::record::mail::protocol::{is_call_for_help, strip_report};
use crate::record::role::{RoleMode, mode_setting_of, role_mode_of};
use crate::town::Town;
use crate::town::identity::Address;

/// The reports of the town's protocol, and the rule of the patrol that does without the report what
/// the report asks for.
pub const PROTOCOL: [(&str, &str); 9] = [
    ("LIFECYCLE", "P7-end-idle-session"),
    ("MERGED", "P7-end-idle-session"),
    ("MERGE_FAILED", "R1-queue-repair"),
    ("MERGE_READY", "Q1-run-queue"),
    ("POLECAT_DONE", "P5-finish-done"),
    ("POLECAT_STARTED", "P6-respawn-stalled"),
    ("REWORK_REQUEST", "R1-queue-repair"),
    ("START_WORK", "P3-resume-sling"),
    ("WITNESS_PING", "B1-watch-deacon"),
];

/// Returns the rule that does what a message of the protocol asks for. None for other messages.
pub fn find_protocol_rule(subject: &str) -> Option<&'static str> {
    find_report(subject).map(|(_, rule)| rule)
}

/// The reader of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailReader {
    Recipient,
    /// No one: this rule of the patrol does what the message asks for.
    Rule(&'static str),
    /// Another agent or the overseer.
    StandIn(Address),
}

/// Returns the report of the protocol with its rule.
fn find_report(subject: &str) -> Option<(&'static str, &'static str)> {
    PROTOCOL
        .into_iter()
        .find(|(report, _)| strip_report(subject, report).is_some())
}

/// Returns true if the mayor's session runs. False if the sessions cannot be listed, so that the
/// message goes to someone who reads it.
pub fn is_mayor_running(town: &LiveTown) -> bool {
    let session = show::find_session(town, &Address::Mayor).ok().flatten();
    session.is_some_and(|live| live.dead.is_none())
}

/// Returns true if gtd does the work of an agent's role, so that no session reads its mail.
pub fn is_mechanical(town: &Town, agent: &Address) -> bool {
    mode_setting_of(agent).is_some() && role_mode_of(town, agent) == RoleMode::Mechanical
}

/// Returns the reader of a message. Fails if the sender itself would be the stand-in.
pub fn find_reader(
    town: &LiveTown,
    recipient: &Address,
    subject: &str,
    is_urgent: bool,
) -> anyhow::Result<MailReader> {
    if *recipient == Address::Mayor {
        let cannot_wait = is_urgent || is_call_for_help(subject);
        let is_read_late =
            cannot_wait && town.actor != Address::Overseer && !is_mayor_running(town);
        return Ok(if is_read_late {
            MailReader::StandIn(Address::Overseer)
        } else {
            MailReader::Recipient
        });
    }
    if !is_mechanical(town, recipient) {
        return Ok(MailReader::Recipient);
    }
    match find_report(subject) {
        // The patrol reads these requests in the deacon's mailbox.
        Some(("LIFECYCLE", _)) if *recipient == Address::Deacon => Ok(MailReader::Recipient),
        Some((_, rule)) => Ok(MailReader::Rule(rule)),
        None if town.actor != Address::Mayor && is_mayor_running(town) => {
            Ok(MailReader::StandIn(Address::Mayor))
        }
        None if town.actor != Address::Overseer => Ok(MailReader::StandIn(Address::Overseer)),
        None => Err(UnreadMailbox(MechanicalRole::of(recipient)).into()),
    }
}

/// Returns the reader of a message that the town itself writes, such as a notice about an
/// escalation: the recipient, or for a role that no agent plays its stand-in. `mayor_runs` is the
/// result of [`is_mayor_running`].
pub fn find_notice_reader(town: &Town, recipient: &Address, mayor_runs: bool) -> Address {
    if !is_mechanical(town, recipient) {
        recipient.clone()
    } else if mayor_runs && town.actor != Address::Mayor {
        Address::Mayor
    } else {
        Address::Overseer
    }
}

/// No one would read the message: gtd does the work of the recipient, and the sender is the user
/// who reads mail for it.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("no one reads mail to {}, because gtd does the work of this role ({} is `mechanical`)", .0.agent, .0.setting)]
pub struct UnreadMailbox(pub MechanicalRole);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;
    use crate::town::config::{self, SettingsLayer};

    fn reader(town: &LiveTown, to: &str, subject: &str) -> MailReader {
        find_reader(town, &to.parse().unwrap(), subject, false).unwrap()
    }

    #[test]
    fn a_message_to_a_role_without_an_agent_goes_to_a_rule_or_a_stand_in() {
        let mut place = TestTown::new();
        place.add_rig("web", None).unwrap();
        place.town.town.actor = "web/polecats/nux".parse().unwrap();
        let town = &place.town;
        let overseer = MailReader::StandIn(Address::Overseer);
        for (to, subject, expected) in [
            ("mayor/", "A question", MailReader::Recipient),
            ("mayor/", "HELP: no disk", overseer.clone()),
            ("mayor/", "Helpful hints", MailReader::Recipient),
            ("deacon/", "LIFECYCLE: restart", MailReader::Recipient),
            ("deacon/", "help", overseer.clone()),
            (
                "deacon/",
                "WITNESS_PING web",
                MailReader::Rule("B1-watch-deacon"),
            ),
            (
                "web/witness",
                "POLECAT_DONE nux",
                MailReader::Rule("P5-finish-done"),
            ),
            (
                "web/refinery",
                "merge_ready: nux",
                MailReader::Rule("Q1-run-queue"),
            ),
            (
                "web/witness",
                "LIFECYCLE:Shutdown nux",
                MailReader::Rule("P7-end-idle-session"),
            ),
            (
                "web/witness",
                "Merged main broke the build, help",
                overseer.clone(),
            ),
            ("web/witness", "Lifecycle notes", overseer.clone()),
            ("web/witness", "MERGED MAIN BROKE", overseer.clone()),
            ("web/witness", "A question", overseer),
            ("web/polecats/nux", "HELP", MailReader::Recipient),
        ] {
            assert_eq!(reader(town, to, subject), expected, "{to} {subject}");
        }
        let urgent = find_reader(town, &Address::Mayor, "Look", true).unwrap();
        assert_eq!(urgent, MailReader::StandIn(Address::Overseer));
        let rig = town.find_rig("web").unwrap();
        let setting = "patrol.mode.witness";
        config::change_setting(
            town,
            Some(&rig),
            SettingsLayer::Settings,
            setting,
            Some("agent"),
        )
        .unwrap();
        assert_eq!(reader(town, "web/witness", "HELP"), MailReader::Recipient);
    }

    #[test]
    fn the_stand_in_gets_an_error_for_a_message_to_a_role_without_an_agent() {
        let place = TestTown::new();
        let refused = find_reader(&place.town, &Address::Deacon, "x", false).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "no one reads mail to deacon, because gtd does the work of this role (patrol.mode.deacon is `mechanical`)"
        );
    }
}
