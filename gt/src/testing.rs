//! Creates test towns: a town in a temporary folder with sessions in memory, and repositories
//! beside it.

use std::path::PathBuf;
use std::sync::Arc;

use bd::git::{Git, Identity};
use kit::sys::{Clock, Env, RandomSource};

use crate::flow::place::install::{InstallRequest, install_town};
use crate::flow::place::rig::{self, AddRigReport, AddRigRequest};
use crate::host::FakeHost;
use crate::host::LiveTown;
use crate::town::identity::Address;
use crate::town::{Town, TownLayout};

pub(crate) struct TestTown {
    folder: tempfile::TempDir,
    pub(crate) town: LiveTown,
    pub(crate) host: Arc<FakeHost>,
}

impl TestTown {
    /// Creates a town without rigs.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("town");
        let home = folder.path().to_str().unwrap().to_owned();
        let vars = [
            ("HOME", home.as_str()),
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ];
        let env = Env::with_vars(folder.path(), vars);
        let clock = Clock::choose(Some("2026-01-01T00:00:00Z"));
        install_town(&env, &clock, &root, &InstallRequest::default()).unwrap();
        let host = Arc::new(FakeHost::new());
        let town = Town {
            layout: TownLayout::new(&root),
            env,
            clock,
            random: RandomSource::choose(Some("1")),
            actor: Address::Overseer,
            exe: folder.path().join("gt"),
            reports: bd::store::StoreReports::default(),
            listener: crate::town::event::EventListener::default(),
            stop: std::sync::Arc::default(),
        };
        let town = LiveTown {
            town,
            host: host.clone(),
        };
        Self { folder, town, host }
    }

    /// Returns a path beside the town.
    pub(crate) fn path_beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Creates a worktree with a commit of `files`.
    pub(crate) fn create_tree(&self, name: &str, files: &[(&str, &str)]) -> Git {
        let git = Git::at(self.path_beside(name));
        git.init("main", false).unwrap();
        git.config_set("user.name", "Tess").unwrap();
        git.config_set("user.email", "tess@example.org").unwrap();
        for (file, text) in files {
            let path = git.folder().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        git.add_all().unwrap();
        git.commit_index("First").unwrap();
        git
    }

    /// Creates a bare origin with a commit of `files`. Returns its path.
    pub(crate) fn create_origin(&self, files: &[(&str, &str)]) -> String {
        let tree = self.create_tree("source", files);
        let bare = Git::at(self.path_beside("origin.git"));
        let tess = Identity {
            name: "Tess".to_owned(),
            email: "tess@example.org".to_owned(),
        };
        bare.import_bare(Some(tree.folder()), "main", &tess)
            .unwrap();
        bare.folder().to_str().unwrap().to_owned()
    }

    /// Adds a rig.
    pub(crate) fn add_rig(&self, name: &str, url: Option<&str>) -> anyhow::Result<AddRigReport> {
        self.add_rig_with(&AddRigRequest {
            name: name.to_owned(),
            url: url.map(str::to_owned),
            ..AddRigRequest::default()
        })
    }

    /// Adds a rig with all options.
    pub(crate) fn add_rig_with(&self, request: &AddRigRequest) -> anyhow::Result<AddRigReport> {
        rig::add_rig(&self.town, request, &|_| {})
    }
}
