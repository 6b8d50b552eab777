//! Puts the keeper's hooks in place, and takes them away. Only files that carry our mark are replaced or removed.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::sys;

/// What tells our hooks from others.
const MARK: &str = "# A hook of gt-keeper:";

/// The hooks by event.
const HOOKS: [(&str, &str); 4] = [
    ("pre-convoy", include_str!("../hooks/pre-convoy")),
    ("convoy-reviewed", include_str!("../hooks/convoy-reviewed")),
    ("convoy-briefing", include_str!("../hooks/convoy-briefing")),
    ("pre-merge", include_str!("../hooks/pre-merge")),
];

/// The settings that a fresh keeper has.
const SETTINGS: &str = include_str!("../templates/keeper.yaml");

/// Installs the hooks below `root`; returns their paths.
pub fn install(root: &Path, program: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let places: Vec<PathBuf> = HOOKS
        .iter()
        .map(|(event, _)| root.join("hooks").join(event))
        .collect();
    for place in &places {
        if place.symlink_metadata().is_ok() && !is_ours(place) {
            bail!(
                "{} is another hook: call `gt keeper` from it, or move it away",
                place.display()
            );
        }
    }
    let program = quoted(program)?;
    for (place, (_, text)) in places.iter().zip(HOOKS) {
        sys::write(
            place,
            &text.replace("gt-keeper \"", &format!("{program} \"")),
            0o755,
        )
        .with_context(|| format!("cannot write {}", place.display()))?;
    }
    let settings = root.join("keeper/keeper.yaml");
    if !settings.exists() {
        sys::write(&settings, SETTINGS, 0o644)?;
    }
    Ok(places)
}

/// Removes the hooks; what was decided stays. Returns the paths that were removed.
pub fn uninstall(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut removed = Vec::new();
    for (event, _) in HOOKS {
        let place = root.join("hooks").join(event);
        if is_ours(&place) {
            std::fs::remove_file(&place)
                .with_context(|| format!("cannot remove {}", place.display()))?;
            removed.push(place);
        }
    }
    Ok(removed)
}

fn is_ours(place: &Path) -> bool {
    let plain = place.symlink_metadata().is_ok_and(|meta| meta.is_file());
    plain && matches!(sys::read(place), Ok(Some(text)) if text.contains(MARK))
}

/// A path for a shell.
fn quoted(program: &Path) -> anyhow::Result<String> {
    let text = program
        .to_str()
        .context("the path of this program is no text")?;
    Ok(format!("'{}'", text.replace('\'', r"'\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_are_put_in_place_and_taken_away_and_others_are_let_be() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let program = Path::new("/opt/it's here/gt-keeper");
        let placed = install(root, program).unwrap();
        assert_eq!(placed.len(), 4);
        let text = sys::read(&placed[0]).unwrap().unwrap();
        assert!(
            text.contains(r"exec '/opt/it'\''s here/gt-keeper' "),
            "{text}"
        );
        assert_eq!(
            install(root, program).unwrap().len(),
            4,
            "safe to run again"
        );
        assert_eq!(uninstall(root).unwrap().len(), 4);
        assert!(uninstall(root).unwrap().is_empty());
        assert!(root.join("keeper/keeper.yaml").exists());
        std::fs::write(root.join("hooks/pre-merge"), "#!/bin/sh\n").unwrap();
        assert!(install(root, program).is_err());
        assert!(!root.join("hooks/pre-convoy").exists(), "all or none");
        assert!(uninstall(root).unwrap().is_empty());
    }
}
