//! Installs and removes the keeper's hooks. Replaces and removes only files with the keeper's mark.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::sys;

/// The text that identifies our hooks.
const HOOK_MARK: &str = "# A hook of gt-keeper:";

/// The text that identifies our commands.
const COMMAND_MARK: &str = "A command of gt-keeper";

/// The hooks by event.
const EVENT_HOOKS: [(&str, &str); 4] = [
    ("pre-convoy", include_str!("../hooks/pre-convoy")),
    ("convoy-reviewed", include_str!("../hooks/convoy-reviewed")),
    ("convoy-briefing", include_str!("../hooks/convoy-briefing")),
    ("pre-merge", include_str!("../hooks/pre-merge")),
];

/// Files below `keeper/` that users may adapt: written once, and then left to the user.
const USER_TEXTS: [(&str, &str); 2] = [
    ("templates/adr.yaml", include_str!("../templates/adr.yaml")),
    (
        "POLECAT-BRIEFING.md",
        include_str!("../templates/POLECAT-BRIEFING.md"),
    ),
];

/// The commands for agent programs, by name.
const AGENT_COMMANDS: [(&str, &str); 2] = [
    (
        "keeper-review",
        include_str!("../commands/keeper-review.md"),
    ),
    ("keeper-plant", include_str!("../commands/keeper-plant.md")),
];

/// The folders in which agent programs look for commands, relative to the mayor's folder.
const COMMAND_FOLDERS: [(&str, CommandFormat); 3] = [
    (".claude/commands", CommandFormat::Markdown),
    (".opencode/command", CommandFormat::Markdown),
    (".gemini/commands", CommandFormat::Toml),
];

/// The format of an agent program's commands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CommandFormat {
    Markdown,
    Toml,
}

/// The initial settings of the keeper.
const INITIAL_SETTINGS: &str = include_str!("../templates/keeper.yaml");

