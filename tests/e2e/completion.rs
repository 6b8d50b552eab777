//! `bd completion`, `gt completion`, and what the programs answer to a shell that completes a line.

use std::path::Path;

use town_tests::{Run, Said, Town, read_text};

/// Asks a program as the script of a shell does: the words of the line, the last of them being
/// completed.
fn ask(program: Run, shell: &str, words: &[&str]) -> Said {
    let index = (words.len() - 1).to_string();
    let args = std::iter::once("--").chain(words.iter().copied());
    program
        .args(args)
        .env("COMPLETE", shell)
        .env("_CLAP_COMPLETE_INDEX", index)
        .env("_CLAP_IFS", "\n")
        .env("_CLAP_COMPLETE_COMP_TYPE", "9")
        .env("_CLAP_COMPLETE_SPACE", "false")
        .ok()
}

/// The candidates as bash gets them: values alone.
fn bash(program: Run, words: &[&str]) -> Vec<String> {
    let said = ask(program, "bash", words);
    assert_eq!(said.err, "", "{words:?}");
    said.out.lines().map(str::to_owned).collect()
}

fn bd(town: &Town, words: &[&str]) -> Vec<String> {
    bash(town.bd("web", []), words)
}

fn gt(town: &Town, words: &[&str]) -> Vec<String> {
    bash(town.gt([]), words)
}

fn has(found: &[String], wanted: &[&str]) {
    for value in wanted {
        assert!(found.iter().any(|own| own == value), "{value}: {found:#?}");
    }
}

#[test]
fn subcommands_and_flags_are_completed_with_their_help() {
    let town = Town::place();
    let home = town.path("home");
    let bd = || town.other_program(&town.path("bin/bd"), &home);
    has(
        &bash(bd(), &["bd", ""]),
        &["create", "show", "dep", "--json"],
    );
    assert_eq!(bash(bd(), &["bd", "undef"]), ["undefer"]);
    assert_eq!(bash(bd(), &["bd", "dep", "rel"]), ["relate"]);
    assert_eq!(bash(bd(), &["bd", "list", "--over"]), ["--overdue"]);
    let fish = ask(bd(), "fish", &["bd", "list", "--over"]);
    assert!(fish.out.starts_with("--overdue\t"), "{}", fish.out);
    let zsh = ask(bd(), "zsh", &["bd", "list", "--over"]);
    assert!(zsh.out.starts_with("--overdue:"), "{}", zsh.out);
    for (name, line, wanted) in [
        ("gt", ["gt", "con"], "convoy"),
        ("gtd", ["gtd", "r"], "run"),
        ("gt-keeper", ["gt-keeper", "wai"], "waive"),
    ] {
        let program = town.other_program(&town.path("bin").join(name), &home);
        has(&bash(program, &line), &[wanted]);
    }
}

#[test]
fn ids_are_completed_with_titles_and_open_beads_first() {
    let (town, _origin) = Town::with_rig();
    let done = town.bead("web", "Draw the map");
    let open = town.bead("web", "Sail: home\nsoon");
    town.bd("web", ["close", &done]).ok();
    let found = bd(&town, &["bd", "show", "web-"]);
    assert_eq!(found, [open.as_str(), &done]);
    let fish = ask(town.bd("web", []), "fish", &["bd", "show", &open]);
    assert_eq!(fish.text(), format!("{open}\tSail: home↵soon"));
    let fish = ask(town.bd("web", []), "fish", &["bd", "show", &done]);
    assert_eq!(fish.text(), done);
    let zsh = ask(town.bd("web", []), "zsh", &["bd", "show", &open]);
    assert!(zsh.out.starts_with(&format!("{open}:Sail")), "{}", zsh.out);
    has(&bd(&town, &["bd", "list", "--parent", ""]), &[&open]);
    has(&bd(&town, &["bd", "dep", "add", &done, ""]), &[&open]);
}

#[test]
fn labels_and_project_words_are_completed() {
    let (town, _origin) = Town::with_rig();
    let id = town.bead_with("web", "One", &["--labels", "harbor,hull"]);
    town.bd("web", ["config", "set", "status.custom", "in_dock"])
        .ok();
    assert_eq!(
        bd(&town, &["bd", "list", "--label", "h"]),
        ["harbor", "hull"]
    );
    let second = bd(&town, &["bd", "list", "--label", "harbor,hu"]);
    assert_eq!(second, ["harbor,hull"]);
    has(&bd(&town, &["bd", "label", "add", &id, "ha"]), &["harbor"]);
    has(
        &bd(&town, &["bd", "list", "--status", ""]),
        &["open", "in_dock"],
    );
    has(&bd(&town, &["bd", "list", "--type", ""]), &["bug", "epic"]);
    let priorities = bd(&town, &["bd", "create", "x", "--priority", ""]);
    assert_eq!(priorities, ["0", "1", "2", "3", "4"]);
    let root = town.root();
    let line = ["bd", "-C", "web", "list", "--label", "hu"];
    let from_root = bash(town.other_program(&town.path("bin/bd"), &root), &line);
    assert_eq!(from_root, ["hull"]);
}

