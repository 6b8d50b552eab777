//! The rows of the main screen, built from the readings of the town.

use gt::record::polecat::PolecatState;
use gt::town::event::EventLine;
use gt::view::convoy::ConvoyEnd;
use gt::view::feed::describe_event;
use gt::view::need::{UserNeed, UserNeedKind};
use gt::view::overview::TownOverview;
use gt::view::request::{RequestRow, RequestStanding};
use gt::view::status::{AgentStatus, ConvoyLine, QueueCounts, RigSummary};
use jiff::Timestamp;
use kit::ui::escape::escape_line;
use kit::ui::time::{format_ago, format_estimate};

use super::super::costs::{format_cost, format_tokens};
use super::news::{Section, TownNews};
use super::subject::Subject;

/// The meaning of a text, which a terminal with colours also shows by a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    /// Less important.
    Dim,
    Strong,
    Good,
    Caution,
    Bad,
    Name,
}

/// A line of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageLine {
    /// The text, escaped.
    pub(super) text: String,
    pub(super) tone: Tone,
    /// The parts of a drawn line, each with its tone, which together are the text. Empty if the
    /// whole text has one tone.
    pub(super) parts: Vec<MoreLine>,
    /// The subject that the line opens.
    pub(super) subject: Option<Subject>,
}

impl PageLine {
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            tone: Tone::Plain,
            parts: Vec::new(),
            subject: None,
        }
    }
}

/// A row of a list. All texts are escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScreenRow {
    /// The same as long as the row is about the same thing.
    pub(super) key: String,
    pub(super) subject: Option<Subject>,
    pub(super) tone: Tone,
    pub(super) text: String,
    /// Text at the right edge. It may be empty.
    pub(super) right: String,
    /// Further lines.
    pub(super) more: Vec<MoreLine>,
}

/// A line below a row, or a part of a drawn line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MoreLine {
    pub(super) tone: Tone,
    pub(super) text: String,
}

impl ScreenRow {
    fn new(key: &str, subject: Option<Subject>, tone: Tone, text: String) -> Self {
        Self {
            key: key.to_owned(),
            subject,
            tone,
            text,
            right: String::new(),
            more: Vec::new(),
        }
    }

    fn add(&mut self, tone: Tone, text: impl Into<String>) {
        let text = text.into();
        self.more.push(MoreLine { tone, text });
    }

    /// Returns true if the row contains a text, in any case of letters.
    pub(super) fn contains(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let more = self.more.iter().map(|line| &line.text);
        [&self.text, &self.right]
            .into_iter()
            .chain(more)
            .any(|part| part.to_lowercase().contains(&text))
    }
}

/// Returns the rows of a section.
pub(super) fn list_rows(news: &TownNews, section: Section) -> Vec<ScreenRow> {
    let Some(overview) = &news.overview else {
        return Vec::new();
    };
    match section {
        Section::NeedsYou => overview
            .needs_you
            .iter()
            .map(|need| need_row(need, overview.at))
            .collect(),
        Section::Agents => list_agents(news, overview),
        Section::Queues => list_queues(overview),
        Section::Convoys => overview
            .status
            .convoys
            .iter()
            .map(|convoy| convoy_row(convoy, overview.estimates.get(&convoy.id)))
            .collect(),
        Section::Feed => news
            .feed
            .iter()
            .map(|event| event_row(event, overview.at))
            .collect(),
    }
}

fn need_row(need: &UserNeed, now: Timestamp) -> ScreenRow {
    let subject = escape_line(&need.subject);
    let (tone, text) = match (&need.question, need.kind) {
        (Some(question), _) => (
            Tone::Caution,
            format!("? {} {subject}", question.severity.name()),
        ),
        (None, UserNeedKind::Stuck) => (Tone::Bad, format!("! {subject}")),
        (None, _) => (Tone::Caution, format!("! {subject}")),
    };
    let mut row = ScreenRow::new(&need.key, Some(Subject::Need(need.key.clone())), tone, text);
    let Some(question) = &need.question else {
        let reason = need.text.lines().next().unwrap_or("");
        row.add(Tone::Plain, escape_line(reason));
        return row;
    };
    row.right = format_age(now, &question.since);
    let about = match need.bead.as_str() {
        "" => String::new(),
        bead => format!(" about {}", escape_line(bead)),
    };
    let taken = match question.acked_by.as_str() {
        "" => String::new(),
        by => format!(", acknowledged by {}", escape_line(by)),
    };
    let from = escape_line(&question.from);
    row.add(Tone::Dim, format!("from {from}{about}{taken}"));
    if !question.options.is_empty() {
        let options: Vec<String> = ('A'..='Z')
            .zip(&question.options)
            .map(|(key, option)| format!("[{key}] {}", escape_line(option)))
            .collect();
        row.add(Tone::Strong, options.join("  "));
    }
    if let Some(default) = &question.default {
        let answer = escape_line(&default.answer);
        let at = format_ago(now, default.at);
        row.add(Tone::Dim, format!("takes \"{answer}\" {at}"));
    }
    row
}

