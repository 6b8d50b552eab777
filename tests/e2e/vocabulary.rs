//! The words of the original `gt`: every line of the vocabulary, driven with the real programs.

use clap::Command;
use clap::error::ErrorKind;
use gt_cli::vocabulary::{OldCommand, OldFlag, Standing, all_commands, all_flags};
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
fn check_offered(command: &str) -> Result<(), String> {
    // The name of a town's own program, or of any command.
    if command == "gt NAME" || command == "gt help COMMAND" {
        return Ok(());
    }
    let words: Vec<&str> = command.split(' ').collect();
    match command_line(words[0]).try_get_matches_from(&words) {
        // Placeholders need not be values.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidSubcommand | ErrorKind::UnknownArgument
            ) =>
        {
            Err(format!("`{command}`: {error}"))
        }
        _ => Ok(()),
    }
}

/// Fails with `says` unless `holds`.
fn ensure(holds: bool, says: impl Into<String>) -> Result<(), String> {
    if holds { Ok(()) } else { Err(says.into()) }
}

fn run_line(place: &Town, path: &str, more: &[&str]) -> Said {
    let args = path.split(' ').chain(more.iter().copied());
    place.gt_at(&place.path("home"), args).run()
}

/// Drives one line of the vocabulary.
fn drive_command(place: &Town, gt: &Command, command: &OldCommand) -> Result<(), String> {
    let path = command.path;
    let is_ours = matches!(command.standing, Standing::Same | Standing::Kinder(_));
    ensure(
        has_path(gt, path) == is_ours,
        format!("whether gt has `{path}`"),
    )?;
    match command.standing {
        Standing::Same | Standing::Kinder(_) => {
            let said = run_line(place, path, &["--help"]);
            ensure(said.code == 0, said.err)
        }
        Standing::Accepted(_) => {
            let said = run_line(place, path, &["--session", "x"]);
            let is_silent = said.out.is_empty() && said.err.is_empty();
            ensure(said.code == 0 && is_silent, said.err)
        }
        Standing::Runs(other) => {
            let (program, rest) = other.split_once(' ').unwrap();
            // The first argument is the value of the command's last flag.
            let more: &[&str] = if rest.ends_with("--rig") {
                &["web", "--help"]
            } else {
                &["--help"]
            };
            let args = rest.split(' ').chain(more.iter().copied());
            let home = place.path("home");
            let bin = place.path("bin").join(program);
            let expected = place.other_program(&bin, &home).args(args).ok().out;
            let said = run_line(place, path, more);
            ensure(said.code == 0 && said.out == expected, said.err)
        }
        Standing::Renamed {
            command: other,
            note,
        } => {
            check_offered(other)?;
            let said = run_line(place, path, &[]);
            let named = said.err.contains(&format!("\n  {other}"))
                && note.is_none_or(|note| said.err.contains(note));
            ensure(said.code == 2 && said.out.is_empty() && named, said.err)
        }
        Standing::NotOffered { reason, next } => {
            let next = next.to_string();
            for line in commands_in(&next) {
                check_offered(&line)?;
            }
            // A word would fill a placeholder of the next step.
            let said = run_line(place, path, &["--nosuch"]);
            let named = said.err.contains(reason) && said.err.contains(&next);
            ensure(said.code == 2 && said.out.is_empty() && named, said.err)
        }
    }
}

