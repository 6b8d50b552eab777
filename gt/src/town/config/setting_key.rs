//! Describes one setting: its name, its type and range, and the files in which it is allowed.

use std::ops::RangeInclusive;

use kit::table;
use serde_json::Value;

/// The values of `merge_queue.vcs_provider`.
pub const FORGE_KINDS: &[&str] = &["github", "gitlab"];

/// The highest amount of dollars that a command or the page sets. Files may have a higher one.
pub const MAX_AMOUNT: f64 = 1e9;

/// The type of a setting's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingKind {
    Text,
    Flag,
    Number(RangeInclusive<u64>),
    /// A port. 0 for none.
    Port,
    /// An address that begins with `http://` or `https://`.
    Address,
    /// A whole number, also negative. The values of all layers add up.
    Sum,
    /// An amount of dollars, such as `5` or `2.50`.
    Amount,
    /// A list of texts.
    List,
    /// A duration such as `30s` or `10m`, at least this one.
    Duration(std::time::Duration),
    OneOf(Vec<&'static str>),
}

/// The files in which a setting is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingPlacement {
    Town,
    /// Town and rig files. The town's value applies to all rigs.
    Rig,
    RigOnly,
}

impl SettingPlacement {
    pub fn describe(self) -> &'static str {
        match self {
            Self::Town => "the town",
            Self::Rig => "the town, or a rig",
            Self::RigOnly => "a rig",
        }
    }
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingKey {
    /// The dotted path in the settings file.
    pub name: &'static str,
    pub kind: SettingKind,
    pub scope: SettingPlacement,
    /// True if the environment and the local layer may also set it, and the rig's bead as far as
    /// `labels` says.
    pub layered: bool,
    /// True for a limit or a safety rule: with a wrong value nothing is started or merged.
    pub is_guard: bool,
    /// True for a limit that zero takes away. Only a shell takes it away.
    pub is_unlimited_at_zero: bool,
    pub labels: LabelEffect,
    /// True if a user can change it on the page. The value is then no command and no instruction,
    /// opens no door and lets no unchecked work pass.
    pub is_on_page: bool,
    /// The built-in value as a user writes it. Empty for none.
    pub default: &'static str,
    pub meaning: &'static str,
}

impl SettingKey {
    /// Returns true if it is the setting with these parts, or the family of settings with such
    /// parts.
    pub(super) fn is_for(&self, parts: &[&str]) -> bool {
        self.begins_with(parts) && self.name.split('.').count() == parts.len()
    }

    /// Returns true if its name begins with these parts and goes on.
    pub(super) fn is_below(&self, parts: &[&str]) -> bool {
        self.begins_with(parts) && self.name.split('.').count() > parts.len()
    }

    fn begins_with(&self, parts: &[&str]) -> bool {
        let mut pattern = self.name.split('.');
        parts.iter().all(|part| match pattern.next() {
            Some("*") => !part.is_empty(),
            expected => expected == Some(part),
        })
    }

