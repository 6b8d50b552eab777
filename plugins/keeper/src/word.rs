//! Splits names into words, so that `ProfileModal`, `profile-modal` and "profile modals" are equal.

/// Splits a name at case changes, after digits and at characters that are not letters. The words
/// are lower case and singular.
pub fn split_name(name: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let next_is_small = chars.get(at + 1).is_some_and(|next| next.is_lowercase());
        // In `getURLParts` a capital begins a word if it follows or precedes a small letter.
        let begins = c.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_ascii_digit()
                    || (before.is_uppercase() && next_is_small)
            });
        if !c.is_alphanumeric() || begins {
            push_word(&mut found, &mut word);
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    push_word(&mut found, &mut word);
    found
}

fn push_word(found: &mut Vec<String>, word: &mut String) {
    if !word.is_empty() {
        found.push(to_singular(word));
        word.clear();
    }
}

/// Removes the plural ending of a word.
pub fn to_singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return format!("{stem}y");
    }
    for end in ["sses", "shes", "ches", "xes"] {
        if word.ends_with(end) {
            return word[..word.len() - 2].to_owned();
        }
    }
    let keeps = word.ends_with("ss") || word.ends_with("us") || word.ends_with("is");
    match word.strip_suffix('s') {
        Some(stem) if !keeps && stem.len() > 2 => stem.to_owned(),
        _ => word.to_owned(),
    }
}

/// Returns true if two words are equal, have one stem (`billing`, `billed`), or one is a prefix of
/// the other (`auth`, `authentication`).
pub fn is_alike(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    a == b || (short.len() >= 4 && long.starts_with(short)) || find_stem(a) == find_stem(b)
}

/// Removes the inflection of a word.
pub fn find_stem(word: &str) -> &str {
    const WORD_ENDINGS: [&str; 9] = [
        "ations", "ation", "ments", "ment", "ing", "ers", "er", "ed", "e",
    ];
    let cut = WORD_ENDINGS.iter().find_map(|end| word.strip_suffix(end));
    cut.filter(|stem| stem.chars().count() >= 4).unwrap_or(word)
}

/// Returns true if every word of `few` is alike a word of `many`.
pub fn has_all_words(few: &[String], many: &[String]) -> bool {
    !few.is_empty()
        && few
            .iter()
            .all(|word| many.iter().any(|other| is_alike(other, word)))
}

/// Returns true if two names differ by at most two typing errors and are long enough for this
/// comparison.
pub fn is_similar_spelling(a: &str, b: &str) -> bool {
    let short = a.chars().count();
    let long = b.chars().count();
    short.min(long) >= 5 && short.max(long) <= 60 && strsim::levenshtein(a, b) <= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_lowercase_singular_words() {
        for (name, expected) in [
            ("ProfileModal", "profile modal"),
            ("Button.primary", "button primary"),
            ("getURLParts", "get url part"),
            ("user_status", "user status"),
            ("new-auth-services", "new auth service"),
            (
                "categories boxes classes status",
                "category box class status",
            ),
        ] {
            assert_eq!(split_name(name).join(" "), expected);
        }
    }

    #[test]
    fn similar_spellings_count_as_alike() {
        assert!(is_alike("auth", "authentication") && !is_alike("log", "login"));
        assert!(is_alike("billing", "billed") && is_alike("rename", "renaming"));
        assert!(!is_alike("user", "using") && !is_alike("tier", "tied"));
        assert!(
            is_similar_spelling("UserServise", "UserService")
                && !is_similar_spelling("Card", "Cart")
        );
        assert!(has_all_words(
            &split_name("logout"),
            &split_name("AuthService.logout")
        ));
        assert!(!has_all_words(&[], &split_name("x")));
    }
}
