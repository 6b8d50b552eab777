mod follow;

use serde::{Serialize, Serializer};

use super::history::format_value;
use crate::args;
use crate::context::Context;
use bd::store::event::{BeadChange, Event, EventKind};
use bd::store::{Snapshot, Store};
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, escape};

/// Show the latest changes of all beads, newest last
///
/// As JSON an array of `timestamp`, `type` (create, update, delete, comment, status), `issue_id`,
/// `symbol`, `message`, `actor`, `event` (for `bd undo`) and for a status `old_status` and
/// `new_status`; one object a line with `--follow`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Show changes since this time (5m, 2h, 2026-03-01)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    since: Option<String>,
    /// Filter by type of change: create, update, delete, comment or status
    #[arg(long = "type", value_name = "TYPE", value_parser = args::parse_filter_value)]
    kind: Option<String>,
    /// Filter by the start of the id
    #[arg(long, value_name = "PREFIX", value_parser = args::parse_filter_value)]
    mol: Option<String>,
    /// Show at most N changes, the last; 0 for all
    #[arg(short = 'n', long, default_value_t = 100, value_name = "N")]
    limit: usize,
    /// Follow changes as they happen
    #[arg(short, long)]
    follow: bool,
    #[arg(long, hide = true, value_name = "DURATION")]
    interval: Option<String>,
    /// Show changes of all projects of the town
    #[arg(long)]
    town: bool,
    /// Also show which fields changed
    #[arg(short, long)]
    details: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if let Some(kind) = &args.kind
        && !["create", "update", "delete", "comment", "status"].contains(&kind.as_str())
    {
        kit::bail_usage!(
            "invalid type '{kind}'. Valid values: create, update, delete, comment, status"
        );
    }
    let stores = open_stores(ctx, args.town)?;
    let since = match &args.since {
        Some(text) => Some(ctx.parse_past_time("since", text)?),
        None => None,
    };
    let mut items = Vec::new();
    let mut seen = Vec::new();
    for store in &stores {
        let snapshot = store.snapshot()?;
        let events = store.events()?;
        seen.extend(events.iter().map(|event| event.id.clone()));
        items.extend(collect_items(&snapshot, events, &args));
    }
    items.sort_by_cached_key(|item| bd::bead::Stamp::parse(&item.at).instant());
    items.retain(|item| {
        since.is_none_or(|since| bd::bead::Stamp::parse(&item.at).instant() >= since)
    });
    if args.limit > 0 && items.len() > args.limit {
        let total = items.len();
        items.drain(..total - args.limit);
        ctx.ui.status(&format!(
            "Showing the last {} of {total} changes (use --limit 0 for all)",
            args.limit
        ));
    }
    fill_in_values(&stores, &mut items)?;
    if args.follow {
        return follow::follow_activity(ctx, &stores, &args, &items, seen);
    }
    build_report(items, |items, page| {
        if items.is_empty() {
            page.line("Nothing happened here");
        }
        for item in items {
            item.write(page);
        }
    })
}

fn open_stores(ctx: &Context, town: bool) -> anyhow::Result<Vec<Store>> {
    let current = ctx.store()?;
    if !town {
        return Ok(vec![current]);
    }
    let routes = ctx.routes(current.dir());
    let mut dirs: Vec<_> = routes
        .all()
        .iter()
        .filter_map(|route| routes.dir_of(route))
        .collect();
    dirs.push(current.dir().to_owned());
    dirs.sort();
    dirs.dedup();
    dirs.iter().map(|dir| Ok(ctx.open(dir)?)).collect()
}

/// Fills in the whole values of large fields.
fn fill_in_values(stores: &[Store], items: &mut [ActivityItem]) -> anyhow::Result<()> {
    for store in stores {
        store.fill_in_values(
            items
                .iter_mut()
                .map(|item| (item.event.as_str(), &mut item.change)),
        )?;
    }
    Ok(())
}

