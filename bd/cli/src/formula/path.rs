use crate::context::Context;
use kit::cli::report::{CommandResult, build_report};

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
        let path = shelf.load(&name)?.formula.source;
        return build_report(kit::report_value! { name, path }, |report, page| {
            page.line(&report.path);
        });
    }
    let folders: Vec<_> = shelf
        .folders
        .iter()
        .map(|path| kit::report_value! { path: path.display().to_string(), exists: path.is_dir() })
        .collect();
    build_report(folders, |folders, page| {
        for folder in folders {
            let note = if folder.exists { "" } else { " (not there)" };
            page.line(format!("{}{note}", folder.path));
        }
        page.line("built-in formulas");
    })
}
