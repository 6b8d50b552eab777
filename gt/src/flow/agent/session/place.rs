//! Prepares the place of an agent's session before it starts: its desk and its jail.
//!
//! Only the sessions of polecats run in a jail. If a jail is required and the machine cannot build
//! one, the failure is one of the rig's desk: no worker starts there, and the user gets one message.

use std::path::Path;

use kit::sys::file;

use crate::flow::place::desk::{
    DeskError, DeskRequest, DeskVariables, DeskWork, build_jail_failure, prepare_desk,
};
use crate::flow::place::engine;
use crate::flow::place::host::check_far_jail;
use crate::flow::place::sandbox::{Sandbox, open_far_host, save_copy};
use crate::host::SessionJail;
use crate::host::far::host_of_place;
use crate::host::jail::session_plan::{
    JailedSession, SessionBackend, choose_session_backend, renew_session_folder,
};
use crate::host::jail::{JailRefusal, describe_backend};
use crate::host::runtime::{self, AgentRuntime};
use crate::record::desk::JAIL_SETTING;
use crate::record::polecat::Slot;
use crate::town::Rig;
use crate::town::config::{self, JailMode, NetworkAccess, RigSettings};
use crate::town::event::event;
use crate::town::identity::Address;

/// Prepares the desk and the private folder of a polecat whose processes have ended.
pub(super) fn prepare_polecat_place(
    rig: &Rig,
    address: &Address,
    slot: &Slot,
    work: DeskWork,
) -> anyhow::Result<DeskVariables> {
    let name = address.name().unwrap_or("");
    if let Some(host) = &slot.host_name {
        return prepare_far_place(rig, name, slot, host, work);
    }
    let tree = rig.sandbox(name);
    if work == DeskWork::Continued {
        Sandbox::new(rig, name).drop_stale_locks()?;
    }
    let request = DeskRequest {
        tree: &tree,
        owner: name,
        target: &slot.target,
        work,
    };
    let variables = prepare_desk(rig, request)?;
    let settings = RigSettings::load(rig)?.sandbox.jail(rig)?;
    // An agent that cannot be started is reported by the start.
    let Ok(runtime) =
        runtime::resolve_runtime(rig.town(), Some(rig), address, slot.agent.as_deref())
    else {
        return Ok(variables);
    };
    if let Err(refusal) = choose_session_backend(&rig.town().env, &settings, &runtime) {
        let setting = match settings.mode {
            JailMode::Required => JAIL_SETTING.to_owned(),
            _ => format!("agents.{}.jail", runtime.name),
        };
        return Err(refuse_start(rig, &tree, &setting, &refusal)?.into());
    }
    if work == DeskWork::New {
        renew_session_folder(rig, name)?;
    }
    Ok(variables)
}

/// Prepares the place of a polecat on another machine.
fn prepare_far_place(
    rig: &Rig,
    name: &str,
    slot: &Slot,
    host: &str,
    work: DeskWork,
) -> anyhow::Result<DeskVariables> {
    check_far_jail(rig)?;
    let note = format!("none: it runs on host {host}");
    let path = rig.session_jail_note(name);
    file::create_folder(&rig.session_jails(), 0o700)?;
    file::replace_file_relaxed(&path, note.as_bytes(), 0o600)?;
    let town = rig.town();
    let is_new = work == DeskWork::New;
    let is_place = host_of_place(host).is_some();
    if is_place && (is_new || engine::is_place_lost(town, host)?) {
        engine::make_place_for_work(rig, name, host)?;
    } else if !is_new {
        open_far_host(town, host)?;
        return Ok(DeskVariables::new());
    }
    let files = if is_new {
        None
    } else {
        save_copy(rig, name, slot)?.map(|saved| saved.commit)
    };
    let far = open_far_host(town, host)?;
    Sandbox::new(rig, name).give_to(&far, slot, files)?;
    if is_place {
        engine::mark_place_given(town, host)?;
    }
    Ok(DeskVariables::new())
}

/// Makes it a failure of the rig that the jail of its sessions cannot be built.
fn refuse_start(
    rig: &Rig,
    tree: &Path,
    setting: &str,
    refusal: &JailRefusal,
) -> anyhow::Result<DeskError> {
    let failure = build_jail_failure(rig, tree, setting, &refusal.to_string())?;
    failure.save(rig)?;
    Ok(DeskError::failed(rig, failure))
}

/// Prepares the desk of a crew member. Other agents have no tree to work in.
pub(super) fn prepare_crew_desk(
    rig: Option<&Rig>,
    address: &Address,
) -> anyhow::Result<DeskVariables> {
    let (Some(rig), Address::Crew(_, name)) = (rig, address) else {
        return Ok(DeskVariables::new());
    };
    let request = DeskRequest {
        tree: &rig.crew(name),
        owner: name,
        target: &config::target_branch_of(rig)?,
        work: DeskWork::Crew,
    };
    Ok(prepare_desk(rig, request)?)
}

