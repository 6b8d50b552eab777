//! Formats the decision about the convoy.

use kit::ui::escape;

use super::{ContextPart, PartPointer, PartRoom};

/// Formats a hook's text about the decision, each line quoted.
pub(in crate::flow::work::prime) fn decision_part(
    adr: Option<&str>,
    hook: &str,
    hook_text: &str,
    file: Option<&str>,
) -> ContextPart {
    let mut text = format_heading(adr);
    text.push_str("It applies to every bead of the convoy and is shown once.\n\n");
    for line in hook_text.trim_end().lines() {
        text.push_str(format!("> {}", escape::escape_line(line)).trim_end());
        text.push('\n');
    }
    let source = file.unwrap_or(hook).to_owned();
    ContextPart::fixed("decision", source, text).with_room(PartRoom {
        most: 3 * 1024,
        least: 400,
        rank: 1,
        pointer: PartPointer::Source,
    })
}

/// Asks the agent to read the decision's file, or notes that it has read it.
pub(in crate::flow::work::prime) fn decision_file_part(
    adr: Option<&str>,
    path: &str,
    known: bool,
) -> ContextPart {
    let shown = escape::escape_line(path);
    let text = if known {
        let adr = adr.map_or_else(|| "The convoy's decision".to_owned(), escape::escape_line);
        format!(
            "{adr} still applies and was shown to you before ({shown}). Do not read it again.\n"
        )
    } else {
        format!(
            "{}It counts for every bead of the convoy. Read {shown} once before you begin, and not again for the \
             next bead.\n",
            format_heading(adr)
        )
    };
    ContextPart::fixed("decision", path, text)
}

fn format_heading(adr: Option<&str>) -> String {
    let adr = adr.map_or_else(String::new, |adr| format!(": {}", escape::escape_line(adr)));
    format!("# Decision about this convoy{adr}\n\n")
}
