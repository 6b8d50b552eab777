//! Completes the lines that a refusal offers with the words of the refused line, so that each can be
//! typed unchanged.
//!
//! A template is a line with placeholders in capitals, such as `bd update ID --due TIME`. Every line
//! is tried with the program's own parser before it is preferred.

use clap::{Arg, Command};

use crate::ui::escape::quote_for_shell;

/// The commands that a flag is looked for in first, the most used one first.
const MOST_USED: [&str; 9] = [
    "list", "update", "create", "close", "ready", "sling", "status", "feed", "show",
];

/// Words between two operands that add nothing.
const FILLERS: [&str; 11] = [
    "on", "to", "from", "by", "with", "as", "is", "of", "into", "=", "the",
];

/// Placeholders that take all values that are left, as one text.
const TEXT_PLACES: [&str; 4] = ["TEXT", "TITLE", "DESCRIPTION", "REASON"];

/// Returns true if the program accepts a line, which begins with the program's name.
pub fn is_accepted(program: &Command, line: &[String]) -> bool {
    program.clone().try_get_matches_from(line).is_ok()
}

/// Writes a line for a shell.
pub fn write_line(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quote_for_shell(word)).collect();
    words.join(" ")
}

/// The words after the refused one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operands {
    ids: Vec<String>,
    values: Vec<String>,
    /// The values without those behind a flag, which may be the flag's.
    loose_values: Vec<String>,
    /// The flags, each with the word behind it.
    flags: Vec<(String, Option<String>)>,
}

impl Operands {
    /// Sorts the words into ids, other values and flags.
    pub fn parse(words: &[String]) -> Self {
        let mut operands = Self {
            ids: Vec::new(),
            values: Vec::new(),
            loose_values: Vec::new(),
            flags: Vec::new(),
        };
        let mut is_after_flag = false;
        for word in words {
            if word.starts_with('-') && word.len() > 1 && !word.contains(char::is_whitespace) {
                let (name, value) = match word.split_once('=') {
                    Some((name, value)) => (name, Some(value.to_owned())),
                    None => (word.as_str(), None),
                };
                is_after_flag = value.is_none();
                operands.flags.push((name.to_owned(), value));
                continue;
            }
            if is_after_flag && let Some((_, value)) = operands.flags.last_mut() {
                *value = Some(word.clone());
            }
            let is_loose = !std::mem::take(&mut is_after_flag);
            let is_first = operands.ids.is_empty() && operands.values.is_empty();
            if is_id(word, is_first) {
                operands.ids.push(word.clone());
            } else if !FILLERS.contains(&word.as_str()) {
                operands.values.push(word.clone());
                if is_loose {
                    operands.loose_values.push(word.clone());
                }
            }
        }
        operands
    }

    /// Returns the values for the placeholders of a template: those of the line, if there are as many
    /// as it takes. A part of them would stand for something else.
    fn values_for(&self, template: &str) -> &[String] {
        let places: Vec<&str> = template
            .split(' ')
            .map(|word| word.trim_matches(is_bracket))
            .filter(|name| is_placeholder(name) && !takes_id(name))
            .collect();
        let takes_text = places.iter().any(|name| TEXT_PLACES.contains(name));
        [&self.values, &self.loose_values]
            .into_iter()
            .rev()
            .find(|values| values.len() == places.len() || takes_text && !values.is_empty())
            .map_or(&[], Vec::as_slice)
    }

    fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.values.is_empty() && self.flags.is_empty()
    }
}

/// Returns true for a word in the form of a bead's id: `web-k3f.1`. Only the first operand may lack a
/// digit, because other words have dashes, too.
pub(super) fn is_id(word: &str, is_first: bool) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let Some((prefix, hash)) = word.rsplit_once('-') else {
        return false;
    };
    let has_digit = hash.chars().any(|c| c.is_ascii_digit());
    let is_form = word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(is_plain)
        && !prefix.is_empty()
        && !hash.is_empty();
    is_form
        && (has_digit || (is_first && hash.len() <= 5) || (hash.len() == 3 && prefix.len() <= 4))
}

/// Returns true for a word that stands for another one.
fn is_placeholder(word: &str) -> bool {
    let is_capital = |c: char| c.is_ascii_uppercase() || c == '_' || c == '/';
    !word.is_empty() && word.chars().all(is_capital)
}

/// Returns true if no word of a line stands for another one.
pub(super) fn is_complete(line: &str) -> bool {
    !line.split(' ').any(is_placeholder)
}

fn is_bracket(c: char) -> bool {
    "()[]<>.,".contains(c)
}

fn takes_id(placeholder: &str) -> bool {
    let kinds = [
        "ID", "IDS", "A", "B", "PARENT", "CHILD", "BEAD", "BEADS", "ISSUE",
    ];
    let more = ["CONVOY", "EPIC", "REQUEST", "ISSUE_ID", "ISSUES", "BLOCKER"];
    kinds.contains(&placeholder) || more.contains(&placeholder)
}

