//! Variables: checks the values of a pour, and substitutes them for `{{name}}` in texts.

use std::collections::{BTreeMap, BTreeSet};

use super::problem::FormulaError;
use super::schema::{Formula, FormulaVar};

/// Keywords of another template language that uses double braces too.
const FOREIGN_KEYWORDS: [&str; 7] = ["else", "this", "root", "index", "key", "first", "last"];

/// Values by variable name.
pub type VarValues = BTreeMap<String, String>;

/// Returns the values of all variables of a formula: the given value or the default. Fails if a
/// used or required variable has no value, or if a value is invalid.
pub fn complete_values(formula: &Formula, given: &VarValues) -> Result<VarValues, FormulaError> {
    complete_used_values(formula, &list_used_names(formula), given)
}

/// Like [`complete_values`], if the used names are already determined.
pub fn complete_used_values(
    formula: &Formula,
    used: &BTreeSet<String>,
    given: &VarValues,
) -> Result<VarValues, FormulaError> {
    let values = with_defaults(formula, given);
    let missing: Vec<&str> = formula
        .vars
        .iter()
        .filter(|(name, var)| {
            let is_blank = values.get(*name).is_none_or(String::is_empty);
            if var.required {
                is_blank
            } else {
                !values.contains_key(*name) && used.contains(*name)
            }
        })
        .map(|(name, _)| name.as_str())
        .collect();
    if !missing.is_empty() {
        return Err(FormulaError::Values(missing_text(&missing)));
    }
    for (name, value) in &values {
        if let Some(var) = formula.vars.get(name) {
            check_value(name, var, value)?;
        }
    }
    Ok(values)
}

/// Returns the given values and the defaults of the other variables. A default may contain other
/// variables.
pub fn with_defaults(formula: &Formula, given: &VarValues) -> VarValues {
    let mut values = given.clone();
    for (name, var) in &formula.vars {
        if let (false, Some(default)) = (values.contains_key(name), &var.default) {
            values.insert(name.clone(), default.clone());
        }
    }
    let known = values.clone();
    for (name, value) in &mut values {
        if !given.contains_key(name) {
            *value = substitute_values(value, &known);
        }
    }
    values
}

/// Formats the message that these variables have no value.
pub fn missing_text(names: &[&str]) -> String {
    let flags: Vec<String> = names
        .iter()
        .map(|name| format!("--var {name}=<value>"))
        .collect();
    format!(
        "missing required variables: {}\nProvide them with: {}",
        names.join(", "),
        flags.join(" ")
    )
}

fn check_value(name: &str, var: &FormulaVar, value: &str) -> Result<(), FormulaError> {
    let wanted = if !var.choices.is_empty() && !var.choices.iter().any(|choice| choice == value) {
        format!("one of {}", var.choices.join(", "))
    } else if let Err(wanted) = check_kind(var, value) {
        wanted.to_owned()
    } else {
        match regex::Regex::new(&var.pattern) {
            Ok(pattern) if var.pattern.is_empty() || pattern.is_match(value) => return Ok(()),
            Ok(_) => format!("a value that matches {}", var.pattern),
            Err(error) => {
                return Err(FormulaError::Values(format!(
                    "the pattern of variable {name} is no regular expression: {error}"
                )));
            }
        }
    };
    Err(FormulaError::Values(format!(
        "variable {name} takes {wanted}, not \"{value}\""
    )))
}

/// Checks that a value has the type of a variable. The error describes the expected form. An empty
/// value counts as absent.
pub fn check_kind(var: &FormulaVar, value: &str) -> Result<(), &'static str> {
    match var.kind.as_str() {
        _ if value.is_empty() || value.contains("{{") => Ok(()),
        "int" | "integer" | "number" if value.parse::<i64>().is_err() => Err("a whole number"),
        "bool" | "boolean" if !matches!(value, "true" | "false") => Err("true or false"),
        _ => Ok(()),
    }
}

/// Returns the declared variable that is similar to a name, unless the name is declared.
pub fn find_similar_variable<'a>(
    name: &str,
    declared: &'a BTreeMap<String, FormulaVar>,
) -> Option<&'a str> {
    if declared.contains_key(name) || name.len() < 4 {
        return None;
    }
    declared
        .keys()
        .find(|candidate| strsim::damerau_levenshtein(candidate, name) <= 2 && candidate.len() > 3)
        .map(String::as_str)
}

/// Returns the names that a formula's texts, titles and gates use.
pub fn list_used_names(formula: &Formula) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for step in formula.every_step() {
        for text in [
            &step.title,
            &step.description,
            &step.notes,
            &step.acceptance,
        ] {
            found.extend(names_in(text));
        }
        found.extend(step.gate.iter().flat_map(|gate| names_in(&gate.id)));
        found.extend(condition_name(&step.condition));
    }
    found
}

/// Returns the names that occur in a text as `{{name}}`.
pub fn names_in(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if !text.contains("{{") {
        return found;
    }
    replace_names(text, |name| {
        found.push(name.to_owned());
        None
    });
    found
}

/// Substitutes values in a text. Names without a value stay unchanged.
pub fn substitute_values(text: &str, values: &VarValues) -> String {
    replace_names(text, |name| values.get(name).cloned())
}

