//! `bd schema`: the shapes of `--json`.

mod notation;

use crate::context::Context;
use kit::cli::report::{CommandResult, build_empty_report, build_report};
use kit::failure::UsageError;
use notation::SchemaTable;

/// Print the JSON Schema of a command's --json
///
/// Without a command it lists the commands that print JSON. Keys of beads that no schema names may
/// follow in later versions, and beads keep keys of other programs. `bd schema error` describes
/// failures.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The command, such as `list` or `dep tree`
    #[arg(value_name = "COMMAND")]
    words: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let table = SchemaTable::parse();
    if args.words.is_empty() {
        let commands: Vec<&str> = table.commands().collect();
        return build_report(commands, |commands, page| {
            for name in commands {
                page.line(format!("bd schema {name}"));
            }
        });
    }
    let name = args.words.join(" ");
    let Some(schema) = table.schema(&name) else {
        let text = if table.has_command(&name) {
            format!("bd {name} prints no JSON of its own")
        } else {
            format!("unknown command \"{name}\": `bd schema` lists the commands")
        };
        return Err(UsageError(text).into());
    };
    ctx.ui.raw(&kit::json::to_pretty_json(&schema));
    build_empty_report()
}
