//! `gt demo`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use kit::ui::{Page, escape};

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::demo::{self, DemoBead, DemoReport, DemoRequest, DemoWatcher};
use gt::flow::work::convoy::BeadStanding;
use gt::town::temporary;

/// Run a complete town in a temporary folder
///
/// Three beads, two workers, a gate and one landed convoy, on a bare copy of the repository around
/// the working directory, or of --repo. The repository itself is never written to. Without --agent
/// the workers are scripts, so it needs no model. The demo removes everything at its end; --keep
/// leaves the town running for you to look around.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The repository to work on: a path or a URL
    #[arg(long)]
    repo: Option<String>,
    /// Run the workers with this agent runtime, such as claude
    #[arg(long)]
    agent: Option<String>,
    /// Leave the town running
    #[arg(long)]
    keep: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in temporary::ending_signals() {
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    let request = DemoRequest {
        repo: args.repo,
        agent: args.agent,
        keep: args.keep,
    };
    let mut screen = DemoScreen::new(ctx, stop);
    let shown = demo::run_demo(&ctx.env, &request, &mut screen);
    screen.abandon_bars();
    build_report(shown?, write_report)
}

/// Shows live progress: bars on a terminal, otherwise one line per change.
struct DemoScreen<'a> {
    ctx: &'a Context,
    stop: Arc<AtomicBool>,
    bars: MultiProgress,
    lines: Vec<ProgressBar>,
    total: Option<ProgressBar>,
    previous_lines: Vec<DemoBead>,
}

impl<'a> DemoScreen<'a> {
    fn new(ctx: &'a Context, stop: Arc<AtomicBool>) -> Self {
        let target = if ctx.ui.is_json() {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bars = MultiProgress::with_draw_target(target);
        Self {
            ctx,
            stop,
            bars,
            lines: Vec::new(),
            total: None,
            previous_lines: Vec::new(),
        }
    }

    fn abandon_bars(&self) {
        for bar in self.lines.iter().chain(&self.total) {
            bar.abandon();
        }
    }

    fn make_bars(&mut self, count: usize) {
        for _ in 0..count {
            let bar = self.bars.add(ProgressBar::new(4));
            bar.set_style(build_style("  {bar:12.green} {msg}"));
            self.lines.push(bar);
        }
        let total = self
            .bars
            .add(ProgressBar::new(u64::try_from(count).unwrap_or(u64::MAX)));
        total.set_style(build_style("  {bar:12.cyan} {pos} of {len} merged"));
        self.total = Some(total);
    }
}

fn build_style(template: &str) -> ProgressStyle {
    // The templates are constants, and a test draws them.
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("━╸ ")
}

impl DemoWatcher for DemoScreen<'_> {
    fn report_step(&mut self, text: &str) {
        self.ctx.ui.status(text);
    }

    fn report_beads(&mut self, lines: &[DemoBead]) {
        if self.lines.is_empty() {
            self.make_bars(lines.len());
        }
        for (bar, line) in self.lines.iter().zip(lines) {
            bar.set_position(count_steps(line.standing));
            bar.set_message(describe_line(line));
        }
        let done = lines
            .iter()
            .filter(|line| line.standing == BeadStanding::Done)
            .count();
        if let Some(total) = &self.total {
            total.set_position(u64::try_from(done).unwrap_or(u64::MAX));
        }
        if self.bars.is_hidden() {
            for line in lines
                .iter()
                .filter(|line| !self.previous_lines.contains(line))
            {
                self.ctx.ui.status(&describe_line(line));
            }
        }
        lines.clone_into(&mut self.previous_lines);
    }

    fn is_interrupted(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

fn count_steps(standing: BeadStanding) -> u64 {
    match standing {
        BeadStanding::Open
        | BeadStanding::Blocked
        | BeadStanding::Failed
        | BeadStanding::Unknown => 0,
        BeadStanding::Working => 1,
        BeadStanding::Merging | BeadStanding::NeedsStep => 3,
        BeadStanding::Done => 4,
    }
}

fn describe_line(line: &DemoBead) -> String {
    let title = escape::escape_line(&line.title);
    let state = match line.standing {
        BeadStanding::Open => "open".to_owned(),
        BeadStanding::Blocked => escape::escape_line(&line.detail),
        BeadStanding::Working => format!("{} works on it", line.detail),
        BeadStanding::Merging => "in the merge queue".to_owned(),
        BeadStanding::NeedsStep => format!("blocked: {}", escape::escape_line(&line.detail)),
        BeadStanding::Done => format!("merged, by {}", line.detail),
        BeadStanding::Failed => "failed".to_owned(),
        BeadStanding::Unknown => "unknown".to_owned(),
    };
    format!("{}  {title}: {state}", line.id)
}

fn write_report(report: &DemoReport, page: &mut Page) {
    page.blank();
    page.line(page.style().bold("Merged commits"));
    for commit in &report.merged {
        page.cut_line(format!(
            "  {:.8}  {}  {}",
            commit.id,
            commit.author,
            escape::escape_line(&commit.subject)
        ));
    }
    page.blank();
    page.line(
        page.style()
            .bold("The briefing that the third worker began with"),
    );
    let briefing = report.briefing.as_deref().unwrap_or("");
    for line in briefing.trim_end().lines() {
        page.line(format!("  │ {line}"));
    }
    page.blank();
    page.line(format!(
        "🚚 convoy {} landed, {:.1}s after the first sling",
        report.convoy, report.seconds
    ));
    page.blank();
    if report.kept {
        let town = report.town.display();
        page.line("The town is still up. Look around:");
        page.line(format!("  cd {town}"));
        page.line("  gt status");
        page.line(format!("  gt convoy status {}", report.convoy));
        page.line(format!(
            "  git -C {} log --oneline",
            report.origin.display()
        ));
        page.line(format!(
            "End it: gt down (from {town}), then remove the folder above it."
        ));
    } else {
        page.line("Everything was in a temporary folder and is gone. To look around in it: gt demo --keep");
    }
}
