//! Prepares the place of an agent's session before it starts: its desk and its jail.
//!
//! Only the sessions of polecats run in a jail. If a jail is required and the machine cannot build
//! one, the failure is one of the rig's desk: no worker starts there, and the user gets one message.

use std::path::Path;

use kit::sys::file;

use crate::flow::place::desk::{
    DeskError, DeskRequest, DeskVariables, DeskWork, build_jail_failure, prepare_desk,
};
use crate::flow::place::sandbox::Sandbox;
use crate::host::SessionJail;
use crate::host::jail::JailRefusal;
use crate::host::jail::session_plan::{
    JailedSession, SessionBackend, choose_session_backend, renew_session_folder,
};
use crate::host::runtime::{self, AgentRuntime};
use crate::record::desk::JAIL_SETTING;
use crate::record::polecat::Slot;
use crate::town::Rig;
use crate::town::config::{self, JailMode, RigSettings};
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
            (
                Some(session.prepare(backend, env)?),
                backend.name().to_owned(),
            )
        }
    };
    file::replace_file_relaxed(&note, text.as_bytes(), 0o600)?;
    Ok(jail)
}
