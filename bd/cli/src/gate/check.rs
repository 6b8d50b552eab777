use super::forge::{LocalForge, warn_about_command};
use crate::args;
use crate::context::Context;
use bd::bead::Bead;
use bd::change;
use bd::molecule::gate::{self, GateVerdict};
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, escape};

/// Open the gates whose condition is met
///
/// CI runs and pull requests are asked about with `gh`, or with the commands in the settings
/// gate.run-command, gate.workflow-command and gate.pr-command, in which `{id}` stands for the id.
/// These settings count in the environment (BD_GATE_RUN_COMMAND) and in your own
/// ~/.config/bd/config.yaml, and not in files of the repository. A gate needs someone if its run
/// failed, its pull request was closed, or its time limit passed.
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
    let gates: Vec<&Bead> = gate::list_gates(&snapshot, false)
        .into_iter()
        .filter(|bead| gate::is_of_kind(bead, &args.kind))
        .take(args.limit)
        .collect();
    if gates.iter().any(|bead| bead.await_type.starts_with("gh:")) {
        for setting in [
            "gate.run-command",
            "gate.workflow-command",
            "gate.pr-command",
        ] {
            warn_about_command(ctx, setting);
        }
    }
    // Requests to a forge take time, so no lock is held while they run.
    let judged: Vec<(Bead, GateVerdict)> = gates
        .into_iter()
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
    let mut resolved = 0;
    let mut needs_someone = 0;
    let mut errors = 0;
    for (_, verdict) in &judged {
        match verdict {
            GateVerdict::Open(_) => resolved += 1,
            GateVerdict::Escalate(_) => needs_someone += 1,
            GateVerdict::Unanswered(_) => errors += 1,
            GateVerdict::Wait(_) => {}
        }
    }
    let gates = judged.iter().map(|(bead, verdict)| {
        kit::report_value! {
            id: bead.id.clone(), r#type: bead.await_type.clone(),
            result: describe_result(verdict, &args), reason: describe_reason(verdict)
        }
    });
    let report = kit::report_value! {
        checked: judged.len(),
        resolved,
        needs_someone,
        escalated: if args.escalate { needs_someone } else { 0 },
        errors,
        dry_run: args.dry_run,
        gates: gates.collect::<Vec<_>>()
    };
    build_report(report, move |_, page| write_verdicts(&judged, &args, page))
}

fn write_verdicts(judged: &[(Bead, GateVerdict)], args: &Args, page: &mut Page) {
    if judged.is_empty() {
        page.line("No open gates to check");
    }
    for (bead, verdict) in judged {
        let mark = match verdict {
            GateVerdict::Open(_) => page.style().green("✓"),
            GateVerdict::Escalate(_) => page.style().red("✗"),
            GateVerdict::Wait(_) | GateVerdict::Unanswered(_) => "○".to_owned(),
        };
        let result = describe_result(verdict, args);
        let reason = describe_reason(verdict);
        let reason = escape::escape_line(&reason);
        page.line(format!("{mark} {}: {result}, {reason}", bead.id));
        if matches!(verdict, GateVerdict::Escalate(_)) {
            page.line(format!(
                "    bd gate resolve {} --reason \"<why>\"",
                bead.id
            ));
        }
    }
}

/// Returns the outcome in words. Only a gate that gets the label is escalated.
fn describe_result(verdict: &GateVerdict, args: &Args) -> &'static str {
    match verdict {
        GateVerdict::Open(_) => "resolved",
        GateVerdict::Escalate(_) if args.escalate => "escalated",
        GateVerdict::Escalate(_) => "needs someone",
        GateVerdict::Wait(_) | GateVerdict::Unanswered(_) => "pending",
    }
}

fn describe_reason(verdict: &GateVerdict) -> String {
    match verdict {
        GateVerdict::Open(reason) | GateVerdict::Escalate(reason) | GateVerdict::Wait(reason) => {
            reason.clone()
        }
        GateVerdict::Unanswered(failure) => gate::describe_unanswered(failure),
    }
}
