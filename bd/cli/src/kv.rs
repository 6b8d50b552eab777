use crate::context::Context;
use bd::config;
use kit::cli::report::{CommandResult, build_report, build_report_with_exit};
use kit::failure::UsageError;
use kit::ui::escape;

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
        kit::bail_usage!("key cannot be empty");
    }
    if let Some(start) = RESERVED_PREFIXES
        .iter()
        .find(|start| name.starts_with(**start))
    {
        kit::bail_usage!("key cannot begin with '{start}': it is reserved");
    }
    Ok(format!("kv.{name}"))
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let store = ctx.store()?;
    match args.verb {
        KvCommand::Set { name, value } => {
            ctx.check_writable("kv set")?;
            config::set_setting(store.dir(), &build_key(&name)?, &value)?;
            build_report(kit::report_value! { key: name, value }, |kept, page| {
                page.line(format!(
                    "Set {} = {}",
                    kept.key,
                    escape::escape_line(&kept.value)
                ));
            })
        }
        KvCommand::Get { name } => {
            let value = ctx.config.get(&build_key(&name)?);
            let kept = kit::report_value! {
                key: name, value: value.clone().unwrap_or_default(), found: value.is_some()
            };
            build_report_with_exit(u8::from(!kept.found), kept, |kept, page| {
                page.line(if kept.found {
                    escape::escape_block(&kept.value)
                } else {
                    format!("{} (not set)", kept.key)
                });
            })
        }
        KvCommand::Clear { name } => {
            ctx.check_writable("kv clear")?;
            config::unset_setting(store.dir(), &build_key(&name)?)?;
            let cleared = kit::report_value! { key: name, deleted: "true" };
            build_report(cleared, |cleared, page| {
                page.line(format!("Cleared {}", cleared.key));
            })
        }
        KvCommand::List {} => build_report(ctx.config.family("kv"), |all, page| {
            if all.is_empty() {
                page.line("No key-value pairs set");
            }
            for (name, value) in all {
                page.line(format!("{name} = {}", escape::escape_line(value)));
            }
        }),
    }
}