#[test]
fn rigs_workers_convoys_and_beads_of_all_stores_are_completed() {
    let (town, _origin) = Town::with_rig();
    town.add_rig("api", "api");
    town.script("while :; do sleep 1; done");
    let (web, api) = (town.bead("web", "Build"), town.bead("api", "Serve"));
    town.gt(["convoy", "create", "Regatta", &api]).ok();
    town.gt(["crew", "add", "max", "--rig", "web"]).ok();
    town.gt(["sling", &web, "web"]).ok();
    let worker = format!("web/{}", town.polecats()[0]["name"].as_str().unwrap());
    assert_eq!(gt(&town, &["gt", "rig", "status", "a"]), ["api"]);
    has(&gt(&town, &["gt", "sling", ""]), &[&web, &api]);
    let targets = gt(&town, &["gt", "sling", &api, ""]);
    has(&targets, &["web", "api", &worker, "web/crew/max"]);
    has(&gt(&town, &["gt", "polecat", "status", ""]), &[&worker]);
    has(&gt(&town, &["gt", "crew", "at", "web/"]), &["web/crew/max"]);
    let agents = gt(&town, &["gt", "nudge", ""]);
    has(&agents, &["mayor", "web/witness", &worker, "web/crew/max"]);
    town.gt(["mail", "send", "web/max", "-s", "Storm ahead"])
        .ok();
    let mail = ask(town.gt([]), "fish", &["gt", "mail", "read", "hq-"]);
    assert!(mail.out.contains("\tStorm ahead\n"), "{}", mail.out);
    let keys = gt(&town, &["gt", "config", "get", "git."]);
    has(&keys, &["git.network_timeout"]);
    has(&gt(&town, &["gt", "doctor", ""]), &["rigs"]);
    has(
        &gt(&town, &["gt", "hooks", "diff", "web/p"]),
        &["web/polecats"],
    );
    let convoys = ask(town.gt([]), "fish", &["gt", "convoy", "status", "hq-"]);
    assert!(convoys.out.contains("\tRegatta\n"), "{}", convoys.out);
}

#[test]
fn completion_starts_no_git_and_no_tmux() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let id = town.bead_with("web", "One", &["--labels", "hull"]);
    town.gt(["sling", &id, "web"]).ok();
    let started = town.path("started");
    for name in ["git", "tmux"] {
        town.script_named(
            name,
            &format!("echo {name} \"$@\" >> {}", started.display()),
        );
    }
    let programs = town.path("scripts");
    for line in [
        &["bd", "show", ""][..],
        &["bd", "list", "--label", ""],
        &["gt", "sling", &id, ""],
        &["gt", "nudge", ""],
        &["gt", "seance", "--bead", ""],
    ] {
        let program = if line[0] == "bd" {
            town.bd("web", [])
        } else {
            town.gt([])
        };
        assert!(
            !bash(program.env("PATH", &programs), line).is_empty(),
            "{line:?}"
        );
        let started = read_text(&started);
        assert_eq!(started, "", "{line:?}");
    }
}

#[test]
fn without_a_store_or_a_town_there_are_no_values_and_no_errors() {
    let town = Town::place();
    let home = town.path("home");
    for line in [
        &["bd", "list", "--label", ""][..],
        &["bd", "list", "--parent", ""],
        &["bd", "-C", "/no/such", "list", "--parent", ""],
        &["gt", "config", "list", "--rig", ""],
        &["gt", "seance", "--bead", ""],
    ] {
        for shell in ["bash", "zsh", "fish"] {
            let program = town.other_program(&town.path("bin").join(line[0]), &home);
            let said = ask(program, shell, line);
            assert_eq!((said.text(), said.err.as_str()), ("", ""), "{line:?}");
        }
    }
}

#[test]
fn the_printed_script_is_the_installed_one_and_works_in_bash() {
    let (town, _origin) = Town::with_rig();
    let id = town.bead("web", "One");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../completions");
    for shell in ["bash", "zsh", "fish"] {
        let installed =
            |name: &str| std::fs::read_to_string(folder.join(format!("{name}.{shell}"))).unwrap();
        let printed = town.bd("web", ["completion", shell]).ok();
        assert_eq!(printed.out, installed("bd"));
        let printed = town.gt(["completion", shell]).ok();
        assert_eq!(printed.out, installed("gt"));
    }
    let script = r#"eval "$(bd completion bash)"
        COMP_WORDS=(bd show web-) COMP_CWORD=2 COMP_TYPE=9
        _clap_complete_bd bd web- show
        printf '%s\n' "${COMPREPLY[@]}""#;
    let bash = town.other_program(Path::new("/bin/bash"), &town.root().join("web"));
    let said = bash.args(["-c", script]).ok();
    assert_eq!((said.text(), said.err.as_str()), (id.as_str(), ""));
}

#[test]
fn make_installs_man_pages_and_completions() {
    let town = Town::place();
    let (root, prefix) = (
        Path::new(env!("CARGO_MANIFEST_DIR")).join(".."),
        town.path("usr"),
    );
    let prefix = format!("PREFIX={}", prefix.display());
    let make = town.other_program(Path::new("/usr/bin/make"), &root);
    make.args(["install-docs", &prefix]).ok();
    for file in [
        "man/man1/gt-convoy.1",
        "bash-completion/completions/bd",
        "zsh/site-functions/_gt",
        "fish/vendor_completions.d/gtd.fish",
    ] {
        let path = town.path("usr/share").join(file);
        assert!(path.is_file(), "{}", path.display());
    }
}
