//! The real Claude Code CLI, offline: installed from npm once, talking to a scripted model on this
//! machine.

#![expect(
    clippy::disallowed_methods,
    reason = "the harness starts programs and reads PATH"
)]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::npm::Package;
use crate::{Town, eventually};

const PACKAGE: Package = Package {
    variable: "GASTOWN_TEST_CLAUDE",
    program: "claude",
    name: "@anthropic-ai/claude-code",
    version: "2.1.197",
};
const KEY: &str = "sk-ant-test-0123456789abcdefghij";
const TOKEN: &str = "sk-ant-oat01-test-0123456789abcdefghij";

/// A model that says what a scenario tells it to.
pub struct Model {
    process: Child,
    port: String,
    log: PathBuf,
}

/// The folder with the `claude` program, or why there is none: then the test is skipped, saying so.
pub fn program() -> Result<PathBuf, String> {
    PACKAGE.bin()
}

impl Model {
    /// Starts a model that plays `scenario`.
    pub fn start(town: &Town, scenario: &Value) -> Self {
        let file = |name: &str| town.path(name);
        std::fs::write(file("scenario.json"), scenario.to_string()).unwrap();
        let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/fake_model_api.py");
        let process = Command::new("python3")
            .arg(tool)
            .arg("--scenario")
            .arg(file("scenario.json"))
            .arg("--log")
            .arg(file("requests.jsonl"))
            .arg("--port-file")
            .arg(file("port"))
            .args([
                "--max-seconds",
                "300",
                "--watch-pid",
                &std::process::id().to_string(),
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let port = eventually("the model listens", || {
            let port = std::fs::read_to_string(file("port"))
                .ok()?
                .trim()
                .to_owned();
            (!port.is_empty()).then_some(port)
        });
        Self {
            process,
            port,
            log: file("requests.jsonl"),
        }
    }

    /// The requests that belong to the agent's conversation, oldest first.
    pub fn requests(&self) -> Vec<Value> {
        let mut requests = self.all_requests();
        requests.retain(|request| request["side"] != true);
        requests
    }

    /// All requests, those for titles and summaries, too.
    pub fn all_requests(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let requests = whole
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        requests
            .filter(|request| request["api"].is_string())
            .collect()
    }

    /// The address on which the model API listens.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Makes the town's agents talk to this model, as a person who has used Claude Code before:
    /// what a first start asks is answered in the home's configuration, folder trust is not.
    pub fn for_town(&self, town: Town, bin: &Path) -> Town {
        self.set_up(town, bin).with_env("ANTHROPIC_API_KEY", KEY)
    }

    /// Does the same for a person with a subscription in place of a key.
    pub fn for_subscriber(&self, town: Town, bin: &Path) -> Town {
        self.set_up(town, bin)
            .with_env("CLAUDE_CODE_OAUTH_TOKEN", TOKEN)
    }

    fn set_up(&self, town: Town, bin: &Path) -> Town {
        write_configuration(&town.path("home"));
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{}:{path}", town.path("bin").display(), bin.display());
        let town = town.with_tmp().with_env("PATH", &path);
        let variables = self.variables().into_iter();
        variables.fold(town, |town, (name, value)| town.with_env(name, &value))
    }

    fn variables(&self) -> [(&'static str, String); 5] {
        let on = || "1".to_owned();
        [
            ("ANTHROPIC_BASE_URL", self.url()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", on()),
            ("CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL", on()),
            ("DISABLE_AUTOUPDATER", on()),
            ("IS_SANDBOX", on()),
        ]
    }

    /// The variables with which agents on another machine talk to this model, and its configuration
    /// in their home folder.
    pub fn for_machine(&self, home: &Path) -> Vec<(&'static str, String)> {
        write_configuration(home);
        let mut variables = self.variables().to_vec();
        variables.push(("ANTHROPIC_API_KEY", KEY.to_owned()));
        variables
    }
}

/// Answers what a first start asks, but for the trust in folders.
fn write_configuration(home: &Path) {
    std::fs::create_dir_all(home.join(".claude")).unwrap();
    let state = json!({
        "hasCompletedOnboarding": true,
        "customApiKeyResponses": { "approved": [&KEY[KEY.len() - 20..]], "rejected": [] },
    });
    std::fs::write(home.join(".claude.json"), state.to_string()).unwrap();
    let settings = json!({ "skipDangerousModePermissionPrompt": true });
    std::fs::write(home.join(".claude/settings.json"), settings.to_string()).unwrap();
}

impl Drop for Model {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}
