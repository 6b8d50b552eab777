use crate::context::Context;
use bd::change::{self, AuditEntry};
use kit::cli::report::{CommandResult, build_report};

/// Append a verdict about a record, such as `good` or `bad`
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The record
    #[arg(value_name = "ENTRY")]
    entry: String,
    /// The verdict
    #[arg(long = "label", value_name = "WORD")]
    verdict: String,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("audit label")?;
    if !change::has_audit(&ctx.project()?.dir, &args.entry)? {
        kit::bail_usage!("audit entry {} not found", args.entry);
    }
    let entry = AuditEntry {
        kind: "label".to_owned(),
        parent_id: args.entry.clone(),
        label: args.verdict.clone(),
        reason: args.reason,
        ..AuditEntry::default()
    };
    let id = super::append_entry(ctx, entry)?;
    let report = kit::report_value! { id, parent_id: args.entry, label: args.verdict };
    build_report(report, |report, page| page.line(&report.id))
}
