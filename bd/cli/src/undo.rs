use serde::Serialize;

use crate::context::Context;
use bd::change;
use bd::store::{Event, Store};
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, escape};

/// Revert a transaction, keeping later edits
///
/// Without an event, reverts your last change in this project. An undo is a change itself, so
/// undoing it repeats the change. Refuses if later edits would be lost. Also refuses to undo
/// claims, hooks, merges, landings and mail, and names the command that reverts them. `bd history
/// ID` and `bd activity` show the events.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The event, by its id or the start of it
    #[arg(value_name = "EVENT", conflicts_with = "last")]
    event: Option<String>,
    /// Revert your last N changes, newest first
    #[arg(long, value_name = "N")]
    last: Option<usize>,
}

/// The reason why no event was found.
#[derive(Debug, thiserror::Error)]
enum NoEvent {
    #[error("no event '{0}' in this project; see: bd activity")]
    Unknown(String),
    #[error("{0} is the beginning of several events: {1}")]
    Ambiguous(String, String),
    #[error("nothing of {0} to undo in this project; see: bd activity")]
    Nothing(String),
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if args.last == Some(0) {
        kit::bail_usage!("--last takes 1 or more");
    }
    ctx.check_writable("undo")?;
    let store = ctx.store()?;
    let author = ctx.author();
    let events = choose_events(&store, &args, &author.actor)?;
    let asked = args.last.unwrap_or(1);
    if events.len() < asked {
        ctx.ui.warn(&format!(
            "history has {} of the {asked} changes by {}",
            events.len(),
            escape::escape_line(&author.actor)
        ));
    }
    let mut undone = Vec::new();
    let mut left = events.len();
    for event in events {
        let result = store.transact(&author, &ctx.clock, |tx| {
            let undone = change::undo_event(tx, &event).map_err(anyhow::Error::from);
            undone.map_err(|error| error.context(format!("undoing {}", event.id)))
        });
        match result {
            Ok(done) => {
                undone.push(UndoneEvent {
                    id: event.id,
                    at: event.at,
                    undoes: event.undoes,
                    changed: done.changed,
                    already: done.already,
                });
                left -= 1;
            }
            Err(error) if undone.is_empty() => return Err(error),
            Err(error) => {
                // Events that were already undone stay undone. The error is only a warning.
                ctx.ui.warn(&format!("{error:#}"));
                ctx.ui
                    .warn(&format!("{left} of {} stay unchanged", undone.len() + left));
                break;
            }
        }
    }
    build_report(undone, |undone, page| write_undone_events(undone, page))
}

fn choose_events(store: &Store, args: &Args, actor: &str) -> anyhow::Result<Vec<Event>> {
    let mut chosen = find_events(store, args, actor)?;
    store.fill_in_events(&mut chosen)?;
    Ok(chosen)
}

fn find_events(store: &Store, args: &Args, actor: &str) -> anyhow::Result<Vec<Event>> {
    let events = store.events()?;
    if let Some(start) = &args.event {
        let mut found: Vec<Event> = events
            .into_iter()
            .filter(|event| !start.is_empty() && event.id.starts_with(start.as_str()))
            .collect();
        return match found.len() {
            0 => Err(NoEvent::Unknown(start.clone()).into()),
            1 => Ok(found),
            _ => {
                found.truncate(5);
                let ids: Vec<String> = found.into_iter().map(|event| event.id).collect();
                Err(NoEvent::Ambiguous(start.clone(), ids.join(", ")).into())
            }
        };
    }
    let found: Vec<Event> = events
        .into_iter()
        .rev()
        .filter(|event| event.actor == actor)
        .take(args.last.unwrap_or(1))
        .collect();
    if found.is_empty() {
        return Err(NoEvent::Nothing(actor.to_owned()).into());
    }
    Ok(found)
}

#[derive(Serialize)]
struct UndoneEvent {
    #[serde(rename = "event")]
    id: String,
    #[serde(skip)]
    at: String,
    #[serde(skip)]
    undoes: String,
    #[serde(rename = "ids")]
    changed: Vec<String>,
    already: Vec<String>,
}

fn write_undone_events(undone: &[UndoneEvent], page: &mut Page) {
    for event in undone {
        let UndoneEvent { id, at, undoes, .. } = event;
        let ids = event.changed.join(", ");
        page.line(if undoes.is_empty() {
            format!("✓ Undid {id} of {at}: {ids}")
        } else {
            format!("✓ Undid {id} of {at}, so {undoes} holds again: {ids}")
        });
        if !event.already.is_empty() {
            page.line(format!(
                "  unchanged, since they have their old values already: {}",
                event.already.join(", ")
            ));
        }
    }
}
