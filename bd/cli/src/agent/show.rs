use serde_json::json;

use crate::context::Context;
use bd::bead::Kind;
use bd::change::{AGENT_LABEL, ChangeError};
use kit::cli::report::{CommandResult, TextReport};
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
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let label = |name: &str| {
        let labels = agent.labels.iter();
        let mut values = labels.filter_map(|label| label.strip_prefix(name)?.strip_prefix(':'));
        values.next().map(str::to_owned)
    };
    let role_type = some(&agent.role_type).or_else(|| label("role_type"));
    let rig = some(&agent.rig).or_else(|| label("rig"));
    let [state, hook, role] =
        [&agent.agent_state, &agent.hook_bead, &agent.role_bead].map(|text| some(text));
    let value = json!({
        "id": agent.id,
        "title": agent.title,
        "agent_state": state,
        "last_activity": agent.last_activity,
        "hook_bead": hook,
        "role_bead": role,
        "role_type": role_type,
        "rig": rig,
    });
    let last = agent
        .last_activity
        .as_ref()
        .map(|at| at.as_str().to_owned());
    let shown = |text: Option<String>| {
        text.map_or_else(|| "-".to_owned(), |text| escape::escape_line(&text))
    };
    let lines = vec![
        format!("{}: {}", agent.id, escape::escape_line(&agent.title)),
        format!("  State:         {}", shown(state)),
        format!("  Last activity: {}", shown(last)),
        format!("  Hook:          {}", shown(hook)),
        format!("  Role:          {} ({})", shown(role_type), shown(role)),
        format!("  Rig:           {}", shown(rig)),
    ];
    TextReport::lines(value, lines).into_answer()
}
