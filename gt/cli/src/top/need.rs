//! The page of something that needs the user, built from the overview alone.

use gt::view::need::UserNeed;
use gt::view::overview::TownOverview;
use kit::ui::escape::{escape_block, escape_line};

use super::rows::{PageLine, Tone};
use super::subject::Subject;

/// Returns the lines of a need. Without it, the reason is that it has been resolved.
pub(super) fn describe_need(overview: &TownOverview, key: &str) -> Vec<PageLine> {
    let Some(need) = overview.needs_you.iter().find(|need| need.key == key) else {
        return vec![PageLine::plain("this does not need you any more")];
    };
    let mut lines = vec![PageLine {
        tone: Tone::Strong,
        ..PageLine::plain(escape_line(&need.subject))
    }];
    if let Some(question) = &need.question {
        let severity = question.severity.name();
        let from = escape_line(&question.from);
        lines.push(PageLine::plain(format!("{severity}, from {from}")));
    }
    let text = escape_block(need.text.trim_end()).replace('\t', "    ");
    lines.extend(text.lines().map(PageLine::plain));
    if let Some(question) = &need.question {
        for (key, option) in ('A'..='Z').zip(&question.options) {
            let option = escape_line(option);
            lines.push(PageLine::plain(format!("  [{key}] {option}")));
        }
    }
    lines.extend(list_links(overview, need));
    let commands = need.next.iter().map(|command| escape_line(command));
    lines.extend(commands.map(|command| PageLine::plain(format!("  → {command}"))));
    lines
}

/// Returns a line for each thing that the need is about.
fn list_links(overview: &TownOverview, need: &UserNeed) -> Vec<PageLine> {
    let mut links = Vec::new();
    if let Some(request) = need.find_request(&overview.requests) {
        links.push(("merge request", Subject::Request(request.id.clone())));
    }
    if let Some(agent) = need.find_agent(&overview.status) {
        links.push(("agent", Subject::Agent(agent.address.clone())));
    }
    let convoys = &overview.status.convoys;
    match need.bead.as_str() {
        "" => {}
        id if convoys.iter().any(|convoy| convoy.id == id) => {
            links.push(("convoy", Subject::Convoy(id.to_owned())));
        }
        id => links.push(("bead", Subject::Bead(id.to_owned()))),
    }
    links
        .into_iter()
        .map(|(kind, subject)| {
            let text = format!("  {kind}: {}", escape_line(subject.name()));
            PageLine {
                subject: Some(subject),
                ..PageLine::plain(text)
            }
        })
        .collect()
}
