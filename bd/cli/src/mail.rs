use serde_json::Value;

use std::path::Path;

use crate::context::Context;
use bd::config::SettingSource;
use bd::git::Git;
use kit::failure::UsageError;
use kit::sys::exec::ChildCommand;

use kit::cli::report::{CommandResult, build_report_with_exit};

/// Run the mail command of this project
///
/// The command is BEADS_MAIL_DELEGATE, BD_MAIL_DELEGATE or the setting `mail.delegate`, such as `gt
/// mail`. All arguments are passed on unchanged, and the exit code is that of the mail command.
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

/// Returns the setting. A command that comes with the repository does not run, except `gt mail`.
fn read_delegate(ctx: &Context) -> anyhow::Result<Option<String>> {
    let Some(setting) = ctx.config.setting("mail.delegate") else {
        return Ok(None);
    };
    let file = match setting.source {
        SettingSource::File => "config.yaml",
        SettingSource::Local => "config.local.yaml",
        _ => return Ok(Some(setting.value)),
    };
    let dir = ctx.project().map(|found| found.dir.clone());
    let is_tracked = |dir: &Path| {
        let tracked = Git::at(dir).tracked(&[file]);
        tracked.is_ok_and(|paths| !paths.is_empty())
    };
    if setting.value.trim() != "gt mail" && dir.is_ok_and(|dir| is_tracked(&dir)) {
        return Err(UsageError(format!(
            "mail.delegate is in {file}, which comes with the repository, so it does not run; set BEADS_MAIL_DELEGATE to use it"
        ))
        .into());
    }
    Ok(Some(setting.value))
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let variables = ["BEADS_MAIL_DELEGATE", "BD_MAIL_DELEGATE"];
    let named = variables.iter().find_map(|name| ctx.env.get(name));
    let command = match named {
        Some(command) => Some(command.to_owned()),
        None => read_delegate(ctx)?,
    };
    let missing = || {
        UsageError("no mail command is set; set one: bd config set mail.delegate 'gt mail'".into())
    };
    let command = command.ok_or_else(missing)?;
    let mut words = command.split_whitespace();
    let program = words.next().ok_or_else(missing)?;
    let run = ChildCommand::new(program).args(words).args(&args.rest);
    let status = run.cwd(ctx.env.cwd()).run_attached()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    build_report_with_exit(code.unwrap_or(1), Value::Null, |_, _| {})
}
