//! Compares words with names, for suggestions.

/// Returns true if `word` is `name` with one slip of the keyboard, in long words two, or if one of
/// them begins with the other.
pub fn is_slip(word: &str, name: &str) -> bool {
    let (word, name) = (word.to_lowercase(), name.to_lowercase());
    let slips = if name.len() < 6 { 1 } else { 2 };
    let has_same_start = word.len() > 2 && (name.starts_with(&word) || word.starts_with(&name));
    has_same_start || strsim::damerau_levenshtein(&word, &name) <= slips
}

#[cfg(test)]
mod tests {
    use super::is_slip;

    #[test]
    fn slips_are_near_and_other_words_are_not() {
        for (word, name) in [
            ("stauts", "status"),
            ("slign", "sling"),
            ("convoys", "convoy"),
            ("polcat", "polecat"),
            ("Mail", "mail"),
            ("shwo", "show"),
            ("lst", "list"),
            ("craete", "create"),
        ] {
            assert!(is_slip(word, name), "{word} {name}");
        }
        for (word, name) in [
            ("logs", "dog"),
            ("nosuch", "hook"),
            ("stop", "up"),
            ("kill", "mail"),
            ("whoami", "swarm"),
            ("tree", "create"),
            ("push", "purge"),
        ] {
            assert!(!is_slip(word, name), "{word} {name}");
        }
    }
}
