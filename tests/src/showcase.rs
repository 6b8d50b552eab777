//! A town in which every view of the page has something to show.

use std::path::Path;

use serde_json::{Value, json};

use crate::{Town, Worker, eventually};

/// The script of the workers: a coloured screen that goes on.
const SCREEN: &str = r"printf '\033[1m> Cache compiled templates\033[0m\n\n'
printf '\033[32m✓\033[0m read src/template.rs\n'
printf '\033[32m✓\033[0m read src/render.rs\n'
printf '\033[33m~\033[0m edit src/cache.rs \033[2m(+48 -3)\033[0m\n'
printf '\033[38;5;39mrunning the tests\033[0m \033[48;2;40;60;40m 41 passed \033[0m\n'
while :; do sleep 1; done";

/// A busy town with its daemon.
pub struct Showcase {
    /// The town and the worker that has a session.
    pub worker: Worker,
    /// The address of that worker.
    pub agent: String,
    /// The convoy with work to do.
    pub convoy: String,
    /// The merged request.
    pub request: String,
    /// The session with a transcript.
    pub session: &'static str,
}

impl Showcase {
    /// Fills a town. `mark` is in every text that people and agents write freely.
    pub fn build(mark: &str) -> Self {
        let (town, origin) = Town::with_rig();
        let mut worker = Worker::in_town(town, origin);
        let town = &worker.town;
        let titled = |title: &str| format!("{title}{mark}");
        town.set_rig_setting(
            "web",
            "merge_queue",
            json!({ "gates": { "fetch": { "cmd": "true https://bot:hunter2hunter2@example.org" } } }),
        );
        town.up();
        std::fs::write(worker.sandbox.join("config.rs"), "pub struct Config;\n").unwrap();
        worker.git(["add", "-A"]);
        worker.git(["commit", "-qm", "Parse the configuration file"]);
        let request = worker.hand_in();
        town.closed("web", &worker.bead);
        town.script(SCREEN);
        let cache = town.bead("web", &titled("Cache compiled templates"));
        let retry = town.bead_with("web", &titled("Retry failed uploads"), &["--deps", &cache]);
        town.bead("web", &titled("Name the limit in the error"));
        let title = titled("Release 2.4");
        let convoy = town.gt(["convoy", "create", &title, &cache, &retry, "--json"]);
        let convoy = text_of(&convoy.ok().json()["id"]);
        let name = town.sling(&cache);
        let (rig, polecat) = name.split_once('/').unwrap();
        let agent = format!("{rig}/polecats/{polecat}");
        worker.sandbox = town.sandbox(&name);
        write_transcript(town, &worker.sandbox, &titled("Which templates change?"));
        std::fs::write(worker.sandbox.join("cache.rs"), titled("// a cache")).unwrap();
        town.gt(["sling", &retry, "web"]).ok();
        let asked = ["--decision", "--option", "red", "--option", "blue"];
        town.gt(["escalate", &titled("Which colour?")])
            .args(asked)
            .args(["--default", "red", "--deadline", "4h"])
            .env("GT_ROLE", &agent)
            .ok();
        town.gt(["mail", "channel", "create", "news"]).ok();
        let text = ["-m", &titled("It is out.")];
        town.gt(["mail", "send", "channel:news", "-s", &titled("Release 2.3")])
            .args(text)
            .ok();
        town.gt([
            "mail",
            "send",
            "overseer",
            "-s",
            &titled("A question"),
            "-m",
        ])
        .args([titled("Look at the plan.").as_str()])
        .ok();
        // One window was reset since, the other one lasts.
        let windows = json!({ "rate_limits": {
            "five_hour": { "used_percentage": 92, "resets_at": 1_767_355_200 },
            "seven_day": { "used_percentage": 40, "resets_at": 4_102_444_800_u64 } } });
        town.gt(["signal", "status-line"])
            .env("CLAUDE_CONFIG_DIR", town.path("home/.claude"))
            .input(&windows.to_string())
            .ok();
        worker.bead = cache;
        worker.name = name;
        Self {
            worker,
            agent,
            convoy,
            request,
            session: SESSION,
        }
    }

    /// The views of the page: a name, the part of the address, and a text that the view shows.
    pub fn views(&self) -> Vec<(&'static str, String, &'static str)> {
        let agent = self.agent.replace('/', "%2F");
        let bead = &self.worker.bead;
        vec![
            ("town", "#/".to_owned(), "Which colour?"),
            ("board", "#/board".to_owned(), "In progress: 1"),
            ("bead", format!("#/bead/{bead}"), "steps done"),
            ("agent", format!("#/agent/{agent}"), "running the tests"),
            ("convoy", format!("#/convoy/{}", self.convoy), "Wave 2: 1"),
            ("map", "#/map".to_owned(), "Who waits for whom: "),
            ("rig", "#/rig/web".to_owned(), "Target main"),
            (
                "request",
                format!("#/request/{}", self.request),
                "+pub struct Config;",
            ),
            ("mail", "#/mail".to_owned(), "A question"),
            ("channel", "#/channel/news".to_owned(), "Release 2.3"),
            ("records", "#/records".to_owned(), "Green at once"),
            (
                "costs",
                "#/costs/agent.cost.rig".to_owned(),
                "Costs today: $",
            ),
            (
                "settings",
                "#/settings".to_owned(),
                "merge_queue.gates.fetch.cmd",
            ),
            (
                "session",
                format!("#/session/{}", self.session),
                "Which templates change?",
            ),
            (
                "search",
                "#/search/templates".to_owned(),
                "Cache compiled templates",
            ),
        ]
    }

    /// Waits until the worker's screen shows its last line.
    pub fn is_drawn(&self) {
        let town = &self.worker.town;
        eventually("the worker's screen", || {
            let screen = town.gt(["peek", &self.agent]).run().out;
            screen.contains("41 passed").then_some(())
        });
    }
}

const SESSION: &str = "11111111-2222-4333-8444-555555555555";

fn text_of(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// Writes a transcript of Claude Code for a session that ran in a folder today.
fn write_transcript(town: &Town, folder: &Path, question: &str) {
    let real = folder.canonicalize().unwrap();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = real.to_string_lossy().chars().map(plain).collect();
    let place = town.path("home/.claude/projects").join(name);
    let now = kit::sys::Clock::choose(None).now().to_string();
    let model = "claude-sonnet-4-5-20250929";
    let usage = json!({ "input_tokens": 1200, "cache_read_input_tokens": 48_000,
        "cache_creation_input_tokens": 3000, "output_tokens": 900 });
    let call = json!({ "type": "tool_use", "id": "t1", "name": "Bash",
        "input": { "command": "grep -rn template src" } });
    let result = json!({ "type": "tool_result", "tool_use_id": "t1",
        "content": "src/template.rs:12: pub struct Template" });
    let lines = [
        json!({ "type": "user", "timestamp": now, "message": { "role": "user", "content": question } }),
        json!({ "type": "assistant", "timestamp": now, "message": { "id": "m1", "role": "assistant",
            "model": model, "usage": usage,
            "content": [{ "type": "text", "text": "I look for the callers." }, call] } }),
        json!({ "type": "user", "timestamp": now, "message": { "role": "user", "content": [result] } }),
        json!({ "type": "assistant", "timestamp": now, "message": { "id": "m2", "role": "assistant",
            "model": model, "usage": usage,
            "content": "Only the renderer builds them, so the cache can live there." } }),
    ];
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    std::fs::create_dir_all(&place).unwrap();
    std::fs::write(place.join(format!("{SESSION}.jsonl")), text.join("\n")).unwrap();
}
