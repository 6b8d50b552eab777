use serde_json::json;

use crate::context::Context;
use bd::molecule::bond::{self, BondOperand, BondRequest, BondType};
use bd::molecule::pour::find_template;
use bd::molecule::template::PourOptions;
use kit::ui::counted;

use kit::cli::report::{CommandResult, build_report};

/// Bond two formulas, protos or molecules
///
/// Two formulas or protos become a compound proto. A formula or proto bonded to a molecule is
/// poured, and its root depends on the molecule. Two molecules are linked: SECOND depends on FIRST.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The formula, proto or molecule that comes first
    #[arg(value_name = "FIRST")]
    a: String,
    /// The formula, proto or molecule that is bonded to it
    #[arg(value_name = "SECOND")]
    b: String,
    /// The order
    #[arg(long = "type", value_name = "TYPE", default_value = "sequential")]
    bond: BondType,
    /// The title of the compound
    #[arg(long = "as", value_name = "TITLE", default_value = "")]
    title: String,
    /// Set a variable; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    var: Vec<String>,
    /// Pour wisps
    #[arg(long)]
    ephemeral: bool,
    /// Pour durable beads
    #[arg(long, conflicts_with = "ephemeral")]
    pour: bool,
    /// Name the poured part: its ids begin with `MOLECULE.NAME`
    #[arg(long = "ref", value_name = "NAME", default_value = "")]
    reference: String,
    /// Look for formulas here first; may be repeated
    #[arg(long, value_name = "DIR")]
    search_path: Vec<String>,
    /// Only show what would be bonded
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if !args.dry_run {
        ctx.check_writable("bond")?;
    }
    let values = super::parse_vars(&args.var)?;
    let shelf = super::build_search_path(ctx, &args.search_path);
    let ephemeral = args
        .ephemeral
        .then_some(true)
        .or(args.pour.then_some(false));
    let request = BondRequest {
        bond: args.bond,
        title: args.title,
        values: values.clone(),
        ephemeral,
        reference: args.reference,
    };
    let options = PourOptions {
        values,
        ..PourOptions::default()
    };
    let store = ctx.store_for_id(&args.b)?;
    if args.dry_run {
        let line = format!(
            "Would bond {} to {} ({})",
            args.b,
            args.a,
            args.bond.as_str()
        );
        let value =
            json!({"dry_run": true, "a": args.a, "b": args.b, "bond_type": args.bond.as_str()});
        return kit::cli::report::TextReport::new(value, line).into_answer();
    }
    let bonded = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let operand = |given: &str| match tx.resolve(given) {
            Ok(bead) => Ok(BondOperand::Bead(bead.id.clone())),
            Err(_) => find_template(&shelf, tx, given, &options)
                .map(|template| BondOperand::Formula(Box::new(template))),
        };
        let (a, b) = (operand(&args.a)?, operand(&args.b)?);
        Ok(bond::bond_operands(tx, a, b, &request)?)
    })?;
    let bond = request.bond.as_str();
    let mut value = json!({
        "result_id": bonded.id,
        "result_type": bonded.kind,
        "bond_type": bond,
    });
    if let Some(poured) = &bonded.poured {
        value["spawned"] = json!(poured.ids.len());
        value["root_id"] = json!(poured.root);
        value["id_mapping"] = json!(poured.mapping(&bonded.name));
    }
    build_report(value, move |_, page| {
        let mark = page.style().green("✓");
        let what = bonded.kind.replace('_', " ");
        page.line(format!("{mark} Bonded: {what} {} ({bond})", bonded.id));
        if let Some(poured) = &bonded.poured {
            let count = counted(poured.ids.len(), "bead");
            page.line(format!("  Created {count}, root {}", poured.root));
        }
    })
}
