use serde_json::{Value, json};

use crate::context::Context;
use bd::bead::{Bead, Kind, Status};
use bd::query::{BeadFilter, lint, sort};
use kit::ui::{Page, Report, counted, escape};

use kit::cli::report::CommandResult;

/// Check descriptions for the headings of their type
///
/// A bug needs the headings "Steps to Reproduce" and "Acceptance Criteria", a task and a feature
/// "Acceptance Criteria", an epic "Success Criteria". It exits with 1 if a heading is missing, with
/// --json with 0.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The beads (default: all of the status)
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Only beads of this type
    #[arg(short = 't', long = "type", value_name = "KIND")]
    kind: Option<String>,
    /// Only beads of this status; `all` for any
    #[arg(short, long, value_name = "STATUS", default_value = "open")]
    status: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = ctx.store()?.snapshot()?;
    let mut beads = if args.ids.is_empty() {
        let statuses = match args.status.as_str() {
            "all" => Vec::new(),
            status => vec![Status::from(status)],
        };
        let kind = args.kind.as_deref().map(Kind::from_filter);
        BeadFilter {
            statuses,
            kind,
            ..BeadFilter::default()
        }
        .apply(&snapshot)
    } else {
        let ids = args.ids.iter();
        ids.map(|id| snapshot.resolve(id))
            .collect::<Result<Vec<_>, _>>()?
    };
    let all = beads.len();
    sort::sort_usual(&mut beads, all);
    let found = beads
        .into_iter()
        .map(|bead| (bead.clone(), lint::find_missing_headings(bead)));
    let found = found.filter(|(_, missing)| !missing.is_empty()).collect();
    let is_json = ctx.ui.is_json();
    Ok(Box::new(LintReport { found, is_json }))
}

/// Beads without their required headings.
#[derive(Debug)]
struct LintReport {
    found: Vec<(Bead, Vec<&'static str>)>,
    is_json: bool,
}

impl LintReport {
    fn total(&self) -> usize {
        self.found.iter().map(|(_, missing)| missing.len()).sum()
    }
}

impl Report for LintReport {
    fn json(&self) -> Value {
        let bead_json = |(bead, missing): &(Bead, Vec<&str>)| {
            json!({
                "id": bead.id,
                "title": bead.title,
                "type": bead.issue_type.as_str(),
                "missing": missing,
                "warnings": missing.len(),
            })
        };
        let results: Value = match self.found.len() {
            0 => Value::Null,
            _ => self.found.iter().map(bead_json).collect(),
        };
        json!({"total": self.total(), "issues": self.found.len(), "results": results})
    }

    fn human(&self, page: &mut Page) {
        if self.found.is_empty() {
            page.line("✓ Every description has the headings of its type");
            return;
        }
        let (total, beads) = (self.total(), self.found.len());
        let (total, beads) = (counted(total, "heading"), counted(beads, "issue"));
        page.line(format!("{total} missing in {beads}:"));
        for (bead, missing) in &self.found {
            let title = escape::escape_line(&bead.title);
            page.line(format!("{} [{}]: {title}", bead.id, bead.issue_type));
            for heading in missing {
                page.line(format!("  ⚠ Missing: {heading}"));
            }
        }
    }

    fn exit(&self) -> u8 {
        u8::from(!self.is_json && !self.found.is_empty())
    }
}
