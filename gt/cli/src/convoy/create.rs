//! `gt convoy create`.

use kit::failure::UsageError;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::work::convoy::{NewConvoy, review};
use gt::town::Town;

/// Make a convoy of beads of any rig
///
/// Without a name, the convoy is named after its first bead.
///
/// An installed `pre-convoy` hook is asked first. It may reject the convoy (exit code 1, nothing is
/// made) or leave the decision to the user (exit code 3, `gt convoy review list`).
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The convoy's name, or the first bead
    name: String,
    /// The beads to track
    beads: Vec<String>,
    /// Merge its beads to a branch of its own in each rig, and land it from there as one
    /// commit per rig
    #[arg(long)]
    integration: bool,
    /// Warn you when it costs more: dollars, such as 5 or 2.50 (default: setting budget.convoy_band)
    #[arg(long, value_name = "DOLLARS", value_parser = super::band::parse_band)]
    band: Option<f64>,
    /// The owner, who gets mail when it lands (default: you)
    #[arg(long)]
    owner: Option<String>,
    /// Send mail to this address, too, when it lands (default: the mayor)
    #[arg(long, num_args = 0..=1, default_missing_value = "mayor/", require_equals = true)]
    notify: Vec<String>,
    /// The specification for the pre-convoy hook (default: the texts of its beads)
    #[arg(long, value_name = "TEXT", conflicts_with = "spec_file")]
    spec: Option<String>,
    /// Read the specification from a file
    #[arg(long, value_name = "PATH")]
    spec_file: Option<String>,
}

/// Size limit of a specification, which users and models read.
const MAX_SPEC_SIZE: u64 = 4 * 1024 * 1024;

fn read_spec(ctx: &Context, args: &Args) -> anyhow::Result<String> {
    let Some(path) = &args.spec_file else {
        return Ok(args.spec.clone().unwrap_or_default());
    };
    let path = ctx.env.make_absolute(path);
    let size = std::fs::metadata(&path).map(|meta| meta.len());
    let text = size.and_then(|size| match size {
        0..=MAX_SPEC_SIZE => std::fs::read_to_string(&path),
        _ => Err(std::io::Error::other("it has more than 4 MiB")),
    });
    text.map_err(|error| UsageError(format!("cannot read {}: {error}", path.display())).into())
}

fn is_address(word: &str) -> bool {
    word.contains('/') && word.parse::<gt::town::identity::Address>().is_ok()
}

/// Reads `--notify mayor/` as `--notify=mayor/`: no bead has the form of an address. A first
/// argument before a bead is the title, whatever its form.
fn move_address_to_notify(town: &Town, mut args: Args) -> Args {
    if args.notify.is_empty() || args.beads.is_empty() {
        return args;
    }
    let (mut addresses, mut beads): (Vec<String>, Vec<String>) =
        args.beads.into_iter().partition(|word| is_address(word));
    if is_address(&args.name)
        && beads
            .first()
            .is_some_and(|word| town.find_bead(word).is_err())
    {
        addresses.insert(0, std::mem::replace(&mut args.name, beads.remove(0)));
    }
    args.beads = beads;
    for address in addresses {
        if let Some(bare) = args.notify.iter().position(|to| to == "mayor/") {
            args.notify.remove(bare);
        }
        args.notify.push(address);
    }
    args
}

/// Reads a first argument that is the id of a bead as a bead, and names the convoy after it.
fn name_after_first_bead(town: &Town, mut args: Args) -> Args {
    if let Ok(found) = town.find_bead(&args.name) {
        args.beads.insert(0, found.bead.id);
        args.name = found.bead.title;
    }
    args
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let spec = read_spec(ctx, &args)?;
    let args = name_after_first_bead(&town, move_address_to_notify(&town, args));
    let owner = match args.owner {
        Some(text) => town.parse_address(&text)?.mailbox(),
        None => town.actor.mailbox(),
    };
    for address in &args.notify {
        town.parse_address(address)?;
    }
    let new = NewConvoy {
        title: args.name,
        beads: args.beads,
        owner: Some(owner),
        notify: args.notify,
        integration: args.integration,
        epic: None,
        band_usd: args.band,
        about: String::new(),
    };
    let purpose = review::ConvoyPurpose { spec, then: None };
    let made = review::create_reviewed_convoy(&town, &new, purpose)?;
    super::print_hook_warnings(ctx, &made.warnings);
    build_report(made.created, |created, page| {
        let title = kit::ui::escape::escape_line(&created.title);
        page.line(format!(
            "✓ convoy {} \"{title}\" tracks {}",
            created.id,
            kit::ui::counted(created.added.len(), "bead")
        ));
        page.line(format!("  follow it: gt convoy status {}", created.id));
    })
}