fn list_agents(news: &TownNews, overview: &TownOverview) -> Vec<ScreenRow> {
    let mut rows: Vec<ScreenRow> = overview
        .status
        .agents
        .iter()
        .map(|agent| agent_row(agent, news, overview))
        .collect();
    for rig in &overview.status.rigs {
        rows.push(rig_row(rig));
        let mut agents: Vec<&AgentStatus> = rig.agents.iter().collect();
        // Workers that need a look come first, then those with work.
        agents.sort_by_key(|agent| (!agent.is_stopped_at_work(), !agent.has_work));
        for agent in agents {
            rows.push(agent_row(agent, news, overview));
        }
    }
    rows
}

fn rig_row(rig: &RigSummary) -> ScreenRow {
    let working = count_working(&rig.agents);
    let workers = kit::ui::counted(rig.polecat_count, "worker");
    let text = format!("{}: {working} of {workers} working", escape_line(&rig.name));
    let key = format!("rig:{}", rig.name);
    let mut row = ScreenRow::new(
        &key,
        Some(Subject::Rig(rig.name.clone())),
        Tone::Strong,
        text,
    );
    if let Some(hold) = &rig.held {
        let reason = escape_line(&hold.reason);
        row.add(Tone::Caution, format!("! {reason}: nothing is started"));
    }
    row
}

/// Counts the workers that work.
pub(super) fn count_working(agents: &[AgentStatus]) -> usize {
    agents
        .iter()
        .filter(|agent| agent.state == Some(PolecatState::Working))
        .count()
}

fn agent_row(agent: &AgentStatus, news: &TownNews, overview: &TownOverview) -> ScreenRow {
    let now = overview.at;
    let glance = overview.sessions.get(&agent.address);
    let tone = match (agent.state, agent.running) {
        (Some(PolecatState::Working), _) | (None, Some(true)) => Tone::Good,
        (Some(_), _) if agent.state_word == Some("finished") => Tone::Dim,
        (Some(_), _) if agent.state_word.is_some() => Tone::Caution,
        (Some(PolecatState::Stalled | PolecatState::Zombie), _) => Tone::Bad,
        (Some(PolecatState::Idle) | None, _) => Tone::Dim,
    };
    let (mark, word) = agent.state_mark_and_word();
    let name = escape_line(&agent.name);
    let work = match (&agent.hook_bead, &agent.work_title) {
        (Some(id), Some(title)) => format!(" {} {}", escape_line(id), escape_line(title)),
        _ => String::new(),
    };
    let text = format!("  {mark} {word:<7} {name:<10}{work}");
    let mut row = ScreenRow::new(
        &agent.address,
        Some(Subject::Agent(agent.address.clone())),
        tone,
        text,
    );
    let age = agent.progress.as_ref();
    let mut facts: Vec<String> = age
        .map(|progress| progress.describe_age(now))
        .into_iter()
        .collect();
    if let Some(host) = &agent.host {
        facts.push(format!("on {host}"));
    }
    let context = glance.map_or(0, |glance| glance.context_tokens);
    if context > 0 {
        facts.push(format!("{} tokens", format_tokens(context)));
    }
    facts.extend(describe_usage(news, &agent.address));
    if agent.awaited_mail() > 0 {
        facts.push(format!("✉{}", agent.awaited_mail()));
    }
    row.right = facts.join(" · ");
    if let Some(host) = &agent.unreachable {
        let state = host.describe(|since| format_ago(now, since));
        row.add(Tone::Caution, format!("! {state}"));
    }
    if agent.is_stopped_at_work() && !agent.why.is_empty() {
        row.add(Tone::Bad, escape_line(&agent.why));
    }
    if !agent.waits_for_answers.is_empty() {
        row.add(Tone::Caution, "it waits for your answer");
    }
    let waits = age.map_or_else(String::new, |progress| progress.doing.describe());
    if !waits.is_empty() {
        row.add(Tone::Caution, waits);
    }
    if let Some(last_line) = glance.and_then(|glance| glance.last_line.as_deref()) {
        row.add(Tone::Dim, escape_line(last_line));
    }
    row
}

