//! Generates, splits and resolves ids: `<prefix>-<hash>`, with children `<parent>.<n>`.
//!
//! The hash follows from title, description, creator and time, so two clones that create the same
//! bead at the same instant give it the same id. The length of the hash grows with the number of
//! beads.

use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The shortest and the longest hash part.
pub const LENGTHS: std::ops::RangeInclusive<usize> = 3..=8;
/// The number of nonces that are tried at each length.
pub const NONCES: u32 = 10;

/// The input of the hash.
#[derive(Debug, Clone, Copy)]
pub struct IdSeed<'a> {
    pub title: &'a str,
    pub description: &'a str,
    pub creator: &'a str,
    /// The creation time, in nanoseconds since 1970.
    pub nanos: i128,
}

/// Computes the hash part of an id with this length.
pub fn compute_hash_part(seed: IdSeed<'_>, nonce: u32, length: usize) -> String {
    let text = format!(
        "{}|{}|{}|{}|{nonce}",
        seed.title, seed.description, seed.creator, seed.nanos
    );
    let digest = Sha256::digest(text.as_bytes());
    let bytes = match length {
        ..=3 => 2,
        4 => 3,
        5 | 6 => 4,
        _ => 5,
    };
    let number = digest[..bytes]
        .iter()
        .fold(0u64, |sum, byte| (sum << 8) | u64::from(*byte));
    encode_base36(number, length)
}

/// Returns the last `length` base36 digits, padded with zeros on the left.
fn encode_base36(mut number: u64, length: usize) -> String {
    let mut digits = vec![b'0'; length];
    for digit in digits.iter_mut().rev() {
        let value = (number % 36) as u8;
        *digit = if value < 10 {
            b'0' + value
        } else {
            b'a' + value - 10
        };
        number /= 36;
    }
    digits.into_iter().map(char::from).collect()
}

/// Returns the shortest length at which a new id collides with one of `count` top-level ids with a
/// probability of at most `limit`.
pub fn choose_hash_length(count: usize, limit: f64) -> usize {
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let n = count as f64;
    LENGTHS
        .into_iter()
        .find(|length| {
            let space = 36f64.powi(i32::try_from(*length).unwrap_or(8));
            1.0 - (-n * n / (2.0 * space)).exp() <= limit
        })
        .unwrap_or(*LENGTHS.end())
}

/// Returns the first free id with this prefix, or `None` if every attempt collided.
pub fn generate_id(
    prefix: &str,
    seed: IdSeed<'_>,
    start: usize,
    is_taken: impl Fn(&str) -> bool,
) -> Option<String> {
    (start.max(*LENGTHS.start())..=*LENGTHS.end())
        .flat_map(|length| (0..NONCES).map(move |nonce| (length, nonce)))
        .map(|(length, nonce)| format!("{prefix}-{}", compute_hash_part(seed, nonce, length)))
        .find(|id| !is_taken(id))
}

/// Splits a child id into its parent and number. The part after the last dot must be all digits.
pub fn split_child(id: &str) -> Option<(&str, u64)> {
    let (parent, number) = id.rsplit_once('.')?;
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (digits && !parent.is_empty())
        .then(|| number.parse().ok())
        .flatten()
        .map(|number| (parent, number))
}

/// Returns the prefix by which an id is routed, up to and including the first hyphen.
pub fn route_prefix(id: &str) -> Option<&str> {
    id.find('-').map(|at| &id[..=at])
}

/// Returns the prefix of an id, without the hyphen before the hash.
///
/// The last part is a hash if it is all digits, three base36 characters, or four to eight
/// characters with a digit. Otherwise the prefix ends at the first hyphen.
pub fn prefix_of(id: &str) -> Option<&str> {
    prefix_before_hash(id).or_else(|| id.find('-').map(|at| &id[..at]))
}

/// Returns the prefix of an id whose last part is a hash or a number.
pub fn prefix_before_hash(id: &str) -> Option<&str> {
    let bytes = id.as_bytes();
    let last = memchr::memrchr(b'-', bytes)?;
    let rest = &bytes[last + 1..];
    let tail = &rest[..memchr::memchr(b'.', rest).unwrap_or(rest.len())];
    let is_base36 = tail
        .iter()
        .all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase());
    let hash = match tail.len() {
        3 => is_base36,
        4..=8 => is_base36 && tail.iter().any(u8::is_ascii_digit),
        _ => false,
    };
    (hash || tail.iter().all(u8::is_ascii_digit)).then(|| &id[..last])
}

/// The prefix of several ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharedPrefix<'a> {
    /// No id has a prefix.
    None,
    Is(&'a str),
    Mixed,
}

