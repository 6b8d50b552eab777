//! Keeps only the suggestions for an unknown command that are a slip of the keyboard away.

use clap::error::{ContextKind, ContextValue};
use kit::cli::slip::is_slip;

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
