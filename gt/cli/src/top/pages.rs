//! Reads the pages of the subjects, with the reports and the texts of the commands that show them.

use gt::flow::agent::session::show;
use gt::flow::work::mq as merge_queue;
use gt::host::LiveTown;
use gt::patrol::attention::list_due_items;
use gt::record;
use gt::record::mail;
use gt::record::town_view::TownView;
use gt::town::identity::Address;
use gt::view::bead::BeadDetails;
use gt::view::convoy::{BeadPace, ConvoyEnd, list_waves};
use gt::view::need::{list_needing_beads, list_needs};
use gt::view::polecat::{PolecatStatus, read_changes_so_far};
use gt::view::{ready, rig, why};
use kit::ui::Page;
use kit::ui::escape::{escape_block, escape_line};

use super::super::rig as rig_commands;
use super::super::{
    convoy as convoy_commands, mail as mail_commands, mq, polecat, why as why_command,
};
use super::rows::{PageLine, Tone};
use super::subject::{PageTab, Subject};

/// The number of lines of an agent's screen.
const SCREEN_LINES: usize = 200;
/// The maximum number of lines of a patch or log.
const MAX_LINES: usize = 5_000;

/// Reads one tab of a subject's page.
pub(super) fn read_page(
    town: &LiveTown,
    subject: &Subject,
    tab: PageTab,
) -> anyhow::Result<Vec<PageLine>> {
    match (subject, tab) {
        (Subject::Agent(address), _) => read_agent(town, &town.parse_agent(address)?, tab),
        (Subject::Rig(name), PageTab::Status) => {
            let status = rig::rig_status(town, &town.find_rig(name)?)?;
            Ok(list_lines(town, |page| {
                rig_commands::write_status(&status, page);
            }))
        }
        (Subject::Rig(name), PageTab::Ready) => read_ready(town, name),
        (Subject::Request(id), PageTab::Status | PageTab::Diff) => {
            let status = mq::read_status(town, id, tab == PageTab::Diff)?;
            let mut lines = match &status.diff {
                Some(diff) => list_patch(diff),
                None => list_lines(town, |page| mq::write_status(&status, page)),
            };
            if tab == PageTab::Status {
                lines.push(link("the bead", &status.bead));
            }
            Ok(lines)
        }
        (Subject::Request(id), PageTab::GateLog) => read_gate_logs(town, id),
        (Subject::Bead(id), PageTab::Text) => {
            BeadDetails::read(town, id).map(|bead| describe_bead(town, &bead))
        }
        (Subject::Bead(id), PageTab::Attempts) => {
            BeadDetails::read(town, id).map(|bead| describe_attempts(town, &bead))
        }
        (Subject::Convoy(id), PageTab::Beads) => read_convoy(town, id),
        (
            Subject::Rig(name)
            | Subject::Request(name)
            | Subject::Bead(name)
            | Subject::Convoy(name),
            _,
        ) => read_events(town, name),
        // The page of a need is built from the overview, and those of the town are drawn.
        (Subject::Need(_) | Subject::Town, _) => Ok(Vec::new()),
    }
}

/// Describes the reason why a page cannot be read.
pub(super) fn describe_missing(error: &anyhow::Error) -> Vec<PageLine> {
    let failure = gt::error::build_failure(error);
    failure
        .message
        .lines()
        .map(escape_line)
        .map(PageLine::plain)
        .collect()
}

fn read_agent(town: &LiveTown, agent: &Address, tab: PageTab) -> anyhow::Result<Vec<PageLine>> {
    match (tab, agent) {
        (PageTab::Screen, _) => read_screen(town, agent),
        (PageTab::Status, Address::Polecat(rig, name)) => {
            let status = PolecatStatus::read(town, &town.find_rig(rig)?, name)?;
            let mut lines = list_lines(town, |page| polecat::write_status(&status, page));
            if let Some(bead) = &status.row.issue {
                lines.push(link("the bead", bead));
            }
            Ok(lines)
        }
        (PageTab::Diff, Address::Polecat(rig, name)) => {
            read_changes_so_far(&town.find_rig(rig)?, name).map(|patch| list_patch(&patch))
        }
        (PageTab::Mail, _) => {
            let beads = town.open_town_store()?.snapshot()?;
            let messages = mail::list_inbox(&beads, &agent.mailbox());
            if messages.is_empty() {
                return Ok(vec![PageLine::plain("no messages")]);
            }
            Ok(list_lines(town, |page| {
                for message in &messages {
                    mail_commands::write_message_line("", message, page);
                }
            }))
        }
        _ => read_events(town, &agent.to_string()),
    }
}

