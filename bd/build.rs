//! Embeds the formulas of the folder `formulas/`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

#[expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a build script: cargo hands it OUT_DIR in the environment, and a build that cannot write there ends"
)]
fn embed(list: &str) {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("formulas.rs"), list).expect("OUT_DIR is writable");
}

fn main() {
    // Cargo runs this in the folder of the package, whichever checkout it was built for.
    embed_formulas(Path::new("../formulas"));
    println!("cargo::rerun-if-changed=build.rs");
}

/// Writes the list of formulas, sorted by name. Cargo looks at the folder too, so that a new file
/// is seen.
fn embed_formulas(folder: &Path) {
    let mut files: Vec<(String, PathBuf)> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
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
