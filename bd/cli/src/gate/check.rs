use serde_json::{Value, json};

use crate::args;
use crate::context::Context;
use bd::bead::Bead;
use bd::change;
use bd::molecule::gate::{self, GateVerdict};
use kit::ui::{Page, escape};

use super::forge::LocalForge;
use kit::cli::report::{CommandResult, build_report};

/// Open the gates whose condition is met
///
/// CI runs and pull requests are asked about with `gh`, or with the commands in the settings
/// gate.run-command, gate.workflow-command and gate.pr-command, in which `{id}` stands for the id.
/// A run that failed and a pull request that was closed are listed to be escalated.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Filter by type: gh, gh:run, gh:pr, timer, bead, all
    #[arg(short = 't', long = "type", value_name = "TYPE", default_value = "all", value_parser = args::parse_filter_value)]
    kind: String,
    /// Only show what would be opened
    #[arg(long)]
    dry_run: bool,
    /// Mark gates that need someone with the label `escalated`
    #[arg(short, long)]
    escalate: bool,
    /// Check at most N gates
    #[arg(short, long, value_name = "N", default_value_t = 100)]
    limit: usize,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if !args.dry_run {
        ctx.check_writable("gate check")?;
    }
    let store = ctx.store()?;
    let snapshot = store.snapshot()?;
    let forge = LocalForge { ctx };
    let gates = gate::list_gates(&snapshot, false)
        .into_iter()
        .filter(|bead| gate::is_of_kind(bead, &args.kind))
        .take(args.limit);
    // Requests to a forge take time, so no lock is held while they run.
    let judged: Vec<(Bead, GateVerdict)> = gates
        .map(|bead| (bead.clone(), gate::judge_gate(bead, ctx.now(), &forge)))
        .collect();
    drop(snapshot);
    if !args.dry_run {
        store.transact(&ctx.author(), &ctx.clock, |tx| {
            for (bead, verdict) in &judged {
                let is_open = tx.get_live(&bead.id).is_some_and(Bead::is_open);
                match verdict {
                    GateVerdict::Open(reason) if is_open => {
                        change::close_bead(tx, &bead.id, reason, "", true)?;
                    }
                    GateVerdict::Escalate(_) if is_open && args.escalate => {
                        change::add_label(tx, &bead.id, "escalated")?;
                    }
                    _ => {}
                }
            }
            Ok(())
        })?;
    }
    build_report(verdicts_to_json(&judged, args.dry_run), move |_, page| {
        write_verdicts(&judged, page);
    })
}

fn verdicts_to_json(judged: &[(Bead, GateVerdict)], dry_run: bool) -> Value {
    let count =
        |is: fn(&GateVerdict) -> bool| judged.iter().filter(|(_, verdict)| is(verdict)).count();
    let gate_json = |(bead, verdict): &(Bead, GateVerdict)| {
        let (result, reason) = describe_verdict(verdict);
        json!({"id": bead.id, "type": bead.await_type, "result": result, "reason": reason})
    };
    json!({
        "checked": judged.len(),
        "resolved": count(|verdict| matches!(verdict, GateVerdict::Open(_))),
        "escalated": count(|verdict| matches!(verdict, GateVerdict::Escalate(_))),
        "errors": count(
            |verdict| matches!(verdict, GateVerdict::Wait(text) if gate::is_unanswered(text)),
        ),
        "dry_run": dry_run,
        "gates": judged.iter().map(gate_json).collect::<Vec<_>>(),
    })
}

fn write_verdicts(judged: &[(Bead, GateVerdict)], page: &mut Page) {
    if judged.is_empty() {
        page.line("No open gates to check");
    }
    for (bead, verdict) in judged {
        let mark = match verdict {
            GateVerdict::Open(_) => page.style().green("✓"),
            GateVerdict::Escalate(_) => page.style().red("✗"),
            GateVerdict::Wait(_) => "○".to_owned(),
        };
        let (result, reason) = describe_verdict(verdict);
        let reason = escape::escape_line(reason);
        page.line(format!("{mark} {}: {result}, {reason}", bead.id));
    }
}

fn describe_verdict(verdict: &GateVerdict) -> (&'static str, &str) {
    match verdict {
        GateVerdict::Open(reason) => ("resolved", reason),
        GateVerdict::Escalate(reason) => ("escalate", reason),
        GateVerdict::Wait(reason) => ("pending", reason),
    }
}
