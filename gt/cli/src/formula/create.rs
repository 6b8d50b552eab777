use bd::formula::find::is_formula_name;
use serde::Serialize;

use super::{CommandResult, Context, build_report};

/// Write a formula to start from, into the town
///
/// `bd formula new` writes one into a project.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name
    #[arg(value_name = "NAME")]
    name: String,
    /// The type: task (one step), workflow or patrol
    #[arg(long = "type", value_name = "TYPE", default_value = "workflow", value_parser = ["task", "workflow", "patrol"])]
    kind: String,
}

#[derive(Debug, Serialize)]
struct CreateFormulaReport {
    name: String,
    path: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let name = args.name;
    anyhow::ensure!(
        is_formula_name(&name),
        "\"{name}\" is no formula name: use letters, digits, `-`, `_` and `.`"
    );
    let text = match args.kind.as_str() {
        "task" => include_str!("../../../templates/formula/task.toml"),
        "patrol" => include_str!("../../../templates/formula/patrol.toml"),
        _ => include_str!("../../../templates/formula/workflow.toml"),
    };
    let folder = town.layout.beads().join("formulas");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{name}.formula.toml"));
    let written =
        kit::sys::file::create_file(&path, text.replace("NAME", &name).as_bytes(), 0o644)?;
    anyhow::ensure!(written, "{} exists; choose another name", path.display());
    let path = path.display().to_string();
    build_report(CreateFormulaReport { name, path }, |done, page| {
        page.line(format!("✓ wrote {}", done.path));
        page.line(format!(
            "Next: edit it, then bd formula validate {}",
            done.name
        ));
    })
}
