use serde_json::json;

use crate::context::Context;
use bd::query::filter;
use kit::ui::escape;

use kit::cli::report::{CommandResult, TextReport};

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
    let lines = match (all.is_empty(), &args.text) {
        (true, Some(text)) => vec![format!("No memories match {text:?}")],
        (true, None) => vec!["No memories yet: bd remember TEXT keeps one".to_owned()],
        _ => all
            .iter()
            .map(|(key, value)| format!("[{key}] {}", escape::escape_line(value)))
            .collect(),
    };
    TextReport::lines(json!(all), lines).into_answer()
}
