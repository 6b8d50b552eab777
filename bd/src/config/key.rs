//! The table of settings: name, default, meaning. `config list`, the check of `config get` and the
//! help are generated from it.

use crate::bead::id;

#[derive(Debug, Clone, Copy)]
pub struct SettingKey {
    /// The name as written in `config.yaml`.
    pub name: &'static str,
    /// The value if nothing sets it.
    pub default: &'static str,
    pub meaning: &'static str,
    pub form: ValueForm,
}

/// The form of a setting's values. An empty value is always valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueForm {
    Text,
    Flag,
    Number,
    /// A number from 0 to 1.
    Chance,
    Prefix,
    /// Comma-separated words, each with an optional category after a colon.
    Words,
    /// The command line of a program. The environment and the user's own settings set it, and a
    /// file of a repository, which others write, does not.
    Command,
}

impl ValueForm {
    /// Describes the expected form if `value` does not have it.
    fn expectation_for(self, value: &str) -> Option<&'static str> {
        let (fits, wanted) = match self {
            Self::Text | Self::Command => (true, ""),
            Self::Flag => (parse_on_off(value).is_some(), "true or false"),
            Self::Number => (value.parse::<u32>().is_ok(), "a whole number"),
            Self::Chance => {
                let number = value.parse::<f64>();
                let fits = number.is_ok_and(|chance| (0.0..=1.0).contains(&chance));
                (fits, "a number from 0 to 1")
            }
            Self::Prefix => {
                let fits = id::is_well_formed(&format!("{value}-a"));
                (fits, "letters, digits, hyphens, dots and underscores")
            }
            Self::Words => {
                let mut words = value.split(',').map(str::trim);
                (
                    words.all(|word| {
                        word.chars()
                            .all(|c| c.is_alphanumeric() || "_-:".contains(c))
                    }),
                    "words, comma-separated",
                )
            }
        };
        (!fits && !value.is_empty()).then_some(wanted)
    }
}

/// Parses a word that switches something on or off. Returns `None` for any other word.
pub fn parse_on_off(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Some(true),
        "false" | "0" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// Describes the expected form if a setting does not accept `value`. Such a value has no effect.
pub fn find_expectation(name: &str, value: &str) -> Option<&'static str> {
    let key = KEYS.iter().find(|key| key.name == name)?;
    key.form.expectation_for(value)
}

/// Returns the setting that a name is probably meant for. None for a setting, and for the keys that
/// other programs keep in the file.
pub fn find_misspelt(name: &str) -> Option<&'static str> {
    if KEYS.iter().any(|key| key.name == name) || is_yaml_only(name) && !name.starts_with("daemon.")
    {
        return None;
    }
    let spelled = name.replace('_', "-");
    KEYS.iter()
        .map(|key| {
            (
                key.name,
                strsim::levenshtein(&key.name.replace('_', "-"), &spelled),
            )
        })
        .filter(|(near, distance)| *distance <= MAX_TYPING_ERRORS && near.len() > 2 * distance)
        .min_by_key(|(_, distance)| *distance)
        .map(|(near, _)| near)
}

/// The most changed characters in a name that is taken for a misspelling of another.
const MAX_TYPING_ERRORS: usize = 2;

/// Returns true if the setting is the command line of a program.
pub fn is_command(name: &str) -> bool {
    KEYS.iter()
        .any(|key| key.name == name && key.form == ValueForm::Command)
}

/// Returns true if a file of a repository may set the value. It names no program, except the
/// default one and `gt mail`.
pub fn is_allowed_in_repository(name: &str, value: &str) -> bool {
    let value = value.trim();
    let is_known =
        find_default(name) == Some(value) || (name, value) == ("mail.delegate", "gt mail");
    value.is_empty() || is_known || !is_command(name)
}

