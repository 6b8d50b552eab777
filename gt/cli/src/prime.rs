//! `gt prime`.

use super::agent_event::{AgentEvent, is_session_copy};
use super::{CommandResult, build_empty_report, build_report};
use crate::context::Context;
use gt::flow::agent::checkpoint;
use gt::flow::work::prime::{self, Occasion, PartFate, SessionContext, StartedSession};
use gt::record::mail;

/// Print the context of this session
///
/// The context has the role, the identity, the work, the convoy's prior work and the number of
/// unread messages. The same input gives the same output. With `--hook` an agent CLI runs it at the
/// start of a session, after a compaction and so on: it reads the CLI's JSON from standard input
/// and records the session. `context.budget.<role>` is the budget in bytes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Read an agent CLI's hook JSON from standard input and record the session
    #[arg(long)]
    hook: bool,
    /// With `--hook`: print the text as JSON, for agent CLIs that take no plain text
    #[arg(long, requires = "hook")]
    context_json: bool,
    /// Show each part with its source, its size and what was cut, instead of the text
    #[arg(long)]
    explain: bool,
    /// Record nothing
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if args.hook && is_session_copy(ctx) {
        return build_empty_report();
    }
    let town = ctx.open_town()?;
    let event = if args.hook {
        AgentEvent::read()
    } else {
        AgentEvent::default()
    };
    let occasion = if args.hook {
        Occasion::from_event(
            event.text_field("hook_event_name"),
            event.text_field("source"),
        )
    } else {
        Occasion::Asked
    };
    let session = session_key(ctx, &event);
    let found = prime::build_context(&town, &town.actor, occasion, &session)?;
    let in_session = args.hook || town.env.get("GT_SESSION").is_some();
    let looks_only = args.dry_run || args.explain || ctx.ui.is_json();
    if !found.handoff.is_empty() && in_session && !looks_only {
        // The successor gets each handoff once. If that cannot be recorded, the handoff is
        // repeated, which is better than losing it.
        if let Err(error) = mail::mark_read(&town, &found.handoff) {
            ctx.ui.warn(&format!(
                "the messages could not be marked as read: {error:#}"
            ));
        }
    }
    if let Some(convoy) = found
        .decision
        .as_ref()
        .filter(|_| in_session && !looks_only)
    {
        prime::mark_decision_reported(&town, &session, convoy);
    }
    if occasion == Occasion::Precompact && !args.dry_run {
        // A failed checkpoint must not block the summary.
        if let Err(error) = checkpoint::save_session_state(&town, &town.actor, &session) {
            ctx.ui.warn(&format!("no checkpoint: {error:#}"));
        }
    }
    if occasion.is_session_start() && !args.dry_run {
        let bead = found.bead.as_ref().map_or("", |bead| bead.id.as_str());
        let begun = StartedSession {
            id: session_id(ctx, &event),
            source: event.text_field("source"),
            bead,
            transcript: event.text_field("transcript_path"),
        };
        prime::record_session_start(&town, begun);
    }
    if args.context_json {
        let text = event.context_json(found.text.trim_end());
        return build_report(found, move |_, page| page.line(&text));
    }
    report_context(found, args.explain)
}

/// Returns the id that the agent program gives its session, or the empty string.
fn session_id<'a>(ctx: &'a Context, event: &'a AgentEvent) -> &'a str {
    match event.text_field("session_id") {
        "" => ctx.env.get("CLAUDE_SESSION_ID").unwrap_or(""),
        id => id,
    }
}

/// Returns the value that distinguishes this session from the next one of the same agent, or the
/// empty string outside of a session.
fn session_key(ctx: &Context, event: &AgentEvent) -> String {
    match (session_id(ctx, event), ctx.env.get("GT_SESSION")) {
        ("", None | Some("")) => String::new(),
        ("", Some(name)) => format!("{name}:{}", ctx.env.get("GT_LEASE").unwrap_or("")),
        (id, _) => id.to_owned(),
    }
}

/// Reports a context as text, or the list of its parts.
pub(super) fn report_context(found: SessionContext, explain: bool) -> CommandResult {
    build_report(found, move |found, page| {
        if explain {
            write_explanation(found, page);
        } else {
            page.line(found.text.trim_end());
        }
    })
}

fn write_explanation(found: &SessionContext, page: &mut kit::ui::Page) {
    page.line(format!(
        "{} bytes for {}, of {} at most ({})",
        found.text.len(),
        found.address,
        found.budget,
        found.budget_from
    ));
    for part in &found.parts {
        let fate = match part.fate {
            PartFate::Kept => "kept".to_owned(),
            PartFate::Cut => format!("cut by {} bytes: {}", part.cut, part.why),
            PartFate::Dropped => format!("dropped, {} bytes: {}", part.cut, part.why),
        };
        page.line(format!(
            "  {:<9} {:>5} bytes, about {:>4} tokens, from {}; {fate}",
            part.name, part.bytes, part.tokens, part.source
        ));
    }
}
