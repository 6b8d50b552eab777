use crate::context::Context;
use bd::molecule::bond::{self, BondOperand, BondRequest, BondType};
use bd::molecule::pour::find_template;
use bd::molecule::template::PourOptions;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::counted;

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
        let preview = kit::report_value! {
            dry_run: true, a: args.a, b: args.b, bond_type: args.bond.as_str()
        };
        return build_report(preview, |preview, page| {
            page.line(format!(
                "Would bond {} to {} ({})",
                preview.b, preview.a, preview.bond_type
            ));
        });
    }
    let bonded = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let find_operand = |given: &str| match tx.resolve(given) {
            Ok(bead) => Ok(BondOperand::Bead(bead.id.clone())),
            Err(_) => find_template(&shelf, tx, given, &options)
                .map(|template| BondOperand::Formula(Box::new(template))),
        };
        let a = find_operand(&args.a)?;
        let b = find_operand(&args.b)?;
        Ok(bond::bond_operands(tx, a, b, &request)?)
    })?;
    let poured = bonded.poured.as_ref();
    let report = kit::report_value! {
        result_id: bonded.id, result_type: bonded.kind, bond_type: request.bond.as_str();
        spawned: poured.map(|poured| poured.ids.len()),
        root_id: poured.map(|poured| poured.root.clone()),
        id_mapping: poured.map(|poured| poured.mapping(&bonded.name))
    };
    build_report(report, |report, page| {
        let mark = page.style().green("✓");
        let kind = report.result_type.replace('_', " ");
        page.line(format!(
            "{mark} Bonded: {kind} {} ({})",
            report.result_id, report.bond_type
        ));
        if let (Some(count), Some(root)) = (report.spawned, &report.root_id) {
            page.line(format!("  Created {}, root {root}", counted(count, "bead")));
        }
    })
}
