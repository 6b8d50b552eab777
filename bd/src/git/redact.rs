//! Removes passwords and tokens from the addresses of remotes before they are shown.

/// The replacement for a secret.
const SECRET_MASK: &str = "***";

/// Masks the user part of each URL in a text. `ssh://git@host` keeps its user, which is not secret.
/// A user without a password in an `https` URL may be a token.
pub fn redact_urls(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = rest.find("://") {
        let (scheme, after) = rest.split_at(found + "://".len());
        shown.push_str(scheme);
        let end = after.find(ends_authority).unwrap_or(after.len());
        let (authority, path) = after.split_at(end);
        shown.push_str(&redact_authority(scheme, authority));
        rest = path;
    }
    shown.push_str(rest);
    shown
}

fn ends_authority(c: char) -> bool {
    matches!(c, '/' | '?' | '#' | '\'' | '"' | '`') || c.is_whitespace()
}

fn redact_authority(scheme: &str, authority: &str) -> String {
    match authority.rsplit_once('@') {
        Some((user, host)) if user.contains(':') || !scheme.ends_with("ssh://") => {
            format!("{SECRET_MASK}@{host}")
        }
        _ => authority.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::redact_urls;

    #[test]
    fn secrets_in_urls_are_masked_and_nothing_else_is() {
        for (text, shown) in [
            (
                "git fetch https://dana:s3cret@example.com/x.git",
                "git fetch https://***@example.com/x.git",
            ),
            (
                "fatal: unable to access 'https://s3cret@h:8/x/': no, http://a:s3@cret@b",
                "fatal: unable to access 'https://***@h:8/x/': no, http://***@b",
            ),
            ("ssh://dana:s3cret@h/x", "ssh://***@h/x"),
            ("git+ssh://git@h/x", "git+ssh://git@h/x"),
            ("ssh://git@h/x", "ssh://git@h/x"),
            ("git@h:you/x.git", "git@h:you/x.git"),
            ("https://h/x@y", "https://h/x@y"),
            ("https://h?to=a@b", "https://h?to=a@b"),
            ("mail a@b, see file:///x", "mail a@b, see file:///x"),
        ] {
            assert_eq!(redact_urls(text), shown);
        }
    }
}
