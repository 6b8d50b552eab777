//! Which beads commit messages name: an id in round brackets, such as `Fix login (bd-a1)` or `(bd-a1, bd-b2)`.

/// The words in round brackets of a text.
fn bracketed(text: &str) -> impl Iterator<Item = &str> {
    let groups = text.split('(').skip(1);
    let groups = groups.filter_map(|rest| rest.split_once(')'));
    groups.flat_map(|(inner, _)| inner.split(|c: char| c.is_whitespace() || c == ',' || c == ';'))
}

/// The messages that name an id, in their order.
pub fn of_id<'a>(
    messages: &'a [(String, String)],
    id: &str,
) -> impl Iterator<Item = &'a (String, String)> {
    messages.iter().filter(move |(_, message)| {
        message.contains(id) && bracketed(message).any(|word| word == id)
    })
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
        let found: Vec<&str> = of_id(&messages, "bd-a").map(|own| own.1.as_str()).collect();
        assert_eq!(found, ["Fix (bd-a)", "(see bd-b, bd-a)"]);
    }
}
