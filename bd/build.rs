//! Puts the commit id into `bd version`, where the sources are a git checkout, and embeds the formulas of the folder
//! `formulas/`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

#[expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a build script: cargo hands it OUT_DIR in the environment, and a build that cannot write there ends"
)]
fn embed(list: &str) {
    let out = env::var_os("OUT_DIR")
        .map(PathBuf::from)
        .unwrap_or_default();
    fs::write(out.join("formulas.rs"), list).expect("OUT_DIR is writable");
}

fn main() {
    // Cargo runs this in the folder of the package, whichever checkout it was built for.
    let root = Path::new("..");
    if let Some(commit) = commit(root) {
        println!("cargo::rustc-env=BD_COMMIT={commit}");
    }
    embed_formulas(&root.join("formulas"));
    println!("cargo::rerun-if-changed=build.rs");
}

/// Writes the list of formulas, sorted by name. Cargo looks at the folder too, so that a new file is seen.
fn embed_formulas(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(String, PathBuf)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let name = name.strip_suffix(".formula.toml")?.to_owned();
            Some((name, fs::canonicalize(entry.path()).ok()?))
        })
        .collect();
    files.sort();
    let mut list = String::from("const FORMULAS: &[(&str, &str)] = &[\n");
    for (name, path) in &files {
        let path = path.to_string_lossy();
        list.push_str(&format!("    ({name:?}, include_str!({path:?})),\n"));
    }
    list.push_str("];\n");
    embed(&list);
    println!("cargo::rerun-if-changed={}", folder.display());
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
