//! A marked section in a text file that belongs to others: inserts, updates and removes it.
//!
//! Removing a section restores the bytes from before its insertion.

/// The first and the last line of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SectionMarks {
    pub begin: &'static str,
    pub end: &'static str,
}

impl SectionMarks {
    /// Returns the range of the section in a text, with its marks and its final newline.
    fn find(&self, text: &str) -> Option<(usize, usize)> {
        let begin = text.find(self.begin)?;
        let end = begin + text[begin..].find(self.end)? + self.end.len();
        let line_end = usize::from(text[end..].starts_with('\n'));
        Some((begin, end + line_end))
    }

    fn format_section(&self, body: &str) -> String {
        format!("{}\n{}\n{}\n", self.begin, body.trim_end(), self.end)
    }

    /// Returns true if a text has the section.
    pub fn is_in(&self, text: &str) -> bool {
        self.find(text).is_some()
    }

    /// Returns the text with this section at its end, or in place of an older one.
    pub fn insert(&self, text: &str, body: &str) -> String {
        let section = self.format_section(body);
        match self.find(text) {
            Some((begin, end)) => format!("{}{section}{}", &text[..begin], &text[end..]),
            None if text.is_empty() => section,
            // Always one newline, which is removed with the section.
            None => format!("{text}\n{section}"),
        }
    }

    /// Returns the text without the section; `None` if it has none.
    pub fn remove(&self, text: &str) -> Option<String> {
        let (begin, end) = self.find(text)?;
        let head = &text[..begin];
        let before = head.strip_suffix('\n').unwrap_or(head);
        Some(format!("{before}{}", &text[end..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKS: SectionMarks = SectionMarks {
        begin: "<!-- BEGIN -->",
        end: "<!-- END -->",
    };

    #[test]
    fn removing_a_section_restores_the_original_text() {
        for text in ["", "a", "a\n", "a\n\n", "# A\n\ntext\r\n"] {
            let with = MARKS.insert(text, "body\n");
            assert!(MARKS.is_in(&with));
            assert_eq!(MARKS.remove(&with).as_deref(), Some(text), "{text:?}");
            let newer = MARKS.insert(&with, "newer");
            assert_eq!(newer.matches("BEGIN").count(), 1);
            assert_eq!(MARKS.remove(&newer).as_deref(), Some(text), "{text:?}");
        }
        assert_eq!(MARKS.remove("a"), None);
    }

    #[test]
    fn text_below_a_section_is_kept() {
        let with = MARKS.insert("a\n", "body") + "below\n";
        assert_eq!(MARKS.remove(&with).as_deref(), Some("a\nbelow\n"));
    }
}
