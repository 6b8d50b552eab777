//! Bonds molecules: two templates become a compound, a template is poured onto a molecule, or two
//! molecules are linked.

use std::collections::BTreeMap;

use serde_json::json;

use super::pour::{PouredMolecule, pour_template};
use super::proto;
use super::template::{MoleculeTemplate, PourOptions};
use super::{MoleculeError, progress};
use crate::bead::{Bead, DepKind, Kind, fields};
use crate::change::{self, ChangeError, NewBead};
use crate::store::Tx;

/// In which order the two run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum BondType {
    /// The second after the first.
    #[default]
    Sequential,
    /// Both at once.
    Parallel,
    /// The second if the first failed.
    Conditional,
}

impl BondType {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Parallel => "parallel",
            Self::Conditional => "conditional",
        }
    }

    /// The edge by which the second operand depends on the first.
    pub fn edge(self) -> DepKind {
        match self {
            Self::Sequential => DepKind::Blocks,
            Self::Parallel => DepKind::ParentChild,
            Self::Conditional => DepKind::ConditionalBlocks,
        }
    }
}

/// An operand of a bond: a template to be poured, or an existing bead.
#[derive(Debug, Clone)]
pub enum BondOperand {
    Formula(Box<MoleculeTemplate>),
    /// The id of a bead.
    Bead(String),
}

impl BondOperand {
    /// Returns the template of a formula or of a proto. A molecule has none.
    fn template(&self, tx: &Tx<'_>) -> Option<MoleculeTemplate> {
        match self {
            Self::Formula(template) => Some((**template).clone()),
            Self::Bead(id) => {
                let bead = tx.get_live(id).filter(|bead| proto::is_proto(bead))?;
                Some(MoleculeTemplate::from_proto(tx, bead))
            }
        }
    }
}

/// The outcome of a bond.
#[derive(Debug, Clone, Default)]
pub struct BondOutcome {
    /// The compound, or the molecule that was bonded to.
    pub id: String,
    pub kind: &'static str,
    pub poured: Option<PouredMolecule>,
    /// The name of the poured template.
    pub name: String,
}

/// The options of a bond.
#[derive(Debug, Clone, Default)]
pub struct BondRequest {
    pub bond: BondType,
    /// The title of the compound.
    pub title: String,
    pub values: BTreeMap<String, String>,
    /// True if the poured part is a wisp; `None` to use the phase of the molecule.
    pub ephemeral: Option<bool>,
    /// The name of the poured part under the molecule.
    pub reference: String,
}

/// Bonds the operand B to the operand A.
pub fn bond_operands(
    tx: &mut Tx<'_>,
    a: BondOperand,
    b: BondOperand,
    request: &BondRequest,
) -> Result<BondOutcome, MoleculeError> {
    tx.describe("bond", "");
    match (a.template(tx), b.template(tx), a, b) {
        (Some(a_template), Some(b_template), a, b) => {
            let a = persist_operand(tx, &a, &a_template)?;
            let b = persist_operand(tx, &b, &b_template)?;
            create_compound(tx, &a, &b, request)
        }
        (Some(template), None, _, BondOperand::Bead(molecule))
        | (None, Some(template), BondOperand::Bead(molecule), _) => {
            pour_onto(tx, template, &molecule, request)
        }
        (None, None, BondOperand::Bead(a), BondOperand::Bead(b)) => {
            link_molecules(tx, &a, &b, request.bond)
        }
        _ => Err(MoleculeError::Refused("nothing to bond".into())),
    }
}

/// Returns the id of a template's proto. A template that is only a formula is persisted first.
fn persist_operand(
    tx: &mut Tx<'_>,
    operand: &BondOperand,
    template: &MoleculeTemplate,
) -> Result<String, MoleculeError> {
    if let BondOperand::Bead(id) = operand {
        return Ok(id.clone());
    }
    let id = proto::proto_id(tx, &template.name, None)?;
    if tx.get_live(&id).is_none() {
        proto::persist_proto(tx, template, &id, false)?;
    }
    Ok(id)
}

fn create_compound(
    tx: &mut Tx<'_>,
    a: &str,
    b: &str,
    request: &BondRequest,
) -> Result<BondOutcome, MoleculeError> {
    let title = match request.title.as_str() {
        "" => {
            let [a_title, b_title] =
                [a, b].map(|id| tx.get_live(id).map_or("", |bead| bead.title.as_str()));
            format!("Compound: {a_title} + {b_title}")
        }
        title => title.to_owned(),
    };
    let kind = request.bond.as_str();
    let bonded_from = json!([
        {"source_id": a, "bond_type": kind},
        {"source_id": b, "bond_type": kind},
    ]);
    let made = change::create_bead(
        tx,
        NewBead {
            title,
            issue_type: Kind::Epic,
            labels: vec![proto::LABEL.to_owned()],
            is_template: true,
            bonded_from: Some(bonded_from),
            ..NewBead::default()
        },
    )?;
    for id in [a, b] {
        change::add_dep(tx, id, &made.id, DepKind::ParentChild)?;
    }
    if request.bond != BondType::Parallel {
        change::add_dep(tx, b, a, request.bond.edge())?;
    }
    Ok(BondOutcome {
        id: made.id,
        kind: "compound_proto",
        ..BondOutcome::default()
    })
}

