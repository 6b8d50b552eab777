//! Hashes of beads. The content hash covers the content without id, times and links.

use sha2::{Digest, Sha256};

use super::{Bead, RawJson};

/// Computes the SHA-256 of the content fields, each followed by a NUL byte, as lower-case
/// hexadecimal.
pub fn compute_content_hash(bead: &Bead) -> String {
    let mut hash = Sha256::new();
    let mut put = |text: &str| {
        hash.update(text.as_bytes());
        hash.update([0]);
    };
    put(&bead.title);
    put(&bead.description);
    put(&bead.design);
    put(&bead.acceptance_criteria);
    put(&bead.notes);
    put(&bead.spec_id);
    put(bead.status.as_str());
    put(&bead.priority.to_string());
    put(bead.issue_type.as_str());
    put(&bead.assignee);
    put(&bead.owner);
    put(&bead.created_by);
    put(bead.external_ref.as_deref().unwrap_or(""));
    put(&bead.source_system);
    put(if bead.pinned { "pinned" } else { "" });
    put(bead.metadata.as_ref().map_or("", |raw| raw.get()));
    put(if bead.is_template { "template" } else { "" });
    put_raw_fields(bead, &mut put);
    put(if bead.crystallizes {
        "crystallizes"
    } else {
        ""
    });
    put(&bead.await_type);
    put(&bead.await_id);
    put(&bead.timeout.to_string());
    for waiter in &bead.waiters {
        put(waiter);
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
        put(text);
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
fn put_raw_fields(bead: &Bead, put: &mut impl FnMut(&str)) {
    for bond in parse_raw_items(bead.bonded_from.as_ref()) {
        for key in ["source_id", "bond_type", "bond_point"] {
            put(string_at(&bond, key));
        }
    }
    if let Some(creator) = parse_raw_value(bead.creator.as_ref()) {
        put_entity(&creator, put);
    }
    for verdict in parse_raw_items(bead.validations.as_ref()) {
        put_entity(&verdict["validator"], put);
        put(string_at(&verdict, "outcome"));
        let seconds = super::Stamp::parse(string_at(&verdict, "timestamp")).instant();
        put(&seconds.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
        put(&format_score(&verdict["score"]));
    }
    let quality = parse_raw_value(bead.quality_score.as_ref()).unwrap_or_default();
    put(&format_score(&quality));
}

fn put_entity(entity: &serde_json::Value, put: &mut impl FnMut(&str)) {
    for key in ["name", "platform", "org", "id"] {
        put(string_at(entity, key));
    }
}

fn format_score(value: &serde_json::Value) -> String {
    value
        .as_f64()
        .map(|score| format!("{score:.6}"))
        .unwrap_or_default()
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
