//! Checks the syntax of the conditions of `until` and of gates. The agent that runs the workflow
//! evaluates them.
//!
//! `step.status == 'complete'`, `children(x).all(status == 'complete')`, `descendants(x).count(…)
//! >= 3`, `steps.complete >= 3`, `file.exists('path')`, `env.CI == 'true'`.

const OPERATORS: [&str; 6] = ["==", "!=", ">=", "<=", ">", "<"];
const GROUPS: [&str; 3] = ["children(", "descendants(", "steps("];

/// Checks that a text is a condition. The error describes the problem.
pub fn check_condition(text: &str) -> Result<(), String> {
    let text = text.trim();
    if is_condition(text) {
        Ok(())
    } else {
        Err(format!(
            "\"{text}\" is no condition (such as step.status == 'complete', steps.complete >= 3, file.exists('path'))"
        ))
    }
}

fn is_condition(text: &str) -> bool {
    if let Some(rest) = text.strip_prefix("file.exists(") {
        return rest
            .strip_suffix(')')
            .is_some_and(|inner| !inner.trim_matches(['\'', '"']).is_empty());
    }
    if GROUPS.iter().any(|group| text.starts_with(group)) {
        return is_group(text);
    }
    split_at_operator(text)
        .is_some_and(|(left, right)| is_path(left) && left.contains('.') && !right.is_empty())
}

/// Splits a text at its first operator.
fn split_at_operator(text: &str) -> Option<(&str, &str)> {
    let (at, op) = OPERATORS
        .iter()
        .filter_map(|op| Some((text.find(op)?, *op)))
        .min_by_key(|(at, op)| (*at, usize::MAX - op.len()))?;
    Some((text[..at].trim(), text[at + op.len()..].trim()))
}

fn is_path(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
        && !text.starts_with('.')
        && !text.ends_with('.')
}

/// Returns true for `children(x).all(inner)`, `.any(inner)` and `.count(inner) >= 3`.
fn is_group(text: &str) -> bool {
    let Some((_, rest)) = text.split_once(").") else {
        return false;
    };
    let Some((verb, rest)) = rest.split_once('(') else {
        return false;
    };
    let Some((inner, tail)) = rest.rsplit_once(')') else {
        return false;
    };
    let has_inner =
        split_at_operator(inner).is_some_and(|(left, right)| is_path(left) && !right.is_empty());
    match verb {
        "all" | "any" => has_inner && tail.trim().is_empty(),
        "count" => {
            has_inner
                && OPERATORS
                    .iter()
                    .find_map(|op| tail.trim().strip_prefix(op))
                    .is_some_and(|number| number.trim().parse::<i64>().is_ok())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_conditions_of_the_grammar_are_accepted() {
        for good in [
            "step.status == 'complete'",
            "review.output.approved == true",
            "children(x).all(status == 'complete')",
            "descendants(x).count(status == 'failed') >= 3",
            "steps.complete >= 3",
            "file.exists('go.mod')",
            "env.CI == 'true'",
        ] {
            assert_eq!(check_condition(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "done",
            "a ==",
            "== 3",
            "file.exists()",
            "children(x).some(a == 1)",
            "x = 3",
        ] {
            assert!(check_condition(bad).is_err(), "{bad}");
        }
    }
}
