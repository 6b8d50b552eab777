//! Flags that several commands share, and the parsers of their values.

mod description;
mod filter;

use std::fs;

use anyhow::Context as _;

use super::town_beads;
use crate::context::Context;
use bd::bead::{DepKind, RawJson, Stamp, record, validate};
use bd::change;
use kit::failure::UsageError;
use kit::ui::escape;

pub(crate) use description::DescriptionArgs;
pub(crate) use filter::{FilterArgs, SelectionArgs, parse_time_range};

/// The flag of lists that leave out the beads which a town writes for itself.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct InternalArgs {
    /// Include internal beads: agents, slots, mail, merge requests, convoys, wisps
    #[arg(long, visible_alias = "include-infra")]
    internal: bool,
}

impl InternalArgs {
    /// Returns true if internal beads are left out. Programs get all beads.
    pub(crate) fn are_hidden(&self, ctx: &Context) -> bool {
        !self.internal && !ctx.ui.is_json()
    }
}

/// The assignee of a filter: a name, or `me` for the caller.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct AssigneeArgs {
    /// Filter by assignee; `me` is you, `none` is no one
    #[arg(short, long, value_name = "NAME", value_parser = parse_filter_value)]
    assignee: Option<String>,
    /// Filter on your beads
    #[arg(long, conflicts_with = "assignee")]
    mine: bool,
}

impl AssigneeArgs {
    /// Returns the requested name.
    pub(crate) fn name(&self, ctx: &Context) -> Option<String> {
        if self.mine {
            return Some(ctx.author().actor);
        }
        resolve_assignee(ctx, self.assignee.as_deref())
    }
}

/// Returns the name of an assignee: `me` and `@me` are the caller, `none` is no one, and in a town the name of a
/// worker is its address.
pub(crate) fn resolve_assignee(ctx: &Context, name: Option<&str>) -> Option<String> {
    match name.map(change::read_assignee) {
        Some("me" | "@me") => Some(ctx.author().actor),
        Some(name) => {
            let address = town_beads::find_worker_address(ctx, name);
            Some(address.unwrap_or_else(|| name.to_owned()))
        }
        None => None,
    }
}

/// Parses a time from a flag. An empty text is no time.
pub(crate) fn parse_stamp(
    ctx: &Context,
    flag: &str,
    text: &str,
) -> Result<Option<Stamp>, UsageError> {
    match text {
        "" => Ok(None),
        text => Ok(Some(Stamp::from(ctx.parse_time(flag, text)?))),
    }
}

/// The words for priorities.
const PRIORITY_WORDS: [(&str, i64); 5] = [
    ("critical", 0),
    ("high", 1),
    ("medium", 2),
    ("low", 3),
    ("backlog", 4),
];

/// Parses a priority: a number, `P0` to `P4`, or a word.
pub(crate) fn parse_priority_arg(text: &str) -> Result<i64, UsageError> {
    let word = text.trim().to_lowercase();
    let named = PRIORITY_WORDS.iter().find(|(name, _)| *name == word);
    named
        .map(|(_, priority)| *priority)
        .or_else(|| validate::parse_priority(text))
        .ok_or_else(|| {
            UsageError(format!(
                "invalid priority \"{text}\" (expected 0-4 or P0-P4, or critical, high, medium, low, backlog)"
            ))
        })
}

/// Prints a hint that a custom kind of edge blocks nothing, because the kind may be a typing error.
pub(crate) fn hint_custom_dep_kind(ctx: &Context, kind: &DepKind) {
    if let DepKind::Other(word) = kind {
        let word = escape::escape_line(word);
        ctx.ui.status(&format!("`{word}` is a kind of edge of your own: it holds nothing up, as blocks, parent-child, conditional-blocks and waits-for do"));
    }
}

/// Parses the value of a filter. An empty one, as an unset variable of a script gives, would list
/// everything.
pub(crate) fn parse_filter_value(text: &str) -> Result<String, String> {
    if text
        .trim_matches(|c: char| c == ',' || c.is_whitespace())
        .is_empty()
    {
        return Err("it is empty; leave the flag out to list all beads".to_owned());
    }
    Ok(text.to_owned())
}

/// Splits the values of a repeatable flag at commas. A value in double quotes keeps its commas.
pub(crate) fn split_values(values: &[String]) -> Vec<String> {
    values
        .iter()
        .flat_map(|value| split_at_commas(value))
        .collect()
}

/// Returns the labels without surrounding white space and without duplicates.
pub(crate) fn parse_labels(values: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for label in split_values(values) {
        let label = label.trim();
        if !label.is_empty() && !found.iter().any(|existing| existing == label) {
            found.push(label.to_owned());
        }
    }
    found
}

fn split_at_commas(value: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut quoted = false;
    let mut chars = value.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                part.push('"');
                chars.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => parts.push(std::mem::take(&mut part)),
            c => part.push(c),
        }
    }
    parts.push(part);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Reads standard input to its end.
pub(crate) fn read_stdin() -> anyhow::Result<String> {
    kit::gateway::read_input().context("cannot read standard input")
}

/// Reads a file that a flag names; `-` is standard input.
pub(crate) fn read_input_file(ctx: &Context, path: &str) -> anyhow::Result<String> {
    if path == "-" {
        return read_stdin();
    }
    kit::gateway::check_named_files(&[path.to_owned()])?;
    let path = ctx.env.make_absolute(path);
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// Reads JSON from the value of a flag, or from the file named after `@`. Numbers keep their text.
pub(crate) fn read_json_arg(ctx: &Context, flag: &str, text: &str) -> anyhow::Result<RawJson> {
    let text = match text.strip_prefix('@') {
        Some(path) => read_input_file(ctx, path)?,
        None => text.to_owned(),
    };
    record::compact_json(&text).map_err(|error| {
        UsageError(format!(
            "invalid JSON in {flag}: must be valid JSON ({error})"
        ))
        .into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_split_at_commas_outside_quotes() {
        let given = [
            "a,b".to_owned(),
            "\"c,d\"".to_owned(),
            String::new(),
            "\"e\"\"f\"".to_owned(),
        ];
        assert_eq!(split_values(&given), ["a", "b", "c,d", "e\"f"]);
    }

    #[test]
    fn priorities_are_numbers_or_words() {
        for (text, priority) in [("P1", 1), ("3", 3), ("high", 1), ("Critical", 0)] {
            assert_eq!(parse_priority_arg(text), Ok(priority), "{text}");
        }
        let error = parse_priority_arg("urgentish").unwrap_err();
        assert!(
            error.0.contains("critical, high, medium, low, backlog"),
            "{error}"
        );
    }

    #[test]
    fn labels_are_trimmed_and_deduplicated() {
        assert_eq!(parse_labels(&[" a , b,a".to_owned()]), ["a", "b"]);
    }
}
