//! Runs a command that notifies a user. The text is passed in variables and on standard input,
//! never in arguments, and no shell reads it.

use std::path::Path;
use std::sync::Arc;

use kit::sys::{ChildCommand, ExecError};
use kit::ui::{cut, escape};
use serde_json::json;

use super::format_notice_text;
use crate::flow::place::town_hook::inherited_variables;
use crate::record::escalation::Escalation;
use crate::town::Town;
use crate::town::config::NotifyCommand;

/// The maximum size of the standard input in bytes.
const MAX_INPUT: usize = 16 * 1024;
/// The maximum size of a text in a variable, in bytes. Standard input has the whole text.
const MAX_VARIABLE: usize = 16 * 1024;
/// The maximum length of recorded output.
const MAX_DETAIL: usize = 200;

/// Runs a command for an escalation. Returns the first line of its output, or the reason of the
/// failure.
pub(super) fn run_command(
    town: &Town,
    command: &NotifyCommand,
    escalation: &Escalation,
    to: &str,
    link: Option<&str>,
) -> Result<String, String> {
    let (program, args) = command.cmd.split_first().ok_or("it has no program")?;
    let root = town.layout.root();
    let program = if program.contains('/') {
        root.join(Path::new(program)).into_os_string()
    } else {
        program.into()
    };
    let answer = link.map_or_else(String::new, |link| format!("Answer: {link}\n"));
    let title = escape::escape_line(&escalation.title);
    let notice = format_notice_text(escalation);
    let text = format!("{title}\n\n{answer}{notice}").replace('\0', "");
    let mut run = ChildCommand::new(program).args(args).cwd(root).env_clear();
    for (name, value) in inherited_variables(&town.env) {
        run = run.env(name, value);
    }
    for (name, value) in &command.env {
        run = run.env(name, value);
    }
    let details = &escalation.details;
    for (name, value) in [
        ("ID", escalation.id.as_str()),
        ("SEVERITY", escalation.severity.name()),
        ("TITLE", &escalation.title),
        ("CATEGORY", &details.category),
        ("FROM", &escalation.escalated_by),
        ("BEAD", &escalation.related_bead),
        ("CONVOY", &details.convoy),
        ("TO", to),
        ("LINK", link.unwrap_or("")),
    ] {
        // Each value is one line, because a title must not become a second header of a message.
        run = run.env(format!("GT_ESCALATION_{name}"), escape::escape_line(value));
    }
    let run = run
        .env("GT_ESCALATION_JSON", build_json(escalation, link))
        .env("GT_ESCALATION_TEXT", cut::first_bytes(&text, MAX_VARIABLE))
        .env("GT_TOWN_ROOT", root)
        .stdin(text)
        .limit(command.time_limit())
        .cap(MAX_INPUT)
        .stop_when(Arc::clone(&town.stop))
        .run();
    let done = run.map_err(|error| match error {
        ExecError::Io { program, source } => format!("cannot run {program}: {source}"),
        error => error.to_string(),
    })?;
    if done.is_success() {
        return Ok(first_output_line(&hide_link(&done.text(), link)));
    }
    let message = [done.error_text(), done.text()]
        .iter()
        .map(|text| first_output_line(&hide_link(text, link)))
        .find(|text| !text.is_empty());
    let ended = match done.code() {
        Some(code) => format!("exit code {code}"),
        None => "ended by a signal".to_owned(),
    };
    Err(message.map_or(ended.clone(), |said| format!("{ended}: {said}")))
}

/// Returns the JSON body for a web hook, because shells cannot quote a text as JSON.
fn build_json(escalation: &Escalation, link: Option<&str>) -> String {
    let severity = escalation.severity.name();
    let title = &escalation.title;
    let id = &escalation.id;
    let from = &escalation.escalated_by;
    let mut text = format!("[{severity}] {title} ({id} from {from})");
    let mut body = json!({ "id": id, "severity": severity, "title": title });
    if let Some(link) = link {
        text = format!("{text} {link}");
        body["link"] = json!(link);
    }
    body["text"] = json!(text);
    body.to_string()
}

/// Removes the link from output, which is recorded on the escalation, where agents read it.
fn hide_link(output: &str, link: Option<&str>) -> String {
    link.map_or_else(|| output.to_owned(), |link| output.replace(link, "(link)"))
}

fn first_output_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or("");
    escape::escape_line(&cut::cut_to_width(line, MAX_DETAIL))
}
