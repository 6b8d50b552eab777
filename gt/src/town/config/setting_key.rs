//! Describes one setting: its name, its type, and the files in which it is allowed.

/// The values of `merge_queue.vcs_provider`.
pub const FORGE_KINDS: &[&str] = &["github", "gitlab"];

/// The values of a role's mode.
pub(super) const MODES: &[&str] = &["mechanical", "agent"];

/// The type of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
    Text,
    Flag,
    Number,
    /// A port. 0 for none.
    Port,
    /// An address that begins with `http://` or `https://`.
    Address,
    /// A whole number, also negative. The values of all layers add up.
    Sum,
    /// An amount of dollars, such as `5` or `2.50`.
    Amount,
    List,
    /// A duration such as `30s` or `10m`.
    Duration,
    OneOf(&'static [&'static str]),
}

/// The files in which a setting is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingPlacement {
    Town,
    /// Town and rig files. The town's value applies to all rigs.
    Rig,
    RigOnly,
}

/// The effect of a label on the rig's bead. Such labels come with clones and with the sync branch,
/// so everyone who can push to the repository can set them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelEffect {
    /// Labels are ignored: the setting runs programs, or lowers a guard.
    None,
    /// A label can only lower the number that the files set.
    Lower,
    Any,
}

/// One setting, or a family of them: `*` in the name stands for one part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettingKey {
    /// The dotted path in the settings file.
    pub name: &'static str,
    pub kind: SettingKind,
    pub scope: SettingPlacement,
    /// True if the environment and the local layer may also set it, and the rig's bead as far as
    /// `labels` says.
    pub layered: bool,
    pub labels: LabelEffect,
    /// The default value. Empty for none.
    pub default: &'static str,
    pub meaning: &'static str,
}

impl SettingKey {
    /// Returns true if it is the setting of this name, or the family of settings with such names.
    pub(super) fn is_for(&self, name: &str) -> bool {
        let (mut parts, mut words) = (self.name.split('.'), name.split('.'));
        loop {
            match (parts.next(), words.next()) {
                (None, None) => return true,
                (Some("*"), Some(word)) if !word.is_empty() => {}
                (Some(part), Some(word)) if part == word => {}
                _ => return false,
            }
        }
    }
}

pub(super) const fn define_key(
    name: &'static str,
    kind: SettingKind,
    scope: SettingPlacement,
    default: &'static str,
    meaning: &'static str,
) -> SettingKey {
    let layered = !matches!(scope, SettingPlacement::Town);
    SettingKey {
        name,
        kind,
        scope,
        layered,
        labels: LabelEffect::None,
        default,
        meaning,
    }
}

pub(super) const fn restrict_to_files(mut key: SettingKey) -> SettingKey {
    key.layered = false;
    key
}

pub(super) const fn allow_labels(mut key: SettingKey, labels: LabelEffect) -> SettingKey {
    key.labels = labels;
    key
}

/// Returns the environment variable of a setting: `merge_queue.run_tests` is
/// `GT_MERGE_QUEUE_RUN_TESTS`.
pub(super) fn variable_name(name: &str) -> String {
    let shout = |c: char| match c {
        '.' | '-' => '_',
        c => c.to_ascii_uppercase(),
    };
    let name: String = name.chars().map(shout).collect();
    format!("GT_{name}")
}

/// Parses a duration such as `30s`, `10m` or `1h30m`.
pub(crate) fn parse_setting_duration(text: &str) -> Option<std::time::Duration> {
    let signed: jiff::SignedDuration = text.parse().ok()?;
    std::time::Duration::try_from(signed).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_named_after_its_setting() {
        assert_eq!(
            variable_name("merge_queue.run_tests"),
            "GT_MERGE_QUEUE_RUN_TESTS"
        );
    }
}