fn read_screen(town: &LiveTown, agent: &Address) -> anyhow::Result<Vec<PageLine>> {
    if show::find_session(town, agent)?.is_none() {
        return Ok(vec![PageLine::plain("no session runs")]);
    }
    let lines = show::read_screen(town, agent, SCREEN_LINES)?;
    Ok(lines
        .iter()
        .map(|line| PageLine::plain(escape_line(line)))
        .collect())
}

fn read_events(town: &LiveTown, name: &str) -> anyhow::Result<Vec<PageLine>> {
    let found = why::explain_name(town, name)?;
    Ok(list_lines(town, |page| {
        why_command::write_explanation(&found, 0, false, page);
    }))
}

fn read_ready(town: &LiveTown, rig: &str) -> anyhow::Result<Vec<PageLine>> {
    let found = ready::read_ready_work(town, Some(rig))?;
    let mut lines = Vec::new();
    for source in &found.sources {
        if let Some(error) = &source.error {
            lines.push(PageLine::plain(format!(
                "! cannot be read: {}",
                escape_line(error)
            )));
        }
        lines.extend(source.beads.iter().map(|bead| {
            let title = escape_line(&bead.title);
            let text = format!("P{} {:<12} {title}", bead.priority, bead.id);
            open_bead(text, &bead.id)
        }));
    }
    if lines.is_empty() {
        lines.push(PageLine::plain("no bead is ready"));
    }
    Ok(lines)
}

fn read_gate_logs(town: &LiveTown, id: &str) -> anyhow::Result<Vec<PageLine>> {
    let (_, rig) = mq::find_request(town, &[id.to_owned()])?;
    let logs = merge_queue::list_gate_logs(&rig, id);
    let mut lines = Vec::new();
    for path in &logs {
        let Some(bytes) = kit::sys::file::read_file_if_exists(path)? else {
            continue;
        };
        lines.push(strong(path.display().to_string()));
        lines.extend(list_block(&String::from_utf8_lossy(&bytes)));
    }
    if logs.is_empty() {
        lines.push(PageLine::plain("no gate has failed"));
    }
    lines.truncate(MAX_LINES);
    Ok(lines)
}

fn read_convoy(town: &LiveTown, id: &str) -> anyhow::Result<Vec<PageLine>> {
    let view = TownView::read(town)?;
    let convoy = view
        .stores
        .town
        .get_live(id)
        .filter(|bead| record::convoy::is_convoy(bead))
        .ok_or_else(|| anyhow::anyhow!("there is no convoy `{id}`: not found"))?;
    let board = gt::flow::work::convoy::ProgressBoard::from_view(&view);
    let progress = board.progress(convoy);
    let needs = list_needs(&view, &list_due_items(town, &view));
    let pace = BeadPace::from_view(&view);
    let needs = list_needing_beads(&needs);
    let end = ConvoyEnd::estimate(&progress, &view, pace, &needs);
    let mut lines = list_lines(town, |page| {
        convoy_commands::write_heading(&progress, page);
    });
    if progress.counts.completed < progress.counts.total {
        let text = end.map_or_else(
            || "no estimate yet".to_owned(),
            |end| escape_line(&end.text),
        );
        lines.push(PageLine::plain(format!("   {text}")));
    }
    for (number, wave) in list_waves(&progress.tracked).into_iter().enumerate() {
        lines.push(strong(format!("Wave {}", number + 1)));
        for bead in wave {
            let shown = list_lines(town, |page| convoy_commands::write_bead_line(bead, page));
            lines.extend(shown.into_iter().map(|line| PageLine {
                subject: Some(Subject::Bead(bead.id.clone())),
                ..line
            }));
        }
    }
    Ok(lines)
}

