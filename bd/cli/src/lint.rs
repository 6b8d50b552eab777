use serde::Serialize;

use super::args;
use crate::context::Context;
use bd::bead::{Kind, Status};
use bd::query::{BeadFilter, lint, sort};
use kit::cli::report::{CommandResult, build_report_with_exit};
use kit::ui::{Page, counted, escape};

/// Check descriptions for the headings of their type
///
/// A bug needs the headings "Steps to Reproduce" and "Acceptance Criteria", a task and a feature
/// "Acceptance Criteria", an epic "Success Criteria". Exits with 1 if a heading is missing, with
/// --json with 0.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The beads (default: all of the status)
    #[arg(value_name = "ID", value_parser = args::parse_filter_value)]
    ids: Vec<String>,
    /// Filter by type
    #[arg(short = 't', long = "type", value_name = "KIND", value_parser = args::parse_filter_value)]
    kind: Option<String>,
    /// Filter by status; `all` for any
    #[arg(short, long, value_name = "STATUS", default_value = "open", value_parser = args::parse_filter_value)]
    status: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = ctx.store()?.snapshot()?;
    let mut beads = if args.ids.is_empty() {
        let statuses = match args.status.as_str() {
            "all" => Vec::new(),
            status => vec![Status::from(status)],
        };
        let kinds = args.kind.as_deref().map(Kind::from_filter);
        BeadFilter {
            statuses,
            kinds: kinds.into_iter().collect(),
            ..BeadFilter::default()
        }
        .apply(&snapshot)
    } else {
        args.ids
            .iter()
            .map(|id| snapshot.resolve(id))
            .collect::<Result<Vec<_>, _>>()?
    };
    let all = beads.len();
    sort::sort_usual(&mut beads, all);
    let found: Vec<IncompleteBead> = beads
        .into_iter()
        .map(|bead| {
            let missing = lint::find_missing_headings(bead);
            IncompleteBead {
                id: bead.id.clone(),
                title: bead.title.clone(),
                kind: bead.issue_type.clone(),
                warnings: missing.len(),
                missing,
            }
        })
        .filter(|bead| bead.warnings > 0)
        .collect();
    let exit = u8::from(!ctx.ui.is_json() && !found.is_empty());
    let report = LintReport {
        total: found.iter().map(|bead| bead.warnings).sum(),
        issues: found.len(),
        results: (!found.is_empty()).then_some(found),
    };
    build_report_with_exit(exit, report, write_findings)
}

#[derive(Serialize)]
struct IncompleteBead {
    id: String,
    title: String,
    #[serde(rename = "type")]
    kind: Kind,
    missing: Vec<&'static str>,
    warnings: usize,
}

/// Beads without their required headings.
#[derive(Serialize)]
struct LintReport {
    total: usize,
    issues: usize,
    results: Option<Vec<IncompleteBead>>,
}

fn write_findings(report: &LintReport, page: &mut Page) {
    let Some(found) = &report.results else {
        page.line("✓ Every description has the headings of its type");
        return;
    };
    let total = counted(report.total, "heading");
    let beads = counted(report.issues, "bead");
    page.line(format!("{total} missing in {beads}:"));
    for bead in found {
        let title = escape::escape_line(&bead.title);
        page.line(format!("{} [{}]: {title}", bead.id, bead.kind));
        for heading in &bead.missing {
            page.line(format!("  ⚠ Missing: {heading}"));
        }
    }
}
