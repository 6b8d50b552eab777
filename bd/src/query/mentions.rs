//! Finds the beads that commit messages name: ids in parentheses, such as `Fix login (bd-a1)` or
//! `(bd-a1, bd-b2)`.

use std::collections::{BTreeSet, HashMap};

/// Returns the words in parentheses.
fn find_bracketed_words(text: &str) -> impl Iterator<Item = &str> {
    text.split('(')
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .flat_map(|(inner, _)| inner.split(|c: char| c.is_whitespace() || c == ',' || c == ';'))
}

/// Groups messages by the ids that they name, in their order.
pub fn group_by_id(messages: &[(String, String)]) -> HashMap<&str, Vec<&(String, String)>> {
    let mut found: HashMap<&str, Vec<&(String, String)>> = HashMap::new();
    for message in messages {
        let words: BTreeSet<&str> = find_bracketed_words(&message.1).collect();
        for word in words {
            found.entry(word).or_default().push(message);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_ids_in_brackets_count() {
        let messages = [
            "Fix (bd-a)",
            "bd-a",
            "(see bd-b, bd-a)",
            "(bd-a.1)",
            "(bd-a",
        ]
        .map(|text| (text.to_owned(), text.to_owned()));
        let found = group_by_id(&messages);
        let found: Vec<&str> = found["bd-a"].iter().map(|own| own.1.as_str()).collect();
        assert_eq!(found, ["Fix (bd-a)", "(see bd-b, bd-a)"]);
    }
}
