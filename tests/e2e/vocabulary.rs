//! The words of the original `gt`: every line of the vocabulary, driven with the real programs.

use clap::Command;
use clap::error::ErrorKind;
use gt_cli::vocabulary::{FLAGS, Standing, all_commands};
use town_tests::{Said, Town, programs};

/// The command line of `gt` or `bd`.
fn command_line(program: &str) -> Command {
    let mut all = programs().into_iter();
    all.find(|(name, _)| *name == program).unwrap().1
}

/// True if the program has this path of commands, in full or by an alias.
fn has_path(program: &Command, path: &str) -> bool {
    let mut here = program;
    path.split(' ')
        .all(|word| match here.find_subcommand(word) {
            Some(found) => {
                here = found;
                true
            }
            None => false,
        })
}

/// The commands in a text: in backquotes, or alone on a line.
fn commands_in(text: &str) -> Vec<String> {
    let quoted = text.split('`').skip(1).step_by(2);
    let is_command = |line: &&str| line.starts_with("gt ") || line.starts_with("bd ");
    let lines = text.lines().map(str::trim);
    quoted
        .chain(lines)
        .filter(is_command)
        .map(str::to_owned)
        .collect()
}

/// Fails if a program would not understand a command that a refusal offers.
fn check_offered(command: &str) {
    // The name of a town's own program.
    if command == "gt NAME" {
        return;
    }
    let words: Vec<&str> = command.split(' ').collect();
    let parsed = command_line(words[0]).try_get_matches_from(&words);
    if let Err(error) = parsed {
        let is_word_wrong = matches!(
            error.kind(),
            ErrorKind::InvalidSubcommand | ErrorKind::UnknownArgument
        );
        // `gt mail send TO`: placeholders need not be values.
        assert!(!is_word_wrong, "`{command}`: {error}");
    }
}

fn run_line(place: &Town, path: &str, more: &[&str]) -> Said {
    let args = path.split(' ').chain(more.iter().copied());
    place.gt_at(&place.path("home"), args).run()
}

#[test]
fn every_word_of_the_original_does_what_the_vocabulary_says() {
    let place = Town::place();
    let gt = command_line("gt");
    for command in all_commands() {
        let path = command.path;
        match command.standing {
            Standing::Same | Standing::Kinder(_) => {
                assert!(has_path(&gt, path), "gt has no `{path}`");
                let said = run_line(&place, path, &["--help"]);
                assert_eq!((said.code, said.err.as_str()), (0, ""), "gt {path}");
            }
            Standing::Runs(other) => {
                assert!(!has_path(&gt, path), "gt has `{path}` itself");
                let (program, rest) = other.split_once(' ').unwrap();
                let args = rest.split(' ').chain(["--help"]);
                let home = place.path("home");
                let bin = place.path("bin").join(program);
                let expected = place.other_program(&bin, &home).args(args).ok().out;
                let said = run_line(&place, path, &["--help"]);
                assert_eq!((said.code, said.out), (0, expected), "gt {path}");
            }
            Standing::Renamed {
                command: other,
                note,
            } => {
                assert!(!has_path(&gt, path), "gt has `{path}` itself");
                check_offered(other);
                let said = run_line(&place, path, &[]);
                assert_eq!((said.code, said.out.as_str()), (2, ""), "gt {path}");
                let named = said.err.contains(&format!("\n  {other}")) && said.err.contains(note);
                assert!(named, "gt {path}: {}", said.err);
            }
            Standing::NotOffered { reason, next } => {
                assert!(!has_path(&gt, path), "gt has `{path}` itself");
                commands_in(next)
                    .iter()
                    .for_each(|line| check_offered(line));
                let said = run_line(&place, path, &["word"]);
                assert_eq!((said.code, said.out.as_str()), (2, ""), "gt {path}");
                let named = said.err.contains(reason) && said.err.contains(next);
                assert!(named, "gt {path}: {}", said.err);
            }
        }
    }
}

#[test]
fn every_flag_of_the_original_that_differs_is_refused_with_what_to_type() {
    let place = Town::place();
    for flag in FLAGS {
        for name in flag.names {
            let said = run_line(&place, flag.path, &[name]);
            let line = format!("gt {} {name}: {}", flag.path, said.err);
            assert_eq!((said.code, said.out.as_str()), (2, ""), "{line}");
            match flag.standing {
                Standing::Renamed { command, note } => {
                    check_offered(command);
                    assert!(
                        said.err.contains(command) && said.err.contains(note),
                        "{line}"
                    );
                }
                Standing::NotOffered { reason, next } => {
                    commands_in(next)
                        .iter()
                        .for_each(|line| check_offered(line));
                    assert!(
                        said.err.contains(reason) && said.err.contains(next),
                        "{line}"
                    );
                }
                other => panic!("{line}: {other:?}"),
            }
        }
    }
}

#[test]
fn old_words_run_the_new_commands_with_their_arguments() {
    let (town, _origin) = Town::with_rig();
    let bead = town.bead("web", "Fix the door");
    let shown = town.bd("web", ["show", &bead]).ok().out;
    assert_eq!(town.gt(["show", &bead]).ok().out, shown);
    assert_eq!(town.gt(["bead", "read", &bead]).ok().out, shown);
    let json = town.gt(["--json", "cat", &bead]).ok().json();
    assert_eq!(json[0]["id"], bead.as_str());
    town.gt(["close", &bead, "--reason", "Painted over"]).ok();
    let closed = town.show("web", &bead);
    assert_eq!(
        (&closed["status"], &closed["close_reason"]),
        (&"closed".into(), &"Painted over".into())
    );
    town.gt(["show", "web-none"]).fails("web-none");
    let empty = town.gt(["hook", "show", "web/polecats/none"]).run();
    assert!(!empty.err.contains("unexpected argument"), "{}", empty.err);
    assert_eq!(
        town.gt(["ps"]).ok().out,
        town.gt(["polecat", "list"]).ok().out
    );
    town.gt(["session", "at", "nowhere/none"]).fails("nowhere");
}

#[test]
fn a_refusal_has_a_code_for_programs_and_keeps_to_one_error() {
    let town = Town::new();
    let said = town.gt(["--json", "park", "gt-1"]).run();
    assert_eq!(said.code, 2);
    let error: serde_json::Value = serde_json::from_str(&said.err).unwrap();
    assert_eq!(error["code"], "not_offered");
    let said = town.gt(["session"]).run();
    assert_eq!(said.err.matches("Error:").count(), 1);
    assert!(
        said.err.contains("gt session at: gt attach"),
        "{}",
        said.err
    );
}

#[test]
fn a_program_of_the_town_comes_before_an_old_word() {
    use std::os::unix::fs::PermissionsExt;
    let town = Town::new();
    let program = town.path("bin/gt-park");
    std::fs::write(&program, "#!/bin/sh\necho \"parked $1\"\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(town.gt(["park", "car"]).ok().text(), "parked car");
}

#[test]
fn only_words_that_look_alike_are_suggested() {
    let town = Town::new();
    let said = town.gt(["stauts"]).fails("status");
    assert_eq!(said.code, 2);
    let said = town.gt(["zog"]).fails("unrecognized subcommand");
    assert!(!said.err.contains("similar"), "{}", said.err);
    assert!(!town.gt(["logs", "--nosuch"]).run().err.contains("dog"));
}
