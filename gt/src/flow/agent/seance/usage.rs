//! Counts the tokens that the model requests of a session used, from its transcript.

use std::collections::HashMap;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::Value;

use super::transcript::files::open_lines;
use super::transcript::opencode::{OpencodeAnswers, OpencodeSession};
use super::transcript::{ModelRequest, ReportedUsage, TokenCounts, parse_event};

/// Earlier readings of transcripts. A transcript grows at its end, so each reading continues where
/// the last one ended.
#[derive(Debug, Default)]
pub struct RequestCache {
    files: HashMap<PathBuf, FileReading>,
}

#[derive(Debug, Default)]
struct FileReading {
    /// The number of the file on its disk, which a replaced file does not have.
    inode: u64,
    /// The number of bytes that were read.
    length: u64,
    /// The length of the file at the last reading, so that its incomplete last line is read once.
    seen_length: u64,
    reader: RequestReader,
    /// True if it was read since the last call of [`RequestCache::forget_unused`].
    is_used: bool,
}

impl RequestCache {
    /// Reads the requests in a transcript, in their order.
    pub fn read(&mut self, path: &Path) -> &[ModelRequest] {
        let reading = self.files.entry(path.to_owned()).or_default();
        reading.is_used = true;
        // A file that cannot be read any more keeps what was read.
        reading.read_on(path).ok();
        reading.reader.requests()
    }

    /// Forgets the transcripts that were not read since the last call, unless none was read.
    pub fn forget_unused(&mut self) {
        if self.files.values().any(|reading| reading.is_used) {
            self.files
                .retain(|_, reading| std::mem::take(&mut reading.is_used));
        }
    }
}

impl FileReading {
    fn read_on(&mut self, path: &Path) -> io::Result<()> {
        let mut lines = open_lines(path, self.length)?;
        let meta = lines.metadata()?;
        if meta.ino() != self.inode || meta.len() < self.length {
            *self = Self {
                inode: meta.ino(),
                is_used: self.is_used,
                ..Self::default()
            };
            lines = open_lines(path, 0)?;
        }
        if meta.len() == self.seen_length {
            return Ok(());
        }
        self.seen_length = meta.len();
        while let Some(line) = lines.next_line()? {
            let event: Option<Value> = serde_json::from_slice(line).ok();
            // The last line may not be written to its end yet.
            if event.is_none() && !line.ends_with(b"\n") {
                return Ok(());
            }
            if let Some(event) = event {
                self.reader.take_event(&event);
            }
            self.length = lines.offset;
        }
        Ok(())
    }
}

/// Reads the requests of OpenCode's sessions, each database once.
#[derive(Default)]
pub struct OpencodeRequests {
    answers: OpencodeAnswers,
}

impl OpencodeRequests {
    pub fn read(&mut self, session: &OpencodeSession) -> Vec<ModelRequest> {
        let mut reader = RequestReader::default();
        self.answers
            .for_each(session, |answer| reader.take_event(answer));
        reader.requests().to_vec()
    }
}

/// Collects the requests of a session from its events.
#[derive(Debug, Default)]
struct RequestReader {
    requests: Vec<ModelRequest>,
    /// The position of each answer with an id.
    places: HashMap<String, usize>,
    /// The model that the last event without a message named.
    named_model: String,
    /// The last totals of the session, and their growth as requests.
    totals: TokenCounts,
    growth: Vec<ModelRequest>,
}

impl RequestReader {
    /// Returns the requests, in their order.
    fn requests(&self) -> &[ModelRequest] {
        // Sessions that report their requests may report totals, too.
        if self.requests.is_empty() {
            &self.growth
        } else {
            &self.requests
        }
    }

    fn take_event(&mut self, value: &Value) {
        let Some(event) = parse_event(value) else {
            return;
        };
        if event.message.is_none()
            && let Some(model) = event.model
        {
            model.clone_into(&mut self.named_model);
        }
        match event.usage {
            Some(ReportedUsage::Request(request)) => self.add_request(request),
            Some(ReportedUsage::Totals { at, tokens }) => self.add_growth(at, tokens),
            None => {}
        }
    }

