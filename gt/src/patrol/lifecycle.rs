//! Rule D3: carries out requests by mail to restart or stop an agent. A message to `deacon/` whose
//! subject begins with `lifecycle:` is a request for its sender.
//!
//! The message is closed before the action, so that no request is carried out twice. The request
//! always applies to the sender, never to a name in the text.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::decision::{Action, Decision};
use super::rule;
use crate::flow::agent::session::start::{self, RestartCause, SessionChoice};
use crate::flow::agent::{role, session};
use crate::flow::place::crew;
use crate::host::LiveTown;
use crate::record::mail::{self, MailMessage, MailRemoval};
use crate::record::scheduler::check_worker_start;
use crate::record::town_view::TownView;
use crate::town::identity::{Address, SessionName};
use crate::town::lock::Lock;
use crate::town::{Rig, Town};

/// The prefix of a request's subject, in lower case.
const SUBJECT_PREFIX: &str = "lifecycle:";
/// The age from which a request is closed without an action.
const MAX_REQUEST_AGE: SignedDuration = SignedDuration::from_hours(6);

/// The requested action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LifecycleAction {
    Restart,
    Shutdown,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LifecycleRequest {
    pub message: String,
    pub from: String,
}

/// Returns the request in a message. None if there is none or it is invalid.
fn parse_request(message: &MailMessage) -> Option<LifecycleAction> {
    let subject = message.subject.to_lowercase();
    if message.read || !subject.starts_with(SUBJECT_PREFIX) {
        return None;
    }
    let body = message.body.trim().to_lowercase();
    let parsed: Option<Value> = serde_json::from_str(&body).ok();
    let json = parsed
        .as_ref()
        .and_then(|value| value.get("action")?.as_str());
    let plain = body
        .strip_prefix("action:")
        .map_or(body.as_str(), str::trim);
    match json.unwrap_or(plain) {
        "cycle" | "restart" => Some(LifecycleAction::Restart),
        "shutdown" | "stop" => Some(LifecycleAction::Shutdown),
        _ => None,
    }
}

/// Reads the facts.
pub(super) fn facts(view: &TownView) -> Vec<LifecycleRequest> {
    let inbox = mail::list_inbox(&view.stores.town, &Address::Deacon.mailbox());
    inbox
        .into_iter()
        .filter(|message| parse_request(message).is_some())
        .map(|message| LifecycleRequest {
            message: message.id,
            from: message.from,
        })
        .collect()
}

/// D3: each request is carried out once.
pub(super) fn decide(facts: &[LifecycleRequest]) -> Vec<Decision> {
    facts
        .iter()
        .map(|request| Decision {
            rule: rule::D3_LIFECYCLE_REQUEST,
            saw: format!("{} asks by mail ({})", request.from, request.message),
            action: Action::Lifecycle {
                message: request.message.clone(),
            },
        })
        .collect()
}

/// Closes the message of a request and carries the request out.
pub(super) fn carry_out_request(town: &LiveTown, id: &str) -> anyhow::Result<Option<String>> {
    let claim = Lock::try_take(&town.layout.requests_lock())?;
    let beads = town.open_town_store()?.snapshot()?;
    let Ok(message) = mail::find_message(&beads, &Address::Deacon.mailbox(), id) else {
        return Ok(None);
    };
    let Some(asked) = parse_request(&message).filter(|_| !message.archived) else {
        return Ok(None);
    };
    mail::remove_handled_messages(
        town,
        std::slice::from_ref(&message.id),
        MailRemoval::Deleted,
    )?;
    drop(claim);
    let sent: Option<Timestamp> = message.timestamp.parse().ok();
    let is_old = sent.is_none_or(|at| town.clock.now().duration_since(at) > MAX_REQUEST_AGE);
    if is_old {
        let from = &message.from;
        return Ok(Some(format!(
            "the request of {from} is too old and was closed"
        )));
    }
    let rigs = town.list_rigs()?;
    let agent = parse_sender(town, &message.from, &rigs)?;
    apply_to_agent(town, &agent, asked).map(Some)
}

/// Returns the agent of a sender's text: an address, or one of the forms `<rig>-witness`,
/// `<rig>-polecat-<name>`.
fn parse_sender(town: &Town, text: &str, rigs: &[Rig]) -> anyhow::Result<Address> {
    let given = town.parse_address(text);
    if given.is_ok() || text.contains('/') {
        return given;
    }
    let names = rigs.iter().map(|rig| rig.name());
    match SessionName::parse_address(&format!("gt-{text}"), names) {
        Some(Address::Polecat(rig, name)) => match name.strip_prefix("polecat-") {
            Some(name) => Ok(Address::Polecat(rig, name.to_owned())),
            None => given,
        },
        Some(address) => Ok(address),
        None => given,
    }
}

