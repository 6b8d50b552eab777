//! `make dist`: what is in the packages. The programs are stand-ins that print their arguments;
//! that the real ones run is the task of all other tests.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;
use town_tests::Town;

/// Builds the packages of stand-in programs.
fn dist(place: &Town) -> PathBuf {
    let programs = place.path("programs");
    std::fs::create_dir(&programs).unwrap();
    for name in ["bd", "gt", "gtd", "gt-keeper"] {
        let path = programs.join(name);
        std::fs::write(&path, format!("#!/bin/sh\necho \"{name}: $*\"\nexit 3\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let out = place.path("dist");
    place
        .source_script("scripts/dist.sh")
        .env("DIST_PROGRAMS", programs.to_str().unwrap())
        .env("DIST_OUT", out.to_str().unwrap())
        .env("DIST_URL", "https://example.com/files")
        .ok();
    out
}

fn find(out: &Path, ending: &str) -> PathBuf {
    let mut files = std::fs::read_dir(out).unwrap().flatten();
    let found = files.find(|file| file.path().to_str().unwrap().ends_with(ending));
    found.unwrap_or_else(|| panic!("no {ending}")).path()
}

fn is_installed(place: &Town, program: &str) -> bool {
    let run = place.program_on_path("sh");
    run.args(["-c", "command -v \"$1\"", "sh", program])
        .run()
        .code
        == 0
}

#[test]
fn packages_hold_programs_docs_and_checksums() {
    let place = Town::place();
    let out = dist(&place);
    let archive = find(&out, ".tar.gz");
    let tar = place.program_on_path("tar");
    let listed = tar.args(["-tzf", archive.to_str().unwrap()]).ok().out;
    for file in [
        "bin/bd",
        "bin/gt",
        "bin/gtd",
        "bin/gt-keeper",
        "share/man/man1/gt.1",
        "share/bash-completion/completions/bd",
        "share/zsh/site-functions/_gt",
        "share/fish/vendor_completions.d/gtd.fish",
        "share/doc/gastown/LICENSE-MIT",
    ] {
        let is_there = listed.lines().any(|line| line.ends_with(file));
        assert!(is_there, "{file}:\n{listed}");
    }
    let sums = place.program_on_path("sha256sum").at(&out);
    sums.args(["--check", "--strict", "SHA256SUMS"]).ok();
    let formula = std::fs::read_to_string(out.join("gastown.rb")).unwrap();
    let name = archive.file_name().unwrap().to_str().unwrap();
    assert!(formula.contains(&format!("url \"https://example.com/files/{name}\"")));
    assert!(!formula.contains('@'), "{formula}");
    let parts = std::fs::read(find(&out, ".cdx.json")).unwrap();
    let parts: Value = serde_json::from_slice(&parts).unwrap();
    let components = parts["components"].as_array().unwrap();
    let clap = components
        .iter()
        .find(|part| part["name"] == "clap")
        .unwrap();
    assert_eq!(clap["licenses"][0]["expression"], "MIT OR Apache-2.0");
    assert!(clap["hashes"][0]["content"].as_str().unwrap().len() == 64);
    // For tests only, so it is in no program.
    assert!(components.iter().all(|part| part["name"] != "proptest"));
    if is_installed(&place, "dpkg-deb") {
        let deb = find(&out, ".deb");
        let root = place.path("root");
        let unpack = ["-x", deb.to_str().unwrap(), root.to_str().unwrap()];
        place.program_on_path("dpkg-deb").args(unpack).ok();
        assert!(root.join("usr/bin/gt").is_file());
        assert!(root.join("usr/share/man/man1/bd.1").is_file());
    }
}

#[test]
fn the_npm_package_runs_the_program_for_this_machine() {
    let place = Town::place();
    if !is_installed(&place, "node") {
        town_tests::report_skip("node is not installed");
        return;
    }
    let out = dist(&place);
    let modules = place.path("home/node_modules");
    std::fs::create_dir(&modules).unwrap();
    for folder in std::fs::read_dir(out.join("npm")).unwrap().flatten() {
        let text = std::fs::read(folder.path().join("package.json")).unwrap();
        let package: Value = serde_json::from_slice(&text).unwrap();
        let name = package["name"].as_str().unwrap();
        std::fs::rename(folder.path(), modules.join(name)).unwrap();
    }
    let run = |modules: &Path| {
        let node = place.program_on_path("node");
        let script = modules.join("gastown/bin/gt.js");
        node.args([script.to_str().unwrap(), "status", "--json"])
            .run()
    };
    let said = run(&modules);
    assert_eq!((said.out.as_str(), said.code), ("gt: status --json\n", 3));
    for folder in std::fs::read_dir(&modules).unwrap().flatten() {
        if folder.file_name() != "gastown" {
            std::fs::remove_dir_all(folder.path()).unwrap();
        }
    }
    let said = run(&modules);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("is not installed"), "{}", said.err);
}
