//! Real git repositories for tests.

#![expect(clippy::disallowed_methods, reason = "the harness passes PATH on")]

use std::path::{Path, PathBuf};

use crate::Run;

/// A bare repository that plays a rig's origin.
pub struct Repo {
    path: PathBuf,
    home: PathBuf,
}

impl Repo {
    /// A bare repository at `path` with one commit on `main`: a README and a few files.
    pub fn origin(path: &Path, home: &Path) -> Self {
        let repo = Self {
            path: path.to_owned(),
            home: home.to_owned(),
        };
        let seed = path.with_extension("seed");
        std::fs::create_dir_all(&seed).unwrap();
        repo.git_at(&seed, ["init", "--quiet", "-b", "main"]);
        std::fs::write(seed.join("README.md"), "# A project\n").unwrap();
        std::fs::write(seed.join("shared.txt"), "one\ntwo\nthree\n").unwrap();
        repo.git_at(&seed, ["add", "-A"]);
        repo.git_at(&seed, ["commit", "--quiet", "-m", "Begin"]);
        let bare = [
            "clone",
            "--quiet",
            "--bare",
            seed.to_str().unwrap(),
            path.to_str().unwrap(),
        ];
        repo.git_at(&seed, bare);
        std::fs::remove_dir_all(&seed).unwrap();
        repo
    }

    /// The path of the repository.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The URL for `gt rig add`.
    pub fn url(&self) -> &str {
        self.path.to_str().unwrap()
    }

    /// Runs git in the repository; returns what it said.
    pub fn git<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> String {
        self.git_at(&self.path, args)
    }

    /// The subjects of a branch, newest first, without the first commit.
    pub fn subjects(&self, branch: &str) -> Vec<String> {
        let log = self.git(["log", "--format=%s", branch]);
        let mut subjects: Vec<String> = log.lines().map(str::to_owned).collect();
        subjects.pop();
        subjects
    }

    /// The authors of a branch's commits, newest first, without the first commit.
    pub fn authors(&self, branch: &str) -> Vec<String> {
        let log = self.git(["log", "--format=%an", branch]);
        let mut authors: Vec<String> = log.lines().map(str::to_owned).collect();
        authors.pop();
        authors
    }

    /// Waits until no worker's branch is left: that happens right after the merge is recorded.
    pub fn branches_go(&self) {
        crate::eventually("the workers' branches are gone", || {
            self.git(["branch", "--list", "polecat/*"])
                .is_empty()
                .then_some(())
        });
    }

    /// The content of a file on a branch.
    pub fn file(&self, branch: &str, path: &str) -> String {
        self.git(["show", &format!("{branch}:{path}")])
    }

    /// Commits `content` to `path` on `main`, as a person would from elsewhere.
    pub fn commit(&self, path: &str, content: &str, subject: &str) {
        self.commit_files(&[(path, content)], subject);
    }

    /// Removes a file on `main`, as a person would who takes a change back.
    pub fn remove(&self, path: &str, subject: &str) {
        let work = self.path.with_extension("work");
        let (bare, clone) = (self.path.to_str().unwrap(), work.to_str().unwrap());
        self.git(["clone", "--quiet", bare, clone]);
        self.git_at(&work, ["rm", "--quiet", path]);
        self.git_at(&work, ["commit", "--quiet", "-m", subject]);
        self.git_at(&work, ["push", "--quiet", "origin", "HEAD:main"]);
        std::fs::remove_dir_all(&work).unwrap();
    }

    /// Puts a hook in place, as shell.
    pub fn hook(&self, name: &str, body: &str) {
        use std::os::unix::fs::PermissionsExt;
        let hook = self.path.join("hooks").join(name);
        std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
        std::fs::write(&hook, format!("#!/bin/sh\n{body}\n")).unwrap();
        std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Commits several files in one commit.
    pub fn commit_many(&self, files: &[(&str, &str)]) {
        self.commit_files(files, "Several files");
    }

    /// Commits a symbolic link, in place of whatever is at `path`.
    pub fn commit_link(&self, path: &str, target: &Path) {
        self.commit_with("A link", |work| {
            let to = work.join(path);
            std::fs::remove_file(&to).ok();
            std::os::unix::fs::symlink(target, to).unwrap();
        });
    }

    fn commit_files(&self, files: &[(&str, &str)], subject: &str) {
        self.commit_with(subject, |work| {
            for (path, content) in files {
                let to = work.join(path);
                std::fs::create_dir_all(to.parent().unwrap()).unwrap();
                if to.is_symlink() {
                    std::fs::remove_file(&to).unwrap();
                }
                std::fs::write(to, content).unwrap();
            }
        });
    }

    fn commit_with(&self, subject: &str, change: impl FnOnce(&Path)) {
        let work = self.path.with_extension("work");
        let (bare, clone) = (self.path.to_str().unwrap(), work.to_str().unwrap());
        self.git(["clone", "--quiet", bare, clone]);
        change(&work);
        self.git_at(&work, ["add", "-A"]);
        self.git_at(&work, ["commit", "--quiet", "-m", subject]);
        self.git_at(&work, ["push", "--quiet", "origin", "HEAD:main"]);
        std::fs::remove_dir_all(&work).unwrap();
    }

    fn git_at<'a>(&self, cwd: &Path, args: impl IntoIterator<Item = &'a str>) -> String {
        let path = std::env::var_os("PATH").unwrap_or_default();
        Run::new(Path::new("git"), cwd)
            .args(args)
            .env("PATH", path)
            .env("HOME", &self.home)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .ok()
            .text()
            .to_owned()
    }
}
