use serde_json::{Map, json};

use crate::context::Context;
use bd::config::key;
use kit::cli::report::{CommandResult, TextReport};
use kit::ui::escape;

/// List the settings of this project
///
/// --all adds built-in settings, with their meaning.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Also print the origin of each value
    #[arg(long)]
    show_origin: bool,
    /// List all settings
    #[arg(long)]
    all: bool,
}

pub(super) fn run(ctx: &Context, args: &Args) -> CommandResult {
    ctx.project()?;
    let mut names: Vec<String> = ctx.config.stored().into_keys().collect();
    if args.all {
        names.extend(key::KEYS.iter().map(|key| key.name.to_owned()));
    }
    names.sort();
    names.dedup();
    let mut object = Map::new();
    let mut lines = Vec::new();
    for name in &names {
        let setting = ctx.config.setting(name);
        let value = setting
            .as_ref()
            .map_or("", |setting| setting.value.as_str());
        if value.is_empty() && !args.all {
            continue;
        }
        object.insert(name.clone(), json!(value));
        let mut line = format!("  {name} = {}", escape::escape_line(value));
        if let (true, Some(setting)) = (args.show_origin, &setting) {
            line.push_str(&format!(" ({})", setting.source.as_str()));
        }
        if let (true, Some(key)) = (args.all, key::KEYS.iter().find(|key| key.name == name)) {
            line.push_str(&format!("   # {}", key.meaning));
        }
        lines.push(line);
    }
    let heading = if lines.is_empty() {
        "No configuration set"
    } else {
        "Configuration:"
    };
    lines.insert(0, heading.to_owned());
    TextReport::lines(object.into(), lines).into_answer()
}
