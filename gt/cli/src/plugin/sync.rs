use kit::ui::Page;
use kit::ui::escape::escape_line;

use super::{CommandResult, Context, build_report};
use gt::flow::townwide::plugin::shipped::{ShippedFile, ShippedState, SyncOptions, sync_shipped};

/// Install and update the plugins that come with Gas Town
///
/// Writes missing and outdated files to `plugins/` of the town. A file that you changed stays; with
/// --force it is replaced, and kept as `<file>.old`. With `--json` [{plugin, file, state:
/// current|missing|outdated|changed|extra, action?: written|replaced|removed, `kept_as`?}].
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only these plugins
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Only show how the town's plugins differ
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Remove unchanged files that are no longer shipped
    #[arg(long)]
    clean: bool,
    /// Replace changed files, too
    #[arg(short, long)]
    force: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let options = SyncOptions {
        dry_run: args.dry_run,
        clean: args.clean,
        force: args.force,
    };
    let found = sync_shipped(&town, &args.names, options)?;
    build_report(found, move |found, page| {
        for file in found {
            write_file(file, options.dry_run, page);
        }
        if found.iter().all(|file| file.state == ShippedState::Current) {
            page.line("✓ all plugins are current");
        }
    })
}

fn write_file(file: &ShippedFile, dry_run: bool, page: &mut Page) {
    let plugin = escape_line(&file.plugin);
    let name = escape_line(&file.file);
    let path = format!("{plugin}/{name}");
    let state = file.state.word();
    match (file.action, &file.kept_as) {
        (Some(action), _) if dry_run => page.line(format!("○ {path} is {state}: to be {action}")),
        (Some(action), Some(old)) => {
            page.line(format!("✓ {path} {action}; yours is {}", escape_line(old)));
        }
        (Some(action), None) => page.line(format!("✓ {path} {action}")),
        (None, _) if file.state == ShippedState::Current => {}
        (None, _) => page.line(format!("○ {path} is {state}, and stays")),
    }
}
