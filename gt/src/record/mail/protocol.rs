//! The typed messages of the town's protocol: their subjects, the fields of their bodies, and the
//! fields that each needs.
//!
//! A body is `Key: value` lines, then an empty line and free text, such as the tail of a log. Other
//! programs write these messages too, so parsing is lenient: a missing field is empty, unknown keys
//! are ignored, and `Failure-Type`, `Failure_Type` and `FailureType` are one key. Work moves by
//! beads and rules of the patrol, never by a message, so a repeated message changes nothing.

use std::fmt;

/// The mark before the subject of a handoff.
const HANDOFF_MARK: &str = "🤝";

/// Defines the messages, each with the word of its subject and its fields with their keys.
macro_rules! define_messages {
    ($($(#[$doc:meta])* $kind:ident($word:literal, $subject:ident) {
        $($field:ident: $key:literal),*
    } needs [$($needed:literal),*])+) => {
        /// A message of the protocol. A field that its sender left out is empty. `text` is the free
        /// text behind the fields.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum ProtocolMessage {
            $($(#[$doc])* $kind { $subject: String, $($field: String,)* text: String },)+
        }

        impl ProtocolMessage {
            /// Parses a message. An error if its subject is not one of the protocol.
            pub fn parse(subject: &str, body: &str) -> Result<Self, UnknownSubject> {
                let (word, rest) = split_subject(subject).ok_or_else(|| UnknownSubject {
                    subject: subject.to_owned(),
                })?;
                match word {
                    $($word => {
                        #[allow(unused_mut, reason = "free text has no fields")]
                        let mut parts = BodyParts::split(body, &[$($key),*]);
                        Ok(Self::$kind {
                            $subject: rest.to_owned(),
                            $($field: parts.take($key),)*
                            text: parts.text,
                        })
                    })+
                    _ => Err(UnknownSubject { subject: subject.to_owned() }),
                }
            }

            /// Returns the subject.
            pub fn subject(&self) -> String {
                match self {
                    $(Self::$kind { $subject, .. } => format_subject($word, $subject),)+
                }
            }

            /// Returns the body.
            pub fn body(&self) -> String {
                match self {
                    $(Self::$kind { $($field,)* text, .. } => {
                        format_body(&[$(($key, $field)),*], text)
                    })+
                }
            }

            /// Returns the keys of the fields that the message needs and lacks.
            pub fn missing_fields(&self) -> Vec<&'static str> {
                match self {
                    $(Self::$kind { $subject, $($field,)* .. } => {
                        let values = [("the subject", $subject), $(($key, $field)),*];
                        let needed: &[&str] = &[$($needed),*];
                        values
                            .into_iter()
                            .filter(|(key, value)| needed.contains(key) && value.is_empty())
                            .map(|(key, _)| key)
                            .collect()
                    })+
                }
            }
        }

        /// The words of the subjects.
        const WORDS: [&str; [$($word),+].len()] = [$($word),+];
    };
}

define_messages! {
    /// A worker has ended its work.
    PolecatDone("POLECAT_DONE", name) {
        exit: "Exit", issue: "Issue", mr: "MR", gate: "Gate", branch: "Branch", mr_failed: "MRFailed"
    } needs ["the subject", "Exit"]
    /// Work waits for the merge queue.
    MergeReady("MERGE_READY", name) {
        branch: "Branch", issue: "Issue", polecat: "Polecat", rig: "Rig", verified: "Verified", mr: "MR"
    } needs ["Branch", "Polecat"]
    /// Work is on its target.
    Merged("MERGED", name) {
        branch: "Branch", issue: "Issue", polecat: "Polecat", rig: "Rig", target: "Target",
        merged_at: "Merged-At", merge_commit: "Merge-Commit"
    } needs ["Branch", "Merge-Commit"]
    /// Work could not be merged. The text is the evidence: the tail of the log.
    MergeFailed("MERGE_FAILED", name) {
        branch: "Branch", issue: "Issue", polecat: "Polecat", rig: "Rig", target: "Target",
        failed_at: "Failed-At", failure_type: "Failure-Type", error: "Error", command: "Command",
        commit: "Commit"
    } needs ["Branch", "Failure-Type", "Error"]
    /// Work clashes with its target. The text says what to do.
    ReworkRequest("REWORK_REQUEST", name) {
        branch: "Branch", issue: "Issue", polecat: "Polecat", rig: "Rig", target: "Target",
        requested_at: "Requested-At", conflict_files: "Conflict-Files"
    } needs ["Branch", "Target"]
    /// A witness asks if the deacon is alive.
    WitnessPing("WITNESS_PING", rig) {
        timestamp: "Timestamp", patrol: "Patrol"
    } needs ["the subject"]
    /// An agent is stuck.
    Help("HELP", topic) {
        agent: "Agent", issue: "Issue", problem: "Problem", tried: "Tried"
    } needs []
    /// A session hands over to its successor.
    Handoff("HANDOFF", topic) {} needs []
}

