use std::collections::BTreeMap;
use std::path::Path;

use gt::flow::townwide::town_change::TownChange;
use gt::host::daemon::DaemonStatus;
use gt::record::escalation::Severity;
use gt::record::polecat::PolecatState;
use gt::town::event::{EventLine, EventVisibility};
use gt::view::costs::{BeadCosts, CostReport, CostSum};
use gt::view::daily::{DailyComparison, DailyMetric, DailyNumbers, DayNumbers, NumberSums};
use gt::view::glance::SessionGlance;
use gt::view::need::{UserNeed, UserNeedKind, UserQuestion};
use gt::view::offer::{TownOffers, list_steps_for_quiet_agent};
use gt::view::overview::TownOverview;
use gt::view::request::{RequestRow, RequestStanding};
use gt::view::request_times::RequestTimes;
use gt::view::status::{
    AgentStatus, ConvoyLine, OverseerStatus, QueueCounts, RigSummary, TownStatus, TownSummary,
};
use jiff::{SignedDuration, Timestamp};
use kit::ui::Style;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Cell;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Color;

use super::super::convoy;
use super::action::TopAction;
use super::draw::{self, Theme};
use super::drawn;
use super::news::{CostNews, Section};
use super::rows::{PageLine, Tone};
use super::state::{ResultLine, TopState};
use super::subject::Subject;

fn now() -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * 365)
}

fn agent(name: &str, bead: &str, state: PolecatState, why: &str) -> AgentStatus {
    AgentStatus {
        name: name.to_owned(),
        address: format!("web/polecats/{name}"),
        session: format!("gt-web-{name}"),
        role: "polecat",
        running: Some(state == PolecatState::Working),
        has_work: true,
        work_title: Some("Write the parser".to_owned()),
        hook_bead: Some(bead.to_owned()),
        state: Some(state),
        state_word: None,
        is_quiet: false,
        why: why.to_owned(),
        host: None,
        unreachable: None,
        progress: None,
        unread_mail: 0,
        waits_for_answers: Vec::new(),
    }
}

fn question(escalation: &str, subject: &str) -> UserNeed {
    UserNeed {
        key: format!("question:{escalation}"),
        kind: UserNeedKind::Question,
        subject: subject.to_owned(),
        text: "The tests need one.\nBoth work.".to_owned(),
        bead: "web-a1".to_owned(),
        next: vec![format!("gt escalate resolve {escalation}")],
        question: Some(UserQuestion {
            escalation: escalation.to_owned(),
            severity: Severity::High,
            from: "web/polecats/amber".to_owned(),
            since: (now() - SignedDuration::from_mins(5)).to_string(),
            options: vec!["sqlite".to_owned(), "postgres".to_owned()],
            default: None,
            acked_by: String::new(),
        }),
    }
}

fn glance() -> SessionGlance {
    SessionGlance {
        last_line: Some("Reading the \u{1b}[31mparser".to_owned()),
        context_tokens: 84_000,
    }
}

fn ready_request() -> RequestRow {
    RequestRow {
        id: "web-mr-1".to_owned(),
        rig: "web".to_owned(),
        bead: "web-c3".to_owned(),
        title: "Draw the \u{1b}[31mmap".to_owned(),
        branch: "polecat/coral/web-c3".to_owned(),
        target: "main".to_owned(),
        worker: "web/polecats/coral".to_owned(),
        status: RequestStanding::Ready,
        score: 1.0,
        priority: 2,
        created_at: (now() - SignedDuration::from_mins(3)).to_string(),
        waits_for: Vec::new(),
        clashes_with: Vec::new(),
        why: None,
        next_steps: Vec::new(),
        needs_person: None,
        adds_nothing: false,
        stopped_by: None,
        pull_request: None,
        place: Some(1),
        estimate: None,
        times: RequestTimes::default(),
    }
}

