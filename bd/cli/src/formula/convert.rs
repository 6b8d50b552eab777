use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::context::Context;
use kit::cli::report::{CommandResult, build_confirmation, build_empty_report};
use kit::sys::file;

/// Write a JSON formula as TOML
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The formula or its file
    #[arg(value_name = "FORMULA")]
    formula: Option<String>,
    /// Convert every JSON formula of this project
    #[arg(long)]
    all: bool,
    /// Remove the JSON file afterwards
    #[arg(long)]
    delete: bool,
    /// Print the TOML instead of writing a file
    #[arg(long, conflicts_with_all = ["all", "delete"])]
    stdout: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let shelf = super::super::mol::build_search_path(ctx, &[]);
    let paths: Vec<PathBuf> = match (&args.formula, args.all) {
        (Some(name), false) => vec![PathBuf::from(shelf.load(name)?.formula.source)],
        (None, true) => json_files(&ctx.project()?.dir.join("formulas")),
        _ => kit::bail_usage!("name a formula, or use --all"),
    };
    if args.stdout {
        let Some(path) = paths.first() else {
            kit::bail_usage!("name a formula");
        };
        let text = convert_to_toml(path)?;
        ctx.ui.raw(&text);
        return build_empty_report();
    }
    ctx.check_writable("formula convert")?;
    let mut converted = Vec::new();
    for path in &paths {
        let text = convert_to_toml(path)?;
        let json_path = path.to_string_lossy();
        let target = PathBuf::from(json_path.replace(".formula.json", ".formula.toml"));
        if !file::create_file(&target, text.as_bytes(), 0o644)? {
            kit::bail_usage!("{} exists; nothing was written over it", target.display());
        }
        if args.delete {
            fs::remove_file(path)?;
        }
        converted.push(target.display().to_string());
    }
    build_confirmation(kit::report_value! { converted }, |report, page| {
        for path in &report.converted {
            page.line(format!("✓ Wrote {path}"));
        }
    })
}

fn json_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(".formula.json"))
        .collect();
    paths.sort();
    paths
}

/// Converts a JSON formula to TOML. Unknown keys are preserved.
fn convert_to_toml(path: &Path) -> anyhow::Result<String> {
    let shown = path.display();
    let is_json = path.to_string_lossy().ends_with(".json");
    if !is_json || !path.is_file() {
        kit::bail_usage!("{shown} is no JSON file");
    }
    let text = fs::read_to_string(path)?;
    // Parsing the file as a formula first reports errors with their line.
    bd::formula::source::parse_formula(
        &shown.to_string(),
        &text,
        bd::formula::source::FormulaFormat::Json,
    )?;
    let mut value: Value = serde_json::from_str(&text)?;
    drop_nulls(&mut value);
    Ok(toml::to_string_pretty(&value)?)
}

/// Removes nulls, which TOML does not have.
fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => {
            items.retain(|item| !item.is_null());
            items.iter_mut().for_each(drop_nulls);
        }
        _ => {}
    }
}
