use crate::context::Context;
use bd::bead::{Bead, Kind, Stamp};
use bd::change::{AGENT_LABEL, ChangeError};
use kit::cli::report::{CommandResult, build_report};
use kit::ui::escape;

/// Show the reported state of an agent
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The agent
    #[arg(value_name = "AGENT")]
    one: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = ctx.store_for_id(&args.one)?.snapshot()?;
    let agent = snapshot.resolve(&args.one)?;
    if agent.issue_type != Kind::Agent && !agent.has_label(AGENT_LABEL) {
        return Err(ChangeError::NoAgent(agent.id.clone()).into());
    }
    let report = kit::report_value! {
        id: agent.id.clone(),
        title: agent.title.clone(),
        agent_state: non_empty(&agent.agent_state),
        last_activity: agent.last_activity.clone(),
        hook_bead: non_empty(&agent.hook_bead),
        role_bead: non_empty(&agent.role_bead),
        role_type: non_empty(&agent.role_type).or_else(|| find_label_value(agent, "role_type")),
        rig: non_empty(&agent.rig).or_else(|| find_label_value(agent, "rig"))
    };
    build_report(report, |agent, page| {
        let last_activity = agent.last_activity.as_ref().map_or("-", Stamp::as_str);
        let title = escape::escape_line(&agent.title);
        let [state, hook, role, role_bead, rig] = [
            &agent.agent_state,
            &agent.hook_bead,
            &agent.role_type,
            &agent.role_bead,
            &agent.rig,
        ]
        .map(|text| text.as_deref().map_or("-".into(), escape::escape_line));
        page.line(format!("{}: {title}", agent.id));
        page.line(format!("  State:         {state}"));
        page.line(format!("  Last activity: {last_activity}"));
        page.line(format!("  Hook:          {hook}"));
        page.line(format!("  Role:          {role} ({role_bead})"));
        page.line(format!("  Rig:           {rig}"));
    })
}

fn non_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns the value of the first label `NAME:VALUE`.
fn find_label_value(bead: &Bead, name: &str) -> Option<String> {
    bead.labels
        .iter()
        .find_map(|label| Some(label.strip_prefix(name)?.strip_prefix(':')?.to_owned()))
}
