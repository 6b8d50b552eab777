//! Pours a template into beads, in one transaction.

use std::collections::BTreeMap;

use super::template::{MoleculeTemplate, PourOptions, ROOT};
use super::{MoleculeError, proto};
use crate::change;
use crate::formula::{FormulaError, FormulaKind, FormulaSearchPath, cook_named};
use crate::store::{Snapshot, Tx};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PouredMolecule {
    /// The id of the root.
    pub root: String,
    /// The id of each step's bead, by the step's id in the template.
    pub ids: BTreeMap<String, String>,
}

impl PouredMolecule {
    /// Returns the ids by those of the proto: `NAME` and `NAME.STEP`.
    pub fn mapping(&self, name: &str) -> BTreeMap<String, String> {
        self.ids
            .iter()
            .map(|(key, id)| {
                let old_id = match key.as_str() {
                    ROOT => name.to_owned(),
                    key => format!("{name}.{key}"),
                };
                (old_id, id.clone())
            })
            .collect()
    }
}

/// Returns the id prefix of durable molecules or of wisps.
pub fn phase_prefix(tx: &Tx<'_>, ephemeral: bool) -> Result<String, MoleculeError> {
    let kind = if ephemeral { "wisp" } else { "mol" };
    Ok(format!("{}-{kind}", tx.prefix()?))
}

/// Creates the beads of a template. The root has the prefix of its phase if the options give none.
pub fn pour_template(
    tx: &mut Tx<'_>,
    template: MoleculeTemplate,
    options: &PourOptions,
) -> Result<PouredMolecule, MoleculeError> {
    let mut options = options.clone();
    if options.prefix.is_empty() {
        options.prefix = phase_prefix(tx, options.ephemeral)?;
    }
    let plan = template.into_plan(&options)?;
    let ids = change::create_all(tx, plan)?;
    let root = ids.get(ROOT).cloned().unwrap_or_default();
    Ok(PouredMolecule { root, ids })
}

/// Finds the template by name, by file or by the id of a proto. Formulas precede protos.
pub fn find_template(
    shelf: &FormulaSearchPath,
    snapshot: &Snapshot,
    given: &str,
    options: &PourOptions,
) -> Result<MoleculeTemplate, MoleculeError> {
    match cook_named(shelf, given, &options.values) {
        Ok(cooked) if cooked.formula.kind == FormulaKind::Convoy => {
            Err(MoleculeError::Refused(format!(
                "{given} is a convoy formula, whose legs are beads of their own: gt formula run {given}"
            )))
        }
        Ok(cooked) if cooked.formula.kind != FormulaKind::Workflow => {
            let kind = cooked.formula.kind.as_str();
            Err(MoleculeError::Refused(format!(
                "{given} is an {kind} formula: it becomes part of a workflow by compose.expand, compose.map, \
                 compose.aspects or expand"
            )))
        }
        Ok(cooked) => {
            // Missing values are checked when the beads are created.
            let values = crate::formula::vars::with_defaults(&cooked.formula, &options.values);
            Ok(MoleculeTemplate::from_formula(cooked.formula, &values))
        }
        Err(FormulaError::NotFound { name, similar, .. }) if name == given => {
            match snapshot.resolve(given) {
                Ok(bead) if proto::is_proto(bead) => {
                    Ok(MoleculeTemplate::from_proto(snapshot, bead))
                }
                Ok(bead) => Err(MoleculeError::NotAProto(bead.id.clone())),
                Err(_) => Err(MoleculeError::NotFound {
                    given: given.to_owned(),
                    note: match similar.as_slice() {
                        [] => String::new(),
                        names => format!("; did you mean {}?", names.join(" or ")),
                    },
                }),
            }
        }
        Err(FormulaError::BadName(_)) if snapshot.resolve(given).is_ok() => {
            Err(MoleculeError::NotAProto(given.to_owned()))
        }
        Err(error) => Err(error.into()),
    }
}