/// Pours a template and links it to a molecule.
fn pour_onto(
    tx: &mut Tx<'_>,
    template: MoleculeTemplate,
    molecule: &str,
    request: &BondRequest,
) -> Result<BondOutcome, MoleculeError> {
    let target = load_live(tx, molecule)?;
    let ephemeral = request.ephemeral.unwrap_or(target.ephemeral);
    let values = template.complete_values(&request.values)?;
    let reference = match request.reference.as_str() {
        "" => None,
        given => {
            let name = crate::formula::vars::substitute_values(given, &values);
            if name.is_empty()
                || !name
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
            {
                return Err(MoleculeError::Refused(format!(
                    "invalid --ref \"{name}\": use letters, digits, `-`, `_` and `.`"
                )));
            }
            Some((target.id.clone(), name))
        }
    };
    let options = PourOptions {
        values: request.values.clone(),
        ephemeral,
        // Bonded parts have the plain ids of beads.
        prefix: tx.prefix()?,
        reference,
        ..PourOptions::default()
    };
    let name = template.name.clone();
    let poured = pour_template(tx, template, &options)?;
    add_bond_edge(tx, &poured.root, &target.id, request.bond)?;
    Ok(BondOutcome {
        id: target.id,
        kind: "compound_molecule",
        name,
        poured: Some(poured),
    })
}

fn link_molecules(
    tx: &mut Tx<'_>,
    a: &str,
    b: &str,
    bond: BondType,
) -> Result<BondOutcome, MoleculeError> {
    let first = load_live(tx, a)?;
    let second = load_live(tx, b)?;
    add_bond_edge(tx, &second.id, &first.id, bond)?;
    Ok(BondOutcome {
        id: first.id,
        kind: "compound_molecule",
        ..BondOutcome::default()
    })
}

/// Adds the edge of a bond. A durable bead never has an edge to a wisp; in that case the wisp holds
/// the edge.
fn add_bond_edge(
    tx: &mut Tx<'_>,
    holder: &str,
    target: &str,
    bond: BondType,
) -> Result<(), MoleculeError> {
    match change::add_dep(tx, holder, target, bond.edge()) {
        Err(ChangeError::EdgeToWisp { from, to }) => {
            change::add_dep(tx, &to, &from, DepKind::Tracks)?;
            Ok(())
        }
        other => Ok(other.map(drop)?),
    }
}

fn load_live(tx: &Tx<'_>, id: &str) -> Result<Bead, ChangeError> {
    let bead = tx.get_live(id).cloned();
    bead.ok_or_else(|| ChangeError::NotFound(id.to_owned()))
}

/// Attaches a molecule to its work bead: the molecule has an edge to the bead. The bead's
/// description also names a durable molecule, because older tools look there. A wisp leaves no
/// trace in git.
pub fn attach_molecule(
    tx: &mut Tx<'_>,
    molecule: &str,
    bead: &str,
    at: &str,
) -> Result<(), MoleculeError> {
    let root = load_live(tx, molecule)?;
    let is_molecule = tx
        .bead_ref(molecule)
        .is_some_and(|bead_ref| progress::is_molecule(&bead_ref));
    if !is_molecule {
        return Err(MoleculeError::Refused(format!(
            "{molecule} is no molecule: it was not poured from a formula"
        )));
    }
    let mut work = load_live(tx, bead)?;
    change::add_dep(tx, molecule, bead, DepKind::Tracks)?;
    if root.ephemeral {
        return Ok(());
    }
    let named = fields::set_field(&work.description, progress::ATTACHED, Some(molecule));
    work.description = fields::set_field_at_top(&named, "attached_at", Some(at));
    tx.put_updated(work)?;
    Ok(())
}

/// Detaches the molecule of a bead. The molecule stays.
pub fn detach_molecule(tx: &mut Tx<'_>, bead: &str) -> Result<Option<String>, MoleculeError> {
    let mut work = load_live(tx, bead)?;
    let bead_ref = tx.bead_ref(bead);
    let Some(molecule) = bead_ref.and_then(|head| progress::attached_to(tx, &head)) else {
        return Ok(None);
    };
    match change::remove_dep(tx, &molecule, bead) {
        Ok(()) | Err(ChangeError::NoEdge { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    if fields::get_field(&work.description, progress::ATTACHED).is_some() {
        let unnamed = fields::set_field(&work.description, progress::ATTACHED, None);
        work.description = fields::set_field_at_top(&unnamed, "attached_at", None);
        tx.put_updated(work)?;
    }
    Ok(Some(molecule))
}
