use crate::context::Context;
use bd::config::key;
use kit::cli::report::{CommandResult, build_report};
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

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.project()?;
    let setting = ctx.config.setting(&args.key);
    let stored = key::is_yaml_only(&key::canonicalize_name(&args.key));
    let report = kit::report_value! {
        key: args.key,
        value: setting.as_ref().map_or_else(String::new, |setting| setting.value.clone());
        location: stored.then_some("config.yaml"),
        origin: setting.map(|setting| setting.source.as_str())
    };
    let show_origin = args.show_origin;
    build_report(report, move |setting, page| {
        let shown = escape::escape_line(&setting.value);
        page.line(match (setting.origin, setting.location) {
            (None, Some(file)) => format!("{} (not set in {file})", setting.key),
            (None, None) => format!("{} (not set)", setting.key),
            (Some(origin), _) if show_origin => format!("{shown} ({origin})"),
            (Some(_), _) => shown,
        });
    })
}
