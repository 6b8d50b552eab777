use crate::context::Context;
use bd::formula::find::is_formula_name;
use bd::molecule::{MoleculeError, distill, progress};
use bd::store::BeadRef;
use kit::cli::report::{CommandResult, build_confirmation, build_report};
use kit::json::to_pretty_json;
use kit::sys::file;
use kit::ui::counted;

/// Create a formula from an epic and its steps
///
/// --var replaces a text by a variable: `--var version=1.4` makes `{{version}}` of every `1.4`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The epic
    #[arg(value_name = "EPIC")]
    epic: String,
    /// The name of the formula
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Replace a text by a variable; may be repeated
    #[arg(long, value_name = "NAME=TEXT")]
    var: Vec<String>,
    /// Write the file in this folder
    #[arg(long, value_name = "DIR")]
    output: Option<String>,
    /// Print the formula without writing it
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = ctx.store_for_id(&args.epic)?.snapshot()?;
    let epic = snapshot.resolve(&args.epic)?;
    let name = args
        .name
        .unwrap_or_else(|| distill::slug_from_title(&epic.title));
    if !is_formula_name(&name) {
        kit::bail_usage!("\"{name}\" is no formula name; give one after the epic");
    }
    let members = progress::list_molecule_steps(&snapshot, &epic.id);
    let mut texts = format!("{}\n{}", epic.title, epic.description);
    for bead in members.iter().filter_map(BeadRef::bead) {
        texts.push_str(&format!(
            "\n{}\n{}\n{}",
            bead.title, bead.description, bead.notes
        ));
    }
    let values = distill::read_values(&args.var, &texts)?;
    let formula = distill::distill_formula(&snapshot, epic, &name, &values)?;
    let text = to_pretty_json(&formula);
    let steps = formula.every_step().len();
    let variables: Vec<String> = values.into_keys().collect();
    if args.dry_run {
        let preview = kit::report_value! { formula_name: name, steps, variables, dry_run: true };
        return build_report(preview, move |_, page| page.line(text.trim_end()));
    }
    ctx.check_writable("distill")?;
    let folder = match &args.output {
        Some(folder) => ctx.env.make_absolute(folder),
        None => ctx.project()?.dir.join("formulas"),
    };
    let path = folder.join(format!("{name}.formula.json"));
    if path.exists() {
        let text = format!("{} exists; choose another name", path.display());
        return Err(MoleculeError::Refused(text).into());
    }
    std::fs::create_dir_all(&folder)?;
    file::replace_file(&path, text.as_bytes(), 0o644)?;
    let formula_path = path.display().to_string();
    let report = kit::report_value! { formula_name: name, formula_path, steps, variables };
    build_confirmation(report, |report, page| {
        let steps = counted(report.steps, "step");
        page.line(format!("✓ Distilled {steps} into {}", report.formula_path));
    })
}