/// Finds the prefix that all ids share. An id whose last part could be a word or a hash, such as
/// `dns-ops-cwcx`, has the prefix of the others if it begins with it.
pub fn find_shared_prefix<'a>(ids: impl Iterator<Item = &'a str>) -> SharedPrefix<'a> {
    let (mut found, mut unsure): (Option<&str>, Vec<&str>) = (None, Vec::new());
    for id in ids {
        let Some(prefix) = prefix_before_hash(id) else {
            unsure.extend(id.contains('-').then_some(id));
            continue;
        };
        match found {
            Some(shared) if has_prefix(id, shared) => {}
            Some(shared) => match shorter_prefix(shared, prefix) {
                Some(shorter) => found = Some(shorter),
                None => return SharedPrefix::Mixed,
            },
            None => found = Some(prefix),
        }
    }
    let mut shared = match (found, unsure.as_slice()) {
        (Some(found), _) => found,
        (None, []) => return SharedPrefix::None,
        (None, [only]) => return prefix_of(only).map_or(SharedPrefix::None, SharedPrefix::Is),
        (None, [first, ..]) => &first[..first.rfind('-').unwrap_or(0)],
    };
    for id in unsure {
        while !has_prefix(id, shared) {
            match shared.rfind('-') {
                Some(end) => shared = &shared[..end],
                None => return SharedPrefix::Mixed,
            }
        }
    }
    SharedPrefix::Is(shared)
}

/// Returns the prefix that all ids share; if there are several, the most frequent one.
pub fn find_usual_prefix(ids: &[String]) -> Option<&str> {
    match find_shared_prefix(ids.iter().map(String::as_str)) {
        SharedPrefix::None => return None,
        SharedPrefix::Is(prefix) => return Some(prefix),
        SharedPrefix::Mixed => {}
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for prefix in ids.iter().filter_map(|id| prefix_of(id)) {
        *counts.entry(prefix).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.map(|(prefix, _)| prefix)
}

/// Returns true if an id begins with a prefix and a hyphen.
pub fn has_prefix(id: &str, prefix: &str) -> bool {
    id.strip_prefix(prefix)
        .is_some_and(|rest| rest.starts_with('-'))
}

/// Returns true if an id begins with one of the prefixes.
pub fn has_prefix_in(id: &str, prefixes: &[String]) -> bool {
    prefixes
        .iter()
        .any(|prefix| has_prefix(id, prefix.trim_end_matches('-')))
}

/// Returns the prefix that the other extends by words: `web` of `web` and `web-mol`.
pub fn shorter_prefix<'a>(a: &'a str, b: &'a str) -> Option<&'a str> {
    let first = has_prefix(b, a).then_some(a);
    first.or_else(|| has_prefix(a, b).then_some(b))
}

/// Returns true if an id is safe in file names, commands and lines.
pub fn is_well_formed(id: &str) -> bool {
    id.contains('-')
        && id.len() <= 200
        && !id.starts_with(['-', '.'])
        && id
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// Derives a prefix from any name: only lower-case letters, digits and hyphens; `bd` if nothing
/// remains.
pub fn clean_prefix(name: &str) -> String {
    let kept: String = name
        .chars()
        .map(|c| c.to_ascii_lowercase())
        .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
        .collect();
    let clean = kept.trim_matches('-');
    if clean.is_empty() {
        "bd".to_owned()
    } else {
        clean.to_owned()
    }
}

/// The reason why a partial id does not resolve to one bead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    #[error("no issue found matching \"{0}\"")]
    NotFound(String),
    #[error("no issue found matching \"{}\": it was deleted{} at {}", id.escape_debug(), format_deleter(by), at.escape_debug())]
    Deleted { id: String, by: String, at: String },
    /// More than one bead matches.
    #[error("ambiguous ID \"{given}\" matches {} issues: [{}]\nUse more characters to disambiguate", found.len(), format_candidates(found))]
    Ambiguous { given: String, found: Vec<String> },
}

/// Old tombstones may not record the deleter.
pub(crate) fn format_deleter(by: &str) -> String {
    if by.is_empty() {
        String::new()
    } else {
        // The name comes from a file. Escaping keeps a line break in it from imitating our own
        // output.
        format!(" by {}", by.escape_debug())
    }
}

/// Resolves `given` to the one id that it means. The order of matching: exact, with the prefix put
/// before it, an equal hash part, a part of a hash part. If `given` begins with the project's
/// prefix, only the beginning of a hash part matches.
pub fn resolve_id<'a>(
    given: &str,
    prefix: &str,
    exists: impl Fn(&str) -> bool,
    all: impl Iterator<Item = &'a str>,
) -> Result<String, ResolveError> {
    if exists(given) {
        return Ok(given.to_owned());
    }
    let full = if looks_prefixed(given, prefix) {
        given.to_owned()
    } else {
        format!("{prefix}-{given}")
    };
    if exists(&full) {
        return Ok(full);
    }
    let wanted = hash_part(&full);
    // A prefix in `given` means that the user typed the beginning of an id.
    let is_start = full == given && is_prefixed(given, prefix);
    let mut equal = Vec::new();
    let mut partial = Vec::new();
    for id in all {
        let hash = hash_part(id);
        let is_partial = if is_start {
            id.starts_with(given)
        } else {
            hash.contains(wanted)
        };
        if hash == wanted {
            equal.push(id.to_owned());
        } else if !wanted.is_empty() && is_partial {
            partial.push(id.to_owned());
        }
    }
    let mut found = if equal.is_empty() { partial } else { equal };
    match found.len() {
        0 => Err(ResolveError::NotFound(given.to_owned())),
        1 => Ok(found.remove(0)),
        _ => Err(ResolveError::Ambiguous {
            given: given.to_owned(),
            found,
        }),
    }
}

/// Returns up to three ids that are spelled similarly to `given`, the closest first.
pub fn find_similar_ids<'a>(given: &str, all: impl Iterator<Item = &'a str>) -> Vec<String> {
    let given = given.to_lowercase();
    let mut near = Vec::new();
    for id in all {
        // Without a prefix, `given` means the hash part.
        let candidate = if given.contains('-') {
            id
        } else {
            hash_part(id)
        };
        if candidate.len().abs_diff(given.len()) > 2 {
            continue;
        }
        let distance = strsim::osa_distance(&given, candidate);
        if distance <= 2 && distance * 2 < candidate.len() {
            near.push((distance, id));
        }
    }
    near.sort_unstable();
    near.into_iter()
        .take(3)
        .map(|(_, id)| id.to_owned())
        .collect()
}

