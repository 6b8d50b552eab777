use super::super::report::PlainBead;
use crate::context::Context;
use bd::bead::{DepKind, Kind};
use bd::change::{self, NewBead};
use bd::query::when;
use kit::cli::report::{CommandResult, build_report};
use kit::failure::UsageError;
use kit::ui::escape;

/// Create a gate that blocks a bead
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The type: human, mail, timer, bead, gh:run or gh:pr
    #[arg(long = "type", value_name = "TYPE", default_value = "human")]
    kind: String,
    /// The awaited thing: RIG:BEAD, a run, a pull request
    #[arg(long, value_name = "ID", default_value = "", visible_alias = "id")]
    await_id: String,
    /// The length of a timer, or the time limit of the wait, such as 30m
    #[arg(long, value_name = "DURATION")]
    timeout: Option<String>,
    /// The bead that waits for it; may be repeated
    #[arg(long, value_name = "ID")]
    blocks: Vec<String>,
    /// The title
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Record an address that waits for it; may be repeated
    #[arg(long, value_name = "ADDRESS")]
    waiter: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("gate create")?;
    super::check_kind(&args.kind)?;
    let timeout = match &args.timeout {
        Some(text) => when::parse_duration(text).ok_or_else(|| {
            UsageError(format!("invalid --timeout \"{text}\": use 30m, 2h or 3d"))
        })?,
        None if args.kind == "timer" => {
            kit::bail_usage!("a timer needs --timeout, such as 30m");
        }
        None => 0,
    };
    let store = match args.blocks.first() {
        Some(id) => ctx.store_for_id(id)?,
        None => ctx.store()?,
    };
    let gate = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let mut blocked = Vec::new();
        for given in &args.blocks {
            blocked.push(tx.resolve(given)?.clone());
        }
        let end = match args.await_id.as_str() {
            "" => String::new(),
            id => format!(" {id}"),
        };
        let title = args.title.clone();
        let new = NewBead {
            title: title.unwrap_or_else(|| format!("Gate: {}{end}", args.kind)),
            issue_type: Kind::Gate,
            await_type: args.kind.clone(),
            await_id: args.await_id.clone(),
            timeout,
            // A durable bead cannot wait for a wisp, and the gate of a wisp stays local.
            ephemeral: !blocked.is_empty() && blocked.iter().all(|bead| bead.ephemeral),
            ..NewBead::default()
        };
        let mut gate = change::create_bead(tx, new)?;
        if !args.waiter.is_empty() {
            gate.waiters = args.waiter.clone();
            tx.put(gate.clone())?;
        }
        for bead in &blocked {
            change::add_dep(tx, &bead.id, &gate.id, DepKind::Blocks)?;
        }
        Ok(gate)
    })?;
    build_report(PlainBead(gate), |gate, page| {
        let mark = page.style().green("✓");
        let waits = escape::escape_line(&super::describe_condition(gate));
        page.line(format!("{mark} Created gate {} ({waits})", gate.id));
    })
}
