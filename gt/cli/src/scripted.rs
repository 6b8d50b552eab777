//! `gt scripted`: an agent without a model, for demos and tests.

use std::path::PathBuf;

use anyhow::Context as _;
use kit::gateway::ADDRESS_VARIABLE;
use kit::ui::{Page, Report, escape};
use serde_json::{Value, json};

use super::CommandResult;
use crate::context::Context;
use gt::flow::work::prime::{self, StartedSession};
use gt::host::is_session_name;
use gt::host::runtime::scripted::{self, ScriptedOutcome, ScriptedRequest};
use gt::record::hook;

/// Work on your hook with a script instead of a model
///
/// The script runs in the working directory with `GT_BEAD`, `GT_BEAD_TITLE`,
/// `GT_BEAD_DESCRIPTION_FILE`, `GT_PRIME_FILE` (what `gt prime --json` printed) and
/// `GT_SUMMARY_FILE` (write a summary there) in its environment. Its changes are committed and
/// handed in with `gt done`. To make it an agent, name it under `agents` in the town's or a rig's
/// `settings/config.json`: `{ "default_agent": "robot", "agents": { "robot": { "provider":
/// "scripted", "args": ["scripted", "--script", "/PATH"] } } }`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The script, an executable file
    #[arg(long, value_name = "PATH", env = "GT_SCRIPT")]
    script: PathBuf,
}

#[derive(Debug)]
struct ScriptReport {
    outcome: ScriptedOutcome,
    /// True if `gt done` waits for the town on this machine.
    is_kept: bool,
}

impl Report for ScriptReport {
    fn json(&self) -> Value {
        match &self.outcome {
            ScriptedOutcome::NoWork => json!({"outcome": "no_work"}),
            ScriptedOutcome::Done { bead } if self.is_kept => {
                json!({"outcome": "kept", "bead": bead})
            }
            ScriptedOutcome::Done { bead } => json!({"outcome": "done", "bead": bead}),
        }
    }

    fn human(&self, page: &mut Page) {
        match &self.outcome {
            ScriptedOutcome::NoWork => {}
            ScriptedOutcome::Done { bead } if self.is_kept => {
                page.line(format!(
                    "{bead} is kept here until the town can be reached."
                ));
            }
            ScriptedOutcome::Done { bead } => page.line(format!("{bead} is handed in.")),
        }
    }
}

/// Records the start of the session, as the hooks of other agents do. A failed record must not
/// block the work.
fn record_start(ctx: &Context) {
    let (Ok(town), Some(session)) = (ctx.open_town(), ctx.env.get("GT_SESSION")) else {
        return;
    };
    let Ok(stores) = town.read_stores() else {
        return;
    };
    let slot = hook::slot_of(&town, &stores, &town.actor);
    let bead = hook::hooked_bead_of(&stores, &town.actor, &slot);
    let id = format!("{session}-{}", town.random.base32(8));
    let begun = StartedSession {
        id: &id,
        source: "startup",
        bead: bead.map_or("", |bead| bead.id.as_str()),
        transcript: "",
    };
    prime::record_session_start(&town, begun);
}

pub(crate) fn run(ctx: &Context, args: Args) -> CommandResult {
    let exe = kit::sys::env::current_exe().context("cannot find our own program")?;
    let script = ctx.env.make_absolute(&args.script.to_string_lossy());
    anyhow::ensure!(
        script.is_file(),
        "there is no script {} (the agent's args in the settings name it)",
        script.display()
    );
    record_start(ctx);
    // The next session of the same name recreates the session's folder, however this one ends. In a
    // jail the folder for temporary files is the session's own.
    let is_jailed = ctx.env.get(ADDRESS_VARIABLE).is_some();
    let folder = ctx
        .env
        .get("GT_SESSION")
        .filter(|name| is_session_name(name) && !is_jailed)
        .and_then(|name| Some(ctx.open_town().ok()?.layout.scripted(name)));
    let request = ScriptedRequest {
        script: &script,
        cwd: ctx.env.cwd(),
        exe: &exe,
        folder: folder.as_deref(),
    };
    let outcome = scripted::run_scripted(&request, &|line| {
        ctx.ui.status(&escape::escape_line(line));
    })?;
    Ok(Box::new(ScriptReport {
        outcome,
        is_kept: scripted::has_kept_call(&ctx.env),
    }))
}
