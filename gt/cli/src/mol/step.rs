//! `gt mol step`: closes the current step.

use std::time::Duration;

use super::{CommandResult, Context, build_report};
use gt::flow::work::molecule::{self, StepReport};

kit::family! {
    /// Close steps, or wait for something to happen
    Args:
    Done => done,
    AwaitSignal => await_signal,
}

mod done {
    use super::{CommandResult, Context, StepReport, build_report, molecule};

    /// Close a step and begin the next
    ///
    /// Without a step, the one that you have begun. If the step or the setting molecule.cycle
    /// requires it, a fresh session goes on with the next one.
    #[derive(Debug, clap::Args)]
    pub(super) struct Args {
        /// The step
        #[arg(value_name = "STEP")]
        step: Option<String>,
        /// The summary of the step
        #[arg(short, long, value_name = "TEXT", default_value = "Done")]
        reason: String,
        /// Only check the step
        #[arg(short = 'n', long)]
        dry_run: bool,
    }

    pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
        let town = ctx.open_town()?;
        let done = molecule::finish_step(&town, args.step.as_deref(), &args.reason, args.dry_run)?;
        build_report(done, write_report)
    }

    fn write_report(done: &StepReport, page: &mut kit::ui::Page) {
        if !done.step_closed {
            page.line(format!(
                "Would close {} of {}",
                done.step_id, done.molecule_id
            ));
            return;
        }
        page.line(format!("✓ {} is done", done.step_id));
        match (&done.next_step_id, &done.next_step_title) {
            (Some(id), Some(title)) => {
                page.cut_line(format!(
                    "  begun: {id} {}",
                    kit::ui::escape::escape_line(title)
                ));
                if done.cycled {
                    page.line("  a fresh session goes on with it; this one ends");
                } else {
                    page.line(format!("Next: bd show {id}"));
                }
            }
            _ if done.complete => {
                page.line("  all steps are done");
                page.line("Next: gt done");
            }
            _ => {
                page.line("  no step can be begun now");
                page.line(format!("Next: bd mol current {}", done.molecule_id));
            }
        }
    }
}

mod await_signal {
    use kit::failure::UsageError;

    use super::{CommandResult, Context, Duration, build_report, molecule};

    /// Wait until something happens in the town
    ///
    /// Ends with the next event, or after the timeout; the exit code is 0 in both cases. With
    /// --idle the timeout doubles for each cycle that ended without an event.
    #[derive(Debug, clap::Args)]
    pub(super) struct Args {
        /// Wait at most this long
        #[arg(long, value_name = "DURATION", default_value = "60s")]
        timeout: String,
        /// Cycles that ended without an event
        #[arg(long, value_name = "N", default_value_t = 0)]
        idle: u32,
        /// The longest wait with --idle
        #[arg(long, value_name = "DURATION", default_value = "10m")]
        backoff_max: String,
    }

    fn parse_wait(flag: &str, text: &str) -> Result<Duration, UsageError> {
        bd::query::when::parse_duration(text)
            .and_then(|nanos| u64::try_from(nanos).ok())
            .map(Duration::from_nanos)
            .ok_or_else(|| UsageError(format!("invalid {flag} \"{text}\": use 30s or 5m")))
    }

    pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
        let town = ctx.open_town()?;
        let base = parse_wait("--timeout", &args.timeout)?;
        let most = parse_wait("--backoff-max", &args.backoff_max)?;
        let doubled = base.saturating_mul(2_u32.saturating_pow(args.idle));
        let limit = if args.idle == 0 {
            base
        } else {
            doubled.min(most.max(base))
        };
        let awaited = molecule::await_signal(&town.layout, limit)?;
        build_report(awaited, |awaited, page| match &awaited.signal {
            Some(signal) => page.line(kit::ui::escape::escape_line(signal)),
            None => page.line("nothing happened"),
        })
    }
}
