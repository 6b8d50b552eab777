//! Keeps only the suggestions for an unknown command that are a slip of the keyboard away.

use clap::error::{ContextKind, ContextValue};

/// Removes clap's suggestions that do not look like the word: `gt logs` must not suggest `dog`.
pub(in super::super) fn narrow_suggestions(error: &mut clap::Error) {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    let word = word.clone();
    let kept: Vec<String> = match error.remove(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(names)) => names,
        Some(ContextValue::String(name)) => vec![name],
        _ => return,
    }
    .into_iter()
    .filter(|name| is_slip(&word, name))
    .collect();
    if !kept.is_empty() {
        error.insert(
            ContextKind::SuggestedSubcommand,
            ContextValue::Strings(kept),
        );
    }
}

/// Returns true if `word` is `name` with one or, in long words, two slips, or if one of them begins
/// with the other.
fn is_slip(word: &str, name: &str) -> bool {
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
        ] {
            assert!(is_slip(word, name), "{word} {name}");
        }
        for (word, name) in [
            ("logs", "dog"),
            ("nosuch", "hook"),
            ("stop", "up"),
            ("kill", "mail"),
        ] {
            assert!(!is_slip(word, name), "{word} {name}");
        }
    }
}
