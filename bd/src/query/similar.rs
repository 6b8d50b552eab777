//! Finds beads with equal or similar text.

use std::collections::{BTreeMap, BTreeSet};

use crate::bead::Bead;

/// Returns groups of open beads with the same title, texts and status, each sorted by id.
pub fn equal_groups<'a>(beads: impl IntoIterator<Item = &'a Bead>) -> Vec<Vec<&'a Bead>> {
    let mut groups: BTreeMap<[&str; 5], Vec<&Bead>> = BTreeMap::new();
    for bead in beads.into_iter().filter(|bead| bead.is_open()) {
        let key = [
            bead.title.as_str(),
            &bead.description,
            &bead.design,
            &bead.acceptance_criteria,
            bead.status.as_str(),
        ];
        groups.entry(key).or_default().push(bead);
    }
    let mut groups: Vec<_> = groups
        .into_values()
        .filter(|group| group.len() > 1)
        .collect();
    for group in &mut groups {
        group.sort_by(|a, b| a.id.cmp(&b.id));
    }
    groups.sort_by(|a, b| a[0].id.cmp(&b[0].id));
    groups
}

/// Two beads and their similarity, from 0 to 1.
#[derive(Debug, Clone, Copy)]
pub struct SimilarPair<'a> {
    /// The bead with the smaller id.
    pub a: &'a Bead,
    pub b: &'a Bead,
    pub similarity: f64,
}

/// Returns the pairs with at least this similarity, the most similar first.
pub fn find_similar_pairs<'a>(beads: &[&'a Bead], threshold: f64) -> Vec<SimilarPair<'a>> {
    let mut beads: Vec<_> = beads
        .iter()
        .map(|bead| (*bead, collect_words(bead)))
        .collect();
    beads.sort_by(|(a, _), (b, _)| a.id.cmp(&b.id));
    let mut found = Vec::new();
    for (at, (a, a_words)) in beads.iter().enumerate() {
        for (b, b_words) in &beads[at + 1..] {
            let similarity = compute_similarity(a_words, b_words);
            if similarity >= threshold {
                found.push(SimilarPair { a, b, similarity });
            }
        }
    }
    found.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    found
}

/// Returns the words of the title and the words of the description.
fn collect_words(bead: &Bead) -> [BTreeSet<String>; 2] {
    [&bead.title, &bead.description].map(|text| {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.chars().count() > 1)
            .map(str::to_lowercase)
            .collect()
    })
}

/// Returns the fraction of words that both texts have, or `None` if neither has any.
fn compute_shared_part(a: &BTreeSet<String>, b: &BTreeSet<String>) -> Option<f64> {
    let all = a.union(b).count();
    let both = a.intersection(b).count();
    #[expect(clippy::cast_precision_loss, reason = "texts have few words")]
    let part = both as f64 / all as f64;
    (all > 0).then_some(part)
}

/// Returns the fraction of words that both beads have. The title counts twice as much as the
/// description, which may be missing.
fn compute_similarity(a: &[BTreeSet<String>; 2], b: &[BTreeSet<String>; 2]) -> f64 {
    match (
        compute_shared_part(&a[0], &b[0]),
        compute_shared_part(&a[1], &b[1]),
    ) {
        (Some(title), Some(description)) => (2.0 * title + description) / 3.0,
        (Some(title), None) => title,
        (None, Some(description)) => description,
        (None, None) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bead(id: &str, title: &str, description: &str) -> Bead {
        Bead {
            id: id.into(),
            title: title.into(),
            description: description.into(),
            ..Bead::default()
        }
    }

    #[test]
    fn similarity_is_the_share_of_common_words() {
        let beads = [
            bead("bd-1", "Login form fails", ""),
            bead("bd-2", "login FORM fails!", ""),
            bead("bd-3", "Login page", ""),
            bead("bd-4", "Something else", "Login form fails"),
        ];
        let beads: Vec<&Bead> = beads.iter().collect();
        let found = find_similar_pairs(&beads, 0.2);
        let ids: Vec<_> = found
            .iter()
            .map(|pair| (&*pair.a.id, &*pair.b.id))
            .collect();
        assert_eq!(ids, [("bd-1", "bd-2"), ("bd-1", "bd-3"), ("bd-2", "bd-3")]);
        assert!((found[0].similarity - 1.0).abs() < 1e-9);
        assert!((found[1].similarity - 0.25).abs() < 1e-9);
    }
}
