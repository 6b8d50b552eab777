use crate::context::Context;
use bd::config;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::escape;

/// Keep a note for later sessions
///
/// `bd memories` lists all notes, `bd recall KEY` prints one, `bd forget KEY` removes it. A note is
/// the setting `kv.memory.KEY` of `config.yaml`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The note
    #[arg(required = true, value_name = "TEXT")]
    words: Vec<String>,
    /// The key (default: the first words)
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
}

/// Returns the name of the setting that holds a memory.
pub(super) fn memory_setting(key: &str) -> String {
    format!("kv.memory.{}", build_slug(key, usize::MAX))
}

/// Joins the first words of a text with hyphens.
fn build_slug(text: &str, count: usize) -> String {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .take(count)
        .map(str::to_lowercase)
        .collect::<Vec<_>>()
        .join("-")
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("remember")?;
    let text = args.words.join(" ");
    let key = match &args.key {
        Some(key) => build_slug(key, usize::MAX),
        None => build_slug(&text, 8),
    };
    if key.is_empty() || text.trim().is_empty() {
        kit::bail_usage!("a note needs some words: bd remember TEXT");
    }
    let name = memory_setting(&key);
    let is_known = ctx.config.get(&name).is_some();
    config::set_setting(ctx.store()?.dir(), &name, &text)?;
    let action = if is_known { "updated" } else { "remembered" };
    build_report(
        kit::report_value! { key, value: text, action },
        move |note, page| {
            let word = if is_known { "Updated" } else { "Remembered" };
            page.line(format!(
                "{word} [{}]: {}",
                note.key,
                escape::escape_line(&note.value)
            ));
        },
    )
}
