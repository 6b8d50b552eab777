use kit::ui::escape::escape_line;
use kit::ui::table::TextTable;
use kit::ui::{Page, counted};

use super::{CommandResult, Context, build_report};
use gt::view::plugin::{PluginRow, list_plugins};

/// List plugins
///
/// Also names the plugins that come with Gas Town and are not in the town yet. With `--json`
/// [{name, description, location: town|rig, rig_name?, gate_type?, path, enabled, execution_type:
/// agent|script, last_run?, last_result?, opens_at?, problems?[]}].
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only plugins of this rig
    #[arg(long)]
    rig: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    if let Some(rig) = &args.rig {
        town.find_rig(rig)?;
    }
    let list = list_plugins(&town, args.rig.as_deref())?;
    for broken in &list.broken {
        let path = broken.path.display();
        let reason = escape_line(&broken.reason);
        ctx.ui.warn(&format!("{path} is skipped: {reason}"));
    }
    let now = town.clock.now();
    let available = list.available;
    build_report(list.rows, move |rows, page| {
        let mut table = TextTable::new();
        for row in rows {
            let opens = describe_opening(row, now);
            let last = describe_last_run(row, page);
            table.row([row.key.clone(), row.gate.clone(), last, opens]);
        }
        table.print(page);
        if rows.is_empty() {
            page.line("no plugins");
        }
        for row in rows {
            for problem in &row.problems {
                page.line(format!("! {}: {}", row.key, escape_line(problem)));
            }
        }
        if !available.is_empty() {
            write_available(&available, page);
        }
    })
}

fn write_available(available: &[(String, String)], page: &mut Page) {
    page.blank();
    page.line(format!(
        "{} of Gas Town can be added with gt plugin sync NAME:",
        counted(available.len(), "plugin")
    ));
    let mut table = TextTable::new().indent(2);
    for (name, description) in available {
        table.row([name.as_str(), description.as_str()]);
    }
    table.print(page);
}

/// Returns when a plugin ran last, and with which result.
pub(super) fn describe_last_run(row: &PluginRow, page: &Page) -> String {
    match (&row.last_run, row.last_result) {
        (None, _) => "never ran".to_owned(),
        (Some(at), result) => {
            let mark = result.map_or("begun", |result| result.word());
            format!("{mark} {}", page.relative_time(&at.to_string()))
        }
    }
}

/// Returns when the gate of a plugin opens.
pub(super) fn describe_opening(row: &PluginRow, now: jiff::Timestamp) -> String {
    let gate = row.gate_type.as_deref().unwrap_or("manual");
    match row.opens_at {
        _ if !row.enabled => "disabled".to_owned(),
        Some(at) if at <= now => "due".to_owned(),
        Some(at) => {
            let seconds = at.duration_since(now).as_secs();
            let minutes = jiff::SignedDuration::from_mins((seconds + 59) / 60);
            format!("in {minutes:#}")
        }
        None if gate == "manual" => "by hand".to_owned(),
        None if gate == "event" => "waits".to_owned(),
        None => "never".to_owned(),
    }
}
