use super::super::args;
use crate::context::Context;
use bd::change::AuditEntry;
use kit::cli::report::{CommandResult, build_report};
use kit::failure::UsageError;

/// Append a record and print its id
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The kind of entry, such as `llm_call` or `tool_call`
    #[arg(long, value_name = "WORD", default_value = "", id = "what")]
    kind: String,
    /// The model
    #[arg(long, value_name = "MODEL", default_value = "")]
    model: String,
    /// The prompt
    #[arg(long, value_name = "TEXT", default_value = "")]
    prompt: String,
    /// The answer
    #[arg(long, value_name = "TEXT", default_value = "")]
    response: String,
    /// The bead
    #[arg(long = "issue-id", value_name = "ID", default_value = "")]
    id: String,
    /// The tool
    #[arg(long, value_name = "TOOL", default_value = "")]
    tool_name: String,
    /// The exit code of the tool
    #[arg(long, value_name = "CODE", allow_hyphen_values = true)]
    exit_code: Option<i64>,
    /// The error
    #[arg(long, value_name = "TEXT", default_value = "")]
    error: String,
    /// Read the record as a JSON object from standard input
    #[arg(long)]
    stdin: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("audit record")?;
    let entry = if args.stdin {
        let text = args::read_stdin()?;
        serde_json::from_str(&text)
            .map_err(|error| UsageError(format!("invalid JSON on standard input: {error}")))?
    } else {
        AuditEntry {
            kind: args.kind,
            model: args.model,
            prompt: args.prompt,
            response: args.response,
            issue_id: args.id,
            tool_name: args.tool_name,
            exit_code: args.exit_code,
            error: args.error,
            ..AuditEntry::default()
        }
    };
    let kind = entry.kind.clone();
    if kind.is_empty() {
        kit::bail_usage!("kind is required: bd audit record --kind llm_call");
    }
    let id = super::append_entry(ctx, entry)?;
    build_report(kit::report_value! { id, kind }, |report, page| {
        page.line(&report.id);
    })
}
