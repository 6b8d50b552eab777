use serde_json::json;

use crate::context::Context;
use bd::config::key;
use kit::cli::report::{CommandResult, TextReport};
use kit::ui::escape;

/// Print a setting
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The setting
    #[arg(value_name = "KEY")]
    key: String,
    /// Also print the origin of the value
    #[arg(long)]
    show_origin: bool,
}

pub(super) fn run(ctx: &Context, args: &Args) -> CommandResult {
    ctx.project()?;
    let setting = ctx.config.setting(&args.key);
    let stored = key::is_yaml_only(&key::canonicalize_name(&args.key));
    let mut value = json!({"key": args.key, "value": setting.as_ref().map_or("", |setting| setting.value.as_str())});
    if stored {
        value["location"] = json!("config.yaml");
    }
    let line = match &setting {
        None if stored => format!("{} (not set in config.yaml)", args.key),
        None => format!("{} (not set)", args.key),
        Some(setting) => {
            value["origin"] = json!(setting.source.as_str());
            let shown = escape::escape_line(&setting.value);
            if args.show_origin {
                format!("{shown} ({})", setting.source.as_str())
            } else {
                shown
            }
        }
    };
    TextReport::new(value, line).into_answer()
}
