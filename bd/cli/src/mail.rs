use serde_json::Value;

use crate::context::Context;
use kit::cli::report::{CommandResult, build_report_with_exit};
use kit::failure::UsageError;
use kit::sys::exec::ChildCommand;

/// Run the mail command of this project
///
/// The command is BEADS_MAIL_DELEGATE, BD_MAIL_DELEGATE or the setting `mail.delegate` of your own
/// ~/.config/bd/config.yaml. A project's setting may only be `gt mail`. All arguments are passed on
/// unchanged, and the exit code is that of the mail command.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The arguments of the mail command
    #[arg(
        value_name = "ARGUMENT",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    rest: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let variables = ["BEADS_MAIL_DELEGATE", "BD_MAIL_DELEGATE"];
    let named = variables.iter().find_map(|name| ctx.env.get(name));
    let command = match named {
        Some(command) => Some(command.to_owned()),
        None => ctx.config.get("mail.delegate"),
    };
    let words: Vec<&str> = command
        .iter()
        .flat_map(|text| text.split_whitespace())
        .collect();
    let Some((program, words)) = words.split_first() else {
        return Err(match ctx.config.find_ignored_command("mail.delegate") {
            Some(ignored) => UsageError(ignored.to_string()),
            None => UsageError(
                "no mail command is set; set one: bd config set mail.delegate 'gt mail'".into(),
            ),
        }
        .into());
    };
    let run = ChildCommand::new(program).args(words).args(&args.rest);
    let status = run.cwd(ctx.env.cwd()).run_attached()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    build_report_with_exit(code.unwrap_or(1), Value::Null, |_, _| {})
}