    /// Returns the words of a setting's name that stand for a `*` of this family.
    pub fn members_of<'n>(&self, name: &'n str) -> impl Iterator<Item = &'n str> {
        let pattern = self.name.split('.');
        pattern
            .zip(name.split('.'))
            .filter(|(part, _)| *part == "*")
            .map(|(_, member)| member)
    }

    /// Returns the built-in value. `null` for none.
    pub fn built_in_value(&self) -> Value {
        // A test parses every built-in value of the table.
        self.parse(self.default).unwrap_or(Value::Null)
    }

    /// Parses a value as a user writes it.
    pub fn parse(&self, text: &str) -> Option<Value> {
        let trimmed = text.trim();
        Some(match &self.kind {
            SettingKind::Text => Value::from(text),
            SettingKind::OneOf(words) => Value::from(*words.iter().find(|word| **word == text)?),
            SettingKind::Flag => match text.to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" | "on" => Value::from(true),
                "false" | "0" | "no" | "off" => Value::from(false),
                _ => return None,
            },
            SettingKind::Number(range) => {
                let number = trimmed.parse::<u64>().ok()?;
                range.contains(&number).then(|| Value::from(number))?
            }
            SettingKind::Port => Value::from(trimmed.parse::<u16>().ok()?),
            SettingKind::Address => is_address(trimmed).then(|| Value::from(trimmed))?,
            SettingKind::Sum => Value::from(trimmed.parse::<i64>().ok()?),
            SettingKind::Amount => {
                let amount = parse_amount(trimmed)?;
                match trimmed.parse::<u64>() {
                    Ok(whole) => Value::from(whole),
                    Err(_) => Value::from(amount),
                }
            }
            SettingKind::Duration(lowest) => {
                parse_setting_duration(text).filter(|duration| duration >= lowest)?;
                Value::from(text)
            }
            SettingKind::List => table::split_list(text, ',').map(Value::from).collect(),
        })
    }

    /// Returns true if a value from a file is valid for the setting.
    pub fn is_valid(&self, value: &Value) -> bool {
        match &self.kind {
            SettingKind::Text => value.is_string(),
            SettingKind::Flag => value.is_boolean(),
            SettingKind::Number(range) => {
                value.as_u64().is_some_and(|number| range.contains(&number))
            }
            SettingKind::Sum => value.is_i64(),
            SettingKind::Amount => value.as_f64().is_some_and(is_amount),
            SettingKind::List => value
                .as_array()
                .is_some_and(|words| words.iter().all(Value::is_string)),
            SettingKind::Port => value
                .as_u64()
                .is_some_and(|port| u16::try_from(port).is_ok()),
            SettingKind::Address | SettingKind::Duration(_) | SettingKind::OneOf(_) => value
                .as_str()
                .is_some_and(|text| self.parse(text).is_some()),
        }
    }

    /// Returns true if the setting is a limit and this value, or no value, takes it away.
    pub fn is_without_limit(&self, value: &Value) -> bool {
        let is_zero = match value {
            Value::Null => true,
            Value::String(text) => {
                parse_setting_duration(text).is_some_and(|duration| duration.is_zero())
            }
            value => value.as_f64() == Some(0.0),
        };
        self.is_unlimited_at_zero && is_zero
    }

    /// Returns the values if there are a few only.
    pub fn choices(&self) -> Vec<&'static str> {
        match &self.kind {
            SettingKind::Flag => vec!["true", "false"],
            SettingKind::OneOf(words) => words.clone(),
            _ => Vec::new(),
        }
    }

    /// Describes the allowed values for a command's argument.
    pub fn describe_expected(&self) -> String {
        match &self.kind {
            SettingKind::OneOf(words) => format!("one of {}", words.join(", ")),
            SettingKind::Text => "a text".to_owned(),
            SettingKind::Flag => "true or false".to_owned(),
            SettingKind::Number(range) if *range.end() == u64::MAX => "a whole number".to_owned(),
            SettingKind::Number(range) => {
                format!("a whole number from {} to {}", range.start(), range.end())
            }
            SettingKind::Port => "a port from 1 to 65535, or 0".to_owned(),
            SettingKind::Address => {
                "an address such as https://town.example.net, without ? and #".to_owned()
            }
            SettingKind::Sum => "a whole number, also negative".to_owned(),
            SettingKind::Amount => {
                format!("an amount of dollars such as 5 or 2.50, up to {MAX_AMOUNT}")
            }
            SettingKind::List => "words separated by commas".to_owned(),
            SettingKind::Duration(lowest) if lowest.is_zero() => {
                "a duration such as 30s or 10m".to_owned()
            }
            SettingKind::Duration(lowest) => {
                format!(
                    "a duration such as 30s or 10m, at least {}s",
                    lowest.as_secs()
                )
            }
        }
    }

    /// Describes the allowed values in a file, where a number in quotes is a text.
    pub(super) fn describe_expected_in_file(&self) -> String {
        let expected = self.describe_expected();
        match &self.kind {
            SettingKind::Text | SettingKind::Duration(_) => format!("{expected}, in quotes"),
            SettingKind::List => "a list of texts such as [\"a\", \"b\"]".to_owned(),
            SettingKind::Amount => {
                "an amount of dollars such as 5 or 2.50, without quotes".to_owned()
            }
            SettingKind::Flag | SettingKind::Number(_) | SettingKind::Port | SettingKind::Sum => {
                format!("{expected}, without quotes")
            }
            SettingKind::Address | SettingKind::OneOf(_) => expected,
        }
    }
}

fn is_address(text: &str) -> bool {
    let rest = text
        .strip_prefix("http://")
        .or_else(|| text.strip_prefix("https://"));
    rest.is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '[')
            && rest
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-._~:/[]%".contains(c))
    })
}

/// Returns true for an amount of dollars: not negative, and a number.
pub fn is_amount(amount: f64) -> bool {
    amount.is_finite() && !amount.is_sign_negative()
}

/// Parses an amount of dollars that a user sets.
pub fn parse_amount(text: &str) -> Option<f64> {
    let amount = text.parse::<f64>().ok()?;
    (is_amount(amount) && amount <= MAX_AMOUNT).then_some(amount)
}

/// Returns the environment variable of a setting: `merge_queue.run_tests` is
/// `GT_MERGE_QUEUE_RUN_TESTS`.
pub(super) fn variable_name(name: &str) -> String {
    let words = name.replace(['.', '-'], "_").to_ascii_uppercase();
    format!("GT_{words}")
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
    fn an_amount_that_is_set_has_an_upper_bound() {
        for (text, amount) in [
            ("0", Some(0.0)),
            ("2.50", Some(2.5)),
            ("1000000000", Some(1e9)),
            ("1000000001", None),
            ("1e308", None),
            ("inf", None),
            ("NaN", None),
            ("-0.0", None),
        ] {
            assert_eq!(parse_amount(text), amount, "{text}");
        }
    }

    #[test]
    fn a_variable_is_named_after_its_setting() {
        assert_eq!(
            variable_name("merge_queue.run_tests"),
            "GT_MERGE_QUEUE_RUN_TESTS"
        );
    }
}
