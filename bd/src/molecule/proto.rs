//! Protos: cooked formulas stored as beads, so that they can be poured even without their file.

use serde_json::json;

use super::MoleculeError;
use super::template::{MoleculeTemplate, ROOT};
use crate::bead::Bead;
use crate::bead::id::is_well_formed;
use crate::bead::record::{self, RecordFields};
use crate::change::{self, BeadPlan, ChangeError, PlanBead, PlanEdge, PlanEndpoint};
use crate::store::Tx;

/// The label of a proto's root.
pub const LABEL: &str = "template";

/// Returns true if a bead is the root of a proto.
pub fn is_proto(bead: &Bead) -> bool {
    bead.has_label(LABEL)
}

/// Returns the id of a formula's proto: its name, with the project's prefix if the name has no
/// hyphen.
pub fn proto_id(tx: &Tx<'_>, name: &str, prefix: Option<&str>) -> Result<String, MoleculeError> {
    let id = match prefix {
        Some(prefix) => format!("{prefix}{name}"),
        None => name.to_owned(),
    };
    if is_well_formed(&id) {
        return Ok(id);
    }
    Ok(format!("{}-{name}", tx.prefix()?))
}

/// Stores a template as beads with the ids `ID` and `ID.STEP`. With `replace`, an older proto is
/// removed first.
pub fn persist_proto(
    tx: &mut Tx<'_>,
    template: &MoleculeTemplate,
    id: &str,
    replace: bool,
) -> Result<usize, MoleculeError> {
    if let Some(old) = tx.get_live(id) {
        if !is_proto(old) {
            return Err(MoleculeError::Refused(format!(
                "{id} is a bead and no proto: rename the formula, or give the proto a --prefix"
            )));
        }
        if !replace {
            return Err(MoleculeError::Refused(format!(
                "proto {id} already exists (use --force to replace)"
            )));
        }
        remove_old_proto(tx, id, &template.name)?;
    }
    let mut plan = BeadPlan {
        is_any_depth: true,
        ..BeadPlan::default()
    };
    for (order, bead) in template.beads.iter().enumerate() {
        let mut new = bead.new.clone();
        let proto_id = if bead.key == ROOT {
            new.labels.push(LABEL.to_owned());
            id.to_owned()
        } else {
            format!("{id}.{}", bead.key)
        };
        if !is_well_formed(&proto_id) {
            let invalid = crate::bead::validate::ValidationError::Id(proto_id);
            return Err(ChangeError::Store(invalid.into()).into());
        }
        new.id = Some(proto_id);
        new.force = true;
        new.is_template = true;
        let mut metadata = new
            .metadata
            .as_ref()
            .map(|raw| RecordFields::parse(raw.get()));
        let fields = metadata.get_or_insert_default();
        fields.0.retain(|(key, _)| key != "order");
        fields
            .0
            .extend(record::to_raw_json(&json!(order)).map(|raw| ("order".to_owned(), raw)));
        new.metadata = fields.to_raw_json();
        plan.beads.push(PlanBead {
            key: bead.key.clone(),
            parent: bead.parent.clone().map(PlanEndpoint::Key),
            new,
        });
        plan.edges
            .extend(bead.edges.iter().map(|(kind, to, metadata)| PlanEdge {
                from: PlanEndpoint::Key(bead.key.clone()),
                to: PlanEndpoint::Key(to.clone()),
                kind: kind.clone(),
                metadata: metadata.clone(),
            }));
    }
    let count = plan.beads.len();
    change::create_all(tx, plan)?;
    Ok(count)
}

/// Removes an older proto of the same formula. Fails if other beads were added to it, or if it is
/// part of a compound.
fn remove_old_proto(tx: &mut Tx<'_>, id: &str, formula: &str) -> Result<(), MoleculeError> {
    let members = super::progress::list_molecule_steps(tx, id);
    let beads: Vec<Bead> = members
        .iter()
        .filter_map(|member| member.bead().cloned())
        .collect();
    let member_ids: Vec<String> = beads.iter().map(|bead| bead.id.clone()).collect();
    let mut others: Vec<String> = Vec::new();
    for bead in &beads {
        if !bead.is_template || bead.source_formula.split('@').next() != Some(formula) {
            others.push(bead.id.clone());
        }
    }
    if let Some(root) = tx.get_live(id) {
        others.extend(
            root.dependencies
                .iter()
                .map(|edge| edge.depends_on_id.clone()),
        );
    }
    for (holder, _) in tx.dependents_of(id) {
        if holder.id != id && !member_ids.contains(&holder.id) {
            others.push(holder.id.clone());
        }
    }
    if !others.is_empty() {
        return Err(MoleculeError::Refused(format!(
            "proto {id} cannot be replaced: {} belong to it and are not of the formula; give the new one a --prefix",
            others.join(", ")
        )));
    }
    for old in member_ids.iter().map(String::as_str).chain([id]) {
        change::delete_bead(tx, old, "replaced by a newer proto", true)?;
    }
    Ok(())
}