/// The subject of a message is not one of the protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{subject}` is no subject of the protocol ({})", WORDS.join(", "))]
pub struct UnknownSubject {
    pub subject: String,
}

impl fmt::Display for ProtocolMessage {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.subject())
    }
}

/// Splits a subject into the word in capitals, and the rest. The word stands alone or before one
/// name, or any text follows its colon. Anything else is a sentence that someone should read.
fn split_subject(subject: &str) -> Option<(&'static str, &str)> {
    let subject = subject.trim();
    let subject = subject.strip_prefix(HANDOFF_MARK).unwrap_or(subject).trim();
    WORDS.into_iter().find_map(|word| {
        let rest = strip_report(subject, word)?;
        Some((word, rest))
    })
}

/// Returns the text behind the word of a report: the one name, or what follows the colon. None for
/// other subjects.
pub fn strip_report<'a>(subject: &'a str, word: &str) -> Option<&'a str> {
    let subject = subject.trim();
    let (found, rest) = subject.split_at_checked(word.len())?;
    if let Some(rest) = rest.strip_prefix(':') {
        return found.eq_ignore_ascii_case(word).then(|| rest.trim());
    }
    let is_short = rest.is_empty() || rest.starts_with(' ');
    let has_one_name = is_short && rest.split_whitespace().count() < 2;
    (found == word && has_one_name).then(|| rest.trim())
}

/// Returns true if the first word of a subject asks for help, in any case.
pub fn is_call_for_help(subject: &str) -> bool {
    let first = subject
        .trim_start()
        .split(|letter: char| letter.is_whitespace() || letter == ':')
        .next();
    first.is_some_and(|word| word.eq_ignore_ascii_case("help"))
}

fn format_subject(word: &str, rest: &str) -> String {
    let mark = match word {
        "HANDOFF" => format!("{HANDOFF_MARK} "),
        _ => String::new(),
    };
    let is_name = !rest.contains([' ', ':']);
    match (rest, word) {
        ("", _) => format!("{mark}{word}"),
        (_, "HELP" | "HANDOFF") => format!("{mark}{word}: {rest}"),
        (name, _) if is_name => format!("{word} {name}"),
        (text, _) => format!("{word}: {text}"),
    }
}

fn format_body(fields: &[(&str, &String)], text: &str) -> String {
    let mut body: String = fields
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| {
            let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
            format!("{key}: {value}\n")
        })
        .collect();
    if !text.is_empty() {
        // Without fields, the empty line says that the text is none.
        body.push('\n');
        body.push_str(text);
        body.push('\n');
    }
    body
}

/// A body, taken apart.
struct BodyParts {
    /// The normalized keys with their values.
    fields: Vec<(String, String)>,
    text: String,
}

impl BodyParts {
    /// Splits a body. Without any of the keys in its first part, all of it is text.
    fn split(body: &str, keys: &[&str]) -> Self {
        let body = body.replace("\r\n", "\n");
        let (head, text) = match body.strip_prefix('\n') {
            Some(text) => ("", text),
            None => body.split_once("\n\n").unwrap_or((&body, "")),
        };
        let fields: Vec<(String, String)> = head
            .lines()
            .filter_map(|line| line.split_once(':'))
            .map(|(key, value)| (normalize_key(key), value.trim().to_owned()))
            .filter(|(key, _)| keys.iter().any(|known| normalize_key(known) == *key))
            .collect();
        let text = if fields.is_empty() { &body } else { text };
        Self {
            text: text.trim().to_owned(),
            fields,
        }
    }

    fn take(&mut self, key: &str) -> String {
        let key = normalize_key(key);
        let found = self.fields.iter().position(|(known, _)| *known == key);
        found.map_or_else(String::new, |index| self.fields.swap_remove(index).1)
    }
}

