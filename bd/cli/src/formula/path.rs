use serde_json::{Value, json};

use crate::context::Context;
use kit::ui::{Page, Report};

use kit::cli::report::{CommandResult, TextReport};

/// Show where formulas are looked for, or where one is
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
    let folders = shelf.folders.iter();
    let folders = folders.map(|folder| (folder.display().to_string(), folder.is_dir()));
    Ok(Box::new(FormulaPathReport {
        folders: folders.collect(),
    }))
}

#[derive(Debug)]
struct FormulaPathReport {
    folders: Vec<(String, bool)>,
}

impl Report for FormulaPathReport {
    fn json(&self) -> Value {
        let folder_json = |(path, exists): &(String, bool)| json!({"path": path, "exists": exists});
        self.folders.iter().map(folder_json).collect()
    }

    fn human(&self, page: &mut Page) {
        for (path, exists) in &self.folders {
            let note = if *exists { "" } else { " (not there)" };
            page.line(format!("{path}{note}"));
        }
        page.line("built-in formulas");
    }
}