fn describe_bead(town: &LiveTown, bead: &BeadDetails) -> Vec<PageLine> {
    let mut lines = vec![strong(format!("{} {}", bead.id, escape_line(&bead.title)))];
    let mut facts = vec![
        format!("P{}", bead.priority),
        bead.kind.clone(),
        bead.status.clone(),
    ];
    if !bead.assignee.is_empty() {
        facts.push(format!("with {}", bead.assignee));
    }
    facts.extend(bead.labels.iter().cloned());
    lines.push(PageLine::plain(escape_line(&facts.join(" · "))));
    let page = new_page(town);
    let created = page.relative_time(&bead.created_at);
    let updated = page.relative_time(&bead.updated_at);
    lines.push(PageLine::plain(format!(
        "created {created}, changed {updated}"
    )));
    if !bead.close_reason.is_empty() {
        let reason = escape_line(&bead.close_reason);
        lines.push(PageLine::plain(format!("closed: {reason}")));
    }
    for other in &bead.links {
        let title = escape_line(&other.title);
        let text = format!(
            "{} {} {title} ({})",
            escape_line(&other.relation),
            escape_line(&other.id),
            escape_line(&other.status)
        );
        lines.push(open_bead(text, &other.id));
    }
    for text in bead.texts.iter().chain(&bead.comments) {
        lines.push(PageLine::plain(""));
        lines.push(strong(escape_line(&text.name)));
        lines.extend(list_block(&text.text));
    }
    lines
}

fn describe_attempts(town: &LiveTown, bead: &BeadDetails) -> Vec<PageLine> {
    if bead.attempts.is_empty() {
        return vec![PageLine::plain("no earlier attempt")];
    }
    let page = new_page(town);
    let mut lines = Vec::new();
    for attempt in &bead.attempts {
        let worker = escape_line(&attempt.worker);
        let at = page.relative_time(&attempt.at);
        lines.push(strong(format!("{worker}, ended {at}")));
        let facts = [
            ("why", attempt.why.as_str()),
            ("branch", &attempt.branch),
            ("commit", attempt.tip.as_deref().unwrap_or("")),
            ("kept in", attempt.kept.as_deref().unwrap_or("")),
            ("summary", &attempt.summary),
        ];
        for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
            lines.push(PageLine::plain(format!("  {name}: {}", escape_line(value))));
        }
        if !attempt.files.is_empty() {
            let files = escape_line(&attempt.files.join(", "));
            lines.push(PageLine::plain(format!("  files: {files}")));
        }
    }
    lines
}

/// Returns the lines that a command would print.
fn list_lines(town: &LiveTown, write: impl FnOnce(&mut Page)) -> Vec<PageLine> {
    let mut page = new_page(town);
    write(&mut page);
    page.text()
        .lines()
        .map(PageLine::plain)
        .skip_while(|line| line.text.is_empty())
        .collect()
}

fn new_page(town: &LiveTown) -> Page {
    Page::plain().with_now(town.clock.now())
}

fn list_block(text: &str) -> impl Iterator<Item = PageLine> {
    let escaped = escape_block(text.trim_end()).replace('\t', "    ");
    let lines: Vec<String> = escaped.lines().map(str::to_owned).collect();
    lines.into_iter().map(PageLine::plain)
}

/// Returns the lines of a patch, with marks and colours for what is added and removed.
fn list_patch(patch: &str) -> Vec<PageLine> {
    if patch.trim().is_empty() {
        return vec![PageLine::plain("no changes")];
    }
    list_block(patch)
        .take(MAX_LINES)
        .map(|line| PageLine {
            tone: match line.text.as_bytes().first() {
                Some(b'+') => Tone::Good,
                Some(b'-') => Tone::Bad,
                Some(b'd') => Tone::Strong,
                _ => Tone::Plain,
            },
            ..line
        })
        .collect()
}

fn strong(text: String) -> PageLine {
    PageLine {
        tone: Tone::Strong,
        ..PageLine::plain(text)
    }
}

fn link(name: &str, bead: &str) -> PageLine {
    open_bead(format!("  {name}: {}", escape_line(bead)), bead)
}

fn open_bead(text: String, bead: &str) -> PageLine {
    PageLine {
        subject: Some(Subject::Bead(bead.to_owned())),
        ..PageLine::plain(text)
    }
}