/// Every setting that the programs read.
pub const KEYS: &[SettingKey] = &[
    define_key(
        "issue-prefix",
        "",
        ValueForm::Prefix,
        "prefix of new ids, without the hyphen",
    ),
    define_key(
        "actor",
        "",
        ValueForm::Text,
        "name of the one who makes changes",
    ),
    define_key("json", "false", ValueForm::Flag, "always answer as JSON"),
    define_key(
        "types.custom",
        "",
        ValueForm::Words,
        "further kinds of beads, comma-separated",
    ),
    define_key(
        "status.custom",
        "",
        ValueForm::Words,
        "further statuses, comma-separated",
    ),
    define_key(
        "allowed_prefixes",
        "",
        ValueForm::Text,
        "further id prefixes that may be given by hand",
    ),
    define_key(
        "create.require-description",
        "false",
        ValueForm::Flag,
        "refuse beads without a description",
    ),
    define_key(
        "hierarchy.max-depth",
        "3",
        ValueForm::Number,
        "how deep children may nest",
    ),
    define_key(
        "ready.exclude_id_patterns",
        "-mol-,-wisp-",
        ValueForm::Text,
        "beads whose id contains one of the words are never ready",
    ),
    define_key(
        "max_collision_prob",
        "0.25",
        ValueForm::Chance,
        "chance of a collision at which ids grow longer",
    ),
    define_key(
        "min_hash_length",
        "3",
        ValueForm::Number,
        "shortest hash in a new id",
    ),
    define_key(
        "routing.mode",
        "",
        ValueForm::Text,
        "where new beads go: auto or explicit",
    ),
    define_key(
        "sync-branch",
        "beads-sync",
        ValueForm::Text,
        "branch that bd sync --full commits beads to; empty turns it off",
    ),
    define_key(
        "no-push",
        "",
        ValueForm::Flag,
        "true: beads are committed to that branch and merged, and never pushed",
    ),
    define_key(
        "daemon.auto-sync",
        "true",
        ValueForm::Flag,
        "in a town gtd commits beads to the sync branch",
    ),
    define_key(
        "daemon.auto-push",
        "true",
        ValueForm::Flag,
        "and pushes that branch where there is a remote",
    ),
    define_key(
        "gate.run-command",
        "gh run view {id} --json status,conclusion,name",
        ValueForm::Command,
        "prints a CI run as JSON; {id} is its number",
    ),
    define_key(
        "gate.workflow-command",
        "gh run list --workflow {id} --limit 1 --json status,conclusion,name",
        ValueForm::Command,
        "prints the newest run of a workflow as JSON",
    ),
    define_key(
        "gate.pr-command",
        "gh pr view {id} --json state,mergedAt,title",
        ValueForm::Command,
        "prints a pull request as JSON",
    ),
    define_key(
        "gate.runs-command",
        "gh run list --branch {id} --limit 50 --json databaseId,name,createdAt",
        ValueForm::Command,
        "prints the runs of a branch as JSON",
    ),
    define_key(
        "mail.delegate",
        "",
        ValueForm::Command,
        "command that bd mail runs, such as gt mail",
    ),
    define_key(
        "git.author",
        "",
        ValueForm::Text,
        "who commits beads, as Name <address>; the default is git's user",
    ),
];

const fn define_key(
    name: &'static str,
    default: &'static str,
    form: ValueForm,
    meaning: &'static str,
) -> SettingKey {
    SettingKey {
        name,
        default,
        meaning,
        form,
    }
}

/// Returns the name under which a setting is stored: lower case, and the preferred one of two
/// spellings.
pub fn canonicalize_name(name: &str) -> String {
    let name = name.trim().to_lowercase();
    match name.as_str() {
        "issue_prefix" | "prefix" => "issue-prefix".to_owned(),
        "sync.branch" => "sync-branch".to_owned(),
        "daemon.auto_sync" => "daemon.auto-sync".to_owned(),
        "daemon.auto_push" => "daemon.auto-push".to_owned(),
        _ => name,
    }
}

/// Returns the built-in value of a setting.
pub fn find_default(name: &str) -> Option<&'static str> {
    KEYS.iter()
        .find(|key| key.name == name)
        .map(|key| key.default)
        .filter(|value| !value.is_empty())
}

/// Returns the environment variable that overrides a setting: `BD_SYNC_MODE` for `sync.mode`.
pub fn env_variable_name(name: &str) -> String {
    format!("BD_{}", name.to_uppercase().replace(['.', '-'], "_"))
}

/// Returns true if earlier versions kept the setting in `config.yaml` and not in their database.
/// Only the output of `config set` depends on this.
pub fn is_yaml_only(name: &str) -> bool {
    const YAML_NAMES: &[&str] = &[
        "no-db",
        "no-daemon",
        "no-auto-flush",
        "no-auto-import",
        "json",
        "auto-start-daemon",
        "db",
        "actor",
        "identity",
        "flush-debounce",
        "lock-timeout",
        "remote-sync-interval",
        "no-push",
        "no-git-ops",
        "sync-branch",
        "create.require-description",
    ];
    const YAML_FAMILIES: &[&str] = &[
        "routing.",
        "sync.",
        "git.",
        "directory.",
        "repos.",
        "external_projects.",
        "validation.",
        "daemon.",
        "hierarchy.",
        "ai.",
    ];
    YAML_NAMES.contains(&name) || YAML_FAMILIES.iter().any(|family| name.starts_with(family))
}
