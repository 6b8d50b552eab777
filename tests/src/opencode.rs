//! The real OpenCode, offline: installed from npm once, talking to a scripted model on this
//! machine.

#![expect(clippy::disallowed_methods, reason = "the harness passes PATH on")]

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::npm::Package;
use crate::{Model, Town};

const PACKAGE: Package = Package {
    variable: "GASTOWN_TEST_OPENCODE",
    program: "opencode",
    name: "opencode-ai",
    version: "1.18.33",
};

/// The folder with the `opencode` program, or why there is none: then the test is skipped, saying
/// so.
pub fn program() -> Result<PathBuf, String> {
    PACKAGE.bin()
}

impl Model {
    /// Makes the town's OpenCode agents talk to this model.
    pub fn for_opencode(&self, town: Town, bin: &Path) -> Town {
        let home = town.path("home/.config/opencode");
        std::fs::create_dir_all(&home).unwrap();
        let model = json!({ "name": "Fake", "limit": { "context": 200_000, "output": 8000 } });
        let settings = json!({
            "autoupdate": false,
            "share": "disabled",
            "model": "fake/fake-model",
            "small_model": "fake/fake-small",
            "provider": { "fake": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "Fake",
                "options": { "baseURL": format!("{}/v1", self.url()), "apiKey": "dummy" },
                "models": { "fake-model": model, "fake-small": model },
            } },
        });
        std::fs::write(home.join("opencode.json"), settings.to_string()).unwrap();
        // It installs a package at its start: that fails at once.
        let npm = format!("registry={}/npm/\nfetch-retries=0\n", self.url());
        std::fs::write(town.path("home/.npmrc"), npm).unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{}:{path}", town.path("bin").display(), bin.display());
        town.with_tmp()
            .with_env("PATH", &path)
            .with_env("OPENCODE_DISABLE_MODELS_FETCH", "1")
            .with_env("OPENCODE_DISABLE_LSP_DOWNLOAD", "1")
    }
}
