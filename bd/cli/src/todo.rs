use super::report::PlainBead;
use super::{args, each, line};
use crate::context::Context;
use bd::bead::{Kind, Status};
use bd::change::{self, NewBead};
use bd::query::{BeadFilter, sort};
use kit::cli::report::{CommandResult, build_confirmation, build_report};
use kit::ui::escape;

/// Keep a simple list of tasks
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Option<TodoCommand>,
    /// Also list closed tasks
    #[arg(long)]
    all: bool,
}

#[derive(Debug, clap::Subcommand)]
enum TodoCommand {
    /// Add a task
    Add {
        /// The title
        #[arg(required = true, value_name = "TITLE")]
        title: Vec<String>,
        /// The priority
        #[arg(short, long, default_value = "2", value_name = "N")]
        priority: String,
        /// The description
        #[arg(short, long, default_value = "", value_name = "TEXT")]
        description: String,
    },
    /// Close tasks
    Done {
        /// The tasks
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// The reason
        #[arg(long, default_value = "Completed", value_name = "TEXT")]
        reason: String,
    },
    /// List the tasks
    List {
        /// Also list closed tasks
        #[arg(long)]
        all: bool,
    },
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    match args.verb {
        None => list_tasks(ctx, args.all),
        Some(TodoCommand::List { all }) => list_tasks(ctx, all),
        Some(TodoCommand::Add {
            title,
            priority,
            description,
        }) => {
            ctx.check_writable("todo")?;
            let new = NewBead {
                title: title.join(" "),
                priority: args::parse_priority_arg(&priority)?,
                description,
                ..NewBead::default()
            };
            let store = ctx.store()?;
            let bead = store.transact(&ctx.author(), &ctx.clock, |tx| {
                Ok(change::create_bead(tx, new)?)
            })?;
            build_confirmation(PlainBead(bead), |bead, page| {
                let title = escape::escape_line(&bead.title);
                page.line(format!("✓ Added {}: {title}", bead.id));
            })
        }
        Some(TodoCommand::Done { ids, reason }) => {
            ctx.check_writable("todo")?;
            let beads = each::change_each(ctx, "closing", &ids, |tx, id| {
                change::close_bead(tx, id, &reason, "", false)
            })?;
            let closed: Vec<String> = beads.into_iter().map(|bead| bead.id).collect();
            build_confirmation(kit::report_value! { closed, reason }, |report, page| {
                for id in &report.closed {
                    page.line(format!("✓ Done {id}"));
                }
            })
        }
    }
}

fn list_tasks(ctx: &Context, all: bool) -> CommandResult {
    let snapshot = ctx.store()?.snapshot()?;
    let filter = BeadFilter {
        kinds: vec![Kind::Task],
        not_statuses: if all {
            Vec::new()
        } else {
            vec![Status::Closed]
        },
        ..BeadFilter::default()
    };
    let mut found = filter.apply(&snapshot);
    let all = found.len();
    sort::sort_usual(&mut found, all);
    let beads: Vec<PlainBead> = found.into_iter().cloned().map(PlainBead).collect();
    build_report(beads, |beads, page| {
        if beads.is_empty() {
            page.line("Nothing to do");
        }
        for bead in beads {
            let style = page.style().clone();
            let line_start = format!(
                "{} {} [P{}] ",
                line::paint_symbol(&style, &bead.status),
                style.cyan(&bead.id),
                bead.priority
            );
            line::write_fitted(page, &line_start, &bead.title, "");
        }
    })
}
