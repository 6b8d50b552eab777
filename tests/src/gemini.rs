//! The real Gemini CLI, offline: installed from npm once, talking to a scripted model on this
//! machine.

#![expect(clippy::disallowed_methods, reason = "the harness passes PATH on")]

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::npm::Package;
use crate::{Model, Town};

const PACKAGE: Package = Package {
    variable: "GASTOWN_TEST_GEMINI",
    program: "gemini",
    name: "@google/gemini-cli",
    version: "0.61.0",
};

/// The folder with the `gemini` program, or why there is none: then the test is skipped, saying so.
pub fn program() -> Result<PathBuf, String> {
    PACKAGE.bin()
}

impl Model {
    /// Makes the town's Gemini agents talk to this model. Folders are not trusted beforehand.
    pub fn for_gemini(&self, town: Town, bin: &Path) -> Town {
        let home = town.path("home/.gemini");
        std::fs::create_dir_all(&home).unwrap();
        let settings = json!({
            "security": { "auth": { "selectedType": "gemini-api-key" } },
            "general": { "enableAutoUpdate": false },
            "privacy": { "usageStatisticsEnabled": false },
            "telemetry": { "enabled": false },
        });
        std::fs::write(home.join("settings.json"), settings.to_string()).unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{}:{path}", town.path("bin").display(), bin.display());
        town.with_tmp()
            .with_env("PATH", &path)
            .with_env("GEMINI_API_KEY", "dummy")
            .with_env("GOOGLE_GEMINI_BASE_URL", &self.url())
    }
}
