//! Hashes of beads. The content hash covers the content without id, times and links.

use sha2::{Digest, Sha256};

use super::{Bead, RawJson};

/// Computes the SHA-256 of the content fields, each followed by a NUL byte, as lower-case
/// hexadecimal.
pub fn compute_content_hash(bead: &Bead) -> String {
    let mut hash = Sha256::new();
    let mut hash_text = |text: &str| {
        hash.update(text.as_bytes());
        hash.update([0]);
    };
    hash_text(&bead.title);
    hash_text(&bead.description);
    hash_text(&bead.design);
    hash_text(&bead.acceptance_criteria);
    hash_text(&bead.notes);
    hash_text(&bead.spec_id);
    hash_text(bead.status.as_str());
    hash_text(&bead.priority.to_string());
    hash_text(bead.issue_type.as_str());
    hash_text(&bead.assignee);
    hash_text(&bead.owner);
    hash_text(&bead.created_by);
    hash_text(bead.external_ref.as_deref().unwrap_or(""));
    hash_text(&bead.source_system);
    hash_text(if bead.pinned { "pinned" } else { "" });
    hash_text(bead.metadata.as_ref().map_or("", |raw| raw.get()));
    hash_text(if bead.is_template { "template" } else { "" });
    put_raw_fields(bead, &mut hash_text);
    hash_text(if bead.crystallizes {
        "crystallizes"
    } else {
        ""
    });
    hash_text(&bead.await_type);
    hash_text(&bead.await_id);
    hash_text(&bead.timeout.to_string());
    for waiter in &bead.waiters {
        hash_text(waiter);
    }
    for text in [
        &bead.holder,
        &bead.hook_bead,
        &bead.role_bead,
        &bead.agent_state,
        &bead.role_type,
        &bead.rig,
        &bead.mol_type,
        &bead.work_type,
        &bead.event_kind,
        &bead.actor,
        &bead.target,
        &bead.payload,
    ] {
        hash_text(text);
    }
    encode_hex(&hash.finalize())
}

/// Encodes bytes as lower-case hexadecimal.
pub(crate) fn encode_hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing into a string cannot fail.
        write!(text, "{byte:02x}").ok();
        text
    })
}

/// Feeds bonds, creator, validations and quality, which the record keeps as raw JSON, into the
/// hash.
fn put_raw_fields(bead: &Bead, hash_text: &mut impl FnMut(&str)) {
    for bond in parse_raw_items(bead.bonded_from.as_ref()) {
        for key in ["source_id", "bond_type", "bond_point"] {
            hash_text(string_at(&bond, key));
        }
    }
    if let Some(creator) = parse_raw_value(bead.creator.as_ref()) {
        put_entity(&creator, hash_text);
    }
    for verdict in parse_raw_items(bead.validations.as_ref()) {
        put_entity(&verdict["validator"], hash_text);
        hash_text(string_at(&verdict, "outcome"));
        let seconds = super::Stamp::parse(string_at(&verdict, "timestamp")).instant();
        hash_text(&seconds.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
        hash_text(&format_score(&verdict["score"]));
    }
    let quality = parse_raw_value(bead.quality_score.as_ref());
    hash_text(&format_score(
        quality.as_ref().unwrap_or(&serde_json::Value::Null),
    ));
}

fn put_entity(entity: &serde_json::Value, hash_text: &mut impl FnMut(&str)) {
    for key in ["name", "platform", "org", "id"] {
        hash_text(string_at(entity, key));
    }
}

fn format_score(value: &serde_json::Value) -> String {
    value
        .as_f64()
        .map_or(String::new(), |score| format!("{score:.6}"))
}

fn string_at<'a>(value: &'a serde_json::Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or("")
}

fn parse_raw_value(raw: Option<&RawJson>) -> Option<serde_json::Value> {
    serde_json::from_str(raw?.get()).ok()
}

fn parse_raw_items(raw: Option<&RawJson>) -> Vec<serde_json::Value> {
    match parse_raw_value(raw) {
        Some(serde_json::Value::Array(items)) => items,
        _ => Vec::new(),
    }
}

/// Returns the first `bytes` bytes of the SHA-256 of a text, in hexadecimal. The hash serves as a
/// short key for the text.
pub fn compute_short_hash(text: impl AsRef<[u8]>, bytes: usize) -> String {
    let digest = Sha256::digest(text);
    encode_hex(&digest[..bytes.min(digest.len())])
}

/// Returns the version of a bead: the first 12 digits of the SHA-256 of its line. Any change of
/// fields, labels, edges or comments changes the version.
pub fn compute_version(bead: &Bead) -> String {
    compute_short_hash(super::record::serialize_bead(bead), 6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bead::Kind;

    #[test]
    fn the_hash_matches_existing_clients() {
        let bead = Bead {
            title: "Fix login".into(),
            description: "Users cannot log in".into(),
            priority: 1,
            issue_type: Kind::Bug,
            owner: "a@example.com".into(),
            created_by: "alice".into(),
            ..Bead::default()
        };
        assert_eq!(
            compute_content_hash(&bead),
            "159183a5af6f4144d17cb0f3397c7b0c66da208c68148d84cb11b364c065b336"
        );
    }
}
