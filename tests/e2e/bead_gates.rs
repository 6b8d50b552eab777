//! Gates of beads: the patrol opens them, and reports those that do not open.

use town_tests::Town;

use crate::scheduler::{count_status, town_with_beads};

/// Sets the command that prints pull requests, in the user's own settings.
fn set_request_command(town: &Town, command: &str) {
    let folder = town.path("home/.config/bd");
    std::fs::create_dir_all(&folder).unwrap();
    let text = format!("gate.pr-command: {command}\n");
    std::fs::write(folder.join("config.yaml"), text).unwrap();
}

/// Creates a gate in front of each bead, and queues the beads. Returns the gates.
fn block_with_gates(town: &Town, beads: &[String], options: &[&str]) -> Vec<String> {
    let create_gate = |bead: &String| {
        let words = ["gate", "create", "--blocks", bead, "--json"].into_iter();
        let created = town.bd("web", words.chain(options.iter().copied()));
        let created = created.ok().json();
        town.gt(["sling", bead, "web"]).ok();
        let created = created.get(0).unwrap_or(&created);
        created["id"].as_str().unwrap().to_owned()
    };
    beads.iter().map(create_gate).collect()
}

/// Returns the subjects of the overseer's messages about gates.
fn mailed_subjects(town: &Town) -> Vec<String> {
    let mail = town.mail("overseer");
    let subjects = mail.iter().map(|one| one["subject"].as_str().unwrap());
    let about_gates = subjects.filter(|subject| subject.contains("gate"));
    about_gates.map(str::to_owned).collect()
}

/// Asserts that each screen after so many minutes has a text.
fn assert_reported(town: &Town, minutes: i64, bead: &str, text: &str) {
    let screens = [
        vec!["status"],
        vec!["why", bead],
        vec!["top", "--json"],
        vec!["doctor", "gates"],
    ];
    for screen in screens {
        let shown = town.gt_in(minutes, screen.iter().copied()).run().out;
        assert!(shown.contains(text), "{screen:?}: {shown}");
    }
}

