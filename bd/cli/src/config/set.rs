use crate::context::Context;
use bd::config::{self, key};
use kit::cli::report::{CommandResult, build_report};
use kit::ui::escape;

/// Change a setting in `config.yaml`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The setting
    #[arg(value_name = "KEY")]
    key: String,
    /// The value
    #[arg(value_name = "VALUE", allow_hyphen_values = true)]
    value: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("config set")?;
    let store = ctx.store()?;
    let value = remove_unset_marker(&args.key, &args.value);
    config::set_setting(store.dir(), &args.key, &value)?;
    let is_yaml_only = key::is_yaml_only(&key::canonicalize_name(&args.key));
    let report = kit::report_value! {
        key: args.key, value; location: is_yaml_only.then_some("config.yaml")
    };
    build_report(report, |setting, page| {
        let value = escape::escape_line(&setting.value);
        let place = setting
            .location
            .map_or(String::new(), |file| format!(" (in {file})"));
        page.line(format!("Set {} = {value}{place}", setting.key));
    })
}

/// Removes the entry "… (not set)" from a list. Older clients read that text of an unset list as an
/// entry and write it back.
fn remove_unset_marker(key: &str, value: &str) -> String {
    if !key.ends_with(".custom") {
        return value.to_owned();
    }
    value
        .split(',')
        .filter(|word| !word.trim_end().ends_with("(not set)"))
        .collect::<Vec<_>>()
        .join(",")
}