/// Installs the hooks below `root` and returns their paths.
pub fn install_hooks(root: &Path, program: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let places: Vec<PathBuf> = EVENT_HOOKS
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
    let program = quote_for_shell(program)?;
    for (place, (_, text)) in places.iter().zip(EVENT_HOOKS) {
        sys::replace_file(
            place,
            &text.replace("gt-keeper \"", &format!("{program} \"")),
            0o755,
        )
        .with_context(|| format!("cannot write {}", place.display()))?;
    }
    let settings = root.join("keeper/keeper.yaml");
    if !settings.exists() {
        sys::replace_file(&settings, INITIAL_SETTINGS, 0o644)?;
    }
    for (name, text) in USER_TEXTS {
        let path = root.join("keeper").join(name);
        if !path.exists() {
            sys::replace_file(&path, text, 0o644)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    let mut all = places;
    all.extend(install_commands(root)?);
    Ok(all)
}

/// Returns the mayor's folder of the town that contains a rig, if there is one.
fn find_mayor_folder(root: &Path) -> Option<PathBuf> {
    let mayor = root.parent()?.join("mayor");
    mayor.join("town.json").is_file().then_some(mayor)
}

/// Installs the keeper's commands for the mayor's agent program. A file without our mark stays
/// unchanged.
fn install_commands(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut placed = Vec::new();
    let Some(mayor) = find_mayor_folder(root) else {
        return Ok(placed);
    };
    for (place, text) in build_commands(&mayor) {
        if place.symlink_metadata().is_ok() && !is_our_command(&place) {
            continue;
        }
        sys::replace_file(&place, &text, 0o644)
            .with_context(|| format!("cannot write {}", place.display()))?;
        placed.push(place);
    }
    Ok(placed)
}

/// Returns the commands for all programs, as path and text.
fn build_commands(mayor: &Path) -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    for (folder, format) in COMMAND_FOLDERS {
        for (name, text) in AGENT_COMMANDS {
            let (ending, text) = match format {
                CommandFormat::Markdown => (
                    "md",
                    format!("{}\n<!-- {COMMAND_MARK} -->\n", text.trim_end()),
                ),
                CommandFormat::Toml => ("toml", format_toml_command(text)),
            };
            all.push((mayor.join(folder).join(format!("{name}.{ending}")), text));
        }
    }
    all
}

/// Formats a command for Gemini CLI.
fn format_toml_command(text: &str) -> String {
    let (front_matter, body) = text
        .trim_start_matches("---\n")
        .split_once("---\n")
        .unwrap_or(("", text));
    let about = front_matter.trim().trim_start_matches("description: ");
    let body = body.replace("$ARGUMENTS", "{{args}}");
    format!(
        "# {COMMAND_MARK}\ndescription = \"{about}\"\nprompt = \'\'\'\n{}\'\'\'\n",
        body.trim_start()
    )
}

fn is_our_command(place: &Path) -> bool {
    matches!(sys::read_text(place), Ok(Some(text)) if text.contains(COMMAND_MARK))
}

/// Removes the hooks and returns the removed paths. Decisions stay.
pub fn uninstall_hooks(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut removed = Vec::new();
    for (event, _) in EVENT_HOOKS {
        let place = root.join("hooks").join(event);
        if is_ours(&place) {
            std::fs::remove_file(&place)
                .with_context(|| format!("cannot remove {}", place.display()))?;
            removed.push(place);
        }
    }
    let Some(mayor) = find_mayor_folder(root).filter(|_| !is_used_by_other_rig(root)) else {
        return Ok(removed);
    };
    for (place, _) in build_commands(&mayor) {
        if is_our_command(&place) {
            std::fs::remove_file(&place)
                .with_context(|| format!("cannot remove {}", place.display()))?;
            removed.push(place);
        }
    }
    Ok(removed)
}

/// Returns true if another rig of the town has the keeper's hooks.
fn is_used_by_other_rig(root: &Path) -> bool {
    root.parent()
        .and_then(|town| std::fs::read_dir(town).ok())
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .any(|rig| rig != root && is_ours(&rig.join("hooks/pre-convoy")))
}

fn is_ours(place: &Path) -> bool {
    let plain = place.symlink_metadata().is_ok_and(|meta| meta.is_file());
    plain && matches!(sys::read_text(place), Ok(Some(text)) if text.contains(HOOK_MARK))
}

/// Quotes a path for a shell.
fn quote_for_shell(program: &Path) -> anyhow::Result<String> {
    let text = program
        .to_str()
        .context("the path of this program is no text")?;
    Ok(format!("'{}'", text.replace('\'', r"'\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mayor_commands_are_installed_and_removed_with_the_last_keeper() {
        let folder = tempfile::tempdir().unwrap();
        let town = folder.path();
        sys::replace_file(&town.join("mayor/town.json"), "{}", 0o644).unwrap();
        let own = town.join("mayor/.claude/commands/keeper-plant.md");
        sys::replace_file(&own, "mine", 0o644).unwrap();
        let (web, api) = (town.join("web"), town.join("api"));
        let program = Path::new("/opt/gt-keeper");
        assert_eq!(install_hooks(&web, program).unwrap().len(), 4 + 5);
        install_hooks(&api, program).unwrap();
        let toml = town.join("mayor/.gemini/commands/keeper-review.toml");
        let text = sys::read_text(&toml).unwrap().unwrap();
        assert!(
            text.contains("prompt = \'\'\'\nReview this") && text.contains("{{args}}"),
            "{text}"
        );
        assert_eq!(
            uninstall_hooks(&web).unwrap().len(),
            4,
            "the other rig needs them"
        );
        assert_eq!(uninstall_hooks(&api).unwrap().len(), 4 + 5);
        assert_eq!(sys::read_text(&own).unwrap().unwrap(), "mine");
    }

    #[test]
    fn hooks_are_installed_and_removed_and_foreign_hooks_stay() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let program = Path::new("/opt/it's here/gt-keeper");
        let placed = install_hooks(root, program).unwrap();
        assert_eq!(placed.len(), 4);
        let text = sys::read_text(&placed[0]).unwrap().unwrap();
        assert!(
            text.contains(r"exec '/opt/it'\''s here/gt-keeper' "),
            "{text}"
        );
        assert_eq!(
            install_hooks(root, program).unwrap().len(),
            4,
            "safe to run again"
        );
        assert_eq!(uninstall_hooks(root).unwrap().len(), 4);
        assert!(uninstall_hooks(root).unwrap().is_empty());
        for kept in ["keeper.yaml", "templates/adr.yaml", "POLECAT-BRIEFING.md"] {
            assert!(root.join("keeper").join(kept).exists(), "{kept}");
        }
        crate::decision::load_decision(&root.join("keeper/templates/adr.yaml")).unwrap();
        std::fs::write(root.join("hooks/pre-merge"), "#!/bin/sh\n").unwrap();
        assert!(install_hooks(root, program).is_err());
        assert!(!root.join("hooks/pre-convoy").exists(), "all or none");
        assert!(uninstall_hooks(root).unwrap().is_empty());
    }
}
