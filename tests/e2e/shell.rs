//! `gt shell`, `gt enable`, `gt disable`.

use std::path::Path;

use serde_json::json;
use town_tests::Town;

/// Runs lines in an interactive shell of the user, and returns what it prints. None if there is no
/// such shell.
fn run_lines(town: &Town, shell: &str, lines: &str) -> Option<String> {
    let find = ["sh", "-c", "command -v \"$0\"", shell];
    let found = town.program_on_path("env").args(find).run();
    if found.code != 0 {
        town_tests::report_skip(&format!("{shell} is not installed"));
        return None;
    }
    let program = town.other_program(Path::new(found.text()), &town.path("home"));
    Some(program.args(["-i"]).input(lines).ok().out)
}

#[test]
fn a_shell_in_a_town_knows_the_town_and_the_rig_until_it_leaves() {
    let (town, _origin) = Town::with_rig();
    let (root, rig) = (town.root(), town.root().join("web"));
    for shell in ["bash", "zsh", "fish"] {
        town.gt(["shell", "install", "--shell", shell]).ok();
        let show = "echo \"<$GT_TOWN_ROOT|$GT_RIG>\"\n";
        let lines = format!(
            "{show}cd {}\n{show}cd {}\n{show}cd /\n{show}exit\n",
            rig.display(),
            root.display()
        );
        let Some(said) = run_lines(&town, shell, &lines) else {
            continue;
        };
        let all = said.split('<').skip(1);
        let shown: Vec<&str> = all
            .filter_map(|rest| rest.split_once('>'))
            .map(|(text, _)| text)
            .collect();
        // A shell may also show the lines that it reads.
        let shown: Vec<&str> = shown
            .into_iter()
            .filter(|text| !text.starts_with('$'))
            .collect();
        let root = root.display();
        let expected = ["|", &format!("{root}|web"), &format!("{root}|"), "|"];
        assert_eq!(shown, expected, "{shell}: {said}");
        town.gt(["disable"]).ok();
        let said = run_lines(&town, shell, &lines).unwrap();
        assert!(!said.contains(&format!("<{root}")), "{shell}: {said}");
        town.gt(["enable"]).ok();
    }
}

#[test]
fn a_folder_whose_name_is_a_command_is_not_run_by_the_shell() {
    let town = Town::place();
    let folder = town.path("home").join("$(touch ran)`touch ran`;touch ran");
    std::fs::create_dir_all(folder.join("mayor")).unwrap();
    std::fs::write(folder.join("mayor/town.json"), "{}").unwrap();
    for shell in ["bash", "zsh", "fish"] {
        town.gt_at(&folder, ["shell", "install", "--shell", shell])
            .ok();
        let lines = "cd ./*touch*\ntest -n \"$GT_TOWN_ROOT\" && echo is-$((40 + 2))\nexit\n";
        let lines = if shell == "fish" {
            lines.replace("$((40 + 2))", "(math 40 + 2)")
        } else {
            lines.to_owned()
        };
        let Some(said) = run_lines(&town, shell, &lines) else {
            continue;
        };
        assert!(said.contains("is-42"), "{shell}: {said}");
    }
    let has_run = |path: &Path| path.join("ran").exists();
    assert!(!has_run(&folder) && !has_run(&town.path("home")));
}

#[test]
fn removing_the_integration_restores_a_linked_start_file_byte_for_byte() {
    let town = Town::place();
    let (home, dotfiles) = (town.path("home"), town.path("dotfiles"));
    let (link, file) = (home.join(".bashrc"), dotfiles.join("bashrc"));
    std::fs::create_dir(&dotfiles).unwrap();
    let mine = b"# caf\xe9\nalias l=ls".as_slice();
    std::fs::write(&file, mine).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let gt = |args: &[&str]| town.gt_at(&home, args.iter().copied());
    let installed = gt(&["shell", "install", "--shell", "bash"]).ok().out;
    assert!(installed.contains(".bashrc"), "{installed}");
    let again = gt(&["shell", "install", "--shell", "bash", "--json"])
        .ok()
        .json();
    assert_eq!(again["changed"], false, "{again}");
    gt(&["shell", "install", "--shell", "fish"]).ok();
    assert!(link.is_symlink() && std::fs::read(&file).unwrap().starts_with(mine));
    let status = gt(&["shell", "status", "--json"]).ok().json();
    assert_eq!(status["enabled"], true, "{status}");
    let installed = [0, 1, 2].map(|shell| status["files"][shell]["installed"].clone());
    assert_eq!(installed, [json!(true), json!(false), json!(true)]);
    gt(&["disable", "--clean"]).ok();
    assert!(link.is_symlink());
    assert_eq!(std::fs::read(&file).unwrap(), mine);
    assert!(!home.join(".config/fish/config.fish").exists());
    assert_eq!(
        gt(&["shell", "status", "--json"]).ok().json()["enabled"],
        false
    );
    gt(&["shell", "install"]).fails("name one with --shell");
    let other = gt(&["shell", "install"]).env("SHELL", "/usr/bin/zsh");
    assert!(other.ok().out.contains(".zshrc"));
    let removed = gt(&["shell", "remove", "--json"]).ok().json();
    assert_eq!(removed[0]["shell"], "zsh", "{removed}");
    assert!(!home.join(".zshrc").exists());
}