/// A template with its placeholders filled.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FilledLine {
    text: String,
    /// The number of the refused line's words that the line takes over.
    taken: usize,
    /// True if no placeholder is left.
    is_complete: bool,
}

/// Fills a template. An id goes to a placeholder for ids, all other words in order to the others,
/// and the value of a flag to the same flag.
fn fill_template(template: &str, operands: &Operands) -> FilledLine {
    let mut ids = operands.ids.iter();
    let mut values = operands.values_for(template).iter();
    let mut filled: Vec<(&str, String)> = Vec::new();
    let mut taken = 0;
    let mut is_complete = true;
    let mut flag_value = None;
    let mut words = Vec::new();
    for word in template.split(' ') {
        if let Some((_, value)) = operands.flags.iter().find(|(name, _)| name == word) {
            flag_value.clone_from(value);
            taken += 1;
            words.push(word.to_owned());
            continue;
        }
        let value_of_flag = flag_value.take();
        let name = word.trim_matches(is_bracket);
        if !is_placeholder(name) {
            words.push(word.to_owned());
            continue;
        }
        // An explanation in parentheses names the same things.
        let known = filled
            .iter()
            .find(|(known, _)| *known == name && word != name)
            .map(|(_, text)| text.clone());
        let text = known.or_else(|| {
            let found = match (value_of_flag, takes_id(name), name) {
                (Some(value), _, _) => Some(quote_for_shell(&value)),
                (None, true, "BEADS" | "IDS" | "ISSUES") => {
                    let all: Vec<String> = ids.by_ref().cloned().collect();
                    (!all.is_empty()).then(|| write_line(&all))
                }
                (None, true, _) => ids.next().map(|id| quote_for_shell(id)),
                (None, false, name) if TEXT_PLACES.contains(&name) => {
                    let all: Vec<&str> = values.by_ref().map(String::as_str).collect();
                    (!all.is_empty()).then(|| quote_for_shell(&all.join(" ")))
                }
                (None, false, _) => values.next().map(|value| quote_for_shell(value)),
            }?;
            taken += 1;
            Some(found)
        });
        match text {
            Some(text) => {
                words.push(word.replacen(name, &text, 1));
                filled.push((name, text));
            }
            None => {
                is_complete = false;
                words.push(word.to_owned());
            }
        }
    }
    FilledLine {
        text: words.join(" "),
        taken,
        is_complete,
    }
}

/// Fills templates, and keeps those that take over the most words of the refused line, the
/// complete ones if there are any.
pub fn fill_templates(templates: &[String], operands: &Operands) -> Vec<String> {
    let filled: Vec<FilledLine> = templates
        .iter()
        .map(|template| fill_template(template, operands))
        .collect();
    let most = filled.iter().map(|line| line.taken).max().unwrap_or(0);
    let is_best = |line: &FilledLine| line.taken == most;
    let has_complete = filled.iter().any(|line| is_best(line) && line.is_complete);
    filled
        .into_iter()
        .filter(|line| is_best(line) && (most == 0 || !has_complete || line.is_complete))
        .map(|line| line.text)
        .collect()
}

/// Returns the line of a command with the words of the refused line: all of them if the program
/// accepts that, else those that its arguments take.
pub fn complete_command(program: &Command, path: &str, words: &[String]) -> String {
    let mut line: Vec<String> = path.split(' ').map(str::to_owned).collect();
    line.extend(words.iter().cloned());
    if is_accepted(program, &line) {
        return write_line(&line);
    }
    let template = match find_by_path(program, path) {
        Some(command) => write_template(path, command),
        None => path.to_owned(),
    };
    fill_template(&template, &Operands::parse(words)).text
}

/// Returns the line of a command with its required arguments as placeholders.
fn write_template(path: &str, command: &Command) -> String {
    let mut template = path.to_owned();
    for argument in command
        .get_positionals()
        .filter(|arg| arg.is_required_set())
    {
        template.push(' ');
        template.push_str(&placeholder_of(argument));
    }
    template
}

/// Returns the name of an argument's value, in capitals.
pub(super) fn placeholder_of(argument: &Arg) -> String {
    let name = argument
        .get_value_names()
        .and_then(|names| names.first())
        .map_or_else(|| argument.get_id().to_string(), ToString::to_string);
    let name: String = name.to_uppercase();
    name.split(|c: char| !(c.is_ascii_uppercase() || c == '_' || c == '/'))
        .find(|part| !part.is_empty())
        .unwrap_or("VALUE")
        .to_owned()
}

fn find_by_path<'a>(program: &'a Command, path: &str) -> Option<&'a Command> {
    path.split(' ')
        .skip(1)
        .try_fold(program, |above, word| above.find_subcommand(word))
}