fn collect_items(snapshot: &Snapshot, events: Vec<Event>, args: &Args) -> Vec<ActivityItem> {
    let mut items = Vec::new();
    for event in events {
        for change in event.changes {
            let sort = change.kind();
            let fits = args.kind.as_ref().is_none_or(|kind| kind == sort.as_str())
                && args
                    .mol
                    .as_ref()
                    .is_none_or(|start| change.id.starts_with(start.as_str()));
            if fits {
                let title = change
                    .new
                    .as_ref()
                    .and_then(|new| new.plain_text("title"))
                    .or_else(|| Some(snapshot.get(&change.id)?.title.clone()));
                items.push(ActivityItem {
                    event: event.id.clone(),
                    at: event.at.clone(),
                    actor: event.actor.clone(),
                    sort,
                    title: title.unwrap_or_default(),
                    change,
                    has_details: args.details,
                });
            }
        }
    }
    items
}

/// One change of one bead.
#[derive(Debug)]
struct ActivityItem {
    event: String,
    at: String,
    actor: String,
    sort: EventKind,
    change: BeadChange,
    title: String,
    /// True if the changed fields are shown.
    has_details: bool,
}

impl ActivityItem {
    fn status(&self, new: bool) -> Option<String> {
        let side = if new {
            &self.change.new
        } else {
            &self.change.old
        };
        side.as_ref()?.plain_text("status")
    }

    fn symbol(&self) -> &'static str {
        match self.sort {
            EventKind::Create => "+",
            EventKind::Delete => "⊘",
            EventKind::Comment => "💬",
            EventKind::Update => "→",
            EventKind::Status => match self.status(true).as_deref() {
                Some("closed") => "✓",
                Some("open") => "↺",
                _ => "→",
            },
        }
    }

    fn message(&self) -> String {
        let id = &self.change.id;
        match self.sort {
            EventKind::Create => format!("{id} created · {}", self.title),
            EventKind::Delete => format!("{id} deleted"),
            EventKind::Comment => format!("{id} comment added"),
            EventKind::Update => {
                let fields = self.change.fields();
                let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
                match &self.change.lost {
                    Some(lost) if names.is_empty() => {
                        let lost: Vec<&str> = lost.keys().collect();
                        format!("{id} merged · {} gave way", lost.join(", "))
                    }
                    None if names.is_empty() => format!("{id} merged"),
                    _ => format!("{id} updated · {}", names.join(", ")),
                }
            }
            EventKind::Status => match self.status(true).as_deref() {
                Some("closed") => format!("{id} completed · {}", self.title),
                Some("in_progress") => format!("{id} started · {}", self.title),
                Some("open") => format!("{id} reopened · {}", self.title),
                other => format!("{id} → {}", other.unwrap_or("?")),
            },
        }
    }

    fn write(&self, page: &mut Page) {
        let event = page.style().dim(&escape::escape_line(&self.event));
        page.cut_line(format!(
            "[{}] {event} {} {} ({})",
            page.zoned_time(&self.at),
            self.symbol(),
            escape::escape_line(&self.message()),
            escape::escape_line(&self.actor)
        ));
        if self.has_details {
            for field in self.change.fields() {
                page.cut_line(format!(
                    "    {}: {} → {}",
                    escape::escape_line(field.name),
                    format_value(field.old),
                    format_value(field.new)
                ));
            }
        }
    }
}

impl Serialize for ActivityItem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_status = self.sort == EventKind::Status;
        let record = kit::report_value! {
            timestamp: &self.at,
            r#type: self.sort.as_str(),
            issue_id: &self.change.id,
            symbol: self.symbol(),
            message: self.message(),
            actor: &self.actor,
            event: &self.event;
            old_status: is_status.then(|| self.status(false)),
            new_status: is_status.then(|| self.status(true)),
            changes: self.has_details.then(|| self.change.fields())
        };
        record.serialize(serializer)
    }
}