#[test]
fn every_word_of_the_original_does_what_the_vocabulary_says() {
    let place = Town::place();
    let gt = command_line("gt");
    let faults: Vec<String> = all_commands()
        .filter_map(|command| {
            let fault = drive_command(&place, &gt, &command).err()?;
            Some(format!("gt {}: {fault}", command.path))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Drives one spelling of a flag of the vocabulary.
fn drive_flag(place: &Town, flag: &OldFlag, name: &str) -> Result<(), String> {
    let said = run_line(place, flag.path, &[name]);
    let named = match flag.standing {
        Standing::Renamed { command, note } => {
            check_offered(command)?;
            said.err.contains(command) && note.is_none_or(|note| said.err.contains(note))
        }
        Standing::NotOffered { reason, next } => {
            let next = next.to_string();
            for line in commands_in(&next) {
                check_offered(&line)?;
            }
            said.err.contains(reason) && said.err.contains(&next)
        }
        _ => false,
    };
    ensure(said.code == 2 && said.out.is_empty() && named, said.err)
}

#[test]
fn every_flag_of_the_original_that_differs_is_refused_with_what_to_type() {
    let place = Town::place();
    let mut faults = Vec::new();
    for flag in all_flags() {
        for name in flag.names() {
            if let Err(fault) = drive_flag(&place, &flag, name) {
                faults.push(format!("gt {} {name}: {fault}", flag.path));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
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
    assert_eq!(
        town.gt(["role"]).ok().out,
        town.gt(["role", "show"]).ok().out
    );
    for bare in ["hooks", "trail", "recap"] {
        town.gt([bare]).ok();
    }
    let log = town.gt(["log", "-n", "1", "-t", "rig_added", "-a", "overseer"]);
    assert!(log.ok().out.contains("added the rig web"));
    let next = town.gt(["mq", "next"]).ok();
    assert_eq!(next.text(), "no request is ready");
    assert_eq!(town.gt(["mq", "next", "web", "-q"]).ok().out, "");
    assert_eq!(town.gt(["mq", "next", "--json"]).ok().out, "");
    let hello = ["nudge", "deacon", "session-started"];
    assert!(town.gt(hello).ok().out.contains("has no session"));
    town.gt(["crew", "add", "max", "--rig", "web"]).ok();
    town.gt(["peek", "max"]).fails("\n  gt crew start web/max");
    town.gt(["session", "at", "nowhere/none"]).fails("nowhere");
    // Guesses about what the pictures and numbers take.
    for line in [
        vec!["timeline", "--rig", "web"],
        vec!["timeline", "--bead", &bead],
        vec!["costs", &bead],
        vec!["costs", "web"],
        vec!["report", "--since", "2d", "--output", "report.md"],
    ] {
        town.gt(line).ok();
    }
    assert!(town.root().join("report.md").is_file());
    town.gt(["costs", "nosuch"]).fails("nosuch");
    town.gt(["graph", "nosuch"]).fails("nosuch");
    let made = town.gt(["convoy", "create", "Doors", &bead, "--json"]).ok();
    let convoy = made.json()["id"].as_str().unwrap().to_owned();
    let drawn = town.gt(["convoy", "graph", &convoy]).ok().out;
    assert_eq!(town.gt(["graph", &convoy]).ok().out, drawn);
    assert!(town.gt(["convoy", "blockers"]).ok().out.contains(&convoy));
    town.gt(["career", "bug"])
        .fails("kind of work with a record");
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
fn only_words_that_look_alike_or_mean_the_same_are_suggested() {
    let town = Town::new();
    for (line, hint) in [
        ("stauts", "try: gt status"),
        ("gallop", "list the commands with: gt help --all"),
        ("convoy new x", "try: gt convoy create x"),
        ("convoy delete x", "try: gt convoy close x"),
        ("polecat kill web/x", "try: gt polecat nuke web/x"),
        ("help merge queue", "try: gt help mq run"),
        ("status -o json", "try: gt status --json"),
        ("costs --by worker", "try: gt costs --by agent"),
        ("peek", "missing argument: <AGENT>\nHint: usage: gt peek"),
        ("config max_polecats", "try: gt config get max_polecats"),
        ("config max_polecats 3", "try: gt config set max_polecats 3"),
        ("config max_polecats=3", "try: gt config set max_polecats 3"),
        (
            "config set max_polecats=3",
            "try: gt config set max_polecats 3",
        ),
        ("-C /x status", "try: GT_TOWN_ROOT=/x gt status"),
        ("--town /x status", "try: GT_TOWN_ROOT=/x gt status"),
        ("polecat kill web/x", "try: gt polecat nuke"),
        ("crew nosuch", "list the commands with: gt crew --help"),
        ("web-k3f", "try: gt why web-k3f"),
        ("sling web-1 --desc x", "usage: gt sling"),
        ("mail send x --text y", "did you mean --message?"),
    ] {
        let said = town.gt(line.split(' ')).fails(hint);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{line}");
        assert_eq!(said.err.matches("Error:").count(), 1, "{}", said.err);
    }
    town.gt(["config", "get", "test_command"])
        .fails("did you mean merge_queue.test_command?");
    let explained = town.gt(["config", "explain", "max_polecats"]).ok();
    assert!(
        explained.out.contains("  default:  10\n"),
        "{}",
        explained.out
    );
    town.gt(["mail", "read"]).fails("\n  gt mail inbox");
    town.gt(["config", "set", "default_agnet", "x"])
        .fails("did you mean default_agent?");
    let outside = town.path("home");
    town.gt_at(&outside, ["status"])
        .env("GT_TOWN_ROOT", "")
        .fails("\n  gt init\n  gt demo");
    assert!(!town.gt(["logs", "--nosuch"]).run().err.contains("dog"));
    let said = town.gt(["--json", "stauts"]).run();
    let error: serde_json::Value = serde_json::from_str(&said.err).unwrap();
    assert_eq!(error["hint"], "try: gt status");
}

#[test]
fn a_refused_line_gets_the_commands_that_take_what_it_names() {
    let (town, _origin) = Town::with_rig();
    let bead = town.bead("web", "Paint the wall");
    town.gt(["convoy", "create", "Trip", &bead]).ok();
    for (line, commands) in [
        ("status web", "type\n  gt rig status web\n"),
        ("logs web/amber", "\n  gt peek web/polecats/amber\n"),
        ("start web-1", "type\n  gt sling web-1 web\n"),
        ("stop web-1", "type\n  gt unsling web-1\n"),
        ("down web", "type\n  gt rig stop web\n"),
        (
            "retry web/amber",
            "type\n  gt polecat retry web/polecats/amber\n",
        ),
        (
            "requeue web-1",
            "type one of\n  gt mq retry web-1\n  gt sling web-1 --force\n",
        ),
        ("stop nothing", "type one of\n  gt unsling BEAD\n"),
        ("convoy rename Trip Walk", "type\n  bd update hq-cv-"),
        ("convoy rm Trip", "\n  gt convoy close hq-cv-"),
        (
            "scale web --workers 2",
            "type\n  gt config set --rig web max_polecats 2\n",
        ),
        ("budget 20", "type\n  gt config set --town budget.day 20\n"),
        (
            "reassign web-1 web/amber",
            "type\n  gt sling web-1 web/polecats/amber --force\n",
        ),
        (
            "sling web-1 web-2 --rig web",
            "type\n  gt sling web-1 web-2 web\n",
        ),
        (
            "mail send amber Hurry please",
            "try: gt mail send amber -s Hurry -m please",
        ),
        ("gates", "type\n  gt config list --rig web\n"),
    ] {
        let said = town.gt(line.split(' ')).fails(commands);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{line}");
    }
}

#[test]
fn a_line_that_lacks_only_its_command_shows_the_list() {
    let town = Town::new();
    for (bare, whole) in [
        ("mail", "mail inbox"),
        ("rigs", "rig list"),
        ("polecats", "polecat list"),
        ("convoys", "convoy list"),
        ("formulas", "formula list"),
        ("config default-agent", "config get default_agent"),
        ("session list --rig web", "polecat list --rig web"),
    ] {
        let whole = town.gt(whole.split(' ')).run();
        let said = town.gt(bare.split(' ')).run();
        assert_eq!((said.code, said.out), (whole.code, whole.out), "{bare}");
    }
    town.gt(["config", "default-agent", "claude"]).ok();
    let agent = town.gt(["config", "default-agent"]).ok().out;
    assert!(agent.contains("claude"), "{agent}");
    let family = town.gt(["rig"]).run();
    assert!(family.err.starts_with("Add, show, stop"), "{}", family.err);
}

#[test]
fn help_is_shown_wherever_the_line_asks_for_it() {
    let place = Town::place();
    let home = place.path("home");
    let help = place.gt_at(&home, ["sling", "--help"]).ok().out;
    for line in [
        "sling help",
        "help sling",
        "--help sling",
        "--help sling web-1",
    ] {
        assert_eq!(place.gt_at(&home, line.split(' ')).ok().out, help, "{line}");
    }
    let version = place.gt_at(&home, ["--version"]).ok().out;
    assert_eq!(place.gt_at(&home, ["-v"]).ok().out, version);
}

#[test]
fn flags_of_the_original_on_sling_are_accepted() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let bead = town.bead("web", "Paint the wall");
    let sling = ["sling", &bead, "web", "-s", "Paint", "-m", "Use the blue"];
    town.gt(sling).args(["--hook-raw-bead"]).ok();
    let shown = town.show("web", &bead)["description"].to_string();
    assert!(shown.contains("Paint"), "{shown}");
    let said = town.gt(["sling", "web"]).fails("`gt sling BEAD web`");
    assert_eq!(said.out, "");
    town.gt(["sling", "Fix the roof", "web"])
        .fails("\n  bd create 'Fix the roof' --rig web\n  gt sling BEAD web");
    town.gt(["assign", &bead, "web"])
        .fails(&format!("`gt sling {bead} TARGET`"));
    let lamp = town.bead("web", "Mend the lamp");
    town.gt(["sling", &lamp, "deacon/dogs/rex"])
        .fails("no dog `rex`");
    town.gt(["sling", &lamp, "deacon/dogs/rex", "--create"])
        .ok();
    assert_eq!(town.show("web", &lamp)["assignee"], "deacon/dogs/rex");
    town.gt(["nudge", "mayor", "hi"]).fails("`gt mayor start`");
}

#[test]
fn a_crew_member_is_found_by_the_folder_that_the_command_runs_in() {
    let (town, _origin) = Town::with_rig();
    town.gt(["crew", "add", "max", "--rig", "web"]).ok();
    let clone = town.root().join("web/crew/max");
    let said = town.gt_at(&clone, ["crew", "at", "--no-tmux"]).ok();
    assert_eq!(said.text(), clone.to_str().unwrap());
    town.gt(["crew", "at", "--no-tmux"])
        .fails("say which crew member");
    let rig = town.root().join("web");
    let run = ["formula", "run", "code-review", "--pr", "1", "--dry-run"];
    town.gt_at(&rig, run).ok();
}

#[test]
fn filters_of_the_original_on_lists_are_accepted() {
    let (town, _origin) = Town::with_rig();
    let bead = town.bead("web", "Paint the wall");
    town.gt(["convoy", "create", "Trip", &bead]).ok();
    let list = |args: &[&str]| {
        town.gt(["convoy", "list"])
            .args(args.iter().copied())
            .ok()
            .out
    };
    assert!(list(&["--status", "open", "--tree"]).contains(&bead));
    assert!(!list(&["--status", "closed"]).contains("Trip"));
    assert!(list(&["--status=all"]).contains("Trip"));
    town.gt(["mq", "list", "web", "--ready", "--worker", "nux"])
        .ok();
    let doctor = town.gt(["doctor", "--rig", "web"]).run();
    assert_eq!(doctor.out, town.gt(["doctor"]).run().out);
    town.gt(["status", "--all"]).ok();
    town.gt(["rig", "add", "/tmp/docs.git"])
        .fails("the name comes first: `gt rig add NAME URL`");
    town.gt(["convoy", "-i"]).fails("gt convoy list --tree");
    town.gt(["dog", "dispatch", "--plugin", "session-gc", "--create"])
        .ok();
}