/// Describes what an agent has cost today.
fn describe_usage(news: &TownNews, address: &str) -> Option<String> {
    let report = &news.costs.as_ref()?.as_ref().ok()?.today;
    let row = report.rows.iter().find(|row| row.key == address)?;
    Some(format_cost(&row.sum))
}

fn list_queues(overview: &TownOverview) -> Vec<ScreenRow> {
    let mut rows = Vec::new();
    for rig in &overview.status.rigs {
        if rig.mq == QueueCounts::default() && rig.queued.is_empty() {
            continue;
        }
        let text = format!("{}: {}", escape_line(&rig.name), rig.mq.describe());
        let subject = Some(Subject::Rig(rig.name.clone()));
        let key = format!("queue:{}", rig.name);
        rows.push(ScreenRow::new(&key, subject, Tone::Strong, text));
        rows.extend(
            overview
                .requests
                .iter()
                .filter(|request| request.rig == rig.name)
                .map(request_row),
        );
        for waiting in &rig.queued {
            let id = &waiting.sling.work_bead_id;
            let text = format!(
                "  … {} {} is queued for a worker",
                escape_line(id),
                escape_line(&waiting.title)
            );
            let subject = Some(Subject::Bead(id.clone()));
            let mut row = ScreenRow::new(&format!("queued:{id}"), subject, Tone::Dim, text);
            row.add(Tone::Dim, escape_line(&rig.describe_queue_wait(id)));
            if let Some(failed) = &waiting.sling.failed {
                row.add(
                    Tone::Caution,
                    format!("it could not be slung: {}", escape_line(&failed.why)),
                );
            }
            rows.push(row);
        }
    }
    rows
}

fn request_row(request: &RequestRow) -> ScreenRow {
    let place = request
        .place
        .map_or_else(|| "!".to_owned(), |place| format!("{place}."));
    let worker = request.worker.rsplit('/').next().unwrap_or("");
    let text = format!(
        "  {place:<2} {} {} {} by {}",
        request.id,
        escape_line(&request.bead),
        escape_line(&request.title),
        escape_line(worker)
    );
    let tone = match (request.status, &request.needs_person) {
        (_, Some(_)) => Tone::Bad,
        (RequestStanding::Ready | RequestStanding::Merging, None) => Tone::Plain,
        _ => Tone::Caution,
    };
    let subject = Some(Subject::Request(request.id.clone()));
    let mut row = ScreenRow::new(&request.id, subject, tone, text);
    row.right = request.estimate.map_or_else(String::new, |estimate| {
        let batch = if estimate.rounds == 1 {
            "next run, "
        } else {
            ""
        };
        format!("{batch}in {}", format_estimate(estimate.seconds))
    });
    if let Some(why) = &request.why {
        row.add(tone, escape_line(why));
    }
    row
}

fn convoy_row(convoy: &ConvoyLine, end: Option<&ConvoyEnd>) -> ScreenRow {
    let text = format!(
        "{} {} {}",
        draw_bar(convoy.completed, convoy.total),
        escape_line(&convoy.id),
        escape_line(&convoy.title)
    );
    let subject = Some(Subject::Convoy(convoy.id.clone()));
    let mut row = ScreenRow::new(&convoy.id, subject, Tone::Plain, text);
    row.right = end.map_or_else(String::new, |end| escape_line(&end.short));
    if !convoy.blocked_by.is_empty() {
        let text = format!("! blocked by {}", convoy.blocked_by.join(", "));
        row.add(Tone::Bad, escape_line(&text));
    }
    row
}

/// Draws a bar with its numbers: `█████░░░░░ 4/8`.
fn draw_bar(completed: usize, total: usize) -> String {
    const WIDTH: usize = 10;
    let filled = (completed * WIDTH)
        .checked_div(total)
        .unwrap_or(0)
        .min(WIDTH);
    let done = "█".repeat(filled);
    let open = "░".repeat(WIDTH - filled);
    format!("{done}{open} {completed}/{total}")
}

fn event_row(event: &EventLine, now: Timestamp) -> ScreenRow {
    let age = format_age(now, &event.ts);
    let actor = escape_line(&event.actor);
    let what = describe_event(event);
    let key = format!("{}:{actor}:{what}", event.ts);
    let text = format!("{age:<8} {actor}  {what}");
    let bead = event
        .payload
        .get("bead")
        .and_then(serde_json::Value::as_str);
    let subject = bead.map(|bead| Subject::Bead(bead.to_owned()));
    ScreenRow::new(&key, subject, Tone::Plain, text)
}

/// Formats the age of a time. Text that is not a time is kept, escaped.
fn format_age(now: Timestamp, text: &str) -> String {
    text.parse()
        .map_or_else(|_| escape_line(text), |then| format_ago(now, then))
}