fn apply_to_agent(
    town: &LiveTown,
    agent: &Address,
    asked: LifecycleAction,
) -> anyhow::Result<String> {
    match (agent, asked) {
        (Address::Overseer | Address::Dog(_), _) => {
            anyhow::bail!("{agent} is not restarted or stopped by mail")
        }
        (Address::Polecat(rig, name), LifecycleAction::Restart) => {
            let rig = town.find_rig(rig)?;
            check_worker_start(&rig, name)?;
            let why = RestartCause::NoProgress("it asked for a restart");
            let started = start::restart_session(town, &rig, name, why)?;
            Ok(started.map_or_else(
                || format!("{agent} has no work, so it has no session"),
                |session| format!("session {session} restarted"),
            ))
        }
        (Address::Polecat(..), LifecycleAction::Shutdown) => {
            anyhow::bail!("{agent} is a worker: it ends with `gt done`")
        }
        (Address::Crew(rig, name), asked) => {
            let ran = crew::stop_member(town, &town.find_rig(rig)?, name)?;
            if asked == LifecycleAction::Restart {
                let live =
                    session::start::start_agent_session(town, agent, SessionChoice::default())?;
                return Ok(format!("session {} restarted", live.name));
            }
            Ok(describe_stop(agent, ran))
        }
        (_, LifecycleAction::Restart) => {
            let (_, live) = role::restart_role(town, agent, None)?;
            Ok(format!("session {} restarted", live.name))
        }
        (_, LifecycleAction::Shutdown) => Ok(describe_stop(agent, role::stop_role(town, agent)?)),
    }
}

fn describe_stop(agent: &Address, ran: bool) -> String {
    if ran {
        format!("{agent} has stopped")
    } else {
        format!("{agent} was not running")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::mail::NewMessage;
    use crate::record::progress::ActivityCache;
    use crate::testing::TestTown;

    /// A town with a message to the deacon; gives what it asks for and what the patrol would do.
    fn asked(place: &TestTown, from: &str, subject: &str, body: &str) -> Vec<LifecycleRequest> {
        let message = NewMessage {
            to: "deacon/".to_owned(),
            from: from.to_owned(),
            subject: subject.to_owned(),
            body: body.to_owned(),
            ..NewMessage::default()
        };
        mail::send_message(&place.town, &message).unwrap();
        facts(&TownView::read_idle(&place.town, &ActivityCache::default()).unwrap())
    }

    #[test]
    fn lifecycle_requests_are_recognized_by_subject_and_parsed_from_the_body() {
        for (subject, body, is_request) in [
            ("LIFECYCLE: please", "restart", true),
            ("lifecycle:x", "{\"action\": \"cycle\"}", true),
            ("Lifecycle: x", "action: shutdown\n", true),
            ("lifecycle: x", "Stop", true),
            ("lifecycle: restart", "please", false),
            ("about the lifecycle: x", "restart", false),
        ] {
            let place = TestTown::new();
            let found = asked(&place, "mayor/", subject, body);
            assert_eq!(found.len() == 1, is_request, "{subject} {body}");
        }
    }

    #[test]
    fn a_request_is_executed_once_for_any_form_of_its_senders_name() {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let settings = r#"{"default_agent":"x","agents":{"x":{"command":"sleep","prompt_mode":"none"}},
            "patrol":{"mode":{"witness":"agent"}}}"#;
        std::fs::write(place.town.layout.settings(), settings).unwrap();
        let running = || place.host.state().live.len();
        for (from, body, expected) in [
            ("web-witness", "restart", 1),
            ("web/witness", "stop", 0),
            ("mayor/", "cycle", 1),
            ("mayor", "shutdown", 0),
        ] {
            let found = asked(&place, from, "LIFECYCLE: x", body);
            let id = &found[0].message;
            assert!(
                carry_out_request(&place.town, id).unwrap().is_some(),
                "{from}"
            );
            assert_eq!(running(), expected, "{from} {body}");
            assert_eq!(carry_out_request(&place.town, id).unwrap(), None);
            assert_eq!(
                facts(&TownView::read_idle(&place.town, &ActivityCache::default()).unwrap()),
                []
            );
        }
        let found = asked(&place, "web-polecat-nux", "LIFECYCLE: x", "stop");
        let refused = carry_out_request(&place.town, &found[0].message).unwrap_err();
        assert!(refused.to_string().contains("web/polecats/nux is a worker"));
    }
}
