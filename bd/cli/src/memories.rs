use crate::context::Context;
use bd::query::filter;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::escape;

/// List the notes of `bd remember`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Filter by text
    #[arg(value_name = "TEXT")]
    text: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.store()?;
    let mut all = ctx.config.family("kv.memory");
    if let Some(text) = &args.text {
        all.retain(|key, value| {
            filter::contains_ignore_case(key, text) || filter::contains_ignore_case(value, text)
        });
    }
    build_report(all, move |all, page| {
        match &args.text {
            Some(text) if all.is_empty() => page.line(format!("No memories match {text:?}")),
            None if all.is_empty() => page.line("No memories yet: bd remember TEXT keeps one"),
            _ => {}
        }
        for (key, value) in all {
            page.line(format!("[{key}] {}", escape::escape_line(value)));
        }
    })
}
