//! A worker whose hands are the test.

use std::path::PathBuf;

use crate::{Repo, Run, Town};

/// A polecat whose session does nothing, so that the test is its hands.
pub struct Worker {
    /// The town of the worker.
    pub town: Town,
    /// The origin of its rig `web`.
    pub origin: Repo,
    /// The bead on its hook.
    pub bead: String,
    /// `web/<name>`.
    pub name: String,
    /// The sandbox of the worker.
    pub sandbox: PathBuf,
}

impl Worker {
    /// A worker in a town of its own, with one bead.
    #[expect(clippy::new_without_default, reason = "it starts processes")]
    pub fn new() -> Self {
        let (town, origin) = Town::with_rig();
        Self::in_town(town, origin)
    }

    /// A worker in a town that was made, with one bead of the rig `web`.
    pub fn in_town(town: Town, origin: Repo) -> Self {
        town.script("while :; do sleep 1; done");
        let bead = town.bead("web", "Work");
        let name = town.sling(&bead);
        let sandbox = town.sandbox(&name);
        Self {
            town,
            origin,
            bead,
            name,
            sandbox,
        }
    }

    /// Becomes the worker of another bead in the same town.
    pub fn take_another(&mut self) {
        self.bead = self.town.bead("web", "Work");
        self.name = self.town.sling(&self.bead);
        self.sandbox = self.town.sandbox(&self.name);
    }

    /// `gt done` as it runs it.
    pub fn done<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Run {
        self.town.gt_as(&self.name, ["done", "--stay"]).args(args)
    }

    /// git in its sandbox.
    pub fn git<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> String {
        let at = ["-C", self.sandbox.to_str().unwrap()];
        self.town
            .program_on_path("git")
            .args(at)
            .args(args)
            .ok()
            .out
    }

    /// Commits one line to a file.
    pub fn commit(&self, file: &str) {
        self.commit_text(file, "work\n");
    }

    /// Commits a text to a file.
    pub fn commit_text(&self, file: &str, text: &str) {
        std::fs::write(self.sandbox.join(file), text).unwrap();
        self.git(["add", "-A"]);
        self.git(["commit", "-qm", "Work"]);
    }

    /// Hands in what is committed; gives the merge request.
    pub fn hand_in(&self) -> String {
        let report = self.done(["--summary", "done", "--json"]).ok().json();
        report["request"].as_str().unwrap().to_owned()
    }

    /// Runs the merge queue; gives what came of the first request.
    pub fn merge(&self) -> serde_json::Value {
        self.town.gt(["mq", "run", "web", "--json"]).ok().json()[0].clone()
    }

    /// The bead as it is now.
    pub fn shown(&self) -> serde_json::Value {
        self.town.show("web", &self.bead)
    }

    /// The open merge requests.
    pub fn requests(&self) -> Vec<serde_json::Value> {
        self.town
            .gt(["mq", "list", "web", "--json"])
            .ok()
            .json()
            .as_array()
            .unwrap()
            .clone()
    }
}
