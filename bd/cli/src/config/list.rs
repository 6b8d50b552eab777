use std::collections::{BTreeMap, BTreeSet};

use crate::context::Context;
use bd::config::key;
use kit::cli::report::{CommandResult, build_report};
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

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.project()?;
    let mut names: BTreeSet<String> = ctx.config.stored().into_keys().collect();
    if args.all {
        names.extend(key::KEYS.iter().map(|key| key.name.to_owned()));
    }
    let mut settings = BTreeMap::new();
    for name in names {
        let setting = ctx.config.setting(&name);
        let value = setting.map_or_else(String::new, |setting| setting.value);
        if args.all || !value.is_empty() {
            settings.insert(name, value);
        }
    }
    let config = ctx.config.clone();
    let show_origin = args.show_origin;
    let show_meaning = args.all;
    build_report(settings, move |settings, page| {
        page.line(if settings.is_empty() {
            "No configuration set"
        } else {
            "Configuration:"
        });
        for (name, value) in settings {
            let mut line = format!("  {name} = {}", escape::escape_line(value));
            if let (true, Some(setting)) = (show_origin, config.setting(name)) {
                line.push_str(&format!(" ({})", setting.source.as_str()));
            }
            if let (true, Some(key)) = (show_meaning, key::KEYS.iter().find(|key| key.name == name))
            {
                line.push_str(&format!("   # {}", key.meaning));
            }
            page.line(line);
        }
    })
}
