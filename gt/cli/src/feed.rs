//! `gt feed`.

use anyhow::Context as _;
use kit::sys::watch::FolderWatch;
use kit::ui::Page;
use kit::ui::escape::{escape_line, quote_for_shell};

use super::since::parse_since;
use super::{CommandResult, build_empty_report};
use crate::context::Context;
use gt::town::event::{EventLine, EventReader, StoredEvent};
use gt::view::feed::{FeedFilter, FeedRig, check_filter, describe_event, resolve_actor};

/// Show what happened in the town, newest last
///
/// Prints one line per event: its time, its actor and its text. With `--json`, prints the lines of
/// the town's .events.jsonl.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Wait for new events and show them
    #[arg(short, long)]
    follow: bool,
    /// Only show what happened so far (the default)
    #[arg(long, hide = true, overrides_with = "follow")]
    no_follow: bool,
    /// Print lines (the default)
    #[arg(long, hide = true)]
    plain: bool,
    /// Show only events since this time: 5m, 2h, 2026-03-01
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Show only the last N events; 0 shows all. With `--since` a line says that there are older ones
    #[arg(
        short = 'n',
        long,
        alias = "tail",
        default_value_t = 100,
        value_name = "N"
    )]
    limit: usize,
    /// Show only events of this rig
    #[arg(long)]
    rig: Option<String>,
    /// Show only events whose type begins with this: sling, merge, escalation
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Show only events of actors whose address contains this
    #[arg(short, long, visible_alias = "agent")]
    actor: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let since = parse_since(args.since.as_deref(), town.clock.now())?;
    let rig = args
        .rig
        .as_deref()
        .map(|name| FeedRig::for_rig(&town, name));
    let all_line = format_line_of_all(&args);
    let actor = args.actor.as_deref();
    let filter = FeedFilter {
        since,
        kind: args.kind,
        actor: actor.map(|actor| resolve_actor(&town, actor)),
        rig: rig.transpose()?,
    };
    let root = town.layout.root();
    // The watch starts before the first read, so that the next read finds every later change.
    let watch = args
        .follow
        .then(|| {
            FolderWatch::start([root]).with_context(|| {
                let root = root.display();
                format!(
                    "cannot watch {root}; `gt feed` without --follow shows what happened so far"
                )
            })
        })
        .transpose()?;
    let mut reader = EventReader::new(&town.layout);
    // One more than is shown, to know if there are older ones in the range.
    let asks_for_older = since.is_some() && !args.follow && !ctx.ui.is_json();
    let limit = match args.limit {
        limit @ 1.. if asks_for_older => limit.saturating_add(1),
        limit => limit,
    };
    let mut events = reader.read_last(limit, since, |event| filter.is_match(event))?;
    let older = match args.limit {
        0 => 0,
        limit => events.len().saturating_sub(limit),
    };
    events.drain(..older);
    // An event that was found shows that the filter names something.
    if events.is_empty() {
        check_filter(&town, &filter, actor)?;
    }
    let mut is_output_open = print_events(ctx, &events, args.follow);
    if older > 0 {
        let mut page = ctx.ui.page();
        page.line("older events are not shown");
        page.line(format!("  {all_line}"));
        ctx.ui.stream(page.text());
    }
    while is_output_open && watch.as_ref().is_some_and(FolderWatch::wait) {
        events = reader.read_new()?;
        events.retain(|stored| filter.is_match(&stored.event));
        is_output_open = print_events(ctx, &events, true);
    }
    build_empty_report()
}

/// Formats the command that shows all events of the same choice.
fn format_line_of_all(args: &Args) -> String {
    let choices = [
        ("--since", &args.since),
        ("--rig", &args.rig),
        ("--type", &args.kind),
        ("--actor", &args.actor),
    ];
    let mut line = "gt feed".to_owned();
    for (flag, value) in choices {
        if let Some(value) = value {
            line.push_str(&format!(" {flag} {}", quote_for_shell(&escape_line(value))));
        }
    }
    line + " -n 0"
}

/// Writes events. Returns false if standard output is closed. Followed events stay on the screen,
/// so their times are absolute.
fn print_events(ctx: &Context, events: &[StoredEvent], is_followed: bool) -> bool {
    let mut page = ctx.ui.page();
    for stored in events {
        if ctx.ui.is_json() {
            page.line(&stored.raw_line);
        } else {
            write_event_line(&stored.event, is_followed, &mut page);
        }
    }
    ctx.ui.stream(page.text())
}

fn write_event_line(event: &EventLine, is_followed: bool, page: &mut Page) {
    let time = if is_followed {
        page.local_time(&event.ts)
    } else {
        page.relative_time(&event.ts)
    };
    let actor = escape_line(&event.actor);
    let text = describe_event(event);
    page.cut_line(format!("{time:<15}  {actor:<20}  {text}"));
}