#[test]
fn gates_without_the_program_of_their_forge_are_one_need_of_the_user() {
    let (town, beads) = town_with_beads(5);
    set_request_command(&town, "no-such-forge {id}");
    let options = ["--type", "gh:pr", "--await-id", "7"];
    let gates = block_with_gates(&town, &beads, &options);
    town.patrol();
    town.patrol_in(120);
    let subjects = mailed_subjects(&town);
    assert_eq!(subjects.len(), 1, "{subjects:?}");
    assert!(
        subjects[0].starts_with("5 gates cannot be checked"),
        "{subjects:?}"
    );
    let error = "no-such-forge is not installed or not on PATH. Install no-such-forge";
    for bead in [&beads[0], &beads[4]] {
        assert_reported(&town, 3, bead, error);
    }
    let status = town.gt_in(3, ["status"]).ok().out;
    assert!(status.contains("and 2 other gates"), "{status}");
    let queued = format!("{} (waits for {})", beads[0], gates[0]);
    assert!(status.contains(&queued), "{status}");
    let why = town.gt_in(3, ["why", &beads[4]]).ok().out;
    assert!(!why.contains("other gate"), "{why}");
    set_request_command(&town, r#"echo {"state":"OPEN"}"#);
    town.patrol_in(240);
    town.patrol_in(241);
    assert_eq!(mailed_subjects(&town), [""; 0]);
}

#[test]
fn a_forge_that_does_not_answer_is_reported_after_ten_minutes() {
    let (town, beads) = town_with_beads(1);
    let answer = town.path("answer.json");
    // `cat` fails like a forge without a network.
    set_request_command(&town, &format!("cat {}", answer.display()));
    let options = ["--type", "gh:pr", "--await-id", "7"];
    block_with_gates(&town, &beads, &options);
    for seconds in [0, 120, 540] {
        town.patrol_in(seconds);
    }
    assert_eq!(mailed_subjects(&town), [""; 0]);
    let error = "The forge has not answered since";
    let before = town.gt_in(9, ["status"]).ok().out;
    assert!(!before.contains(error), "{before}");
    town.patrol_in(660);
    let subjects = mailed_subjects(&town);
    assert_eq!(subjects.len(), 1, "{subjects:?}");
    assert!(subjects[0].ends_with(&format!("of {} cannot be checked", beads[0])));
    assert_reported(&town, 11, &beads[0], error);
    std::fs::write(&answer, r#"{"state":"OPEN","title":"P"}"#).unwrap();
    town.patrol_in(780);
    town.patrol_in(781);
    assert_eq!(mailed_subjects(&town), [""; 0]);
}

#[test]
fn a_gate_of_a_person_is_a_need_of_the_user_and_one_beyond_its_limit_too() {
    let (town, beads) = town_with_beads(1);
    let options = ["--type", "human", "--timeout", "1h"];
    let gates = block_with_gates(&town, &beads, &options);
    town.patrol();
    let limit = "passed at";
    let before = town.gt(["status"]).ok().out;
    assert!(!before.contains(limit), "{before}");
    // Until then it waits for the user, and no worker can open it.
    let open = format!("bd gate resolve {}", gates[0]);
    assert!(before.contains(&open), "{before}");
    let held_up = format!("held up by {}: waits for {}", beads[0], gates[0]);
    assert!(before.contains(&held_up), "{before}");
    for name in [&beads[0], &gates[0]] {
        let why = town.gt(["why", name]).ok().out;
        assert!(why.contains(&open) && !why.contains("gt sling"), "{why}");
    }
    town.gt(["sling", &gates[0], "web"])
        .fails("is a gate, which no worker opens");
    let first = format!("The gate {} of {} waits for you", gates[0], beads[0]);
    assert_eq!(mailed_subjects(&town), [first]);
    town.patrol_in(3601);
    let subjects = mailed_subjects(&town);
    assert_eq!(subjects.len(), 1, "{subjects:?}");
    assert!(subjects[0].contains("longer than its time"), "{subjects:?}");
    assert_reported(&town, 61, &beads[0], limit);
}

#[test]
fn gates_of_a_forge_and_of_another_bead_open_without_a_person() {
    let (town, beads) = town_with_beads(2);
    let other = town.bead("web", "Other");
    let answer = town.path("answer.json");
    std::fs::write(&answer, r#"{"state":"OPEN","title":"P"}"#).unwrap();
    install_gh(&town, &answer, &answer);
    // Anyone who can push to the repository writes its settings, which run nothing.
    let hostile = town.path("hostile");
    let command = format!("touch {}", hostile.display());
    let settings = town.root().join("web/.beads/config.yaml");
    let text = std::fs::read_to_string(&settings).unwrap();
    std::fs::write(&settings, format!("{text}gate.pr-command: {command}\n")).unwrap();
    let awaited = format!("web:{other}");
    let kinds = [("gh:pr", "7"), ("bead", &awaited)];
    for (bead, (kind, id)) in beads.iter().zip(kinds) {
        let gate = ["gate", "create", "--type", kind, "--await-id", id];
        town.bd("web", gate.into_iter().chain(["--blocks", bead]))
            .ok();
        town.gt(["sling", bead, "web"]).ok();
    }
    let blocked = || -> usize { count_status(&town, &beads, "open") };
    town.patrol();
    town.patrol_in(120);
    assert_eq!(blocked(), 2);
    std::fs::write(&answer, r#"{"state":"MERGED","title":"P"}"#).unwrap();
    town.bd("web", ["close", &other]).ok();
    town.patrol_in(240);
    town.patrol_in(241);
    assert_eq!(blocked(), 0);
    assert!(!hostile.exists());
}

/// Puts a `gh` on the path of a town that answers with a file about pull requests and with another
/// about runs.
fn install_gh(town: &Town, request: &std::path::Path, run: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;

    let gh = town.path("bin/gh");
    let script = format!(
        "#!/bin/sh\ncase $1 in\npr) cat '{}';;\nrun) cat '{}';;\n*) exit 1;;\nesac\n",
        request.display(),
        run.display()
    );
    std::fs::write(&gh, script).unwrap();
    std::fs::set_permissions(gh, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_gate_that_cannot_open_any_more_is_one_need_of_the_user_with_a_next_step() {
    let (town, beads) = town_with_beads(3);
    let other = town.bead("web", "Other");
    let (request, run) = (town.path("pr.json"), town.path("run.json"));
    std::fs::write(&request, r#"{"state":"CLOSED","title":"P"}"#).unwrap();
    let failed = r#"{"status":"completed","conclusion":"failure","name":"CI"}"#;
    std::fs::write(&run, failed).unwrap();
    install_gh(&town, &request, &run);
    let awaited = format!("web:{other}");
    let kinds = [("gh:pr", "7"), ("gh:run", "7"), ("bead", &awaited)];
    let mut gates = Vec::new();
    for (bead, (kind, id)) in beads.iter().zip(kinds) {
        let gate = ["gate", "create", "--type", kind, "--await-id", id];
        let gate = gate.into_iter().chain(["--blocks", bead, "--json"]);
        let created = town.bd("web", gate).ok().json();
        let created = created.get(0).unwrap_or(&created);
        gates.push(created["id"].as_str().unwrap().to_owned());
        town.gt(["sling", bead, "web"]).ok();
    }
    town.bd("web", ["delete", &other, "--force"]).ok();
    for seconds in [0, 120, 240] {
        town.patrol_in(seconds);
    }
    let mail = town.mail("overseer");
    let about = |gate: &str| {
        let subjects = mail.iter().map(|one| one["subject"].as_str().unwrap());
        subjects.filter(|subject| subject.contains(gate)).count()
    };
    let needs = town.gt(["top", "--json"]).ok().json()["needs_you"].to_string();
    for (gate, bead) in gates.iter().zip(&beads) {
        assert_eq!(about(gate), 1, "{mail:?}");
        let step = format!("bd gate resolve {gate}");
        let why = town.gt(["why", bead]).ok().out;
        for text in [needs.as_str(), &town.gt(["status"]).ok().out, &why] {
            assert!(text.contains(&step), "{text}");
        }
    }
    let why = town.gt(["why", &beads[1]]).ok().out;
    assert!(why.contains("run CI ended with failure"), "{why}");
    assert_eq!(count_status(&town, &beads, "open"), 3);
    // The run was started again, and the user opens the other gates.
    std::fs::write(&run, failed.replace("failure", "success")).unwrap();
    for gate in [&gates[0], &gates[2]] {
        town.bd("web", ["gate", "resolve", gate, "--reason", "fine"])
            .ok();
    }
    for seconds in [360, 361, 480] {
        town.patrol_in(seconds);
    }
    assert_eq!(count_status(&town, &beads, "open"), 0);
    let left = town.mail("overseer");
    assert!(
        !left
            .iter()
            .any(|one| one.to_string().contains("cannot open")),
        "{left:?}"
    );
}
