//! Compares words with names, for suggestions.

/// Returns true if `word` is `name` with one slip of the keyboard, in long words two, or if one of
/// them begins with the other. Words of one or two letters are too short for slips.
pub fn is_slip(word: &str, name: &str) -> bool {
    let word = word.to_lowercase();
    let name = name.to_lowercase();
    let slips = if name.len() < 6 { 1 } else { 2 };
    if word.len().min(name.len()) < 3 {
        return false;
    }
    let has_same_start = name.starts_with(&word) || word.starts_with(&name);
    has_same_start || strsim::damerau_levenshtein(&word, &name) <= slips
}

/// Sorts names by their distance from `word`, those that begin with it first.
pub fn sort_nearest_first(word: &str, names: Vec<&str>) -> Vec<String> {
    let mut names = names;
    names.sort_by_key(|name| {
        let distance = strsim::damerau_levenshtein(word, name);
        (!name.starts_with(word), distance)
    });
    names.into_iter().map(str::to_owned).collect()
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
            ("do", "dog"),
            ("quickly", "q"),
        ] {
            assert!(!is_slip(word, name), "{word} {name}");
        }
    }
}
