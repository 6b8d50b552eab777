//! `gt config agent set`.

use serde_json::json;

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::recorded_setting;
use gt::host::runtime::{self, RuntimePreset};
use gt::town::identity::is_name;

/// Define an agent by its command line
///
/// A command that a built-in agent runs, such as `claude --model opus` or `/opt/bin/claude`, keeps
/// that agent's prompts and hooks. With `--json` {name, agent}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name
    name: String,
    /// The program and its arguments: "claude --model opus"
    #[arg(required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    anyhow::ensure!(
        is_name(&args.name),
        "`{}` cannot be the name of an agent: use letters, digits, - and _",
        args.name
    );
    let words = match args.command.as_slice() {
        [line] => runtime::split_command_line(line)
            .ok_or_else(|| anyhow::anyhow!("`{line}` is no command line: a quote is open"))?,
        words => words.to_vec(),
    };
    let Some((program, rest)) = words.split_first() else {
        anyhow::bail!("give the command line of the agent");
    };
    let mut agent = json!({ "command": program, "args": rest });
    let base = RuntimePreset::of_command(program, rest);
    if let Some(base) = &base {
        // The arguments replace those of the built-in agent, which make it work unattended.
        let more = rest.strip_prefix(base.args.as_slice()).unwrap_or(rest);
        agent["provider"] = json!(base.name);
        agent["args"] = json!([base.args.as_slice(), more].concat());
    }
    let path = ctx.env.get("PATH");
    if which::which_in(program, path, ctx.env.cwd()).is_err() {
        ctx.ui.warn(&format!(
            "`{program}` is not installed or not on PATH: sessions of this agent cannot start until it is"
        ));
    }
    recorded_setting::change_agent(&town, &args.name, Some(agent.clone()))?;
    let kept = base.map_or_else(
        || "no built-in agent runs this program: it gets its work as text, and no hooks".to_owned(),
        |base| format!("with the prompts and hooks of {}", base.name),
    );
    let report = json!({ "name": args.name, "agent": agent });
    build_report(report, move |_, page| {
        page.line(format!("✓ agent {}", args.name));
        page.line(format!("  {kept}"));
        page.line("To use it for every session:");
        page.line(format!("  gt config set default_agent {}", args.name));
    })
}
