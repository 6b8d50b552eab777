use crate::context::Context;
use bd::formula::FormulaKind;
use bd::formula::find::is_formula_name;
use bd::store::StoreError;
use kit::cli::report::{CommandResult, build_confirmation};
use kit::failure::UsageError;
use kit::sys::file;

/// Write a new formula as a starting point
///
/// The file has every key that you are likely to need, with a comment on each, and validates
/// unchanged.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name of the formula
    #[arg(value_name = "NAME")]
    name: String,
    /// The type: workflow, expansion, aspect or convoy
    #[arg(long = "type", value_name = "TYPE", default_value = "workflow")]
    kind: String,
    /// Write it in this folder
    #[arg(long, value_name = "DIR")]
    output: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("formula new")?;
    if !is_formula_name(&args.name) {
        kit::bail_usage!(
            "\"{}\" is no formula name: use letters, digits, `-`, `_` and `.`",
            args.name
        );
    }
    let kinds = [
        (
            FormulaKind::Workflow,
            include_str!("../../../templates/formula/workflow.toml"),
        ),
        (
            FormulaKind::Expansion,
            include_str!("../../../templates/formula/expansion.toml"),
        ),
        (
            FormulaKind::Aspect,
            include_str!("../../../templates/formula/aspect.toml"),
        ),
        (
            FormulaKind::Convoy,
            include_str!("../../../templates/formula/convoy.toml"),
        ),
    ];
    let found = kinds.iter().find(|(kind, _)| kind.as_str() == args.kind);
    let (_, template) = found.ok_or_else(|| {
        UsageError(format!(
            "unknown type \"{}\": use workflow, expansion, aspect or convoy",
            args.kind
        ))
    })?;
    let folder = match &args.output {
        Some(folder) => ctx.env.make_absolute(folder),
        None => ctx.project()?.dir.join("formulas"),
    };
    if bd::store::is_tracked_link(&folder) {
        return Err(StoreError::TrackedLink(folder).into());
    }
    let path = folder.join(format!("{}.formula.toml", args.name));
    std::fs::create_dir_all(&folder)?;
    let text = template.replace("NAME", &args.name);
    if !file::create_file(&path, text.as_bytes(), 0o644)? {
        kit::bail_usage!("{} exists; choose another name", path.display());
    }
    let report = kit::report_value! { name: args.name, path: path.display().to_string() };
    build_confirmation(report, move |report, page| {
        let is_elsewhere = args.output.is_some();
        let operand = if is_elsewhere {
            &report.path
        } else {
            &report.name
        };
        page.line(format!("✓ Wrote {}", report.path));
        page.line(format!("Next: edit it, then bd formula validate {operand}"));
    })
}
