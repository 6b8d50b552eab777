//! The formulas of the folder `formulas/`, embedded at build.

include!(concat!(env!("OUT_DIR"), "/formulas.rs"));

/// Returns the text of a built-in formula.
pub fn find_builtin(name: &str) -> Option<&'static str> {
    let at = FORMULAS
        .binary_search_by(|(builtin_name, _)| (*builtin_name).cmp(name))
        .ok()?;
    FORMULAS.get(at).map(|(_, text)| *text)
}

/// Returns the sorted names of the built-in formulas.
pub fn list_builtins() -> impl Iterator<Item = &'static str> {
    FORMULAS.iter().map(|(name, _)| *name)
}