    /// Adds a request, or replaces the one with the same id.
    fn add_request(&mut self, mut request: ModelRequest) {
        if request.tokens == TokenCounts::default() {
            return;
        }
        if request.model.is_empty() {
            request.model.clone_from(&self.named_model);
        }
        if let Some(id) = &request.id {
            if let Some(place) = self.places.get(id) {
                self.requests[*place] = request;
                return;
            }
            self.places.insert(id.clone(), self.requests.len());
        }
        self.requests.push(request);
    }

    fn add_growth(&mut self, at: Timestamp, now: TokenCounts) {
        // Totals that fall are those of a new beginning.
        let before = match self.totals {
            before if before.total() > now.total() => TokenCounts::default(),
            before => before,
        };
        let grown = TokenCounts {
            input: now.input.saturating_sub(before.input),
            cache_read: now.cache_read.saturating_sub(before.cache_read),
            cache_write: now.cache_write.saturating_sub(before.cache_write),
            output: now.output.saturating_sub(before.output),
            ..TokenCounts::default()
        };
        self.totals = now;
        if grown != TokenCounts::default() {
            self.growth.push(ModelRequest {
                id: None,
                at,
                model: self.named_model.clone(),
                tokens: grown,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Vec<(String, TokenCounts)> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), lines.join("\n")).unwrap();
        let mut cache = RequestCache::default();
        let requests = cache.read(file.path()).iter();
        requests
            .map(|request| (request.model.clone(), request.tokens))
            .collect()
    }

    fn counts(input: u64, cache_read: u64, cache_write: u64, output: u64) -> TokenCounts {
        TokenCounts {
            input,
            cache_read,
            cache_write,
            output,
            ..TokenCounts::default()
        }
    }

    #[test]
    fn an_answer_of_claude_code_in_several_lines_counts_once() {
        let found = read(&[
            r#"{"type":"user","message":{"content":"hi"}}"#,
            r#"{"type":"assistant","timestamp":"2026-01-01T10:00:00Z","message":{"id":"m1","model":"claude-a","usage":{"input_tokens":4,"cache_read_input_tokens":90,"cache_creation_input_tokens":10,"output_tokens":1}}}"#,
            r#"{"type":"assistant","timestamp":"2026-01-01T10:00:01Z","message":{"id":"m1","model":"claude-a","usage":{"input_tokens":4,"cache_read_input_tokens":90,"cache_creation_input_tokens":10,"cache_creation":{"ephemeral_1h_input_tokens":7},"output_tokens":25}}}"#,
            r#"{"type":"assistant","message":{"id":"m2","model":"<synthetic>","usage":{"input_tokens":0}}}"#,
            "{ torn",
        ]);
        let expected = TokenCounts {
            cache_write_1h: 7,
            ..counts(4, 90, 3, 25)
        };
        assert_eq!(found, [("claude-a".to_owned(), expected)]);
    }

    #[test]
    fn the_growth_of_codex_totals_counts_and_a_repeated_total_does_not() {
        let total = |input: u64, cached: u64, output: u64| {
            format!(
                r#"{{"type":"event_msg","timestamp":"2026-01-01T10:00:00Z","payload":{{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{input},"cached_input_tokens":{cached},"output_tokens":{output}}}}}}}}}"#
            )
        };
        let model = r#"{"type":"turn_context","payload":{"model":"gpt-a"}}"#;
        let none = r#"{"type":"event_msg","payload":{"type":"token_count","info":null}}"#;
        let (first, second, after) = (total(100, 0, 10), total(250, 100, 30), total(5, 0, 1));
        let found = read(&[model, none, &first, &first, &second, &after]);
        let expected = [
            counts(100, 0, 0, 10),
            counts(50, 100, 0, 20),
            counts(5, 0, 0, 1),
        ];
        assert_eq!(found, expected.map(|counts| ("gpt-a".to_owned(), counts)));
    }

    #[test]
    fn records_of_codex_count_instead_of_its_totals() {
        let found = read(&[
            r#"{"type":"turn_context","payload":{"model":"gpt-a"}}"#,
            r#"{"type":"token_usage_record","payload":{"response_id":"r1","usage":{"input_tokens":90,"cached_input_tokens":40,"cache_write_input_tokens":20,"output_tokens":5,"reasoning_output_tokens":2}}}"#,
            r#"{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":90,"cached_input_tokens":40,"output_tokens":5}}}}"#,
        ]);
        assert_eq!(found, [("gpt-a".to_owned(), counts(30, 40, 20, 5))]);
    }

    #[test]
    fn thoughts_of_gemini_are_output_and_cached_input_is_no_input() {
        let found = read(&[
            r#"{"sessionId":"s","startTime":"2026-01-01T10:00:00Z"}"#,
            r#"{"type":"gemini","id":"g1","model":"gemini-a","tokens":{"input":100,"output":5,"cached":60,"thoughts":20,"tool":3,"total":128}}"#,
            r#"{"type":"gemini","id":"g1","model":"gemini-a","tokens":{"input":100,"output":6,"cached":60,"thoughts":20,"tool":3,"total":129}}"#,
        ]);
        assert_eq!(found, [("gemini-a".to_owned(), counts(43, 60, 0, 26))]);
    }

    #[test]
    fn reasoning_of_opencode_is_output_once() {
        let message = |provider: &str, tokens: &str| {
            format!(
                r#"{{"role":"assistant","providerID":"{provider}","modelID":"m","time":{{"created":1,"completed":2}},"tokens":{tokens}}}"#
            )
        };
        let apart = r#"{"total":1052,"input":402,"output":30,"reasoning":20,"cache":{"write":0,"read":600}}"#;
        let in_both = r#"{"total":1052,"input":402,"output":50,"reasoning":20,"cache":{"write":0,"read":600}}"#;
        let no_total = r#"{"input":402,"output":50,"reasoning":20,"cache":{"write":0,"read":600}}"#;
        for (provider, tokens, output) in [
            ("fake", apart, 50),
            ("google", apart, 50),
            ("fake", in_both, 50),
            ("fake", no_total, 50),
            ("google-vertex", no_total, 70),
        ] {
            let found = read(&[&message(provider, tokens)]);
            let expected = counts(402, 600, 0, output);
            assert_eq!(found, [("m".to_owned(), expected)], "{provider} {tokens}");
        }
    }

    #[test]
    fn a_transcript_that_is_a_pipe_or_has_a_line_of_gigabytes_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let [pipe, large] = ["pipe", "large"].map(|name| folder.path().join(name));
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).unwrap();
        std::fs::File::create(&large)
            .unwrap()
            .set_len(3 << 30)
            .unwrap();
        let mut cache = RequestCache::default();
        for path in [&pipe, &large] {
            assert!(cache.read(path).is_empty());
            assert!(cache.read(path).is_empty());
        }
    }

    #[test]
    fn a_growing_transcript_is_read_on_and_a_replaced_one_from_its_beginning() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let answer = |id: &str, output: u64| {
            format!(
                r#"{{"type":"assistant","message":{{"id":"{id}","model":"m","usage":{{"input_tokens":1,"output_tokens":{output}}}}}}}"#
            )
        };
        let mut cache = RequestCache::default();
        let mut outputs = |text: &str| -> Vec<u64> {
            std::fs::write(&path, text).unwrap();
            let requests = cache.read(&path).iter();
            requests.map(|request| request.tokens.output).collect()
        };
        let (first, second) = (answer("a", 5), answer("b", 7));
        let half = &second[..20];
        assert_eq!(outputs(&format!("{first}\n{half}")), [5]);
        assert_eq!(outputs(&format!("{first}\n{second}")), [5, 7]);
        let again = answer("b", 9);
        assert_eq!(outputs(&format!("{first}\n{second}\n{again}\n")), [5, 9]);
        assert_eq!(outputs(&first), [5]);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(cache.read(&path).len(), 1);
        cache.forget_unused();
        cache.forget_unused();
        assert_eq!(cache.read(&path).len(), 1);
        cache.forget_unused();
        cache.read(&folder.path().join("b.jsonl"));
        cache.forget_unused();
        assert_eq!(cache.read(&path).len(), 0);
    }
}
