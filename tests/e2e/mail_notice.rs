//! Mail wakes its reader: notices in idle sessions, and calls that no one reads.

use serde_json::{Value, json};
use town_tests::{Model, Town, claude, eventually, read_text, report_skip};

/// Starts a mayor whose program writes each line that it reads to `heard`, behind an input line.
/// After the line `work` it works until the file `idle` exists.
fn start_mayor(town: &Town) {
    let heard = town.path("heard");
    let idle = town.path("idle");
    town.script_named(
        "listener",
        &format!(
            "printf '> '\nwhile read -r line; do\n\
             if [ \"$line\" = work ]; then\n  printf '\\033[2J\\033[Hworking\\n'\n\
             until [ -e '{}' ]; do sleep 0.1; done\n\
             else echo \"$line\" >> '{}'; fi\nprintf '> '; done",
            idle.display(),
            heard.display()
        ),
    );
    let listener = json!({
        "command": town.path("scripts/listener"),
        "prompt_mode": "none",
        "ready_prompt_prefix": "> ",
        "ready_delay_ms": 0,
    });
    town.set_town_setting("agents", json!({ "listener": listener }));
    town.set_town_setting("role_agents", json!({ "mayor": "listener" }));
    town.gt(["mayor", "start"]).ok();
}

fn become_busy(town: &Town) {
    town.type_line("hq-mayor", "work");
    eventually("the program works", || {
        let screen = town.gt(["peek", "mayor"]).ok().out;
        screen.trim_end().ends_with("working").then_some(())
    });
}

fn become_idle(town: &Town) {
    std::fs::write(town.path("idle"), "").unwrap();
    eventually("the program shows its input line", || {
        let screen = town.gt(["peek", "mayor"]).ok().out;
        screen.trim_end().ends_with('>').then_some(())
    });
}

fn heard(town: &Town) -> String {
    read_text(town.path("heard"))
}

/// A worker without a program, whose mail comes from its session.
fn send_as_worker(town: &Town, worker: &str, subject: &str) -> String {
    let sent = town
        .gt_as(worker, ["mail", "send", "mayor/", "-s", subject, "--json"])
        .ok()
        .json();
    sent["id"].as_str().unwrap().to_owned()
}

fn with_worker() -> (Town, String) {
    let (town, _origin) = Town::with_rig();
    town.script("sleep 600");
    let worker = town.sling(&town.bead("web", "One"));
    (town, worker)
}

fn subjects(town: &Town) -> Vec<String> {
    let mail = town.mail("overseer").into_iter();
    mail.map(|message| message["subject"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_question_of_a_worker_wakes_an_idle_mayor_once() {
    let (town, worker) = with_worker();
    start_mayor(&town);
    town.up();
    let id = send_as_worker(&town, &worker, "Which database?");
    eventually("the mayor hears of the message", || {
        heard(&town).contains(&id).then_some(())
    });
    let notice = heard(&town);
    assert!(notice.contains("Which database?"), "{notice}");
    let later = send_as_worker(&town, &worker, "And which port?");
    eventually("the mayor hears of the next message", || {
        heard(&town).contains(&later).then_some(())
    });
    town.patrol_is_quiet();
    assert_eq!(heard(&town).matches(&id).count(), 1, "{}", heard(&town));
    assert_eq!(town.events("nudge").len(), 2);
}

#[test]
fn a_busy_agent_hears_of_mail_at_the_end_of_its_turn_and_once_only() {
    let (town, worker) = with_worker();
    start_mayor(&town);
    become_busy(&town);
    let first = send_as_worker(&town, &worker, "Which database?");
    town.patrol();
    assert_eq!(heard(&town), "", "nothing is typed into a busy program");
    let token = town.tmux(["display-message", "-p", "-t", "hq-mayor", "#{@gt_token}"]);
    let token = token.trim();
    let stop = |active: bool| {
        let event =
            json!({ "hook_event_name": "Stop", "session_id": "s1", "stop_hook_active": active });
        town.gt(["signal", "stop"])
            .env("GT_ROLE", "mayor")
            .env("GT_SESSION", "hq-mayor")
            .env("GT_SESSION_TOKEN", token)
            .input(&event.to_string())
            .ok()
            .out
    };
    let said: Value = serde_json::from_str(&stop(false)).unwrap();
    assert_eq!(said["decision"], "block");
    assert!(said["reason"].as_str().unwrap().contains(&first), "{said}");
    // The turn goes on, and more mail comes.
    let second = send_as_worker(&town, &worker, "And which port?");
    assert!(stop(true).contains(&second));
    assert_eq!(stop(true), "");
    become_idle(&town);
    town.patrol();
    assert_eq!(heard(&town), "", "the session knows both messages");
    // Mail that comes now finds it idle.
    let third = send_as_worker(&town, &worker, "Hello?");
    town.patrol();
    assert!(heard(&town).contains(&third));
    assert!(!heard(&town).contains(&first), "{}", heard(&town));
}

#[test]
fn a_muted_agent_is_left_alone() {
    let (town, worker) = with_worker();
    start_mayor(&town);
    town.gt(["dnd", "on", "--agent", "mayor"]).ok();
    let id = send_as_worker(&town, &worker, "Which database?");
    town.patrol();
    assert_eq!(heard(&town), "");
    town.gt(["dnd", "off", "--agent", "mayor"]).ok();
    town.patrol();
    assert!(heard(&town).contains(&id), "{}", heard(&town));
}

#[test]
fn a_call_that_stays_unread_is_reported_to_the_user_until_someone_reads_it() {
    let (town, worker) = with_worker();
    start_mayor(&town);
    let id = send_as_worker(&town, &worker, "Which database?");
    town.gt(["mail", "send", "mayor/", "-s", "For your information"])
        .ok();
    town.patrol();
    town.patrol_in(9 * 60);
    assert!(subjects(&town).is_empty(), "{:?}", subjects(&town));
    town.patrol_in(11 * 60);
    let wanted = format!("mayor has not read \"Which database?\" from {worker}");
    assert_eq!(subjects(&town), std::slice::from_ref(&wanted));
    // The mayor stops. The message still waits.
    town.gt(["mayor", "stop"]).ok();
    town.patrol_in(12 * 60);
    assert_eq!(subjects(&town), [wanted]);
    town.gt(["mail", "read", &id]).ok();
    town.patrol_in(13 * 60);
    assert!(subjects(&town).is_empty(), "{:?}", subjects(&town));
}

#[test]
fn a_real_claude_code_at_its_prompt_reads_a_call_for_help() {
    let bin = match claude() {
        Ok(bin) => bin,
        Err(reason) => return report_skip(&format!("no Claude Code CLI: {reason}")),
    };
    let (town, worker) = with_worker();
    let model = Model::start(&town, &json!({ "default": { "text": "OK." } }));
    let town = model.for_town(town, &bin);
    town.set_town_setting("role_agents", json!({ "mayor": "claude" }));
    town.up();
    town.gt(["mayor", "start"]).ok();
    let id = send_as_worker(&town, &worker, "HELP: which database?");
    eventually("the model hears of the message", || {
        let mut requests = model.requests().into_iter();
        requests.find(|request| request["body"].to_string().contains(&id))
    });
    town.patrol_is_quiet();
    let notices = town.events("nudge");
    let texts: Vec<&str> = notices
        .iter()
        .filter_map(|event| event["payload"]["reason"].as_str())
        .filter(|text| text.contains(&id))
        .collect();
    assert!(texts.len() <= 1, "{texts:?}");
}