/// Returns all commands that are not hidden, with their paths.
pub(super) fn list_commands(program: &Command) -> Vec<(String, &Command)> {
    fn collect<'a>(path: &str, above: &'a Command, all: &mut Vec<(String, &'a Command)>) {
        for command in above.get_subcommands().filter(|c| !c.is_hide_set()) {
            let path = format!("{path} {}", command.get_name());
            all.push((path.clone(), command));
            collect(&path, command, all);
        }
    }
    let mut all = Vec::new();
    collect(program.get_name(), program, &mut all);
    all.sort_by_key(|(path, _)| {
        let name = path.split(' ').nth(1).unwrap_or("");
        let depth = path.split(' ').count();
        let rank = MOST_USED.iter().position(|used| *used == name);
        (rank.unwrap_or(MOST_USED.len()) + depth, depth)
    });
    all
}

/// Returns the lines of the commands with this flag.
pub fn find_commands_with_flag(program: &Command, flag: &str, words: &[String]) -> Vec<String> {
    let operands = Operands::parse(words);
    let mut templates = Vec::new();
    for (path, command) in list_commands(program) {
        let is_meant =
            |arg: &&Arg| !arg.is_hide_set() && !arg.is_global_set() && arg.get_long() == Some(flag);
        let Some(argument) = command.get_arguments().find(is_meant) else {
            continue;
        };
        // A switch of a rare command is rarely meant.
        let name = path.split(' ').nth(1).unwrap_or("");
        let takes_value = argument.get_action().takes_values();
        if !takes_value && !MOST_USED.contains(&name) {
            continue;
        }
        let mut template = path;
        for positional in command.get_positionals() {
            let name = placeholder_of(positional);
            if positional.is_required_set() || takes_id(&name) {
                template.push(' ');
                template.push_str(&name);
            }
        }
        template.push_str(&format!(" --{flag}"));
        if takes_value {
            template.push(' ');
            template.push_str(&placeholder_of(argument));
        }
        templates.push(template);
    }
    let mut lines = fill_templates(&templates, &operands);
    if operands.is_empty() {
        lines.truncate(2);
    } else {
        lines.truncate(1);
    }
    lines
}

/// Returns the lines of the commands anywhere in the tree that have this name, or the same in the
/// singular or plural.
pub fn find_commands_below(program: &Command, word: &str, words: &[String]) -> Vec<String> {
    let singular = word.strip_suffix('s').unwrap_or(word);
    let found: Vec<String> = list_commands(program)
        .into_iter()
        .filter(|(_, command)| {
            let mut names = command.get_name_and_visible_aliases().into_iter();
            names.any(|name| name.strip_suffix('s').unwrap_or(name) == singular)
        })
        .map(|(path, _)| path)
        .collect();
    // A word that many families have means none of them.
    let found = if found.len() > 3 { Vec::new() } else { found };
    found
        .iter()
        .map(|path| complete_command(program, path, words))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    fn fill(template: &str, line: &str) -> String {
        fill_template(template, &Operands::parse(&words(line))).text
    }

    #[test]
    fn placeholders_get_the_words_of_the_refused_line() {
        for (template, line, filled) in [
            (
                "bd update ID --due TIME",
                "sh-crd friday",
                "bd update sh-crd --due friday",
            ),
            (
                "bd link A B  (A waits for B)",
                "sh-1 on sh-2",
                "bd link sh-1 sh-2  (sh-1 waits for sh-2)",
            ),
            ("bd link A B", "sh-1 --by sh-2", "bd link sh-1 sh-2"),
            (
                "bd update ID --parent ID",
                "sh-1.1 --parent none",
                "bd update sh-1.1 --parent none",
            ),
            (
                "bd note ID TEXT",
                "sh-1 two words",
                "bd note sh-1 'two words'",
            ),
            (
                "bd update ID --status STATUS",
                "sh-crd in-progress",
                "bd update sh-crd --status in-progress",
            ),
            (
                "bd update ID --status STATUS",
                "closed",
                "bd update ID --status closed",
            ),
            ("gt sling BEADS", "a-1 a-2", "gt sling a-1 a-2"),
            // A word too many is not put in the place of another.
            (
                "bd update ID --priority N",
                "sh-1 priority 1",
                "bd update sh-1 --priority N",
            ),
            ("bd create TITLE", "Fix -p high", "bd create Fix"),
        ] {
            assert_eq!(fill(template, line), filled, "{template}");
        }
    }

    #[test]
    fn of_several_templates_those_that_take_most_words_remain() {
        let templates = ["bd show ID", "bd update ID --parent ID", "bd list"].map(str::to_owned);
        let fill = |line: &str| fill_templates(&templates, &Operands::parse(&words(line)));
        assert_eq!(fill("sh-1 --parent none"), ["bd update sh-1 --parent none"]);
        let all = fill_templates(&templates, &Operands::parse(&[]));
        assert_eq!(all, templates);
    }
}
