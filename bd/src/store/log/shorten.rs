//! Rewrites history that an earlier version wrote with whole large values.

use crate::bead::lines;
use crate::store::disk::files;
use crate::store::log::event::Event;
use crate::store::log::history::list_history_files;
use crate::store::log::sealed::{encode_sealed, open_sealed};
use crate::store::{Store, StoreError};

/// The bytes of history before and after it was shortened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HistorySize {
    pub before: usize,
    pub after: usize,
}

impl Store {
    /// Rewrites the lines of history with large values, so that they have only the changed parts.
    /// All other lines keep their bytes. With `is_trial`, only computes the sizes.
    pub fn shorten_history(&self, is_trial: bool) -> Result<HistorySize, StoreError> {
        let _guard = self.lock()?;
        let mut size = HistorySize::default();
        for path in list_history_files(&self.paths) {
            let text = files::read_or_empty(&path)?;
            let shorter = shorten_lines(&text);
            size.before += text.len();
            size.after += shorter.as_ref().map_or(text.len(), Vec::len);
            if let (Some(shorter), false) = (shorter, is_trial) {
                files::replace_store_file(&path, &shorter)?;
            }
        }
        Ok(size)
    }
}

/// Shortens the lines of a file of history; `None` if no line becomes shorter.
fn shorten_lines(text: &[u8]) -> Option<Vec<u8>> {
    let mut shorter = Vec::new();
    // The bytes up to here are copied.
    let mut copied = 0;
    for (_, span) in lines::iter_line_spans(text, 0) {
        let Some(event) = shorten_line(&text[span.clone()]) else {
            continue;
        };
        shorter.extend_from_slice(&text[copied..span.start]);
        shorter.extend_from_slice(event.trim_ascii_end());
        copied = span.end;
    }
    if copied == 0 {
        return None;
    }
    shorter.extend_from_slice(&text[copied..]);
    Some(shorter)
}

fn shorten_line(line: &[u8]) -> Option<Vec<u8>> {
    let mut event: Event = open_sealed(line)?;
    let mut is_shorter = false;
    for change in &mut event.changes {
        is_shorter |= change.shorten();
    }
    is_shorter.then(|| encode_sealed(&event))
}
