//! Matches agents against address patterns, such as `web/*` and `*/witness`.

use crate::town::identity::Address;

/// Returns true if a pattern names an agent. `*` alone names every agent. Otherwise pattern and
/// address have the same number of parts, and `*` stands for any text within one part.
pub fn matches_agent(pattern: &str, agent: &Address) -> bool {
    let pattern = pattern.trim().trim_end_matches('/');
    if pattern == "*" {
        return true;
    }
    let forms = [agent.to_string(), agent.mailbox()];
    forms
        .iter()
        .any(|form| matches_parts(pattern, form.trim_end_matches('/')))
}

fn matches_parts(pattern: &str, address: &str) -> bool {
    let patterns: Vec<&str> = pattern.split('/').collect();
    let parts: Vec<&str> = address.split('/').collect();
    patterns.len() == parts.len()
        && patterns
            .iter()
            .zip(parts)
            .all(|(pattern, part)| matches_part(pattern, part))
}

fn matches_part(pattern: &str, part: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == part,
        Some((start, end)) => {
            part.len() >= start.len() + end.len() && part.starts_with(start) && part.ends_with(end)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_within_one_part_and_alone_every_agent() {
        for (pattern, agent, expected) in [
            ("*", "web/polecats/nux", true),
            ("*", "mayor", true),
            ("mayor/", "mayor", true),
            ("web/*", "web/polecats/nux", true),
            ("web/*", "web/witness", true),
            ("web/*", "web/crew/max", true),
            ("web/crew/*", "web/polecats/nux", false),
            ("*/witness", "web/witness", true),
            ("web/n*", "web/polecats/nux", true),
            ("web/n*x", "web/polecats/nux", true),
            ("web/nu*ux", "web/polecats/nux", false),
            ("web/*/*", "web/witness", false),
            ("docs/*", "web/witness", false),
        ] {
            let address: Address = agent.parse().unwrap();
            assert_eq!(
                matches_agent(pattern, &address),
                expected,
                "{pattern} {agent}"
            );
        }
    }
}