/// Returns a key without case, `-`, `_` and spaces.
fn normalize_key(key: &str) -> String {
    key.trim()
        .chars()
        .filter(|it| !matches!(it, '-' | '_' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(subject: &str, body: &str) -> ProtocolMessage {
        ProtocolMessage::parse(subject, body).unwrap()
    }

    #[test]
    fn each_message_is_parsed_from_its_subject_and_its_fields() {
        let done = parse(
            "POLECAT_DONE nux",
            "Exit: COMPLETED\nIssue: web-1\nMR: web-2\nGate: \nBranch: polecat/nux/web-1\nMRFailed: true\nOther: x",
        );
        assert_eq!(
            done,
            ProtocolMessage::PolecatDone {
                name: "nux".to_owned(),
                exit: "COMPLETED".to_owned(),
                issue: "web-1".to_owned(),
                mr: "web-2".to_owned(),
                gate: String::new(),
                branch: "polecat/nux/web-1".to_owned(),
                mr_failed: "true".to_owned(),
                text: String::new(),
            }
        );
        let ready = parse(
            "MERGE_READY nux",
            "Branch: b\nPolecat: nux\nVerified: clean",
        );
        assert_eq!(ready.missing_fields(), Vec::<&str>::new());
        let merged = parse("MERGED nux", "Merged-At: now\nMerge-Commit: c0ffee");
        assert_eq!(merged.missing_fields(), ["Branch"]);
        let rework = parse(
            "REWORK_REQUEST nux",
            "Branch: b\nTarget: main\nConflict-Files: a.rs, b.rs\n\nRebase onto main:\n\n1. fetch",
        );
        let ProtocolMessage::ReworkRequest {
            conflict_files,
            text,
            ..
        } = rework
        else {
            panic!("{rework:?}");
        };
        assert_eq!(conflict_files, "a.rs, b.rs");
        assert_eq!(text, "Rebase onto main:\n\n1. fetch");
        let ping = parse("WITNESS_PING web", "Rig: web\nTimestamp: t\nPatrol: 7");
        assert_eq!(ping.missing_fields(), Vec::<&str>::new());
        let help = parse("HELP: no disk: none", "I need help: at once");
        let ProtocolMessage::Help { topic, text, .. } = help else {
            panic!("{help:?}");
        };
        assert_eq!((&*topic, &*text), ("no disk: none", "I need help: at once"));
        let handoff = parse("🤝 HANDOFF: the parser", "Half done.\n\nNext: tests");
        assert_eq!(handoff.subject(), "🤝 HANDOFF: the parser");
    }

    #[test]
    fn one_key_is_written_in_three_ways() {
        for key in [
            "Failure-Type",
            "Failure_Type",
            "FailureType",
            "failure type",
        ] {
            let failed = parse(
                "MERGE_FAILED nux",
                &format!("{key}: tests\nError: x\nBranch: b"),
            );
            assert!(failed.missing_fields().is_empty(), "{key}: {failed:?}");
        }
    }

    #[test]
    fn a_failure_carries_its_evidence() {
        let body = "Branch: b\nFailure-Type: tests\nError: gate `test` failed\nCommand: make test\nCommit: c0ffee\n\nline 1\n\nline 2\n";
        let failed = parse("MERGE_FAILED nux", body);
        assert_eq!(failed.body(), body);
    }

    #[test]
    fn minimal_bodies_are_parsed_with_empty_fields() {
        for word in WORDS {
            for body in ["", "\n", "Unknown: x"] {
                let message = parse(word, body);
                let subject = message.subject();
                assert_eq!(subject.trim_start_matches("🤝 "), word);
            }
        }
        assert_eq!(
            parse("MERGE_READY", "").missing_fields(),
            ["Branch", "Polecat"]
        );
        let missing = parse("MERGE_FAILED nux", "").missing_fields();
        assert_eq!(missing, ["Branch", "Failure-Type", "Error"]);
    }

    #[test]
    fn a_wrong_subject_is_an_error() {
        for subject in [
            "",
            "MERGE",
            "Merged main, help",
            "MERGED MAIN BROKE",
            "MERGE_READYNESS",
            "helpful hints",
            "FIX_NEEDED nux",
        ] {
            let error = ProtocolMessage::parse(subject, "Branch: b").unwrap_err();
            assert!(error.to_string().contains("MERGE_READY"), "{subject}");
        }
    }

    proptest! {
        #[test]
        fn formatting_and_parsing_give_the_same_message(
            word in prop::sample::select(WORDS.to_vec()),
            name in "[a-z][a-z0-9/.-]{0,9}",
            values in prop::collection::vec("([a-z#:,./-]{1,6}( [a-z:,]{1,5}){0,2})?", 10),
            text in "([a-zA-Z:-]{1,8}[ \n]{0,2}){0,6}",
        ) {
            let keys = ["Exit", "Branch", "Polecat", "Rig", "Target", "Failure-Type", "Problem", "Tried", "Patrol", "Merge-Commit"];
            let mut body = String::new();
            for (key, value) in keys.iter().zip(&values) {
                body.push_str(&format!("{key}: {value}\n"));
            }
            let body = format!("{body}\n{}", text.trim());
            let first = parse(&format_subject(word, &name), &body);
            let again = parse(&first.subject(), &first.body());
            prop_assert_eq!(&again, &first);
            // A second copy says the same.
            prop_assert_eq!(again.body(), first.body());
        }
    }
}