fn hash_part(id: &str) -> &str {
    id.split_once('-').map_or(id, |(_, hash)| hash)
}

/// Returns true if `given` begins with the project's prefix.
pub(crate) fn is_prefixed(given: &str, prefix: &str) -> bool {
    let rest = given.strip_prefix(prefix);
    rest.is_some_and(|rest| rest.starts_with('-'))
}

fn looks_prefixed(given: &str, prefix: &str) -> bool {
    let has_prefix = is_prefixed(given, prefix);
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    has_prefix
        || given.split_once('-').is_some_and(|(start, rest)| {
            (1..=8).contains(&start.len())
                && start.chars().all(is_plain)
                && rest.starts_with(is_plain)
        })
}

/// The maximum number of candidates that the error names.
const MAX_CANDIDATES: usize = 20;

fn format_candidates(found: &[String]) -> String {
    let first = found[..found.len().min(MAX_CANDIDATES)].join(" ");
    let rest = if found.len() > MAX_CANDIDATES {
        " …"
    } else {
        ""
    };
    first + rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SEED: IdSeed<'_> = IdSeed {
        title: "Fix login",
        description: "Users cannot log in",
        creator: "alice",
        nanos: 1_767_225_600_000_000_000,
    };

    #[test]
    fn hash_ids_match_existing_clients() {
        let table = [
            (3, "wll", "zbv"),
            (4, "ftle", "z8it"),
            (5, "sig4h", "mkltg"),
            (6, "9sig4h", "dmkltg"),
            (7, "1mr6nyr", "swij5ij"),
            (8, "91mr6nyr", "9swij5ij"),
        ];
        for (length, first, second) in table {
            assert_eq!(compute_hash_part(SEED, 0, length), first);
            assert_eq!(compute_hash_part(SEED, 1, length), second);
        }
    }

    #[test]
    fn similar_ids_differ_by_a_typo() {
        let all = ["bd-k3f", "bd-k3g.1", "bd-zzz", "xx-k3f"];
        assert_eq!(
            find_similar_ids("bd-k3g", all.into_iter()),
            ["bd-k3f", "bd-k3g.1"]
        );
        assert_eq!(
            find_similar_ids("k4f", all.into_iter()),
            ["bd-k3f", "xx-k3f"]
        );
        assert!(find_similar_ids("nothing-like", all.into_iter()).is_empty());
    }

    #[test]
    fn ids_grow_with_the_number_of_beads() {
        for (count, length) in [
            (0, 3),
            (163, 3),
            (164, 4),
            (983, 4),
            (984, 5),
            (5898, 5),
            (5899, 6),
            (35_389, 6),
            (35_390, 7),
            (212_339, 7),
            (212_340, 8),
            (9_000_000, 8),
        ] {
            assert_eq!(choose_hash_length(count, 0.25), length, "{count}");
        }
    }

    #[test]
    fn a_collision_tries_the_next_nonce_then_a_longer_hash() {
        let second = generate_id("bd", SEED, 3, |id| id == "bd-wll");
        assert_eq!(second.as_deref(), Some("bd-zbv"));
        let longer = generate_id("bd", SEED, 3, |id| id.len() == 6);
        assert_eq!(longer.as_deref(), Some("bd-ftle"));
        assert_eq!(generate_id("bd", SEED, 3, |_| true), None);
    }

    #[test]
    fn a_last_part_that_could_be_a_word_has_the_prefix_of_the_other_ids() {
        let shared = |ids: &[&'static str]| find_shared_prefix(ids.iter().copied());
        for ids in [
            &["dns-ops-a1b", "dns-ops-cwcx"][..],
            &["dns-ops-cwcx", "dns-ops-a1b"],
            &["dns-ops-cwcx", "dns-ops-abcd", "dns-ops-abcd.1"],
            &["dns-ops-42"],
        ] {
            assert_eq!(shared(ids), SharedPrefix::Is("dns-ops"), "{ids:?}");
        }
        assert_eq!(shared(&["web-mol-x1y", "web-a1b"]), SharedPrefix::Is("web"));
        assert_eq!(shared(&["vc-baseline-test"]), SharedPrefix::Is("vc"));
        assert_eq!(shared(&["a-1", "b-1"]), SharedPrefix::Mixed);
        assert_eq!(shared(&["a-1", "b-word"]), SharedPrefix::Mixed);
        assert_eq!(shared(&["none"]), SharedPrefix::None);
    }

    #[test]
    fn prefixes_are_parsed_like_existing_clients() {
        for (id, prefix) in [
            ("beads-vscode-1", "beads-vscode"),
            ("web-app-a3f8e9", "web-app"),
            ("bead-me-up-3e9.1.2", "bead-me-up"),
            ("vc-baseline-test", "vc"),
            ("hacker-news-ko4", "hacker-news"),
            ("bd-", "bd"),
            ("x-bat", "x"),
        ] {
            assert_eq!(prefix_of(id), Some(prefix), "{id}");
        }
        assert_eq!(prefix_of("nohyphen"), None);
        assert_eq!(route_prefix("hq-cv-x"), Some("hq-"));
    }

    #[test]
    fn a_child_id_has_digits_after_its_last_dot() {
        assert_eq!(split_child("bd-a.1.12"), Some(("bd-a.1", 12)));
        assert_eq!(split_child("my.project-abc"), None);
    }

    fn find(given: &str, prefix: &str, ids: &[&str]) -> Result<String, ResolveError> {
        resolve_id(given, prefix, |id| ids.contains(&id), ids.iter().copied())
    }

    #[test]
    fn a_parent_is_preferred_to_its_children() {
        let ids = ["bd-a3f8", "bd-a3f8.1", "bd-a3f8.2"];
        assert_eq!(find("a3f8", "bd", &ids).unwrap(), "bd-a3f8");
        assert_eq!(find("bd-a3f8", "bd", &ids).unwrap(), "bd-a3f8");
    }

    #[test]
    fn partial_ids_are_found_across_prefixes() {
        assert_eq!(
            find("3d0", "bd", &["offlinebrew-3d0"]).unwrap(),
            "offlinebrew-3d0"
        );
        assert_eq!(find("aap-4ar", "hq", &["aap-4ar"]).unwrap(), "aap-4ar");
        assert_eq!(find("4ar", "hq", &["aap-4ar"]).unwrap(), "aap-4ar");
        assert_eq!(
            find("nope", "hq", &["aap-4ar"]),
            Err(ResolveError::NotFound("nope".into()))
        );
    }

    #[test]
    fn an_ambiguous_partial_id_names_its_candidates() {
        let error = find("a", "bd", &["bd-ab", "bd-ac"])
            .unwrap_err()
            .to_string();
        assert!(error.contains("matches 2 issues: [bd-ab bd-ac]"), "{error}");
        let many: Vec<String> = (10..99).map(|number| format!("bd-a{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let error = find("a", "bd", &many).unwrap_err().to_string();
        assert!(error.contains("matches 89 issues: [bd-a10 "), "{error}");
        assert!(error.contains(" bd-a29 …]"), "{error}");
    }

    proptest! {
        #[test]
        fn any_name_makes_a_usable_prefix(name in any::<String>()) {
            let prefix = clean_prefix(&name);
            let id = format!("{prefix}-abc");
            prop_assert!(is_well_formed(&id));
        }

        #[test]
        fn generated_ids_never_collide(taken in 0u32..9) {
            let used: Vec<_> = (0..taken).map(|nonce| format!("bd-{}", compute_hash_part(SEED, nonce, 3))).collect();
            let id = generate_id("bd", SEED, 3, |id| used.iter().any(|own| own == id)).unwrap();
            prop_assert!(!used.contains(&id));
        }
    }
}