/// The command line and the patterns of the inherited variables of a session.
#[derive(Clone, Copy)]
pub(super) struct SessionCommand<'a> {
    pub(super) session: &'a str,
    pub(super) argv: &'a [String],
    pub(super) pass: &'a [String],
}

/// Prepares the jail of a session. `env` gets the variables that lead the agent to its private
/// folder. Records which jail it is, for the user.
pub(super) fn prepare_jail(
    rig: Option<&Rig>,
    address: &Address,
    runtime: &AgentRuntime,
    command: SessionCommand<'_>,
    env: &mut Vec<(String, String)>,
) -> anyhow::Result<Option<SessionJail>> {
    let (Some(rig), Address::Polecat(_, name)) = (rig, address) else {
        return Ok(None);
    };
    let settings = RigSettings::load(rig)?.sandbox.jail(rig)?;
    let backend = choose_session_backend(&rig.town().env, &settings, runtime)?;
    let note = rig.session_jail_note(name);
    let (jail, text) = match backend {
        SessionBackend::Unwanted => {
            file::remove_file(&note)?;
            return Ok(None);
        }
        SessionBackend::Missing(reason) => {
            rig.town().record_event(&event!(SessionWithoutJail,
                session: command.session, why: reason,
            ));
            (None, format!("none: {reason}"))
        }
        SessionBackend::Works(backend) => {
            let session = JailedSession {
                rig,
                settings: &settings,
                worker: name,
                runtime,
                argv: command.argv,
                pass: command.pass,
            };
            let jail = session.prepare(backend, env)?;
            let text = describe_backend(backend, jail.network != NetworkAccess::Full);
            (Some(jail), text)
        }
    };
    file::replace_file_relaxed(&note, text.as_bytes(), 0o600)?;
    Ok(jail)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::host::jail::forget_backends;
    use crate::record::desk::find_desk_failure;
    use crate::testing::TestTown;
    use crate::town::config::SettingsLayers;

    /// Prepares the place of a worker on a machine without a jail. Returns the error and the failure
    /// of the rig.
    fn prepare_without_backend(rig_mode: &str, program_mode: &str) -> (Option<String>, TestTown) {
        let mut place = TestTown::new();
        let url = place.create_origin(&[("README", "x\n")]);
        place.add_rig("web", Some(&url)).unwrap();
        let path = format!("/usr/bin:/bin:/no-session-jail-{rig_mode}-{program_mode}");
        forget_backends(&path, "bubblewrap: not installed");
        let env = place.town.town.env.clone();
        place.town.town.env = env.with_var("PATH", &path);
        let agents = json!({"mine": {"command": "sh", "jail": program_mode}});
        let settings = json!({"agents": agents, "default_agent": "mine"});
        std::fs::write(place.town.layout.settings(), settings.to_string()).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        let settings = json!({"sandbox": {"jail": rig_mode}});
        std::fs::write(rig.settings(), settings.to_string()).unwrap();
        let address = Address::Polecat("web".to_owned(), "nux".to_owned());
        let slot = Slot {
            target: "main".to_owned(),
            ..Slot::default()
        };
        let prepared = prepare_polecat_place(&rig, &address, &slot, DeskWork::New);
        let error = prepared.err().map(|error| error.to_string());
        drop(rig);
        (error, place)
    }

    #[test]
    fn a_required_jail_that_cannot_be_built_is_one_failure_of_the_rig() {
        for (rig_mode, program_mode, is_refused) in [
            ("off", "off", false),
            ("on", "on", false),
            ("required", "off", true),
            ("off", "required", true),
        ] {
            let (error, place) = prepare_without_backend(rig_mode, program_mode);
            let rig = place.town.find_rig("web").unwrap();
            let layers = SettingsLayers::load(&place.town, Some(&rig)).unwrap();
            let failure = find_desk_failure(&rig, &layers);
            assert_eq!(error.is_some(), is_refused, "{rig_mode} {error:?}");
            assert_eq!(failure.is_some(), is_refused, "{rig_mode}");
            let (Some(error), Some(failure)) = (error, failure) else {
                continue;
            };
            assert!(error.contains("bubblewrap: not installed"), "{error}");
            assert_eq!(failure.next_steps("web")[0], "gt doctor jail");
            if rig_mode == "required" {
                std::fs::write(rig.settings(), "{}").unwrap();
                let layers = SettingsLayers::load(&place.town, Some(&rig)).unwrap();
                assert_eq!(find_desk_failure(&rig, &layers), None);
            }
        }
    }
}