fn overview() -> TownOverview {
    let rig = RigSummary {
        red_targets: Vec::new(),
        name: "web".to_owned(),
        prefix: "web".to_owned(),
        remote: true,
        pushed_beads: true,
        polecat_count: 2,
        crew_count: 0,
        agents: vec![
            agent(
                "amber",
                "web-a1",
                PolecatState::Working,
                "at work on web-a1",
            ),
            agent(
                "birch",
                "web-b2",
                PolecatState::Stalled,
                "its session ended",
            ),
        ],
        mq_failing: None,
        mq: QueueCounts {
            pending: 1,
            ..QueueCounts::default()
        },
        waiting: Vec::new(),
        usage_limits: Vec::new(),
        waits_for: std::collections::BTreeMap::new(),
        full: None,
        queued: Vec::new(),
        held: None,
    };
    let status = TownStatus {
        name: "hq".to_owned(),
        location: "/town".to_owned(),
        overseer: OverseerStatus {
            name: "dana".to_owned(),
            unread_mail: 1,
        },
        daemon: DaemonStatus {
            outdated: None,
            running: true,
            pid: 7,
            started_at: String::new(),
            last_heartbeat: String::new(),
            heartbeat_count: 3,
            degraded: None,
            ended_unexpectedly: false,
            moved_from: None,
        },
        paused: None,
        scheduler_paused_by: None,
        scheduler_paused_reason: String::new(),
        stopped: None,
        agents: Vec::new(),
        rigs: vec![rig],
        convoys: vec![ConvoyLine {
            id: "hq-cv-1".to_owned(),
            title: "The map".to_owned(),
            completed: 1,
            total: 3,
            blocked_by: Vec::new(),
            held_up_by: None,
        }],
        escalations: Vec::new(),
        summary: TownSummary {
            rig_count: 1,
            polecat_count: 2,
            ..TownSummary::default()
        },
        problems: Vec::new(),
        items: Vec::new(),
    };
    let needs_you = vec![
        question("hq-1", "Which database?"),
        question("hq-2", "Which port?"),
    ];
    let requests = vec![ready_request()];
    TownOverview {
        at: now(),
        offers: TownOffers::list(&status, &needs_you, &requests),
        marks: BTreeMap::new(),
        status,
        needs_you,
        requests,
        estimates: BTreeMap::new(),
        sessions: BTreeMap::from([("web/polecats/amber".to_owned(), glance())]),
    }
}

fn open_top() -> TopState {
    let mut state = TopState::new();
    state.set_overview(overview(), Vec::new());
    state
}

fn press(state: &mut TopState, code: KeyCode) -> Option<TopAction> {
    state.handle_key(KeyEvent::new(code, KeyModifiers::NONE))
}

/// Presses the keys of a text, and returns the last action.
fn enter(state: &mut TopState, keys: &str) -> Option<TopAction> {
    let mut last = None;
    for key in keys.chars() {
        last = press(state, KeyCode::Char(key));
    }
    last
}

fn draw(state: &TopState, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let theme = Theme::new(&Style::plain());
    terminal
        .draw(|frame| {
            draw::draw_screen(frame, state, theme);
        })
        .unwrap();
    terminal.backend().to_string()
}

