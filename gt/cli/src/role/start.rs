//! `gt mayor start`, `gt deacon start`, …

use super::{CommandResult, RoleSelector, build_report, command_of};
use crate::context::Context;
use gt::flow::agent::role;
use gt::host::runtime;

/// Start the session of this agent
///
/// A session that runs already is left alone. A role in mechanical mode has no session: the error
/// names the setting. With `--json` {session, needs_person}: the question on its screen that only
/// the user may answer, or null.
#[derive(Debug, clap::Args)]
pub(crate) struct Args<W: RoleSelector> {
    #[command(flatten)]
    which: W,
    /// Use this agent runtime instead of the configured one
    #[arg(long)]
    agent: Option<String>,
}

pub(crate) fn run<W: RoleSelector>(ctx: &Context, args: Args<W>) -> CommandResult {
    let town = ctx.open_town()?;
    let agent = args.which.address(ctx, &town)?;
    let live = role::start_role(&town, &agent, args.agent.as_deref())?;
    let rig = agent.rig().map(|rig| town.rig(rig));
    let runtime = runtime::resolve_runtime(&town, rig.as_ref(), &agent, args.agent.as_deref());
    let is_scripted = runtime.is_ok_and(|runtime| runtime.preset.is_scripted());
    let question = runtime::find_agent_question(&town, &agent);
    let data = serde_json::json!({ "session": live.name, "needs_person": question });
    build_report(data, move |_, page| {
        if is_scripted {
            page.line(format!(
                "● the script of {agent} was started in session {}, which ends with it",
                live.name
            ));
        } else {
            page.line(format!("● {agent} runs in session {}", live.name));
        }
        if let Some(question) = &question {
            let question = kit::ui::escape::escape_line(question);
            page.line(format!("  and asks you about: {question}"));
        }
        page.line(format!("  → {}", command_of(&agent, "attach")));
    })
}
