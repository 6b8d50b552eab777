use std::collections::BTreeMap;

use serde::Serialize;

use crate::context::Context;
use bd::change;
use bd::molecule::pour;
use bd::molecule::template::{MoleculeTemplate, PourOptions};
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, counted, escape};

/// Pour a formula into a molecule of beads
///
/// The root is an epic `PREFIX-mol-HASH`, its steps are `ROOT.1`, `ROOT.2` and so on, all open.
/// Every variable that the formula uses needs a value: by --var, or its default. All beads are made
/// in one transaction.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The formula, its file, or a proto
    #[arg(value_name = "FORMULA")]
    formula: String,
    /// Set a variable; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    var: Vec<String>,
    /// Assign the root to NAME
    #[arg(long, value_name = "NAME")]
    assignee: Option<String>,
    /// Bond this formula to the new molecule; may be repeated
    #[arg(long, value_name = "FORMULA")]
    attach: Vec<String>,
    /// Run attached formulas in this order
    #[arg(long, value_name = "TYPE", default_value = "sequential")]
    attach_type: bd::molecule::bond::BondType,
    /// Look for formulas here first; may be repeated
    #[arg(long, value_name = "DIR")]
    search_path: Vec<String>,
    /// Only show what would be created
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let request = PourRequest {
        formula: args.formula,
        var: args.var,
        attach: args.attach,
        bond: args.attach_type,
        search_path: args.search_path,
        dry_run: args.dry_run,
        options: PourOptions {
            assignee: crate::args::resolve_assignee(ctx, args.assignee.as_deref())
                .unwrap_or_default(),
            ..PourOptions::default()
        },
    };
    request.run(ctx)
}

/// A formula to be poured, as a molecule or as a wisp.
pub(crate) struct PourRequest {
    pub(crate) formula: String,
    pub(crate) var: Vec<String>,
    pub(crate) attach: Vec<String>,
    pub(crate) bond: bd::molecule::bond::BondType,
    pub(crate) search_path: Vec<String>,
    pub(crate) dry_run: bool,
    pub(crate) options: PourOptions,
}

impl PourRequest {
    pub(crate) fn run(mut self, ctx: &Context) -> CommandResult {
        if !self.dry_run {
            ctx.check_writable("pour")?;
        }
        self.options.values = super::parse_vars(&self.var)?;
        let shelf = super::build_search_path(ctx, &self.search_path);
        let store = ctx.store()?;
        if self.dry_run {
            let snapshot = store.snapshot()?;
            let template = pour::find_template(&shelf, &snapshot, &self.formula, &self.options)?;
            let formula = template.name.clone();
            let plan = template.into_plan(&self.options)?;
            let steps: Vec<PreviewedStep> = plan
                .beads
                .into_iter()
                .map(|bead| PreviewedStep {
                    step: bead.key,
                    title: bead.new.title,
                })
                .collect();
            let preview = PourPreview {
                dry_run: true,
                formula,
                would_create: steps.len(),
                phase: self.phase(),
                steps,
            };
            return build_report(preview, write_preview);
        }
        let mut wants_wisp = false;
        let (name, poured, attached) = store.transact(&ctx.author(), &ctx.clock, |tx| {
            tx.describe("pour", "");
            let template = pour::find_template(&shelf, tx, &self.formula, &self.options)?;
            let name = template.name.clone();
            wants_wisp = is_for_wisps(&template);
            let poured = pour::pour_template(tx, template, &self.options)?;
            let mut attached = 0;
            for name in &self.attach {
                let options = PourOptions {
                    assignee: String::new(),
                    ..self.options.clone()
                };
                let template = pour::find_template(&shelf, tx, name, &options)?;
                let part = pour::pour_template(tx, template, &options)?;
                change::add_dep(tx, &part.root, &poured.root, self.bond.edge())?;
                attached += part.ids.len();
            }
            Ok((name, poured, attached))
        })?;
        if wants_wisp && !self.options.ephemeral {
            ctx.ui.warn(&format!(
                "{name} recommends a wisp (phase = \"vapor\"): bd mol wisp {name}"
            ));
        }
        let report = PourReport {
            id_mapping: poured.mapping(&name),
            created: poured.ids.len() + attached,
            attached: (!self.options.ephemeral).then_some(attached),
            phase: self.phase(),
            new_epic_id: poured.root,
        };
        build_report(report, write_pour)
    }

    fn phase(&self) -> &'static str {
        if self.options.ephemeral {
            "vapor"
        } else {
            "liquid"
        }
    }
}

/// Returns true if the formula requests to be poured as a wisp.
fn is_for_wisps(template: &MoleculeTemplate) -> bool {
    let formula = template.formula.as_ref();
    formula.is_some_and(|formula| formula.phase == "vapor")
}

#[derive(Serialize)]
struct PourReport {
    new_epic_id: String,
    id_mapping: BTreeMap<String, String>,
    created: usize,
    /// The number of attached beads; `None` for a wisp.
    #[serde(skip_serializing_if = "Option::is_none")]
    attached: Option<usize>,
    phase: &'static str,
}

fn write_pour(report: &PourReport, page: &mut Page) {
    let mark = page.style().green("✓");
    let count = counted(report.created, "bead");
    let is_wisp = report.attached.is_none();
    let (what, phase) = if is_wisp {
        ("Created wisp", "vapor (ephemeral, not exported to JSONL)")
    } else {
        ("Poured mol: created", "liquid (persistent in .beads/)")
    };
    let colon = if is_wisp { ":" } else { "" };
    page.line(format!("{mark} {what}{colon} {count}"));
    // Existing clients look for these words.
    page.line(format!("  Root issue: {}", report.new_epic_id));
    page.line(format!("  Phase: {phase}"));
    page.line(format!("Next: bd mol current {}", report.new_epic_id));
}

/// The beads that would be poured.
#[derive(Serialize)]
struct PourPreview {
    dry_run: bool,
    formula: String,
    would_create: usize,
    phase: &'static str,
    steps: Vec<PreviewedStep>,
}

#[derive(Serialize)]
struct PreviewedStep {
    step: String,
    title: String,
}

fn write_preview(preview: &PourPreview, page: &mut Page) {
    let count = counted(preview.would_create, "bead");
    page.line(format!("Would create {count} from {}:", preview.formula));
    for PreviewedStep { step: key, title } in &preview.steps {
        let key = if key.is_empty() { "root" } else { key };
        let line = format!(
            "  {}: {}",
            escape::escape_line(key),
            escape::escape_line(title)
        );
        page.cut_line(line);
    }
}