fn check_screen(name: &str, screen: String) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(Path::new("snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!(name, screen));
}

#[test]
fn the_main_screen_fits_each_width() {
    for width in [60, 100, 200] {
        check_screen(&format!("main-{width}"), draw(&open_top(), width, 30));
    }
}

/// Costs of 14 days that rise to today's.
fn costs() -> CostNews {
    let day = |place: usize| {
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let cost_usd = place as f64 * 0.5;
        NumberSums {
            cost_usd,
            ..NumberSums::default()
        }
    };
    let today = jiff::civil::date(2026, 11, 29);
    CostNews {
        today: CostReport {
            total_usd: 6.5,
            total: CostSum {
                cost_usd: 6.5,
                ..CostSum::default()
            },
            beads: BeadCosts::default(),
            rows: Vec::new(),
            sessions: Vec::new(),
            models_without_price: Vec::new(),
            prices_of: String::new(),
            own_prices: None,
            unread: Vec::new(),
            budgets: Vec::new(),
            last_hour_usd: 0.0,
            usage_windows: Vec::new(),
        },
        daily: DailyNumbers {
            metric: DailyMetric::Cost,
            by: None,
            comparison: DailyComparison {
                today: Some(6.5),
                last_week: Some(31.5),
                daily_average: Some(4.5),
            },
            total: day(91),
            today: day(13),
            last_week: day(63),
            days: (0..14)
                .map(|place| DayNumbers {
                    day: today,
                    recorded: true,
                    sums: day(place),
                })
                .collect(),
            groups: Vec::new(),
            problems: Vec::new(),
        },
    }
}

#[test]
fn the_header_compares_the_costs_of_today_with_last_week() {
    for width in [60, 100, 200] {
        let mut state = open_top();
        state.set_costs(Ok(costs()));
        let screen = draw(&state, width, 30);
        let header: Vec<&str> = screen.lines().take(3).collect();
        check_screen(&format!("costs-{width}"), header.join("\n"));
    }
}

/// Lines of a page: one that is too long for each width, one that opens a bead, and one with a
/// colour.
fn page_lines() -> Vec<PageLine> {
    let long = "at work on web-a1 since 14:02, with a title that goes on and on ".repeat(4);
    let added = PageLine {
        tone: Tone::Good,
        ..PageLine::plain("+the line that was added")
    };
    let bead = PageLine {
        subject: Some(Subject::Bead("web-a1".to_owned())),
        ..PageLine::plain("  the bead: web-a1")
    };
    vec![PageLine::plain(long), bead, added]
}

#[test]
fn every_page_fits_each_width() {
    let subjects = [
        Subject::Agent("web/polecats/amber".to_owned()),
        Subject::Agent("mayor".to_owned()),
        Subject::Rig("web".to_owned()),
        Subject::Request("web-mr-1".to_owned()),
        Subject::Bead("web-a1".to_owned()),
        Subject::Convoy("hq-cv-1".to_owned()),
        Subject::Town,
    ];
    for width in [60, 100, 200] {
        let mut screens = String::new();
        for subject in &subjects {
            let mut state = open_top();
            state.open(subject.clone());
            state.set_page(subject, 0, page_lines());
            screens.push_str(&draw(&state, width, 14));
        }
        check_screen(&format!("pages-{width}"), screens);
    }
}

/// The graph of a convoy, wider than a narrow screen.
fn draw_graph(columns: usize) -> Vec<PageLine> {
    use bd::graph::picture::{self, PictureBead, PictureState};
    let bead = |id: &str, state, needs: &[usize]| PictureBead {
        id: id.to_owned(),
        title: "Parse the \u{1b}[31msettings of the town".to_owned(),
        state,
        needs: needs.to_vec(),
    };
    let mut beads = vec![bead("web-root", PictureState::Done, &[])];
    for number in 0..6 {
        let id = format!("web-child-{number}");
        beads.push(bead(&id, PictureState::Working, &[0]));
    }
    beads.push(bead("web-last", PictureState::Blocked, &[3]));
    let columns = columns.max(picture::min_columns(&beads).unwrap());
    drawn::draw_lines(columns, now(), |page| {
        convoy::graph::write_drawing(&[], &beads, page);
    })
}

#[test]
fn the_graph_of_a_convoy_scrolls_sideways_if_it_does_not_fit() {
    for width in [60, 100, 200] {
        let mut state = open_top();
        state.set_columns(usize::from(width) - 3);
        let subject = Subject::Convoy("hq-cv-1".to_owned());
        state.open(subject.clone());
        enter(&mut state, "2");
        state.set_page(&subject, 1, draw_graph(state.columns));
        let mut screens = draw(&state, width, 18);
        enter(&mut state, "lll");
        screens.push_str(&draw(&state, width, 18));
        assert!(!screens.contains('\u{1b}'));
        check_screen(&format!("graph-{width}"), screens);
        // There is a left edge, and a right one.
        enter(&mut state, "hhhhhh");
        assert_eq!(state.pages[0].left, 0);
        enter(&mut state, &"l".repeat(200));
        state.set_page(&subject, 1, draw_graph(state.columns));
        let widest = state.page_lines().unwrap().into_iter();
        let widest = widest.map(|line| kit::ui::cut::count_columns(&line.text));
        assert!(state.pages[0].left < widest.max().unwrap());
        state.set_page(&subject, 1, vec![PageLine::plain("short")]);
        assert!(
            draw(&state, width, 18).contains('t'),
            "the scroll is kept within the lines"
        );
    }
}

#[test]
fn the_costs_of_the_town_are_drawn_from_the_news() {
    for width in [60, 100, 200] {
        let mut state = open_top();
        state.set_columns(usize::from(width) - 3);
        enter(&mut state, "m3");
        assert!(state.pages[0].lines.is_none(), "the costs are not read yet");
        state.set_costs(Ok(costs()));
        check_screen(&format!("plot-{width}"), draw(&state, width, 24));
        state.set_costs(Err("no transcripts".to_owned()));
        assert!(draw(&state, width, 24).contains("the costs cannot be read: no transcripts"));
    }
}

#[test]
fn colours_are_drawn_only_if_they_are_wanted() {
    let mut state = open_top();
    let subject = Subject::Rig("web".to_owned());
    state.open(subject.clone());
    state.set_page(&subject, 0, page_lines());
    let colours = |style: &Style| {
        let mut terminal = Terminal::new(TestBackend::new(100, 14)).unwrap();
        let theme = Theme::new(style);
        terminal
            .draw(|frame| {
                draw::draw_screen(frame, &state, theme);
            })
            .unwrap();
        let cells = terminal.backend().buffer().content().to_owned();
        let is_coloured = |cell: &Cell| cell.fg != Color::Reset || cell.bg != Color::Reset;
        cells.iter().filter(|cell| is_coloured(cell)).count()
    };
    assert_eq!(colours(&Style::plain()), 0);
    assert!(colours(&Style::coloured()) > 0);
}

#[test]
fn pages_dialogs_and_help_look_the_same() {
    let mut state = open_top();
    press(&mut state, KeyCode::Enter);
    check_screen("question", draw(&state, 80, 24));
    enter(&mut state, "q2");
    assert_eq!(state.section, Section::Agents);
    // The line of the rig and the stalled worker are above it.
    enter(&mut state, "jjnhello");
    check_screen("nudge", draw(&state, 80, 24));
    press(&mut state, KeyCode::Esc);
    enter(&mut state, "?");
    check_screen("help", draw(&state, 80, 24));
}

#[test]
fn escape_sequences_of_beads_never_reach_the_terminal() {
    let mut state = open_top();
    for width in [60, 200] {
        assert!(!draw(&state, width, 40).contains('\u{1b}'));
    }
    enter(&mut state, "/\u{1b}[31m");
    assert!(!draw(&state, 100, 40).contains('\u{1b}'));
}

#[test]
fn a_letter_gives_its_answer_to_the_selected_question() {
    let mut state = open_top();
    press(&mut state, KeyCode::Down);
    let answer = TownChange::Answer {
        escalation: "hq-2".to_owned(),
        answer: "postgres".to_owned(),
    };
    assert_eq!(enter(&mut state, "B"), Some(TopAction::Change(answer)));
}

#[test]
fn an_answer_for_a_question_that_is_gone_is_given_to_no_other_one() {
    let mut state = open_top();
    let mut news = overview();
    news.needs_you.remove(0);
    state.set_overview(news, Vec::new());
    assert_eq!(enter(&mut state, "A"), None);
    let result = state.result.clone().unwrap();
    assert!(result.is_error && result.text.contains("nothing was done"));
    // The user has seen the new selection.
    let answer = TownChange::Answer {
        escalation: "hq-2".to_owned(),
        answer: "sqlite".to_owned(),
    };
    assert_eq!(enter(&mut state, "A"), Some(TopAction::Change(answer)));
}

#[test]
fn news_keep_the_selected_line() {
    let mut state = open_top();
    press(&mut state, KeyCode::Down);
    let mut news = overview();
    news.needs_you.insert(0, question("hq-0", "Which colour?"));
    state.set_overview(news, Vec::new());
    assert_eq!(state.cursor_of(Section::NeedsYou), 2);
    assert!(matches!(
        enter(&mut state, "a"),
        Some(TopAction::Change(TownChange::Acknowledge { escalation })) if escalation == "hq-2"
    ));
}

#[test]
fn the_feed_shows_the_newest_events_until_an_older_one_is_selected() {
    let event = |number: i64| EventLine {
        ts: (now() + SignedDuration::from_secs(number)).to_string(),
        source: "gt".to_owned(),
        kind: "nudge".to_owned(),
        actor: format!("agent-{number}"),
        payload: serde_json::Map::new(),
        visibility: EventVisibility::Feed,
    };
    let feed = |last: i64| (0..=last).rev().map(event).collect::<Vec<_>>();
    let mut state = open_top();
    state.set_overview(overview(), feed(3));
    state.set_overview(overview(), feed(60));
    assert!(draw(&state, 100, 30).contains("agent-60 "));
    enter(&mut state, "5");
    state.set_overview(overview(), feed(61));
    assert_eq!(state.cursor_of(Section::Feed), 0);
    press(&mut state, KeyCode::Down);
    state.set_overview(overview(), feed(90));
    assert_eq!(state.cursor_of(Section::Feed), 30);
    // Sections without the keys show their first rows.
    enter(&mut state, "1");
    assert!(draw(&state, 100, 30).contains("agent-90 "));
}

#[test]
fn a_rejection_asks_for_a_reason_and_a_yes() {
    let mut state = open_top();
    enter(&mut state, "3j");
    assert_eq!(enter(&mut state, "xnot yet"), None);
    press(&mut state, KeyCode::Enter);
    let rejected = TownChange::Reject {
        request: "web-mr-1".to_owned(),
        reason: "not yet".to_owned(),
    };
    assert_eq!(enter(&mut state, "y"), Some(TopAction::Change(rejected)));
    assert_eq!(enter(&mut state, "xno"), None);
    press(&mut state, KeyCode::Enter);
    assert_eq!(enter(&mut state, "n"), None);
    let unchanged = ResultLine {
        text: "nothing was changed".to_owned(),
        is_error: false,
    };
    assert_eq!(state.result, Some(unchanged));
}

#[test]
fn a_search_keeps_the_lines_with_its_text_and_opens_other_beads_by_id() {
    let mut state = open_top();
    enter(&mut state, "/birch");
    assert_eq!(state.rows_of(Section::Agents).len(), 1);
    assert_eq!(state.section, Section::Agents);
    press(&mut state, KeyCode::Esc);
    assert!(state.rows_of(Section::Agents).len() > 1);
    enter(&mut state, "/web-c3");
    press(&mut state, KeyCode::Enter);
    assert!(state.pages.is_empty(), "the line of its request is kept");
    press(&mut state, KeyCode::Esc);
    enter(&mut state, "/web-mr-1");
    press(&mut state, KeyCode::Enter);
    let open = state.pages.pop().unwrap();
    assert_eq!(open.subject, Subject::Request("web-mr-1".to_owned()));
    enter(&mut state, "/web-z9");
    press(&mut state, KeyCode::Enter);
    let open = state.pages.last().unwrap();
    assert_eq!(open.subject.describe(), "bead web-z9");
}

#[test]
fn stuck_workers_can_be_retried_and_beads_are_slung_to_their_rig() {
    let mut state = open_top();
    enter(&mut state, "/birch");
    press(&mut state, KeyCode::Enter);
    let retried = TownChange::RetryWorker {
        worker: "web/polecats/birch".to_owned(),
    };
    press(&mut state, KeyCode::Enter);
    assert_eq!(enter(&mut state, "t"), Some(TopAction::Change(retried)));
    enter(&mut state, "qq/web-z9");
    press(&mut state, KeyCode::Enter);
    enter(&mut state, "s");
    let slung = TownChange::Sling {
        bead: "web-z9".to_owned(),
        target: "web".to_owned(),
    };
    assert_eq!(
        press(&mut state, KeyCode::Enter),
        Some(TopAction::Change(slung))
    );
}

#[test]
fn a_worker_without_progress_is_offered_to_be_stopped_and_replaced() {
    let mut overview = overview();
    let amber = &mut overview.status.rigs[0].agents[0];
    assert!(list_steps_for_quiet_agent(amber).is_empty());
    amber.is_quiet = true;
    assert_eq!(
        list_steps_for_quiet_agent(amber),
        [
            "gt peek web/amber",
            "gt nudge web/amber \"<message>\"",
            "gt unsling web-a1",
            "gt sling web-a1 web --force",
        ]
    );
    let offers = TownOffers::list(&overview.status, &[], &[]);
    let labels = offers.agents["web/polecats/amber"].iter();
    let labels: Vec<&str> = labels.map(|offer| &*offer.label).collect();
    assert_eq!(
        labels,
        ["Nudge", "Stop, keep the work", "Give to a fresh worker"]
    );
}
