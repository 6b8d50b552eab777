use kit::ui::escape;
use serde::Serialize;

use super::{CommandResult, Context, build_report};
use gt::flow::work::molecule;

/// List formulas
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// As this rig sees them
    #[arg(long, value_name = "RIG")]
    rig: Option<String>,
}

#[derive(Debug, Serialize)]
struct FormulaRow {
    name: String,
    r#type: &'static str,
    description: String,
    source: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rig_name = args.rig.as_deref().or(town.actor.rig());
    let rig = rig_name.map(|rig| town.find_rig(rig)).transpose()?;
    let mut listed = Vec::new();
    for found in molecule::formula_shelf(&town, rig.as_ref()).load_all() {
        match found.loaded {
            Ok(loaded) => listed.push(FormulaRow {
                name: loaded.formula.name.clone(),
                r#type: loaded.formula.kind.as_str(),
                description: loaded.formula.first_line().to_owned(),
                source: loaded.formula.source,
            }),
            Err(problem) => ctx
                .ui
                .warn(&format!("{} is left out: {problem}", found.name)),
        }
    }
    build_report(listed, |listed, page| {
        let width = listed
            .iter()
            .map(|formula| formula.name.len())
            .max()
            .unwrap_or(0);
        for formula in listed {
            let text = escape::escape_line(&formula.description);
            page.cut_line(format!(
                "{:width$}  {:9}  {text}",
                formula.name, formula.r#type
            ));
        }
    })
}
