//! Puts the commit id into `bd version` if the sources are a git checkout.

use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    // Cargo runs this in the folder of the package, whichever checkout it was built for.
    if let Some(commit) = commit(Path::new("../..")) {
        println!("cargo::rustc-env=BD_COMMIT={commit}");
    }
    println!("cargo::rerun-if-changed=build.rs");
}

/// The first seven digits of the commit that is checked out.
fn commit(root: &Path) -> Option<String> {
    let git = git_dir(root)?;
    let head_file = git.join("HEAD");
    println!("cargo::rerun-if-changed={}", head_file.display());
    let head = fs::read_to_string(head_file).ok()?;
    let id = match head.trim().strip_prefix("ref: ") {
        Some(name) => resolve(&git, name)?,
        None => head.trim().to_owned(),
    };
    id.get(..7).map(str::to_owned)
}

/// The git folder, also of a linked worktree.
fn git_dir(root: &Path) -> Option<PathBuf> {
    let dot_git = root.join(".git");
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    let text = fs::read_to_string(dot_git).ok()?;
    Some(root.join(text.strip_prefix("gitdir:")?.trim()))
}

/// The commit of a branch, loose or packed.
fn resolve(git: &Path, name: &str) -> Option<String> {
    let common = match fs::read_to_string(git.join("commondir")) {
        Ok(text) => git.join(text.trim()),
        Err(_) => git.to_owned(),
    };
    let loose = common.join(name);
    if let Ok(id) = fs::read_to_string(&loose) {
        println!("cargo::rerun-if-changed={}", loose.display());
        return Some(id.trim().to_owned());
    }
    let packed = fs::read_to_string(common.join("packed-refs")).ok()?;
    let line = packed
        .lines()
        .find(|line| line.ends_with(&format!(" {name}")))?;
    line.split(' ').next().map(str::to_owned)
}
