//! The real Codex CLI, offline: installed from npm once, talking to a scripted model on this
//! machine.

#![expect(clippy::disallowed_methods, reason = "the harness passes PATH on")]

use std::path::{Path, PathBuf};

use crate::npm::Package;
use crate::{Model, Town};

const PACKAGE: Package = Package {
    variable: "GASTOWN_TEST_CODEX",
    program: "codex",
    name: "@openai/codex",
    version: "0.169.0",
};

/// The folder with the `codex` program, or why there is none: then the test is skipped, saying so.
pub fn program() -> Result<PathBuf, String> {
    PACKAGE.bin()
}

impl Model {
    /// Makes the town's Codex agents talk to this model. Folders are not trusted beforehand.
    pub fn for_codex(&self, town: Town, bin: &Path) -> Town {
        let home = town.path("home/.codex");
        std::fs::create_dir_all(&home).unwrap();
        let config = format!(
            "model = \"fake-model\"\nmodel_provider = \"fake\"\ncheck_for_update_on_startup = false\n\
             [analytics]\nenabled = false\n[features]\nplugins = false\n\
             [model_providers.fake]\nname = \"fake\"\nbase_url = \"{}/v1\"\n\
             wire_api = \"responses\"\nenv_key = \"OPENAI_API_KEY\"\n",
            self.url()
        );
        std::fs::write(home.join("config.toml"), config).unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{}:{path}", town.path("bin").display(), bin.display());
        town.with_tmp()
            .with_env("PATH", &path)
            .with_env("CODEX_HOME", home.to_str().unwrap())
            .with_env("OPENAI_API_KEY", "dummy")
    }
}
