use crate::context::Context;
use bd::bead::kind;
use kit::cli::report::{CommandResult, build_report};

/// List the types of beads
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let custom = ctx.config.list("types.custom");
    let core_types: Vec<_> = kind::CORE
        .iter()
        .map(|kind| {
            let name = kind.as_str();
            kit::report_value! { name: name.to_owned(), description: describe_kind(name) }
        })
        .collect();
    let report = kit::report_value! {
        core_types; custom_types: (!custom.is_empty()).then_some(custom)
    };
    build_report(report, |report, page| {
        page.line("Core types:");
        for kind in &report.core_types {
            page.line(format!("  {:<10} {}", kind.name, kind.description));
        }
        if let Some(custom) = &report.custom_types {
            page.line("Custom types:");
            for name in custom {
                page.line(format!("  {name}"));
            }
        }
    })
}

fn describe_kind(kind: &str) -> &'static str {
    match kind {
        "bug" => "Something is wrong",
        "feature" => "Something new",
        "task" => "Work to be done",
        "epic" => "A goal with children",
        _ => "Upkeep",
    }
}
