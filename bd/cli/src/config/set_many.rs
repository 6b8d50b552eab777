use crate::context::Context;
use bd::config;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::escape;

/// Change several settings in `config.yaml`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The settings and their values
    #[arg(required = true, value_name = "KEY=VALUE")]
    pairs: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("config set-many")?;
    let mut pairs = Vec::new();
    for pair in &args.pairs {
        let Some((key, value)) = pair.split_once('=') else {
            kit::bail_usage!("{pair:?} is not KEY=VALUE; nothing was set");
        };
        pairs.push((key, value));
    }
    config::set_all(ctx.store()?.dir(), &pairs)?;
    let settings: Vec<_> = pairs
        .into_iter()
        .map(|(key, value)| kit::report_value! { key: key.to_owned(), value: value.to_owned() })
        .collect();
    build_report(settings, |settings, page| {
        for setting in settings {
            let value = escape::escape_line(&setting.value);
            page.line(format!("Set {} = {value}", setting.key));
        }
    })
}
