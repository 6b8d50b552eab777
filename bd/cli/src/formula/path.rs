use serde::Serialize;
use serde_json::json;

use crate::context::Context;

use kit::cli::report::{CommandResult, TextReport, build_report};

/// Show the search path of formulas, or the file of one
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The formula
    #[arg(value_name = "FORMULA")]
    formula: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let shelf = super::super::mol::build_search_path(ctx, &[]);
    if let Some(name) = args.formula {
        let source = shelf.load(&name)?.formula.source;
        return TextReport::new(json!({"name": name, "path": source}), source).into_answer();
    }
    let folders = shelf.folders.iter().map(|folder| FormulaFolder {
        path: folder.display().to_string(),
        exists: folder.is_dir(),
    });
    build_report(folders.collect::<Vec<_>>(), |folders, page| {
        for FormulaFolder { path, exists } in folders {
            let note = if *exists { "" } else { " (not there)" };
            page.line(format!("{path}{note}"));
        }
        page.line("built-in formulas");
    })
}

#[derive(Serialize)]
struct FormulaFolder {
    path: String,
    exists: bool,
}