/// Replaces each `{{name}}` for which `with` returns a text.
fn replace_names(text: &str, mut with: impl FnMut(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let name = from[2..].split_once("}}").map(|(name, _)| name);
        match name.filter(|name| is_variable_name(name)) {
            Some(name) => {
                match with(name) {
                    Some(value) => out.push_str(&value),
                    None => out.push_str(&from[..name.len() + 4]),
                }
                rest = &from[name.len() + 4..];
            }
            None => {
                out.push_str("{{");
                rest = &from[2..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Substitutes `{name}`, the syntax of loops and expansions. Text in double braces stays unchanged.
pub fn substitute_single(text: &str, values: &VarValues) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let double = from.starts_with("{{").then(|| from.find("}}")).flatten();
        let end = double.map_or_else(|| from.find('}').map(|at| at + 1), |at| Some(at + 2));
        let Some(end) = end else {
            rest = from;
            break;
        };
        let inner = from.get(1..end - 1).unwrap_or("");
        match values.get(inner).filter(|_| double.is_none()) {
            Some(value) => out.push_str(value),
            None if double.is_none() && inner.contains('{') => {
                // The closing brace belongs to a later opening brace.
                out.push('{');
                rest = &from[1..];
                continue;
            }
            None => out.push_str(&from[..end]),
        }
        rest = &from[end..];
    }
    out.push_str(rest);
    out
}

/// Returns true if a text is a valid name of a variable.
pub fn is_variable_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !FOREIGN_KEYWORDS.contains(&text)
}

/// The condition of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepCondition {
    /// `{{name}}`: the variable has a value that means yes.
    Is(String),
    /// `!{{name}}`: the variable has no value, or one that means no.
    IsNot(String),
    Equals(String, String),
    Differs(String, String),
}

/// Returns the name in `{{name}}`.
fn parse_braced_name(text: &str) -> Option<String> {
    let inner = text.trim().strip_prefix("{{")?.strip_suffix("}}")?.trim();
    is_variable_name(inner).then(|| inner.to_owned())
}

fn unquote(text: &str) -> String {
    text.trim().trim_matches(['"', '\'']).to_owned()
}

/// Returns true unless a value is empty or means no.
fn is_yes(value: &str) -> bool {
    let word = value.trim().to_lowercase();
    !matches!(word.as_str(), "" | "false" | "0" | "no" | "off")
}

impl StepCondition {
    /// Parses a condition. Returns `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some((left, right)) = text.split_once("==") {
            return Some(Self::Equals(parse_braced_name(left)?, unquote(right)));
        }
        if let Some((left, right)) = text.split_once("!=") {
            return Some(Self::Differs(parse_braced_name(left)?, unquote(right)));
        }
        match text.strip_prefix('!') {
            Some(rest) => Some(Self::IsNot(parse_braced_name(rest)?)),
            None => Some(Self::Is(parse_braced_name(text)?)),
        }
    }

    pub fn is_met(&self, values: &VarValues) -> bool {
        let (Self::Is(name) | Self::IsNot(name) | Self::Equals(name, _) | Self::Differs(name, _)) =
            self;
        let value = values.get(name).map_or("", String::as_str);
        match self {
            Self::Is(_) => is_yes(value),
            Self::IsNot(_) => !is_yes(value),
            Self::Equals(_, text) => value == text,
            Self::Differs(_, text) => value != text,
        }
    }

    /// The variable in the condition.
    pub fn name(&self) -> &str {
        match self {
            Self::Is(name) | Self::IsNot(name) => name,
            Self::Equals(name, _) | Self::Differs(name, _) => name,
        }
    }
}

fn condition_name(text: &str) -> Option<String> {
    // A condition that only tests for a value does not require one.
    match StepCondition::parse(text)? {
        StepCondition::Equals(name, _) => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(list: &[(&str, &str)]) -> VarValues {
        let pairs = list.iter();
        pairs.map(|(k, v)| ((*k).into(), (*v).into())).collect()
    }

    #[test]
    fn variables_are_substituted_and_other_braces_stay() {
        let text = "{{a}} {{b}} {{else}} {{#if x}} {{ a }} {a}";
        assert_eq!(
            substitute_values(text, &values(&[("a", "1"), ("else", "2")])),
            "1 {{b}} {{else}} {{#if x}} {{ a }} {a}"
        );
        assert_eq!(names_in(text), ["a", "b"]);
    }

    #[test]
    fn single_braces_are_replaced_and_double_ones_stay() {
        let given = values(&[("n", "7"), ("target.id", "t")]);
        assert_eq!(
            substitute_single("{n} {{n}} {target.id} {x} {a {n}} {", &given),
            "7 {{n}} t {x} {a 7} {"
        );
    }

    #[test]
    fn conditions_are_parsed_and_evaluated() {
        let given = values(&[
            ("a", "yes"),
            ("b", "off"),
            ("c", "x y"),
            ("d", "OFF"),
            ("e", "No"),
        ]);
        for (text, holds) in [
            ("{{a}}", true),
            ("{{b}}", false),
            ("!{{b}}", true),
            ("{{d}}", false),
            ("{{e}}", false),
            ("{{none}}", false),
            ("{{c}} == 'x y'", true),
            ("{{c}} != \"x y\"", false),
        ] {
            assert_eq!(
                StepCondition::parse(text).map(|c| c.is_met(&given)),
                Some(holds),
                "{text}"
            );
        }
        assert_eq!(StepCondition::parse("a > 3"), None);
    }
}
