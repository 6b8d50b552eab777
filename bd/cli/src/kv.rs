use serde_json::json;

use crate::context::Context;
use bd::config;
use kit::failure::UsageError;
use kit::ui::escape;

use kit::cli::report::{CommandResult, ExitReport, TextReport};

/// Store values under user-defined keys
///
/// They are the settings `kv.KEY` of `config.yaml`. Upper and lower case are the same.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: KvCommand,
}

#[derive(Debug, clap::Subcommand)]
enum KvCommand {
    /// Keep a value
    Set {
        /// The key
        #[arg(value_name = "KEY")]
        name: String,
        /// The value
        #[arg(value_name = "VALUE", allow_hyphen_values = true)]
        value: String,
    },
    /// Print a value; exits with 1 if there is none
    Get {
        /// The key
        #[arg(value_name = "KEY")]
        name: String,
    },
    /// Remove a value
    Clear {
        /// The key
        #[arg(value_name = "KEY")]
        name: String,
    },
    /// List all values
    List {},
}

/// The reserved prefixes of names, which are settings of other commands.
const RESERVED_PREFIXES: [&str; 7] = [
    "kv.",
    "sync.",
    "conflict.",
    "federation.",
    "jira.",
    "linear.",
    "export.",
];

fn build_key(name: &str) -> Result<String, UsageError> {
    let name = name.to_lowercase();
    if name.is_empty() {
        return Err(UsageError("key cannot be empty".into()));
    }
    if let Some(start) = RESERVED_PREFIXES
        .iter()
        .find(|start| name.starts_with(**start))
    {
        return Err(UsageError(format!(
            "key cannot begin with '{start}': it is reserved"
        )));
    }
    Ok(format!("kv.{name}"))
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let store = ctx.store()?;
    match args.verb {
        KvCommand::Set { name, value } => {
            ctx.check_writable("kv set")?;
            config::set_setting(store.dir(), &build_key(&name)?, &value)?;
            let line = format!("Set {name} = {}", escape::escape_line(&value));
            TextReport::new(json!({"key": name, "value": value}), line).into_answer()
        }
        KvCommand::Get { name } => {
            let value = ctx.config.get(&build_key(&name)?);
            let is_there = value.is_some();
            let json = json!({"key": name, "value": value.as_deref().unwrap_or_default(), "found": is_there});
            let line = match value {
                Some(value) => escape::escape_block(&value),
                None => format!("{name} (not set)"),
            };
            ExitReport::with(u8::from(!is_there), TextReport::new(json, line))
        }
        KvCommand::Clear { name } => {
            ctx.check_writable("kv clear")?;
            config::unset_setting(store.dir(), &build_key(&name)?)?;
            TextReport::new(
                json!({"key": name, "deleted": "true"}),
                format!("Cleared {name}"),
            )
            .into_answer()
        }
        KvCommand::List {} => {
            let all = ctx.config.family("kv");
            let shown = all
                .iter()
                .map(|(name, value)| format!("{name} = {}", escape::escape_line(value)));
            let mut lines: Vec<String> = shown.collect();
            if lines.is_empty() {
                lines.push("No key-value pairs set".to_owned());
            }
            TextReport::lines(json!(all), lines).into_answer()
        }
    }
}
